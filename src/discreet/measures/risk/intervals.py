"""Risks of numbers that an interval around the released value gives away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.block import Block
from discreet.errors import MissingValueError
from discreet.measures.number_pairs import most_of
from discreet.parameters import Integer, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.moments import Movements
from discreet.statistics.question import Inquiry, Need
from discreet.statistics.value_counts import CountedValues, PairCounts, ValuePairs
from discreet.typing import FloatArray, IntArray

__all__ = ["DeviationIntervalDisclosure", "RankIntervalDisclosure"]


_NO_PAIR = "{}: column {!r} has no record with a value in both files."


@dataclass(frozen=True, repr=False)
class CloseNumbers:
    """How many numbers moved no further than each width, by attribute, and how many records nowhere further.

    Attributes
    ----------
    inside : (attributes, widths) int64
    records : int
        Those whose numbers are all within the largest width.
    """

    inside: IntArray
    records: int

    def merge(self, later: CloseNumbers, /) -> CloseNumbers:
        return CloseNumbers(self.inside + later.inside, self.records + later.records)


@dataclass(frozen=True)
class NearNumbers:
    """Ask how many numbers moved by no more than 1, 2, …, `largest` percent of a unit."""

    names: tuple[str, ...]
    units: tuple[float, ...]
    largest: int

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released = original

    def summarise(self, block: Block, /) -> CloseNumbers:
        widths = np.arange(1, self.largest + 1) / 100.0
        everywhere = np.ones(len(block), dtype=np.bool_)
        inside = []
        for name, unit in zip(self.names, self.units, strict=True):
            distance = np.abs(block.original.encoded(name) - block.release.encoded(name))
            inside.append([int((distance <= width * unit).sum()) for width in widths])
            everywhere &= ~(
                distance > widths[-1] * unit
            )  # a missing value protects nobody whose other numbers are close
        return CloseNumbers(np.array(inside, dtype=np.int64), int(everywhere.sum()))


@register("deviation-interval")
class DeviationIntervalDisclosure(Measure):
    """Share of original numbers within a few percent of a standard deviation of the released ones, in percent (SDID).

    An intruder who finds the released record learns the original number to within such an interval.

    Parameters
    ----------
    largest : int
        Intervals of 1, 2, …, `largest` percent of a standard deviation to either side are tried and averaged.
    attributes : list of str, optional
        What is learnt; by default every numeric attribute that is released.

    Notes
    -----
    ``100 · mean_{p, i, j} [|x_ij − x'_ij| ≤ p/100 · S_j]`` with S the original's standard deviations. `details` also
    says how many records have all their numbers inside. Records with a missing value are left out. O(records ×
    attributes).

    References
    ----------
    Mateo-Sanz, Sebé and Domingo-Ferrer (2004), Outlier protection in continuous microdata masking.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 2.5, 0.5, 2.5]}), pl.DataFrame({"x": [0.545, 2.545, 0.5, 2.5]})  # S = 1
    >>> round(DeviationIntervalDisclosure().measure(a, b).value, 1)  # two always, two from 5 % on
    80.0
    """

    kind: ClassVar[str] = "risk"
    need: ClassVar[Need] = Need.RECORD
    title: ClassVar[str] = "Numbers learnt to within a part of a standard deviation"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    formula: ClassVar[str] = "100 · mean_{p ≤ 10 %} #{i : |x − x′| ≤ p S} / n"
    reference: ClassVar[str] = "Mateo-Sanz, Sebé and Domingo-Ferrer 2004"
    largest: int = parameter(Integer(1), default=10, kw_only=False)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        moved = yield Movements(scope.names)
        for name, weight in zip(scope.names, moved.both.weight, strict=True):
            if not weight:
                raise MissingValueError(_NO_PAIR.format(type(self).__name__, name))
        units = tuple(float(unit) for unit in moved.both.spread)
        close = yield NearNumbers(scope.names, units, self.largest)
        shares = dict(zip(scope.names, close.inside / moved.both.weight[:, None], strict=True))
        per_attribute = {name: float(100.0 * share.mean()) for name, share in shares.items()}
        value = float(np.mean(list(per_attribute.values())))
        closest = close.records
        sentence = (
            f"{value:.1f} % of original numbers lie within 1 to {self.largest} % of a standard deviation of the "
            f"released ones, most in {most_of(per_attribute)}; {closest} of {scope.n} records do with all "
            "their numbers."
        )
        details = {
            "percent_inside": {
                str(p): float(100.0 * np.mean([share[p - 1] for share in shares.values()]))
                for p in range(1, self.largest + 1)
            },
            "records_wholly_inside": closest,
        }
        return self.result(value, sentence, per_attribute, details)


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
    need: ClassVar[Need] = Need.ORDER
    title: ClassVar[str] = "Numbers learnt to within an interval of ranks"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    formula: ClassVar[str] = "100 · mean_{p ≤ 10 %} #{i : x_i within p of the rank of x′_i} / n"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001"
    largest: int = parameter(Integer(1, 100), default=10, kw_only=False)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    def question(self, scope: PairScope) -> PairCounts:
        return PairCounts(scope.names)

    def conclude(self, statistics: ValuePairs, scope: PairScope) -> Measurement:  # noqa: ARG002
        by_width = {}
        for name, (pairs,) in statistics.parts.items():
            if not pairs.n:
                raise MissingValueError(_NO_PAIR.format(type(self).__name__, name))
            by_width[name] = _inside(pairs, self.largest)
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


def _inside(pairs: CountedValues, largest: int) -> FloatArray:
    """Return, for p = 1 … `largest`, the share of numbers inside the interval of p percent."""
    before, after = pairs.rows.T
    n = pairs.n
    ordered, place = np.unique(after, return_inverse=True)
    # How many records have a released number below each of the different ones, and below the end of all.
    below = np.append(0, np.cumsum(np.bincount(place, weights=pairs.counts, minlength=ordered.size))).astype(np.int64)
    first, last = below[place], below[place + 1] - 1
    # How many released numbers the interval must reach down, or up, to hold the original; beyond the ends it cannot.
    down = first - (below[np.searchsorted(ordered, before, "right")] - 1)
    up = below[np.searchsorted(ordered, before)] - last
    never = n + 1
    reach = np.where(before < after, np.where(before < ordered[0], never, down), 0)
    reach = np.where(before > after, np.where(before > ordered[-1], never, up), reach)
    return np.array([pairs.counts[reach <= p * n // 100].sum() / n for p in range(1, largest + 1)])
