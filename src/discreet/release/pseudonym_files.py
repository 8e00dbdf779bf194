"""Pseudonyms in files turned back into identifiers, for who holds the key."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from discreet.io.reading import read, write
from discreet.masking.withholding.pseudonym_key import PseudonymKey
from discreet.masking.withholding.pseudonyms import revealed

__all__ = ["reveal_file"]


def reveal_file(
    path: str | os.PathLike[str],
    column: str,
    output: str | os.PathLike[str],
    *,
    key: str | os.PathLike[str],
    domain: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    **layout: Any,
) -> int:
    """Write a copy of a file in which the pseudonyms of a column are identifiers again.

    Parameters
    ----------
    path : path
    column : str
        Exchanged with ``reversible``.
    output : path
        Never an input. What is written is no release.
    key : path
        The key file that the pseudonyms were made with.
    domain : str, optional
        By default the name of the column.
    delimiter, encoding, **layout
        As for :func:`~discreet.read`.

    Returns
    -------
    int
        How many records the copy has.
    """
    table = read(path, delimiter=delimiter, encoding=encoding, **layout)
    identified = revealed(table, column, PseudonymKey.load(key), domain)
    write(identified, output, [Path(path), Path(key)])
    return len(identified)
