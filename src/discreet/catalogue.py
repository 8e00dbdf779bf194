"""The full list of methods: imports every file of the method rooms, so that the registry is complete.

A new method is one new file in its room; nothing here changes.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

import discreet.linkage
import discreet.masking
import discreet.measures
from discreet.base import find, registered

__all__ = ["class_named", "linkers", "maskers", "measures", "method"]


@cache
def _load() -> None:
    for package in (discreet.masking, discreet.linkage, discreet.measures):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            importlib.import_module(module.name)


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


def method(contract: str, name: str) -> type[Any]:
    """Return the class registered under a name, or say which names there are."""
    _load()
    return find(contract, name)


def class_named(name: str) -> type[Any] | None:
    """Return the method whose class has this name: how ``dc.MDAV`` is found."""
    _load()
    for contract in ("masker", "linker", "measure"):
        for cls in registered(contract).values():
            if cls.__name__ == name:
                return cls
    return None
