"""Batteries of questions: many columns with one stem and the same few answers, as q1 to q40."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.inferring.looking import HEAD, Look
from discreet.data.scales.scale import hide_missing
from discreet.typing import IntArray

__all__ = ["codes_after_gap", "find_batteries", "without_codes"]

_FEWEST = 5
"""Columns that make a battery."""
_MOST = 15
"""Different answers beyond which columns with one stem are no battery."""
_SAME = 0.7
"""Share of records that agree in neighbouring columns beyond which these are states in time, not questions."""
_STEM = re.compile(r"^(.*?[^\W\d])[\W_]*\d+[a-z]?$", re.IGNORECASE)
_CODES = frozenset({7, 8, 9, 66, 77, 88, 96, 97, 98, 99, 555, 666, 777, 888, 996, 997, 998, 999})
_FACTS = ("amount", "count", "weight", "physical", "age", "place", "date", "household", "health", "demographic",
          "work", "education")  # fmt: skip


def codes_after_gap(levels: tuple[int, ...]) -> tuple[int, ...]:
    """Return the whole numbers that stand for no answer: after a row from 0 or 1, a gap, and then known codes alone.

    Examples
    --------
    >>> codes_after_gap((1, 2, 3, 4, 5, 7, 8, 9)), codes_after_gap((*range(11), 77, 88))
    ((7, 8, 9), (77, 88))
    >>> codes_after_gap((1, 2, 3, 4, 5, 6, 7))
    ()
    """
    if len(levels) < 3 or levels[0] not in (0, 1):
        return ()
    steps: IntArray = np.diff(np.asarray(levels))
    gaps = np.flatnonzero(steps > 1)
    if not gaps.size or gaps[0] < 1:
        return ()
    highest, rest = levels[gaps[0]], levels[gaps[0] + 1 :]
    # A code is longer than every answer, or there is one digit for all.
    apart = all(code in _CODES and (code <= 9 or code > 3 * highest) for code in rest)
    return rest if apart else ()


def find_batteries(looks: list[Look]) -> dict[str, int]:
    """Return, by column, of how many questions its battery is."""
    stems: dict[str, list[Look]] = defaultdict(list)
    for look in looks:
        match = _STEM.match(look.name)
        if match and 2 < len(look.distinct) <= _MOST and not look.speaks_of(*_FACTS) and _has_answers(look):
            stems[match[1].lower()].append(look)
    found = {}
    for several in stems.values():
        answers = set().union(*(look.texts for look in several))
        # Not everybody gives every answer to every question, but nearly.
        alike = [look for look in several if len(look.distinct) >= 0.6 * len(answers)]
        if len(alike) >= _FEWEST and len(alike) >= 0.8 * len(several) and not _is_course(several):
            found.update({look.name: len(several) for look in several})
    return found


def _is_course(looks: list[Look]) -> bool:
    """Say whether columns are states one after the other: most people are next year what they are this year."""
    texts = [look.column.slice(0, HEAD).cast(pa.string()) for look in looks]
    agreeing = [pc.mean(pc.equal(one, other)).as_py() or 0.0 for one, other in pairwise(texts)]
    return bool(np.median(agreeing) > _SAME)


def _has_answers(look: Look) -> bool:
    if look.numbers is None:
        return not look.is_temporal
    return look.whole and (look.levels[0] in (0, 1) or bool(look.order))


def without_codes(looks: list[Look], batteries: dict[str, int]) -> list[Look]:
    """Return the columns with the codes for no answer left out of those that stand in a battery."""
    stems: dict[str, set[int]] = defaultdict(set)
    for look in looks:
        if look.name in batteries and look.numbers is not None:
            stems[_stem(look.name)] |= set(look.levels)
    result = []
    for look in looks:
        codes = codes_after_gap(tuple(sorted(stems.get(_stem(look.name), ())))) if look.name in batteries else ()
        # A file that describes its columns lists its missing numbers itself.
        if not codes or look.label or look.numbers is None:
            result.append(look)
            continue
        present = tuple(code for code in codes if code in look.levels)
        known = (*look.codes, *((str(code) for code in present) if look.is_text else present))
        result.append(replace(look, values=hide_missing(look.column, known).drop_null(), codes=known))
    return result


def _stem(name: str) -> str:
    match = _STEM.match(name)
    return match[1].lower() if match else name
