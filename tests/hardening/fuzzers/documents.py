"""Hostile TOML: schemas and protocols with fields of the wrong type, size or name. An object or a clear error."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from discreet import workflow
from discreet.data.schema import Schema
from discreet.errors import DiscreetError
from discreet.release.running_tables import is_for_tables

VALUES: tuple[Any, ...] = (
    -1, 0, 1, 2**31, 2**63 - 1, -(2**63), 2**63, 10**30, 0.5, float("nan"), float("inf"), True, False, "", " ", "é",
    "a", ";", "\t", "key", "numeric", "ordinal", "nominal", "sequence", "mdav", "data.csv", "../data.csv", "/dev/null",
    "x" * 500, [], [1, "a"], ["a", "a"], [[]], {}, {"a": 1}, [{}], dt.date(2020, 1, 1), "\x00", "utf-8", "utf-99",
)  # fmt: skip
FIELDS = (
    "name", "scale", "role", "levels", "missing", "separator", "about", "unheard", "file", "delimiter", "encoding",
    "sequence", "sheet", "method", "k", "attributes", "seed", "masked", "manifest", "max_risk", "knows", "linkers",
)  # fmt: skip


def valid() -> dict[str, Any]:
    return {
        "seed": 1,
        "data": {"file": "data.csv"},
        "attribute": [
            {"name": "a", "scale": "numeric", "role": "key"},
            {"name": "b", "scale": "ordinal", "role": "key", "levels": ["1", "2", "3"], "missing": ["-9"]},
            {"name": "c", "scale": "nominal", "role": "confidential", "levels": ["x", "y"]},
        ],
        "scenario": [{"name": "all", "keys": ["a", "b"], "linkers": ["distance"]}],
        "step": [{"method": "mdav", "k": 2, "attributes": ["a"]}],
        "thresholds": {"k-anonymity": 2},
        "release": {"masked": "masked.csv", "internal": "internal.html"},
    }


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place in a document, as a container and a key."""
    found = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found.append((value, key))
        found += places(inner)
    return found


def case(rng: np.random.Generator, folder: Path) -> str | None:
    document = valid()
    for _ in range(int(rng.integers(1, 4))):
        spots = places(document)
        where, key = spots[rng.integers(len(spots))]
        value = VALUES[rng.integers(len(VALUES))]
        draw = rng.random()
        if draw < 0.15 and isinstance(where, dict):
            del where[key]
        elif draw < 0.4 and isinstance(where, dict):
            where[str(FIELDS[rng.integers(len(FIELDS))])] = value
        else:
            where[key] = value
    try:
        text = tomli_w.dumps(document)
    except (TypeError, ValueError, OverflowError):
        return None
    if rng.random() < 0.1:
        cut = int(rng.integers(len(text)))
        text = text[:cut] + str(rng.choice(["[", "=", '"', "\n", "[[a]]", "\x00"])) + text[cut:]
    (folder / "data.csv").write_text("a,b,c\n1,1,x\n2,2,y\n3,3,x\n4,1,y\n")
    path = folder / "protocol.toml"
    path.write_text(text, encoding="utf-8")
    schema = text if rng.random() < 0.5 else tomli_w.dumps({"attribute": document.get("attribute", [])})
    steps = (
        lambda: Schema.from_toml(schema),
        lambda: workflow.read(folder / "data.csv", Schema.from_toml(schema)),
        lambda: is_for_tables(path),
        lambda: workflow.run(path).write(folder / "out"),
    )
    try:
        steps[rng.integers(len(steps))]()
    except DiscreetError:
        return None
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
        return type(error).__name__
    return None if path.read_text(encoding="utf-8") == text else "the protocol was written over"
