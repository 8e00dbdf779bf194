"""Memory that was freed, given back to the system: an allocator keeps it for this process alone."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

__all__ = ["give_back"]

_MANY = 100_000  # records from which on it is worth the time that it takes


def give_back(records: int) -> None:
    """Give freed memory back, after work on so many records; what stands beside it in use stays where it is.

    Notes
    -----
    glibc keeps what was freed below anything that is still in use, so that a process seems to need for all its tasks
    together what it needed for each. Other allocators are left to their own rules.
    """
    trim = _trim() if records >= _MANY else None
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """Return glibc's function that gives freed memory back; None where there is none."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another library, or a system that does not name it so
        return None
