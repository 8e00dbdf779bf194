"""Fuzzy integrals: aggregation in which sets of sources have weights, not only single ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.kernels.values.aggregate_numeric import choquet_groups, measure_chains, sugeno_groups
from discreet.operators.fuzzy.fuzzy_measures import FuzzyMeasure
from discreet.operators.numbers.ordering import heights_by_size, order_down, require_domain, require_size, take_groups
from discreet.operators.numbers.quantifiers import Power, Quantifier, Sigmoid
from discreet.operators.operator import Operator, refuse_weights, register_operator
from discreet.operators.operator_text import as_quantifier
from discreet.parameters import Flag, Instance, check_parameters
from discreet.parameters.declaration import parameter
from discreet.typing import FloatArray, IntArray

__all__ = ["ChoquetIntegral", "SugenoIntegral", "SymmetricSugeno"]

_UNIT = (0.0, 1.0)
_UNIT_HINT = "Scale them to [0, 1], or use strict=False to take the formula literally."


class _Integral(Operator):
    """An integral with respect to a measure on a fixed number of sources."""

    measure: FuzzyMeasure = parameter(Instance(FuzzyMeasure), kw_only=False)

    def __post_init__(self) -> None:
        self.check_parameters()

    @property
    def arity(self) -> int | None:
        return self.measure.n

    def _chains(self, values: Any, offsets: Any, weights: Any) -> tuple[FloatArray, IntArray, IntArray, FloatArray]:
        owner = type(self).__name__
        refuse_weights(owner, weights)
        array, bounds = take_groups(owner, values, offsets)
        require_size(owner, bounds, self.measure.n)
        order = order_down(array, bounds)
        heights = np.empty(array.size)
        measure_chains(order, bounds, self.measure.values, heights)
        return array, bounds, order, heights


def _measure_examples() -> list[FuzzyMeasure]:
    return [
        FuzzyMeasure({(0,): 0.2, (1,): 0.5, (2,): 0.1, (0, 1): 0.6, (0, 2): 0.7, (1, 2): 0.5, (0, 1, 2): 1.0}),
        FuzzyMeasure.sugeno_lambda([0.2, 0.3, 0.1, 0.2]),
    ]


@register_operator("choquet-integral")
class ChoquetIntegral(_Integral):
    """Σ_i (μ(A_i) − μ(A_{i−1})) · a_σ(i), A_i being the sources of the i largest values.

    For an additive measure it is the weighted mean, for a symmetric one the OWA, for a distorted probability the WOWA.

    Parameters
    ----------
    measure : FuzzyMeasure
        On as many sources as a collection has values.

    References
    ----------
    Choquet (1954); Torra and Nin (P2), section 2.2.

    Notes
    -----
    O(n log n) a collection. Ties do not matter: the order among equal values leaves the sum as it is.

    Examples
    --------
    >>> mu = FuzzyMeasure({(0,): 0.25, (1,): 0.5, (0, 1): 1.0})
    >>> ChoquetIntegral(mu)([8, 4]), ChoquetIntegral(mu)([4, 8])
    (5.0, 6.0)
    """

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(measure) for measure in _measure_examples()]

    def batch(self, values: Any, offsets: Any, weights: Any = None) -> FloatArray:
        array, bounds, order, heights = self._chains(values, offsets, weights)
        out = np.empty(bounds.size - 1)
        choquet_groups(array, order, heights, bounds[:-1].copy(), bounds, 0.0, True, out)
        return out


@register_operator("sugeno-integral")
class SugenoIntegral(_Integral):
    """max_i min(μ(A_i), a_σ(i)), A_i being the sources of the i largest values.

    It uses only the order of values and measures, which therefore share one scale, [0, 1]. For a possibility measure
    it is the weighted maximum.

    Parameters
    ----------
    measure : FuzzyMeasure
        On as many sources as a collection has values.
    strict : bool
        False takes values outside [0, 1] as they are; the result is then bounded by 1 and no longer unanimous.

    References
    ----------
    Sugeno (1974).

    Examples
    --------
    >>> mu = FuzzyMeasure({(0,): 0.25, (1,): 0.5, (0, 1): 1.0})
    >>> SugenoIntegral(mu)([0.9, 0.4]), SugenoIntegral(mu)([0.4, 0.9])
    (0.4, 0.5)
    """

    strict: bool = parameter(Flag(), default=True)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(measure) for measure in (*_measure_examples(), FuzzyMeasure.possibility([0.3, 1.0, 0.6]))]

    @property
    def domain(self) -> tuple[float, float]:
        return _UNIT if self.strict else (-np.inf, np.inf)

    def batch(self, values: Any, offsets: Any, weights: Any = None) -> FloatArray:
        array, bounds, order, heights = self._chains(values, offsets, weights)
        require_domain("SugenoIntegral", array, self.domain, _UNIT_HINT)
        out = np.empty(bounds.size - 1)
        sugeno_groups(array, order, heights, bounds[:-1].copy(), bounds, out)
        return out


@register_operator("symmetric-sugeno")
class SymmetricSugeno(Operator):
    """SI_Q: max_i min(Q(i/n), a_σ(i)), the Sugeno integral for the symmetric measure Q(|A|/n), for any n.

    Parameters
    ----------
    quantifier : Quantifier, str or callable
        How much a proportion of the sources counts.
    strict : bool
        False takes values outside [0, 1] as they are, as P2 does with standardised data.

    References
    ----------
    Yager (1992), OWMax; Torra and Nin (P2), definition 3.

    Examples
    --------
    >>> SymmetricSugeno("power:1")([0.9, 0.6, 0.3, 0.1])
    0.5
    """

    properties = frozenset({"unanimous", "bounded", "monotone", "symmetric"})

    def __init__(self, quantifier: Quantifier | str | Any = "power:1", *, strict: bool = True) -> None:
        check_parameters("SymmetricSugeno", {"strict": strict}, {"strict": Flag()})
        self.quantifier = as_quantifier(quantifier)
        self.strict = strict

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(Power(2.0)), cls(Sigmoid(0.4))]

    @property
    def domain(self) -> tuple[float, float]:
        return _UNIT if self.strict else (-np.inf, np.inf)

    def batch(self, values: Any, offsets: Any, weights: Any = None) -> FloatArray:
        refuse_weights("SymmetricSugeno", weights)
        array, bounds = take_groups("SymmetricSugeno", values, offsets)
        require_domain("SymmetricSugeno", array, self.domain, _UNIT_HINT)
        heights, starts = heights_by_size(bounds, self.quantifier.heights)
        out = np.empty(bounds.size - 1)
        sugeno_groups(array, order_down(array, bounds), heights, starts, bounds, out)
        return out
