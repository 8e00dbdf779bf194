"""What was read of another tool's file, before there is a protocol of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from discreet.release.protocol_parts import Step

__all__ = ["Imported", "Unread"]


@dataclass(frozen=True)
class Unread:
    """A part of the file that has no equivalent, or needs a person: where it stands, what it is and why."""

    where: str
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}: {self.why}"


@dataclass
class Imported:
    """Roles, scales, steps and remarks, gathered line by line.

    Columns may be named, or be a number, the place of a column from 1 on, which a file's names are needed for.
    """

    tool: str
    columns: dict[str, list[str | int]] = field(default_factory=dict)
    """By role (``keys``, ``confidential``, ``identifiers``, ``strata``, ``weight``, ``household``) or scale
    (``numeric``, ``nominal``)."""
    sets: dict[str, list[str | int]] = field(default_factory=dict)
    """Columns by what the other tool calls them, for steps that name none."""
    places: dict[str, str] = field(default_factory=dict)
    """Where a role was given, as remarks say it."""
    steps: list[tuple[Step, str]] = field(default_factory=list)
    """With the comment that stands beside each."""
    last_steps: list[tuple[Step, str]] = field(default_factory=list)
    """What is done after all of them, wherever it is asked for."""
    thresholds: dict[str, float] = field(default_factory=dict)
    unread: list[Unread] = field(default_factory=list)
    data: str = ""
    """The data's file, as the other tool's file names it."""
    layout: dict[str, Any] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict, repr=False)
    """What the other tool's file holds beside: data and hierarchies, by the name that each gets."""

    def declare(self, role: str, names: list[str | int]) -> None:
        """Say that columns have a role or a scale."""
        known = self.columns.setdefault(role, [])
        known += [name for name in dict.fromkeys(names) if name not in known]

    def skip(self, where: str, what: str, why: str) -> None:
        """Remember what was not taken over."""
        self.unread.append(Unread(where, what, why))
