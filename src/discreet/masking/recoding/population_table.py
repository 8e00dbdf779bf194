"""How many people live where: a table that the user brings, by code."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from discreet.errors import FileError, ParameterError
from discreet.parameters import AnyOf, ByName, Instance, Number, Text

__all__ = ["Population", "PopulationSource", "population_by_prefix"]

Population: TypeAlias = Mapping[str, float] | str | os.PathLike[str]
"""What `PopulationSource` allows, for a type checker."""


class PopulationSource(AnyOf):
    """A mapping of codes to numbers of people, or the text file that holds one.

    Examples
    --------
    >>> PopulationSource().read("people.csv", "/survey")
    '/survey/people.csv'
    """

    def __init__(self) -> None:
        super().__init__(
            ByName(Number(0)), Text("the path of a text file with a code and a number a line"), Instance(os.PathLike)
        )

    def read(self, value: Any, folder: str | os.PathLike[str] | None = None) -> Any:
        return str(Path(folder or ".") / value) if isinstance(value, (str, os.PathLike)) else value


def population_by_prefix(source: Population, digits: int) -> dict[str, float]:
    """Return how many people live in the areas whose codes begin alike; codes of smaller areas are added up.

    A code with fewer digits than the prefix lost the zeros before it, and gets them back. The first line of a file may
    name its columns.

    Examples
    --------
    >>> population_by_prefix({"10001": 21000, "10002": 81000, "36": 14000}, 3)
    {'100': 102000.0, '036': 14000.0}
    """
    result: dict[str, float] = {}
    for code, people in _rows(source):
        prefix = code.zfill(digits)[:digits] if code.isdigit() else code[:digits]
        result[prefix] = result.get(prefix, 0.0) + people
    return result


def _rows(source: Population) -> list[tuple[str, float]]:
    if isinstance(source, Mapping):
        return [(str(code).strip(), float(people)) for code, people in source.items()]
    try:
        text = Path(source).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FileError(f"The population file {str(source)!r} does not exist.") from None
    except (OSError, UnicodeDecodeError):
        raise FileError(f"The population file {str(source)!r} cannot be read as UTF-8 text.") from None
    delimiter = max(";,\t", key=text.split("\n", 1)[0].count)
    lines = [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if any(field.strip() for field in row)]
    if lines and not _is_number(lines[0][-1]):
        lines = lines[1:]
    unfit = sum(len(row) != 2 or not row[0].strip() or not _is_number(row[1]) for row in lines)
    if unfit or not lines:
        raise ParameterError(
            f"The population file {str(source)!r} has {unfit} of {len(lines)} lines without a code and a number.",
            hint="One area a line: its code and how many people live there, such as 100,102000.",
        )
    return [(row[0].strip(), float(row[1])) for row in lines]


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"\s*[0-9]+(\.[0-9]*)?\s*", text))
