from __future__ import annotations

import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.withholding.identifiers import Identifiers


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
