"""The two ways a kernel is compiled."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numba

__all__ = ["SAFE", "STRICT", "exact_kernel", "kernel"]

# Never "nnan" or "ninf": kernels use infinities as "no candidate yet" and NaN as "missing".
SAFE = frozenset({"nsz", "arcp", "contract", "afn", "reassoc"})
# Without reassociation, and without fused multiply-add, a sum has one order and one result: what bitwise
# reproducibility and tie-breaking on equal distances rest on.
STRICT = frozenset({"nsz"})

F = TypeVar("F", bound=Any)


def kernel(function: F) -> F:
    """Compile a loop nest whose sums may be reordered; cached on disk, runs without the interpreter lock."""
    return cast("F", numba.njit(cache=True, fastmath=set(SAFE), nogil=True)(function))


def exact_kernel(function: F) -> F:
    """Compile a loop nest whose floating-point result must not depend on the machine's vector width."""
    return cast("F", numba.njit(cache=True, fastmath=set(STRICT), nogil=True)(function))
