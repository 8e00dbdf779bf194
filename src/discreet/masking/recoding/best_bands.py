"""Bands with the least squared error: an exact search over all ways to cut a sorted column."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.errors import DataError
from discreet.kernels.stop import heed_stop
from discreet.progress import report
from discreet.typing import FloatArray, IntArray

__all__ = ["MOST_VALUES", "best_cuts"]

MOST_VALUES = 5_000_000
"""Different numbers that are searched at a time, times the bands that are asked for."""


def best_cuts(values: FloatArray, counts: IntArray, bands: int, least: int = 1) -> IntArray:
    """Return where to cut sorted numbers so that the sum of squares about the means of the bands is least.

    Parameters
    ----------
    values : (m,) float64
        Different numbers, ascending.
    counts : (m,) int64
        How many records have each.
    bands : int
        How many bands there may be; fewer are returned where more cannot lower the error or would be too small.
    least : int
        The fewest records of a band.

    Returns
    -------
    (bands − 1,) int64
        The place of the first number of every band but the lowest.

    Notes
    -----
    Dynamic programming over the number of bands; the best last cut moves up with the numbers that are cut, so that each
    layer is searched by halves: O(bands · m log m) time and O(bands · m) memory. Ties go to the lower cut and to fewer
    bands.

    References
    ----------
    Fisher (1958), On grouping for maximum homogeneity; Wang and Song (2011), Ckmeans.1d.dp.

    Examples
    --------
    >>> best_cuts(np.array([1.0, 2.0, 3.0, 10.0, 11.0, 30.0]), np.ones(6, dtype=np.int64), 3).tolist()
    [3, 5]
    """
    m = values.size
    bands = min(bands, m)
    if bands <= 1 or counts.sum() < 2 * least:
        return np.empty(0, dtype=np.int64)
    if m > MOST_VALUES:
        raise DataError(
            f"There are {m:,} different numbers, and the best of all bands is found among up to {MOST_VALUES:,}.",
            hint="Use bands of equal count, or round the numbers first.",
        )
    below = np.concatenate([[0], np.cumsum(counts)])
    total = int(below[-1])
    # Centred and scaled, so that differences of prefix sums keep their digits.
    spread = max(float(values[-1] - values[0]), np.finfo(np.float64).tiny)
    scaled = (values - float(np.average(values, weights=counts))) / spread
    first = np.concatenate([[0.0], np.cumsum(counts * scaled)])
    second = np.concatenate([[0.0], np.cumsum(counts * scaled * scaled)])

    def cost(start: IntArray, end: IntArray) -> FloatArray:
        sums = first[end] - first[start]
        records = np.maximum(below[end] - below[start], 1)
        return np.asarray(np.maximum(second[end] - second[start] - sums * sums / records, 0.0))

    # Prefixes that a last band of at least so many records can be cut off from: up to the latest start of it.
    latest = np.searchsorted(below, below - least, side="right") - 1
    ends = np.arange(1, m + 1)
    errors = np.full(m + 1, np.inf)
    errors[1:][below[1:] >= least] = cost(np.zeros_like(ends), ends)[below[1:] >= least]
    best, chosen = errors[m], 1
    starts: list[IntArray] = []
    for layer in range(2, bands + 1):
        heed_stop()
        report("banding", layer - 2, bands - 1)
        if total < layer * least:
            break
        errors, start = _next_layer(errors, latest, below, layer * least, cost)
        starts.append(start)
        if errors[m] < best * (1.0 - 1e-12) - 1e-15 * total:
            best, chosen = errors[m], layer
    report("banding", bands - 1, bands - 1)
    cuts, end = [], m
    for start in reversed(starts[: chosen - 1]):
        end = int(start[end])
        cuts.append(end)
    return np.array(cuts[::-1], dtype=np.int64)


def _next_layer(
    errors: FloatArray, latest: IntArray, below: IntArray, fewest: int, cost: Callable[[IntArray, IntArray], FloatArray]
) -> tuple[FloatArray, IntArray]:
    """Return the least errors with one band more, by end, and where the last band starts."""
    m = errors.size - 1
    result, start = np.full(m + 1, np.inf), np.zeros(m + 1, dtype=np.int64)
    lowest_end = int(np.searchsorted(below, fewest))
    lowest_start = int(np.argmax(np.isfinite(errors)))
    # Every turn settles the middle of each stretch of ends; best starts of its halves lie on either side of its own.
    low, high = np.array([lowest_end]), np.array([m])
    least, most = np.array([lowest_start]), np.array([m])
    while low.size:
        middle = (low + high) >> 1
        top = np.maximum(np.minimum(most, latest[middle]), least)
        sizes = top - least + 1
        offsets = np.cumsum(sizes) - sizes
        stretch = np.repeat(np.arange(low.size), sizes)
        candidates = np.arange(int(sizes.sum())) - offsets[stretch] + least[stretch]
        ends = middle[stretch]
        # Where many records share a number, even the lowest start may leave too few for the last band.
        sums = np.where(candidates > latest[ends], np.inf, errors[candidates] + cost(candidates, ends))
        minima = np.minimum.reduceat(sums, offsets)
        hits = np.flatnonzero(sums == minima[stretch])
        firsts = hits[np.unique(stretch[hits], return_index=True)[1]]
        result[middle], start[middle] = minima, candidates[firsts]
        at = candidates[firsts]
        low, high = np.concatenate([low, middle + 1]), np.concatenate([middle - 1, high])
        least, most = np.concatenate([least, at]), np.concatenate([at, most])
        open_ = low <= high
        low, high, least, most = low[open_], high[open_], least[open_], most[open_]
    return result, start
