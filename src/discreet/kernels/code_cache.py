"""Where compiled code is kept from one process to the next.

Not beside the sources, which may be read-only, but in the user's cache folder, or where ``DISCREET_CACHE_DIR`` says.
What lies there is executed, so a folder is used only if nobody but its owner can write to it, and its owner is the user
or the system's. Every entry stands under a digest of the sources that it was compiled from: its own file and those it
takes loops and constants from, which the compiler by itself does not look at.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import shutil
import stat
import sys
import time
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["VARIABLE", "cache_folder", "cached_calls", "enable_cache", "is_safe"]

VARIABLE = "DISCREET_CACHE_DIR"

_IMPORTED = re.compile(r"^from (discreet\.kernels\.[\w.]+) import", re.MULTILINE)
_KEPT_DAYS = 60


def _chosen_folder() -> Path | None:
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return Path(base) / "discreet" / "Cache" if base else None
    with suppress(RuntimeError):
        home = Path.home()
        if sys.platform == "darwin":
            return home / "Library" / "Caches" / "discreet"
        shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
        # The specification has relative paths ignored.
        return (shared if shared.is_absolute() else home / ".cache") / "discreet"
    return None


def is_safe(folder: Path) -> bool:
    """Say whether nobody but the user or the system can put code into a folder that exists."""
    if not hasattr(os, "getuid"):
        return True  # the profile of a user of Windows is closed to others
    own = {0, os.getuid()}
    place = folder.resolve()
    status = place.stat()
    if status.st_uid not in own or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return False
    # Whoever can write to a folder above can put another one in the place of this; a sticky one lets nobody.
    above = [parent.stat() for parent in place.parents]
    return all(one.st_mode & stat.S_ISVTX or not one.st_mode & stat.S_IWOTH for one in above)


@cache
def cache_folder() -> Path | None:
    """Return the folder of compiled code, made if it was not there; None where there is none that is safe."""
    folder = _chosen_folder()
    if folder is None:
        return None
    with suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        # One that was asked for may be filled by one user for others, as in an image; it holds nothing secret.
        folder.mkdir(mode=0o755 if VARIABLE in os.environ else 0o700, exist_ok=True)
    with suppress(OSError):
        if is_safe(folder):
            return folder.resolve()
    return None


@cache
def _source(module: str) -> str:
    return Path(str(import_module(module).__file__)).read_text(encoding="utf-8")


@cache
def _digest(module: str) -> str:
    """Return a digest of a module of kernels and of all that it imports from other such modules."""
    modules, queue = {__name__.replace("code_cache", "jit"), __name__.replace("code_cache", "stop")}, [module]
    while queue:
        name = queue.pop()
        if name not in modules or name == module:
            modules.add(name)
            queue += [one for one in _IMPORTED.findall(_source(name)) if one not in modules]
    hashed = hashlib.sha256()
    for name in sorted(modules):
        hashed.update(f"{name}\n{_source(name)}\n".encode())
    return hashed.hexdigest()[:16]


def _place(module: str, root: Path) -> Path:
    name = module.removeprefix("discreet.kernels.")
    folder = root / f"{name}-{_digest(module)}"
    if not folder.is_dir():
        with suppress(OSError):
            folder.mkdir(mode=0o755)
            _forget_old(root, name)
    return folder


def _forget_old(root: Path, name: str) -> None:
    """Remove the code of earlier sources of a module, two months after it was written."""
    for other in root.glob(f"{name}-{'[0-9a-f]' * 16}"):
        if other.stat().st_mtime < time.time() - _KEPT_DAYS * 86400:
            shutil.rmtree(other, ignore_errors=True)


@cache
def _cache_class() -> Any:
    from numba.core.caching import CompileResultCacheImpl, FunctionCache

    class Locator:
        """Tells the compiler's cache where the code of one function lies."""

        def __init__(self, function: Any, file: str) -> None:
            self._py_file = file
            self.line = function.__code__.co_firstlineno
            self.folder = _place(function.__module__, cache_folder() or Path())

        @classmethod
        def from_function(cls, function: Any, file: str) -> Locator:
            return cls(function, file)

        def get_cache_path(self) -> str:
            return str(self.folder)

        def get_source_stamp(self) -> str:
            return self.folder.name

        def get_disambiguator(self) -> str:
            return str(self.line)

        def ensure_cache_path(self) -> None:
            pass

    class Implementation(CompileResultCacheImpl):
        _locator_classes: Any = (Locator,)

    class CodeCache(FunctionCache):
        """The compiler's cache in a folder of ours; one that cannot be read or written is no reason to stop."""

        _impl_class = Implementation

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                code = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
            except Exception:  # noqa: BLE001 - whatever is wrong with a file, the code can be made again
                return None
            _CALLS["read" if code is not None else "compiled"] += 1
            return code

        def save_overload(self, sig: Any, data: Any) -> None:
            with suppress(OSError):
                try:
                    super().save_overload(sig, data)  # type: ignore[no-untyped-call]
                except (pickle.UnpicklingError, EOFError, ValueError, IndexError):  # an index that is none
                    self.flush()  # type: ignore[no-untyped-call]
                    super().save_overload(sig, data)  # type: ignore[no-untyped-call]
                for path in Path(self.cache_path).glob(f"{self._impl.filename_base}.*"):
                    mode = path.stat().st_mode
                    if mode & (stat.S_IWGRP | stat.S_IWOTH):
                        path.chmod(stat.S_IMODE(mode) & ~(stat.S_IWGRP | stat.S_IWOTH))

    return CodeCache


_CALLS = {"read": 0, "compiled": 0}


def cached_calls() -> dict[str, int]:
    """Return how many kernels were read from the cache and how many were compiled in this process."""
    return dict(_CALLS)


def enable_cache(dispatcher: Any, function: Any) -> None:
    """Let compiled code be looked for, and kept, in the cache folder, where there is a safe one."""
    if cache_folder() is not None:
        dispatcher._cache = _cache_class()(function)  # noqa: SLF001 - there is no other door for a cache of one's own
