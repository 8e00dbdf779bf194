"""TOML as text: read with the line and the nearest name of what is wrong, and written table by table.

Schemas and protocols are such files. What a table may hold is theirs to say; how it is read and written is said here.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from discreet.errors import FileError, SchemaError, unquoted
from discreet.plain import plain
from discreet.registry import did_you_mean
from discreet.typing import Json

__all__ = [
    "Places",
    "at_line",
    "check_keys",
    "comment",
    "document_text",
    "load_text",
    "parse",
    "table_text",
    "toml_value",
    "whole_number",
]

_MOST = 2**63 - 1
"""The largest whole number that every reader of TOML takes."""


# ------------------------------------------------------------------------------------------------------------ reading


def load_text(path: str | os.PathLike[str], what: str, *, hint: str = "") -> str:
    """Return the text of a file; `what` it is, and how one comes by it, is said where there is none."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError(f"The {what} {str(path)!r} does not exist.", hint=hint) from None
    except (OSError, UnicodeDecodeError):
        raise FileError(f"The {what} {str(path)!r} cannot be read as UTF-8 text.") from None


def parse(text: str, what: str) -> Json:
    """Return what the text of a TOML file holds.

    Examples
    --------
    >>> parse("seed = 1", "protocol")
    {'seed': 1}
    >>> parse("seed = ", "protocol")
    Traceback (most recent call last):
    discreet.errors.SchemaError: The protocol is not valid TOML: Invalid value (at end of document).
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(f"The {what} is not valid TOML: {unquoted(error)}.") from None
    except (RecursionError, ValueError):  # brackets in brackets without end, or a number of thousands of digits
        raise SchemaError(f"The {what} is nested too deeply, or holds a number that is too long.") from None


class Places:
    r"""Where tables and keys stand in the text, so that a message can name the line.

    Parameters
    ----------
    text : str
    prefix : str
        What headers begin with, to be left away; headers without it are none.
    first, last : int, optional
        The lines to look at, of a part of the text.

    Examples
    --------
    >>> places = Places('seed = 1\n[data]\nfile = "survey.csv"')
    >>> places.line("data"), places.at("data", 0, "file")
    (2, 'Line 3: ')
    """

    def __init__(self, text: str, prefix: str = "", first: int = 1, last: int | None = None) -> None:
        self.lines: dict[tuple[str, int, str], int] = {}
        counts: dict[str, int] = {}
        table = ("", 0)
        for number, line in enumerate(text.splitlines()[first - 1 : last], start=first):
            header = re.match(rf"\s*(\[\[?)\s*{re.escape(prefix)}([A-Za-z0-9_-]+)\s*\]", line)
            if header:
                name = header[2]
                counts[name] = counts.get(name, -1) + 1
                table = (name, counts[name])
                self.lines[*table, ""] = number
                continue
            key = re.match(r"""\s*["']?([A-Za-z0-9_.-]+)["']?\s*=""", line)
            if key:
                self.lines.setdefault((*table, key[1]), number)

    def line(self, table: str, index: int = 0, key: str = "") -> int:
        """Return the line of a key, or of its table, or 0."""
        header = (table, index, "") if table else (key, 0, "")
        return self.lines.get((table, index, key), self.lines.get(header, 0))

    def at(self, table: str, index: int = 0, key: str = "") -> str:
        """Return how a message begins that names the line."""
        return at_line(self.line(table, index, key))


def at_line(line: int) -> str:
    """Return how a message begins that names a line; nothing where there is none."""
    return f"Line {line}: " if line else ""


def check_keys(fields: Any, names: Sequence[str], what: str, where: Places, table: str, index: int = 0) -> None:
    """Refuse a key that does not belong to a table, with its line and the nearest one that does."""
    if not isinstance(fields, dict):
        raise SchemaError(f"{what} must be a table.")
    for key in fields:
        if key not in names:
            raise SchemaError(
                f"{where.at(table, index, key)}{what} has an unknown key {key!r}.{did_you_mean(key, names)}",
                hint=f"Known: {', '.join(names)}.",
            )


# ------------------------------------------------------------------------------------------------------------ writing


def toml_value(value: Any) -> Any:
    """Return a parameter as a TOML file can hold it, or refuse it.

    Examples
    --------
    >>> toml_value({"age": (5, 10)})
    {'age': [5, 10]}
    """
    return plain(value, _refuse, scalar=_is_toml)


def _is_toml(value: Any) -> bool:
    return isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value))


def _refuse(value: Any) -> Any:
    raise SchemaError(
        f"A parameter that is a {type(value).__name__} cannot be written into a protocol.",
        hint="Give it as the text that the command line takes.",
    )


def whole_number(number: int) -> str:
    """Return a whole number as TOML; as text where not every reader would take it."""
    return str(number) if number <= _MOST else f'"{number}"'


def table_text(header: str, fields: Mapping[str, Any]) -> str:
    """Return a table with its header; tables in it follow under headers of their own.

    Examples
    --------
    >>> print(table_text("[[step]]", {"method": "rounding", "base": {"AGE": 5}}))
    [[step]]
    method = "rounding"
    <BLANKLINE>
    [step.base]
    AGE = 5
    <BLANKLINE>
    """
    scalars = {key: value for key, value in fields.items() if not isinstance(value, Mapping)}
    name = header.strip("[]")
    inner = [
        "\n" + table_text(f"[{name}.{_key(key)}]", value) for key, value in fields.items() if isinstance(value, Mapping)
    ]
    return f"{header}\n{tomli_w.dumps(scalars)}" + "".join(inner)


def document_text(fields: Mapping[str, Any]) -> str:
    """Return a whole document.

    Examples
    --------
    >>> document_text({"seed": 3, "step": [{"method": "mdav"}]}).split()
    ['seed', '=', '3', 'step', '=', '[', '{', 'method', '=', '"mdav"', '},', ']']
    """
    return tomli_w.dumps(fields)


def _key(key: str) -> str:
    return tomli_w.dumps({key: 0}).rsplit(" = ", 1)[0]


def comment(text: str) -> str:
    r"""Return text as lines of comment, or nothing.

    A comment ends at its line: whatever a column's name holds must not begin a new one.

    Examples
    --------
    >>> comment("coarser\nregions\r[step]")
    '# coarser\n# regions�[step]\n'
    """
    lines = ["".join(c if c.isprintable() else "�" for c in line) for line in text.split("\n")] if text else []
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)
