"""How far variances moved."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import NumberPair, most_of
from discreet.measures.loss.numeric import NumericLoss, in_units, spread
from discreet.results import Measurement

__all__ = ["VarianceDifference"]


@register("variances")
class VarianceDifference(NumericLoss):
    """Relative difference of the variances before and after, in percent.

    It sees that an attribute was flattened or blown up; it does not see which records moved.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.
    weighted : bool
        Variances with the survey weights.

    Notes
    -----
    ``100 · mean_j |S_j² − S'_j²| / S_j²``. A constant attribute counts 0 where it stayed constant and 100 where it did
    not. Each file's own values count; missing ones do not. O(records × attributes).

    References
    ----------
    Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata (their IL4).

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 2.5, 0.5, 2.5]}), pl.DataFrame({"x": [1.0, 2.0, 1.0, 2.0]})
    >>> VarianceDifference().measure(a, b).value  # 1 became 0.25
    75.0
    """

    title: ClassVar[str] = "Change of variances"
    high: ClassVar[float] = float("inf")
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean_j |S² − S′²| / S²"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001"

    def _measure(self, pair: Pair) -> Measurement:
        per_attribute = self._by_attribute(pair, _change, record_by_record=False)
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Variances changed by {value:.1f} % on average, most in {most_of(per_attribute)}."
            if value > 0
            else "No variance changed."
        )
        return self.result(value, sentence, per_attribute)


def _change(numbers: NumberPair) -> float:
    before = spread(numbers.before, numbers.before_weights) ** 2
    after = spread(numbers.after, numbers.after_weights) ** 2
    return in_units(abs(after - before), before)
