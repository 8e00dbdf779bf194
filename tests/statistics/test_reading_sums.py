"""Sums of series written out reading by reading: gaps, series of other lengths, and records that one file lacks."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.statistics.small import answer, blocks

from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric, TimeSeries
from discreet.data.schema import Attribute, Schema
from discreet.statistics.reading_sums import ReadingSums

Series = list[float | None] | None
SPAN = 6.0


def series(rows: list[Series], scale: TimeSeries | None = None, weights: list[float] | None = None) -> Microdata:
    columns: dict[str, Any] = {"load": pa.array(rows, pa.list_(pa.float64()))}
    attributes = [Attribute("load", scale or TimeSeries(step=0.5, span=SPAN), "key")]
    if weights:
        columns["w"] = pa.array(weights)
        attributes.append(Attribute("w", Numeric(), "weight"))
    return Microdata(pa.table(columns), Schema(attributes))


def drawn(seed: int, n: int) -> list[Series]:
    """Return series, one empty, one missing, one of gaps alone; halves, so that sums are exact."""
    rng = np.random.default_rng(seed)
    rows: list[Series] = [[], None, [None, None]]
    for _ in range(n - 3):
        values = (rng.integers(-8, 9, rng.integers(1, 6)) / 2).tolist()
        rows.append([None if rng.random() < 0.15 else x for x in values])
    return [rows[i] for i in rng.permutation(n)]


def at(one: list, t: int) -> float | None:
    return one[t] if t < len(one) else None


def in_row(one: list[float | None]) -> tuple[float, float]:
    present = [x for x in one if x is not None]
    mean = sum(present) / max(len(present), 1)
    centred = [0.0 if x is None else x - mean for x in one]
    return sum(x * y for x, y in itertools.pairwise(centred)), sum(x * x for x in centred)


@pytest.mark.parametrize("cut", [(15,), (4, 11), (1,) * 15])
@pytest.mark.parametrize("weighted", [False, True])
def test_what_series_add_up_to(cut: tuple[int, ...], weighted: bool) -> None:
    before, after = drawn(3, 15), drawn(4, 15)
    weights = [0.5 + i % 4 for i in range(15)]
    original, release = series(before, weights=weights), series(after)
    question = ReadingSums.asked(("load",), (original.schema, release.schema), "w" if weighted else None)
    sums = answer(question, blocks(cut, original, release))
    both = [
        (one, other, w if weighted else 1.0)
        for one, other, w in zip(before, after, weights, strict=True)
        if one is not None and other is not None
    ]
    assert sums.records == {"load": len(both)}
    assert 0 < len(both) < 14
    moved, weight = 0.0, 0.0
    times = max(len(side) for one, other, _ in both for side in (one, other))
    by_time = np.zeros((2, 2, times))
    rows = np.zeros((2, 2))
    for one, other, w in both:
        for t in range(times):
            x, y = at(one, t), at(other, t)
            if x is not None or y is not None:
                weight += w
                moved += w * (1.0 if x is None or y is None else min(abs(x - y) / SPAN, 1.0))
            for k, reading in enumerate((x, y)):
                if reading is not None:
                    by_time[k, :, t] += w, w * reading
        for k, side in enumerate((one, other)):
            rows[k] += w * np.array(in_row(side))
    assert sums.moved["load"].tolist() == pytest.approx([moved, weight])
    for k in (0, 1):
        width = sums.by_time["load"][k].shape[1]
        np.testing.assert_allclose(sums.by_time["load"][k], by_time[k][:, :width], atol=1e-12)
        assert not by_time[k][:, width:].any()
        np.testing.assert_allclose(sums.in_row["load"][k], rows[k], atol=1e-12)


def test_series_of_another_length_are_added_where_they_reach() -> None:
    short, long = series([[1.0], [2.0, 4.0, 6.0]]), series([[1.0, 3.0], [2.0]])
    question = ReadingSums.asked(("load",), (short.schema, long.schema), None)
    for cut in [(2,), (1, 1)]:
        sums = answer(question, blocks(cut, short, long))
        assert sums.by_time["load"][0].tolist() == [[2, 1, 1], [3, 4, 6]]
        assert sums.by_time["load"][1][:, :2].tolist() == [[2, 1], [3, 3]]
        # Two are the same, and three are in one file only.
        assert sums.moved["load"].tolist() == [3, 5]


def test_without_a_span_readings_a_step_apart_have_nothing_in_common() -> None:
    scale = TimeSeries(step=2.0)
    before, after = series([[2.0, 4.0, 6.0]], scale), series([[4.0, 4.0, 10.0]], scale)
    question = ReadingSums(("load",), ((scale, scale),), None)
    assert answer(question, blocks((1,), before, after)).moved["load"].tolist() == [2, 3]
    narrow = TimeSeries(step=1.0, span=4.0)
    before, after = series([[2.0, 4.0, 6.0]], narrow), series([[4.0, 4.0, 10.0]], narrow)
    question = ReadingSums(("load",), ((narrow, narrow),), None)
    assert answer(question, blocks((1,), before, after)).moved["load"].tolist() == [1.5, 3]
