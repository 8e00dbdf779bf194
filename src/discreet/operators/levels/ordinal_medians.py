"""Plurality, medians and order statistics: operators that return one of the values they were given."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError
from discreet.kernels.values.aggregate_ordinal import first_above, largest_step
from discreet.operators.levels.codes import CodeOperator, Groups, cumulative_levels
from discreet.operators.operator import Operator, register_operator
from discreet.parameters import Choice, Integer, Number
from discreet.parameters.declaration import parameter
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["OrdinalMedian", "OrdinalOrderStatistic", "Plurality", "WeightedMedian", "WeightedOrderStatistic"]


@register_operator("plurality")
class Plurality(CodeOperator):
    """The most frequent value; with weights, the value that gathers the most weight.

    Needs no order, so that it is the operator of unordered scales. It allows no compensation, and one changed value
    can move the result from one end of the scale to the other.

    Notes
    -----
    Of several most frequent values, the one with the lowest code. `winners` returns them all.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Median based aggregation operators, Definitions 1 and 2.

    Examples
    --------
    >>> Plurality()([0, 0, 3, 4])
    0
    >>> Plurality()([0, 0, 3, 4], weights=[1, 1, 3, 1])
    3
    >>> Plurality().winners([4, 0, 3, 4, 0])
    (0, 4)
    """

    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    weighted: ClassVar[bool] = True
    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "symmetric"})

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        groups = self._groups(values, offsets, weights)
        out = np.empty(groups.offsets.size - 1, dtype=np.int32)
        for levels in cumulative_levels(groups):
            largest_step(levels.cumulated, levels.starts, levels.lows, out[levels.groups])
        return out

    def winners(self, values: Any, weights: Any = None) -> tuple[int, ...]:
        """Return every value that no other value beats, ascending."""
        codes = self._as_values(values)
        groups = self._groups(codes, [0, codes.size], weights)
        gathered = np.bincount(groups.values, weights=groups.weights)
        return tuple(np.flatnonzero(gathered >= gathered.max() - 1e-12 * gathered.sum()).tolist())


@register_operator("ordinal-median")
class OrdinalMedian(CodeOperator):
    """The middle value; of an even number of values, the lower or the upper of the two in the middle.

    Parameters
    ----------
    side : {"lower", "upper"}
        Which of the two middle values.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Median based aggregation operators, Definition 3.

    Examples
    --------
    >>> OrdinalMedian()([5, 0, 1, 4]), OrdinalMedian(side="upper")([5, 0, 1, 4])
    (1, 4)
    """

    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "monotone", "symmetric"})
    side: Literal["lower", "upper"] = parameter(Choice(("lower", "upper")), default="lower", kw_only=False)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(), cls(side="upper")]

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        groups = self._groups(values, offsets, weights)
        sizes = np.diff(groups.offsets)
        return _select_rank(groups, (sizes + 1) // 2 if self.side == "lower" else sizes // 2 + 1)


@register_operator("ordinal-order-statistic")
class OrdinalOrderStatistic(CodeOperator):
    """The value of a given rank, counted from the largest as the papers do: rank 1 is the maximum.

    Parameters
    ----------
    rank : int
        Between 1 and the number of values.

    Examples
    --------
    >>> OrdinalOrderStatistic(rank=2)([5, 0, 1, 4])
    4
    """

    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "monotone", "symmetric"})
    rank: int = parameter(Integer(1), default=1, kw_only=False)

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        groups = self._groups(values, offsets, weights)
        ascending = np.diff(groups.offsets) + 1 - self.rank
        short = int((ascending < 1).sum())
        if short:
            raise DataError(
                f"OrdinalOrderStatistic: {short} of {ascending.size} collections have fewer than {self.rank} values.",
                hint="A WeightedOrderStatistic selects by a share, whatever the number of values.",
            )
        return _select_rank(groups, ascending)


@register_operator("weighted-order-statistic")
class WeightedOrderStatistic(CodeOperator):
    """The first value at which the cumulated share of the weights exceeds a given one.

    Parameters
    ----------
    share : float
        Between 0 (the minimum) and 1 (the maximum); 0.5 is the weighted median.

    Notes
    -----
    Without weights all values count once. A value of weight zero is never returned. Shares within 1e-12 are equal,
    so that whole weights are compared as exact integers.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Median based aggregation operators, Definition 4 and section 2.2.1.

    Examples
    --------
    >>> WeightedOrderStatistic(share=0.25)([0, 1, 4, 5]), WeightedOrderStatistic(share=0.2)([0, 1, 4, 5])
    (1, 0)
    >>> WeightedOrderStatistic(share=0.25)([0, 1, 4, 5], weights=[2, 1, 1, 1])
    0
    """

    weighted: ClassVar[bool] = True
    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "monotone", "symmetric"})
    share: float = parameter(Number(0, 1), default=0.5, kw_only=False)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(), cls(share=0.1), cls(share=1.0)]

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        return _select_share(self._groups(values, offsets, weights), self.share)


@register_operator("weighted-median")
class WeightedMedian(CodeOperator):
    """The first value at which more than half of the weight is reached.

    Without weights, and for an even number of values, this is the upper median.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Median based aggregation operators, Definition 4.

    Examples
    --------
    >>> WeightedMedian()([0, 1, 2], weights=[3, 1, 1]), WeightedMedian()([0, 1, 2], weights=[2, 1, 1])
    (0, 1)
    """

    weighted: ClassVar[bool] = True
    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "monotone", "symmetric"})

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        return _select_share(self._groups(values, offsets, weights), 0.5)


def _select_rank(groups: Groups, ranks: IntArray) -> CodeArray:
    """Return the value of each ascending rank: the first whose count exceeds the rank less one half."""
    return _select(groups, (ranks - 0.5) / np.diff(groups.offsets))


def _select_share(groups: Groups, share: float) -> CodeArray:
    return _select(groups, np.full(groups.offsets.size - 1, float(share)))


def _select(groups: Groups, shares: FloatArray) -> CodeArray:
    out = np.empty(shares.size, dtype=np.int32)
    for levels in cumulative_levels(groups):
        first_above(levels.cumulated, levels.starts, levels.lows, shares[levels.groups], out[levels.groups])
    return out
