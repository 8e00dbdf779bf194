"""Operators that read numbers behind the labels: positions (linguistic OWA) or declared intervals (semantics mean)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.data.scales.semantics import IntervalSemantics
from discreet.errors import ParameterError
from discreet.kernels.values.aggregate_ordinal import linguistic_means
from discreet.operators.levels.codes import CodeOperator, sorted_order
from discreet.operators.levels.wow import QUANTIFIER_SOURCE, QuantifierSource, read_quantifier
from discreet.operators.operator import Operator, check_weights, register_operator
from discreet.parameters import Instance, Number
from discreet.parameters.declaration import parameter
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["LinguisticOWA", "LinguisticWOWA", "SemanticsMean"]


@register_operator("linguistic-owa")
class LinguisticOWA(CodeOperator):
    """The linguistic OWA: labels combined two at a time, rounding to a label after every step.

    The largest label is combined with the combination of the rest:
    ``C(w, j; 1 − w, i) = i + round(w · (j − i))`` for positions j ≥ i, halves rounded up. The rounding at every step
    makes it differ from the rounded mean of the positions.

    Parameters
    ----------
    alpha : float
        Weights by rank from the quantifier ``x ** alpha``, the largest value first: α < 1 leans to large values.
    quantifier : Quantifier, callable or str, optional
        Used instead of the power.
    vector : sequence of float, optional
        A weight for each rank, summing to one, used instead of a quantifier; collections then have its length.

    References
    ----------
    Herrera, Herrera-Viedma and Verdegay (1995), A sequential selection process in group decision making with a
    linguistic assessment approach.

    Examples
    --------
    With thirds: round(4 · 1/2) = 2 over the two smallest, 0 and 4; then 2 + round((5 − 2) / 3) = 3:

    >>> LinguisticOWA()([0, 5, 4])
    3
    """

    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "monotone", "symmetric"})

    alpha: float = parameter(Number(0, open_low=True), default=1.0, kw_only=False)
    quantifier: QuantifierSource = parameter(QUANTIFIER_SOURCE, default=None)
    vector: Any = parameter(Instance(object, "None or a weight vector"), default=None)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(), cls(0.5), cls(quantifier="most"), cls(vector=(0.5, 0.3, 0.2))]

    @property
    def arity(self) -> int | None:
        return None if self.vector is None else int(np.size(self.vector))

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        groups = self._groups(values, offsets, weights)
        sizes = np.diff(groups.offsets)
        if self.vector is not None:
            ranked = check_weights("LinguisticOWA", self.vector, int(np.size(self.vector)), total=1.0)
            wrong = int((sizes != ranked.size).sum())
            if wrong:
                raise ParameterError(
                    f"LinguisticOWA: vector must have one weight for each value; "
                    f"{wrong} of {sizes.size} collections do not have {ranked.size} values."
                )
            shares = np.tile(ranked, sizes.size)
        else:
            quantifier = read_quantifier("LinguisticOWA", self.alpha, self.quantifier)
            ranks = np.arange(1, groups.values.size + 1) - np.repeat(groups.offsets[:-1], sizes)
            whole = np.repeat(sizes, sizes)
            shares = quantifier.evaluate(ranks / whole) - quantifier.evaluate((ranks - 1) / whole)
        ascending = groups.values[sorted_order(groups.values, groups.offsets)]
        # Descending within each group: mirror every group in place.
        mirror = np.repeat(groups.offsets[:-1] + groups.offsets[1:] - 1, sizes) - np.arange(ascending.size)
        out = np.empty(sizes.size, dtype=np.int32)
        linguistic_means(ascending[mirror], groups.offsets, shares, out)
        return out


@register_operator("linguistic-wowa")
class LinguisticWOWA(CodeOperator):
    """The linguistic WOWA: the linguistic OWA whose weights come from places and from sources together.

    Sources have weights p; the label at place i, the largest first, gets Q(p of the first i) − Q(p of the first i − 1),
    and labels are combined as by :class:`LinguisticOWA`. Without weights it is that operator.

    Parameters
    ----------
    alpha : float
        The quantifier ``x ** alpha``: α < 1 leans to large values.
    quantifier : Quantifier, callable or str, optional
        Used instead of the power.

    Notes
    -----
    O(n log n). Of equal labels the one with the larger weight comes first, so that the order of the sources does not
    matter. Rounding after every step can break monotonicity where sources have different weights.

    References
    ----------
    Torra (1997), The weighted OWA operator; Domingo-Ferrer and Torra, Median based aggregation operators, section 1.

    Examples
    --------
    A source of weight 3 among 5, with the largest label: 0 + round(3/5 · 5) = 3 against 0, 0:

    >>> LinguisticWOWA()([5, 0, 0], weights=[3, 1, 1]), LinguisticWOWA()([5, 0, 0])
    (3, 2)
    """

    weighted: ClassVar[bool] = True
    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "symmetric"})

    alpha: float = parameter(Number(0, open_low=True), default=1.0, kw_only=False)
    quantifier: QuantifierSource = parameter(QUANTIFIER_SOURCE, default=None)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(), cls(0.5), cls(quantifier="most")]

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        groups = self._groups(values, offsets, weights)
        quantifier = read_quantifier("LinguisticWOWA", self.alpha, self.quantifier)
        sizes, starts = np.diff(groups.offsets), groups.offsets[:-1]
        order = np.lexsort((-groups.weights, -groups.values, np.repeat(np.arange(sizes.size), sizes)))
        sorted_weights = groups.weights[order]
        total = np.repeat(np.add.reduceat(sorted_weights, starts), sizes)
        ends = np.cumsum(sorted_weights)
        reached = (ends - np.repeat(ends[starts] - sorted_weights[starts], sizes)) / total
        reached[groups.offsets[1:] - 1] = 1.0
        before = np.roll(reached, 1)
        before[starts] = 0.0
        shares = quantifier.evaluate(np.minimum(reached, 1.0)) - quantifier.evaluate(np.minimum(before, 1.0))
        out = np.empty(sizes.size, dtype=np.int32)
        linguistic_means(groups.values[order], groups.offsets, shares, out)
        return out


@register_operator("semantics-mean")
class SemanticsMean(CodeOperator):
    """The level in whose interval the mean of the values' interval centres lies.

    Where every level is part of the semantics' partition it is unanimous, monotone and between the smallest and the
    largest value. A level that overlaps others has a centre but is never returned, so that many times *mild* gives
    the level of the partition in which mild's centre lies.

    Parameters
    ----------
    semantics : IntervalSemantics
        The interval of every level.

    Notes
    -----
    With weights, the weighted mean of the centres. Intervals are left-closed: a mean on a boundary belongs to the
    level above.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Aggregation techniques for statistical confidentiality, Definition 2.

    Examples
    --------
    The centres 2, 6 and 9 have the mean 5.67, which lies in [4, 8):

    >>> SemanticsMean(IntervalSemantics((0, 4, 8), (4, 8, 10)))([0, 1, 2])
    1
    """

    weighted: ClassVar[bool] = True
    properties: ClassVar[frozenset[str]] = frozenset({"symmetric"})
    semantics: IntervalSemantics = parameter(Instance(IntervalSemantics, "an IntervalSemantics"), kw_only=False)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [
            cls(IntervalSemantics((0, 2, 3, 5), (2, 3, 5, 9))),
            cls(IntervalSemantics((0, 0, 2, 4), (2, 4, 4, 5), (True, False, True, True))),
        ]

    @property
    def domain(self) -> tuple[float, float]:
        return (0.0, float(self.semantics.size - 1))

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        size = self.semantics.size if isinstance(self.semantics, IntervalSemantics) else None
        groups = self._groups(values, offsets, weights, n_levels=size)
        centers = self.semantics.centers[groups.values]
        starts = groups.offsets[:-1]
        totals = np.add.reduceat(groups.weights, starts)
        return self.semantics.locate(np.add.reduceat(groups.weights * centers, starts) / totals)
