"""Ordered weighted averages: the weight belongs to the place in the order (OWA), or to place and source (WOWA)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.errors import ParameterError
from discreet.kernels.values.aggregate_numeric import accumulate_shares, choquet_groups
from discreet.operators.numbers.means import own_weights, source_weights
from discreet.operators.numbers.ordering import order_down, ordered_sums, require_size, take_groups
from discreet.operators.numbers.quantifiers import Interpolated, Power, Quantifier, Threshold
from discreet.operators.operator import Operator, refuse_weights, register_operator
from discreet.operators.operator_text import as_quantifier
from discreet.typing import FloatArray

__all__ = ["OWA", "WOWA"]


@register_operator("owa")
class OWA(Operator):
    """The ordered weighted average: weights go to places, the largest value first.

    It ranges from the minimum over the mean to the maximum, and does not care who gave which value. It is the
    Choquet integral for the symmetric measure ``μ(A) = Q(|A|/n)``.

    Parameters
    ----------
    quantifier : Quantifier, str or callable, optional
        Gives the weights for any number of values (OWA_Q).
    weights : sequence of float, optional
        Weights that sum to 1, that of the largest value first; every collection must have as many values.
        One of `quantifier` and `weights` is given.

    References
    ----------
    Yager (1988); Torra (P1d), definitions 4 and 6; Torra and Nin (P2), definition 2.

    Notes
    -----
    O(n log n). A plain sigmoid gives weights that sum to less than 1; the result is then not bounded by the values.

    Examples
    --------
    >>> OWA("power:2")([0, 4])
    1.0
    >>> OWA(weights=[0.5, 0.5, 0])([1, 7, 3])
    5.0
    """

    properties = frozenset({"unanimous", "bounded", "monotone", "symmetric"})

    def __init__(
        self, quantifier: Quantifier | str | Any = None, *, weights: Sequence[float] | FloatArray | None = None
    ) -> None:
        if (quantifier is None) == (weights is None):
            raise ParameterError("OWA: either quantifier or weights must be given, and not both.")
        self.quantifier = None if quantifier is None else as_quantifier(quantifier)
        self.weights = own_weights("OWA", weights)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(Power(2.0)), cls(Threshold(0.5)), cls(weights=[0.1, 0.2, 0.7])]

    @property
    def arity(self) -> int | None:
        return None if self.weights is None else self.weights.size

    def batch(self, values: Any, offsets: Any, weights: Any = None) -> FloatArray:
        refuse_weights("OWA", weights)
        array, bounds = take_groups("OWA", values, offsets)
        if self.quantifier is not None:
            floor = float(self.quantifier(0.0))
            return ordered_sums(array, bounds, self.quantifier.heights, floor=floor, clamped=self.quantifier.proper)
        own = np.asarray(self.weights)
        require_size("OWA", bounds, own.size)
        heights = np.cumsum(own)
        heights[-1] = 1.0
        return ordered_sums(array, bounds, lambda _: heights)


@register_operator("wowa")
class WOWA(Operator):
    """The weighted OWA: importance of the places through Q, importance of the sources through weights p.

    ``Σ_i (Q(p_σ(1) + … + p_σ(i)) − Q(p_σ(1) + … + p_σ(i−1))) · a_σ(i)``, the largest value first. With equal p it is
    the OWA of Q; with Q(x) = x it is the weighted mean of p.

    Parameters
    ----------
    quantifier : Quantifier, str, callable or sequence of float
        A weight vector is interpolated by straight lines; `Interpolated` with ``smooth=True`` does it by a curve.
    weights : sequence of float, optional
        The p, one a source, summing to 1. Without them a call brings its own, which are divided by their sum.

    References
    ----------
    Torra (1997, 2000).

    Examples
    --------
    >>> WOWA("power:2", [0.5, 0.5])([0, 4])
    1.0
    >>> WOWA([0.5, 0.5])([0, 4], weights=[3, 1])
    1.0
    """

    weighted = True

    def __init__(
        self, quantifier: Quantifier | str | Any = "power:1", weights: Sequence[float] | FloatArray | None = None
    ) -> None:
        self.quantifier = as_quantifier(quantifier)
        if not self.quantifier.proper:
            raise ParameterError("WOWA: quantifier must have Q(0) = 0 and Q(1) = 1.", hint='Use ends="pinned".')
        self.weights = own_weights("WOWA", weights)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls("power:2"), cls(Interpolated([0.6, 0.3, 0.1], smooth=True), [0.2, 0.3, 0.5])]

    @property
    def arity(self) -> int | None:
        return None if self.weights is None else self.weights.size

    def batch(self, values: Any, offsets: Any, weights: Any = None) -> FloatArray:
        array, bounds = take_groups("WOWA", values, offsets)
        sources = source_weights("WOWA", self.weights, weights, bounds)
        if sources is None:
            return ordered_sums(array, bounds, self.quantifier.heights)
        order = order_down(array, bounds)
        heights = np.empty(array.size)
        accumulate_shares(sources, order, bounds, heights)
        heights = np.ascontiguousarray(self.quantifier.evaluate(heights))
        out = np.empty(bounds.size - 1)
        choquet_groups(array, order, heights, bounds[:-1].copy(), bounds, 0.0, True, out)
        return out
