"""What a form asks for: the methods that fit a schema, and a control for each parameter.

Controls come from the same constraints that check the answer, and their explanations from the methods' docstrings, so
that a page has nothing of its own to say about a method.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from discreet import catalogue
from discreet.data.schema import Schema
from discreet.data.toml_text import document_text
from discreet.errors import ParameterError, door
from discreet.evaluation.candidates import grid
from discreet.parameters import Control, check_parameters, describe, summary_of
from discreet.parameters.description import as_words

__all__ = [
    "TREES",
    "FormField",
    "Offer",
    "offer_linker",
    "offer_linkers",
    "offer_masker",
    "offer_maskers",
    "plan_candidates",
    "read_candidates",
    "read_fields",
    "refuse_paths",
    "suggest_chains",
    "suggest_study",
]

CHAINS = "chains"
"""The name of a line of a plan that holds steps with alternatives."""

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

TREES = "hierarchies"
"""The parameter that is filled with the hierarchies of a project, which are sent or built on the page."""


_SEED = (
    "The seed of the random draws: the same seed gives the same file. Empty: it follows from the seed of the protocol."
)


@dataclass(frozen=True)
class FormField:
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
    contract : {"masker", "linker"}
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
    contract: str = "masker"
    alters_truth: bool = False
    common: bool = True
    obstacle: str = ""

    @property
    def fields(self) -> tuple[FormField, ...]:
        """What its form asks for: made when it is shown, and once a method."""
        return _fields(self.contract, self.name)

    @property
    def takes_trees(self) -> bool:
        """Whether the method recodes by hierarchies."""
        return self.contract == "masker" and TREES in catalogue.method(self.contract, self.name).parameter_names()

    @property
    def needs_trees(self) -> bool:
        """Whether it cannot do without one."""
        parameters = catalogue.method(self.contract, self.name).signature()
        return self.takes_trees and parameters[TREES].default is inspect.Parameter.empty

    def field(self, name: str) -> FormField:
        """Return the field of a parameter."""
        return next(field for field in self.fields if field.name == name)


@door
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


@door
def offer_linkers(schema: Schema) -> dict[str, Offer]:
    """Return every linker by name, with the attributes of the schema that it can compare."""
    return {name: _offer(cls, schema) for name, cls in catalogue.linkers().items()}


def offer_masker(schema: Schema, name: str) -> Offer | None:
    """Return one masker as :func:`offer_maskers` does, or None where there is none of that name."""
    cls = catalogue.maskers().get(name)
    return None if cls is None else _offer(cls, schema)


def offer_linker(schema: Schema, name: str) -> Offer | None:
    """Return one linker as :func:`offer_linkers` does, or None where there is none of that name."""
    cls = catalogue.linkers().get(name)
    return None if cls is None else _offer(cls, schema)


def _offer(cls: type[Any], schema: Schema) -> Offer:
    usable = [a.name for a in schema if a.role in {"key", "confidential", "other", "stratum"}]
    attributes = schema.of_scale(*cls.scales, among=usable)
    requirements = _only_in_python(cls.contract, cls.name)
    obstacle = ""
    if requirements:
        obstacle = f"It needs {' and '.join(requirements)}, which can be given in Python only."
    elif not attributes:
        obstacle = f"No attribute of the file is {' or '.join(sorted(cls.scales))}."
    return Offer(
        cls.name,
        summary_of(cls),
        tuple(sorted(cls.scales)),
        attributes,
        cls.contract,
        alters_truth=bool(getattr(cls, "perturbative", False)),
        common=bool(getattr(cls, "needs_common_attributes", True)),
        obstacle=obstacle,
    )


def _control(cls: type[Any], name: str) -> Control:
    constraint = cls.parameters.get(name)
    return constraint.control() if constraint is not None else Control("object")


@cache
def _only_in_python(contract: str, method: str) -> tuple[str, ...]:
    """Return the parameters that a method needs and no form can ask for."""
    cls = catalogue.method(contract, method)
    required = [name for name, parameter in cls.signature().items() if parameter.default is inspect.Parameter.empty]
    return tuple(name for name in required if _control(cls, name).kind == "object" and name != TREES)


@cache
def _fields(contract: str, method: str) -> tuple[FormField, ...]:
    """Return what a form can ask for."""
    cls = catalogue.method(contract, method)
    fields = []
    meanings = describe(cls).parameters
    for place, (name, parameter) in enumerate(cls.signature().items()):
        control = _control(cls, name)
        if control.kind == "object":
            continue
        seed = name == "random_state"
        fields.append(
            FormField(
                name,
                control,
                "" if parameter.default is inspect.Parameter.empty else _as_typed(parameter.default),
                _SEED if seed else as_words(meanings.get(name, "")),
                "a whole number of at least 0, or empty" if seed else cls.parameters[name].describe(),
                main=place == 0 or name in _FIRST,
            )
        )
    return tuple(fields)


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


@door
def read_fields(contract: str, method: str, answers: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Turn the answers of a form into parameters; an empty answer leaves the method's default.

    Parameters
    ----------
    contract : {"masker", "linker"}
    method : str
        A registered name.
    answers : mapping of parameter to texts
        Several texts are a list of names. What a form may not ask for is refused, whatever was sent.

    Examples
    --------
    >>> read_fields("masker", "mdav", {"k": ["5"], "attributes": ["RENT", "VALUE"], "search": [""]})
    {'k': 5, 'attributes': ['RENT', 'VALUE']}
    """
    cls = catalogue.method(contract, method)
    fields = {field.name: field for field in _fields(contract, method)}
    values: dict[str, Any] = {}
    for name, texts in answers.items():
        if name not in fields:
            raise ParameterError(f"{cls.__name__}: {name!r} cannot be set in a form.")
        if fields[name].control.kind == "names":
            # Names are not typed but ticked: one may hold a comma.
            ticked = [text for text in texts if text]
            values |= {name: ticked} if ticked else {}
        elif texts and texts[0].strip():
            value = catalogue.read_parameters(cls, {name: texts[0].strip()}, typed=True)[name]
            # What was left as it stood is not worth a line in a protocol.
            if fields[name].main or _as_typed(value) != fields[name].default:
                values[name] = value
    check_parameters(cls.__name__, values, cls.parameters)
    return values


@door
def read_candidates(method: str, answers: Mapping[str, Sequence[str]]) -> list[Any]:
    """Return the candidates of a study from the answers of a form: commas separate the values of a range.

    Examples
    --------
    >>> [one.label() for one in read_candidates("mdav", {"k": ["3, 5"]})]
    ['mdav(k=3)', 'mdav(k=5)']
    """
    cls = catalogue.method("masker", method)
    lists: dict[str, list[Any]] = {}
    for name, texts in answers.items():
        typed = [text.strip() for text in ",".join(texts).split(",") if text.strip()]
        for text in typed:
            read_fields("masker", method, {name: [text]})
        if typed:
            lists[name] = [catalogue.read_parameters(cls, {name: text}, typed=True)[name] for text in typed]
    return grid(cls, **lists)


@door
def plan_candidates(plan: Sequence[tuple[str, Mapping[str, str]]]) -> dict[str, Any]:
    r"""Return the candidates of a study by their labels: methods with ranges, and whole chains with alternatives.

    Examples
    --------
    >>> list(plan_candidates([("mdav", {"k": "3"}), (CHAINS, {"steps": '[[step]]\nmethod = "mdav"\nk = [5, 9]'})]))
    ['mdav(k=3)', 'mdav(k=5)', 'mdav(k=9)']
    """
    from discreet.evaluation.experiment import labelled  # what masks and measures is not loaded before it is needed

    candidates: list[Any] = []
    for method, ranges in plan:
        if method == CHAINS:
            candidates += _chains(ranges.get("steps", ""))
        else:
            candidates += read_candidates(method, {name: [text] for name, text in ranges.items()})
    return labelled(candidates)


def _chains(text: str) -> list[Any]:
    """Return the chains of a text that somebody sent: what could name a file on this machine is refused."""
    from discreet.release.alternatives import open_chains
    from discreet.release.protocol_parts import Step

    chains = open_chains(text)
    for step in (step for chain in chains for step in chain.steps):
        if isinstance(step, Step):
            refuse_paths(step.method, step.parameters)
    return chains


@door
def suggest_chains(schema: Schema, records: int, release: str) -> list[tuple[str, dict[str, str]]]:
    """Return lines of a plan with the chains that would be tried of a file nobody has said anything about.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> lines = suggest_chains(business(50).schema, 50, "research")
    >>> len(lines), len(plan_candidates(lines))
    (2, 45)
    """
    from discreet.release.ceilings import release_type
    from discreet.release.proposed_chains import propose_alternatives, propose_chains

    propose_chains(schema, records, release_type(release))  # which says where there is no key
    plans = propose_alternatives(schema, records, release_type(release))
    return [(CHAINS, {"steps": document_text({"step": plan})}) for plan in plans]


def refuse_paths(method: str, parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that a form could not have given, such as the path of a file on this machine."""
    cls = catalogue.method("masker", method)
    in_form = {field.name for field in _fields("masker", method)}
    for name in parameters:
        trees = parameters[name] if name == TREES else None
        if isinstance(trees, Mapping) and all(isinstance(rows, list) for rows in trees.values()):
            continue  # rows, and no path
        if name in cls.parameter_names() and name not in in_form:
            raise ParameterError(
                f"{cls.__name__}: {name} cannot be taken from an uploaded protocol.",
                hint="It may name a file; run this protocol with `discreet run` instead.",
            )


@door
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
    study = []
    for name, ranges in _STUDY:
        scales = catalogue.method("masker", name).scales
        # Where numbers and categories are keys, a method for one of them alone leaves the other as it is.
        if kinds & scales and not (mixed and scales == {"numeric"}):
            study.append((name, dict(ranges)))
    return study
