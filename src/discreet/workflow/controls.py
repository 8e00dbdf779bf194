"""What a form asks for: the methods that fit a schema, and a control for each parameter.

Controls come from the same constraints that check the answer, and their explanations from the methods' docstrings, so
that a page has nothing of its own to say about a method.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from discreet import catalogue
from discreet.errors import ParameterError
from discreet.evaluation.candidates import grid
from discreet.parameters import Control, check_parameters
from discreet.schema import Schema
from discreet.workflow.methods import parse_parameters

__all__ = [
    "Field",
    "Offer",
    "offer_linkers",
    "offer_maskers",
    "read_candidates",
    "read_fields",
    "refuse_paths",
    "suggest_study",
]

_STUDY = (
    ("mdav", {"k": "3, 5, 10"}),
    ("mixed-mdav", {"k": "3, 5, 10"}),
    ("mondrian", {"k": "3, 5, 10"}),
    ("rank-swapping", {"p": "2, 5, 10"}),
    ("pram", {"theta": "0.1, 0.3"}),
    ("sequence-mdav", {"k": "2, 3, 5"}),
)
"""What is worth a first comparison, where the scales fit."""

_FIRST = ("attributes", "random_state")
_SEED = (
    "The seed of the random draws: the same seed gives the same file. Empty: it follows from the seed of the protocol."
)


@dataclass(frozen=True)
class Field:
    """One parameter as a form asks for it.

    Attributes
    ----------
    name : str
    control : Control
    default : str
        What the method takes when nothing is said, as text; empty for None.
    meaning, allowed : str
        What it is for (from the method's docstring), and what it may be (from its constraint).
    main : bool
        Whether it is asked for at once, or among the further settings.
    """

    name: str
    control: Control
    default: str
    meaning: str
    allowed: str
    main: bool


@dataclass(frozen=True)
class Offer:
    """One method as a form offers it.

    Attributes
    ----------
    name, summary : str
    scales : tuple of str
    attributes : tuple of str
        The attributes of the schema that it can work on, identifiers apart.
    fields : tuple of Field
    alters_truth : bool
        Whether released values may be untrue (a perturbative method).
    common : bool
        For a linker, whether both files must have the attributes it compares.
    obstacle : str
        Why it cannot be used from a form, or nothing.
    """

    name: str
    summary: str
    scales: tuple[str, ...]
    attributes: tuple[str, ...]
    fields: tuple[Field, ...]
    alters_truth: bool = False
    common: bool = True
    obstacle: str = ""

    def field(self, name: str) -> Field:
        """Return the field of a parameter."""
        return next(field for field in self.fields if field.name == name)


def offer_maskers(schema: Schema) -> dict[str, Offer]:
    """Return every masker by name, with the attributes of the schema that it can mask.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> offers = offer_maskers(business(10).schema)
    >>> k = offers["mdav"].field("k")
    >>> k.control.kind, k.control.low, k.default
    ('integer', 2, '3')
    >>> offers["pram"].obstacle
    'No attribute of the file is nominal or ordinal.'
    """
    return {name: _offer(cls, schema) for name, cls in catalogue.maskers().items()}


def offer_linkers(schema: Schema) -> dict[str, Offer]:
    """Return every linker by name, with the attributes of the schema that it can compare."""
    return {name: _offer(cls, schema) for name, cls in catalogue.linkers().items()}


def _offer(cls: type[Any], schema: Schema) -> Offer:
    usable = [a.name for a in schema if a.role in {"key", "confidential", "other", "stratum"}]
    attributes = schema.of_scale(*cls.scales, among=usable)
    needed = [name for name, required in _fields(cls)[1].items() if required]
    obstacle = ""
    if needed:
        obstacle = f"It needs {' and '.join(needed)}, which can be given in Python only."
    elif not attributes:
        obstacle = f"No attribute of the file is {' or '.join(sorted(cls.scales))}."
    return Offer(
        cls.name,
        " ".join((cls.__doc__ or "").strip().split("\n\n", 1)[0].split()).replace("`", ""),
        tuple(sorted(cls.scales)),
        attributes,
        _fields(cls)[0],
        alters_truth=bool(getattr(cls, "perturbative", False)),
        common=bool(getattr(cls, "needs_common_attributes", True)),
        obstacle=obstacle,
    )


def _fields(cls: type[Any]) -> tuple[tuple[Field, ...], dict[str, bool]]:
    return _fields_of(cls.contract, cls.name)


@cache
def _fields_of(contract: str, method: str) -> tuple[tuple[Field, ...], dict[str, bool]]:
    """Return what can be asked for, and what cannot with whether the method needs it."""
    cls = catalogue.method(contract, method)
    fields, objects = [], {}
    meanings = _meanings(cls)
    signature = cls._signature()
    for place, (name, parameter) in enumerate(signature.items()):
        constraint = cls.parameters.get(name)
        control = constraint.control() if constraint is not None else Control("object")
        required = parameter.default is inspect.Parameter.empty
        if control.kind == "object" or constraint is None:
            objects[name] = required
            continue
        fields.append(
            Field(
                name,
                control,
                "" if required else _as_typed(parameter.default),
                _SEED if name == "random_state" else meanings.get(name, ""),
                "a whole number of at least 0, or empty" if name == "random_state" else constraint.describe(),
                main=place == 0 or name in _FIRST,
            )
        )
    return tuple(fields), objects


def _as_typed(value: Any) -> str:
    """Return a value as a person types it: what a constraint reads.

    Examples
    --------
    >>> _as_typed((0.85, 0.95)), _as_typed([["age", "sex"], ["age"]]), _as_typed({"age": 5}), _as_typed(None)
    ('0.85; 0.95', 'age, sex; age', 'age=5', '')
    """
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}={item}" for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return "; ".join(", ".join(map(str, item)) if isinstance(item, (list, tuple)) else str(item) for item in value)
    return str(value)


def _meanings(cls: type[Any]) -> dict[str, str]:
    """Return what the docstrings of a class and its bases say about each parameter."""
    result: dict[str, str] = {}
    for owner in cls.__mro__:
        text = inspect.cleandoc(vars(owner).get("__doc__") or "")
        found = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}$|\Z)", text, re.MULTILINE | re.DOTALL)
        for entry in re.split(r"\n(?=\S)", found.group(1)) if found else []:
            head, _, body = entry.partition("\n")
            plain = re.sub(r":\w+:`~?([^`]*\.)?([^`.]+)`|`+([^`]+)`+", r"\2\3", " ".join(body.split()))
            for name in head.split(" : ", 1)[0].split(","):
                result.setdefault(name.strip().lstrip("*"), plain)
    return result


def read_fields(contract: str, method: str, given: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Turn the answers of a form into parameters; an empty answer leaves the method's default.

    Parameters
    ----------
    contract : {"masker", "linker"}
    method : str
        A registered name.
    given : mapping of parameter to texts
        Several texts are a list of names. What a form may not ask for is refused, whatever was sent.

    Examples
    --------
    >>> read_fields("masker", "mdav", {"k": ["5"], "attributes": ["RENT", "VALUE"], "search": [""]})
    {'k': 5, 'attributes': ['RENT', 'VALUE']}
    """
    cls = catalogue.method(contract, method)
    fields = {field.name: field for field in _fields(cls)[0]}
    result: dict[str, Any] = {}
    for name, texts in given.items():
        if name not in fields:
            raise ParameterError(f"{cls.__name__}: {name!r} cannot be set in a form.")
        if fields[name].control.kind == "names":
            # Names are not typed but ticked: one may hold a comma.
            chosen = [text for text in texts if text]
            result |= {name: chosen} if chosen else {}
        elif texts and texts[0].strip():
            value = parse_parameters(contract, method, {name: texts[0].strip()})[name]
            # What was left as it stood is not worth a line in a protocol.
            if fields[name].main or _as_typed(value) != fields[name].default:
                result[name] = value
    check_parameters(cls.__name__, result, cls.parameters)
    return result


def read_candidates(method: str, given: Mapping[str, Sequence[str]]) -> list[Any]:
    """Return the candidates of a study from the answers of a form: commas separate the values of a range.

    Examples
    --------
    >>> read_candidates("mdav", {"k": ["3, 5"]})
    [MDAV(), MDAV(k=5)]
    """
    cls = catalogue.method("masker", method)
    lists: dict[str, list[Any]] = {}
    for name, texts in given.items():
        typed = [text.strip() for text in ",".join(texts).split(",") if text.strip()]
        for text in typed:
            read_fields("masker", method, {name: [text]})
        if typed:
            lists[name] = [parse_parameters("masker", method, {name: text})[name] for text in typed]
    return grid(cls, **lists)


def refuse_paths(method: str, parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that a form could not have given, such as the path of a file on this machine."""
    cls = catalogue.method("masker", method)
    asked = {field.name for field in _fields(cls)[0]}
    for name in parameters:
        if name in cls.parameter_names() and name not in asked:
            raise ParameterError(
                f"{cls.__name__}: {name} cannot be taken from an uploaded protocol.",
                hint="It may name a file; run this protocol with `discreet run` instead.",
            )


def suggest_study(schema: Schema) -> list[tuple[str, dict[str, str]]]:
    """Return methods with ranges for a first study of a file, as a form would have given them.

    Examples
    --------
    >>> from discreet.datasets import itineraries
    >>> suggest_study(itineraries(10).schema)
    [('sequence-mdav', {'k': '2, 3, 5'})]
    """
    kinds = {schema[name].scale.kind for name in schema.keys}
    mixed = len(kinds & {"numeric", "ordinal", "nominal"}) > 1
    chosen = []
    for name, ranges in _STUDY:
        scales = catalogue.method("masker", name).scales
        # Where numbers and categories are keys, a method for one of them alone leaves the other as it is.
        if kinds & scales and not (mixed and scales == {"numeric"}):
            chosen.append((name, dict(ranges)))
    return chosen
