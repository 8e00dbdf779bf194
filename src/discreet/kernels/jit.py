"""The two ways a kernel is compiled, when it is first called.

The compiler alone takes half a second to load, and a command that calls no kernel should not wait for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, update_wrapper
from importlib import import_module
from typing import Any, TypeVar, cast

__all__ = [
    "SAFE",
    "STRICT",
    "Kernel",
    "PlainTwin",
    "always_compiled",
    "compiled_callback",
    "exact_kernel",
    "inlined_kernel",
    "kernel",
    "lean_kernel",
]

# Never "nnan" or "ninf": kernels use infinities as "no candidate yet" and NaN as "missing".
SAFE = frozenset({"nsz", "arcp", "contract", "afn", "reassoc"})
# Without reassociation, and without fused multiply-add, a sum has one order and one result: what bitwise
# reproducibility and tie-breaking on equal distances rest on.
STRICT = frozenset({"nsz"})

F = TypeVar("F", bound=Any)

_LOCK = threading.RLock()


class Kernel:
    """A loop nest that is compiled, or read from the cache of compiled code, when it is first called."""

    __qualname__: str

    def __init__(
        self, function: Callable[..., Any], fastmath: frozenset[str], *, counts: bool = True, inlined: bool = False
    ) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.fastmath = fastmath
        self.counts = counts
        self.inlined = inlined
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._dispatcher or self.dispatcher())(*arguments)

    def dispatcher(self) -> Any:
        """Return what the compiler calls a dispatcher: it has code for every type of arguments that came so far."""
        with _LOCK:
            if self._dispatcher is None:
                _teach_compiler()
                import numba

                from discreet.kernels.code_cache import enable_cache

                options: dict[str, Any] = {"_nrt": self.counts, "forceinline": self.inlined}
                dispatcher = numba.njit(fastmath=set(self.fastmath), nogil=True, **options)(self.py_func)
                enable_cache(dispatcher, self.py_func)
                _take_constants_as_numbers(dispatcher)
                self._dispatcher = dispatcher
        return self._dispatcher

    @property
    def is_ready(self) -> bool:
        """Whether there is code of it in this process already."""
        return self._dispatcher is not None and bool(self._dispatcher.signatures)

    def __reduce__(self) -> tuple[Any, ...]:
        return _kernel_named, (self.__module__, self.__qualname__)


class PlainTwin:
    """Says when plain code does the work of kernels: as long as compiling them would cost more than it saves.

    Both give the same result to the last bit, so it does not matter when the one takes over from the other.

    Parameters
    ----------
    most : float
        How much plain code may do in a process, in whatever its work is counted: about what the kernels cost to make.
    *kernels : Kernel
        Used as soon as all of them are there anyway.
    """

    def __init__(self, most: float, *kernels: Any) -> None:
        self._most = most
        self._kernels = kernels
        self._done = 0.0

    def takes(self, work: float) -> bool:
        """Say whether plain code is to do so much work, and remember that it does."""
        if _eager or self._done + work > self._most or all(kernel.is_ready for kernel in self._kernels):
            return False
        self._done += work
        return True


_eager = False


@contextmanager
def always_compiled() -> Iterator[None]:
    """Let kernels do also what plain twins would do: so that there is code of them."""
    global _eager  # noqa: PLW0603 - of the whole process, as what is compiled is
    before, _eager = _eager, True
    try:
        yield
    finally:
        _eager = before


def _kernel_named(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


@cache
def _teach_compiler() -> None:
    """Tell the compiler what a kernel is that another one calls, and what is written in its own terms."""
    from numba.extending import typeof_impl

    from discreet.kernels.lanes import teach_lanes
    from discreet.kernels.linking.query_lanes import teach_query_lanes
    from discreet.kernels.stop import teach_compiler

    teach_compiler()
    teach_lanes()
    teach_query_lanes()

    @typeof_impl.register(Kernel)
    def _typeof(called: Kernel, context: Any) -> Any:
        return typeof_impl(called.dispatcher(), context)


def _take_constants_as_numbers(dispatcher: Any) -> None:
    """Let kernels that call this one with a constant call the code that takes any number of its type.

    The compiler would otherwise make code of its own for every constant, at a quarter of the time that kernels cost to
    compile; where it pays, that code is folded into the caller anyway, constant and all.
    """
    from numba.core import types

    unliteral: Callable[[Any], Any] = types.unliteral
    find_code = dispatcher.get_call_template

    def get_call_template(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return find_code(tuple(map(unliteral, arguments)), {name: unliteral(kind) for name, kind in named.items()})

    dispatcher.get_call_template = get_call_template


def compiled_callback(function: Callable[..., Any], result: Any, *arguments: Any) -> Any:
    """Compile a function that C code calls by its address, for types of the compiler."""
    _teach_compiler()
    from numba.core.ccallback import CFunc

    from discreet.kernels.code_cache import enable_cache

    callback = CFunc(function, (arguments, result), locals={}, options={})
    enable_cache(callback, function)
    callback.compile()
    return callback


def kernel(function: F) -> F:
    """Compile a loop nest whose sums may be reordered; cached on disk, runs without the interpreter lock."""
    return cast("F", Kernel(function, SAFE))


def exact_kernel(function: F) -> F:
    """Compile a loop nest whose floating-point result must not depend on the machine's vector width."""
    return cast("F", Kernel(function, STRICT))


def lean_kernel(function: F) -> F:
    """Compile an exact loop nest that makes no array: references to those that it is given are not counted.

    Counting is safe between threads and so costs five nanoseconds a time; in short loops over fields of a tuple or rows
    of an array that is more than the work itself.
    """
    return cast("F", Kernel(function, STRICT, counts=False))


def inlined_kernel(function: F) -> F:
    """Compile a lean kernel into those that call it: where its arguments, such as tuples of arrays, are a long way."""
    return cast("F", Kernel(function, STRICT, counts=False, inlined=True))
