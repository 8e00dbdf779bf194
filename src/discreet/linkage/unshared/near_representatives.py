"""What representatives say of single pairs: how near they are, weighed by how sharp each way to measure is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from discreet.linkage.unshared.hub_search import distances
from discreet.typing import FloatArray, IntArray

__all__ = ["NearRepresentatives", "log_nearness", "near_representatives", "sharpness", "weights_of"]

_NEIGHBOURS = 9
_WEIGHT_POWER = 10
# The sharpness at which representatives count as one unit of likelihood; sharper ones count for more.
_USUAL = 0.34
_SLIGHT = 0.02  # ways that weigh less than this share of the heaviest are left out of files that are cut into cells

Way = tuple[str, str]
"""A normalisation and a metric."""


def sharpness(table: FloatArray) -> float:
    """Say how much a table of distances looks as if true pairs were in it, without knowing them.

    The share of mutual nearest neighbours, times how much nearer the nearest is than the spacing of the following
    neighbours lets expect: in a cloud without partners ``k · log(d_{k+1}/d_k)`` has one mean for all k.

    Examples
    --------
    >>> points = np.arange(20.0)[:, None]
    >>> bool(sharpness(abs(points - points.T - 0.01)) > 2 * sharpness(abs(points - points.T - 0.5)))
    True
    """
    ratios = []
    for side in (table, table.T):
        width = min(_NEIGHBOURS, side.shape[1])
        if width < 3:
            return 1.0
        near = np.sort(side, axis=1)[:, :width]
        near = np.log(np.maximum(near, 1e-6 * np.median(near[:, -1]) + 1e-300))
        spacing = np.diff(near, axis=1) * np.arange(1, width)
        usual = spacing[:, 1:].mean()
        if usual <= 0:
            return 0.0
        # Capped, so that a few records far from everybody do not decide.
        following = np.minimum(spacing[:, 1:] / usual, 3.0).mean()
        ratios.append(np.minimum(spacing[:, 0] / usual, 3.0).mean() / following)
    mutual = table.argmin(axis=0)[table.argmin(axis=1)] == np.arange(len(table))
    return float(np.mean(ratios) * mutual.mean())


def log_nearness(table: FloatArray) -> FloatArray:
    """Return the logarithm of nearness on the local scale of both records: heavy tails, and no reward for hubs."""
    near_x, near_y = _nearest_mean(table), _nearest_mean(table.T)
    local = np.sqrt(near_x[:, None] * near_y[None, :]) + 1e-9
    return np.asarray(-2.0 * np.log(table / local + 0.2))


def _nearest_mean(table: FloatArray) -> FloatArray:
    """Return the mean of the five smallest entries of every row, added up from the smallest on."""
    width = min(5, table.shape[1])
    near = np.ascontiguousarray(np.partition(table, width - 1, axis=1)[:, :width])
    return np.asarray(np.sort(near, axis=1).mean(axis=1))


def weights_of(sharp: Mapping[Way, float]) -> tuple[dict[Way, float], dict[str, float]]:
    """Return the share of every way within its normalisation, and what each normalisation weighs."""
    top = max(1e-9, *sharp.values())
    weights = {way: (value / top) ** _WEIGHT_POWER for way, value in sharp.items()}
    shares: dict[Way, float] = {}
    totals: dict[str, float] = {}
    for name in dict.fromkeys(name for name, _ in sharp):
        own = {way: weight for way, weight in weights.items() if way[0] == name}
        whole = sum(own.values())
        shares |= {way: weight / whole if whole > 0 else 1.0 / len(own) for way, weight in own.items()}
        totals[name] = max(own.values()) * (top / _USUAL) ** 2
    return shares, totals


class NearRepresentatives(NamedTuple):
    """Representatives of both files, by way, with what each way weighs."""

    parts: tuple[tuple[FloatArray, FloatArray, str, float], ...]

    def table(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return the evidence of some records with some, on the scale of nearness among them."""
        result = np.zeros((rows.size, columns.size))
        for first, second, metric, weight in self.parts:
            result += weight * log_nearness(distances(second[columns], first[rows], metric))
        return result


def near_representatives(
    files: Mapping[str, tuple[FloatArray, FloatArray]],
    metrics: Sequence[str],
    groups: Sequence[tuple[IntArray, IntArray]],
) -> NearRepresentatives:
    """Weigh every way by how sharp it is within some groups of records that are likely to be the same people.

    Parameters
    ----------
    files : mapping of normalisation to representatives of both files
    metrics : sequence of str
    groups : sequence of (rows, columns)
        Records of the first and of the second file.
    """
    sharp = {
        (name, metric): float(
            np.mean([sharpness(distances(second[columns], first[rows], metric)) for rows, columns in groups])
        )
        for name, (first, second) in files.items()
        for metric in metrics
    }
    shares, totals = weights_of(sharp)
    weights = {way: share * totals[way[0]] for way, share in shares.items()}
    most = max(weights.values())
    return NearRepresentatives(
        tuple(
            (*files[name], metric, weights[name, metric])
            for name, metric in weights
            if weights[name, metric] >= _SLIGHT * most
        )
    )
