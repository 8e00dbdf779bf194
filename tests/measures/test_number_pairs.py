"""Columns in pairs: weights that are asked for, levels on one list, and when a figure says something."""

from __future__ import annotations

import polars as pl
import pytest

from discreet.contracts.engine import InProcess
from discreet.contracts.measure import Pair, PairScope
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import SchemaError
from discreet.measures.number_pairs import levels_of_both, most_of, record_weights, says_change, weight_asked


def pair(weight: bool) -> Pair:
    attributes = [
        Attribute("f", Nominal(["a", "b"]), "key"),
        Attribute("w", Numeric(), "weight" if weight else "other"),
    ]
    frame = {"f": ["a", "b", None], "w": [2.0, 3.0, 5.0]}
    original = Microdata(pl.DataFrame(frame), Schema(attributes))
    released = Schema([Attribute("f", Nominal(["c", "b"]), "key"), attributes[1]])
    masked = Microdata(pl.DataFrame({"f": ["b", "c", "c"], "w": frame["w"]}), released)
    return Pair(original, masked, ("f",), None, InProcess())


def scope(weight: bool) -> PairScope:
    both = pair(weight)
    return PairScope(both.original.schema, both.masked.schema, ("f",), 3, None, InProcess())


def test_weights_are_those_of_the_survey_where_they_are_asked_for() -> None:
    assert record_weights("Loss", pair(True), True).tolist() == [2, 3, 5]
    assert record_weights("Loss", pair(True), False).tolist() == [1, 1, 1]
    assert record_weights("Loss", pair(False), False).tolist() == [1, 1, 1]
    assert weight_asked("Loss", scope(True), True) == "w"
    assert weight_asked("Loss", scope(True), False) is None
    assert weight_asked("Loss", scope(False), False) is None
    with pytest.raises(SchemaError, match="Loss: weighted is True"):
        record_weights("Loss", pair(False), True)
    with pytest.raises(SchemaError, match="Loss: weighted is True"):
        weight_asked("Loss", scope(False), True)


def test_levels_of_both_files_stand_on_one_list() -> None:
    levels = levels_of_both(pair(True), "f")
    # a 0, b 1, c 2, missing 3
    assert (levels.size, levels.declared) == (4, 2)
    assert levels.before.tolist() == [0, 1, 3]
    assert levels.after.tolist() == [1, 2, 2]


def test_rounding_is_no_change_and_breaks_no_tie() -> None:
    assert not says_change(0.0)
    assert not says_change(1e-9)
    assert says_change(1.1e-9)
    assert most_of({"a": 1.0, "b": 3.0, "c": 3.0}) == "b"
    assert most_of({"a": 3.0 - 1e-12, "b": 3.0}) == "a"
    assert most_of({"a": 3.0 - 1e-6, "b": 3.0}) == "b"
    assert most_of({"a": 0.0}) == "a"
