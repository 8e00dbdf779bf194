"""Numbers as people write them: a decimal comma, marks between thousands, signs of currencies and percent.

A column is read as numbers where all its values can be read in one way, and in one way only. Where two ways give
different numbers (``1.234`` may be a thousand or a bit more than one) nobody can tell from the file, and the user is
asked. How a column writes its numbers is kept, so that masked ones are written in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.inference import AMONG_NUMBERS, MISSING_WORDS
from discreet.errors import ParameterError
from discreet.io.text_parts import Texts

__all__ = [
    "DECIMAL",
    "MARKS",
    "WHOLE",
    "Reading",
    "Style",
    "as_accountants",
    "canonical",
    "check_marks",
    "looks_like_number",
    "read_style",
    "reads_in_two_ways",
    "restyled",
]

MARKS = {".": ".", ",": ",", " ": " ", "'": "'", "space": " ", "apostrophe": "'", "none": ""}
"""What may stand between thousands, by what a user may call it."""

_SPACES = "\u00a0\u2009\u202f"
_WRITTEN = {"": "", ".": r"\.", ",": ",", " ": f"[ {_SPACES}]", "'": "['’]"}
_UNITS = r"[€$£¥₹₽%‰]|EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|Kč|zł|kr\.?|Fr\.?"
_PREFIX = re.compile(rf"^(?:{_UNITS})[ {_SPACES}]?(?=[-−]?\d)")
_SUFFIX = re.compile(rf"(?<=\d)[ {_SPACES}]?(?:{_UNITS})$")
WHOLE = r"^(0|-?([1-9][0-9]{0,17}|[1-8][0-9]{18}|9[01][0-9]{17}|92[01][0-9]{16}|922[0-2][0-9]{15}))$"
DECIMAL = (
    r"^-?((0|[1-9][0-9]{0,15}0{0,290})(\.[0-9]*)?|\.[0-9]+"
    r"|((0|[1-9][0-9]{0,7})(\.[0-9]*)?|\.[0-9]+)[eE](\+?0*[0-2]?[0-9]{1,2}|-0*(30[0-7]|[0-2]?[0-9]{1,2})))$"
)
"""Numbers that lose nothing by being read as such: they fit 64 bits, and a float holds every digit before the point."""
_CANONICAL = r"^-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_NUMBER = re.compile(
    rf"\s*(?:{_UNITS})?\s*[-+−]?\s*(?:\d+|\d{{1,3}}(?:[.,'’ {_SPACES}]\d{{3}})+)?(?:[.,]\d*)?(?:[eE][+-]?\d+)?"
    rf"\s*(?:{_UNITS})?\s*"
)
_TWO_WAYS = r"^-?[1-9][0-9]{0,2}(\.[0-9]{3})?$"
"""1.234 may be a thousand or a bit more than one."""
_INDIAN = r"[1-9][0-9]?(,[0-9]{2})+,[0-9]{3}"
_OTHERWISE = re.compile(rf"\s*(?:-?{_INDIAN}(?:\.\d*)?|\(\d[\d.,]*\)|\d[\d.,]*[-−])\s*")
"""Lakhs and crores, and what accountants write for less than nothing: (4) and 4-."""


class Style(NamedTuple):
    """How a column writes its numbers."""

    decimal: str = "."
    thousands: str = ""
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True)
class Reading:
    """What can be told of a column of text: how its numbers are written, or that there are two ways to read them.

    Attributes
    ----------
    styles : tuple of Style
        The ways in which all values can be read as numbers; none where they are no numbers.
    words : tuple of str
        Values that stand for no number.
    ambiguous : bool
        Whether the first two ways, or the first one and plain words, cannot be told apart.
    kind : {"whole", "decimal", ""}
        What the numbers are, where all are written as computers write them.
    """

    styles: tuple[Style, ...] = ()
    words: tuple[str, ...] = ()
    ambiguous: bool = False
    kind: str = ""


def check_marks(decimal: str | None, thousands: str | None) -> tuple[str | None, str | None]:
    """Return the marks that a user named, in one spelling, or say why they cannot be used."""
    if decimal not in {None, ".", ","}:
        raise ParameterError("decimal must be a point or a comma.", hint="Such as --decimal ,")
    if thousands is not None and thousands not in MARKS:
        raise ParameterError(
            "thousands must be a point, a comma, space, apostrophe or none.", hint="Such as --thousands ."
        )
    mark = None if thousands is None else MARKS[thousands]
    if mark is not None and mark == decimal:
        raise ParameterError("decimal and thousands cannot be the same mark.")
    if decimal is None and mark in {".", ","}:
        decimal = "," if mark == "." else "."
    return decimal, mark


def looks_like_number(text: str) -> bool:
    """Say whether a text would be a number somewhere in the world."""
    return bool(_NUMBER.fullmatch(text) or _OTHERWISE.fullmatch(text)) and any(char.isdigit() for char in text)


def read_style(column: Texts | pa.ChunkedArray, decimal: str | None = None, thousands: str | None = None) -> Reading:
    """Tell how a column of text writes numbers.

    Parameters
    ----------
    column : text
    decimal, thousands : str, optional
        What the user says of the file: see :func:`check_marks`.
    """
    texts = column if isinstance(column, Texts) else Texts.of(column)
    kind = _plain_kind(texts, decimal, thousands)
    if kind:
        return Reading((Style(),), kind=kind)
    if any(not looks_like_number(value) and value not in MISSING_WORDS + AMONG_NUMBERS for value in texts.first(1000)):
        return Reading()  # most columns of words are known by their first ones
    values = texts.different()
    some = set(MISSING_WORDS + AMONG_NUMBERS)
    words = tuple(sorted(set().union(*(some & set(_short(part)) for part in values.parts()))))
    if words:
        markers = pa.array(words, pa.string())
        values = values.changed(lambda part: part.filter(pc.invert(pc.is_in(part, value_set=markers))))
    if not values.all(r"[0-9]"):
        return Reading()
    prefix, suffix = _affixes(next(part[0].as_py() for part in values.parts() if len(part)))
    accounts = as_accountants(values)
    cores = values.changed(lambda part: _cores(part, prefix, suffix, accounts=accounts))
    if cores.any(r"^-?0[0-9]"):
        return Reading()  # a code, such as 007
    styles = [Style(d, t, prefix, suffix) for d in ".," for t in _WRITTEN if t != d and _fits(cores, d, t, thousands)]
    # The style with the fewest marks first: where two say the same of every value, it is the one that is meant.
    styles = [
        s for s in styles if decimal in {None, s.decimal} and (thousands is None or s.thousands in {"", thousands})
    ]
    styles = [s for s in styles if _fit_in(cores, s)]  # digits that would be lost are a code
    styles.sort(key=lambda style: (style.thousands != "", style.decimal != "."))
    different: list[Style] = []
    for style in styles:
        if not any(_same_numbers(cores, style, other) for other in different):
            different.append(style)
    spaced = bool(different) and different[0].thousands == " " and thousands is None and not _some_short(cores)
    return Reading(tuple(different), words, len(different) > 1 or spaced)


def _plain_kind(texts: Texts, decimal: str | None, thousands: str | None) -> str:
    """Say whether all values are numbers as computers write them, which nobody reads in another way."""
    if texts.empty():
        return ""
    if texts.all(WHOLE):
        return "whole"
    if decimal == "," or thousands or not texts.all(DECIMAL):
        return ""
    ambiguous = decimal is None and thousands is None and texts.all(_TWO_WAYS)
    return "" if ambiguous else "decimal"


def _short(values: pa.Array) -> list[str]:
    texts: list[str] = values.filter(pc.less(pc.utf8_length(values), 9)).to_pylist()
    return texts


def _affixes(value: str) -> tuple[str, str]:
    """Return the sign before and after the first value; all others must have the same to be numbers."""
    first = value.strip().lstrip("-−")
    before, after = _PREFIX.search(first), _SUFFIX.search(first)
    return before.group() if before else "", after.group() if after else ""


def _trimmed(values: pa.Array) -> pa.Array:
    text = pc.replace_substring(pc.utf8_trim_whitespace(values), "−", "-")
    # A plus says nothing, unless before so many digits that they are a telephone's.
    return pc.replace_substring_regex(text, r"^\+([0-9]{0,6}([.,][0-9.,]*)?([eE][+-]?[0-9]+)?)$", r"\1")


def as_accountants(texts: Texts) -> bool:
    """Say whether (4) and 4- are among plain numbers, and so less than nothing; alone they may be anything."""
    trimmed = texts.changed(_trimmed)
    return trimmed.any(r"^\([0-9].*\)$|^[0-9].*-$") and trimmed.any(r"^-?[0-9.]")


def _cores(values: pa.Array, prefix: str, suffix: str, *, accounts: bool) -> pa.Array:
    """Return the values without signs; one that lacks them keeps what it has, and fits no pattern."""
    text = _trimmed(values)
    if accounts:
        text = pc.replace_substring_regex(text, r"^(?:\(([0-9][0-9.,]*)\)|([0-9][0-9.,]*)-)$", r"-\1\2")
    if not prefix and not suffix:
        return text
    pattern = f"^(-?){re.escape(prefix)}(-?.*){re.escape(suffix)}$"
    inside = pc.replace_substring_regex(text, pattern, r"\1\2")
    return pc.if_else(pc.match_substring_regex(text, pattern), inside, pa.scalar("?", text.type))


def _fits(cores: Texts, decimal: str, thousands: str, user_mark: str | None) -> bool:
    point, mark = _WRITTEN[decimal], _WRITTEN[thousands]
    if not thousands:
        return cores.all(rf"^-?([0-9]+({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?$")
    # A number of four digits without a mark says that there are none; unless the user says that there are.
    whole = "[0-9]+" if user_mark == thousands else "[0-9]{1,3}"
    grouped = rf"[1-9][0-9]{{0,2}}({mark}[0-9]{{3}})+"
    grouped = f"({grouped}|{_INDIAN})" if thousands == "," else grouped
    return cores.all(rf"^-?({grouped}|{whole})({point}[0-9]*)?$") and cores.any(rf"^-?{grouped}({point}[0-9]*)?$")


def _fit_in(cores: Texts, style: Style) -> bool:
    return cores.changed(lambda part: _plain(part, style)).all(f"{WHOLE}|{DECIMAL}")


def _same_numbers(cores: Texts, style: Style, other: Style) -> bool:
    return all(
        _plain(part, style).cast(pa.float64()).equals(_plain(part, other).cast(pa.float64())) for part in cores.parts()
    )


def _some_short(cores: Texts) -> bool:
    """Say whether a number has fewer than three digits before its first space: codes of three digits have not."""
    return cores.any(rf"^-?[0-9]{{1,2}}[ {_SPACES}][0-9]{{3}}") or cores.any(r"[.,][0-9]+$")


def _plain(cores: pa.Array, style: Style) -> pa.Array:
    if style.thousands:
        cores = pc.replace_substring_regex(cores, _WRITTEN[style.thousands], "")
    return pc.replace_substring(cores, style.decimal, ".") if style.decimal != "." else cores


def canonical(
    column: pa.ChunkedArray, style: Style, words: Iterable[str] = (), *, accounts: bool | None = None
) -> pa.ChunkedArray:
    """Return a column's numbers as computers write them; words that stand for no number stay as they are.

    Parameters
    ----------
    column : text
    style : Style
    words : iterable of str
    accounts : bool, optional
        What :func:`as_accountants` says of the whole column, where this is a part of it.
    """
    text = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    markers = tuple(words)
    accounts = as_accountants(Texts.of(text)) if accounts is None else accounts
    numbers = _plain(_cores(text, style.prefix, style.suffix, accounts=accounts), style)
    if markers:
        numbers = pc.if_else(pc.is_in(text, value_set=pa.array(markers, pa.string())), text, numbers)
    return pa.chunked_array([numbers])


def reads_in_two_ways(texts: Texts) -> bool:
    """Say whether all numbers have three decimals, and up to three digits before them: they may be thousands."""
    return texts.all(_TWO_WAYS)


def restyled(
    text: pa.ChunkedArray, style: Style | Mapping[str, str], *, two_ways: bool | None = None
) -> pa.ChunkedArray:
    """Write numbers in the style of their column; what is no number (a word, a range) stays as it is.

    Numbers that a reader would have to ask about are given a fourth decimal; `two_ways` is what
    :func:`reads_in_two_ways` says of the whole column, where this is a part of it.
    """
    style = style if isinstance(style, Style) else Style(**style)
    if reads_in_two_ways(Texts.of(text)) if two_ways is None else two_ways:
        text = pc.replace_substring_regex(text, r"(\.[0-9]{3})$", r"\10")
    if style == Style():
        return text
    texts = pc.replace_substring(text, ".", style.decimal) if style.decimal != "." else text
    if style.prefix or style.suffix:
        texts = pc.binary_join_element_wise(style.prefix, texts, style.suffix, "")
    return pc.if_else(pc.match_substring_regex(text, _CANONICAL), texts, text)
