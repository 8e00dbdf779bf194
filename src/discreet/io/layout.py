"""What the lines of a table are: names, records, a title, units, totals.

A file does not say so, and a record that is taken for the line of names is published with it. Each of these is looked
for; where a line is not what it would be read as, the user is asked, by numbers of lines and columns alone: nothing in
a question is taken from the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.inference import AMONG_NUMBERS, MISSING_WORDS
from discreet.errors import FileError, ParameterError, SchemaError
from discreet.io.number_text import Reading, as_accountants, canonical, looks_like_number
from discreet.io.text_parts import Texts

__all__ = [
    "Ending",
    "check_names",
    "check_records",
    "check_totals",
    "check_units",
    "own_names",
    "read_lines",
    "refuse_records_as_names",
    "title_lines",
]

_TOTALS = {"total", "totals", "grand total", "sum", "all", "summe", "gesamt", "insgesamt", "totale", "somme", "suma"}
_TOTAL = re.compile(r"(grand|sub|gesamt|overall|end|zwischen)?[ -]?(total|totals|totale|summe|sum|gesamt)( general)?")
_NO_VALUE = {*MISSING_WORDS, *AMONG_NUMBERS}
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_FEWEST = 5
"""Records below which the last one is no sum: 1, 2, 3 is no table with totals."""


def own_names(count: int) -> list[str]:
    """Return what columns are called that have no names."""
    return [f"column_{i}" for i in range(1, count + 1)]


def read_lines(leave_out: str | Sequence[int] | None) -> tuple[int, ...] | None:
    """Return the lines to leave out: None where nothing was said, none where the user says that there are none.

    Examples
    --------
    >>> read_lines("1, -1"), read_lines("none"), read_lines(None)
    ((1, -1), (), None)
    """
    if leave_out is None:
        return None
    if isinstance(leave_out, str):
        parts = [part.strip() for part in leave_out.split(",")]
        if parts == ["none"]:
            return ()
        if not all(re.fullmatch(r"-?[1-9][0-9]{0,8}", part) for part in parts):
            raise ParameterError("leave_out must be numbers of lines, or none.", hint="Such as 1 or 1,-1; −1 is last.")
        return tuple(int(part) for part in parts)
    if not all(isinstance(line, int) and not isinstance(line, bool) and line for line in leave_out):
        raise ParameterError("leave_out must be numbers of lines, or none.", hint="Such as [1, -1]; −1 is the last.")
    return tuple(leave_out)


# ------------------------------------------------------------------------------------------------------------- a title


def title_lines(rows: Sequence[Sequence[str]]) -> int:
    """Return how many of the first lines are no part of the table: they have fewer fields than all that follow.

    Examples
    --------
    >>> title_lines([["A survey"], ["age", "sex"], ["31", "f"], ["45", "m"]])
    1
    >>> title_lines([["age", "sex"], ["31", "f"]])
    0
    """
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    for lines in range(1, min(6, len(rows) - 1)):
        widths = {len(row) for row in rows[lines:] if row}
        if len(widths) != 1 or (width := widths.pop()) < 2:
            continue
        # An empty name before the one other name is an index without a name, not a title.
        index = width == 2 and len(rows[0]) == 2 and not rows[0][0].strip() and bool(rows[0][1].strip())
        few = all(len(row) < width or count <= 1 for row, count in zip(rows[:lines], filled, strict=False))
        if few and not index and filled[lines] == width:
            return lines
    return 0


# ------------------------------------------------------------------------------------------------------------ the names


def check_names(path: str, names: Sequence[str]) -> None:
    """Refuse names that are empty or the same, by their places: a line of names may be a record."""
    empty = [i for i, name in enumerate(names, start=1) if not name.strip()]
    if empty == [1] and len(names) > 1:
        raise SchemaError(
            f"Column 1 of {path!r} has no name, as where an index of records is written before the first column.",
            hint="Name it in the first line, or write the file without it (pandas: index=False).",
        )
    if empty:
        raise SchemaError(f"Column {empty[0]} of {path!r} has no name.", hint="Name it in the first line.")
    if len(set(names)) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        places = [i for i, other in enumerate(names, start=1) if other == name]
        raise SchemaError(
            f"Columns {places[0]} and {places[1]} of {path!r} have the same name, which appears {len(places)} times.",
            hint="Rename one of them; if the first line is a record, add --no-header (header=False).",
        )


def refuse_records_as_names(
    path: str, names: Sequence[str], columns: Sequence[pa.ChunkedArray], readings: Sequence[Reading]
) -> None:
    """Ask whether the first line is a record, where it looks like one.

    A field of it is like a record's where the values below are numbers and it is one, where it occurs among them, or
    where all have the same shape, digits in it. A word above numbers is a name. What there is more of decides, and a
    number as much as a word; where words are above some numbers, years or a series 1, 2, 3 above others are names as
    well. Words above words alone say little: they are names where more of them differ from what is below than not.
    """
    evidence = [_evidence(*column) for column in zip(names, columns, readings, strict=True)]
    names_seen = evidence.count("name")
    data = [name for name, kind in zip(names, evidence, strict=True) if kind in {"number", "data"}]
    if names_seen and _is_series(data):
        return
    alone = not names_seen and not data
    if alone:
        data = [name for name, kind in zip(names, evidence, strict=True) if kind == "like"]
    sure = 0 < names_seen <= evidence.count("number") or (alone and 0 < evidence.count("unlike") <= len(data))
    if sure or len(data) > (evidence.count("unlike") if alone else names_seen):
        raise FileError(
            f"The first line of {path!r} looks like a record, not like names: {len(data)} of its {len(names)} fields "
            "are like the values below them.",
            hint="Has the file no line of names? Add --no-header (header=False). Are these the names? Add --header "
            "(header=True).",
        )


def _is_series(words: Sequence[str]) -> bool:
    if len(words) < 2 or not all(re.fullmatch(r"[1-9][0-9]{0,3}", word) for word in words):
        return False
    return all(int(a) < int(b) for a, b in pairwise(words))


def _evidence(name: str, column: pa.ChunkedArray, reading: Reading) -> str:
    """Return what a field of the first line is: a name, data, a number (surely data); words may be like or unlike."""
    if not name.strip() or name.strip() in _NO_VALUE:
        return ""
    if _MAIL.fullmatch(name.strip()):
        return "number"
    if reading.styles:
        return "number" if looks_like_number(name) else "name"
    values = column.unique().drop_null()
    if not len(values):
        return ""
    if pc.any(pc.equal(values, name)).as_py():
        return "data"
    values = values.filter(pc.invert(pc.is_in(values, value_set=pa.array(sorted(_NO_VALUE)))))
    if not len(values):
        return ""
    if pc.all(pc.match_substring_regex(values, "@")).as_py():
        return "name"  # every value is an address of mail, and this is none
    if not pc.all(pc.match_substring_regex(values, r"[0-9]")).as_py():
        return _likeness(name, values, len(column))
    if not any(char.isdigit() for char in name):
        # Every value has a digit in it, and this has none; but a street may have no number.
        return "unlike" if pc.any(pc.match_substring_regex(values, r"\p{L}{3}")).as_py() else "name"
    shapes = _shapes(values).unique()
    alike = len(shapes) <= 3 and _shapes(pa.array([name]))[0].as_py() in shapes.to_pylist()
    return "data" if alike else ""


def _likeness(name: str, values: pa.Array, records: int) -> str:
    """Say whether a word may be one more of those below it: in their case and length, where new ones are no wonder."""
    some = [value.strip() for value in values.slice(0, 1000).to_pylist()]
    if 2 * len(values) <= records:
        return "unlike"  # every value comes twice on average, and this one never again
    length, others = len(name.strip()), [len(value) for value in some]
    written = _letters(name.strip()) in {_letters(value) for value in some}
    return "like" if written and min(others) / 1.5 <= length <= 1.5 * max(others) else "unlike"


def _letters(word: str) -> str:
    """Return how a word is written: in small letters, in capitals, with a capital first, or with none at all."""
    if word.upper() == word.lower():
        return "none"
    return "small" if word == word.lower() else "capitals" if word == word.upper() else "first"


def _shapes(texts: pa.Array) -> pa.Array:
    """Return what texts look like: 31.12.1999 and 1.1.2000 are both 9.9.9."""
    letters = pc.replace_substring_regex(texts, r"\p{L}+", "a")
    return pc.replace_substring_regex(letters, r"[0-9]+", "9")


# ----------------------------------------------------------------------------------------------------- units and totals


def check_records(
    path: str, columns: Mapping[str, pa.ChunkedArray], readings: Mapping[str, Reading], line: int
) -> None:
    """Ask about a first line of units and a last line of totals; `line` is where the first record stands."""
    check_units(path, columns, readings, line)
    blank = _blank(columns)
    records = {name: column.filter(pc.invert(blank)) for name, column in columns.items()}
    ending = Ending(len(blank), len(next(iter(records.values()))))
    if ending.records > _FEWEST:
        ending.last = {name: column[len(column) - 1].as_py() for name, column in records.items()}
        ending.nulls = {name: column.null_count for name, column in records.items()}
        places = np.flatnonzero(~blank.to_numpy())[-2:]
        ending.places = (int(places[0]), int(places[1]))
    check_totals(path, ending, {name: Texts.of(column) for name, column in records.items()}, readings)


def check_units(path: str, columns: Mapping[str, pa.ChunkedArray], readings: Mapping[str, Reading], line: int) -> None:
    """Ask about a first line of units; of a file that is not held, its first records are looked at."""
    if len(next(iter(columns.values()))) < 3:
        return
    words = [name for name, column in columns.items() if not readings[name].styles and _is_unit(column)]
    if words:
        raise FileError(
            f"Line {line} of {path!r} has words in {len(words)} {'column' if len(words) == 1 else 'columns'} of "
            "numbers in every other line: they look like units.",
            hint=f"Leave it out with --leave-out {line} (leave_out=[{line}]); if it is a record, --leave-out none.",
        )


@dataclass
class Ending:
    """How a table ends: what has to be known of its last record, and of how many there are.

    Attributes
    ----------
    lines, records : int
        How many lines there are after the names, and how many of them hold anything.
    last : dict of str to text or None
        The last record.
    places : (int, int)
        The lines of the last two records, from 0.
    nulls : dict of str to int
        How many records lack a value.
    """

    lines: int = 0
    records: int = 0
    last: dict[str, str | None] = field(default_factory=dict)
    places: tuple[int, int] = (0, 0)
    nulls: dict[str, int] = field(default_factory=dict)

    def add(self, columns: Mapping[str, pa.ChunkedArray]) -> None:
        """Take notice of the next lines."""
        blank = _blank(columns)
        places = np.flatnonzero(~blank.to_numpy())
        gaps = len(blank) - len(places)
        for name, column in columns.items():
            self.nulls[name] = self.nulls.get(name, 0) + column.null_count - gaps
        if len(places):
            self.last = {name: column[int(places[-1])].as_py() for name, column in columns.items()}
            two = (self.places[1], *(int(place) + self.lines for place in places[-2:]))[-2:]
            self.places = (two[0], two[1])
        self.lines += len(blank)
        self.records += len(places)


def check_totals(path: str, ending: Ending, columns: Mapping[str, Texts], readings: Mapping[str, Reading]) -> None:
    """Ask about a last line of totals."""
    if ending.lines < 3 or ending.records <= _FEWEST:
        return
    if _says_total(ending, columns) or _is_sum(ending, columns, readings):
        # With it go the blank lines before and after it.
        places = ",".join(str(-place) for place in range(1, ending.lines - ending.places[0]))
        raise FileError(
            f"The last line of {path!r} looks like totals, not like a record.",
            hint=f"Leave it out with --leave-out {places} (leave_out=[{places}]); if it is a record, --leave-out none.",
        )


def _blank(columns: Mapping[str, pa.ChunkedArray]) -> pa.ChunkedArray:
    """Say of every record whether nothing is in it."""
    blank = None
    for column in columns.values():
        blank = pc.is_null(column) if blank is None else pc.and_(blank, pc.is_null(column))
    return blank


def _is_unit(column: pa.ChunkedArray) -> bool:
    """Say whether the first value is a word and all others are numbers."""
    first = column[0].as_py()
    if first is None or looks_like_number(first) or first.strip() in _NO_VALUE:
        return False
    for part in (column.slice(1, 100), column.slice(1)):  # most columns of words are known by their first ones
        numbers = [value for value in part.unique().drop_null().to_pylist() if value.strip() not in _NO_VALUE]
        if not numbers or not all(looks_like_number(value) for value in numbers):
            return False
    return True


def _says_total(ending: Ending, columns: Mapping[str, Texts]) -> bool:
    for name, texts in columns.items():
        last = ending.last[name]
        word = (last or "").strip().rstrip(":").lower()
        if last is not None and (word in _TOTALS or _TOTAL.fullmatch(word)):
            return texts.count(last) == 1
    return False


def _is_sum(ending: Ending, columns: Mapping[str, Texts], readings: Mapping[str, Reading]) -> bool:
    sums = 0
    for name, texts in columns.items():
        reading, end = readings[name], ending.last[name]
        if not reading.styles or reading.words or end is None:
            continue
        style, plain = reading.styles[0], bool(reading.kind)
        accounts = not plain and as_accountants(texts)
        total, different = 0.0, set[float]()
        for part in texts.parts():
            numbers = (part if plain else canonical(part, style, accounts=accounts)).cast(pa.float64())
            total += pc.sum(numbers).as_py() or 0.0
            if len(different) < 3:
                different |= set(numbers.unique().drop_null().to_pylist())
        text = end if plain else canonical(pa.chunked_array([[end]]), style, accounts=accounts)[0].as_py()
        last = float(text)
        before = total - last
        kinds = len(different) + bool(ending.nulls[name])
        if not before or not last or abs(last - before) > 1e-9 * abs(before) or kinds <= 2:
            return False
        sums += 1
    # One column may add up by chance; two, or one beside an empty field, do not.
    gap = any(ending.last[name] is None and ending.nulls[name] == 1 for name in columns)
    return sums > 1 or (sums == 1 and gap)
