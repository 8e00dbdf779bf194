"""Statistics of blocks, put together, are those of all records."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.data.block import Block
from discreet.data.microdata import Microdata, table_of_numbers
from discreet.statistics import ranks
from discreet.statistics.moments import Comoments, Movements
from discreet.statistics.passes import merged, summarised
from discreet.statistics.ranks import exact_quantiles

N = 997


def numbers(seed: int, gaps: float) -> Microdata:
    rng = np.random.default_rng(seed)
    table = rng.normal((1e6, 0.0, -3.0), size=(N, 3))
    table[rng.random(table.shape) < gaps] = np.nan
    return table_of_numbers(dict(zip("xyz", table.T, strict=True)))


def blocks(before: Microdata, after: Microdata, size: int) -> list[Block]:
    rows = [np.arange(start, min(start + size, N)) for start in range(0, N, size)]
    return [Block(own, before.take(own), after.take(own)) for own in rows]


def answer(question, parts):
    return merged(summarised([question], part) for part in parts)[0]


@pytest.mark.parametrize("gaps", [0.0, 0.4])
@pytest.mark.parametrize("size", [1, 10, 400, N])
def test_moments(gaps, size):
    before, after = numbers(1, gaps), numbers(2, gaps)
    parts = blocks(before, after, size)
    x, y = before.numeric("xyz"), after.numeric("xyz")
    moved = answer(Movements(("x", "y", "z")), parts)
    assert moved.before.variance == pytest.approx(np.nanvar(x, axis=0), rel=1e-9)
    assert moved.after.origin + moved.after.mean == pytest.approx(np.nanmean(y, axis=0), rel=1e-12)
    assert moved.moved == pytest.approx(np.nansum(np.abs(x - y), axis=0), rel=1e-9)
    related = answer(Comoments(("x", "y", "z")), parts)
    for i, j in ((0, 1), (2, 0), (1, 2)):
        both = ~np.isnan(x[:, [i, j]]).any(axis=1)
        assert related.before.covariances[i, j] == pytest.approx(np.cov(x[both][:, [i, j]].T, ddof=0)[0, 1], rel=1e-7)
        assert related.before.correlations[i, j] == pytest.approx(np.corrcoef(x[both][:, [i, j]].T)[0, 1], rel=1e-7)


@pytest.mark.parametrize("size", [1, 10])
def test_numbers_that_are_all_the_same_have_no_spread(size):
    same = table_of_numbers({"x": np.full(N, 0.1), "y": np.full(N, 1e9 + 0.1)})
    related = answer(Comoments(("x", "y")), blocks(same, same, size))
    assert not related.before.squares.any()
    assert related.before.correlations.tolist() == np.eye(2).tolist()


@pytest.mark.parametrize("sample", [300, 5_000])
@pytest.mark.parametrize("size", [50, N])
def test_quantiles_are_exact_whether_a_sample_is_all_or_not(monkeypatch, size, sample):
    monkeypatch.setattr(ranks, "_SAMPLE", sample)
    table = numbers(5, 0.1)
    parts = blocks(table, table, size)
    inquiry = exact_quantiles(("x", "y"), lambda n: (1.5 / n, 0.37, 0.5, 1.0))
    question = next(inquiry)
    asked = 1
    while True:
        try:
            question = inquiry.send(answer(question, parts))
            asked += 1
        except StopIteration as end:
            quantiles = end.value
            break
    assert asked == (1 if sample > N else 2)
    for name in ("x", "y"):
        column = np.sort(table.encoded(name)[~np.isnan(table.encoded(name))])
        expected = [column[max(int(np.ceil(q * column.size)), 1) - 1] for q in (1.5 / column.size, 0.37, 0.5, 1.0)]
        assert quantiles[name].tolist() == expected
