"""Cells that hold many numbers: whether they are readings, or places, in the order of time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.scales.item_text import mark_between

__all__ = ["holds_points", "holds_readings"]

_FEWEST, _CELLS = 6, 10
"""Readings of a cell, and different cells, below which nothing is believed."""
_NUMBER = r"^\s*[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?\s*$"


def holds_readings(texts: pa.Array) -> str:
    """Return the mark between readings where different cells look like series of them; else nothing.

    Every piece is a number and some have decimals, a cell holds at least six of them, and the cells differ. Telephone
    numbers, dates, versions, coordinates and lists of codes are none of that.

    Examples
    --------
    >>> holds_readings(pa.array([f"0.{i};1.5;2;2.5;2;1.5" for i in range(20)]))
    ';'
    >>> holds_readings(pa.array([f"48.{i}, 16.{i}" for i in range(20)]))
    ''
    """
    if len(texts) < _CELLS:
        return ""
    mark = mark_between(texts)
    lists = pc.split_pattern(texts, mark)
    lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
    pieces = lists.flatten()
    if mark.strip():  # a gap is an empty place
        pieces = pieces.filter(pc.not_equal(pieces, ""))
    if np.min(lengths) < _FEWEST or not pc.all(pc.match_substring_regex(pieces, _NUMBER)).as_py():
        return ""
    return mark if (pc.mean(pc.match_substring(pieces, ".").cast(pa.float64())).as_py() or 0.0) > 0.05 else ""


_POINT = r"^[^,;|]*[0-9][^,;|]*,\s*[+-]?[0-9]+(\.[0-9]+)?,\s*[+-]?[0-9]+(\.[0-9]+)?$"


def holds_points(texts: pa.Array) -> str:
    """Return the mark between points where different cells look like trajectories; else nothing.

    Every piece is a time and two numbers with commas between them, some with decimals, and most cells hold several.

    Examples
    --------
    >>> holds_points(pa.array([f"06:{i},48.2,16.3;07:{i},48.3,16.4" for i in range(10, 30)]))
    ';'
    >>> holds_points(pa.array([f"{i},48.2,16.3" for i in range(20)]))
    ''
    """
    if len(texts) < _CELLS:
        return ""
    for mark in (";", "|"):
        lists = pc.split_pattern(texts, mark)
        several = pc.mean(pc.greater(pc.list_value_length(lists), 1).cast(pa.float64())).as_py() or 0.0
        pieces = pc.utf8_trim_whitespace(lists.flatten())
        if several > 0.5 and pc.all(pc.match_substring_regex(pieces, _POINT)).as_py():
            decimals = pc.mean(pc.match_substring(pieces, ".").cast(pa.float64())).as_py() or 0.0
            return mark if decimals > 0.5 else ""
    return ""
