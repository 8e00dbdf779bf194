from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.datasets import business
from discreet.evaluation.profile import profile
from discreet.microdata import microdata


def test_no_bar_stands_for_a_handful_and_no_edge_is_a_value():
    data = business(300)
    for d in profile(data, data):
        values = data.encoded(d.name)
        widths = np.diff(d.edges) / (d.edges[-1] - d.edges[0])
        counts = np.array(d.before) * widths * values.size
        assert counts.min() >= 5 - 1e-6
        assert counts.sum() == pytest.approx(values.size)
        assert d.edges[0] > values.min() or d.edges[-1] < values.max()


def test_constant_and_missing_columns():
    table = microdata(
        pl.DataFrame({"c": [1.5] * 40, "m": [None] * 39 + [1.5]}, schema={"c": pl.Float64, "m": pl.Float64})
    )
    first, _ = profile(table, table)
    assert first.before == pytest.approx(first.after)
