"""How far means moved."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import NumberPair, most_of
from discreet.measures.loss.numeric import NumericLoss, in_units, spread, weighted_mean
from discreet.results import Measurement

__all__ = ["MeanDifference"]


@register("means")
class MeanDifference(NumericLoss):
    """Difference of the means before and after, in standard deviations of the original, in percent.

    It sees a shift of a whole attribute and nothing that happens within it.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.
    weighted : bool
        Means with the survey weights.

    Notes
    -----
    ``100 · mean_j |x̄_j − x̄'_j| / S_j``. Dividing by the standard deviation keeps an attribute whose mean is near 0
    from ruling the figure. A constant attribute counts 0 where it stayed and 100 where it moved. Each file's own values
    count; missing ones do not. O(records × attributes).

    References
    ----------
    Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata (their IL2, there
    relative to the mean).

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 2.5, 0.5, 2.5]}), pl.DataFrame({"x": [0.5, 2.5, 1.5, 2.5]})
    >>> MeanDifference().measure(a, b).value  # 1.5 became 1.75; S = 1
    25.0
    """

    title: ClassVar[str] = "Shift of means"
    high: ClassVar[float] = float("inf")
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean_j |x̄ − x̄′| / S"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001"

    def _measure(self, pair: Pair) -> Measurement:
        per_attribute = self._by_attribute(pair, _shift, record_by_record=False)
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Means moved by {value:.1f} % of a standard deviation on average, most in {most_of(per_attribute)}."
            if value > 0
            else "No mean moved."
        )
        return self.result(value, sentence, per_attribute)


def _shift(numbers: NumberPair) -> float:
    before = weighted_mean(numbers.before, numbers.before_weights)
    # Taken from the same origin, so that the same numbers in another order have the same mean to the last digits.
    after = before + weighted_mean(numbers.after - before, numbers.after_weights)
    return in_units(abs(after - before), spread(numbers.before, numbers.before_weights))
