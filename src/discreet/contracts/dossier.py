"""What people decide about a release, and what they sign: no figure, all words, dates and names of files."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from discreet.errors import SchemaError
from discreet.registry import did_you_mean
from discreet.typing import Json

__all__ = ["Dossier", "FileListed"]

_DAYS = ("date", "review_date")
_LISTS = ("recipients", "exceptions")


@dataclass(frozen=True)
class FileListed:
    """A file as a report lists it: what it is, its name without folders, its size and SHA-256."""

    what: str
    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Dossier:
    """The table ``[about]`` of a protocol: what a release is for, and what was decided.

    Parameters
    ----------
    title : str
        What the release is called; the heading of both reports.
    release_type : str
        Such as "public use file", "scientific use file" or "internal".
    date : str
        The day of the release, such as ``"2026-11-30"``. Reports hold no other: the same protocol gives the same bytes.
    purpose, legal_basis : str
        What it is for, and what allows it.
    recipients : list of str
        Who gets it.
    decided_by, decision, reasons : str
        Who decides, what, and why. Left out, the report has lines to fill in.
    exceptions : list of str
        What is allowed against a rule of the house.
    review_date : str
        When the decision is looked at again.

    Examples
    --------
    >>> Dossier(title="Households 2026", recipients=["Institute A"], review_date="2028-11-30").to_dict()
    {'title': 'Households 2026', 'recipients': ['Institute A'], 'review_date': '2028-11-30'}
    """

    title: str = ""
    release_type: str = ""
    date: str = ""
    purpose: str = ""
    legal_basis: str = ""
    recipients: tuple[str, ...] = ()
    decided_by: str = ""
    decision: str = ""
    reasons: str = ""
    exceptions: tuple[str, ...] = ()
    review_date: str = ""

    def __post_init__(self) -> None:
        for field in fields(self):
            value: Any = getattr(self, field.name)
            if field.name in _LISTS:
                value = (value,) if isinstance(value, str) else value
                if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) and one for one in value):
                    raise SchemaError(f"[about]: {field.name} must be text, or a list of texts.")
                value = tuple(value)
            elif field.name in _DAYS and isinstance(value, dt.date) and not isinstance(value, dt.datetime):
                value = value.isoformat()  # TOML has days of its own
            elif not isinstance(value, str):
                raise SchemaError(f"[about]: {field.name} must be text in quotes.")
            elif field.name in _DAYS and value:
                value = _day(field.name, value)
            else:
                value = " ".join(value.split())  # a text over several lines is one in a report
            object.__setattr__(self, field.name, value)
        if self.date and self.review_date and self.review_date <= self.date:
            raise SchemaError("[about]: review_date must lie after date.")

    @classmethod
    def of(cls, table: Dossier | Mapping[str, Any] | None) -> Dossier:
        """Return a dossier from itself, from the table of a file, or from nothing."""
        if table is None or isinstance(table, Dossier):
            return table or cls()
        names = [field.name for field in fields(cls)]
        for key in table:
            if key not in names:
                raise SchemaError(
                    f"[about] has an unknown key {key!r}.{did_you_mean(str(key), names)}",
                    hint=f"Known: {', '.join(names)}.",
                )
        return cls(**table)

    def to_dict(self) -> Json:
        """Return what a TOML file keeps of it: what is said, and nothing else."""
        entries = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in entries.items() if value}

    def __bool__(self) -> bool:
        return bool(self.to_dict())


def _day(name: str, value: str) -> str:
    try:
        return dt.date.fromisoformat(value).isoformat()
    except ValueError:
        raise SchemaError(f"[about]: {name} must be a day such as 2026-11-30.") from None
