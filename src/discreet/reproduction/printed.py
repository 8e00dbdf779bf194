"""A printed figure beside ours: frozen results that cross from the papers' tables to the terminal and the page.

``Cell`` → ``Row`` → ``Table`` → ``Section`` (one paper) → ``PaperComparison`` (all of them). Pictures are data too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from discreet.typing import Json

__all__ = [
    "SAID",
    "Arrow",
    "Cell",
    "Curve",
    "CurveFigure",
    "Figure",
    "GraphFigure",
    "Interval",
    "IntervalFigure",
    "PaperComparison",
    "Row",
    "ScatterFigure",
    "ScatterPoint",
    "Section",
    "Table",
    "Verdict",
]

_MOST_PLACES = 6

SAID = {
    "exact": "exact",
    "defined": "as defined",
    "built": "as built",
    "sampling": "within sampling error",
    "otherwise": "by another procedure",
    "differs": "differs",
    "ours": "not judged",
    "not run": "not run",
}
"""Every verdict in words."""

Verdict: TypeAlias = Literal["exact", "defined", "built", "sampling", "otherwise", "differs", "ours", "not run"]
"""Exact; as a definition says that is computed apart, where nothing is printed; as our stand-in was built; within
sampling error; printed of another procedure than ours, so that agreement would say nothing; differs, with the reason;
ours alone, nothing comparable is printed; not run."""


@dataclass(frozen=True)
class Cell:
    """One figure: what the paper prints, what we find, and what is to be said about the two.

    Attributes
    ----------
    printed, ours : str
        As they are shown; empty where there is none.
    verdict : {"exact", "defined", "built", "sampling", "otherwise", "differs", "ours", "not run"}
    difference : float, optional
        Ours minus printed, where both are numbers.
    error : float, optional
        Standard error of the difference, where draws are compared.
    z : float, optional
        The difference in standard errors.
    reason : str
        Why it differs, or what a run would need.
    note : str
        What else a reader should know, such as the data that stand in for the paper's.
    required : bool
        Whether anything but agreement is a failure.
    """

    printed: str
    ours: str
    verdict: Verdict
    difference: float | None = None
    error: float | None = None
    z: float | None = None
    reason: str = ""
    note: str = ""
    required: bool = False

    @property
    def agrees(self) -> bool:
        """Whether ours is what it should be: as printed, as defined where nothing is printed, or as built."""
        return self.verdict in ("exact", "defined", "built")

    @property
    def gap(self) -> str:
        """How far ours is from the printed figure: in standard errors where there are any."""
        if self.agrees or self.verdict == "not run":
            return ""
        if self.z is not None:
            # Adding zero makes −0.0 plain zero.
            return f"z {round(self.z, 1) + 0.0:+.1f}"
        return "" if self.difference is None or not self.printed else f"{self.difference:+.4g}"

    @property
    def failed(self) -> bool:
        """Whether this should be exact and is not; a table that was not run has not failed."""
        return self.required and not self.agrees and self.verdict != "not run"

    def to_dict(self) -> Json:
        """Return the cell as JSON values; what is empty is left out."""
        fields: Json = {"printed": self.printed, "ours": self.ours, "verdict": self.verdict}
        numbers = {"difference": self.difference, "standard_error": self.error, "z": self.z}
        fields |= {name: value for name, value in numbers.items() if value is not None and math.isfinite(value)}
        fields |= {name: text for name, text in (("reason", self.reason), ("note", self.note)) if text}
        return fields | {"should_be_exact": self.required}


@dataclass(frozen=True)
class Row:
    """One line of a table; None where the paper prints nothing."""

    label: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class Table:
    """One table or worked example in its printed layout: rows × columns.

    `name` is what the paper calls it ("Table 3", "Example 3"); `data` says what it was computed from where that is not
    the paper's own data (such as "housing(1000), a stand-in for the American Housing Survey").
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    corner: str = ""
    note: str = ""
    data: str = ""

    def __post_init__(self) -> None:
        if any(len(row.cells) != len(self.columns) for row in self.rows):
            raise ValueError(f"{self.name}: every row must have {len(self.columns)} cells.")

    @property
    def cells(self) -> tuple[tuple[str, str, Cell], ...]:
        """Every cell with the labels of its row and column."""
        return tuple(
            (row.label, column, cell)
            for row in self.rows
            for column, cell in zip(self.columns, row.cells, strict=True)
            if cell is not None
        )

    @property
    def failed(self) -> bool:
        """Whether a cell that should be exact is not."""
        return any(cell.failed for _, _, cell in self.cells)

    def count(self, verdict: Verdict) -> int:
        """Return how many cells have this verdict."""
        return sum(cell.verdict == verdict for _, _, cell in self.cells)

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Every reason for a difference or a missing run once, with where it holds."""
        by_reason: dict[str, list[str]] = {}
        for row, column, cell in self.cells:
            if cell.reason:
                by_reason.setdefault(cell.reason, []).append(f"{row} / {column}" if row and column else row or column)
        return [(reason, _places(places)) for reason, places in by_reason.items()]

    def to_dict(self) -> Json:
        """Return the table as JSON values."""
        return {
            "name": self.name,
            "title": self.title,
            "data": self.data,
            "note": self.note,
            "cells": [{"row": row, "column": column, **cell.to_dict()} for row, column, cell in self.cells],
        }


def _places(places: list[str]) -> str:
    more = len(places) - _MOST_PLACES
    return "; ".join(places[:_MOST_PLACES]) + (f"; and {more} more" if more > 0 else "")


@dataclass(frozen=True)
class Curve:
    """A named line through points."""

    label: str
    points: tuple[tuple[float, float], ...]
    dashed: bool = False


@dataclass(frozen=True)
class CurveFigure:
    """Lines over a common axis, such as a family of quantifiers; `ticks` names places on the x axis."""

    title: str
    alt: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    ticks: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class Interval:
    """A named interval with its centre."""

    label: str
    low: float
    high: float
    centre: float


@dataclass(frozen=True)
class IntervalFigure:
    """Intervals one above the other, such as the meanings of the terms of a scale."""

    title: str
    alt: str
    x: str
    intervals: tuple[Interval, ...]


@dataclass(frozen=True)
class ScatterPoint:
    """A named point of a group."""

    label: str
    group: str
    x: float
    y: float


@dataclass(frozen=True)
class ScatterFigure:
    """Points of several groups, such as the risk and loss of every method of a study."""

    title: str
    alt: str
    x: str
    y: str
    points: tuple[ScatterPoint, ...]


@dataclass(frozen=True)
class Arrow:
    """A step from one place to the next, and who makes it; `group` gives the colour."""

    origin: str
    target: str
    label: str
    group: int = 0


@dataclass(frozen=True)
class GraphFigure:
    """Places on a plane (by name, between 0 and 1) and the steps between them; `groups` names the colours."""

    title: str
    alt: str
    places: tuple[tuple[str, float, float], ...]
    steps: tuple[Arrow, ...]
    groups: tuple[str, ...] = ()


Figure: TypeAlias = CurveFigure | IntervalFigure | ScatterFigure | GraphFigure


@dataclass(frozen=True)
class Section:
    """One paper: its tables and figures."""

    key: str
    title: str
    reference: str
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = ()
    note: str = ""

    @property
    def name(self) -> str:
        """The short name as it is written: P1b."""
        return self.key.replace("p", "P", 1)

    @property
    def failed(self) -> bool:
        """Whether a cell that should be exact is not."""
        return any(table.failed for table in self.tables)

    def count(self, verdict: Verdict) -> int:
        """Return how many cells have this verdict."""
        return sum(table.count(verdict) for table in self.tables)

    def to_dict(self) -> Json:
        """Return the section as JSON values; the figures are left to the page."""
        return {
            "paper": self.key,
            "title": self.title,
            "reference": self.reference,
            "note": self.note,
            "failed": self.failed,
            "tables": [table.to_dict() for table in self.tables],
        }


@dataclass(frozen=True)
class PaperComparison:
    """Every paper that was asked for, and whether the full runs were made."""

    sections: tuple[Section, ...]
    full: bool
    seconds: float

    @property
    def failures(self) -> Iterator[tuple[Section, Table, str, str, Cell]]:
        """Every cell that should be exact and is not, with where it stands."""
        for section in self.sections:
            for table in section.tables:
                for row, column, cell in table.cells:
                    if cell.failed:
                        yield section, table, row, column, cell

    @property
    def failed(self) -> bool:
        """Whether a cell that should be exact is not."""
        return any(section.failed for section in self.sections)

    def count(self, verdict: Verdict) -> int:
        """Return how many cells have this verdict."""
        return sum(section.count(verdict) for section in self.sections)

    def to_dict(self) -> Json:
        """Return everything as JSON values."""
        return {
            "full": self.full,
            "failed": self.failed,
            "seconds": self.seconds,
            "papers": [section.to_dict() for section in self.sections],
        }
