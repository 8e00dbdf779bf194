"""What a written file shows of a cell: equal numbers exactly for cells that nobody who reads the file can tell apart.

A kernel's code says less than the file does. −8 and −9 are both missing to a method, and "1" and " 1" are one level;
somebody who opens the release sees four different things, and counts with them.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.scales.moment import Moment
from discreet.data.scales.scale import Categorical, Scale, is_text, level_type
from discreet.data.scales.sequence import EncodedSequences
from discreet.data.scales.succession import is_list, shown
from discreet.typing import BoolArray, IntArray

__all__ = ["absent_of", "cell_keys", "numbered", "says_all"]

_NULL = -1
_FEW = 1 << 16


def absent_of(encoded: Any) -> BoolArray:
    """Say of every cell of an encoded attribute whether it is missing."""
    if isinstance(encoded, EncodedSequences):
        return encoded.missing
    return np.asarray(encoded < 0 if encoded.dtype.kind == "i" else np.isnan(encoded))


def says_all(column: pa.Array, scale: Scale) -> bool:
    """Say whether the encoded value of a cell tells all that the file shows, missing cells apart.

    It does not where text is read as something else: "1", "1.0" and " 1" are one number.
    """
    if not scale.tells_all:
        return False
    if isinstance(scale, Categorical):
        return not is_text(column) or level_type(scale.levels) == pa.string()
    if isinstance(scale, Moment):
        # yyyymmdd is a number of its own; less than a microsecond is not encoded.
        return not is_text(column) and not (
            pa.types.is_timestamp(column.type) and column.type.unit == "ns" and _finer(column)
        )
    return not (is_text(column) or pa.types.is_decimal(column.type))


def cell_keys(
    column: pa.Array, scale: Scale, encoded: Any, *, text: pa.Array | None = None, tags: pa.Array | None = None
) -> IntArray:
    """Return a 64-bit number for every cell that depends on nothing but what a written file shows of it.

    Parameters
    ----------
    column : pa.Array
        The cells, missing codes among them.
    scale : Scale
    encoded : array or EncodedSequences
        The same cells as kernels see them.
    text : pa.Array, optional
        What is written instead, where a reader remembers it ("1.50").
    tags : pa.Array, optional
        What stands in empty cells, where the format has several kinds of them (Stata's .a to .z).

    Notes
    -----
    Levels by their code, numbers by their bits (−0.0 is 0.0), sequences by their events; text that is read as anything
    else, and missing codes, by a hash of 64 bits: two of a million different texts meet with a chance of one in 10⁷.
    """
    absent = absent_of(encoded)
    if text is not None:
        keys = _hashed(text, b"value")
    elif not says_all(column, scale):
        keys = _hashed(column, b"value")
    elif isinstance(encoded, EncodedSequences):
        keys = np.fromiter((_digest(key, b"value") for key in encoded.keys()), np.int64, len(encoded))  # noqa: SIM118
    elif encoded.dtype.kind == "f":
        keys = (encoded + 0.0).view(np.int64).copy()
    else:
        keys = encoded.astype(np.int64)
    if absent.any():
        places = np.flatnonzero(absent)
        cells = column.take(pa.array(places))
        keys[places] = _NULL if pa.types.is_nested(cells.type) else _hashed(cells, b"missing")
        if tags is not None:
            marks = _hashed(tags.take(pa.array(places)), b"tag")
            keys[places] = np.where(marks == _NULL, keys[places], marks)
    return keys


def _finer(column: pa.Array) -> bool:
    """Say whether timestamps in nanoseconds are no whole microseconds."""
    nanos = column.cast(pa.int64())
    return not pc.all(pc.equal(pc.multiply(pc.divide(nanos, 1000), 1000), nanos)).as_py()


def numbered(keys: IntArray, absent: BoolArray) -> IntArray:
    """Return numbers for what cells show: values from 0 on, kinds of missing cells −1, −2, … (an empty cell is −1)."""
    result = np.empty(keys.size, dtype=np.int64)
    numbers = keys[~absent]
    if numbers.min(initial=0) < 0 or numbers.max(initial=0) >= _FEW:
        numbers = np.unique(numbers, return_inverse=True)[1]  # few small numbers, such as levels, are numbered already
    result[~absent] = numbers
    kinds = np.unique(keys[absent])
    kinds = np.concatenate([[_NULL], kinds[kinds != _NULL]])
    order = np.argsort(kinds)
    result[absent] = -1 - order[np.searchsorted(kinds[order], keys[absent])]
    return result


def _hashed(column: pa.Array, salt: bytes) -> IntArray:
    """Return a number for the text of every cell; an empty cell is −1."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
        column = pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
    text = shown(column) if is_list(column) else column.cast(pa.string())
    cells = text.dictionary_encode()
    digests = np.array([_digest(text.encode(), salt) for text in cells.dictionary.to_pylist()] + [_NULL], np.int64)
    places = pc.fill_null(cells.indices, pa.scalar(len(cells.dictionary), cells.indices.type))
    return np.asarray(digests[places.to_numpy(zero_copy_only=False)], dtype=np.int64)


def _digest(content: bytes, salt: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8, salt=salt).digest(), "little", signed=True)
