"""What there is to list of methods and operators, kept from one process to the next.

To describe every method, every one of them is imported, which takes longer than all else that listing them takes. What
was described is kept in the user's cache folder under a digest of all sources of the package, by path, size and time of
change, and of the interpreter: a source that changes makes another digest, so that nothing old is ever shown. Where
there is no such folder, or nothing fit in it, everything is described anew.

For front ends that list; whoever registers methods of his own asks :mod:`discreet.catalogue`.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.kernels.code_cache import cache_folder

if TYPE_CHECKING:  # arrays are slow to load, and there are none in a list
    from discreet.typing import Json

__all__ = ["kept_methods", "kept_operators"]

_PARTS = ("maskers", "linkers", "measures", "operators")
_KEPT_DAYS = 60


def kept_methods(only: str | None = None) -> Json:
    """Return what :func:`discreet.catalogue.describe_methods` returns."""
    described = _described()
    if only is None:
        return {part: described[part] for part in _PARTS if part != "operators"}
    entries = {part: {only: described[part][only]} for part in _PARTS if only in described[part]}
    if entries:
        return entries
    from discreet.catalogue import describe_methods

    return describe_methods(only)  # which says what there is instead


def kept_operators() -> Json:
    """Return what :func:`discreet.catalogue.describe_operators` returns."""
    operators: Json = _described()["operators"]
    return operators


@cache
def _described() -> Json:
    folder = cache_folder()
    path = None if folder is None else folder / f"methods-{_digest()}.json"
    if path is not None:
        with suppress(OSError, ValueError):
            kept = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(kept, dict) and tuple(kept) == _PARTS:
                return kept
    from discreet.catalogue import describe_methods, describe_operators

    described = {**describe_methods(), "operators": describe_operators()}
    if path is not None:
        _keep(path, described)
    return described


def _digest() -> str:
    """Return a digest of every source that there is, and of who reads it."""
    hashed = hashlib.sha256(f"{sys.version}\n{sys.flags.optimize}\n".encode())
    root = Path(__file__).parent
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            if name.endswith(".py"):
                status = os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118 - there are hundreds
                hashed.update(f"{folder}/{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return hashed.hexdigest()[:16]


def _keep(path: Path, described: Json) -> None:
    """Write what was described, whole or not at all; a folder that cannot be written to is no reason to stop."""
    with suppress(OSError, TypeError, ValueError):
        text = json.dumps(described)
        if json.loads(text) != described:  # what comes back must be what went in
            return
        handle, name = tempfile.mkstemp(prefix=path.stem, dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        for other in path.parent.glob("methods-*.json"):
            if other.stat().st_mtime < time.time() - _KEPT_DAYS * 86400:
                other.unlink()
