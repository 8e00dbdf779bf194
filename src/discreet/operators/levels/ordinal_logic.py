"""Arithmetic on an ordered scale: a t-norm, a t-conorm and the negation, as tables over positions of levels.

On a scale ``0 … R`` the t-conorm plays addition and the t-norm what addition carries over when the scale is full:
for Łukasiewicz' pair, ``i + j = S(i, j) + T(i, j)``. Repeated addition then runs on an extended scale, a descending
sequence of levels, which is how ordinal weighted means are built.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.errors import ParameterError
from discreet.parameters import Integer, check_parameters
from discreet.typing import CodeArray

__all__ = ["OrdinalLogic"]


@dataclass(frozen=True, eq=False)
class OrdinalLogic:
    """A t-norm and a t-conorm on the positions ``0 … R`` of a scale, with the negation ``N(i) = R − i``.

    Parameters
    ----------
    tnorm : array of shape (R + 1, R + 1)
        ``tnorm[i, j]``: commutative, associative, monotone, with the top as its neutral element.
    tconorm : array, optional
        The same with the bottom as its neutral element; by default the dual ``N(T(N(i), N(j)))``.

    Raises
    ------
    ParameterError
        A table that breaks an axiom; the message gives positions at which it does.

    References
    ----------
    Mayor and Torrens (1993), On a class of operators for expert systems; Godo and Torra (2000), On aggregation
    operators for ordinal qualitative information.

    Examples
    --------
    >>> logic = OrdinalLogic.lukasiewicz(5)
    >>> int(logic.tnorm[3, 2]), int(logic.tconorm[3, 2]), logic.negate(1)
    (1, 4, 3)
    """

    tnorm: CodeArray
    tconorm: CodeArray
    kind: str = "given"

    def __init__(self, tnorm: Any, tconorm: Any = None, *, kind: str = "given") -> None:
        norm = _read_table("tnorm", tnorm)
        top = norm.shape[0] - 1
        conorm = top - norm[::-1, ::-1] if tconorm is None else _read_table("tconorm", tconorm)
        conorm = np.ascontiguousarray(conorm, dtype=np.int32)
        if conorm.shape != norm.shape:
            raise ParameterError(
                f"OrdinalLogic: tconorm must be on the {top + 1} levels of tnorm; got {conorm.shape[0]}."
            )
        object.__setattr__(self, "tnorm", norm)
        object.__setattr__(self, "tconorm", conorm)
        object.__setattr__(self, "kind", kind)
        if kind == "given":
            _check_axioms("tnorm", norm, neutral=top)
            _check_axioms("tconorm", conorm, neutral=0)

    def __repr__(self) -> str:
        return f"OrdinalLogic({self.kind}, n_levels={self.n_levels})"

    @property
    def n_levels(self) -> int:
        """Number of levels of the scale."""
        return int(self.tnorm.shape[0])

    def negate(self, code: int) -> int:
        """Return N(code), the level as far from the top as `code` is from the bottom."""
        return self.n_levels - 1 - code

    @classmethod
    def lukasiewicz(cls, n_levels: int) -> OrdinalLogic:
        """Return max(0, i + j − R) and min(R, i + j): plain addition with a carry."""
        i, j, top = _grid(n_levels)
        return cls(np.maximum(0, i + j - top), kind="lukasiewicz")

    @classmethod
    def minimum(cls, n_levels: int) -> OrdinalLogic:
        """Return min(i, j) and max(i, j): addition that only sorts."""
        i, j, _ = _grid(n_levels)
        return cls(np.minimum(i, j), kind="minimum")

    @classmethod
    def nilpotent_minimum(cls, n_levels: int) -> OrdinalLogic:
        """Return the minimum where i + j > R and the bottom elsewhere, with its dual."""
        i, j, top = _grid(n_levels)
        return cls(np.where(i + j > top, np.minimum(i, j), 0), kind="nilpotent_minimum")

    @classmethod
    def ordinal_sum(cls, n_levels: int, idempotents: Iterable[int]) -> OrdinalLogic:
        """Return Łukasiewicz' t-norm on each stretch between idempotent levels and the minimum elsewhere.

        These are all the smooth t-norms of a finite scale: with no idempotent but the ends Łukasiewicz', with all
        levels the minimum. The t-conorm has the same stretches, so that ``S(i, j) + T(i, j) = i + j``.
        """
        i, j, top = _grid(n_levels)
        marks = sorted({0, top, *(int(level) for level in idempotents)})
        if marks[0] < 0 or marks[-1] > top:
            raise ParameterError(f"OrdinalLogic: idempotents must lie between 0 and {top}.")
        norm = np.minimum(i, j)
        for low, high in pairwise(marks):
            inside = (i >= low) & (i <= high) & (j >= low) & (j <= high)
            norm = np.where(inside, np.maximum(low, i + j - high), norm)
        return cls(norm, i + j - norm, kind="ordinal_sum")


def _grid(n_levels: int) -> tuple[Any, Any, int]:
    check_parameters("OrdinalLogic", {"n_levels": n_levels}, {"n_levels": Integer(2)})
    i, j = np.indices((n_levels, n_levels))
    return i, j, n_levels - 1


def _read_table(name: str, table: Any) -> CodeArray:
    array = np.asarray(table)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.shape[0] < 2 or array.dtype.kind not in "iu":
        raise ParameterError(f"OrdinalLogic: {name} must be a square table of integers; got shape {array.shape}.")
    if array.min() < 0 or array.max() >= array.shape[0]:
        raise ParameterError(f"OrdinalLogic: {name} must hold positions between 0 and {array.shape[0] - 1}.")
    return np.ascontiguousarray(array, dtype=np.int32)


def _check_axioms(name: str, table: CodeArray, *, neutral: int) -> None:
    levels = np.arange(table.shape[0])
    # Row (i, j), column k: (i ∘ j) ∘ k beside i ∘ (j ∘ k).
    faults = {
        "commutative": np.argwhere(table != table.T),
        f"neutral at {neutral}": np.argwhere(table[neutral] != levels),
        "monotone": np.argwhere(np.diff(table, axis=0) < 0),
        "associative": np.argwhere(table[table] != table[levels[:, None, None], table[None, :, :]]),
    }
    for axiom, places in faults.items():
        if places.size:
            position = ", ".join(str(place) for place in places[0].tolist())
            raise ParameterError(f"OrdinalLogic: {name} must be {axiom}; it is not at ({position}).")
