"""Excel workbooks in and out: the first sheet, one row a record, names in the first row.

Text that begins like a formula is written as text, so that a workbook never runs what a record holds. What is written
bears no time of day.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.frames import column_names
from discreet.data.labels import Labels
from discreet.data.microdata import Microdata
from discreet.errors import FileError, MissingExtraError, SchemaError
from discreet.io.atomic import whole_file
from discreet.io.layout import own_names, refuse_records_as_names
from discreet.io.number_text import read_style
from discreet.io.workbooks import check_workbook
from discreet.typing import Json

__all__ = ["read_cells", "read_excel", "write_excel"]

_MOST_ROWS = 1_048_575
_EPOCH = dt.datetime(2000, 1, 1)  # noqa: DTZ001 - a workbook has no time zones


def _missing(library: str) -> MissingExtraError:
    return MissingExtraError(
        f"An Excel file needs the library {library}, which is not installed.", hint="pip install 'discreet[files]'"
    )


def read_excel(
    path: Path, *, sheet: str | None = None, header: bool | None = None, names: Collection[str] = ()
) -> tuple[pa.Table, Json]:
    """Return a sheet (the first by default) as a table, and its origin.

    A first row that looks like a record is asked about, as in a text file; with ``header=False`` it is one, and columns
    are called ``column_1`` and so on. `names` are names that columns may have.
    """
    try:
        import fastexcel
    except ImportError:
        raise _missing("fastexcel") from None
    logging.getLogger("fastexcel").setLevel(logging.ERROR)  # that a column is empty is no news
    check_workbook(path)
    try:
        book = fastexcel.read_excel(path)
        sheets = list(book.sheet_names)
    except Exception:  # noqa: BLE001 - the library's own errors may quote cells
        raise FileError(f"{str(path)!r} is not an Excel workbook that can be read.") from None
    if sheet is not None and sheet not in sheets:
        raise FileError(f"{str(path)!r} has no sheet named {sheet!r}.", hint=f"It has {len(sheets)} sheets.")
    try:
        place = sheets.index(sheet) if sheet is not None else 0
        frame: pl.DataFrame = book.load_sheet(place).to_polars()
        own = own_names(frame.width)
        if header is False and frame.columns != own:
            frame = book.load_sheet(place, header_row=None, column_names=own).to_polars()
    except Exception:  # noqa: BLE001
        raise FileError(
            f"A sheet of {str(path)!r} cannot be read.", hint="One table a sheet, names in row 1."
        ) from None
    if not frame.width:
        raise FileError(f"The sheet of {str(path)!r} is empty.", hint="The first row must name the columns.")
    unnamed = [i for i, name in enumerate(frame.columns, start=1) if not name.strip() or name.startswith("__UNNAMED__")]
    if unnamed:
        raise SchemaError(f"Column {unnamed[0]} of {str(path)!r} has no name.", hint="Name it in the first row.")
    if not frame.height:
        raise FileError(f"{str(path)!r} has a row of names and no records.")
    table = pa.table({name: _plain(frame[name]) for name in frame.columns})
    if header is None and frame.columns != own and not (names and set(frame.columns) <= set(names)):
        texts = [pa.chunked_array([column.cast(pa.string())]) for column in map(_words, table.columns)]
        refuse_records_as_names(str(path), frame.columns, texts, [read_style(text) for text in texts])
    column_names(table)
    return table, {"format": "xlsx", "path": str(path)}


def read_cells(path: Path, names: tuple[str, ...]) -> pl.DataFrame:
    """Return some columns of the first sheet as the text of their cells; a cell that is not there is null."""
    try:
        import fastexcel
    except ImportError:
        raise _missing("fastexcel") from None
    frame: pl.DataFrame = fastexcel.read_excel(path.read_bytes()).load_sheet(0, dtypes="string").to_polars()
    return frame.select([name for name in frame.columns if name in names])


def _words(column: pa.ChunkedArray) -> pa.Array:
    joined = column.combine_chunks()
    return pa.nulls(len(joined), pa.string()) if pa.types.is_nested(joined.type) else joined


def _plain(series: pl.Series) -> pa.Array:
    if series.dtype == pl.String:
        return series.replace("", None).to_arrow().cast(pa.string())
    column = series.to_arrow()
    if pa.types.is_floating(column.type) and column.null_count < len(column):
        whole = pc.all(pc.and_(pc.equal(column, pc.floor(column)), pc.less(pc.abs(column), 2.0**53))).as_py()
        return column.cast(pa.int64()) if whole else column
    return column


def write_excel(table: Microdata, path: Path, inputs: tuple[Path, ...] = ()) -> None:
    """Write a table as a workbook: the records on one sheet, what their labels are called on a second one."""
    try:
        import xlsxwriter
    except ImportError:
        raise _missing("xlsxwriter") from None
    if len(table) > _MOST_ROWS:
        raise FileError(f"An Excel sheet has room for {_MOST_ROWS} records; the table has {len(table)}.", hint=".csv")
    arrow = table.to_arrow()
    with whole_file(path, inputs) as temporary:
        options = {
            "in_memory": False, "constant_memory": False, "strings_to_formulas": False, "strings_to_urls": False,
            "nan_inf_to_errors": True,
        }  # fmt: skip
        with xlsxwriter.Workbook(str(temporary), options) as book:
            book.set_properties({"created": _EPOCH})
            dates = book.add_format({"num_format": "yyyy-mm-dd"})
            times = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
            sheet = book.add_worksheet("data")
            sheet.freeze_panes(1, 0)
            empty = np.ones(len(table), dtype=np.bool_)
            for place, name in enumerate(arrow.column_names):
                sheet.write_string(0, place, name)
                empty &= arrow.column(name).is_null(nan_is_null=True).to_numpy()
                cell_format = times if pa.types.is_timestamp(arrow.column(name).type) else dates
                _write_column(sheet, place, _values(table, arrow.column(name), name), cell_format)
            if empty.any():
                # A record without a single value is a record. All that lack the first value look alike, or the empty
                # text would tell these from the others.
                absent = arrow.column(0).is_null(nan_is_null=True).to_numpy()
                for row in np.flatnonzero(absent).tolist():
                    sheet.write_string(row + 1, 0, "")
            _write_labels(book, table)


def _values(table: Microdata, column: pa.ChunkedArray, name: str) -> list[Any]:
    if pa.types.is_nested(column.type):
        column = table.schema[name].scale.to_text(column)  # type: ignore[attr-defined]
    values: list[Any] = column.to_pylist()
    return values


def _write_column(sheet: Any, place: int, values: list[Any], dates: Any) -> None:
    for row, value in enumerate(values, start=1):
        if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124 - NaN
            continue
        if isinstance(value, bool):
            sheet.write_boolean(row, place, value)
        elif isinstance(value, (int, float)):
            sheet.write_number(row, place, value)
        elif isinstance(value, (dt.date, dt.datetime, dt.time)):
            sheet.write_datetime(row, place, value, dates)
        else:
            sheet.write_string(row, place, str(value))


def _write_labels(book: Any, table: Microdata) -> None:
    labels: Labels = table.origin.get("labels") or Labels()
    rows = [(name, "", text) for name, text in labels.variables.items() if name in table.schema]
    rows += [
        (name, str(code), text)
        for name, texts in labels.values.items()
        if name in table.schema
        for code, text in texts.items()
    ]
    if not rows:
        return
    sheet = book.add_worksheet("labels")
    for row, cells in enumerate([("column", "code", "label"), *rows]):
        for place, cell in enumerate(cells):
            sheet.write_string(row, place, cell)
