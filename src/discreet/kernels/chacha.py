"""ChaCha20 (Bernstein 2008): a keyed function from a counter to 64 bytes that nobody without the key can predict.

Two ways to use it: :func:`uniforms_at` gives numbers that belong to positions of records, in any order and any company;
:func:`callbacks` gives what NumPy calls to draw one number after the other from a stream.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import compiled_callback, exact_kernel

__all__ = ["COUNTER", "NEXT", "STREAM_WORDS", "WORDS", "block", "callbacks", "uniforms_at"]

WORDS = 8
"""Numbers of 64 bits in a block."""
_BUFFERED = 64 * WORDS
# A stream lies in one array of 64-bit words: key (4), nonce, counter, the next word to hand out, and what was drawn.
NONCE, COUNTER, NEXT, _DRAWN = 4, 5, 6, 7
STREAM_WORDS = _DRAWN + _BUFFERED

_M = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@exact_kernel
def _turned(x: np.uint32, by: int) -> np.uint32:
    return np.uint32((np.uint64(x) << np.uint64(by)) | (np.uint64(x) >> np.uint64(32 - by)))


@exact_kernel
def _quarter(
    a: np.uint32, b: np.uint32, c: np.uint32, d: np.uint32
) -> tuple[np.uint32, np.uint32, np.uint32, np.uint32]:
    a = np.uint32(a + b)
    d = _turned(np.uint32(d ^ a), 16)
    c = np.uint32(c + d)
    b = _turned(np.uint32(b ^ c), 12)
    a = np.uint32(a + b)
    d = _turned(np.uint32(d ^ a), 8)
    c = np.uint32(c + d)
    b = _turned(np.uint32(b ^ c), 7)
    return a, b, c, d


@exact_kernel
def _pair(low: np.uint32, high: np.uint32) -> np.uint64:
    return np.uint64(np.uint64(low) | (np.uint64(high) << _HALF))


@exact_kernel
def block(key: NDArray[np.uint64], nonce: np.uint64, counter: np.uint64, out: NDArray[np.uint64]) -> None:
    """Write the 64 bytes that belong to a counter."""
    # IN  key (4,) uint64, little-endian pairs of the specification's words; nonce, counter uint64
    # OUT out (8,) uint64
    k0, k1 = np.uint32(key[0] & _M), np.uint32(key[0] >> _HALF)
    k2, k3 = np.uint32(key[1] & _M), np.uint32(key[1] >> _HALF)
    k4, k5 = np.uint32(key[2] & _M), np.uint32(key[2] >> _HALF)
    k6, k7 = np.uint32(key[3] & _M), np.uint32(key[3] >> _HALF)
    c0, c1 = np.uint32(counter & _M), np.uint32(counter >> _HALF)
    n0, n1 = np.uint32(nonce & _M), np.uint32(nonce >> _HALF)
    s0, s1, s2, s3 = np.uint32(0x61707865), np.uint32(0x3320646E), np.uint32(0x79622D32), np.uint32(0x6B206574)
    x0, x1, x2, x3 = s0, s1, s2, s3
    x4, x5, x6, x7, x8, x9, x10, x11 = k0, k1, k2, k3, k4, k5, k6, k7
    x12, x13, x14, x15 = c0, c1, n0, n1
    for _ in range(10):
        x0, x4, x8, x12 = _quarter(x0, x4, x8, x12)
        x1, x5, x9, x13 = _quarter(x1, x5, x9, x13)
        x2, x6, x10, x14 = _quarter(x2, x6, x10, x14)
        x3, x7, x11, x15 = _quarter(x3, x7, x11, x15)
        x0, x5, x10, x15 = _quarter(x0, x5, x10, x15)
        x1, x6, x11, x12 = _quarter(x1, x6, x11, x12)
        x2, x7, x8, x13 = _quarter(x2, x7, x8, x13)
        x3, x4, x9, x14 = _quarter(x3, x4, x9, x14)
    out[0] = _pair(np.uint32(x0 + s0), np.uint32(x1 + s1))
    out[1] = _pair(np.uint32(x2 + s2), np.uint32(x3 + s3))
    out[2] = _pair(np.uint32(x4 + k0), np.uint32(x5 + k1))
    out[3] = _pair(np.uint32(x6 + k2), np.uint32(x7 + k3))
    out[4] = _pair(np.uint32(x8 + k4), np.uint32(x9 + k5))
    out[5] = _pair(np.uint32(x10 + k6), np.uint32(x11 + k7))
    out[6] = _pair(np.uint32(x12 + c0), np.uint32(x13 + c1))
    out[7] = _pair(np.uint32(x14 + n0), np.uint32(x15 + n1))


@exact_kernel
def uniforms_at(
    key: NDArray[np.uint64], nonce: np.uint64, positions: NDArray[np.int64], word: int, out: NDArray[np.float64]
) -> None:
    """Write a number in [0, 1) for every position from each of some words of its bytes, without keeping the bytes."""
    # IN  key (4,) uint64; nonce uint64; positions (n,) int64; word: the first of the words
    # OUT out (words, n) float64
    words = np.empty(WORDS, dtype=np.uint64)
    for i in range(positions.size):
        block(key, nonce, np.uint64(positions[i]), words)
        for j in range(out.shape[0]):
            out[j, i] = np.float64(words[word + j] >> np.uint64(11)) * 2.0**-53


@exact_kernel
def _drawn_on(stream: NDArray[np.uint64]) -> np.uint64:
    # IN and OUT stream (STREAM_WORDS,) uint64
    place = np.int64(stream[NEXT])
    if place == _BUFFERED:
        for i in range(_BUFFERED // WORDS):
            start = _DRAWN + i * WORDS
            block(stream[:4], stream[NONCE], stream[COUNTER] + np.uint64(i), stream[start : start + WORDS])
        stream[COUNTER] += np.uint64(_BUFFERED // WORDS)
        place = np.int64(0)
    stream[NEXT] = np.uint64(place + 1)
    return np.uint64(stream[_DRAWN + place])


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
