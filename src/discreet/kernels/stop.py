"""How a compiled loop is stopped from outside.

A flag has one address in a process, and compiled code is kept on disk from one process to the next; so kernels know it
by a name, and the name gets its address here, before any of them is loaded.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from discreet.stopping import FLAG, Stopped

__all__ = ["heed_stop", "teach_compiler"]

_NAME = "discreet_stop_flag"


def heed_stop() -> None:
    """Leave the kernel if work is to stop.

    The one exception that a kernel raises: what it has made so far is not whole, and nobody must take it for whole.
    Called once a turn of an outer loop, it costs less than a nanosecond.
    """
    if FLAG.value:
        raise Stopped


@cache
def teach_compiler() -> None:
    """Tell the compiler where the flag lies and what :func:`heed_stop` is in compiled code; once, before the first."""
    from llvmlite import binding, ir
    from numba.core import types
    from numba.extending import intrinsic, overload

    binding.add_symbol(_NAME, ctypes.addressof(FLAG))

    @intrinsic
    def is_raised(_context: Any) -> Any:
        """Read the flag from memory, every time: another thread sets it."""

        def code(_target: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
            word = ir.IntType(64)
            place = builder.module.globals.get(_NAME) or ir.GlobalVariable(builder.module, word, _NAME)
            return builder.icmp_signed("!=", builder.load_atomic(place, "monotonic", 8), ir.Constant(word, 0))

        return types.boolean(), code

    @overload(heed_stop)
    def _heed_stop() -> Any:
        def compiled() -> None:
            if is_raised():  # type: ignore[call-arg]
                raise Stopped

        return compiled
