"""State tables: columns side by side, named after times in a row, in which people mostly stay what they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.inferring.looking import HEAD, Look
from discreet.data.inferring.vocabulary import listed_words

__all__ = ["find_state_runs", "time_in_name"]

_FEWEST = 6
"""Columns that make a state table."""
_MOST = 20
"""Different states beyond which columns hold something else."""
_SAME = 0.6
"""Share of records that agree in neighbouring columns: most people are next month what they are this month."""

_LETTERED = 10
"""The least number behind a single letter that is a time: a15 is an age, a1 to a9 are questions of a section A."""

_MONTHS = (
    ("jan", "january", "januar", "janvier", "enero"), ("feb", "february", "februar", "fev", "febrero"),
    ("mar", "march", "mrz", "maerz", "mars", "marzo"), ("apr", "april", "avr", "avril", "abr", "abril"),
    ("may", "mai", "mayo"), ("jun", "june", "juni", "juin", "junio"), ("jul", "july", "juli", "juil", "julio"),
    ("aug", "august", "aout", "ago", "agosto"), ("sep", "sept", "september", "septembre", "septiembre"),
    ("oct", "october", "okt", "oktober", "octobre", "octubre"), ("nov", "november", "novembre", "noviembre"),
    ("dec", "december", "dez", "dezember", "decembre", "dic", "diciembre"),
)  # fmt: skip
_MONTH = {word: place for place, words in enumerate(_MONTHS) for word in words}
_TIMES = frozenset(
    listed_words(
        "a age alter y yr year jahr annee m mon month monat mois w wave welle vague t time wk week woche d day tag "
        "period quarter quartal state status act activity"
    )
)
_YEAR_MONTH = re.compile(r"^(?P<stem>[a-z]*)[\W_]*(?P<year>(18|19|20)\d\d)[\W_]*[mM]?(?P<month>0[1-9]|1[0-2])$")
_NAMED_MONTH = re.compile(r"^(?P<stem>.*?)(?P<word>[a-z]+)[\W_]*(?P<year>\d\d|(18|19|20)\d\d)?$")
_NUMBERED = re.compile(r"^(?P<stem>[^\W\d_]*)[\W_]*(?P<number>\d{1,4})$")


class NamedTime(NamedTuple):
    """What a name tells of time: what it begins with, how times are written, and the place in that order."""

    stem: str
    kind: str
    place: int


def time_in_name(name: str) -> NamedTime | None:
    """Return the time that a column is named after, or None.

    Examples
    --------
    >>> time_in_name("Jul.93").place - time_in_name("Jun.93").place, time_in_name("a15"), time_in_name("q7")
    (1, NamedTime(stem='a', kind='number', place=15), None)
    """
    word = name.strip().lower()
    match = _YEAR_MONTH.match(word)
    if match:
        return NamedTime(match["stem"], "year-month", 12 * int(match["year"]) + int(match["month"]))
    match = _NAMED_MONTH.match(word)
    if match:
        for cut in range(len(match["word"])):
            month = _MONTH.get(match["word"][cut:])
            stem = match["stem"] + match["word"][:cut]
            if month is not None and (not stem or not stem[-1].isalpha()):
                return NamedTime(stem, "month", 12 * _year(match["year"]) + month)
    match = _NUMBERED.match(word)
    if match and len(match["stem"]) == 1 and int(match["number"]) < _LETTERED:
        return None
    if match and (match["stem"] in _TIMES or (not match["stem"] and 1850 <= int(match["number"]) <= 2100)):
        return NamedTime(match["stem"], "number", int(match["number"]))
    return None


def _year(text: str | None) -> int:
    number = int(text or 0)
    # Two digits are of one century, but for a table that runs over its end.
    return number + (1900 if 50 <= number < 100 else 2000 if text and number < 50 else 0)


def find_state_runs(looks: list[Look], apart: Callable[[str], bool] | None = None) -> list[list[Look]]:
    """Return runs of columns that are the positions of one sequence of states.

    Parameters
    ----------
    looks : list of Look
        The columns, in the order of the table.
    apart : callable, optional
        Says of a column that somebody has named it by itself: such a one is no position.
    """
    runs: list[list[Look]] = []
    current: list[Look] = []
    before: NamedTime | None = None
    for look in looks:
        time = time_in_name(look.name) if _may_be_state(look) and not (apart and apart(look.name)) else None
        follows = before is not None and time is not None and time[:2] == before[:2] and time.place == before.place + 1
        if not follows:
            runs.append(current)
            current = []
        if time is not None:
            current.append(look)
        before = time
    runs.append(current)
    return [run for run in runs if len(run) >= _FEWEST and _is_course(run)]


def _may_be_state(look: Look) -> bool:
    if look.is_temporal or pa.types.is_nested(look.column.type) or not len(look.values):
        return False
    if look.numbers is not None and not look.whole:
        return False
    few = len(look.distinct) <= min(_MOST, max(2, len(look.values) // 5))
    return few and not look.label and not look.speaks_of("amount", "count", "weight", "identifier")


def _is_course(run: list[Look]) -> bool:
    """Say whether columns hold the same few states, and most records keep theirs from one to the next."""
    states = set().union(*(look.texts for look in run))
    if not 2 <= len(states) <= _MOST:
        return False
    texts = [pc.fill_null(look.column.slice(0, HEAD).cast(pa.string()), "") for look in run]
    agreeing = [pc.mean(pc.equal(one, other)).as_py() or 0.0 for one, other in pairwise(texts)]
    return bool(np.median(agreeing) > _SAME)
