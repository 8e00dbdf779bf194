"""Dates and times, by the type of a column or by how its texts are written."""

from __future__ import annotations

import pyarrow as pa

from discreet.data.inferring.looking import Guess, Look
from discreet.data.scales import Date, DateTime
from discreet.data.scales.date_text import find_formats
from discreet.data.scales.scale import is_text
from discreet.errors import DataError

__all__ = ["is_moment"]


def is_moment(look: Look) -> Guess | None:
    """Say whether a column holds dates or times; where day and month may be exchanged, that is asked."""
    kind = look.column.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        scale = Date() if pa.types.is_date(kind) or _is_midnight(look) else DateTime()
        return Guess(f"the type of the column says {scale.name}", 0.97, scale=scale)
    if not is_text(look.values) or not len(look.values) or look.numbers is not None:
        return None
    texts = look.distinct.cast(pa.string())
    if len(texts) < 2 and not look.speaks_of("date"):
        return None
    for timed in (False, True):
        formats = find_formats(texts, timed=timed)
        if not formats:
            continue
        orders = {written.order for written in formats}
        scale = (DateTime if timed else Date)(formats[0].text)
        try:
            scale.encode(texts)
        except DataError:
            continue
        question = "does the day or the month come first?" if len(orders) > 1 else ""
        confidence = 0.6 if question else 0.95
        return Guess(f"{len(texts)} different {scale.name}s, as they are written", confidence, scale=scale,
                     question=question)  # fmt: skip
    return None


def _is_midnight(look: Look) -> bool:
    kind = look.column.type
    if not pa.types.is_timestamp(kind) or kind.tz is not None:
        return False
    try:
        return bool(look.values.cast(pa.date32()).cast(kind).equals(look.values))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False
