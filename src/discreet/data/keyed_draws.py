"""Where random numbers come from: a seed together with the values that are to be masked.

Every draw of a masker follows from a key of 256 bits, and the key from three things: the seed, the method with its
parameters, and a fingerprint of the original values. Whoever holds a release, its script, its seed and this source, but
not the original, cannot make the key, and so cannot draw the same numbers; whoever holds the original gets the same
bytes. The numbers themselves come from ChaCha20, a stream cipher: an intruder who knows some records, and so sees their
draws, can neither go back to the key nor on to the draws of others.

A seed is best kept secret all the same. The fingerprint is as hard to guess as the masked values that an intruder does
not know: a column that four people answered, or six hospitals that get fresh numbers, leave few possibilities, and all
of them can be tried against a published seed, however many records the file has. Of thousands of unknown cells they
cannot.
"""

from __future__ import annotations

import ctypes
import hashlib
import secrets
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from discreet.typing import FloatArray, IntArray, RandomState

__all__ = [
    "Draws",
    "Fingerprint",
    "LateStream",
    "Stream",
    "drawn_seed",
    "draws_of",
    "fingerprint",
    "generator_of",
    "seed_from",
    "spawned",
]

Fingerprint: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint64]]"
"""128 bits, as two numbers that add up over parts of a table (modulo 2⁶⁴)."""

_SEED_BITS = 128


def drawn_seed() -> int:
    """Return a seed of 128 bits from the operating system: what is used where none is given."""
    return secrets.randbits(_SEED_BITS)


def seed_from(seed: int, *path: int | str) -> int:
    """Return a seed of 128 bits that follows from another one: of a step, a table or an experiment.

    Examples
    --------
    >>> seed_from(7, "step", 1) == seed_from(7, "step", 1) != seed_from(7, "step", 2)
    True
    """
    return int.from_bytes(_digest(b"seed", str(seed), *path)[: _SEED_BITS // 8], "little")


def fingerprint(columns: Mapping[str, Any], positions: IntArray | None = None) -> Fingerprint:
    """Return the fingerprint of some records: every value counts, in its column and at its position.

    Parameters
    ----------
    columns : mapping of str to array
        Encoded attributes by name: numbers, codes, arrays of bytes, or encoded sequences.
    positions : (n,) int64, optional
        Where the records stand in their table; by default from 0 on.

    Returns
    -------
    (2,) uint64
        Those of parts of a table add up to that of the table, so that it can be taken in memory, from a file a batch at
        a time, or on a cluster. It is secret like the values and belongs into no file.

    Notes
    -----
    O(cells). −0.0 counts as 0.0, and NaN as one value, whatever its bits.

    Examples
    --------
    >>> whole = fingerprint({"x": np.array([1.5, 2.5, 3.5])})
    >>> parts = fingerprint({"x": np.array([1.5])}) + fingerprint({"x": np.array([2.5, 3.5])}, np.array([1, 2]))
    >>> bool((whole == parts).all())
    True
    >>> bool((whole == fingerprint({"x": np.array([2.5, 1.5, 3.5])})).any())
    False
    """
    from discreet.kernels.fingerprint import add_cells  # compiled code, loaded when there is work for it

    sums = np.zeros(2, dtype=np.uint64)
    for name, column in columns.items():
        bits = _bits(column)
        rows = np.arange(bits.size) if positions is None else np.asarray(positions, dtype=np.int64)
        salt = np.uint64(int.from_bytes(_digest(b"column", name)[:8], "little"))
        add_cells(bits, rows, salt, sums)
    return sums


def _bits(column: Any) -> Any:
    if not isinstance(column, np.ndarray):
        return _of_bytes(column.keys())
    if column.dtype == object:
        return _of_bytes(column)
    if column.dtype.kind == "f":
        numbers = np.where(np.isnan(column), np.nan, column) + 0.0
        return np.ascontiguousarray(numbers, dtype=np.float64).view(np.uint64)
    return np.ascontiguousarray(column, dtype=np.int64).view(np.uint64)


def _of_bytes(texts: Iterable[bytes]) -> Any:
    listed = list(texts)
    numbers = {text: int.from_bytes(_digest(b"sequence", text)[:8], "little") for text in set(listed)}
    return np.array([numbers[text] for text in listed], dtype=np.uint64)


def _digest(*parts: bytes | str | int) -> bytes:
    """Return 32 bytes that follow from all parts; kind and length stand before each, so none runs into another."""
    hashed = hashlib.blake2b(digest_size=32, person=b"discreet draws")
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode()
        hashed.update(f"{type(part).__name__}:{len(raw)}:".encode() + raw)
    return hashed.digest()


@dataclass(frozen=True, repr=False)
class Draws:
    """Random numbers from a key: streams, and numbers that belong to the positions of records.

    Parameters
    ----------
    key : bytes
        32 of them.

    Examples
    --------
    >>> draws = Draws.of(7, fingerprint({"x": np.array([1.5, 2.5])}), "noise")
    >>> draws.generator("a").random() == draws.generator("a").random() != draws.generator("b").random()
    True
    >>> rows = np.arange(4)
    >>> bool((draws.uniform(rows)[2:] == draws.uniform(rows[2:])).all())
    True
    """

    key: bytes

    @classmethod
    def of(cls, seed: int | bytes, marks: Fingerprint | None, purpose: str) -> Draws:
        """Return the draws for a purpose (a method and its parameters) with a seed, on values with a fingerprint."""
        values = b"" if marks is None else np.asarray(marks, dtype="<u8").tobytes()
        return cls(_digest(seed, values, purpose))

    def child(self, *path: int | str) -> Draws:
        """Return the draws of a part of the work, which tell nothing of those of any other part."""
        return Draws(_digest(self.key, *path))

    def generator(self, *path: int | str) -> np.random.Generator:
        """Return NumPy's generator on the stream of a part of the work."""
        return np.random.Generator(_ChaChaStream(self.child("stream", *path).key))  # type: ignore[arg-type]

    def stream(self, *path: int | str) -> LateStream:
        """Return what gives :meth:`generator` when it is asked for."""
        return LateStream(self, path)

    def integer(self, *path: int | str) -> int:
        """Return a seed of 62 bits for a kernel or an engine."""
        return int.from_bytes(self.child("integer", *path).key[:8], "little") >> 2

    def uniform(self, rows: IntArray, stream: int = 0) -> FloatArray:
        """Return a number in [0, 1) for every position; `stream` tells several of one record apart."""
        from discreet.kernels import chacha

        result = np.empty((1, len(rows)))
        key = np.frombuffer(self.key, dtype="<u8").astype(np.uint64)
        place, word = divmod(stream, chacha.WORDS)
        chacha.uniforms_at(key, np.uint64(place), np.ascontiguousarray(rows, dtype=np.int64), word, result)
        return np.asarray(result[0], dtype=np.float64)

    def uniforms(self, rows: IntArray, streams: int) -> FloatArray:
        """Return the numbers of the first streams, one column a stream: those of :meth:`uniform`, drawn together."""
        from discreet.kernels import chacha

        key = np.frombuffer(self.key, dtype="<u8").astype(np.uint64)
        positions = np.ascontiguousarray(rows, dtype=np.int64)
        result = np.empty((streams, len(rows)))
        for first in range(0, streams, chacha.WORDS):
            part = result[first : first + chacha.WORDS]
            chacha.uniforms_at(key, np.uint64(first // chacha.WORDS), positions, 0, part)
        return result.T

    def __repr__(self) -> str:
        return "Draws(…)"  # whoever reads a key has all draws


def draws_of(random_state: RandomState, marks: Fingerprint, purpose: str) -> tuple[int | None, Draws]:
    """Return the seed, where one number can bring the run back, and the draws. No seed given: one is drawn."""
    if random_state is None:
        random_state = drawn_seed()
    if isinstance(random_state, np.random.SeedSequence):
        return None, Draws.of(random_state.generate_state(8, np.uint32).tobytes(), marks, purpose)
    if isinstance(random_state, np.random.Generator):
        return None, Draws.of(random_state.bytes(32), marks, purpose)
    return int(random_state), Draws.of(int(random_state), marks, purpose)


def spawned(rng: np.random.Generator) -> np.random.Generator:
    """Return a generator with a stream of its own, for a part of the work that may run beside others."""
    return Draws(rng.bytes(32)).generator()


class LateStream:
    """A generator that is made when it is first asked for: by many methods it never is, and it takes a compiler."""

    def __init__(self, draws: Draws, path: tuple[int | str, ...]) -> None:
        self._draws, self._path = draws, path

    @cached_property
    def generator(self) -> np.random.Generator:
        """NumPy's generator on the stream."""
        return self._draws.generator(*self._path)


Stream: TypeAlias = "np.random.Generator | LateStream"


def generator_of(stream: Stream) -> np.random.Generator:
    """Return the generator of a stream, always the same one."""
    return stream.generator if isinstance(stream, LateStream) else stream


class _Interface(ctypes.Structure):
    """What NumPy calls a ``bitgen_t``: a state, and the functions that draw from it."""

    _fields_ = (
        ("state", ctypes.c_void_p),
        ("next_uint64", ctypes.c_void_p),
        ("next_uint32", ctypes.c_void_p),
        ("next_double", ctypes.c_void_p),
        ("next_raw", ctypes.c_void_p),
    )


_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class _ChaChaStream:
    """A stream of ChaCha20 in the shape that :class:`numpy.random.Generator` draws from."""

    def __init__(self, key: bytes) -> None:
        from discreet.kernels import chacha

        self.lock = threading.Lock()
        self._words = np.zeros(chacha.STREAM_WORDS, dtype=np.uint64)
        self._words[:4] = np.frombuffer(key, dtype="<u8")
        self._words[chacha.NEXT] = chacha.STREAM_WORDS - chacha.NEXT - 1  # nothing is drawn yet
        self._interface = _Interface(self._words.ctypes.data, *chacha.callbacks())
        self.capsule = _capsule(ctypes.addressof(self._interface), b"BitGenerator", None)
