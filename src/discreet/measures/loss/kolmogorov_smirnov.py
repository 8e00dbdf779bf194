"""How far two distribution functions are apart."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import NumberPair, most_of
from discreet.measures.loss.numeric import NumericLoss
from discreet.results import Measurement

__all__ = ["DistributionDistance"]


@register("kolmogorov-smirnov")
class DistributionDistance(NumericLoss):
    """Largest difference of the distribution functions before and after (Kolmogorov–Smirnov), in percent.

    It sees each attribute's own distribution: exchanging values between records costs nothing.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.
    weighted : bool
        Count records by their survey weight.

    Notes
    -----
    ``100 · mean_j max_t |F_j(t) − F'_j(t)|``. Each file's own values count; missing ones do not. O(records log records
    × attributes).

    References
    ----------
    Smirnov (1948), Table for estimating the goodness of fit of empirical distributions.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 1.5, 2.5, 3.5]}), pl.DataFrame({"x": [1.5, 1.5, 2.5, 3.5]})
    >>> DistributionDistance().measure(a, b).value  # at 0.5, one of four has been passed, and none
    25.0
    """

    title: ClassVar[str] = "Distance of distributions (Kolmogorov–Smirnov)"
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean_j max |F − F′|"
    reference: ClassVar[str] = "Smirnov 1948"

    def _measure(self, pair: Pair) -> Measurement:
        per_attribute = self._by_attribute(pair, _largest_gap, record_by_record=False)
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"At most {max(per_attribute.values()):.1f} % of records changed sides of any threshold (net), in "
            f"{most_of(per_attribute)}; {value:.1f} % on average over attributes."
            if value > 0
            else "No distribution changed."
        )
        return self.result(value, sentence, per_attribute)


def _largest_gap(numbers: NumberPair) -> float:
    values = np.concatenate([numbers.before, numbers.after])
    steps = np.concatenate(
        [numbers.before_weights / numbers.before_weights.sum(), -numbers.after_weights / numbers.after_weights.sum()]
    )
    order = np.argsort(values, kind="stable")
    last = np.append(np.diff(values[order]) > 0, True)  # both functions are read after all steps at a value
    gap = float(np.abs(np.cumsum(steps[order])[last]).max())
    return min(100.0 * gap, 100.0) if gap > 1e-12 else 0.0
