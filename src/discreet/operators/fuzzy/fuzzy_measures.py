"""Fuzzy measures: how much each set of sources counts.

A fuzzy measure μ gives every subset of n sources a number, with μ(∅) = 0, μ(all) = 1 and μ(A) ≤ μ(B) for A ⊆ B.
Subsets are bit patterns: source i is bit i, so that ``values[0b101]`` is the measure of sources 0 and 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from discreet.errors import ParameterError
from discreet.operators.operator import check_weights
from discreet.operators.operator_text import as_quantifier
from discreet.parameters import Integer, check_parameters
from discreet.typing import FloatArray, IntArray

__all__ = ["MAX_SOURCES", "FuzzyMeasure", "check_measure", "mobius_transform", "zeta_transform"]

MAX_SOURCES = 20
"""A measure holds 2^n numbers; at 20 sources these are 8 MB."""

_TOLERANCE = 1e-9


def zeta_transform(values: FloatArray) -> FloatArray:
    """Replace each value by the sum over the subsets of its set, in place; return the array. O(n·2^n).

    Examples
    --------
    >>> zeta_transform(np.array([0.0, 0.25, 0.5, 0.25]))
    array([0.  , 0.25, 0.5 , 1.  ])
    """
    for source in range(_sources(values)):
        pairs = values.reshape(-1, 2, 1 << source)
        pairs[:, 1] += pairs[:, 0]
    return values


def mobius_transform(values: FloatArray) -> FloatArray:
    """Undo `zeta_transform`, in place; return the array. O(n·2^n).

    Examples
    --------
    >>> mobius_transform(np.array([0.0, 0.25, 0.5, 1.0]))
    array([0.  , 0.25, 0.5 , 0.25])
    """
    for source in range(_sources(values)):
        pairs = values.reshape(-1, 2, 1 << source)
        pairs[:, 1] -= pairs[:, 0]
    return values


def check_measure(values: FloatArray) -> None:
    """Raise unless the values are a fuzzy measure, naming the axiom or the pair of subsets that fails.

    Examples
    --------
    >>> check_measure(np.array([0.0, 0.5, 0.3, 0.4, 0.2, 0.6, 0.6, 1.0]))
    Traceback (most recent call last):
    discreet.errors.ParameterError: FuzzyMeasure: μ must not decrease; μ({0}) = 0.5 is above μ({0, 1}) = 0.4.
    """
    n = _sources(values)
    if not np.isfinite(values).all():
        raise ParameterError(f"FuzzyMeasure: μ must be finite; {int((~np.isfinite(values)).sum())} values are not.")
    for subset, bound, name in ((0, 0.0, "∅"), (values.size - 1, 1.0, "all sources")):
        if abs(values[subset] - bound) > _TOLERANCE:
            raise ParameterError(f"FuzzyMeasure: μ({name}) must be {bound:g}; got {values[subset]:g}.")
    subsets = np.arange(values.size)
    for source in range(n):
        pairs = values.reshape(-1, 2, 1 << source)
        falls = np.flatnonzero((pairs[:, 1] < pairs[:, 0] - _TOLERANCE).ravel())
        if falls.size:
            small = int(subsets.reshape(-1, 2, 1 << source)[:, 0].ravel()[falls[0]])
            large = small | 1 << source
            raise ParameterError(
                f"FuzzyMeasure: μ must not decrease; μ({_show(small)}) = {values[small]:g} is above "
                f"μ({_show(large)}) = {values[large]:g}."
            )


class FuzzyMeasure:
    """A monotone set function on the subsets of `n` sources.

    Parameters
    ----------
    values : mapping or array of float
        Subset → measure for every subset (∅ may be left out), or 2^n numbers indexed by subset bits. A subset is an
        iterable of positions such as ``(0, 2)``, or its bit pattern.
    n : int, optional
        The number of sources, read from `values` where it is not given.

    Raises
    ------
    ParameterError
        Where an axiom fails; the message names the subsets.

    See Also
    --------
    additive, symmetric, distorted, possibility, necessity, sugeno_lambda, from_mobius : other ways to make one

    Examples
    --------
    >>> mu = FuzzyMeasure({(0,): 0.3, (1,): 0.5, (0, 1): 1.0})
    >>> mu([1]), mu.shapley()
    (0.5, array([0.4, 0.6]))
    """

    def __init__(self, values: Mapping[Any, float] | Sequence[float] | FloatArray, n: int | None = None) -> None:
        array = _from_mapping(values, n) if isinstance(values, Mapping) else np.array(values, dtype=np.float64)
        check_measure(array)
        if n is not None and array.size != 1 << n:
            raise ParameterError(f"FuzzyMeasure: values must be 2^{n} numbers; got {array.size}.")
        array[0], array[-1] = 0.0, 1.0
        # Rounding within the tolerance is smoothed away: integrals rest on μ never decreasing.
        for source in range(_sources(array)):
            pairs = array.reshape(-1, 2, 1 << source)
            np.maximum(pairs[:, 1], pairs[:, 0], out=pairs[:, 1])
        np.clip(array, 0.0, 1.0, out=array)
        array.flags.writeable = False
        self.values = array

    @property
    def n(self) -> int:
        """The number of sources."""
        return _sources(self.values)

    def __call__(self, subset: Iterable[int] | int) -> float:
        """Return the measure of a subset, given by positions or by its bit pattern."""
        return float(self.values[_bits(subset, self.n)])

    def __repr__(self) -> str:
        return f"FuzzyMeasure(n={self.n})"

    def mobius(self) -> FloatArray:
        """Return the Möbius transform m, with μ(A) = Σ of m over the subsets of A."""
        return mobius_transform(self.values.copy())

    def additivity(self, tolerance: float = 1e-9) -> int:
        """Return the k for which the measure is k-additive: the size of its largest subset with m ≠ 0."""
        return int(_sizes(self.n)[np.abs(self.mobius()) > tolerance].max())

    def dual(self) -> FuzzyMeasure:
        """Return the dual measure, 1 − μ of the complement."""
        return FuzzyMeasure(1.0 - self.values[::-1])

    def shapley(self) -> FloatArray:
        """Return the Shapley value of each source: its mean contribution over all orders of arrival; sums to 1."""
        shares = self.mobius() / np.maximum(_sizes(self.n), 1)
        return np.array([shares.reshape(-1, 2, 1 << i)[:, 1].sum() for i in range(self.n)])

    def interaction(self) -> FloatArray:
        """Return the n × n interaction indices: positive where two sources count more together than apart.

        The diagonal is zero.

        Examples
        --------
        >>> FuzzyMeasure({(0,): 0.3, (1,): 0.5, (0, 1): 1.0}).interaction()
        array([[0. , 0.2],
               [0.2, 0. ]])
        """
        shares = self.mobius() / np.maximum(_sizes(self.n) - 1, 1)
        table = np.zeros((self.n, self.n))
        for i in range(self.n):
            having = shares.reshape(-1, 2, 1 << i)[:, 1].ravel()
            for j in range(i):
                # Without bit i, lower bits keep their place.
                table[i, j] = table[j, i] = having.reshape(-1, 2, 1 << j)[:, 1].sum()
        return table

    @classmethod
    def additive(cls, weights: Sequence[float] | FloatArray) -> FuzzyMeasure:
        """Return the measure that adds up weights: the Choquet integral is the weighted mean."""
        return cls(_sums(check_weights("FuzzyMeasure", weights, len(weights), total=1.0)))

    @classmethod
    def symmetric(cls, quantifier: Any, n: int) -> FuzzyMeasure:
        """Return μ(A) = Q(|A|/n): the Choquet integral is OWA_Q, the Sugeno integral SI_Q."""
        check_parameters("FuzzyMeasure", {"n": n}, {"n": Integer(1, MAX_SOURCES)})
        return cls(np.concatenate([[0.0], as_quantifier(quantifier).heights(n)])[_sizes(n)])

    @classmethod
    def distorted(cls, quantifier: Any, weights: Sequence[float] | FloatArray) -> FuzzyMeasure:
        """Return the distorted probability μ(A) = Q(weight of A): the Choquet integral is the WOWA."""
        shares = np.clip(_sums(check_weights("FuzzyMeasure", weights, len(weights), total=1.0)), 0.0, 1.0)
        shares[-1] = 1.0
        return cls(as_quantifier(quantifier).evaluate(shares))

    @classmethod
    def possibility(cls, weights: Sequence[float] | FloatArray) -> FuzzyMeasure:
        """Return μ(A) = the largest weight in A, the largest of all being 1: Sugeno gives the weighted maximum."""
        array = check_weights("FuzzyMeasure", weights, len(weights))
        if abs(array.max() - 1.0) > _TOLERANCE:
            raise ParameterError(f"FuzzyMeasure: the largest weight of a possibility must be 1; got {array.max():g}.")
        values = np.zeros(1)
        for weight in array:
            values = np.concatenate([values, np.maximum(values, weight)])
        return cls(values)

    @classmethod
    def necessity(cls, weights: Sequence[float] | FloatArray) -> FuzzyMeasure:
        """Return the dual of `possibility`: Sugeno gives the weighted minimum."""
        return cls.possibility(weights).dual()

    @classmethod
    def sugeno_lambda(cls, densities: Sequence[float] | FloatArray) -> FuzzyMeasure:
        """Return Sugeno's λ-measure: μ(A ∪ B) = μ(A) + μ(B) + λ·μ(A)·μ(B) for disjoint A and B.

        The measures of single sources are given; λ follows from μ(all) = 1.

        Examples
        --------
        >>> FuzzyMeasure.sugeno_lambda([0.5, 0.5]).additivity()
        1
        """
        array = check_weights("FuzzyMeasure", densities, len(densities))
        if (array > 1).any():
            raise ParameterError(f"FuzzyMeasure: densities must be at most 1; {int((array > 1).sum())} are not.")
        rate = _sugeno_rate(array)
        if rate == 0:
            return cls(_sums(array))
        with np.errstate(divide="ignore"):
            values = np.expm1(_sums(np.log1p(rate * array))) / rate
        values[-1] = 1.0
        return cls(values)

    @classmethod
    def from_mobius(cls, mobius: Mapping[Any, float] | FloatArray, n: int | None = None) -> FuzzyMeasure:
        """Return the measure with a given Möbius transform; subsets left out have m = 0.

        A transform that stays within subsets of at most k sources makes a k-additive measure.

        Examples
        --------
        >>> mu = FuzzyMeasure.from_mobius({(0,): 0.25, (1,): 0.25, (0, 2): 0.5}, n=3)
        >>> mu([0, 1]), mu.additivity()
        (0.5, 2)
        """
        if not isinstance(mobius, Mapping):
            return cls(zeta_transform(np.array(mobius, dtype=np.float64)), n)
        size = _count_sources(mobius) if n is None else n
        check_parameters("FuzzyMeasure", {"n": size}, {"n": Integer(1, MAX_SOURCES)})
        values = np.zeros(1 << size)
        for subset, value in mobius.items():
            values[_bits(subset, size)] = value
        return cls(zeta_transform(values))


def _sources(values: FloatArray) -> int:
    n = int(values.size).bit_length() - 1
    if values.ndim != 1 or values.size != 1 << n or not 1 <= n <= MAX_SOURCES:
        raise ParameterError(
            f"FuzzyMeasure: values must be 2^n numbers for n between 1 and {MAX_SOURCES}; got {values.size}."
        )
    return n


def _sizes(n: int) -> IntArray:
    return np.bitwise_count(np.arange(1 << n)).astype(np.int64)


def _sums(weights: FloatArray) -> FloatArray:
    """Return the sum of weights over every subset."""
    if weights.size > MAX_SOURCES:
        raise ParameterError(f"FuzzyMeasure: weights must be at most {MAX_SOURCES}; got {weights.size}.")
    values = np.zeros(1)
    for weight in weights:
        values = np.concatenate([values, values + weight])
    return values


def _show(subset: int) -> str:
    members = [str(i) for i in range(MAX_SOURCES) if subset >> i & 1]
    return "{" + ", ".join(members) + "}" if members else "∅"


def _bits(subset: Iterable[int] | int, n: int) -> int:
    bits = int(subset) if isinstance(subset, (int, np.integer)) else sum(1 << i for i in {int(i) for i in subset})
    if not 0 <= bits < 1 << n:
        raise ParameterError(f"FuzzyMeasure: a subset must name sources from 0 to {n - 1}.")
    return bits


def _count_sources(values: Mapping[Any, float]) -> int:
    return max((_bits(subset, 63).bit_length() for subset in values), default=0)


def _from_mapping(values: Mapping[Any, float], n: int | None) -> FloatArray:
    size = _count_sources(values) if n is None else n
    check_parameters("FuzzyMeasure", {"n": size}, {"n": Integer(1, MAX_SOURCES)})
    array = np.full(1 << size, np.nan)
    array[0] = 0.0
    for subset, value in values.items():
        array[_bits(subset, size)] = value
    absent = np.flatnonzero(np.isnan(array))
    if absent.size:
        raise ParameterError(
            f"FuzzyMeasure: every subset needs a measure; {absent.size} of {array.size} have none, "
            f"the first being {_show(int(absent[0]))}.",
            hint="from_mobius takes the subsets it is given as all there is.",
        )
    return array


def _sugeno_rate(densities: FloatArray) -> float:
    """Solve 1 + λ = Π(1 + λ·g_i) for the λ > −1 that is not the trivial 0, unless the densities sum to 1."""
    total = float(densities.sum())
    if abs(total - 1.0) < 1e-12:
        return 0.0

    from scipy.optimize import brentq

    def gap(rate: float) -> float:
        return float(np.log1p(rate * densities).sum() - np.log1p(rate))

    if total > 1.0:
        nearest = -1.0 + 1e-15
        if (densities >= 1.0).any() or gap(nearest) <= 0:
            return -1.0
        bound = -0.5
        while gap(bound) > 0:
            bound /= 2
        return float(brentq(gap, nearest, bound, xtol=1e-16))
    if (densities > 0).sum() < 2:
        raise ParameterError("FuzzyMeasure: densities that sum to less than 1 need at least two positive ones.")
    low, high = 1.0, 1.0
    while gap(high) < 0:
        high *= 2
    while gap(low) > 0:
        low /= 2
    return float(brentq(gap, low, high, xtol=1e-300, rtol=1e-15))
