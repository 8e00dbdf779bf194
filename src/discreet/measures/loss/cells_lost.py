"""What a cell lost, column by column: the sums that one table in memory and many blocks of a large one share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

import numpy as np

from discreet.data.scales import Categorical, EncodedSequences, Scale
from discreet.data.schema import Attribute
from discreet.operators.operator_text import OWN, as_dissimilarity
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "ColumnLoss",
    "band_sums",
    "bands_lost",
    "clipping",
    "counted_columns",
    "levels_lost",
    "number_unit",
    "numbers_lost",
    "sequences_lost",
]

_CUT = 0.01
"""Share of the numbers at either end that do not stretch the unit in which a change is measured."""


class ColumnLoss(NamedTuple):
    """The sum of what the cells of a column lost, each between 0 and 1, and how many held a value in either file."""

    lost: float
    cells: float

    @property
    def percent(self) -> float:
        """The mean over the cells that held something, in percent."""
        return float(min(100.0 * self.lost / self.cells, 100.0)) if self.cells > 0 else 0.0


def clipping(n: int) -> tuple[float, float]:
    """Return the probabilities of the quantiles at which numbers are clipped, one record at least at either end."""
    share = min(max(_CUT, 1.5 / n), 0.5) if n else 0.0
    return share, 1.0 - share


def number_unit(clipped: float, whole: float) -> float:
    """Return the change of a number that counts as lost: √2 standard deviations, clipped ones where they vary."""
    return float(np.sqrt(2.0) * (clipped if clipped > 0 else whole))


def numbers_lost(before: FloatArray, after: FloatArray, unit: float) -> ColumnLoss:
    """Return what numbers lost: their change in units, 1 at most; without a unit any change is a loss."""
    there, still = ~np.isnan(before), ~np.isnan(after)
    both = there & still
    moved = np.abs(before[both] - after[both])
    lost = np.minimum(moved / unit, 1.0) if unit > 0 else (moved > 0).astype(np.float64)
    one_sided = int((there ^ still).sum())
    return ColumnLoss(float(lost.sum()) + one_sided, float(int(both.sum()) + one_sided))


def band_sums(before: FloatArray, after: IntArray, levels: int, middle: float) -> FloatArray:
    """Return for every released level (and for none, last) how many numbers it has, their sum and that of squares.

    A last row counts records that got a level without having had a number.
    """
    there = ~np.isnan(before)
    place = np.where(after < 0, levels, after)
    x = before[there] - middle
    sums = [np.bincount(place[there], weights=w, minlength=levels + 1) for w in (np.ones(x.size), x, x * x)]
    fresh = np.zeros((1, 3))
    fresh[0, 0] = int((~there & (after >= 0)).sum())
    return np.concatenate([np.stack(sums, axis=1), fresh])


def bands_lost(sums: FloatArray, unit: float) -> ColumnLoss:
    """Return what numbers lost that were released as levels: the spread within their level, in that of all."""
    counts, totals, squares = sums[:-2].T
    filled = counts > 0
    n = counts[filled]
    within = np.sqrt(np.maximum(squares[filled] / n - (totals[filled] / n) ** 2, 0.0)) * np.sqrt(2.0)
    lost = np.minimum(within / unit, 1.0) if unit > 0 else np.zeros(n.size)
    one_sided = float(sums[-2, 0] + sums[-1, 0])
    return ColumnLoss(float((lost * n).sum()) + one_sided, float(n.sum()) + one_sided)


def levels_lost(
    before: Attribute, after: Attribute, first: IntArray, second: IntArray, counts: FloatArray
) -> ColumnLoss:
    """Return what levels lost, from the table of what every level became (codes, −1 for none, and counts)."""
    old, new = cast("Categorical", before.scale), cast("Categorical", after.scale)
    places = {str(level): place for place, level in enumerate(old.levels)}
    # Where a released level stands among the levels of the original; −2 where that has no such level: a band.
    places_after = np.array([*(places.get(str(level), -2) for level in new.levels), -1], dtype=np.int64)[second]
    there, still = first >= 0, places_after != -1
    cells = float(counts[there | still].sum())
    lost = np.where(there ^ still, 1.0, 0.0)
    same = there & (places_after >= 0)
    apart = np.abs(first[same] - places_after[same])
    lost[same] = apart / max(len(old) - 1, 1) if old.ordered else (apart > 0).astype(np.float64)
    bands = there & (places_after == -2)
    if bands.any():
        # Ties are broken by what levels are called: the order in which they are declared differs from file to file.
        ranks = np.argsort(np.argsort(np.array([*map(str, new.levels), ""])))
        preferred = np.where(places_after == first, -1, ranks[second])
        lost[bands] = _in_bands(first, second, counts, preferred, bands, there & still)
    return ColumnLoss(float((lost * counts).sum()), cells)


def _in_bands(
    first: IntArray, second: IntArray, counts: FloatArray, preferred: IntArray, bands: BoolArray, both: BoolArray
) -> FloatArray:
    """Return what cells lost that became a level of the release's own: the share of levels that it stands for.

    A level belongs to the released level that most of its records became, itself where it ties, or the first by
    name; whoever of it became another has one that says something untrue.
    """
    order = np.flatnonzero(both)
    order = order[np.lexsort((preferred[order], -counts[order], first[order]))]
    levels, start = np.unique(first[order], return_index=True)
    targets = second[order][start]
    stands_for = np.bincount(targets, minlength=int(second.max()) + 1)
    share = (stands_for[second[bands]] - 1) / max(levels.size - 1, 1)
    target = targets[np.searchsorted(levels, first[bands])]
    return np.asarray(np.where(target == second[bands], share, 1.0), dtype=np.float64)


def sequences_lost(before: EncodedSequences, after: EncodedSequences, scale: Scale) -> ColumnLoss:
    """Return what sequences lost: their dissimilarity by the distance of their scale, 1 for nothing in common."""
    both = np.flatnonzero(~(before.missing | after.missing))
    one_sided = int((before.missing ^ after.missing).sum())
    lost = 0.0
    if both.size:
        far = as_dissimilarity("cells", OWN, scale=scale).compare(before.take(both), after.take(both)).pairs()
        lost = float(np.minimum(far, 1.0).sum())
    return ColumnLoss(lost + one_sided, float(both.size + one_sided))


def counted_columns(percent: Mapping[str, float], keys: tuple[str, ...]) -> dict[str, float]:
    """Return the columns that the loss is the mean of: the keys, and whatever else was changed."""
    counted = {name: value for name, value in percent.items() if name in keys or value > 0}
    return counted or dict(percent)
