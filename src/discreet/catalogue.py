"""The full list of methods, and how a user's text becomes a method with parameters.

Every file of the method rooms is imported, so that the registry is complete. A new method is one new file in its
room; nothing here changes.
"""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import discreet.linkage
import discreet.masking
import discreet.measures
from discreet import operators
from discreet.contracts.estimator import find, registered
from discreet.contracts.linker import nothing_in_common
from discreet.errors import DiscreetError, ParameterError, UnknownNameError
from discreet.operators.typed_operator import stands_for
from discreet.parameters import describe
from discreet.plain import scalar_or_text
from discreet.registry import unknown_name, unknown_parameter
from discreet.typing import Json

__all__ = [
    "build",
    "describe_methods",
    "describe_operators",
    "known",
    "linkers",
    "maskers",
    "measures",
    "method",
    "methods",
    "operator_parameter",
    "parse_measure",
    "parse_parameters",
    "read_parameters",
    "refuse_unshared",
    "shares_attributes",
    "split_typed",
]


_ROOMS = {"masker": discreet.masking, "linker": discreet.linkage, "measure": discreet.measures}
_CONTRACTS = tuple(_ROOMS)


@cache
def _load() -> None:
    for package in _ROOMS.values():
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            importlib.import_module(module.name)


@cache
def _load_named(contract: str, name: str) -> None:
    """Import the file that enters a name, told by its text; all files where there is none to be seen."""
    entered = f'@register("{name}")'
    package = _ROOMS[contract]
    for folder in map(Path, package.__path__):
        for path in sorted(folder.rglob("*.py")):
            if entered in path.read_text(encoding="utf-8"):
                inside = path.relative_to(folder).with_suffix("").parts
                importlib.import_module(".".join((package.__name__, *inside)))
    if name not in registered(contract):
        _load()


def maskers() -> dict[str, type[Any]]:
    """Return every masker by name."""
    _load()
    return registered("masker")


def linkers() -> dict[str, type[Any]]:
    """Return every linker by name."""
    _load()
    return registered("linker")


def measures(kind: str | None = None) -> dict[str, type[Any]]:
    """Return every measure by name; `kind` narrows to ``"loss"`` or ``"risk"``."""
    _load()
    return {name: cls for name, cls in registered("measure").items() if kind in (None, cls.kind)}


def methods(contract: str | None = None) -> dict[str, type[Any]]:
    """Return every method by name: maskers, linkers and measures.

    Parameters
    ----------
    contract : {"masker", "linker", "measure"}, optional
        Only those that keep this contract.

    Examples
    --------
    >>> methods("masker")["mdav"].__name__
    'MDAV'
    """
    _load()
    if contract is None:
        return {**registered("masker"), **registered("linker"), **registered("measure")}
    if contract not in _CONTRACTS:
        raise unknown_name("contract", contract, _CONTRACTS)
    return registered(contract)


def method(contract: str, name: str, where: str = "") -> type[Any]:
    """Return the class registered under a name, or say which names there are; `where` begins what is said."""
    if contract in _ROOMS and isinstance(name, str) and name not in registered(contract):
        _load_named(contract, name)
    return find(contract, name, where=where)


def known(contract: str, name: str) -> type[Any] | None:
    """Return the class registered under a name, None where there is none; only its own file is imported."""
    if name not in registered(contract):
        _load_named(contract, name)
    return registered(contract).get(name)


def build(
    contract: str,
    name: str,
    given: Mapping[str, Any],
    where: str = "",
    *,
    typed: bool = False,
    folder: str | os.PathLike[str] | None = None,
) -> Any:
    """Return a method with its parameters, checked, from what a file, a form or a command line says of it.

    Parameters
    ----------
    contract : {"masker", "linker", "measure"}
    name : str
        A registered name.
    given : mapping of str to value
        By parameter: text, or a value as a TOML file can hold it.
    where : str
        Where that stands, for messages: ``"Line 12: Step 2 (mdav)"``. By default they begin with the method's class.
    typed : bool
        Whether a person typed all values: ``"5"`` is then the number wherever a parameter may be one.
    folder : path, optional
        What paths in a file are relative to.

    Raises
    ------
    UnknownNameError, ParameterError
        With the nearest name, where one is not there; with what a parameter may be, where a value is outside of it.

    Examples
    --------
    >>> build("masker", "mdav", {"k": "5", "attributes": ["RENT"]})
    MDAV(k=5, ...attributes=['RENT']...)
    >>> build("masker", "mdav", {"K": 5}, "Line 3")
    Traceback (most recent call last):
    discreet.errors.SignatureError: Line 3: there is no parameter 'K'. Did you mean 'k'?
    """
    cls = method(contract, name, where)
    values = read_parameters(cls, given, where, typed=typed, folder=folder)
    absent = [one for one, p in cls.signature().items() if p.default is p.empty and one not in values]
    if absent:
        raise ParameterError(f"{where or cls.__name__}: {', '.join(absent)} must be given.")
    try:
        estimator = cls(**values)
        estimator.check_parameters()
    except DiscreetError as error:
        if not where:
            raise
        raise type(error)(f"{where}: {error.message}", hint=error.hint) from None
    return estimator


def split_typed(text: str, manner: str) -> tuple[str, dict[str, str]]:
    """Return the name and the parameters of a method that somebody typed in one text.

    Parameters
    ----------
    text : str
        The name, and parameters as name=value, separated by blanks.
    manner : str
        How it is written, for the message where it is not.

    Examples
    --------
    >>> split_typed("clustering clusters=4 attributes=age,income", "A measure is written 'clustering clusters=4'")
    ('clustering', {'clusters': '4', 'attributes': 'age,income'})
    """
    name, *pairs = text.split() or [""]
    typed = {}
    for pair in pairs:
        parameter, equals, value = pair.partition("=")
        if not equals:
            raise ParameterError(f"{manner}; got {text!r}.")
        typed[parameter] = value
    return name, typed


def parse_measure(text: str) -> Any:
    """Return a measure as somebody types it, with its parameters.

    Examples
    --------
    >>> parse_measure("clustering clusters=4").clusters
    4
    """
    return build("measure", *split_typed(text, "A measure is written 'clustering clusters=4'"), typed=True)


def read_parameters(
    cls: type[Any],
    given: Mapping[str, Any],
    where: str = "",
    *,
    typed: bool = False,
    folder: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Return values as a method takes them, by the constraints of its parameters; the same arguments as :func:`build`.

    Whether they are allowed is left to the method's door.
    """
    names = cls.parameter_names()
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in names:
            raise unknown_parameter(cls.__name__, name, names, where=where)
        constraint = cls.parameters.get(name)
        if constraint is None:
            values[name] = value
            continue
        try:
            values[name] = constraint.parse(value) if typed else constraint.read(value, folder)
        except ValueError as error:
            if isinstance(error, DiscreetError) and not isinstance(value, str):
                raise type(error)(f"{where or cls.__name__}: {error.message}", hint=error.hint) from None
            raise ParameterError(
                f"{where or cls.__name__}: {name} must be {constraint.describe()}; got {value!r}.",
                hint=constraint.reason(value),
            ) from None
    return values


def parse_parameters(contract: str, name: str, typed: Mapping[str, str]) -> dict[str, Any]:
    """Read parameters that a user typed as text, by the constraints of the method they are for."""
    cls = method(contract, name)
    draws = "random_state" in cls.parameter_names()
    # A method without draws gives the same file for every seed.
    texts = {key: text for key, text in typed.items() if draws or key != "random_state"}
    return read_parameters(cls, texts, typed=True)


def describe_methods(only: str | None = None) -> Json:
    """Return every method with its parameters and what each may be: what help texts and web controls are made of.

    Parameters
    ----------
    only : str, optional
        One method's name, in whichever contract it is registered; or an operator's.
    """
    result: Json = {}
    for contract, methods in (
        ("maskers", maskers()),
        ("linkers", linkers()),
        ("measures", measures()),
    ):
        descriptions = {name: _described(cls) for name, cls in methods.items() if only in (None, name)}
        if descriptions or only is None:
            result[contract] = descriptions
    if only is not None and only in operators.operator_names():
        result["operators"] = describe_operators(only)
    if not result:
        names = [*maskers(), *linkers(), *measures(), *operators.operator_names()]
        about = _speaking_of(only) if isinstance(only, str) else []
        if about:
            raise UnknownNameError(
                f"There is no method named {only!r}.",
                hint=f"Those that are about it: {', '.join(about)}. `discreet methods` lists them all.",
            )
        raise unknown_name("method", only, names, hint="`discreet methods` lists them all.")
    return result


def _speaking_of(word: str, most: int = 8) -> list[str]:
    """Return the methods that have a word in their name or, where none has, in what they say of themselves."""
    sought = word.strip().lower()
    least = 4  # shorter words are part of too many others
    if len(sought) < least:
        return []
    methods = {**maskers(), **linkers(), **measures()}
    named = [name for name in methods if sought in name]
    told = [name for name, cls in methods.items() if sought in f"{describe(cls).summary} {describe(cls).more}".lower()]
    return (named or told)[:most]


def describe_operators(only: str | None = None) -> Json:
    """Return every operator by name: what a group of values can be released as, and how it is typed.

    Examples
    --------
    >>> describe_operators("trimmed-mean")["trimmed-mean"]["parameters"]
    {'proportion': 'a number at least 0 and below 0.5'}
    """
    described: Json = {}
    for name in operators.operator_names():
        if only not in (None, name):
            continue
        cls = operators.operator_named(name)
        signature = inspect.signature(cls).parameters
        short = [word for word, kinds in stands_for().items() if name in {t.partition(":")[0] for t in kinds.values()}]
        described[name] = {
            "class": cls.__name__,
            "summary": describe(cls).summary,
            "scales": sorted(cls.scales),
            "weighted": cls.weighted,
            "also": sorted(short),
            "parameters": {
                key: cls.parameters[key].describe() if key in cls.parameters else describe(cls).parameters.get(key, "")
                for key in signature
            },
            "defaults": _defaults(signature),
        }
    return described


def operator_parameter(name: str, texts: Sequence[str]) -> dict[str, str]:
    """Return the parameter of a masker that operators, as they are typed, are given to.

    Examples
    --------
    >>> operator_parameter("mdav", ["owa:most"]), operator_parameter("mondrian", ["owa:most", "RENT=median"])
    ({'operator': 'owa:most'}, {'operators': 'owa:most; RENT=median'})
    >>> operator_parameter("pram", ["owa:most"])
    Traceback (most recent call last):
    discreet.errors.ParameterError: pram takes no operator. Hint: Those that do: ...
    >>> operator_parameter("mdav", ["RENT=median"])
    Traceback (most recent call last):
    discreet.errors.ParameterError: mdav releases all attributes by one operator; got one of a column. Hint: ...
    """
    cls = method("masker", name)
    parameter = _taking_operators(cls)
    if parameter is None:
        takers = [one for one, masker in maskers().items() if _taking_operators(masker)]
        raise ParameterError(f"{name} takes no operator.", hint=f"Those that do: {', '.join(takers)}.")
    of_a_column = any("=" in text.partition(":")[0] for text in texts)  # as in RENT=owa:most, and not in owa:alpha=2
    if parameter != "operators" and (len(texts) > 1 or of_a_column):
        raise ParameterError(
            f"{name} releases all attributes by one operator; got {'one of a column' if of_a_column else len(texts)}.",
            hint="mixed-mdav and mondrian take one for each attribute.",
        )
    return {parameter: "; ".join(texts)}


def _taking_operators(cls: type[Any]) -> str | None:
    names = cls.parameter_names()
    sequences = ("prototype",) if cls.scales == {"sequence"} else ()
    return next((name for name in ("operator", "operators", *sequences) if name in names), None)


def _described(cls: type[Any]) -> Json:
    signature = cls.signature()
    return {
        "class": cls.__name__,
        "summary": describe(cls).summary,
        "scales": sorted(cls.scales),
        **({"needs": _need(cls).value} if hasattr(cls, "need") else {}),
        "parameters": {name: cls.parameters[name].describe() for name in signature if name in cls.parameters},
        "defaults": _defaults(signature),
    }


def _defaults(signature: Mapping[str, inspect.Parameter]) -> dict[str, Any]:
    """Return what is taken where nothing is said; a parameter that must be given has no entry."""
    return {
        name: scalar_or_text(parameter.default)
        for name, parameter in signature.items()
        if parameter.default is not parameter.empty
    }


def _need(cls: type[Any]) -> Any:
    """Return what a method must bring together; where that follows from its parameters, of its first example."""
    # An example may hold a table: it is made only where somebody must be asked.
    return (cls.examples() or [cls()])[0].need if isinstance(cls.need, property) else cls.need


def shares_attributes(linker: str) -> bool:
    """Say whether a linker compares attributes that both files have, or finds its way without."""
    return bool(method("linker", linker).needs_common_attributes)


def refuse_unshared(linker: str, a: Iterable[str], b: Iterable[str]) -> None:
    """Refuse files, given by the names of their attributes, that share none, and say which linkers need none."""
    if set(a).isdisjoint(b):
        raise nothing_in_common(method("linker", linker).__name__, shared=False)
