"""The scale of a column that is no date: a quantity, a code, an order, words, a sequence."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.inferring.batteries import codes_after_gap
from discreet.data.inferring.item_cells import holds_sets
from discreet.data.inferring.looking import Guess, Look, strays_among_numbers
from discreet.data.inferring.orders import in_order
from discreet.data.inferring.reading_cells import holds_points, holds_readings
from discreet.data.inferring.vocabulary import listed_words, name_words
from discreet.data.scales import ItemSet, Nominal, Numeric, Ordinal, Sequence, TimeSeries, Trajectory

__all__ = ["scale_of"]

_FEW = 20
"""Whole numbers with at most this many different values are categories, until somebody says that they are not."""

_CODED = frozenset(
    listed_words(
        "zip zipcode plz postal postcode postleitzahl postalcode cp codigopostal isco nace sic naics noga sbi cnae "
        "ateco soc nuts icd drg cpt atc loinc code kode codigo codice cod type typ tipo kind class art cat category "
        "kategorie"
    )
)
_ORDERED = frozenset(
    listed_words(
        "level niveau nivel livello grade class klasse classe clase group gruppe groupe grupo gruppo groep rank band "
        "quintile decile quartile severity stage score"
    )
)


def scale_of(look: Look) -> Guess:
    """Return the scale of a column, with its reason; a question where numbers may be quantities or codes."""
    if not len(look.values):
        return Guess("no value at all", 0.9, scale=Nominal(("",)))
    if pa.types.is_boolean(look.values.type):
        return Guess("true or false", 0.97, scale=Nominal((False, True)))
    if look.order and set(look.texts) <= set(look.order):
        return Guess(f"{len(look.order)} levels, whose order the column says", 0.97, scale=Ordinal(look.order))
    if look.numbers is not None:
        return _of_numbers(look)
    return _of_words(look)


def _of_numbers(look: Look) -> Guess:
    count = len(look.distinct)
    if not look.whole:
        return Guess(f"numbers, {count} different", 0.95, scale=Numeric())
    few = count <= min(_FEW, max(2, len(look.values) // 5))
    words = set(name_words(look.name))
    coded = bool(words & _CODED) or look.speaks_of("place", "work")
    quantity = look.speaks_of("amount", "age", "count", "weight", "physical")
    # Some words speak of places and amounts both; a code of three hundred euros is none.
    if coded and not look.speaks_of("amount", "count", "age") and _looks_coded(look):
        return Guess(
            "1 code, which is no quantity" if count == 1 else f"{count} codes, which are no quantities",
            0.9,
            scale=Nominal(look.levels),
            holds_for="code",
        )
    if not few:
        if not quantity and not look.subjects and _is_code_like(look):
            return Guess(
                f"whole numbers of one length, {count} different", 0.5, scale=Numeric(),
                question="are these quantities or codes?", holds_for="code",
            )  # fmt: skip
        return Guess(f"numbers, {count} different", 0.9 if quantity else 0.75, scale=Numeric())
    return _of_few(look, count, words)


def _of_few(look: Look, count: int, words: set[str]) -> Guess:
    levels = look.levels
    said = "the same whole number everywhere" if count == 1 else f"{count} different whole numbers"
    question = "are these quantities, an order, or codes?"
    ordered = look.speaks_of("education", "opinion", "age") or bool(words & _ORDERED)
    if count <= 2 and not look.speaks_of("count", "amount"):
        return Guess(said, 0.85, scale=Nominal(levels), holds_for="code")
    if look.speaks_of("amount") and not words & _ORDERED and count > 12:
        return Guess(said, 0.8, scale=Numeric())
    if ordered or look.speaks_of("count", "amount"):
        ask = question if look.speaks_of("count", "amount", "age") else ""
        if codes_after_gap(levels):
            ask = f"do the {len(codes_after_gap(levels))} highest numbers, after a gap, stand for no answer?"
        return Guess(said, 0.85, scale=Ordinal(levels), question=ask, holds_for="code")
    if look.speaks_of("demographic", "place", "work", "stratum"):
        return Guess(f"{said}, which are codes", 0.85, scale=Nominal(levels), holds_for="code")
    apart = len(codes_after_gap(levels))
    if apart:
        ask = f"do the {apart} highest numbers, after a gap, stand for no answer? {question}"
        scale = Ordinal(levels) if count - apart > 2 else Nominal(levels)
        return Guess(f"{said}, {apart} of them after a gap", 0.5, scale=scale, question=ask, holds_for="code")
    steps = np.diff(levels)
    if count >= 3 and (steps == 1).all() and levels[0] in (0, 1):
        return Guess(f"{said} in a row", 0.6, scale=Ordinal(levels), question=question, holds_for="code")
    return Guess(f"{said} with gaps", 0.5, scale=Nominal(levels) if (steps > 1).any() and levels[-1] < 100 else
                 Ordinal(levels), question=question, holds_for="code")  # fmt: skip


def _looks_coded(look: Look) -> bool:
    """Say whether whole numbers may be codes: not below zero, and repeated."""
    return look.levels[0] >= 0 and len(look.distinct) <= 0.5 * len(look.values)


def _is_code_like(look: Look) -> bool:
    low, high = look.levels[0], look.levels[-1]
    one_length = low > 0 and len(str(low)) == len(str(high)) >= 3
    return one_length and not 1850 <= low <= high <= 2100 and look.share_distinct < 0.5


def _of_words(look: Look) -> Guess:
    texts = look.texts
    mark = holds_points(look.distinct.cast(pa.string()))
    if mark:
        return Guess("times and places, many in a cell", 0.85,
                     scale=Trajectory.guessed(look.values, mark))  # fmt: skip
    mark = holds_readings(look.distinct.cast(pa.string())) if not look.speaks_of("person", "place") else ""
    if mark:
        return Guess("many numbers with decimals in a cell, one after the other", 0.8,
                     scale=TimeSeries.guessed(look.values, mark))  # fmt: skip
    mark = holds_sets(look.distinct.cast(pa.string())) if not look.speaks_of("person", "place") else ""
    if mark:
        items = sorted({item for text in texts for item in text.split(mark) if item})
        return Guess(f"{len(items)} different items, several in a cell and in many combinations", 0.8,
                     scale=ItemSet(tuple(items), mark))  # fmt: skip
    if _looks_like_sequences(look):
        events = sorted({event for word in texts for event in word.split(" ") if event})
        return Guess(f"blank-separated words, {len(events)} different, in many orders", 0.85,
                     scale=Sequence(tuple(events)))  # fmt: skip
    if look.is_year_month:
        months = sorted(texts, key=_month_of)
        return Guess(f"{len(texts)} different months of a year", 0.9, scale=Ordinal(tuple(months)))
    ordered = in_order(texts)
    if ordered is not None:
        return Guess(f"{len(texts)} levels in a known order", 0.9, scale=Ordinal(ordered))
    strays = strays_among_numbers(texts)
    if strays:
        return Guess(f"numbers, but for {strays} of {len(texts)} different values", 0.5,
                     scale=Nominal(tuple(sorted(texts))),
                     question="what do the values stand for that are no numbers?")  # fmt: skip
    digits = all(text.isdigit() for text in texts[:1000])
    words = "codes written with zeros" if digits else "different words"
    return Guess(f"{len(texts)} {words}", 0.95, scale=Nominal(tuple(sorted(texts))), holds_for="code" if digits else "")


def _month_of(text: str) -> tuple[int, int]:
    first, second = (int(part) for part in re.split("[-/.]", text.strip()))
    return (first, second) if first > 12 else (second, first)


def _looks_like_sequences(look: Look) -> bool:
    if " " not in "".join(look.texts[:1000]):
        return False
    events = pc.unique(pc.split_pattern(look.distinct.cast(pa.string()), " ").flatten())
    # Groups of digits, as of telephone numbers, are no events; single digits may be states.
    if not pc.any(pc.match_substring_regex(events, r"[^0-9.,+/()-]")).as_py():
        single = pc.all(pc.match_substring_regex(events, "^[0-9]?$")).as_py()
        if not single or look.speaks_of("person"):
            return False
    # Words of a small vocabulary in many different orders: an itinerary, not a free text or a category.
    return len(look.distinct) > max(_FEW, 3 * len(events))
