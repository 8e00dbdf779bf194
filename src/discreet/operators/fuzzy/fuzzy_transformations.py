"""First stage of defuzzification: fuzzy sets on a scale become other fuzzy sets on it.

A fuzzy set is a row of memberships, one per level; many of them are the rows of a matrix. Transformations are chained
with ``|``, and end in a selection (see `discreet.operators.fuzzy.element_selection`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np

from discreet.errors import DataError
from discreet.operators.levels.wow import QUANTIFIER_SOURCE, QuantifierSource, read_quantifier
from discreet.parameters import Instance, Number, check_parameters
from discreet.parameters.declaration import Parameterised, parameter
from discreet.typing import FloatArray

if TYPE_CHECKING:
    from discreet.operators.fuzzy.defuzzify import Defuzzifier
    from discreet.operators.fuzzy.element_selection import Selection

__all__ = [
    "AlphaCut",
    "ConvexHull",
    "MostPossible",
    "Normalisation",
    "Transformation",
    "TransformationChain",
    "WOWTransformation",
    "check_memberships",
    "check_support",
]


def check_memberships(owner: str, memberships: Any) -> FloatArray:
    """Return fuzzy sets as the rows of a matrix, or say what is wrong with them."""
    array = np.ascontiguousarray(memberships, dtype=np.float64)
    if array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError(f"{owner}: a fuzzy set must be a row of memberships; got shape {array.shape}.")
    broken = ~np.isfinite(array) | (array < 0)
    if broken.any():
        raise DataError(f"{owner}: memberships must be finite and not negative; {int(broken.sum())} are not.")
    check_support(owner, array)
    return array


def check_support(owner: str, rows: FloatArray) -> None:
    """Refuse fuzzy sets without a membership above 0."""
    empty = int((~rows.any(axis=1)).sum())
    if empty:
        raise DataError(f"{owner}: {empty} of {rows.shape[0]} fuzzy sets have no membership above 0.")


class Transformation(Parameterised, ABC):
    """A fuzzy set to a fuzzy set on the same levels.

    `needs_scale` says that the result depends on the whole scale and not only on the levels with membership above 0.
    """

    needs_scale: ClassVar[bool] = False

    def __call__(self, memberships: Any) -> FloatArray:
        """Transform one fuzzy set, or each row of a matrix; the shape is kept."""
        owner = type(self).__name__
        check_parameters(owner, vars(self), self.parameters)
        rows = check_memberships(owner, memberships)
        return self.transform(rows).reshape(np.shape(memberships))

    @abstractmethod
    def transform(self, rows: FloatArray) -> FloatArray:
        """Transform rows that were checked, none of them empty."""

    @overload
    def __or__(self, other: Transformation) -> TransformationChain: ...
    @overload
    def __or__(self, other: Selection) -> Defuzzifier: ...
    def __or__(self, other: Transformation | Selection) -> TransformationChain | Defuzzifier:
        if isinstance(other, Transformation):
            return TransformationChain([*_steps(self), *_steps(other)])
        from discreet.operators.fuzzy.defuzzify import Defuzzifier

        return Defuzzifier([*_steps(self), other])

    def __repr__(self) -> str:
        fields = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({fields})"


class TransformationChain(Transformation):
    """Transformations applied one after the other."""

    steps: Sequence[Transformation] = parameter(Instance(object, "a list of transformations"), kw_only=False)

    def __post_init__(self) -> None:
        self.steps = list(self.steps)

    def transform(self, rows: FloatArray) -> FloatArray:
        for step in self.steps:
            rows = step(rows)
        return rows


def _steps(transformation: Transformation) -> Sequence[Transformation]:
    return transformation.steps if isinstance(transformation, TransformationChain) else [transformation]


class Normalisation(Transformation):
    """Memberships divided by their sum: a probability distribution.

    Examples
    --------
    >>> Normalisation()([1, 3, 0]).tolist()
    [0.25, 0.75, 0.0]
    """

    def transform(self, rows: FloatArray) -> FloatArray:
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))


class MostPossible(Transformation):
    """One where the membership is the largest, zero elsewhere.

    Examples
    --------
    >>> MostPossible()([1, 3, 0, 3]).tolist()
    [0.0, 1.0, 0.0, 1.0]
    """

    def transform(self, rows: FloatArray) -> FloatArray:
        heads = rows.max(axis=1, keepdims=True)
        return np.asarray(rows >= heads * (1 - 1e-12), dtype=np.float64)


class AlphaCut(Transformation):
    """Memberships below a threshold are set to zero, the others kept.

    Parameters
    ----------
    alpha : float
        The threshold, on the scale of the memberships. A set that lies below it altogether becomes empty, which the
        next step refuses.

    Examples
    --------
    >>> AlphaCut(0.5)([0.2, 0.5, 0.9]).tolist()
    [0.0, 0.5, 0.9]
    """

    alpha: float = parameter(Number(0), kw_only=False)

    def transform(self, rows: FloatArray) -> FloatArray:
        return np.where(rows >= self.alpha, rows, 0.0)


class ConvexHull(Transformation):
    """Valleys filled: a level between two others has at least the smaller of the memberships beside it.

    Examples
    --------
    >>> ConvexHull()([2, 3, 1, 0, 2, 1, 0]).tolist()
    [2.0, 3.0, 2.0, 2.0, 2.0, 1.0, 0.0]
    """

    def transform(self, rows: FloatArray) -> FloatArray:
        from_left = np.maximum.accumulate(rows, axis=1)
        from_right = np.maximum.accumulate(rows[:, ::-1], axis=1)[:, ::-1]
        return np.minimum(from_left, from_right)


class WOWTransformation(Transformation):
    """The rise of a quantifier over each level's stretch of the cumulated memberships, from the lowest level.

    Parameters
    ----------
    alpha : float
        The quantifier ``x ** alpha``: below 1 the low levels gain, above 1 the high ones.
    quantifier : Quantifier, callable or str, optional
        Used instead of the power.

    Examples
    --------
    >>> WOWTransformation(2)([1, 1, 2]).tolist()
    [0.0625, 0.1875, 0.75]
    """

    alpha: float = parameter(Number(0, open_low=True), default=1.0, kw_only=False)
    quantifier: QuantifierSource = parameter(QUANTIFIER_SOURCE, default=None)

    def transform(self, rows: FloatArray) -> FloatArray:
        quantifier = read_quantifier("WOWTransformation", self.alpha, self.quantifier)
        cumulated = np.cumsum(rows, axis=1)
        heights = quantifier.evaluate(cumulated / cumulated[:, -1:])
        return np.maximum(np.diff(heights, axis=1, prepend=0.0), 0.0)
