"""What every method declares of itself, as it was recorded: defaults, what parameters may be, what others ask of it,
and the examples that batteries try.

A default that changes silently changes what people release who named no value. After a change that is meant, or for a
new method: ``python -m tests.parameters.test_declarations_stay``.
"""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path

import pytest

from discreet import catalogue
from discreet.contracts.linker import Linker
from discreet.contracts.masker import Masker
from discreet.contracts.measure import Measure
from discreet.operators import operator_named, operator_names

RECORDED = Path(__file__).with_name("declarations.json")
METHODS = {
    "every masker": Masker, "every linker": Linker, "every measure": Measure,
    **{f"{contract} {name}": cls for contract in ("masker", "linker", "measure")
       for name, cls in catalogue.methods(contract).items()},
    **{f"operator {name}": operator_named(name) for name in operator_names()},
}  # fmt: skip
BASES = {
    cls: base
    for contract, base in (("masker", Masker), ("linker", Linker), ("measure", Measure))
    for cls in catalogue.methods(contract).values()
}
WORDS = {"iso_20889", "title", "reference", "formula", "symbol", "instead", "parameters"}
"""What is said to readers, who may be told better."""


def written(value):
    """A value as one text, whatever order a set has."""
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(map(repr, value))) + "}"
    return repr(value)


def traits_of(cls):
    """What a class says of itself in plain values."""
    names = [name for name in dir(cls) if not name.startswith("_") and name not in WORDS]
    values = {name: getattr(cls, name) for name in names}
    plain = (bool, int, float, str, tuple, set, frozenset, Enum, type(None))
    return {name: written(value) for name, value in values.items() if isinstance(value, plain)}


def declaration(cls):
    """Its parameters, and in what it is not like others of its contract."""
    traits = traits_of(cls)
    parameters = {
        name: f"{one.describe()}; asked for as {one.control().kind}; {traits.pop(name, 'none')} by default"
        for name, one in cls.parameters.items()
    }
    common = traits_of(BASES[cls]) if cls in BASES else {}
    differing = {name: text for name, text in traits.items() if common.get(name) != text}
    examples = [] if cls in BASES.values() else [repr(one) for one in cls.examples()]
    return {"parameters": parameters, "examples": examples} | differing


@pytest.mark.parametrize("name", METHODS)
def test_what_a_method_declares_is_what_was_recorded(name):
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert name in recorded, "new: record it with `python -m tests.parameters.test_declarations_stay`"
    assert declaration(METHODS[name]) == recorded[name]


def test_nothing_is_recorded_that_is_gone():
    assert set(json.loads(RECORDED.read_text(encoding="utf-8"))) == set(METHODS)


if __name__ == "__main__":
    every = {name: declaration(cls) for name, cls in sorted(METHODS.items())}
    RECORDED.write_text(json.dumps(every, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
