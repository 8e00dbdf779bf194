"""Alternatives: a protocol that leaves something open, and the chains that it stands for.

In a protocol, a step may leave its method, a parameter, or itself open:

.. code-block:: toml

    [[step]]
    method = "top-coding"
    share = [0.01, 0.05]                  # either: a parameter that takes one number, and a list of them
    optional = true                       # with this step, and without it

    [[step]]
    attributes = ["AGE", "INCOME"]        # stands for every alternative that does not say otherwise
    any_of = [
        {method = "mdav", k = [3, 5, 10]},
        [{method = "rank-swapping", p = 5}, {method = "rounding", base = 10}],     # two steps, one after the other
        [],                                                                        # or nothing at all
    ]

A list is taken for alternatives where the parameter itself does not take it: ``attributes = ["AGE"]`` is one value.
``{any_of = [...]}`` says so of any parameter: ``attributes = {any_of = [["AGE"], ["AGE", "INCOME"]]}``.
"""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet import catalogue
from discreet.contracts.masker import Masker
from discreet.data.toml_text import Places, at_line, parse
from discreet.errors import ParameterError, SchemaError, door, wrong_type
from discreet.evaluation.candidates import parse_candidates
from discreet.masking.running.units import PerUnit
from discreet.release.chain import Chain, masker_of
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Step, read_step
from discreet.release.protocol_text import load_text

__all__ = ["LIMIT", "OpenProtocol", "chains", "combine_steps", "open_chains", "parse_chains", "read_alternatives"]

LIMIT = 1000
"""The most chains that alternatives may make unless more are allowed."""

_MOST_OF_A_STEP = 100_000
"""Settings of one step beyond which they are counted and not written down."""

_EXAMPLE = 'any_of = [{method = "mdav", k = [3, 5]}, {method = "rank-swapping", p = 5}]'

Steps = tuple[Step, ...]


@dataclass(frozen=True, repr=False)
class OpenProtocol:
    """A protocol whose steps may be one of several.

    Attributes
    ----------
    protocol : Protocol
        All of it but the steps.
    choices : tuple of tuple of tuple of Step
        Place by place, the alternatives: each some steps, perhaps none.
    folder : path, optional
        Where files that a step names are looked for.

    Examples
    --------
    >>> text = '''
    ... [[attribute]]
    ... name = "AGE"
    ... role = "key"
    ... scale = "numeric"
    ... [[step]]
    ... method = "top-coding"
    ... optional = true
    ... [[step]]
    ... method = "mdav"
    ... k = [3, 5]
    ... '''
    >>> plan = OpenProtocol.from_toml(text)
    >>> plan.count, [chain.label() for chain in plan.chains()][-1]
    (4, 'mdav(k=5)')
    """

    protocol: Protocol
    choices: tuple[tuple[Steps, ...], ...]
    folder: str | os.PathLike[str] | None = None

    @property
    def count(self) -> int:
        """How many combinations there are."""
        return math.prod(len(place) for place in self.choices)

    def __repr__(self) -> str:
        return f"OpenProtocol({self.count} combinations of {len(self.choices)} steps)"

    def chains(self, limit: int = LIMIT) -> list[Chain]:
        """Return a chain for every combination, each once; the first alternatives stay longest.

        Parameters
        ----------
        limit : int
            The most combinations; beyond, they are counted and refused.
        """
        return combine_steps(self.choices, limit, seed=self.protocol.seed, folder=self.folder)

    @classmethod
    def from_toml(cls, text: str, folder: str | os.PathLike[str] | None = None) -> OpenProtocol:
        """Read a protocol with alternatives from the text of a TOML file; one without any has one combination."""
        fields, where = parse(text, "protocol"), Places(text)
        if "table" in fields:
            raise SchemaError(
                "The protocol is for several tables, and candidates are for one.", hint="Compare table by table."
            )
        tables = fields.get("step", [])
        if not isinstance(tables, list) or not tables:
            raise SchemaError("The protocol has no [[step]].", hint="[[step]] with " + _EXAMPLE)
        base = Protocol.from_fields({name: value for name, value in fields.items() if name != "step"}, where)
        choices = tuple(read_alternatives(table, place, where, folder) for place, table in enumerate(tables))
        for steps in (steps for place in choices for steps in place):
            replace(base, steps=steps)  # whose attributes are declared, or that is said
        return cls(base, choices, folder)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> OpenProtocol:
        """Read a protocol with alternatives from a TOML file."""
        return cls.from_toml(load_text(path), Path(path).parent)


def combine_steps(
    choices: Sequence[Sequence[Steps]],
    limit: int = LIMIT,
    *,
    seed: int | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> list[Chain]:
    """Return a chain for every combination of alternatives, place by place, each once; too many are refused."""
    total = math.prod(len(place) for place in choices)
    if total > limit:
        raise ParameterError(
            f"The alternatives of the protocol make {total:,} combinations, more than {limit:,}.",
            hint="Leave some out, or allow more: --limit on the command line, limit= in Python.",
        )
    result: dict[tuple[Any, ...], Chain] = {}
    for combination in itertools.product(*choices):
        steps = tuple(step for part in combination for step in part)
        if steps:
            key = tuple(repr((step.method, sorted(step.parameters.items()), step.unit)) for step in steps)
            result.setdefault(key, Chain(steps, seed, folder=folder))
    if not result:
        raise SchemaError("The alternatives of the protocol come to no step at all.", hint=_EXAMPLE)
    return list(result.values())


def open_chains(text: str, limit: int = LIMIT) -> list[Chain]:
    r"""Return the chains of a text that holds steps with alternatives; what else a protocol has is not looked at.

    Examples
    --------
    >>> len(open_chains('[[step]]\nmethod = "mdav"\nk = [3, 5]'))
    2
    """
    fields, where = parse(text, "protocol"), Places(text)
    tables = fields.get("step", [])
    if not isinstance(tables, list) or not tables:
        raise SchemaError("There is no [[step]] in the text.", hint="[[step]] with " + _EXAMPLE)
    choices = tuple(read_alternatives(table, place, where) for place, table in enumerate(tables))
    return combine_steps(choices, limit)


def read_alternatives(
    table: Any, index: int, where: Places, folder: str | os.PathLike[str] | None = None
) -> tuple[Steps, ...]:
    """Return the alternatives of one [[step]], each some steps; what no method takes is said with its line."""
    what = f"{at_line(where.line('step', index))}[[step]] number {index + 1}"
    if not isinstance(table, Mapping):
        raise SchemaError(f"{what} must be a table.", hint=_EXAMPLE)
    expanded = _expand(table, {}, index, where, what)
    for steps in expanded:
        for step in steps:
            masker_of(step, index, None, folder)
    return expanded


def _expand(
    table: Mapping[str, Any], common: Mapping[str, Any], index: int, where: Places, what: str
) -> tuple[Steps, ...]:
    """Return the alternatives of a table; what it says beside ``any_of`` holds for each that does not say otherwise."""
    optional = table.get("optional", False)
    if not isinstance(optional, bool):
        raise SchemaError(f"{what}: optional must be true or false.")
    fields = {**common, **{name: value for name, value in table.items() if name not in ("optional", "any_of")}}
    if "any_of" in table:
        inner = table["any_of"]
        if not isinstance(inner, list) or not inner:
            raise SchemaError(f"{what}: any_of must be a list of steps with at least one in it.", hint=_EXAMPLE)
        found = tuple(steps for one in inner for steps in _alternative(one, fields, index, where, what))
    else:
        found = tuple((step,) for step in _settings(fields, index, where, what))
    return (*found, *([()] if optional and () not in found else []))


def _alternative(one: Any, common: Mapping[str, Any], index: int, where: Places, what: str) -> Iterator[Steps]:
    """Yield what one entry of ``any_of`` stands for: a step, or a list of steps one after the other."""
    entries = one if isinstance(one, list) else [one]
    if not all(isinstance(entry, Mapping) for entry in entries):
        raise SchemaError(f"{what}: an entry of any_of must be a step, or a list of steps.", hint=_EXAMPLE)
    parts = [_expand(entry, common, index, where, what) for entry in entries]
    for combination in itertools.product(*parts):
        yield tuple(step for part in combination for step in part)


def _settings(fields: Mapping[str, Any], index: int, where: Places, what: str) -> Iterator[Step]:
    """Yield a step for every combination of the lists of its parameters."""
    step = read_step(dict(fields), index, where)
    constraints = catalogue.method("masker", step.method, what).parameters
    lists: dict[str, Sequence[Any]] = {}
    for name, value in step.parameters.items():
        if isinstance(value, Mapping) and set(value) == {"any_of"}:
            lists[name] = value["any_of"]
        elif isinstance(value, list) and name in constraints and not constraints[name].accepts(value):
            lists[name] = value
        if name in lists and (not isinstance(lists[name], list) or not lists[name]):
            raise SchemaError(f"{what}: {name} must list one value at least.", hint="k = [3, 5, 10]")
    total = math.prod(len(values) for values in lists.values())
    if total > _MOST_OF_A_STEP:
        raise ParameterError(
            f"{what}: its lists make {total:,} combinations, more than {_MOST_OF_A_STEP:,}.",
            hint="Leave some values out.",
        )
    for values in itertools.product(*lists.values()):
        yield replace(step, parameters={**step.parameters, **dict(zip(lists, values, strict=True))})


@door
def parse_chains(texts: Sequence[str]) -> list[Masker | Chain]:
    """Read candidates as a user types them: a method with lists of values, or several joined by ``+``.

    Examples
    --------
    >>> [one.label() for one in parse_chains(["mdav k=3", "top-coding share=0.1 + mdav k=3,5"])]
    ['mdav(k=3)', 'top-coding(p=1, share=0.1) → mdav(k=3)', 'top-coding(p=1, share=0.1) → mdav(k=5)']
    """
    result: list[Masker | Chain] = []
    for text in texts:
        places = [parse_candidates([part]) for part in re.split(r"\s\+\s", text)]
        result += places[0] if len(places) == 1 else chains(*places)
    return result


@door
def chains(*places: Masker | PerUnit | Sequence[Masker | PerUnit | None] | None, limit: int = LIMIT) -> list[Chain]:
    """Return a chain for every combination of alternatives, place by place.

    Parameters
    ----------
    *places
        A masker, or a list of alternatives; None among them leaves the step out.
    limit : int
        The most combinations; beyond, they are counted and refused.

    Examples
    --------
    >>> from discreet.evaluation.candidates import grid
    >>> for chain in chains(grid("top-coding", share=[0.1]) + [None], grid("mdav", k=[3, 5])):
    ...     print(chain.label())
    top-coding(p=1, share=0.1) → mdav(k=3)
    top-coding(p=1, share=0.1) → mdav(k=5)
    mdav(k=3)
    mdav(k=5)
    """
    lists: list[list[Any]] = []
    total = 1
    for place in places:
        options = list(place) if isinstance(place, Iterable) and not isinstance(place, (str, bytes)) else [place]
        for one in options:
            if one is not None and not isinstance(one, (Masker, PerUnit)):
                raise wrong_type(
                    "chains", "every alternative must be a masker or None", one, "chains(grid(MDAV), None)"
                )
        if not options:
            raise ParameterError("chains: a place must have one alternative at least.", hint="None leaves a step out.")
        lists.append(options)
        total *= len(options)
    if total > limit:
        raise ParameterError(
            f"chains: the alternatives make {total:,} combinations, more than {limit:,}.", hint="Allow more: limit=…"
        )
    combinations = ([one for one in steps if one is not None] for steps in itertools.product(*lists))
    result = [Chain(steps) for steps in combinations if steps]
    if not result:
        raise ParameterError("chains: the alternatives come to no step at all.", hint="chains(grid(MDAV, k=[3, 5]))")
    return result
