"""The public files that some tables are computed from: their names, where to obtain them, and how they are found."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from discreet import io
from discreet.errors import DataError
from discreet.typing import FloatArray

__all__ = ["PUBLIC", "DataFolder", "MissingFileError", "PublicFile"]

_UCI = "https://archive.ics.uci.edu/dataset"


class PublicFile(NamedTuple):
    """A file under the data folder: its path there, its size, and where it comes from."""

    path: str
    records: int
    source: str


PUBLIC: dict[str, PublicFile] = {
    "iris": PublicFile("uci/iris.csv", 150, f"{_UCI}/53/iris"),
    "abalone": PublicFile("uci/abalone.csv", 4177, f"{_UCI}/1/abalone"),
    "ionosphere": PublicFile("uci/ionosphere.csv", 351, f"{_UCI}/52/ionosphere"),
    "wdbc": PublicFile("uci/wdbc.csv", 569, f"{_UCI}/17/breast+cancer+wisconsin+diagnostic"),
    "water-treatment": PublicFile("uci/water-treatment.csv", 527, f"{_UCI}/106/water+treatment+plant"),
    "housing": PublicFile("uci/housing.csv", 506, "the Boston housing data, in StatLib as boston"),
    "dermatology": PublicFile("uci/dermatology.csv", 366, f"{_UCI}/33/dermatology"),
    "census": PublicFile(
        "sdc/CASCrefmicrodata.csv", 1080, "the CASC reference files, in the R package sdcMicro as CASCrefmicrodata"
    ),
}


class MissingFileError(DataError):
    """A public file is not in the data folder; the message says what it is called and where it comes from."""


class DataFolder:
    """Where the public files are: the folder that is given, or that of the environment variable DISCREET_DATA.

    A file may lie in the folder as named in :data:`PUBLIC`, or without its subfolder. Comma separated, with a line of
    names first.

    Examples
    --------
    >>> DataFolder("nowhere").needs("iris")
    'needs file uci/iris.csv from https://archive.ics.uci.edu/dataset/53/iris'
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        path = folder if folder is not None else os.environ.get("DISCREET_DATA")
        self.folder = Path(path) if path else None

    def find(self, name: str) -> Path | None:
        """Return where a public file is, or None."""
        if self.folder is None:
            return None
        path = Path(PUBLIC[name].path)
        return next((self.folder / p for p in (path, Path(path.name)) if (self.folder / p).is_file()), None)

    def needs(self, name: str) -> str:
        """Say what a run needs, in one line."""
        return f"needs file {PUBLIC[name].path} from {PUBLIC[name].source}"

    def columns(self, name: str) -> dict[str, list[Any]]:
        """Return the columns of a public file, as they stand in it."""
        path = self.find(name)
        if path is None:
            raise MissingFileError(f"papers: {self.needs(name)}.", hint="Set DISCREET_DATA or pass --data.")
        table, _ = io.read_table(path)
        if table.num_rows != PUBLIC[name].records:
            raise DataError(f"{path.name} has {table.num_rows} records; the paper's has {PUBLIC[name].records}.")
        columns: dict[str, list[Any]] = table.to_pydict()
        return columns

    def numbers(self, name: str, wanted: Sequence[str], codes: dict[str, float] | None = None) -> FloatArray:
        """Return some columns as numbers, words replaced by their `codes`."""
        columns = self.columns(name)
        words = codes or {}
        return np.array([[float(words.get(str(cell), cell)) for cell in columns[one]] for one in wanted]).T
