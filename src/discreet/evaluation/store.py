"""Finished rows of a study, kept line by line, so that a study that was stopped can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from discreet.draws import drawn_seed
from discreet.errors import FileError
from discreet.typing import Json

__all__ = ["RowStore", "study_seed"]


def study_seed(random_state: int | None, store: str | os.PathLike[str] | None, *, resume: bool) -> int:
    """Return the seed of a study: the one given, that of the study that goes on, or one that is drawn."""
    if random_state is not None:
        return random_state
    if resume and store is not None:
        try:
            with Path(store).open(encoding="utf-8") as file:
                return int(json.loads(file.readline())["seed"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # what the file is, is said where it is opened
    return drawn_seed()


class RowStore:
    """A file with one JSON object a line: the plan's fingerprint first, then a row for every finished experiment.

    A process that is killed may leave half a line at the end; it is cut off when the file is opened again.
    """

    def __init__(self, path: str | os.PathLike[str], fingerprint: str, seed: int, *, resume: bool) -> None:
        self._path = Path(path)
        self.rows: dict[int, Json] = {}
        if not self._path.parent.is_dir():
            raise FileError(f"The folder {str(self._path.parent)!r} does not exist.", hint="Create it first.")
        if self._path.exists() and resume:
            self._read(fingerprint)
        elif self._path.exists():
            raise FileError(
                f"{str(self._path)!r} holds an earlier study.", hint="Go on with it (resume), or remove it."
            )
        self._file: IO[str] = self._path.open("a", encoding="utf-8")
        if not self._path.stat().st_size:
            self._write({"study": fingerprint, "seed": str(seed)})

    def _read(self, fingerprint: str) -> None:
        lines = self._path.read_bytes().split(b"\n")
        whole, size = [], 0
        for line in lines[:-1]:  # what follows the last line end was not finished
            try:
                whole.append(json.loads(line))
            except ValueError:
                break
            size += len(line) + 1
        with self._path.open("r+b") as file:
            file.truncate(size)
        if whole and whole[0].get("study") != fingerprint:
            raise FileError(
                f"{str(self._path)!r} belongs to another study.",
                hint="The data, candidates, measures and seed must be the same to go on.",
            )
        self.rows = {row["experiment"]: row for row in whole[1:]}

    def _write(self, value: Json) -> None:
        self._file.write(json.dumps(value, ensure_ascii=False) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def add(self, rows: Iterable[Json]) -> None:
        """Keep finished rows."""
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
