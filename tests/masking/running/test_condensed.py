"""Different records with their counts: how every record finds what becomes of it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.block import Block
from discreet.errors import DataError
from discreet.masking.running import condensed
from discreet.masking.running.condensed import Lookup, LookupPlan, copies, different
from discreet.statistics.different import COUNT, TOTAL

SCHEMA = dc.Schema([dc.Attribute("x", dc.Nominal(("a", "b", "c")), "key"), dc.Attribute("y", dc.Numeric(), "key")])


def table(x, y):
    return dc.Microdata(pa.table({"x": pa.array(x, pa.string()), "y": pa.array(y, pa.float64())}), SCHEMA)


KEYS = {"x": np.array([1, -1, 0, 0], np.int32), "y": np.array([2.5, 0.5, np.nan, 2.5])}


def test_every_combination_finds_its_values_and_no_other_does():
    lookup = Lookup.of(KEYS, {"x": np.array([10, 11, 12, 13]), "z": np.array([0.0, 1.0, 2.0, 3.0])})
    found = lookup(table(["a", None, "b", "a", "a"], [2.5, 0.5, 2.5, None, 2.5]))
    assert found["x"].tolist() == [13, 11, 10, 12, 13]
    assert found["z"].tolist() == [3.0, 1.0, 0.0, 2.0, 3.0]
    for x, y in (("c", 2.5), ("a", 0.5), ("a", 9.0), ("a", -9.0), (None, None)):
        with pytest.raises(DataError, match="Records came up that were not there when the table was counted"):
            lookup(table([x], [y]))


def test_a_plan_puts_the_answers_of_its_lookups_together():
    one = Lookup.of({"x": np.array([0, 1], np.int32)}, {"x": np.array([7, 8])})
    two = Lookup.of({"y": np.array([1.0, 2.0])}, {"y": np.array([0.5, 0.25])})
    data = table(["b", "a"], [1.0, 2.0])
    found = LookupPlan(lookups=(one, two)).changed(Block(np.arange(2), data))
    assert {name: values.tolist() for name, values in found.items()} == {"x": [8, 7], "y": [0.5, 0.25]}


def test_too_many_combinations_are_not_numbered():
    levels = (np.arange(2.0**10),) * 6
    columns = [np.array([3.0, 5.0])] * 6
    place = 0
    for _ in range(6):
        place = place * 1024 + 3
    assert condensed._pack(columns, levels)[0] == place
    with pytest.raises(DataError, match="The 7 keys have too many possible combinations to number them"):
        condensed._pack([*columns, columns[0]], (*levels, np.arange(4.0)))
    assert condensed._pack([*columns, columns[0][:0]][:6], levels).size == 2


def test_only_so_many_different_records_are_held(monkeypatch):
    def asked(size):
        inquiry = different(dc.LocalSuppression(), ("x",), None)
        question = next(inquiry)
        assert (question.names, question.weight) == (("x",), None)
        counted = SimpleNamespace(columns={COUNT: np.ones(size)}, ordered=lambda: "sorted")
        with pytest.raises(StopIteration) as end:
            inquiry.send(counted)
        return end.value.value

    monkeypatch.setattr(condensed, "_MOST", 3)
    assert asked(3) == "sorted"
    said = "LocalSuppression: the table has 4 different records on 1 attributes; at most 3 can be compared"
    with pytest.raises(DataError, match=said):
        asked(4)


def test_copies_are_as_many_as_asked_for_and_weigh_as_much():
    combinations = {**KEYS, COUNT: np.array([1, 2, 3, 9]), TOTAL: np.array([5.0, 5.0, 9.0, 9.0])}
    data, owner = copies(SimpleNamespace(schema=SCHEMA), combinations, ("x", "y"), 3)
    assert owner.tolist() == [0, 1, 1, 2, 2, 2, 3, 3, 3]
    assert data.encoded("x").tolist() == [1, -1, -1, 0, 0, 0, 0, 0, 0]
    assert data.weights().tolist() == [5.0, 2.5, 2.5, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]
    assert data.schema.weight == "#weight"
