"""What a workbook would become in memory, told from its archive before anything is read.

A workbook is a ZIP archive of XML, and a reader makes a dense rectangle of its cells: a megabyte on disk may stand for
gigabytes, by repetition or by one stray cell in the last corner of a sheet.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path

from discreet.errors import FileError

__all__ = ["check_workbook"]

_LARGE = 100 * 2**20
"""Bytes of XML that are read whatever they were packed to."""
_PACKED = 60
"""How many times its packed size a large workbook may be; tables of real records stand at 5 to 20."""
_CELLS = 20_000_000
"""Cells of a rectangle that may be empty for the most part."""
_FILLED = 10
"""One cell in so many must hold something in a larger rectangle."""
_CHUNK = 1 << 20
_CELL = re.compile(rb'<c [^>]*?r="([A-Z]{1,3})(\d{1,7})"')


def check_workbook(path: Path) -> None:
    """Refuse a workbook that would take far more memory than its size tells.

    Sizes are those that the archive declares, and the sheets are read through once, which ends with an error where a
    declared size is not true. What is no archive (an old .xls) passes: it cannot expand.
    """
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError):
        return
    with archive:
        entries = archive.infolist()
        size = sum(entry.file_size for entry in entries)
        if size > _LARGE and size > _PACKED * path.stat().st_size:
            raise FileError(
                f"{str(path)!r} would expand from {_megabytes(path.stat().st_size)} to {_megabytes(size)} MB.",
                hint="Save the sheet as .csv, and open that.",
            )
        for entry in entries:
            if entry.filename.startswith("xl/worksheets/"):
                _check_sheet(path, archive, entry)


def _check_sheet(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    filled, rows, columns = 0, 0, set[bytes]()
    rest = b""
    try:
        with archive.open(entry) as sheet:
            while chunk := sheet.read(_CHUNK):
                text = rest + chunk
                whole, _, rest = text.rpartition(b">")
                addresses = _CELL.findall(whole + b">")
                filled += len(addresses)
                columns.update(column for column, _ in addresses)
                rows = max(rows, max((int(row) for _, row in addresses), default=0))
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError):
        raise FileError(f"{str(path)!r} is not an Excel workbook that can be read.") from None
    cells = rows * max((_place(column) for column in columns), default=0)
    if cells > _CELLS and cells > _FILLED * filled:
        raise FileError(
            f"A sheet of {str(path)!r} spans {cells} cells, of which {filled} hold something.",
            hint="Delete what stands far below or beside the table, or save the sheet as .csv.",
        )


def _place(letters: bytes) -> int:
    """Return the number of a column from its letters.

    Examples
    --------
    >>> _place(b"A"), _place(b"Z"), _place(b"AA"), _place(b"XFD")
    (1, 26, 27, 16384)
    """
    place = 0
    for letter in letters:
        place = 26 * place + letter - 64
    return place


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.1f}"
