"""Dates as people write them: found in a column, read by one format, and written again in the same.

A format is what ``strftime`` takes, with ``%-d`` for a day without a zero before it, ``%3f`` for so many digits of a
second, and ``%:z`` for an offset with a colon. A column is read where all its values fit one format. Where day and
month could be exchanged (``03/04/2020``) nobody can tell from the file, and the user is asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.errors import SchemaError
from discreet.typing import BoolArray, IntArray

__all__ = ["DateFormat", "find_formats", "read_text", "write_text"]

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_TOKEN = re.compile(r"%(-?[dmHI]|\^?b|[YyBMSpz%]|:z|[1-9]?f)")
_GROUPS = {
    "Y": "(?P<Y>[0-9]{4})",
    "y": "(?P<y>[0-9]{2})",
    "b": r"(?P<b>[A-Za-z]{3,4})\.?",
    "B": "(?P<b>[A-Za-z]{3,9})",
    "M": "(?P<M>[0-9]{2})",
    "S": "(?P<S>[0-9]{2})",
    "f": "(?P<f>[0-9]{1,9})",
    "p": r"(?P<p>[AaPp])\.?[Mm]\.?",
    "z": "(?P<z>Z|[+-][0-9]{2}(?::?[0-9]{2})?)",
    "%": "%",
}
_DATES = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%d. %m. %Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y",
    "%m-%d-%Y", "%d %b %Y", "%d-%b-%Y", "%d%b%Y", "%d %B %Y", "%d. %B %Y", "%b %d, %Y", "%B %d, %Y", "%B %d %Y",
)  # fmt: skip
_SHORT = ("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%y-%m-%d", "%d-%m-%y", "%d-%b-%y", "%d%b%y", "%d %b %y")
_TIMES = (
    "%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%H:%M:%S,%f", "%H.%M", "%H%M%S", "%I:%M %p", "%I:%M:%S %p", "%I:%M%p",
)  # fmt: skip
_COMPACT = ("%Y%m%d%H%M%S", "%Y%m%d%H%M", "%d%b%Y:%H:%M:%S", "%d%b%Y:%H:%M:%S.%f")  # the last two are SAS's
_SHORTENED = "(?i)^(jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)$"
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND


@dataclass(frozen=True)
class DateFormat:
    """How a column writes its dates.

    Examples
    --------
    >>> DateFormat("%d.%m.%Y").order
    'dmY'
    """

    text: str

    def __post_init__(self) -> None:
        rest = _TOKEN.sub("", self.text)
        order = self.order
        whole = order.count("d") == 1 and order.count("m") == 1 and len(order) == 3
        if "%" in rest or not whole:
            raise SchemaError(
                "A date's format must name its year, month and day once each.",
                hint='Such as format = "%d.%m.%Y", "%Y-%m-%d %H:%M:%S" or "%d-%b-%y".',
            )

    @property
    def order(self) -> str:
        """Day, month and year, in the order in which they stand."""
        letters = (token.lstrip("-^") for token in _TOKEN.findall(self.text))
        return "".join({"b": "m", "B": "m"}.get(one, one) for one in letters if one in "dmYybB")

    @property
    def has_time(self) -> bool:
        """Whether a time of day is written."""
        return bool(re.search(r"%-?[HI]", self.text))

    @property
    def pattern(self) -> str:
        """A regular expression that the texts fit, every part a group."""
        parts = _TOKEN.split(self.text)
        result = ""
        for i, part in enumerate(parts):
            if i % 2 == 0:
                result += re.escape(part)
                continue
            letter = part.lstrip("-^:123456789")
            if letter in "dmHI":
                # Where two numbers touch, each must have all its digits.
                touches = (i >= 2 and not parts[i - 1]) or (i + 2 < len(parts) and not parts[i + 1])
                named = touches and not _is_word(parts, i)
                result += f"(?P<{letter}>[0-9]{{{'2' if named else '1,2'}}})"
            else:
                result += _GROUPS[letter]
        return rf"^\s*{result}\s*$"


def _is_word(parts: list[str], i: int) -> bool:
    """Say whether what a number touches are letters, which end it."""
    before = parts[i - 2] if i >= 2 and not parts[i - 1] else "b"
    after = parts[i + 2] if i + 2 < len(parts) and not parts[i + 1] else "b"
    return all(one.lstrip("^") in {"b", "B", "p", "z", ":z"} for one in (before, after))


# ------------------------------------------------------------------------------------------------------------- reading


def read_text(texts: pa.Array, written: DateFormat) -> tuple[IntArray, BoolArray, IntArray]:
    """Read texts in one format.

    Returns
    -------
    micros : (n,) int64
        Microseconds since the beginning of 1970; in UTC where an offset is written.
    readable : (n,) bool
    offsets : (n,) int64
        Minutes ahead of UTC; 0 where none is written.

    Examples
    --------
    >>> micros, readable, _ = read_text(pa.array(["2.1.1970", "30.2.1970"]), DateFormat("%d.%m.%Y"))
    >>> micros.tolist(), readable.tolist()
    ([86400000000, 0], [True, False])
    """
    parts = pc.extract_regex(texts, written.pattern)
    readable = np.asarray(pc.fill_null(parts.is_valid(), False).to_numpy(zero_copy_only=False), dtype=np.bool_)
    fields = {field.name: parts.field(i) for i, field in enumerate(parts.type)}
    n = len(texts)

    def number(name: str, default: int = 0) -> IntArray:
        if name not in fields:
            return np.full(n, default, dtype=np.int64)
        filled = pc.if_else(pa.array(readable), fields[name], pa.scalar(str(default)))
        return np.asarray(filled.cast(pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)

    year = number("Y", 1970)
    if "y" in fields:
        short = number("y", 70)
        year = np.where(short < 69, 2000 + short, 1900 + short)
    month = _months(fields["b"]) if "b" in fields else number("m", 1)
    day, hour, minute, second = number("d", 1), number("H"), number("M"), number("S")
    readable &= (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (minute < 60) & (second < 60)
    if "I" in fields:
        twelve = number("I", 12)
        readable &= (twelve >= 1) & (twelve <= 12)
        hour = twelve % 12 + 12 * _is_afternoon(fields["p"]) if "p" in fields else twelve
    readable &= hour < 24
    safe_month = np.where(readable, month, 1)
    months = (np.where(readable, year, 1970) - 1970) * 12 + safe_month - 1
    first = months.astype("datetime64[M]").astype("datetime64[D]")
    days = first + (np.where(readable, day, 1) - 1).astype("timedelta64[D]")
    readable &= days.astype("datetime64[M]").astype(np.int64) == months
    micros = days.astype(np.int64) * _DAY + ((hour * 60 + minute) * 60 + second) * _SECOND
    if "f" in fields:
        digits = pc.utf8_slice_codeunits(pc.utf8_rpad(pc.fill_null(fields["f"], "0"), 6, "0"), 0, 6)
        digits = pc.if_else(pa.array(readable), digits, pa.scalar("0"))
        micros += digits.cast(pa.int64()).to_numpy(zero_copy_only=False)
    offsets = _offsets(fields["z"], readable) if "z" in fields else np.zeros(n, dtype=np.int64)
    micros = np.where(readable, micros - offsets * 60 * _SECOND, 0)
    return micros, readable, offsets


def _months(words: pa.Array) -> IntArray:
    short = pc.utf8_slice_codeunits(pc.utf8_lower(pc.fill_null(words, "")), 0, 3)
    full = pc.utf8_lower(pc.fill_null(words, ""))
    listed = pa.array([month[:3].lower() for month in MONTHS])
    places = np.asarray(pc.fill_null(pc.index_in(short, listed), -1).to_numpy(zero_copy_only=False), dtype=np.int64)
    spelt = pa.array([*(m.lower() for m in MONTHS), *(m[:3].lower() for m in MONTHS), "sept"])
    known = np.asarray(pc.is_in(full, spelt).to_numpy(zero_copy_only=False), dtype=np.bool_)
    return np.where(known, places + 1, 0)


def _is_afternoon(marks: pa.Array) -> IntArray:
    same = pc.equal(pc.utf8_lower(pc.fill_null(marks, "a")), "p")
    return np.asarray(same.to_numpy(zero_copy_only=False), dtype=np.int64)


def _offsets(marks: pa.Array, readable: BoolArray) -> IntArray:
    listed = marks.dictionary_encode()
    minutes = [_minutes(mark) for mark in listed.dictionary.to_pylist()] + [0]
    places = pc.fill_null(listed.indices, len(minutes) - 1).to_numpy(zero_copy_only=False)
    return np.where(readable, np.asarray(minutes, dtype=np.int64)[places], 0)


def _minutes(mark: str) -> int:
    if mark in {"Z", ""}:
        return 0
    digits = mark[1:].replace(":", "").ljust(4, "0")
    return (-1 if mark[0] == "-" else 1) * (60 * int(digits[:2]) + int(digits[2:]))


# ------------------------------------------------------------------------------------------------------------- finding


def _candidates(text: str, *, timed: bool) -> list[DateFormat]:
    """Return the formats that one text fits."""
    if not timed:
        candidates = [DateFormat(date) for date in (*_DATES, *_SHORT)]
    else:
        dates = [date for date in (*_DATES, *_SHORT) if re.match(DateFormat(date).pattern[:-4], text)]
        clocks = product((" ", "T", ", "), _TIMES, ("", "%z", " %z"))
        candidates = [DateFormat(date + "".join(clock)) for date, clock in product(dates, clocks)]
        candidates += [DateFormat(compact) for compact in _COMPACT]
    return [one for one in candidates if re.match(one.pattern, text)]


def find_formats(texts: pa.Array, *, timed: bool) -> tuple[DateFormat, ...]:
    """Return the formats in which all texts can be read: one, several where day and month may be exchanged, or none.

    Parameters
    ----------
    texts : pa.Array of str
        Different values, none of them missing.
    timed : bool
        Whether a time of day is looked for.

    Examples
    --------
    >>> [one.text for one in find_formats(pa.array(["3/4/2020", "13/4/2020"]), timed=False)]
    ['%-d/%-m/%Y']
    >>> [one.order for one in find_formats(pa.array(["03/04/2020"]), timed=False)]
    ['dmY', 'mdY']
    """
    if not len(texts):
        return ()
    some = texts.slice(0, 20).to_pylist()
    result: dict[str, DateFormat] = {}
    for candidate in _candidates(some[0], timed=timed):
        pattern = re.compile(candidate.pattern)
        if all(pattern.match(text) for text in some) and bool(read_text(texts, candidate)[1].all()):
            result.setdefault(candidate.order, _refined(candidate, texts))
    return tuple(result.values())


def _refined(written: DateFormat, texts: pa.Array) -> DateFormat:
    """Return the format with the zeros, digits of seconds and marks of offsets that the column writes."""
    fields = pc.extract_regex(texts, written.pattern)
    text = written.text
    for field in fields.type:
        values = fields.field(field.name)
        if field.name in "dmHI" and _any(values, "^[0-9]$") and not _any(values, "^0"):
            text = text.replace(f"%{field.name}", f"%-{field.name}")
        elif field.name == "f":
            lengths = pc.utf8_length(values)
            most = min(int(pc.max(lengths).as_py()), 6)
            text = text.replace("%f", f"%{most}f")
        elif field.name == "z" and _any(values, ":"):
            text = text.replace("%z", "%:z")
        elif field.name == "z" and not _any(values, "[^Z]"):
            text = text.replace("%z", "Z")
        elif field.name == "b" and "%b" in text and _any(values, "^[A-Z]{3}") and not _any(values, "[a-z]"):
            text = text.replace("%b", "%^b")
        elif field.name == "b" and "%b" in text and not _any(values, _SHORTENED) and _any(values, "^.[a-z]{3}$"):
            whole = text.replace("%b", "%B")
            # Months that have four letters may be spelt in full as well; a point after them says that they are not.
            text = whole if read_text(texts, DateFormat(whole))[1].all() else text
    return DateFormat(text)


def _any(values: pa.Array, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(values, pattern)).as_py())


# ------------------------------------------------------------------------------------------------------------- writing


def write_text(micros: IntArray, written: DateFormat, offset: int = 0) -> list[str]:
    """Return moments as texts of one format; `offset` is in minutes ahead of UTC.

    Examples
    --------
    >>> write_text(np.array([0, 86400000000]), DateFormat("%-d.%-m.%Y"))
    ['1.1.1970', '2.1.1970']
    """
    local = micros + offset * 60 * _SECOND
    days = np.floor_divide(local, _DAY)
    clock = local - days * _DAY
    dates = days.astype("datetime64[D]")
    years = dates.astype("datetime64[Y]").astype(np.int64) + 1970
    months = dates.astype("datetime64[M]").astype(np.int64) % 12
    monthdays = (dates - dates.astype("datetime64[M]").astype("datetime64[D]")).astype(np.int64) + 1
    parts = _TOKEN.split(written.text)
    columns = [
        [part] * len(micros) if i % 2 == 0 else _column(part, years, months, monthdays, clock, offset)
        for i, part in enumerate(parts)
        if i % 2 or part
    ]
    return ["".join(row) for row in zip(*columns, strict=True)]


def _column(token: str, years: IntArray, months: IntArray, days: IntArray, clock: IntArray, offset: int) -> list[str]:
    """Return one part of every text."""
    letter = token.lstrip("-^:123456789")
    hours = clock // (3600 * _SECOND)
    if letter in "bB":
        names = [month if letter == "B" else month[:3] for month in MONTHS]
        return [names[i].upper() if "^" in token else names[i] for i in months.tolist()]
    if letter == "p":
        return ["PM" if hour >= 12 else "AM" for hour in hours.tolist()]
    if letter == "z":
        sign, size = "-" if offset < 0 else "+", abs(offset)
        return [f"{sign}{size // 60:02d}{':' if ':' in token else ''}{size % 60:02d}"] * len(clock)
    if letter == "f":
        digits = int(token[:-1] or 6)
        return [f"{fraction:06d}"[:digits].ljust(digits, "0") for fraction in (clock % _SECOND).tolist()]
    numbers = {
        "Y": years,
        "y": years % 100,
        "m": months + 1,
        "d": days,
        "H": hours,
        "I": (hours - 1) % 12 + 1,
        "M": clock // (60 * _SECOND) % 60,
        "S": clock // _SECOND % 60,
    }
    if letter == "%":
        return ["%"] * len(clock)
    width = 4 if letter == "Y" else 1 if token[0] == "-" else 2
    return [f"{number:0{width}d}" for number in numbers[letter].tolist()]
