"""One rule for plain values: what JSON and TOML can hold of a parameter, a detail or a result."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

__all__ = ["is_scalar", "plain", "scalar_or_text", "shown"]


def is_scalar(value: Any) -> bool:
    """Say whether a value is plain by itself: None, True or False, a number or text."""
    return value is None or isinstance(value, (bool, int, float, str))


def shown(value: Any) -> str:
    """Return an object as its own text; it may have a seed, which no record shows.

    Examples
    --------
    >>> class Operator:
    ...     def __repr__(self):
    ...         return "Operator(p=2, random_state=7)"
    >>> shown(Operator())
    'Operator(p=2, random_state=…)'
    """
    return re.sub(r"random_state=[^,()]*(\([^()]*\)[^,()]*)?", "random_state=…", repr(value))


def scalar_or_text(value: Any) -> Any:
    """Return a value for one cell of a table: a scalar as it is, anything else as its own text.

    Examples
    --------
    >>> scalar_or_text(3), scalar_or_text((0.85, 0.95))
    (3, '(0.85, 0.95)')
    """
    return value if is_scalar(value) else shown(value)


def plain(value: Any, other: Callable[[Any], Any] = shown, *, scalar: Callable[[Any], bool] = is_scalar) -> Any:
    """Return a value as nested lists and mappings of scalars.

    Parameters
    ----------
    value : any
        NumPy's numbers become Python's, arrays and tuples lists, sets sorted lists, paths text; the keys of a mapping
        become text.
    other : callable
        What becomes of anything else, an operator for example; it may refuse.
    scalar : callable
        Which values are left as they are.

    Examples
    --------
    >>> plain({1: (np.float64(0.5), {"b", "a"}), "matrix": np.eye(2, dtype=int)})
    {'1': [0.5, ['a', 'b']], 'matrix': [[1, 0], [0, 1]]}
    """
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if scalar(value):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item, other, scalar=scalar) for key, item in value.items()}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, AbstractSet):
        value = sorted(value, key=str)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [plain(item, other, scalar=scalar) for item in value]
    return other(value)
