"""Operators that weight the values by a quantifier (WOW) and fill the gaps between them (convex).

A median or a plurality returns one of its values. Made convex, the distribution of the values has no valleys, so that
a level nobody gave can win when it lies between two that were given; passed through a quantifier, it leans to small,
large or central values. The quantifier sees the shares cumulated from the lowest level upwards, so that α < 1 leans
to small values and α > 1 to large ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.kernels.values.aggregate_ordinal import cumulate_within, first_above, largest_step
from discreet.operators.levels.codes import CodeOperator, Groups, Levels, cumulative_levels, read_codes, sorted_order
from discreet.operators.levels.ordinal_medians import Plurality, WeightedMedian
from discreet.operators.numbers.quantifiers import Power, Quantifier
from discreet.operators.operator import Operator, check_offsets, check_weights, register_operator
from discreet.operators.operator_text import as_quantifier
from discreet.parameters import AnyOf, Choice, Constraint, Flag, Instance, Number, Seed, check_parameters
from discreet.parameters.declaration import parameter
from discreet.typing import CodeArray, FloatArray, IntArray, RandomState

__all__ = ["WOW", "CWOWMedian", "CWOWPlurality", "ConvexWeightedMedian", "read_quantifier", "wow_weights"]

QuantifierSource = Quantifier | Callable[[Any], Any] | str | None

QUANTIFIER_SOURCE: Constraint = Instance(object, "None, a quantifier, or text or a function that stands for one")
"""Anything: who reads a quantifier says what is wrong with it."""


def read_quantifier(owner: str, alpha: float, quantifier: QuantifierSource) -> Quantifier:
    """Return the given quantifier, or ``x ** alpha`` where none is given."""
    if quantifier is None:
        check_parameters(owner, {"alpha": alpha}, {"alpha": Number(0, open_low=True)})
        return Power(float(alpha))
    reading = as_quantifier(quantifier)
    if not reading.proper:
        raise ParameterError(f"{owner}: quantifier must have Q(0) = 0 and Q(1) = 1; {type(reading).__name__} has not.")
    return reading


@register_operator("convex-weighted-median")
class ConvexWeightedMedian(CodeOperator):
    """The weighted median of the distribution made convex: a level between the values can be the result.

    It stays between the smallest and the largest value and does not depend on their order, but raising a value can
    lower the result (by one level, in the paper's example).

    References
    ----------
    Domingo-Ferrer and Torra (2002), Median based aggregation operators, Definition 15.

    Examples
    --------
    Two values far apart meet in the middle, where the weighted median takes the upper one:

    >>> ConvexWeightedMedian()([0, 4]), WeightedMedian()([0, 4])
    (2, 4)
    """

    weighted: ClassVar[bool] = True
    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "symmetric"})

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        groups = self._groups(values, offsets, weights)
        out = np.empty(groups.offsets.size - 1, dtype=np.int32)
        for levels in cumulative_levels(groups, convex=True):
            halves = np.full(levels.lows.size, 0.5)
            first_above(levels.cumulated, levels.starts, levels.lows, halves, out[levels.groups])
        return out


@register_operator("cwow-median")
class CWOWMedian(CodeOperator):
    """The convex WOW median: compensating, and leaning where its quantifier says.

    Between the smallest and the largest value, and symmetric; not monotone, see `ConvexWeightedMedian`.

    Parameters
    ----------
    alpha : float
        The quantifier ``x ** alpha``; near 0 the smallest value, large the largest value.
    quantifier : Quantifier, callable or str, optional
        Used instead of the power.
    beta : float or "random"
        The share to exceed; 0.5 is the median. "random" draws one for every collection, uniform on [0, 1).
    convex : bool
        Fill valleys first; without it this is the WOW weighted median.
    random_state : int or numpy.random.Generator, optional
        Where random shares come from.

    Notes
    -----
    The first level with ``Q(share at or below it) > beta``. Shares within 1e-12 are equal.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Median based aggregation operators, Definition 16; Torra (2004),
    Microaggregation for categorical variables, section 3, for beta.

    Examples
    --------
    >>> values = [4, 1, 0, 2, 1, 0, 4, 5, 1]
    >>> [CWOWMedian(alpha)(values) for alpha in (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)]
    [0, 0, 1, 2, 3, 4, 5]
    """

    weighted: ClassVar[bool] = True
    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "symmetric"})
    alpha: float = parameter(Number(0, open_low=True), default=1.0, kw_only=False)
    quantifier: QuantifierSource = parameter(QUANTIFIER_SOURCE, default=None)
    beta: float | Literal["random"] = parameter(AnyOf(Number(0, 1, open_high=True), Choice(("random",))), default=0.5)
    convex: bool = parameter(Flag(), default=True)
    random_state: RandomState = parameter(Seed(), default=None)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(), cls(0.5), cls(3.0), cls(quantifier="about half"), cls(beta=0.3), cls(2.0, convex=False)]

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        groups = self._groups(values, offsets, weights)
        out = np.empty(groups.offsets.size - 1, dtype=np.int32)
        if isinstance(self.beta, str):
            shares = np.random.default_rng(self.random_state).random(out.size)
        else:
            shares = np.full(out.size, float(self.beta))
        quantifier = read_quantifier("CWOWMedian", self.alpha, self.quantifier)
        for levels in _bent_levels(groups, quantifier, convex=self.convex):
            first_above(levels.cumulated, levels.starts, levels.lows, shares[levels.groups], out[levels.groups])
        return out


@register_operator("cwow-plurality")
class CWOWPlurality(CodeOperator):
    """The plurality of the distribution made convex and weighted by a quantifier.

    Parameters
    ----------
    alpha : float
        The quantifier ``x ** alpha``.
    quantifier : Quantifier, callable or str, optional
        Used instead of the power.

    Notes
    -----
    Of several levels with the most weight, the lowest. `winners` returns them all.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Median based aggregation operators, Definition 17.

    Examples
    --------
    Four equal levels after the valley is filled; the square makes the last step the largest, 7/16 against 5/16:

    >>> CWOWPlurality()([0, 3]), CWOWPlurality(2)([0, 3])
    (0, 3)
    >>> CWOWPlurality().winners([0, 3])
    (0, 1, 2, 3)
    """

    weighted: ClassVar[bool] = True
    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "symmetric"})

    alpha: float = parameter(Number(0, open_low=True), default=1.0, kw_only=False)
    quantifier: QuantifierSource = parameter(QUANTIFIER_SOURCE, default=None)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(), cls(0.5), cls(3.0)]

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        groups = self._groups(values, offsets, weights)
        quantifier = read_quantifier("CWOWPlurality", self.alpha, self.quantifier)
        out = np.empty(groups.offsets.size - 1, dtype=np.int32)
        for levels in _bent_levels(groups, quantifier, convex=True):
            largest_step(levels.cumulated, levels.starts, levels.lows, out[levels.groups])
        return out

    def winners(self, values: Any, weights: Any = None) -> tuple[int, ...]:
        """Return every level that no other level beats, ascending."""
        codes = self._as_values(values)
        groups = self._groups(codes, [0, codes.size], weights)
        quantifier = read_quantifier("CWOWPlurality", self.alpha, self.quantifier)
        (levels,) = _bent_levels(groups, quantifier, convex=True)
        steps = np.diff(levels.cumulated, prepend=0.0)
        return tuple((np.flatnonzero(steps >= steps.max() - 1e-12) + int(levels.lows[0])).tolist())


@register_operator("wow")
class WOW(Operator):
    """Any weighted operator, its weights bent by a quantifier: WOW-C of an operator C.

    The values are ordered from the smallest, and each gets the quantifier's rise over its stretch of the cumulated
    weights. With ``alpha=1`` the weights are those given, and WOW-C is C itself.

    Parameters
    ----------
    operator : Operator
        One that takes weights, on an ordered or a numeric scale.
    alpha : float
        The quantifier ``x ** alpha``.
    quantifier : Quantifier, callable or str, optional
        Used instead of the power.

    Notes
    -----
    It keeps the unanimity and the bounds of the operator. On a numeric scale, WOW of a weighted mean is a WOWA whose
    quantifier cumulates from the smallest value.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Median based aggregation operators, Definitions 13 and 14, read ascending.

    Examples
    --------
    Four equal weights become 1/16, 3/16, 5/16 and 7/16; the plurality takes the largest:

    >>> WOW(Plurality(), 2)([0, 1, 2, 3]), Plurality()([0, 1, 2, 3])
    (3, 0)
    """

    scales: ClassVar[frozenset[str]] = frozenset({"ordinal"})
    weighted: ClassVar[bool] = True
    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "symmetric"})

    operator: Operator = parameter(Instance(Operator, "an operator"), kw_only=False)
    alpha: float = parameter(Number(0, open_low=True), default=1.0, kw_only=False)
    quantifier: QuantifierSource = parameter(QUANTIFIER_SOURCE, default=None)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(WeightedMedian()), cls(Plurality(), 2.0), cls(ConvexWeightedMedian(), 0.5)]

    @property
    def domain(self) -> tuple[float, float]:
        return self.operator.domain

    @property
    def arity(self) -> int | None:
        return self.operator.arity

    def _as_values(self, values: Any) -> NDArray[Any]:
        return self._inner()._as_values(values)  # noqa: SLF001 - an operator prepares values for its own kind

    def _inner(self) -> Operator:
        if not isinstance(self.operator, Operator) or not self.operator.weighted:
            raise ParameterError("WOW: operator must be an operator that takes weights.")
        if self.operator.weight_kind != "real" or self.operator.scales == {"nominal"}:
            raise ParameterError("WOW: operator must take real weights on a scale with an order.")
        return self.operator

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> NDArray[Any]:
        inner = self._inner()
        array = np.ascontiguousarray(values) if "numeric" in inner.scales else read_codes("WOW", values)
        places = np.ascontiguousarray(offsets, dtype=np.int64)
        check_offsets("WOW", array, places)
        importances = np.ones(array.size) if weights is None else check_weights("WOW", weights, array.size)
        quantifier = read_quantifier("WOW", self.alpha, self.quantifier)
        return inner.batch(array, places, wow_weights(array, places, importances, quantifier))


def wow_weights(values: NDArray[Any], offsets: IntArray, weights: FloatArray, quantifier: Quantifier) -> FloatArray:
    """Return the WOW weighting vector of every group, in the order of the values.

    Assumes checked groups with a positive total weight.

    Examples
    --------
    >>> wow_weights(np.array([1, 0]), np.array([0, 2]), np.ones(2), Power(2)).tolist()
    [0.75, 0.25]
    """
    sizes = np.diff(offsets)
    owners = np.repeat(np.arange(sizes.size), sizes)
    order = sorted_order(values, offsets) if values.dtype == np.int32 else np.lexsort((values, owners))
    running = np.empty(weights.size)
    cumulate_within(order, offsets, weights, running)
    totals = running[offsets[1:] - 1]
    if (totals <= 0).any():
        raise ParameterError(f"WOW: {int((totals <= 0).sum())} of {totals.size} collections have no positive weight.")
    upper = running / totals[owners]
    heights = quantifier.evaluate(upper)
    steps = np.diff(heights, prepend=0.0)
    steps[offsets[:-1]] = heights[offsets[:-1]]
    result = np.empty_like(weights)
    result[order] = np.maximum(steps, 0.0)
    return result


def _bent_levels(groups: Groups, quantifier: Quantifier, *, convex: bool) -> Iterator[Levels]:
    """Yield the shares of cumulated weight after the quantifier, block by block."""
    for levels in cumulative_levels(groups, convex=convex):
        totals = levels.cumulated[levels.starts[1:] - 1]
        # One correctly rounded division of two sums: whole weights give the double nearest to the true share.
        shares = levels.cumulated / np.repeat(totals, levels.starts[1:] - levels.starts[:-1])
        yield levels._replace(cumulated=quantifier.evaluate(shares))
