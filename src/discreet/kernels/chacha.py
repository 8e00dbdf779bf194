"""ChaCha20 (Bernstein 2008): a keyed function from a counter to 64 bytes that nobody without the key can predict.

Two ways to use it: :func:`uniforms_at` gives numbers that belong to positions of records, in any order and any company;
:func:`callbacks` gives what NumPy calls to draw one number after the other from a stream.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import compiled_callback, exact_kernel

__all__ = ["COUNTER", "LANES", "NEXT", "STREAM_WORDS", "WORDS", "blocks", "callbacks", "uniforms_at"]

WORDS = 8
"""Numbers of 64 bits in a block."""
LANES = 64
"""Blocks that are made together."""
_BUFFERED = LANES * WORDS
# A stream lies in one array of 64-bit words: key (4), nonce, counter, the next word to hand out, and what was drawn.
NONCE, COUNTER, NEXT, _DRAWN = 4, 5, 6, 7
STREAM_WORDS = _DRAWN + _BUFFERED

_M = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@exact_kernel
def _quarter(
    a: np.uint32, b: np.uint32, c: np.uint32, d: np.uint32
) -> tuple[np.uint32, np.uint32, np.uint32, np.uint32]:
    u = np.uint32
    a = u(a + b)
    d = u(d ^ a)
    d = u(u(d << u(16)) | u(d >> u(16)))
    c = u(c + d)
    b = u(b ^ c)
    b = u(u(b << u(12)) | u(b >> u(20)))
    a = u(a + b)
    d = u(d ^ a)
    d = u(u(d << u(8)) | u(d >> u(24)))
    c = u(c + d)
    b = u(b ^ c)
    b = u(u(b << u(7)) | u(b >> u(25)))
    return a, b, c, d


_State: TypeAlias = tuple[np.uint32, ...]


@exact_kernel
def _two_rounds(x: _State) -> _State:
    x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15 = x
    x0, x4, x8, x12 = _quarter(x0, x4, x8, x12)
    x1, x5, x9, x13 = _quarter(x1, x5, x9, x13)
    x2, x6, x10, x14 = _quarter(x2, x6, x10, x14)
    x3, x7, x11, x15 = _quarter(x3, x7, x11, x15)
    x0, x5, x10, x15 = _quarter(x0, x5, x10, x15)
    x1, x6, x11, x12 = _quarter(x1, x6, x11, x12)
    x2, x7, x8, x13 = _quarter(x2, x7, x8, x13)
    x3, x4, x9, x14 = _quarter(x3, x4, x9, x14)
    return x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15


@exact_kernel
def _pair(low: np.uint32, high: np.uint32) -> np.uint64:
    return np.uint64(np.uint64(low) | (np.uint64(high) << _HALF))


@exact_kernel
def blocks(key: NDArray[np.uint64], nonce: np.uint64, counters: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    """Write the 64 bytes that belong to each of 64 counters.

    There is no loop but the one over counters, and words of a block lie a fixed distance apart: so the compiler works
    on as many counters at once as the processor has lanes.
    """
    # IN  key (4,) uint64, little-endian pairs of the specification's words; nonce uint64; counters (64,) uint64
    # OUT out (512,) uint64: the first words of all blocks, then the second ones …
    u = np.uint32
    k0, k1, k2, k3 = u(key[0] & _M), u(key[0] >> _HALF), u(key[1] & _M), u(key[1] >> _HALF)
    k4, k5, k6, k7 = u(key[2] & _M), u(key[2] >> _HALF), u(key[3] & _M), u(key[3] >> _HALF)
    n0, n1 = u(nonce & _M), u(nonce >> _HALF)
    s0, s1, s2, s3 = u(0x61707865), u(0x3320646E), u(0x79622D32), u(0x6B206574)
    for i in range(LANES):
        c0, c1 = u(counters[i] & _M), u(counters[i] >> _HALF)
        x = _two_rounds((s0, s1, s2, s3, k0, k1, k2, k3, k4, k5, k6, k7, c0, c1, n0, n1))
        x = _two_rounds(_two_rounds(_two_rounds(x)))
        x = _two_rounds(_two_rounds(_two_rounds(x)))
        x = _two_rounds(_two_rounds(_two_rounds(x)))
        out[i] = _pair(u(x[0] + s0), u(x[1] + s1))
        out[i + LANES] = _pair(u(x[2] + s2), u(x[3] + s3))
        out[i + 2 * LANES] = _pair(u(x[4] + k0), u(x[5] + k1))
        out[i + 3 * LANES] = _pair(u(x[6] + k2), u(x[7] + k3))
        out[i + 4 * LANES] = _pair(u(x[8] + k4), u(x[9] + k5))
        out[i + 5 * LANES] = _pair(u(x[10] + k6), u(x[11] + k7))
        out[i + 6 * LANES] = _pair(u(x[12] + c0), u(x[13] + c1))
        out[i + 7 * LANES] = _pair(u(x[14] + n0), u(x[15] + n1))


@exact_kernel
def uniforms_at(
    key: NDArray[np.uint64], nonce: np.uint64, positions: NDArray[np.int64], word: int, out: NDArray[np.float64]
) -> None:
    """Write a number in [0, 1) for every position from each of some words of its bytes, without keeping the bytes."""
    # IN  key (4,) uint64; nonce uint64; positions (n,) int64; word: the first of the words
    # OUT out (words, n) float64
    counters, words = np.zeros(LANES, dtype=np.uint64), np.empty(LANES * WORDS, dtype=np.uint64)
    for start in range(0, positions.size, LANES):
        size = min(LANES, positions.size - start)
        for i in range(size):
            counters[i] = np.uint64(positions[start + i])
        blocks(key, nonce, counters, words)
        for j in range(out.shape[0]):
            for i in range(size):
                out[j, start + i] = np.float64(words[(word + j) * LANES + i] >> np.uint64(11)) * 2.0**-53


@exact_kernel
def _drawn_on(stream: NDArray[np.uint64]) -> np.uint64:
    # IN and OUT stream (STREAM_WORDS,) uint64
    place = np.int64(stream[NEXT])
    if place == _BUFFERED:
        _refill(stream)
        place = np.int64(0)
    stream[NEXT] = np.uint64(place + 1)
    return np.uint64(stream[_DRAWN + place])


@exact_kernel
def _refill(stream: NDArray[np.uint64]) -> None:
    # IN and OUT stream (STREAM_WORDS,) uint64
    counters, words = np.empty(LANES, dtype=np.uint64), np.empty(_BUFFERED, dtype=np.uint64)
    for i in range(LANES):
        counters[i] = stream[COUNTER] + np.uint64(i)
    blocks(stream[:4], stream[NONCE], counters, words)
    for i in range(LANES):
        for j in range(WORDS):
            stream[_DRAWN + i * WORDS + j] = words[j * LANES + i]
    stream[COUNTER] += np.uint64(LANES)


carray: Any = None  # the compiler's word for an array at an address, once it is loaded


def _next_uint64(state: Any) -> Any:
    return _drawn_on(carray(state, STREAM_WORDS, np.uint64))


def _next_uint32(state: Any) -> Any:
    return np.uint32(_drawn_on(carray(state, STREAM_WORDS, np.uint64)) >> _HALF)


def _next_double(state: Any) -> Any:
    return np.float64(_drawn_on(carray(state, STREAM_WORDS, np.uint64)) >> np.uint64(11)) * 2.0**-53


@cache
def callbacks() -> tuple[int, int, int, int]:
    """Return the addresses of ``next_uint64``, ``next_uint32``, ``next_double`` and ``next_raw`` of a stream."""
    global carray  # noqa: PLW0603 - compiled code knows it by its name in this file
    from numba import carray as array_at  # type: ignore[attr-defined]
    from numba import types

    carray = array_at
    functions = (
        (_next_uint64, types.uint64),
        (_next_uint32, types.uint32),
        (_next_double, types.float64),
    )
    compiled = [compiled_callback(function, result, types.voidptr) for function, result in functions]
    _KEPT.append(compiled)  # code that NumPy may call must never be freed
    bits, half, double = (int(one.address or 0) for one in compiled)
    return bits, half, double, bits


_KEPT: list[Any] = []
