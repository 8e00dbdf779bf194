"""A stranger with the file: any format into text cells, and counts made with plain loops."""

from __future__ import annotations

import csv
import math
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

Rows = list[list[str]]


def read_cells(path: Path) -> tuple[list[str], Rows]:
    """Return the header and the records of a file, every cell as text; what is not there is the empty text."""
    ending = path.suffix[1:]
    if ending in {"csv", "tsv"}:
        with path.open(newline="", encoding="utf-8") as file:
            delimiter = "\t" if "\t" in file.readline() else ","
            file.seek(0)
            header, *rows = csv.reader(file, delimiter=delimiter)
        return header, rows
    if ending == "xlsx":
        return _excel(path)
    if ending in {"sav", "dta"}:
        import pyreadstat

        reader = pyreadstat.read_sav if ending == "sav" else pyreadstat.read_dta
        columns, _ = reader(path, user_missing=True, output_format="dict")
    else:
        import pyarrow.feather
        import pyarrow.parquet

        read = pyarrow.parquet.read_table if ending == "parquet" else pyarrow.feather.read_table
        columns = read(path).to_pydict()
    header = list(columns)
    return header, [[as_text(cell) for cell in row] for row in zip(*columns.values(), strict=True)]


def as_text(value: Any) -> str:
    """Return a typed cell as a CSV file would show it."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _excel(path: Path) -> tuple[list[str], Rows]:
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(path) as book:
        shared = []
        if "xl/sharedStrings.xml" in book.namelist():
            root = ET.fromstring(book.read("xl/sharedStrings.xml"))  # noqa: S314 - our own file
            shared = ["".join(t.text or "" for t in item.iter(f"{space}t")) for item in root.iter(f"{space}si")]
        sheet = ET.fromstring(book.read("xl/worksheets/sheet1.xml"))  # noqa: S314 - our own file
    table: list[dict[int, str]] = []
    for row in sheet.iter(f"{space}row"):
        cells = {}
        for cell in row.iter(f"{space}c"):
            value = cell.find(f"{space}v")
            text = "".join(t.text or "" for t in cell.iter(f"{space}t"))
            if value is not None and value.text is not None:
                text = shared[int(value.text)] if cell.get("t") == "s" else as_text(float(value.text))
            cells[_column(cell.get("r") or "")] = text
        table.append(cells)
    width = max(table[0]) + 1
    header, *rows = [[cells.get(place, "") for place in range(width)] for cells in table]
    return header, rows


def _column(reference: str) -> int:
    place = 0
    for letter in re.match(r"[A-Z]+", reference)[0]:  # type: ignore[index]
        place = 26 * place + ord(letter) - ord("A") + 1
    return place - 1


# ----------------------------------------------------------------------------------------------------------- counting


def column(table: tuple[list[str], Rows], name: str) -> list[str]:
    """Return the cells of a column."""
    header, rows = table
    place = header.index(name)
    return [row[place] for row in rows]


def combinations(table: tuple[list[str], Rows], names: Iterable[str]) -> list[tuple[str, ...]]:
    """Return for every record its cells in the named columns."""
    header, rows = table
    places = [header.index(name) for name in names]
    return [tuple(row[place] for place in places) for row in rows]


def class_sizes(table: tuple[list[str], Rows], names: Iterable[str]) -> list[int]:
    """Return for every record how many records have its very text in the named columns."""
    keys = combinations(table, names)
    counts = Counter(keys)
    return [counts[key] for key in keys]


def smallest_class(table: tuple[list[str], Rows], names: Iterable[str]) -> int:
    """Return the size of the smallest class of equal text."""
    return min(Counter(combinations(table, names)).values())


def distinct_in_classes(table: tuple[list[str], Rows], names: Sequence[str], other: str) -> int:
    """Return the fewest different texts of another column in a class of equal text."""
    members: dict[tuple[str, ...], set[str]] = {}
    for key, value in zip(combinations(table, names), column(table, other), strict=True):
        members.setdefault(key, set()).add(value)
    return min(len(values) for values in members.values())


def decimals(cell: str) -> int:
    """Return how many decimals a written number has."""
    mantissa, _, power = cell.lower().partition("e")
    return max(0, len(mantissa.partition(".")[2].rstrip("0")) - int(power or 0))


def number(cell: str) -> float | None:
    """Return a cell as a number, or nothing."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def equal_cells(a: str, b: str) -> bool:
    """Say whether two cells hold the same value: the same text, or the same number."""
    return a == b or (number(a) is not None and number(a) == number(b))
