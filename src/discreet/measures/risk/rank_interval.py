"""Interval disclosure by ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from discreet.base import Measure, Pair, register
from discreet.measures.columns import most_of, present_in_both
from discreet.parameters import Constraint, Integer, Names, Optional
from discreet.results import Measurement
from discreet.typing import FloatArray

__all__ = ["RankIntervalDisclosure"]


@register("rank-interval")
class RankIntervalDisclosure(Measure):
    """Share of original numbers inside narrow intervals of ranks around the released ones, in percent (RDID).

    An intruder who finds the released record learns the original number to within such an interval.

    Parameters
    ----------
    largest : int
        Intervals of 1, 2, …, `largest` percent of the records to either side are tried and averaged.
    attributes : list of str, optional
        What is learnt; by default every numeric attribute that is released.

    Notes
    -----
    Around a released number, the interval of p % reaches ⌊p n / 100⌋ released numbers down from the first of those
    equal to it and as many up from the last, and ends at the smallest and largest number. The value is the mean over p,
    records and attributes. Records with a missing value are left out. O(records log records × attributes).

    References
    ----------
    Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata (their ID).

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 1.5, 2.5, 3.5] * 5}), pl.DataFrame({"x": [1.5, 0.5, 2.5, 3.5] * 5})
    >>> RankIntervalDisclosure().measure(a, b).value  # half are there; the others are one rank off, reached from 5 % on
    80.0
    """

    kind: ClassVar[str] = "risk"
    title: ClassVar[str] = "Numbers learnt to within an interval of ranks"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    formula: ClassVar[str] = "100 · mean_{p ≤ 10 %} #{i : x_i within p of the rank of x′_i} / n"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001"
    parameters: ClassVar[Mapping[str, Constraint]] = {"largest": Integer(1, 100), "attributes": Optional(Names())}

    def __init__(self, largest: int = 10, *, attributes: Sequence[str] | None = None) -> None:
        self.largest = largest
        self.attributes = attributes

    def _measure(self, pair: Pair) -> Measurement:
        by_width = {}
        for name in pair.names:
            numbers = present_in_both(type(self).__name__, pair, name, np.ones(len(pair.original)))
            by_width[name] = _inside(numbers.before, numbers.after, self.largest)
        per_attribute = {name: float(100.0 * shares.mean()) for name, shares in by_width.items()}
        value = float(np.mean(list(per_attribute.values())))
        widest = np.mean([shares[-1] for shares in by_width.values()])
        sentence = (
            f"{100 * widest:.1f} % of original numbers lie within {self.largest} % of ranks of the released ones "
            f"({value:.1f} % averaged over 1 to {self.largest} %), most in {most_of(per_attribute)}."
        )
        details = {
            "percent_inside": {
                str(p): float(100.0 * np.mean([shares[p - 1] for shares in by_width.values()]))
                for p in range(1, self.largest + 1)
            }
        }
        return self.result(value, sentence, per_attribute, details)


def _inside(before: FloatArray, after: FloatArray, largest: int) -> FloatArray:
    """Return, for p = 1 … `largest`, the share of numbers inside the interval of p percent."""
    n = before.size
    ordered = np.sort(after)
    first, last = np.searchsorted(ordered, after), np.searchsorted(ordered, after, "right") - 1
    # How many released numbers the interval must reach down, or up, to hold the original; beyond the ends it cannot.
    down = first - (np.searchsorted(ordered, before, "right") - 1)
    up = np.searchsorted(ordered, before) - last
    never = n + 1
    needed = np.where(before < after, np.where(before < ordered[0], never, down), 0)
    needed = np.where(before > after, np.where(before > ordered[-1], never, up), needed)
    return np.array([(needed <= p * n // 100).mean() for p in range(1, largest + 1)])
