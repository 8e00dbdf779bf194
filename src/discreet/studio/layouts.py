"""How a file of text is read: one table of the fields that ask for it, for pages, answers and messages alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from discreet.workflow import Source

__all__ = ["FIELDS", "PLAIN", "LayoutField", "read_layout", "shown"]

PLAIN = frozenset({".csv", ".tsv", ".txt"})


class LayoutField(NamedTuple):
    """A field: the parameter it answers, its label, and of each choice what a form sends and what a page shows."""

    name: str
    label: str
    choices: tuple[tuple[str, str], ...] = ()
    help: str = ""


_SELF = ("", "found by itself")

FIELDS: tuple[LayoutField, ...] = (
    # Every mark that the reader asks about is here: a question that cannot be answered is a dead end.
    LayoutField("delimiter", "Delimiter", (
        _SELF, (",", "comma"), (";", "semicolon"), ("tab", "tab"), ("|", "bar |"), ("space", "space"), (":", "colon :"),
        ("/", "slash /"), *((mark, mark) for mark in "^~¦§#*&"), ("x1f", "unit separator"), ("x01", "control-A"),
    )),
    LayoutField("encoding", "Encoding", (
        ("", "UTF-8"), ("latin-1", "Latin-1"), ("cp1252", "Windows-1252"), ("utf-16", "UTF-16"),
    )),
    LayoutField("header", "First line", (_SELF, ("yes", "names of columns"), ("no", "a record"))),
    LayoutField("decimal", "Decimal mark", (_SELF, (".", "point"), (",", "comma"))),
    LayoutField("thousands", "Between thousands", (
        _SELF, ("none", "nothing"), (".", "point"), (",", "comma"), ("space", "space"), ("apostrophe", "apostrophe"),
    )),
    LayoutField("leave_out", "Lines to leave out",
                help="1 is a title, -1 a last line of totals; none: every line is a record."),
)  # fmt: skip

_MEANING: dict[str, dict[str, Any]] = {
    "delimiter": {"tab": "\t", "space": " ", "x1f": "\x1f", "x01": "\x01"},
    "header": {"yes": True, "no": False},
}
"""What the reader is told where it is not what a form sends."""


def read_layout(answers: Mapping[str, str], ending: str, source: Source | None = None) -> dict[str, Any]:
    """Return how to read a file, as :class:`~discreet.studio.session_values.Given` keeps it.

    Parameters
    ----------
    answers : mapping of str to str
        What a form says; a field that is empty or not there leaves it open.
    ending : str
        Of the file: a workbook has a first line and no more, and other files say all of it themselves.
    source : Source, optional
        Of a protocol that came with the file: it decides what the form leaves open.

    Examples
    --------
    >>> read_layout({"header": "no", "delimiter": "tab"}, ".xlsx")
    {'header': False}
    >>> read_layout({"decimal": "."}, ".csv", Source("a.csv", decimal=",", thousands="."))["thousands"]
    '.'
    """
    text = ending.removesuffix(".gz").removesuffix(".bz2").removesuffix(".zst")
    names = [one.name for one in FIELDS] if text in PLAIN else ["header"] if ending == ".xlsx" else []
    layout: dict[str, Any] = {}
    for name in names:
        text = answers.get(name, "").strip()
        default = None if source is None else getattr(source, name)
        layout[name] = _MEANING.get(name, {}).get(text, None if name == "header" else text) if text else default
    return layout


def shown(name: str, value: str = "") -> str:
    """Return a field, and one of its choices as the reader calls it, as a page shows them.

    Examples
    --------
    >>> shown("header", "no"), shown("delimiter", " "), shown("leave_out", "1,2"), shown("decimal")
    ('“First line: a record”', '“Delimiter: space”', '“Lines to leave out: 1,2”', '“Decimal mark”')
    """
    field = next(one for one in FIELDS if one.name == name)
    if not value:
        return f"“{field.label}”"
    choice = next((key for key, meaning in _MEANING.get(name, {}).items() if meaning == value), value)
    return f"“{field.label}: {dict(field.choices).get(choice, value)}”"
