"""Interval disclosure by standard deviations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from discreet.base import Measure, Pair, register
from discreet.measures.columns import most_of, present_in_both
from discreet.measures.loss.numeric import spread
from discreet.parameters import Constraint, Integer, Names, Optional
from discreet.results import Measurement
from discreet.typing import FloatArray

__all__ = ["DeviationIntervalDisclosure"]


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
    title: ClassVar[str] = "Numbers learnt to within a part of a standard deviation"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    formula: ClassVar[str] = "100 · mean_{p ≤ 10 %} #{i : |x − x′| ≤ p S} / n"
    reference: ClassVar[str] = "Mateo-Sanz, Sebé and Domingo-Ferrer 2004"
    parameters: ClassVar[Mapping[str, Constraint]] = {"largest": Integer(1), "attributes": Optional(Names())}

    def __init__(self, largest: int = 10, *, attributes: Sequence[str] | None = None) -> None:
        self.largest = largest
        self.attributes = attributes

    def _measure(self, pair: Pair) -> Measurement:
        widths = np.arange(1, self.largest + 1) / 100.0
        everywhere = np.zeros(len(pair.original))
        shares: dict[str, FloatArray] = {}
        for name in pair.names:
            numbers = present_in_both(type(self).__name__, pair, name, np.ones(len(pair.original)))
            distance = np.abs(numbers.before - numbers.after)
            unit = spread(numbers.before, numbers.before_weights)
            shares[name] = np.array([(distance <= width * unit).mean() for width in widths])
            whole = np.abs(pair.original.encoded(name) - pair.masked.encoded(name))
            everywhere += ~(whole > widths[-1] * unit)  # a missing value protects nobody whose other numbers are close
        per_attribute = {name: float(100.0 * share.mean()) for name, share in shares.items()}
        value = float(np.mean(list(per_attribute.values())))
        closest = int((everywhere == len(pair.names)).sum())
        sentence = (
            f"{value:.1f} % of original numbers lie within 1 to {self.largest} % of a standard deviation of the "
            f"released ones, most in {most_of(per_attribute)}; {closest} of {len(pair.original)} records do with all "
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
