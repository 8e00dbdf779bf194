"""Numbers and dates recoded by a hierarchy, and hierarchies that do not fit."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.engines.streaming import StreamingEngine
from discreet.errors import ParameterError
from discreet.io.stored_parquet import ParquetSource, ParquetTarget

AGES = dc.Hierarchy.from_intervals(range(100), [10, 50])
SCHEMA = dc.Schema([dc.Attribute("age", dc.Numeric(), "key"), dc.Attribute("born", dc.Date("%d.%m.%Y"), "key")])
TABLE = pa.table({"age": [3, 42, None, 42, 99], "born": ["01.02.2020", "15.07.1981", None, "01.01.1999", "02.02.2020"]})
DAYS = dc.Hierarchy.from_dates(["2020-02-01", "1981-07-15", "1999-01-01", "2020-02-02"], ["month", "decade"])


def test_numbers_and_dates_are_found_by_what_they_say():
    masked = dc.HierarchyRecoding({"age": AGES, "born": DAYS}, step={"age": 2}).mask(dc.Microdata(TABLE, SCHEMA))
    assert masked.microdata.column("age").to_pylist() == ["0–49", "0–49", None, "0–49", "50–99"]
    assert masked.microdata.column("born").to_pylist() == ["2020-02", "1981-07", None, "1999-01", "2020-02"]
    assert masked.microdata.schema["age"].scale.ordered
    assert "age: 97 of 100 leaves of the hierarchy are not in the data." in masked.provenance.notes
    same = dc.HierarchyRecoding({"age": AGES}, step=0).mask(dc.Microdata(TABLE, SCHEMA))
    assert same.microdata.column("age").to_pylist() == TABLE["age"].to_pylist()


def test_generalisation_takes_built_hierarchies_of_numbers_and_dates():
    table = dc.Microdata(TABLE.filter(pa.compute.is_valid(TABLE["age"])), SCHEMA)
    trees = {"age": AGES, "born": DAYS}
    masked = dc.Generalisation(k=2, hierarchies=trees, attributes=["age", "born"]).mask(table)
    assert masked.provenance.guarantees[0].k == 2
    rows = list(zip(*(masked.microdata.column(n).to_pylist() for n in ("age", "born")), strict=True))
    assert min(rows.count(row) for row in rows) >= 2


def test_files_in_batches_give_the_same(tmp_path):
    masker = dc.HierarchyRecoding({"age": AGES, "born": DAYS})
    pq.write_table(TABLE, tmp_path / "in.parquet", row_group_size=2)
    provenance, _ = masker.mask_into(
        ParquetSource(tmp_path / "in.parquet", SCHEMA), ParquetTarget(tmp_path / "out"), StreamingEngine(2, batch=2)
    )
    masked = masker.mask(dc.Microdata(TABLE, SCHEMA))
    streamed = pq.read_table(tmp_path / "out")
    assert streamed.to_pydict() == masked.microdata.to_arrow().to_pydict()
    assert provenance.notes == masked.provenance.notes


def test_what_does_not_fit_is_counted_and_not_shown():
    few = dc.Hierarchy.from_intervals(range(50), [10])
    with pytest.raises(ParameterError, match=r"attribute 'age': 1 of 3 levels in the data \(1 records\) have no row"):
        dc.HierarchyRecoding({"age": few}).mask(dc.Microdata(TABLE, SCHEMA))
    cyclic = dc.Hierarchy([(str(a), f"x{a}", str(a)) for a in (3, 42, 99)])
    with pytest.raises(ParameterError, match="3 of 3 rows of the hierarchy come back to a name"):
        dc.HierarchyRecoding({"age": cyclic}).mask(dc.Microdata(TABLE, SCHEMA))


def test_a_row_is_named_by_its_number():
    with pytest.raises(ParameterError, match="the 3 rows must be equally long.* Row 2 is not"):
        dc.Hierarchy([("a", "x", "*"), ("b", "x"), ("c", "y", "*")])
    with pytest.raises(
        ParameterError, match="1 names of step 1 belong to two different broader names, the first in row 3"
    ):
        dc.Hierarchy([("a", "x", "p"), ("b", "y", "p"), ("c", "x", "q")])
    with pytest.raises(ParameterError, match="1 levels have two different rows, the first in row 1"):
        dc.Hierarchy([("a", "x"), ("a", "y")])


def test_numbers_by_hand():
    """Names that rise with the numbers stay ordered; others do not, and a code that is a name now is none any more."""
    schema = dc.Schema([dc.Attribute("age", dc.Numeric(), "key", missing=("high", "-9"))])
    table = dc.Microdata(pa.table({"age": ["1", "2", "9", "-9"]}), schema)
    rising = dc.Hierarchy([("2", "low"), ("9", "high"), ("1", "low")])
    masked = dc.HierarchyRecoding({"age": rising}).mask(table).microdata
    assert masked.column("age").to_pylist()[:3] == ["low", "low", "high"]
    assert masked.schema["age"].scale == dc.Ordinal(("low", "high"))
    assert masked.schema["age"].missing == ("-9",)
    mixed = dc.Hierarchy([("1", "odd"), ("2", "even"), ("9", "odd")])
    assert dc.HierarchyRecoding({"age": mixed}).mask(table).microdata.schema["age"].scale == dc.Nominal(("odd", "even"))


def test_steps_and_notes_by_hand():
    schema = dc.Schema([dc.Attribute("fuel", dc.Nominal(("gas", "oil")), "key")])
    table = dc.Microdata(pa.table({"fuel": ["gas", "oil"]}), schema)
    tree = dc.Hierarchy([("gas", "fossil", "any"), ("oil", "fossil", "any"), ("sun", "green", "any")])
    for step, expected in ((0, ["gas", "oil"]), (1, ["fossil"] * 2), (2, ["any"] * 2)):
        masked = dc.HierarchyRecoding({"fuel": tree}, step=step).mask(table)
        assert masked.microdata.column("fuel").to_pylist() == expected
        assert masked.provenance.details == {"steps": {"fuel": step}}
        assert "fuel: 1 of 3 leaves of the hierarchy are not in the data." in masked.provenance.notes
    with pytest.raises(ParameterError, match="HierarchyRecoding: step names 'town', which has no hierarchy"):
        dc.HierarchyRecoding({"fuel": tree}, step={"town": 1}).mask(table)
    with pytest.raises(ParameterError, match="HierarchyRecoding: step must be at most 2 for 'fuel'; got 3"):
        dc.HierarchyRecoding({"fuel": tree}, step=3).mask(table)
    few = dc.Hierarchy([("gas", "fossil")])
    with pytest.raises(
        ParameterError, match="HierarchyRecoding: attribute 'fuel': Hierarchy: 1 of 2 levels have no row"
    ):
        dc.HierarchyRecoding({"fuel": few}).mask(table)
