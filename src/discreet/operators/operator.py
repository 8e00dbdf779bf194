"""The contract of an operator: many values of one scale become one value of that scale.

An operator is called in three ways that give the same answers:

``operator(values, weights)``
    one collection;
``operator.batch(values, offsets, weights)``
    many collections at once, group ``g`` being ``values[offsets[g]:offsets[g + 1]]``;
``operator.by_label(values, labels, weights)``
    many collections, given by a group label per value.

An operator is handed numbers (``float64``) or, on an ordered or unordered scale, positions of levels (``int32``).
It never sees a table, a column name or a missing value: whoever calls it has put those away.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.kernels.grouping import group_order
from discreet.parameters import check_parameters
from discreet.parameters.declaration import Parameterised
from discreet.registry import Registry
from discreet.typing import FloatArray, IntArray

__all__ = [
    "OPERATORS",
    "Operator",
    "check_group_weights",
    "check_offsets",
    "check_weights",
    "operator_named",
    "operator_names",
    "refuse_weights",
    "register_operator",
]

OPERATORS: Registry[Operator] = Registry("operator")
"""Every operator by name: what batteries of tests, docs and maskers read."""

register_operator = OPERATORS.register
operator_names = OPERATORS.names
operator_named = OPERATORS.named


class Operator(Parameterised, ABC):
    """Many values of one scale to one value.

    Subclasses set `scales` (the kinds of scale they aggregate on: ``"numeric"``, ``"ordinal"``, ``"nominal"``),
    `weighted` (whether they use weights: one that cannot refuses them, it never ignores them) and `properties`
    (what they claim and the common battery tests: ``"unanimous"``, ``"bounded"``, ``"monotone"``, ``"symmetric"``).
    `weight_kind` says which weights: ``"real"`` (non-negative numbers), ``"whole"`` (counts) or ``"level"`` (positions
    on the scale of the values, the highest of each collection being the top).
    """

    name: ClassVar[str]
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    weighted: ClassVar[bool] = False
    weight_kind: ClassVar[str] = "real"
    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "monotone"})

    @classmethod
    def examples(cls) -> list[Operator]:
        """Return a few instances with typical parameters, for the common battery of tests."""
        return [cls()]

    @property
    def arity(self) -> int | None:
        """The number of values a collection must have, or None where any number will do."""
        return None

    @property
    def domain(self) -> tuple[float, float]:
        """The interval that values must come from; the whole line unless an operator says less."""
        return (-np.inf, np.inf)

    @abstractmethod
    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> NDArray[Any]:
        """Aggregate each group ``values[offsets[g]:offsets[g + 1]]``; one result a group."""

    def __call__(self, values: Any, weights: Any = None) -> Any:
        """Aggregate one collection."""
        array = self._as_values(values)
        importances = None if weights is None else _as_numbers(type(self).__name__, "weights", weights, ParameterError)
        return self.batch(array, np.array([0, array.size], dtype=np.int64), importances)[0].item()

    def by_label(self, values: Any, labels: Any, weights: Any = None, *, n_groups: int | None = None) -> NDArray[Any]:
        """Aggregate the values of each label ``0 … n_groups − 1``; one result a label, after an O(n) sort."""
        array = self._as_values(values)
        groups = np.asarray(labels)
        if groups.shape != array.shape or groups.dtype.kind not in "iu":
            raise DataError(f"{type(self).__name__}: labels must be {array.size} integers, one for each value.")
        if groups.size and (groups.min() < 0 or (n_groups is not None and groups.max() >= n_groups)):
            raise DataError(f"{type(self).__name__}: labels must run from 0 to the number of groups less one.")
        groups = np.ascontiguousarray(groups, dtype=np.int64)
        counts = np.bincount(groups, minlength=n_groups or 0)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        order = group_order(groups, offsets)
        if weights is None:
            return self.batch(array[order], offsets, None)
        importances = check_weights(type(self).__name__, weights, array.size)
        return self.batch(array[order], offsets, importances[order])

    def by_order(
        self, values: Any, order: IntArray, offsets: IntArray, weights: FloatArray | None = None
    ) -> NDArray[Any]:
        """Aggregate as :meth:`by_label` does, where labels were put in order once for many columns.

        Parameters
        ----------
        values : (m,) array
        order : (m,) int64
            The positions of the values, group after group.
        offsets : (groups + 1,) int64
            Where each group begins in that order.
        weights : (m,) float64, optional
            In that order.
        """
        return self.batch(self._as_values(values)[order], offsets, weights)

    def _as_values(self, values: Any) -> NDArray[Any]:
        owner = type(self).__name__
        codes = isinstance(values, np.ndarray) and values.dtype == np.int32 and values.ndim == 1
        if codes and "numeric" not in self.scales:
            return np.ascontiguousarray(values)
        array = _as_numbers(owner, "values", values)
        if "numeric" in self.scales:
            return array
        if not np.array_equal(array, np.trunc(array)):
            raise DataError(f"{owner}: values must be positions of levels, which are integers.")
        return array.astype(np.int32)

    def check_parameters(self) -> None:
        check_parameters(type(self).__name__, vars(self), self.parameters)

    def __repr__(self) -> str:
        fields = ", ".join(f"{key}={value!r}" for key, value in vars(self).items() if not key.startswith("_"))
        return f"{type(self).__name__}({fields})"


def _as_numbers(owner: str, what: str, values: Any, error: type[DiscreetError] = DataError) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise error(f"{owner}: {what} must be numbers.") from None
    if array.ndim != 1:
        raise error(f"{owner}: {what} must be one-dimensional; got {array.ndim} dimensions.")
    return np.ascontiguousarray(array)


def refuse_weights(owner: str, weights: Any) -> None:
    """Raise where weights reach an operator that has no use for them; ignoring them would be worse."""
    if weights is not None:
        raise ParameterError(f"{owner}: weights must be None, because this operator gives every value the same say.")


def check_offsets(owner: str, values: NDArray[Any], offsets: IntArray) -> None:
    """Refuse groups that are empty or do not cover the values, and values that are NaN."""
    if offsets.ndim != 1 or offsets.size < 2 or offsets[0] != 0 or offsets[-1] != values.size:
        raise DataError(f"{owner}: offsets must start at 0 and end at the number of values, {values.size}.")
    sizes = offsets[1:] - offsets[:-1]
    if sizes.min() <= 0:
        raise DataError(
            f"{owner}: {int((sizes <= 0).sum())} of {sizes.size} collections are empty.",
            hint="An operator needs at least one value.",
        )
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise DataError(
            f"{owner}: {int((~np.isfinite(values)).sum())} of {values.size} values are missing or infinite.",
            hint="Leave missing values out before aggregating.",
        )


def check_weights(
    owner: str, weights: Any, size: int, *, total: float | None = None, tolerance: float = 1e-9
) -> FloatArray:
    """Return weights as an array, or say what is wrong with them: length, sign, NaN, sum."""
    try:
        array = np.ascontiguousarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{owner}: weights must be numbers.") from None
    if array.shape != (size,):
        raise ParameterError(f"{owner}: weights must have length {size}; got shape {array.shape}.")
    if total is None and all_positive(array):
        return array
    if not np.isfinite(array).all():
        raise ParameterError(f"{owner}: weights must be finite; {int((~np.isfinite(array)).sum())} are not.")
    if (array < 0).any():
        raise ParameterError(f"{owner}: weights must not be negative; {int((array < 0).sum())} are.")
    if total is not None and abs(array.sum() - total) > tolerance:
        raise ParameterError(
            f"{owner}: weights must sum to {total:g}; they sum to {array.sum():.12g}.",
            hint="Divide them by their sum.",
        )
    if total is None and array.sum() <= 0:
        raise ParameterError(f"{owner}: at least one weight must be positive.")
    return array


def all_positive(weights: FloatArray) -> bool:
    """Say whether there are weights and all are positive and finite, which spares every other question about them."""
    # A NaN is the least and the largest of whatever it stands among, and neither above nor below anything.
    return bool(weights.size and weights.min() > 0 and weights.max() < np.inf)


def check_group_weights(owner: str, weights: Any, offsets: IntArray) -> FloatArray:
    """Return one weight a value, or say what is wrong; every group must have a positive weight."""
    array = check_weights(owner, weights, int(offsets[-1]))
    idle = np.add.reduceat(array, offsets[:-1]) <= 0
    if idle.any():
        raise ParameterError(f"{owner}: {int(idle.sum())} of {idle.size} collections have no positive weight.")
    return array
