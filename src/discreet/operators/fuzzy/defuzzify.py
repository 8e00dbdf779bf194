"""Defuzzification as aggregation: values become a fuzzy set, the set is transformed, one element is selected.

The values to aggregate, with their weights, make the fuzzy set ``μ(x) = Σ of the weights of the values equal to x``.
Any pipeline of transformations and a selection is therefore an operator::

    ConvexHull() | WOWTransformation(2) | MedianSelection()
    Defuzzifier([ConvexHull(), RAGE()], random_state=0)

The papers' named products are functions here: `convex_rage`, `cwow_rage`, `cwow_median`, `choquet_median`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.operators.fuzzy.aggregation_transformations import ChoquetTransformation
from discreet.operators.fuzzy.element_selection import RAGE, MedianSelection, Selection
from discreet.operators.fuzzy.fuzzy_transformations import (
    ConvexHull,
    Normalisation,
    Transformation,
    TransformationChain,
    WOWTransformation,
    check_memberships,
    check_support,
)
from discreet.operators.levels.codes import CodeOperator, Groups
from discreet.operators.levels.wow import QuantifierSource
from discreet.operators.operator import Operator, register_operator
from discreet.parameters import Instance, Integer, Optional, Seed, check_parameters
from discreet.parameters.declaration import parameter
from discreet.typing import FloatArray, IntArray, RandomState

__all__ = ["Defuzzifier", "choquet_median", "convex_rage", "cwow_median", "cwow_rage"]

# Memberships of a block of groups: half a megabyte, so that the passes of a pipeline stay in the processor's cache.
_BLOCK = 1 << 16


@register_operator("defuzzifier")
class Defuzzifier(CodeOperator):
    """Transformations of a fuzzy set, then the selection of one element.

    Parameters
    ----------
    steps : sequence of Transformation, ending in a Selection
        Applied from the first to the last. ``a | b | selection`` makes the same object.
    n_levels : int, optional
        Size of the scale. Needed where a step depends on the whole scale, such as `ChoquetTransformation`.
    random_state : int or numpy.random.Generator, optional
        For random selections: one draw for each collection, in order.

    Notes
    -----
    A seed gives the same draws at every call; a generator goes on from where it was.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Extending microaggregation procedures using defuzzification methods; Yager (1996),
    Knowledge-based defuzzification.

    Examples
    --------
    >>> pipeline = ConvexHull() | WOWTransformation(2) | MedianSelection()
    >>> pipeline([4, 1, 0, 2, 1, 0, 4, 5, 1])
    3
    >>> pipeline.defuzzify([2, 3, 1, 0, 2, 1, 0]).tolist()
    [3]
    """

    weighted: ClassVar[bool] = True
    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "symmetric"})
    steps: Sequence[Transformation | Selection] = parameter(
        Instance(object, "a list of transformations that ends in a selection"), kw_only=False
    )
    n_levels: int | None = parameter(Optional(Integer(1)), default=None)
    random_state: RandomState = parameter(Seed(), default=None)

    def __post_init__(self) -> None:
        self.steps = list(self.steps)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cwow_median(2.0), choquet_median(7), cls([Normalisation(), MedianSelection(side="lower")])]

    @property
    def domain(self) -> tuple[float, float]:
        return (0.0, np.inf if self.n_levels is None else float(self.n_levels - 1))

    def defuzzify(self, memberships: Any) -> NDArray[Any]:
        """Return one element for a fuzzy set, or for each row of a matrix of memberships."""
        transformations, selection = self._split()
        rows = check_memberships("Defuzzifier", memberships)
        draws = self._draws(selection, rows.shape[0])
        return _run(transformations, selection, rows, draws)

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> NDArray[Any]:
        transformations, selection = self._split()
        groups = self._groups(values, offsets, weights, n_levels=self.n_levels)
        if self.n_levels is None and any(step.needs_scale for step in transformations):
            raise ParameterError(
                "Defuzzifier: n_levels must be given, because a step depends on the whole scale; got None.",
                hint="Defuzzifier([…], n_levels=7).",
            )
        draws = self._draws(selection, groups.offsets.size - 1)
        size = self.n_levels or int(groups.values.max()) + 1
        parts = [_run(transformations, selection, rows, draws[block]) for block, rows in _memberships(groups, size)]
        return np.concatenate(parts)

    def _split(self) -> tuple[list[Transformation], Selection]:
        self.check_parameters()
        if not self.steps or not isinstance(self.steps[-1], Selection):
            raise ParameterError("Defuzzifier: steps must end in a selection.", hint="Such as MedianSelection().")
        transformations: list[Transformation] = []
        for step in self.steps[:-1]:
            if not isinstance(step, Transformation):
                raise ParameterError("Defuzzifier: steps before the last must be transformations.")
            transformations += step.steps if isinstance(step, TransformationChain) else [step]
        return transformations, self.steps[-1]

    def _draws(self, selection: Selection, size: int) -> FloatArray:
        if not selection.random:
            return np.empty(size)
        return np.random.default_rng(self.random_state).random(size)


def convex_rage(*, n_levels: int | None = None, random_state: RandomState = None) -> Defuzzifier:
    """Return the Convex-RAGE operator: a level between the values at random, as likely as its filled frequency."""
    return Defuzzifier([ConvexHull(), RAGE()], n_levels=n_levels, random_state=random_state)


def cwow_rage(
    alpha: float = 1.0,
    *,
    quantifier: QuantifierSource = None,
    n_levels: int | None = None,
    random_state: RandomState = None,
) -> Defuzzifier:
    """Return the CWOW-RAGE operator: convex, bent by a quantifier, then a level at random."""
    return Defuzzifier(
        [ConvexHull(), WOWTransformation(alpha, quantifier=quantifier), RAGE()],
        n_levels=n_levels,
        random_state=random_state,
    )


def cwow_median(alpha: float = 1.0, *, quantifier: QuantifierSource = None, n_levels: int | None = None) -> Defuzzifier:
    """Return the CWOW-median as a pipeline; `discreet.operators.levels.wow.CWOWMedian` is the same operator, faster.

    Examples
    --------
    >>> cwow_median(2)([4, 1, 0, 2, 1, 0, 4, 5, 1])
    3
    """
    return Defuzzifier(
        [ConvexHull(), WOWTransformation(alpha, quantifier=quantifier), MedianSelection()], n_levels=n_levels
    )


def choquet_median(n_levels: int, *, normalisation: Literal["each", "common"] = "each") -> Defuzzifier:
    """Return the Choquet-median operator: frequencies smoothed over runs of levels, then the median.

    Examples
    --------
    >>> choquet_median(7)([4, 1, 0, 2, 1, 0, 4, 5, 1])
    1
    """
    return Defuzzifier([ChoquetTransformation(normalisation), MedianSelection()], n_levels=n_levels)


def _run(
    transformations: Sequence[Transformation], selection: Selection, rows: FloatArray, draws: FloatArray
) -> NDArray[Any]:
    steps: list[Transformation | Selection] = [*transformations, selection]
    for step in steps:
        owner = type(step).__name__
        check_parameters(owner, vars(step), step.parameters)
        # Steps make finite memberships out of finite ones, but one may leave nothing for the next.
        check_support(owner, rows)
        if isinstance(step, Transformation):
            rows = step.transform(rows)
    return selection.select(rows, draws)


def _memberships(groups: Groups, size: int) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the fuzzy sets of consecutive blocks of groups, as dense rows."""
    values, offsets, weights = groups
    count = offsets.size - 1
    height = max(1, _BLOCK // size)
    for begin in range(0, count, height):
        end = min(begin + height, count)
        inside = slice(int(offsets[begin]), int(offsets[end]))
        owners = np.repeat(np.arange(end - begin), np.diff(offsets[begin : end + 1]))
        cells = owners * size + values[inside]
        rows = np.asarray(np.bincount(cells, weights[inside], (end - begin) * size), dtype=np.float64)
        yield slice(begin, end), rows.reshape(end - begin, size)
