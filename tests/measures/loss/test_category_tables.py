"""Tables of counts and associations of few records, told whole."""

from __future__ import annotations

import polars as pl
import pytest

from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.measures.loss.category_tables import AssociationDifference, AverageTableLoss, TableLoss

SCHEMA = Schema([Attribute(name, Nominal(["n", "y"]), "key") for name in "ab"])
BEFORE = pl.DataFrame({"a": list("nnyy"), "b": list("nnyy")})
AFTER = pl.DataFrame({"a": list("nnyy"), "b": list("nyny")})


def test_records_in_other_cells_are_told_by_dimension():
    result = TableLoss().measure(BEFORE, AFTER, SCHEMA)
    assert result.value == pytest.approx(100 * 4 / 24)
    assert result.per_attribute == {"a": 0, "b": 0}
    assert result.details == {"ctbil": 4, "tables": 3, "ctbil_by_dimension": {"1": 0, "2": 4}}
    assert result.sentence == ("In 3 tables of up to 2 attributes, 16.7 % of records stand in another cell on average.")
    assert TableLoss(order=5).measure(BEFORE, AFTER, SCHEMA).sentence == result.sentence
    alone = TableLoss(order=1).measure(BEFORE, AFTER, SCHEMA)
    assert (alone.value, alone.sentence) == (0, "2 tables of counts are unchanged.")
    assert alone.details == {"ctbil": 0, "tables": 2, "ctbil_by_dimension": {"1": 0}}
    other = TableLoss(order=1).measure(BEFORE, pl.DataFrame({"a": list("nyyy"), "b": list("yyyy")}), SCHEMA)
    assert other.per_attribute == {"a": 25, "b": 50}
    assert other.value == pytest.approx(37.5)


def test_records_a_cell_are_told_and_missing_is_a_level_where_it_occurs():
    result = AverageTableLoss().measure(BEFORE, AFTER, SCHEMA)
    assert (result.value, result.details) == (0.5, {"cells": 8, "tables": 3})
    assert result.sentence == "A cell of the tables of up to 2 attributes is wrong by 0.5 records on average."
    same = AverageTableLoss(order=7).measure(BEFORE, BEFORE, SCHEMA)
    assert (same.value, same.sentence) == (0, "3 tables of counts are unchanged.")
    gap = AFTER.with_columns(b=pl.Series(["n", "n", "y", None]))
    missing = AverageTableLoss().measure(BEFORE, gap, SCHEMA)
    # One record stands in another cell of b, and of both.
    assert missing.details["cells"] == 2 + 3 + 6
    assert missing.value == pytest.approx(4 / 11)


def test_associations_are_told_by_attribute():
    result = AssociationDifference().measure(BEFORE, AFTER, SCHEMA)
    assert result.value == pytest.approx(100)
    assert result.sentence == "Associations of categories changed by 1.000 on average (Cramér's V), most those of a."
    assert result.details == {"largest": pytest.approx(1.0)}
    same = AssociationDifference().measure(BEFORE, BEFORE, SCHEMA)
    assert (same.value, same.sentence) == (0, "No association of categories changed.")
    three = Schema([Attribute(name, Nominal(["n", "y"]), "key") for name in "abc"])
    before, after = (frame.with_columns(c=pl.Series(list("nnyy"))) for frame in (BEFORE, AFTER))
    told = AssociationDifference().measure(before, after, three)
    assert told.per_attribute == pytest.approx({"a": 50, "b": 100, "c": 50})
    assert told.value == pytest.approx(200 / 3)
    assert told.sentence.endswith("changed by 0.667 on average (Cramér's V), most those of b.")
    assert AssociationDifference(attributes=["a"]).columns_for(SCHEMA) == ()
