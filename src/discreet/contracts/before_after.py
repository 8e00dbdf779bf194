"""Pictures of a release beside its original: distributions, shares, flows, correlations, changed cells."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ColumnChange", "Correlations", "Distribution", "Flow", "GroupSuppression", "Shares"]


@dataclass(frozen=True)
class Distribution:
    """How a numeric attribute is distributed before and after masking, in bins that show nobody.

    `before` and `after` are heights of bars: the share of records a unit of the bin's width, in percent of the range.
    """

    name: str
    edges: tuple[float, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    mean_before: float
    mean_after: float


@dataclass(frozen=True)
class Flow:
    """How events of a sequence attribute follow each other before and after masking, in cells that show nobody.

    `before` and `after` are shares of all steps in percent, by the event a step leads from (row) and to (column).
    """

    name: str
    events: tuple[str, ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Shares:
    """How often the levels of a categorical attribute occur before and after masking, in percent of records.

    Levels that too few records have in either file are taken together in the last entry, ``"all others"``.
    """

    name: str
    levels: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]


@dataclass(frozen=True)
class Correlations:
    """Correlations of the numeric attributes before and after masking, and how much each changed."""

    names: tuple[str, ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]
    change: tuple[tuple[float, ...], ...]
    sentence: str


@dataclass(frozen=True)
class ColumnChange:
    """How much of a column was changed: counts over the whole file, no record's.

    Attributes
    ----------
    name : str
    cells : int
        Cells that held a value, or hold one now: a cell that was filled is a changed one.
    changed, suppressed : int, optional
        Cells that hold another value now, and those that hold none; None where there are some, but too few to tell.
    loss : float, optional
        What its cells lost on average, in percent (:class:`~discreet.measures.loss.cell_loss.CellLoss`); None where too
        few cells were changed.
    few : bool
        Whether some cells were changed or suppressed, but too few to say anything of them.
    """

    name: str
    cells: int
    changed: int | None
    suppressed: int | None
    loss: float | None
    few: bool = False


@dataclass(frozen=True)
class GroupSuppression:
    """The share of cells that were suppressed among the records with one level of a domain, as released.

    `percent` is None where there are some, but too few to tell; `level` is empty for all small groups together.
    """

    domain: str
    level: str
    records: int
    percent: float | None
