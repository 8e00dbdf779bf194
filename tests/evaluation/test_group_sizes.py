from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from discreet.data.microdata import microdata
from discreet.evaluation.group_sizes import group_sizes


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
