"""Groups whose confidential values are distributed unlike everybody's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import level_codes, most_of
from discreet.measures.contingency import Cells, count_cells
from discreet.measures.frequencies import key_frequencies
from discreet.measures.risk.frequency import keys_in_words
from discreet.measures.risk.sensitive import SensitiveRisk
from discreet.parameters import Constraint, Number
from discreet.results import Measurement
from discreet.typing import FloatArray, IntArray

__all__ = ["TCloseness"]


@register("t-closeness")
class TCloseness(SensitiveRisk):
    """Largest distance of a group's confidential distribution from the whole file's, in percent (t-closeness).

    It bounds what is learnt about anybody from being in a group of equal keys. Small groups are far by chance alone.

    Parameters
    ----------
    t : float
        The distance above which a record counts in `details`.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    sensitive : list of str, optional
        What is learnt; by default every confidential attribute.

    Notes
    -----
    The earth mover's distance between 0 and 1: total variation for unordered attributes, ``Σ |F_g − F| / (m − 1)`` over
    the m values for ordered ones and numbers. A missing value is the last level. O(records log records × attributes),
    whatever m: between two values of a group the sum is taken from tables of the whole file.

    References
    ----------
    Li, Li and Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and ℓ-diversity.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> area, ill = Attribute("area", Nominal(["n", "s"]), "key"), Attribute("ill", Nominal([0, 1]), "confidential")
    >>> people = pl.DataFrame({"area": ["n", "n", "n", "n", "s"], "ill": [0, 1, 0, 1, 1]})
    >>> TCloseness().measure(people, people, Schema([area, ill])).value  # in s, 1 against 3 of 5
    40.0
    """

    title: ClassVar[str] = "Largest distance of a group from the whole (t-closeness)"
    formula: ClassVar[str] = "100 · max_g EMD(group, file)"
    reference: ClassVar[str] = "Li, Li and Venkatasubramanian 2007"
    parameters: ClassVar[Mapping[str, Constraint]] = {"t": Number(0, 1), **SensitiveRisk.parameters}

    def __init__(
        self, t: float = 0.2, *, attributes: Sequence[str] | None = None, sensitive: Sequence[str] | None = None
    ) -> None:
        super().__init__(attributes=attributes, sensitive=sensitive)
        self.t = t

    def _distances(self, pair: Pair) -> dict[str, FloatArray]:
        """Return, for every sensitive attribute, the distance of each record's group."""
        labels = key_frequencies(pair.masked, pair.names, missing="category").labels
        groups, result = int(labels.max()) + 1, {}
        for name in self._sensitive(pair.original.schema):
            if name in pair.masked.schema:
                codes, size = level_codes(pair.masked, name)
                cells = count_cells(labels, codes, size, groups, np.ones(labels.size))
                whole = np.bincount(codes, minlength=size) / codes.size
                if whole[-1] == 0:
                    whole = whole[:-1]  # nothing is missing
                ordered = pair.masked.schema[name].scale.ordered
                result[name] = (_ordered if ordered else _unordered)(cells, groups, whole)[labels]
        return result

    def _per_record(self, pair: Pair) -> FloatArray:
        return np.asarray(np.max(list(self._distances(pair).values()), axis=0))

    def _measure(self, pair: Pair) -> Measurement:
        distances = self._distances(pair)
        largest = np.max(list(distances.values()), axis=0)
        per_attribute = {name: float(100.0 * distance.max()) for name, distance in distances.items()}
        value = max(per_attribute.values())
        beyond = int((largest > self.t).sum())
        sentence = (
            f"The confidential values of a group of equal keys ({keys_in_words(len(pair.names))} counted) are up to "
            f"{value:.1f} % away from those of the file, most in {most_of(per_attribute)}; {beyond} of {largest.size} "
            f"records are in groups beyond {100 * self.t:g} %."
        )
        details = {"t": self.t, "records_beyond": beyond, "mean_percent": float(100.0 * largest.mean())}
        return self._flagged(pair, min(value, 100.0), sentence, per_attribute, details)


def _shares(cells: Cells, groups: int) -> FloatArray:
    total = np.bincount(cells.rows, weights=cells.counts, minlength=groups)
    return np.asarray(cells.counts / total[cells.rows])


def _unordered(cells: Cells, groups: int, whole: FloatArray) -> FloatArray:
    """Return the total variation distance; where a group has more than its share is half of all that differs."""
    more = np.maximum(_shares(cells, groups) - whole[cells.columns], 0.0)
    return np.bincount(cells.rows, weights=more, minlength=groups).astype(np.float64)


def _ordered(cells: Cells, groups: int, whole: FloatArray) -> FloatArray:
    """Return Σ_v |F_g(v) − F(v)| / (m − 1), from one value of a group to the next at a time."""
    m = whole.size
    if m < 2:
        return np.zeros(groups)
    cumulated = np.cumsum(whole)
    sums = np.append(0.0, np.cumsum(cumulated))
    shares = _shares(cells, groups)
    reached = np.cumsum(shares)
    starts = np.searchsorted(cells.rows, np.arange(groups))
    reached -= (reached[starts] - shares[starts])[cells.rows]
    # F_g is 0 up to a group's first value, and `reached` from each of its values to the next (or to the end).
    following = np.append(cells.columns[1:], m)
    following[np.append(starts[1:], cells.rows.size) - 1] = m
    result = sums[cells.columns[starts]].copy()
    np.add.at(result, cells.rows, _area(reached, cells.columns, following, cumulated, sums))
    return np.asarray(result / (m - 1))


def _area(level: FloatArray, start: IntArray, end: IntArray, cumulated: FloatArray, sums: FloatArray) -> FloatArray:
    """Return Σ_{start ≤ v < end} |level − F(v)|: F rises, so it lies below `level` first and above it afterwards."""
    crossing = np.clip(np.searchsorted(cumulated, level), start, end)
    below = level * (crossing - start) - (sums[crossing] - sums[start])
    above = (sums[end] - sums[crossing]) - level * (end - crossing)
    return np.asarray(below + above)
