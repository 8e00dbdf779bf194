from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.generalisation import keeps, tree_distance

import discreet as dc
from discreet.data.scales import Nominal, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.recoding.hierarchy import Hierarchy

SCHEMA = Schema([Attribute("a", Nominal((0, 1, 2)), "key"), Attribute("s", Nominal((0, 1, 2)), "confidential")])
CASES = [
    (dc.BetaLikenessViolations(0.8), {"kind": "beta", "beta": 0.8}),
    (dc.BetaLikenessViolations(1.5, enhanced=True), {"kind": "beta-enhanced", "beta": 1.5}),
    (dc.DeltaDisclosureViolations(0.7), {"kind": "delta", "delta": 0.7}),
    (dc.AlphaKViolations(0.6, 1), {"kind": "alpha", "alpha": 0.6}),
    (dc.AlphaKViolations(1.0, 3), {"kind": "k", "k": 3}),
]


@pytest.mark.parametrize(("measure", "model"), CASES)
@settings(max_examples=min(25, settings().max_examples))
@given(rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=20))
def test_a_measure_counts_the_records_whose_class_breaks_the_definition(measure, model, rows):
    table = pl.DataFrame({"a": [a for a, _ in rows], "s": [s for _, s in rows]})
    shares = {value: count / len(rows) for value, count in Counter(s for _, s in rows).items()}
    members = {a: [s for b, s in rows if b == a] for a, _ in rows}
    broken = [not keeps(model, members[a], 0, shares, [], {}) for a, _ in rows]
    assert measure.measure(table, table, SCHEMA).value == pytest.approx(100 * np.mean(broken))
    assert measure.per_record(table, table, SCHEMA).tolist() == [float(b) for b in broken]


TREE = {0: ("0", "low", "*"), 1: ("1", "low", "*"), 2: ("2", "high", "*")}


@settings(max_examples=min(25, settings().max_examples))
@given(rows=st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 2, None])), min_size=2, max_size=20))
def test_closeness_on_a_hierarchy_is_the_cost_of_moving_on_it(rows):
    table = pl.DataFrame({"a": [a for a, _ in rows], "s": [s for _, s in rows]}, schema={"a": pl.Int64, "s": pl.Int64})
    tree = TREE | ({None: ("none", "none", "*")} if any(s is None for _, s in rows) else {})
    share = {value: count / len(rows) for value, count in Counter(s for _, s in rows).items()}
    largest = 0.0
    for group in {a for a, _ in rows}:
        members = [s for a, s in rows if a == group]
        inside = {value: count / len(members) for value, count in Counter(members).items()}
        largest = max(largest, tree_distance(inside, share, tree))
    measure = dc.TCloseness(distance="hierarchical", hierarchies={"s": Hierarchy(list(TREE.values()))})
    assert measure.measure(table, table, SCHEMA).value == pytest.approx(100 * largest, abs=1e-9)


def test_closeness_by_a_chosen_distance():
    ordered = Schema([SCHEMA["a"], Attribute("s", Ordinal((0, 1, 2)), "confidential")])
    table = pl.DataFrame({"a": [0, 0, 1, 1], "s": [0, 0, 1, 2]})
    assert dc.TCloseness().measure(table, table, ordered).value == pytest.approx(37.5)
    assert dc.TCloseness(distance="equal").measure(table, table, ordered).value == pytest.approx(50)
    with pytest.raises(ParameterError, match="'s' has no order"):
        dc.TCloseness(distance="ordered").measure(table, table, SCHEMA)
    with pytest.raises(ParameterError, match="needs levels and a hierarchy"):
        dc.TCloseness(distance="hierarchical").measure(table, table, SCHEMA)


def test_groups_that_break_a_model_are_told_by_attribute():
    both = Schema([*SCHEMA, Attribute("t", Nominal((0, 1, 2)), "confidential")])
    table = pl.DataFrame({"a": [0, 0, 0, 1, 1], "s": [0, 1, 0, 1, 1], "t": [0, 1, 2, 0, 1]})
    told = dc.AlphaKViolations(0.7, 2).measure(table, table, both)
    assert (told.value, told.per_attribute) == (40, {"s": 40, "t": 0})
    assert told.sentence.startswith(
        "2 of 5 records are in groups of equal keys (1 key counted) that break (α, k)-anonymity, most for s."
    )
    assert told.details["sensitive"] == ["s", "t"]
    assert told.details["largest"] == pytest.approx({"s": 1.0, "t": 0.5})
    kept = dc.AlphaKViolations(1.0, 2).measure(table, table, both)
    assert kept.value == 0
    assert kept.sentence.startswith("Every group of equal keys (1 key counted) keeps (α, k)-anonymity in 2 attributes.")
    lacking = dc.DeltaDisclosureViolations(5.0).measure(table, table, both)
    assert lacking.details["largest"] == {"s": None, "t": None}, "a value that a group lacks is infinitely off"
