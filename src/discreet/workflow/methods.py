"""What there is to choose from, and how a user's text becomes a method with parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet import catalogue
from discreet.base import Masker
from discreet.errors import ParameterError, UnknownNameError
from discreet.evaluation.candidates import grid
from discreet.typing import Json

__all__ = ["describe_methods", "parse_candidates", "parse_parameters", "shares_attributes"]


def parse_parameters(contract: str, name: str, given: dict[str, str]) -> dict[str, Any]:
    """Read parameters that a user typed as text, by the constraints of the method they are for."""
    cls = catalogue.method(contract, name)
    known = cls.parameter_names()
    result = {}
    for key, text in given.items():
        if key == "random_state" and key not in known:
            continue  # a method without draws gives the same file for every seed
        if key not in known:
            raise ParameterError(f"{cls.__name__}: there is no parameter {key!r}.", hint=f"It has {', '.join(known)}.")
        constraint = cls.parameters.get(key)
        try:
            result[key] = text if constraint is None else constraint.parse(text)
        except ValueError:
            raise ParameterError(
                f"{cls.__name__}: {key} must be {constraint.describe() if constraint else 'text'}; got {text!r}."
            ) from None
    return result


def parse_candidates(texts: Sequence[str]) -> list[Masker]:
    """Read candidates of a study as a user types them.

    Examples
    --------
    >>> parse_candidates(["mdav k=3,5", "individual-ranking k=4 sizes=fixed"])
    [MDAV(), MDAV(k=5), IndividualRanking(k=4, sizes='fixed')]
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


def describe_methods(only: str | None = None) -> Json:
    """Return every method with its parameters and what each may be: what help texts and web controls are made of.

    Parameters
    ----------
    only : str, optional
        One method's name, in whichever contract it is registered.
    """
    result: Json = {}
    for contract, methods in (
        ("maskers", catalogue.maskers()),
        ("linkers", catalogue.linkers()),
        ("measures", catalogue.measures()),
    ):
        chosen = {name: _described(cls) for name, cls in methods.items() if only in (None, name)}
        if chosen or only is None:
            result[contract] = chosen
    if not result:
        raise UnknownNameError(f"There is no method named {only!r}.", hint="`discreet methods` lists them all.")
    return result


def _described(cls: type[Any]) -> Json:
    signature = cls._signature()
    return {
        "class": cls.__name__,
        "summary": " ".join((cls.__doc__ or "").strip().split("\n\n", 1)[0].split()),
        "scales": sorted(cls.scales),
        "parameters": {name: cls.parameters[name].describe() for name in signature if name in cls.parameters},
        "defaults": {name: _json_default(signature[name].default) for name in signature},
    }


def _json_default(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def shares_attributes(linker: str) -> bool:
    """Say whether a linker compares attributes that both files have, or finds its way without."""
    return bool(catalogue.method("linker", linker).needs_common_attributes)
