"""Candidates of a study: every combination of lists of parameters, and as a user types them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, cast

from discreet import catalogue
from discreet.catalogue import parse_parameters
from discreet.contracts.masker import Masker
from discreet.errors import ParameterError, wrong_type
from discreet.registry import unknown_parameter

__all__ = ["grid", "parse_attribute_sets", "parse_candidates"]


def grid(method: type[Masker] | str, **values: Any) -> list[Masker]:
    """Return one masker for every combination of the given parameter values.

    Parameters
    ----------
    method : class of a masker, or its name
    **values
        A list of values for each parameter that varies; anything else is taken as one value.

    Returns
    -------
    list of Masker
        In the order in which the last parameter varies fastest; lists of candidates are joined with ``+``.

    Examples
    --------
    >>> from discreet.masking.microaggregation.numbers.mdav import MDAV
    >>> [one.label() for one in grid(MDAV, k=[3, 5], standardise="range")]
    ['mdav(k=3, standardise=range)', 'mdav(k=5, standardise=range)']
    """
    if isinstance(method, str):
        method = cast("type[Masker]", catalogue.method("masker", method))
    if not isinstance(method, type) or not issubclass(method, Masker):
        raise wrong_type("grid", "method must be a masker's class or name", method, "grid(MDAV, k=[3, 5])")
    parameters = method.parameter_names()
    for name in values:
        if name not in parameters:
            raise unknown_parameter(method.__name__, name, parameters)
    lists = [list(v) if _is_list(v) else [v] for v in values.values()]
    combinations: Iterable[Sequence[Any]] = itertools.product(*lists)
    return [method(**dict(zip(values, combination, strict=True))) for combination in combinations]


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, range)) or (
        isinstance(value, Sequence) and not isinstance(value, (str, bytes, tuple))
    )


def parse_candidates(texts: Sequence[str]) -> list[Masker]:
    """Read candidates of a study as a user types them.

    Examples
    --------
    >>> [one.label() for one in parse_candidates(["mdav k=3,5", "individual-ranking k=4 sizes=fixed"])]
    ['mdav(k=3)', 'mdav(k=5)', 'individual-ranking(k=4, sizes=fixed)']
    """
    candidates: list[Masker] = []
    for text in texts:
        if not text.strip():
            raise ParameterError("A candidate is written 'mdav k=3,5,10'; got nothing.")
        name, *pairs = text.split()
        lists: dict[str, list[Any]] = {}
        for pair in pairs:
            key, equals, values = pair.partition("=")
            if not equals:
                raise ParameterError(f"A candidate is written 'mdav k=3,5,10'; got {text!r}.")
            lists[key] = [parse_parameters("masker", name, {key: value})[key] for value in values.split(",")]
        candidates += grid(catalogue.method("masker", name), **lists)
    return candidates


def parse_attribute_sets(texts: Sequence[str]) -> dict[str, list[str]]:
    """Read attribute sets as a user types them: a name, and the keys that the file has in it.

    Examples
    --------
    >>> parse_attribute_sets(["o=BUILT,DEGREE", "METRO, SCH"])
    {'o': ['BUILT', 'DEGREE'], 'METRO, SCH': ['METRO', 'SCH']}
    """
    result: dict[str, list[str]] = {}
    for text in texts:
        name, equals, names = text.partition("=")
        keys = [key.strip() for key in (names if equals else text).split(",")]
        label = name.strip() if equals else ", ".join(keys)
        if not label or not all(keys):
            raise ParameterError(f"An attribute set is written 'name=KEY,KEY'; got {text!r}.")
        if label in result:
            raise ParameterError(f"There are two attribute sets {label!r}.", hint="Give each a name of its own.")
        result[label] = keys
    return result
