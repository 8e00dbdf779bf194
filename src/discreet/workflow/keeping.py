"""What a project keeps on disk, as JSON and back: choices, counts and figures, never a record.

What is packed is listed here by class. Left out, on purpose, is whatever may hold a value of a record: the rows of a
preview, pictures of distributions, and the details of measures and steps, which are worked out again when asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from discreet.errors import DataError, DiscreetError
from discreet.protocol import Scenario, Step
from discreet.results import Assessment, Measurement, NotComputed, Score, Verdict
from discreet.schema import Schema
from discreet.typing import Json
from discreet.workflow.sessions import (
    Attacked,
    Contribution,
    Declared,
    Given,
    History,
    Opened,
    Protected,
    Released,
    ReleasedFile,
    RiskNow,
)

__all__ = ["pack", "unpack"]

_KEPT: dict[str, type[Any]] = {
    cls.__name__: cls
    for cls in (Assessment, Attacked, Contribution, Declared, Given, History, Measurement, NotComputed, Opened,
                Protected, Released, ReleasedFile, RiskNow, Scenario, Score, Step, Verdict)
}  # fmt: skip
_LEFT_OUT = {"rows", "charts", "details", "line"}
"""Fields that may hold values of records, or say where something stood in a file."""
_UNKNOWN = "The project holds something that this version does not know."


def pack(value: Any) -> Any:
    """Return a value as JSON can hold it.

    Examples
    --------
    >>> pack(Scenario("neighbour", ("age",)))
    {'is': 'Scenario', 'name': 'neighbour', 'known': ['age'], 'linkers': ['distance', 'probabilistic']}
    >>> unpack(pack(History().add(Step("mdav", {"k": 3})))).steps
    (Step(method='mdav', parameters={'k': 3}, unit=None),)
    """
    if isinstance(value, Schema):
        return {"is": "Schema", "toml": value.to_toml()}
    if isinstance(value, Protected):
        value = replace(value, provenance=_without_details(value.provenance))
    if is_dataclass(value) and not isinstance(value, type):
        name = type(value).__name__
        if name not in _KEPT:
            raise DataError(f"{name} is not kept in a project.")
        kept = [field.name for field in fields(value) if field.name not in _LEFT_OUT]
        return {"is": name} | {field: pack(getattr(value, field)) for field in kept}
    if isinstance(value, Mapping):
        # Apart from what is ours: a column may be called "is".
        return {"map": {str(key): pack(item) for key, item in value.items()}}
    if isinstance(value, (list, tuple)):
        return [pack(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise DataError(f"A value of type {type(value).__name__} is not kept in a project.")


def _without_details(provenance: Json) -> Json:
    kept = {key: value for key, value in provenance.items() if key != "details"}
    if "steps" in kept:
        kept["steps"] = [_without_details(step) for step in kept["steps"]]
    return kept


def unpack(value: Any) -> Any:
    """Return what :func:`pack` was given, without what it left out.

    Raises
    ------
    DataError
        What was kept is not of this version's making.
    """
    if isinstance(value, list):
        return tuple(unpack(item) for item in value)
    if not isinstance(value, dict):
        return value
    if "map" in value:
        # Lists among its values stay lists: parameters of a step are compared with what was typed.
        items = value["map"].items()
        return {key: [*unpack(item)] if isinstance(item, list) else unpack(item) for key, item in items}
    if value.get("is") == "Schema":
        return Schema.from_toml(str(value.get("toml")))
    cls = _KEPT.get(str(value.get("is")))
    if cls is None:
        raise DataError(_UNKNOWN)
    known = {field.name: field for field in fields(cls) if field.init}
    given = {key: unpack(item) for key, item in value.items() if key in known}
    try:
        return cls(**given)
    except DiscreetError:
        raise
    except (TypeError, ValueError):
        raise DataError(_UNKNOWN) from None
