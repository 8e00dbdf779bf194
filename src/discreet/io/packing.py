"""Text files that are packed: ``.gz``, ``.bz2``, ``.zst``. Unpacked in memory, so that nothing is left on a disk."""

from __future__ import annotations

import bz2
import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from discreet.errors import FileError

__all__ = [
    "PACKED",
    "arrow_stream",
    "beginning",
    "ending_of",
    "opened_for_reading",
    "opened_for_writing",
    "told_if_damaged",
    "unpacked",
    "without_packing",
]

_CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
_TEXTS = (".csv", ".tsv", ".txt", ".ndjson", ".jsonl")
PACKED = tuple(f"{text}{packing}" for text in _TEXTS for packing in _CODECS)
"""The endings of packed files that are read and written."""


def ending_of(path: str | os.PathLike[str]) -> str:
    """Return the ending that says what a file is: both parts of it where it is packed.

    Examples
    --------
    >>> ending_of("Survey.2024.CSV.gz"), ending_of("survey.parquet"), ending_of("notes.gz")
    ('.csv.gz', '.parquet', '.gz')
    """
    name = Path(path).name.lower()
    return next((ending for ending in PACKED if name.endswith(ending)), Path(name).suffix)


def without_packing(ending: str) -> str:
    """Return what is packed: ``.csv`` of ``.csv.gz``."""
    return ending.rsplit(".", 1)[0] if ending in PACKED else ending


def unpacked(path: Path, ending: str | None = None) -> bytes | None:
    """Return the content of a packed file; None of one that is not packed."""
    ending = ending_of(path) if ending is None else ending
    if ending not in PACKED:
        return None
    with told_if_damaged(path, ending), opened_for_reading(path, ending) as file:
        return bytes(file.read())


def opened_for_reading(path: Path, ending: str | None = None) -> IO[bytes]:
    """Return a stream of a file's content, unpacked on the way where its ending says so."""
    ending = ending_of(path) if ending is None else ending
    if ending not in PACKED:
        return path.open("rb")
    packing = f".{ending.rsplit('.', 1)[1]}"
    if packing == ".zst":
        unpacking: Any = pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")
        return unpacking  # type: ignore[no-any-return]
    opener: Any = gzip.open if packing == ".gz" else bz2.open
    return opener(path, "rb")  # type: ignore[no-any-return]


def arrow_stream(path: Path, ending: str | None = None) -> pa.NativeFile:
    """Return the same as a stream of Arrow's own, which its threads may read without the interpreter."""
    ending = ending_of(path) if ending is None else ending
    file = pa.OSFile(str(path))
    return pa.CompressedInputStream(file, _CODECS[f".{ending.rsplit('.', 1)[1]}"]) if ending in PACKED else file


def beginning(path: Path, size: int) -> bytes:
    """Return the first bytes of what is in a file."""
    with told_if_damaged(path), opened_for_reading(path) as file:
        parts, missing = [], size
        while missing > 0 and (part := file.read(missing)):
            parts.append(part)
            missing -= len(part)
    return b"".join(parts)


@contextmanager
def told_if_damaged(path: Path, ending: str | None = None) -> Iterator[None]:
    """Say of a packed file that cannot be unpacked that it is damaged."""
    try:
        yield
    except PermissionError:
        raise
    except (OSError, EOFError, zlib.error, pa.ArrowException):
        if (ending_of(path) if ending is None else ending) not in PACKED:
            raise
        raise FileError(
            f"{str(path)!r} cannot be unpacked: it is damaged, or its end is missing.",
            hint="Pack it again, or give it without packing.",
        ) from None


@contextmanager
def opened_for_writing(path: Path, ending: str) -> Iterator[IO[bytes] | Any]:
    """Give a stream into a file, packed where its ending says so; without a name or a time in its heading."""
    if ending not in PACKED:
        with path.open("wb") as file:
            yield file
        return
    codec = _CODECS[f".{ending.rsplit('.', 1)[1]}"]
    if codec == "gzip":
        with path.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
            yield file
        return
    with pa.OSFile(str(path), "wb") as raw, pa.CompressedOutputStream(raw, codec) as stream:
        yield stream
