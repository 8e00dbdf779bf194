"""How well the order of the records survived."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import NumberPair, most_of
from discreet.measures.loss.numeric import NumericLoss
from discreet.measures.moments import rank_correlation
from discreet.results import Measurement

__all__ = ["RankLoss"]


@register("rank-correlation")
class RankLoss(NumericLoss):
    """What Spearman's correlation of original and masked values lacks to 1, in percent.

    It sees whether the records keep their order; any rescaling that keeps the order costs nothing.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.
    weighted : bool
        Count records by their survey weight (the ranks themselves are not weighted).

    Notes
    -----
    ``100 · mean_j (1 − ρ_j)``: 0 same order, 100 no order left, 200 order turned round. Equal values share their rank.
    An attribute that is constant in one of the files counts 100 unless it is unchanged. A cell that is missing in
    either file is left out. O(records log records × attributes).

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [1.5, 2.5, 3.5]}), pl.DataFrame({"x": [1.5, 9.5, 3.5]})
    >>> RankLoss().measure(a, b).value  # ranks 1 2 3 became 1 3 2: ρ = 1 − 6 · 2 / (3 · 8) = 0.5
    50.0
    """

    title: ClassVar[str] = "Order lost (rank correlation)"
    high: ClassVar[float] = 200.0
    formula: ClassVar[str] = "100 · mean_j (1 − ρ)"
    reference: ClassVar[str] = "Spearman 1904"

    def _measure(self, pair: Pair) -> Measurement:
        per_attribute = self._by_attribute(pair, _disorder, record_by_record=True)
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"The rank correlation of original and released numbers is {1 - value / 100:.3f} on average, lowest in "
            f"{most_of(per_attribute)}."
            if value > 0
            else "Numbers kept their order."
        )
        return self.result(value, sentence, per_attribute)


def _disorder(numbers: NumberPair) -> float:
    if np.array_equal(numbers.before, numbers.after):
        return 0.0
    loss = 100.0 * (1.0 - rank_correlation(numbers.before, numbers.after, numbers.before_weights))
    return loss if loss > 1e-10 else 0.0  # the same order: what is left is rounding
