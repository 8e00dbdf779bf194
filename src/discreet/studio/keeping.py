"""What a project keeps on disk, as JSON and back: choices, counts and figures, never a record.

What is packed is listed here by class. Left out, on purpose, is whatever may hold a value of a record: the rows of a
preview, pictures of distributions, and the details of measures and steps, which are worked out again when asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from discreet.contracts.assessment import Assessment, NotComputed, Score, Verdict
from discreet.contracts.intruder import Intruder
from discreet.contracts.measurement import Measurement
from discreet.data.schema import Schema
from discreet.errors import DataError, DiscreetError, door
from discreet.release.protocol_parts import Step
from discreet.studio.session_values import (
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
from discreet.typing import Json

__all__ = ["pack", "unpack"]

_KEPT: dict[str, type[Any]] = {
    cls.__name__: cls
    for cls in (Assessment, Attacked, Contribution, Declared, Given, History, Measurement, NotComputed, Opened,
                Protected, Released, ReleasedFile, RiskNow, Intruder, Score, Step, Verdict)
}  # fmt: skip


_LEFT_OUT = {"rows", "charts", "details", "line"}
"""Fields that may hold values of records, or say where something stood in a file."""


_UNKNOWN = "The project holds something that this version does not know."


@door
def pack(value: Any) -> Any:
    """Return a value as JSON can hold it.

    Examples
    --------
    >>> pack(Intruder("neighbour", ("age",)))["known"]
    ['age']
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
        names = [field.name for field in fields(value) if field.name not in _LEFT_OUT]
        return {"is": name} | {field: pack(getattr(value, field)) for field in names}
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
    remaining = {key: value for key, value in provenance.items() if key != "details"}
    if "steps" in remaining:
        remaining["steps"] = [_without_details(step) for step in remaining["steps"]]
    return remaining


@door
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
    names = {field.name: field for field in fields(cls) if field.init}
    values = {key: unpack(item) for key, item in value.items() if key in names}
    try:
        return cls(**values)
    except DiscreetError:
        raise
    except (TypeError, ValueError):
        raise DataError(_UNKNOWN) from None
