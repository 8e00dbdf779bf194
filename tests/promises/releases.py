"""Every masker of the registry, crossed with format, missing reading, weights and households, and written to files."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.promises import judge, tables

import discreet as dc
from discreet.cli import main as command_line

N = 160
_FOLDER: list[Path] = []


def work_in(folder: Path) -> None:
    """Say where shared releases are written."""
    _FOLDER[:] = [folder]


def folder() -> Path:
    """Where shared releases are written."""
    return _FOLDER[0]


# ------------------------------------------------------------------------------------------------------------- design


@dataclass(frozen=True)
class Case:
    """One release: which masker, which of its examples, and what file it is made from."""

    method: str
    example: int
    format: str
    reading: str
    weights: bool
    households: bool
    representative: bool
    """Whether it is one of the two releases of a masker that are always tried; their formats change with the masker."""

    @property
    def id(self) -> str:
        """How a red test calls it."""
        beside = [self.format, self.reading, *(["weights"] * self.weights), *(["households"] * self.households)]
        return f"{self.method}-{self.example}-{'-'.join(beside)}"

    def masker(self) -> Any:
        """The masker as it is tried here; one that must be told how to treat missing values is told."""
        made = dc.methods("masker")[self.method].examples()[self.example]
        parameters = made.get_params(deep=False)
        if "random_state" in parameters:
            made.set_params(random_state=20_260)
        if self.reading != "none" and parameters.get("missing") == "refuse":
            made.set_params(missing=("fill", "pattern")[self.example % 2])
        return made


def design() -> list[Case]:
    """Cross every masker with all else so that every pair of choices meets somewhere, in seven releases a masker."""
    readings = list(tables.READINGS)
    cases = []
    for place, (name, cls) in enumerate(dc.methods("masker").items()):
        examples = len(cls.examples())
        if not examples:  # methods on dates, which these surveys have none of: tests/masking/test_dates_everywhere.py
            continue
        for row, ending in enumerate(tables.FORMATS):
            cases.append(
                Case(
                    method=name,
                    example=(row + place) % examples,
                    format=ending,
                    reading=readings[(row + place) % len(readings)],
                    weights=bool((row + place // 5) % 2),
                    households=bool(((row + place // 3) // 2) % 2),
                    representative=(row - place) % len(tables.FORMATS) in {0, 3},
                )
            )
    return cases


CASES = [pytest.param(case, id=case.id, marks=() if case.representative else pytest.mark.slow) for case in design()]


# ----------------------------------------------------------------------------------------------------------- releases


@dataclass(frozen=True)
class Release:
    """What a user has after a release: the file he started from, and what was written, or why nothing was."""

    original: Path
    schema: Path
    written: Path | None
    masked: Any
    refusal: str
    digest: str
    """Of the original, before anything was done with it."""

    @property
    def before(self) -> tuple[list[str], judge.Rows]:
        """The original's cells as text."""
        return _cells(self.original)

    @property
    def after(self) -> tuple[list[str], judge.Rows]:
        """The release's cells as text."""
        assert self.written is not None
        return _cells(self.written)


@cache
def _cells(path: Path) -> tuple[list[str], judge.Rows]:
    """Read a file once for all promises."""
    return judge.read_cells(path)


@cache
def source(ending: str, reading: str, weights: bool, households: bool) -> Path:
    """Write a survey once a run; every masker reads the same file."""
    made = tables.survey(N, seed=5, reading=reading, weights=weights, households=households)
    return tables.write(made, folder() / f"{ending}-{reading}-{weights}-{households}.{ending}")


@cache
def released(case: Case) -> Release:
    """Mask and write; a refusal is kept in words."""
    original = source(case.format, case.reading, case.weights, case.households)
    digest = hashlib.sha256(original.read_bytes()).hexdigest()
    target = folder() / "out" / f"{case.id}.{case.format}"
    target.parent.mkdir(exist_ok=True)
    schema = original.with_suffix(".toml")
    try:
        with quiet():
            masked = mask(case, dc.read(original, schema))
            dc.write(masked, target)
    except dc.DiscreetError as error:
        return Release(original, schema, None, None, str(error), digest)
    return Release(original, schema, target, masked, "", digest)


def mask(case: Case, table: Any) -> Any:
    """Mask a table as the case says: record by record, or once a household, whose number is then made a fresh one."""
    masker = case.masker()
    if not case.households or case.method == "identifiers":
        return masker.mask(table)
    parameters = {name: value for name, value in masker.get_params(deep=False).items() if value is not None}
    renumber = dc.release.Step("identifiers", {"renumber": ["hid"], "random_state": 20_261})
    return dc.Chain([dc.release.Step(case.method, parameters, unit="hid"), renumber], seed=20_260).mask(table)


WARNED: list[str] = []
"""What the product has warned of last."""


@contextmanager
def quiet() -> Iterator[None]:
    """Let the product warn: what it warns of is no promise broken."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    WARNED[:] = [str(one.message) for one in caught]


def answer(*arguments: Any) -> dict[str, Any]:
    """Run a command that succeeds and return what it answers with --json."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = discreet(*arguments, "--json")
    assert code == 0, arguments
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def discreet(*arguments: Any) -> int:
    """Run the command line in this process and return its exit code."""
    before = sys.argv
    sys.argv = ["discreet", *map(str, arguments)]
    try:
        with quiet():
            command_line.run()
    except SystemExit as ending:
        return int(ending.code or 0)
    finally:
        sys.argv = before
    return 0


# -------------------------------------------------------------------------------------------------- what was promised


def masked_columns(case: Case, release: Release) -> list[str]:
    """Return the columns that a release says it masked."""
    return [name for name in release.masked.provenance.attributes if name in release.after[0]]


def promised_sets(release: Release) -> list[list[str]]:
    """Return the sets of columns within which records are said to share their values with k − 1 others."""
    record = release.masked.provenance
    history = [step for step in record.history if step.labels is not None]
    record = history[0] if history else record
    blocks = record.details.get("blocks")
    if record.details.get("joint", True) or not isinstance(blocks, Sequence):
        return [list(record.attributes)]
    return [list(block["attributes"] if isinstance(block, dict) else block) for block in blocks]
