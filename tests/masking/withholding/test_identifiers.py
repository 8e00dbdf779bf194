from __future__ import annotations

import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.withholding.identifiers import _FEW, Identifiers, _word, renumber_together


def test_identifiers_get_fresh_numbers_that_keep_households_together():
    homes = ["elm 1", "elm 1", "abbey 3", None, "high 9", "abbey 3"]
    schema = Schema(
        [
            Attribute("home", Nominal(("abbey 3", "elm 1", "high 9")), "identifier"),
            Attribute("fuel", Nominal(("gas", "oil")), "key"),
        ]
    )
    table = pa.table({"home": homes, "fuel": ["gas", "oil"] * 3})
    masked = Identifiers(["home"], random_state=3).mask(table, schema)
    after = masked.microdata.column("home").to_pylist()
    assert masked.microdata.schema["home"].role == "other"
    assert after[0] == after[1]
    assert after[2] == after[5]
    assert after[3] is None
    assert {int(v) for v in after if v} == {1, 2, 3}
    assert masked.provenance.removed == ()
    plain = Identifiers().mask(table, schema)
    assert plain.microdata.names == ("fuel",)
    assert plain.provenance.removed == ("home",)


def test_numeric_identifiers_and_further_columns():
    data = dc.datasets.housing(50)
    name = data.schema.of_role("identifier")[0]
    masked = Identifiers([name], remove=["BUILT"], random_state=0).mask(data)
    assert sorted(masked.microdata.column(name).to_pylist()) == list(range(1, 51))
    assert "BUILT" not in masked.microdata.names
    assert masked.provenance.removed == ("BUILT",)
    with pytest.raises(ParameterError, match="1 attributes are to be renumbered and removed"):
        Identifiers([name], remove=[name]).mask(data)
    with pytest.raises(DataError, match="nothing would be left"):
        Identifiers(remove=[n for n in data.names if n != name]).mask(data)


def numbered(homes):
    levels = tuple(dict.fromkeys(home for home in homes if home not in {None, "?"}))
    home = Attribute("home", Nominal(levels), "identifier", missing=("?",))
    schema = Schema([home, Attribute("fuel", Nominal(("gas",)), "key")])
    return dc.Microdata(pa.table({"home": homes, "fuel": ["gas"] * len(homes)}), schema)


def test_tables_are_renumbered_by_one_mapping():
    homes = numbered(["7", "9", None, "?"])
    people = dc.Microdata(
        pa.table({"in": [9.0, 7.0, 7.0, 11.5, None], "fuel": ["gas"] * 5}),
        Schema([Attribute("in", dc.Numeric(), "other"), Attribute("fuel", Nominal(("gas",)), "key")]),
    )
    tables = {"homes": homes, "people": people, "beside": homes}
    found = renumber_together(tables, {"homes": "home", "people": "in"}, random_state=4)
    first, second = found["homes"].column("home").to_pylist(), found["people"].column("in").to_pylist()
    assert found["beside"] is homes
    assert first[2] is second[4] is None
    assert first[3] == "?", "a code of missing values stays as it came"
    assert int(second[0]) == int(first[1])
    assert int(second[1]) == int(second[2]) == int(first[0])
    assert {int(value) for value in (*first[:3], *second) if value is not None} == {1, 2, 3}
    declared = found["homes"].schema["home"]
    assert (declared.role, declared.scale, declared.missing) == ("other", Nominal((1, 2, 3)), ("?",))
    assert found["people"].schema["in"].role == "other"
    again = renumber_together(tables, {"homes": "home", "people": "in"}, random_state=4)
    assert again["people"].column("in").to_pylist() == second


def test_few_fresh_numbers_are_told_and_many_are_not():
    few = Identifiers(["home"], random_state=1).mask(numbered(["a", "b", "c"]))
    said = "Few values got fresh numbers (home): whoever has the seed can try every order of them, "
    assert few.provenance.notes[0] == said + "so keep the seed secret."
    for size in (_FEW - 1, _FEW):
        masked = Identifiers(["home"], random_state=1).mask(numbered([f"h{i}" for i in range(size)]))
        assert bool([note for note in masked.provenance.notes if note.startswith("Few")]) == (size < _FEW)


def test_words_are_compared_as_text():
    assert [_word(value) for value in (7, 7.0, 7.5, "7", "7.0", True)] == ["7", "7", "7.5", "7", "7.0", "True"]
