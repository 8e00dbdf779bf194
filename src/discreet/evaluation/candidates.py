"""Candidates of a study: maskers, written down one by one or as a grid."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from discreet.base import Masker
from discreet.errors import ParameterError

__all__ = ["grid"]


def grid(method: type[Masker], **values: Any) -> list[Masker]:
    """Return one masker for every combination of the given parameter values.

    Parameters
    ----------
    method : class of a masker
    **values
        A list of values for each parameter that varies; anything else is taken as one value.

    Returns
    -------
    list of Masker
        In the order in which the last parameter varies fastest; lists of candidates are joined with ``+``.

    Examples
    --------
    >>> from discreet.masking.microaggregation.mdav import MDAV
    >>> grid(MDAV, k=[3, 5], standardise="range")
    [MDAV(standardise='range'), MDAV(k=5, standardise='range')]
    """
    known = method.parameter_names()
    for name in values:
        if name not in known:
            raise ParameterError(
                f"{method.__name__}: there is no parameter {name!r}.", hint=f"Parameters are {', '.join(known)}."
            )
    lists = [list(v) if _is_list(v) else [v] for v in values.values()]
    combinations: Iterable[Sequence[Any]] = itertools.product(*lists)
    return [method(**dict(zip(values, combination, strict=True))) for combination in combinations]


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, range)) or (
        isinstance(value, Sequence) and not isinstance(value, (str, bytes, tuple))
    )
