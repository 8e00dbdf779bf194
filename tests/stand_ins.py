"""Stand-ins for libraries."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def instead(library: Any, **changed: Any) -> SimpleNamespace:
    """Return a library with something changed, for one module to see.

    The library itself is left alone: servers and event loops in other threads read the same clock.
    """
    return SimpleNamespace(**{**vars(library), **changed})
