"""Hierarchies as text: the CSV of ARX, the recode files of μ-Argus, and TOML."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from itertools import pairwise

from discreet.errors import FileError
from discreet.typing import Level

__all__ = ["ENDINGS", "check_recoding", "hierarchy_text", "read_rows"]

ENDINGS = (".csv", ".grc", ".toml")
"""Of files that hold a hierarchy and can be written; text with another ending is read as CSV."""

_RANGE = re.compile(r"\s*(?P<low>[^-]*?)\s*(?P<to>-?)\s*(?P<high>[^-]*?)\s*")
_MOST_CODES = 100_000
"""Codes that a range of whole numbers stands for, where nobody says which there are."""


def read_rows(text: str, ending: str, levels: Iterable[Level] | None) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return the rows of a hierarchy, and the missing codes that a recode file names."""
    if ending == ".grc":
        return _recoded(text, levels)
    if ending == ".toml":
        return _toml_rows(text), ()
    first = text.split("\n", 1)[0]
    delimiter = max(";,\t", key=first.count)
    lines = csv.reader(text.splitlines(), delimiter=delimiter)
    return _fields([row for row in lines if any(field.strip() for field in row)], levels), ()


def _fields(rows: list[list[str]], levels: Iterable[Level] | None) -> list[list[str]]:
    """Return rows without the blanks that somebody typed around delimiters, and with those that belong to a level."""
    if levels is None:
        # Where nobody says which levels there are, blanks are for the eye if they stand after every delimiter.
        typed = all(field.startswith(" ") for row in rows for field in row[1:] if field)
        return [[field.strip() for field in row] for row in rows] if typed else rows
    names = {str(level) for level in levels}
    return [[field if field in names else field.strip() for field in row] for row in rows]


def hierarchy_text(rows: Sequence[tuple[str, ...]], ending: str, step: int, missing: Sequence[str]) -> str:
    """Return rows as a file holds them."""
    if ending == ".csv":
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=";", lineterminator="\n").writerows(rows)
        return buffer.getvalue()
    if ending == ".toml":
        lines = [f"  [{', '.join(_quoted(name) for name in row)}]," for row in rows]
        return "\n".join(["# Each row: a level of the data, then its broader names.", "rows = [", *lines, "]", ""])
    if ending == ".grc":
        return _recode_text(rows, step, missing)
    raise FileError(
        f"A hierarchy is not written with the ending {ending or 'of no name'!r}.", hint=f"Use {', '.join(ENDINGS)}."
    )


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_rows(text: str) -> list[list[str]]:
    try:
        rows = tomllib.loads(text).get("rows")
    except tomllib.TOMLDecodeError:
        raise FileError("The hierarchy is not valid TOML.", hint='rows = [["gas", "fossil"], …]') from None
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise FileError("The hierarchy has no list of rows.", hint='rows = [["gas", "fossil"], …]')
    odd = next((n for n, row in enumerate(rows, 1) if not all(isinstance(x, (str, int, float)) for x in row)), 0)
    if odd:
        raise FileError(f"Row {odd} of the hierarchy must hold text and numbers only.")
    return [[str(name) for name in row] for row in rows]


# -------------------------------------------------------------------------------------------------- recode files


def check_recoding(text: str) -> None:
    """Refuse a recode file two lines of which recode one code, to different ones, whatever codes a column has."""
    rules, _ = _rules(text)
    # Two ranges that overlap do so at an end of one of them.
    ends = [end for _, _, low, high, ranged in rules for end in ((low, high) if ranged else (low,)) if end]
    _rows(rules, dict.fromkeys(ends))


def _recoded(text: str, levels: Iterable[Level] | None) -> tuple[list[list[str]], tuple[str, ...]]:
    """Read lines ``new: old, old, from-to, -to, from-``; ``<MISSING> codes`` and ``<CODELIST> file`` beside them."""
    rules, missing = _rules(text)
    return _rows(rules, _codes(rules) if levels is None else [str(level) for level in levels]), missing


def _rules(text: str) -> tuple[list[tuple[int, str, str, str, bool]], tuple[str, ...]]:
    """Return the rules of a recode file (line, new code, ends, whether it is a range) and its missing codes."""
    rules: list[tuple[int, str, str, str, bool]] = []
    missing: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if not content:
            continue
        if content.startswith("<"):
            word, _, rest = content.partition(">")
            if word.upper() not in ("<MISSING", "<CODELIST", "<TREERECODE"):
                raise FileError(f"Line {number} of the recode file begins with a word that is not known.")
            if word.upper() == "<MISSING":
                missing = tuple(part for part in re.split(r"[\s,]+", rest.strip()) if part)
            continue
        new, colon, olds = content.partition(":")
        if not colon or not new.strip() or not olds.strip():
            raise FileError(f"Line {number} of the recode file must be NEW: OLD, FROM-TO, …")
        for part in olds.split(","):
            match = _RANGE.fullmatch(part)
            if match is None or not (match["low"] or match["high"]):
                raise FileError(f"Line {number} of the recode file holds a range that cannot be read.")
            ranged = bool(match["to"])
            rules.append((number, new.strip(), match["low"] if ranged else part.strip(), match["high"], ranged))
    if not rules:
        raise FileError("The recode file has no line NEW: OLD, FROM-TO, …")
    return rules, missing


def _rows(rules: Sequence[tuple[int, str, str, str, bool]], codes: Iterable[str]) -> list[list[str]]:
    """Return every code with the one that it is recoded to."""
    rows = []
    for code in codes:
        places = [place for place, rule in enumerate(rules) if _holds(rule, code)]
        if len({rules[place][1] for place in places}) > 1:
            first, second = rules[places[0]][0], next(
                rules[p][0] for p in places if rules[p][1] != rules[places[0]][1]
            )  # fmt: skip
            raise FileError(f"Lines {first} and {second} of the recode file both recode one code, to different ones.")
        rows.append([code, rules[places[0]][1] if places else code])
    return rows


def _codes(rules: Sequence[tuple[int, str, str, str, bool]]) -> list[str]:
    """Return the codes that rules stand for, where they say so themselves."""
    codes: dict[str, None] = {}
    for number, _, low, high, ranged in rules:
        if not ranged:
            codes[low] = None
        elif low.isdigit() and high.isdigit() and int(high) - int(low) <= _MOST_CODES:
            width = len(low) if low[0] == "0" else 0
            codes |= dict.fromkeys(str(code).zfill(width) for code in range(int(low), int(high) + 1))
        else:
            raise FileError(
                f"Line {number} of the recode file has a range without two whole numbers as its ends.",
                hint="Say which levels there are: read_hierarchy(path, levels), or recode a column by it.",
            )
    return list(codes)


def _holds(rule: tuple[int, str, str, str, bool], code: str) -> bool:
    _, _, low, high, ranged = rule
    number = _number(code)
    if not ranged:
        return code == low or (number is not None and number == _number(low))
    ends = [_number(end) for end in (low, high) if end]
    if None not in ends:  # a range of numbers holds no text
        return number is not None and (not low or number >= float(low)) and (not high or number <= float(high))
    return (not low or code >= low) and (not high or code <= high)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _recode_text(rows: Sequence[tuple[str, ...]], step: int, missing: Sequence[str]) -> str:
    groups: dict[str, list[str]] = {}
    for row in rows:
        groups.setdefault(row[step], []).append(row[0])
    marked = [name for row in rows for name in (row[0], row[step]) if re.search(r"[:,<>\-\r\n]", name)]
    if marked:
        raise FileError(
            f"{len(set(marked))} names cannot stand in a recode file of μ-Argus: they hold a colon, comma, hyphen or "
            "angle bracket.",
            hint="Write .csv or .toml, or use plain codes.",
        )
    lines = [f"{new}: {','.join(_runs(olds))}" for new, olds in groups.items()]
    return "\n".join([*lines, *([f"<MISSING> {' '.join(missing)}"] if missing else []), ""])


def _runs(codes: Sequence[str]) -> list[str]:
    """Return codes with whole numbers that follow on one another as ranges."""
    if not all(code.isdigit() and (code == "0" or code[0] != "0") for code in codes):
        return list(codes)
    numbers = sorted(int(code) for code in codes)
    starts = [numbers[0], *(after for before, after in pairwise(numbers) if after != before + 1)]
    ends = [*(before for before, after in pairwise(numbers) if after != before + 1), numbers[-1]]
    return [str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True)]
