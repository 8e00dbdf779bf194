"""Dates and times, by the type of a column or by how its texts or whole numbers are written."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.inferring.absent_codes import AMONG_NUMBERS
from discreet.data.inferring.looking import Guess, Look
from discreet.data.scales import Date, DateTime
from discreet.data.scales.date_text import DateFormat, find_formats, read_text
from discreet.data.scales.scale import is_text, to_level_type
from discreet.typing import BoolArray, Level

__all__ = ["find_date_codes", "is_moment"]

_MOST = 0.9
"""Share of the different values that must be dates for a column to be one of dates."""
_COMPACT = "%Y%m%d"
_NO_DATE = re.compile(
    r"(?:0[\W_]*)+|(?:9[\W_]*)+|(?:8[\W_]*)+|\D*9999\D*12\D*31\D*|31\D*12\D*9999|12/31/9999|0001-01-01"
)
"""Dates that stand for none: all zeros, all nines or eights, and the last day of the calendar."""
_CLOCK = re.compile(r"[T ,]+[0-9:.]+$")


def is_moment(look: Look) -> Guess | None:
    """Say whether a column holds dates or times; where day and month may be exchanged, that is asked.

    What is no date among many that are makes the column none the less one of dates; how many they are is asked.
    """
    kind = look.column.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        scale = Date() if pa.types.is_date(kind) or _is_midnight(look) else DateTime()
        return Guess(f"the type of the column says {scale.name}", 0.97, scale=scale)
    if not len(look.values) or look.order:
        return None
    texts = _as_texts(look.values)
    if texts is None or (len(texts) < 2 and not look.speaks_of("date")):
        return None
    found = _found(texts)
    if found is None:
        return None
    formats, readable, timed = found
    if formats[0].text == _COMPACT and not _is_compact(look, texts.filter(pa.array(readable))):
        return None
    strangers = int(
        pc.sum(pc.is_in(to_level_type(look.values, pa.string()), texts.filter(pa.array(~readable)))).as_py()
    )
    scale = (DateTime if timed else Date)(formats[0].text)
    questions = []
    if len({written.order for written in formats}) > 1:
        questions.append("does the day or the month come first?")
    if strangers:
        questions.append(f"{strangers} of {len(look.values)} values are no {scale.name}s: what do they stand for?")
    return Guess(f"{int(readable.sum())} different {scale.name}s, as they are written", 0.6 if questions else 0.95,
                 scale=scale, question=" ".join(questions))  # fmt: skip


def find_date_codes(values: pa.Array) -> tuple[Level, ...]:
    """Return what stands for no date in a column of dates: 0000-00-00, 99.99.9999, 9999-12-31 and their like.

    Examples
    --------
    >>> find_date_codes(pa.array(["2004-05-06", "2004-05-07", "2004-06-01", "0000-00-00", "9999-12-31"]))
    ('0000-00-00', '9999-12-31')
    >>> find_date_codes(pa.array(["a", "0000-00-00"]))
    ()
    """
    texts = _as_texts(values)
    if texts is None:
        return ()
    codes = [text for text in texts.to_pylist() if _is_no_date(text.strip())]
    if not codes:
        return ()
    rest = texts.filter(pc.invert(pc.is_in(texts, pa.array(codes))))
    found = _found(rest)
    if found is None or (found[0][0].text == _COMPACT and len(rest) < 5):
        return ()
    return tuple(sorted(codes)) if is_text(values) else tuple(sorted(int(code) for code in codes))


def _is_no_date(text: str) -> bool:
    return text.lower() in AMONG_NUMBERS or _NO_DATE.fullmatch(_CLOCK.sub("", text)) is not None


def _as_texts(values: pa.Array) -> pa.Array | None:
    """Return the different values as they would be written; None where they can be no dates."""
    if is_text(values):
        return pc.unique(values.cast(pa.string()))
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)) or not len(values):
        return None
    numbers = pc.unique(values)
    middle = pc.quantile(numbers, 0.5)[0].as_py()
    if not 18_500_101 <= middle <= 21_001_231:
        return None
    if pa.types.is_floating(values.type) and not pc.all(pc.equal(numbers, pc.floor(numbers))).as_py():
        return None
    return to_level_type(numbers, pa.string())


def _found(texts: pa.Array) -> tuple[tuple[DateFormat, ...], BoolArray, bool] | None:
    """Return the formats that nearly all texts fit, which do, and whether a time is written; or None."""
    for timed in (False, True):
        formats = find_formats(texts, timed=timed)
        if formats:
            return formats, np.ones(len(texts), dtype=np.bool_), timed
    best: tuple[int, BoolArray, bool] | None = None
    tried: set[str] = set()
    for text in texts.slice(0, 3).to_pylist():
        for timed in (False, True):
            for written in find_formats(pa.array([text]), timed=timed):
                plain = written.text.replace("%-", "%")
                if plain in tried:
                    continue
                tried.add(plain)
                readable = read_text(texts, DateFormat(plain))[1]
                if best is None or readable.sum() > best[0]:
                    best = int(readable.sum()), readable, timed
    # One of five may be a stranger, none of fewer, and one in ten of many.
    if best is None or best[0] < _MOST * len(texts) - 0.5:
        return None
    formats = find_formats(texts.filter(pa.array(best[1])), timed=best[2])
    return (formats, best[1], best[2]) if formats else None


def _is_compact(look: Look, texts: pa.Array) -> bool:
    """Say whether eight digits are dates: years of our time, and enough of them that chance does not make them so."""
    years = pc.utf8_slice_codeunits(pc.utf8_trim_whitespace(texts), 0, 4).cast(pa.int32())
    low, high = pc.min(years).as_py(), pc.max(years).as_py()
    return 1850 <= low <= high <= 2100 and (len(texts) >= 5 or look.speaks_of("date", "age"))


def _is_midnight(look: Look) -> bool:
    kind = look.column.type
    if not pa.types.is_timestamp(kind) or kind.tz is not None:
        return False
    try:
        return bool(look.values.cast(pa.date32()).cast(kind).equals(look.values))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False
