from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from discreet.data.microdata import microdata
from discreet.evaluation.group_sizes import group_sizes, sizes_between


def test_counts_are_those_of_counting_by_hand():
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"x": rng.integers(0, 9, 400).astype(float), "y": rng.integers(0, 12, 400).astype(str)})
    sizes = Counter(frame.rows())
    told = group_sizes(microdata(frame), ["x", "y"])
    for one in told:
        inside = [size for size in sizes.values() if size >= one.least and (not one.most or size <= one.most)]
        assert (one.groups, one.records) == (len(inside), sum(inside))
    assert sum(one.records for one in told) == 400


def test_no_keys_are_no_groups():
    assert group_sizes(microdata(pl.DataFrame({"x": [1.0]})), []) == ()


def test_classes_of_sizes_begin_and_end_where_they_say():
    sizes = np.array([1, 2, 3, 4, 5, 9, 10, 49, 50, 99, 100, 999, 1000, 5000])
    found = sizes_between(sizes, np.arange(1, 15), sizes * np.arange(1, 15))
    assert [(one.least, one.most, one.groups, one.records) for one in found] == [
        (1, 1, 1, 1), (2, 2, 2, 4), (3, 4, 3 + 4, 9 + 16), (5, 9, 5 + 6, 25 + 54), (10, 49, 7 + 8, 70 + 392),
        (50, 99, 9 + 10, 450 + 990), (100, 999, 11 + 12, 1100 + 11988), (1000, 0, 13 + 14, 13000 + 70000),
    ]  # fmt: skip
    nothing = microdata(pl.DataFrame({"x": [1.0]})).take(np.arange(0))
    assert group_sizes(nothing, ["x"]) == ()
