from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.battery import SIZES

from discreet.data.scales import Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.recoding.adjacent import AdjacentMerging, merged_runs


@given(st.lists(st.integers(0, 20), min_size=1, max_size=12), st.integers(1, 12), st.integers(0, 30))
def test_runs_meet_the_target_and_keep_the_order(counts, most, least):
    counts = np.array(counts, dtype=float)
    runs = merged_runs(counts, most, least)
    assert (np.diff(runs) >= 0).all()
    assert set(runs) == set(range(runs[-1] + 1))
    totals = np.bincount(runs, weights=counts)
    assert totals.size <= most
    assert totals.min() >= least or totals.size == 1


def test_merged_levels_are_released_as_the_most_frequent_or_as_a_range():
    table = pa.table({"size": ["xs"] + ["s"] * 2 + ["m"] * 5 + ["l"] * 4 + ["xl"]})
    schema = Schema([Attribute("size", Ordinal(SIZES), "key")])
    level = AdjacentMerging(min_count=3).mask(table, schema)
    assert level.microdata.column("size").to_pylist() == ["s"] * 3 + ["m"] * 5 + ["l"] * 5
    named = AdjacentMerging(min_count=3, release="range").mask(table, schema)
    assert named.microdata.schema["size"].scale == Ordinal(("xs–s", "m", "l–xl"))
    with pytest.raises(ParameterError, match="max_levels or min_count must be given"):
        AdjacentMerging().mask(table, schema)


@pytest.mark.parametrize(
    ("counts", "most", "least", "runs"),
    [
        ([1, 2, 3], 3, 2, [0, 0, 1]),
        ([1, 2, 3], 3, 1, [0, 1, 2]),
        ([3, 1, 2], 3, 2, [0, 1, 1]),  # to the rarer of its neighbours
        ([2, 1, 2], 3, 2, [0, 0, 1]),  # of equals to the lower one
        ([5, 5, 1], 3, 2, [0, 1, 1]),
        ([2, 2, 2, 2], 2, 0, [0, 0, 1, 1]),  # 2, 2, 2, 2; then 4, 2, 2; then 4, 4
        ([9, 9, 9], 1, 0, [0, 0, 0]),
        ([1, 1], 2, 99, [0, 0]),
        ([7], 1, 99, [0]),
        ([0, 0, 8, 0], 4, 1, [0, 0, 0, 0]),
    ],
)
def test_runs_by_hand(counts, most, least, runs):
    assert merged_runs(np.array(counts, dtype=float), most, least).tolist() == runs


def test_weights_count_and_levels_are_told():
    schema = Schema([Attribute("size", Ordinal(("s", "m", "l")), "key"), Attribute("w", Numeric(), "weight")])
    table = pa.table({"size": ["s", "m", "m", "l", None], "w": [9.0, 1.0, 1.0, 9.0, 1.0]})
    masked = AdjacentMerging(min_count=3).mask(table, schema)
    assert masked.microdata.column("size").to_pylist() == ["s", "s", "s", "l", None]
    assert masked.provenance.details == {"levels_left": {"size": 2}}
    plain = AdjacentMerging(min_count=2, weighted=False, release="range").mask(table, schema)
    # One s, two m and one l: s joins m, and then l joins them.
    assert plain.microdata.column("size").to_pylist() == ["s–l"] * 4 + [None]
    both = AdjacentMerging(2, min_count=1).mask(table, schema)
    assert both.provenance.details == {"levels_left": {"size": 2}}
