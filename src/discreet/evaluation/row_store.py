"""Finished rows of a study, kept line by line, so that a study that was stopped can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from discreet.data.keyed_draws import drawn_seed
from discreet.data.microdata import Microdata
from discreet.errors import FileError
from discreet.io.atomic import write_text
from discreet.io.door import check_target
from discreet.io.json_text import parse_json
from discreet.scratch import saying_if_full
from discreet.typing import Json

__all__ = ["RowStore", "check_store", "open_store", "study_seed"]

_BEGINNING = 4096
"""Bytes in which the first line of a store ends: a name, a fingerprint and a seed."""


def check_store(path: str | os.PathLike[str], *, resume: bool, inputs: Iterable[str | os.PathLike[str]] = ()) -> Path:
    """Return a path at which rows may be kept, or say why not.

    Only a study is ever added to; any other file, above all an input, is left as it is.
    """
    target = check_target(path, inputs)
    if not target.exists():
        return target
    try:
        with target.open("rb") as file:
            begins = _fingerprint_in(file.read(_BEGINNING))
    except OSError:
        raise FileError(f"{str(target)!r} cannot be read.", hint="Check its permissions.") from None
    if begins is None:
        raise FileError(
            f"{str(target)!r} exists and does not hold a study, so it is left as it is.", hint="Give a new file name."
        )
    if not resume:
        raise FileError(f"{str(target)!r} holds an earlier study.", hint="Go on with it (resume), or remove it.")
    return target


def _fingerprint_in(beginning: bytes) -> str | None:
    """Return the fingerprint of the first line, or None where it is not that of a study."""
    line, end, _ = beginning.partition(b"\n")
    try:
        value: Any = parse_json(line)
    except ValueError:
        return None
    if (
        not end
        or not isinstance(value, dict)
        or not {"study"} <= set(value) <= {"study", "seed"}
        or not isinstance(value["study"], str)
    ):
        return None
    return value["study"]


def open_store(
    path: str | os.PathLike[str], table: Microdata, fingerprint: str, seed: int, *, resume: bool
) -> RowStore:
    """Open the store of a study of a table; the file that the table was read from is never written to."""
    inputs = [table.origin["path"]] if "path" in table.origin else []
    return RowStore(path, fingerprint, seed, resume=resume, inputs=inputs)


def study_seed(random_state: int | None, store: str | os.PathLike[str] | None, *, resume: bool) -> int:
    """Return the seed of a study: the one given, that of the study that goes on, or one that is drawn."""
    if random_state is not None:
        return random_state
    if resume and store is not None:
        try:
            with Path(store).open(encoding="utf-8") as file:
                return int(parse_json(file.readline())["seed"])
        except (OSError, ValueError, KeyError, TypeError, OverflowError):
            pass  # what the file is, is said where it is opened
    return drawn_seed()


class RowStore:
    """A file with one JSON object a line: the plan's fingerprint first, then a row for every finished experiment.

    A process that is killed may leave half a line at the end; it is cut off when the file is opened again.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        fingerprint: str,
        seed: int,
        *,
        resume: bool,
        inputs: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        self._path = check_store(path, resume=resume, inputs=inputs)
        self.rows: dict[int, Json] = {}
        if self._path.exists():
            self._read(fingerprint)
        else:
            # Whole or not at all: a file without the whole line is not ours, and is never touched.
            write_text(self._path, json.dumps({"study": fingerprint, "seed": str(seed)}) + "\n")
        self._file: IO[str] = self._path.open("a", encoding="utf-8")

    def _read(self, fingerprint: str) -> None:
        content = self._path.read_bytes()
        if _fingerprint_in(content) != fingerprint:
            raise FileError(
                f"{str(self._path)!r} belongs to another study.",
                hint="The data, candidates, measures and seed must be the same to go on.",
            )
        lines = content.split(b"\n")
        try:
            rows = [parse_json(line) for line in lines[1:-1]]
            self.rows = {row["experiment"]: row for row in rows}
        except (ValueError, TypeError, KeyError):
            raise FileError(
                f"{str(self._path)!r} was changed after it was written, so it is left as it is.",
                hint="Give a new file name, or restore the file.",
            ) from None
        if lines[-1]:  # what follows the last line end was not finished
            with self._path.open("r+b") as file:
                file.truncate(len(content) - len(lines[-1]))

    def add(self, rows: Iterable[Json]) -> None:
        """Keep finished rows."""
        with saying_if_full(self._path):
            for row in rows:
                self.rows[row["experiment"]] = row
                self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
