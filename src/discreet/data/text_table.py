"""A table from a plain text file: every cell as the text that stands there."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pyarrow as pa

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, FileError

__all__ = ["read_text_table", "table_of_texts"]


def read_text_table(path: str | os.PathLike[str], what: str) -> Microdata:
    """Return a file whose first line names its columns; an empty cell is missing, and every column a key.

    Parameters
    ----------
    path : path
    what : str
        What messages call it.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FileError(f"The {what} {str(path)!r} does not exist.") from None
    except (OSError, UnicodeDecodeError):
        raise FileError(f"The {what} {str(path)!r} cannot be read as UTF-8 text.") from None
    lines = text.splitlines()
    delimiter = max(";,\t", key=(lines[0] if lines else "").count)
    names, *rows = [row for row in csv.reader(lines, delimiter=delimiter) if row] or [[]]
    unfit = sum(len(row) != len(names) for row in rows)
    if unfit or not rows or len(set(names)) < len(names):
        raise DataError(
            f"The {what} {str(path)!r} has {unfit} of {len(rows)} lines that do not fit its {len(names)} names.",
            hint="The first line names the columns, each once; then one record a line.",
        )
    columns = zip(*rows, strict=True)
    return table_of_texts({name: list(cells) for name, cells in zip(names, columns, strict=True)})


def table_of_texts(columns: dict[str, list[str]]) -> Microdata:
    """Return a table of texts, an unordered key each.

    Examples
    --------
    >>> table_of_texts({"fuel": ["gas", "", "oil"]}).schema["fuel"].scale.levels
    ('gas', 'oil')
    """
    cells = {name: [cell.strip() or None for cell in texts] for name, texts in columns.items()}
    attributes = [
        Attribute(name, Nominal(tuple(sorted({cell for cell in texts if cell is not None})) or ("*",)), "key")
        for name, texts in cells.items()
    ]
    table = pa.table({name: pa.array(texts, pa.string()) for name, texts in cells.items()})
    return Microdata(table, Schema(attributes))
