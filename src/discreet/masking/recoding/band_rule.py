"""How numbers are cut into bands: what a user writes, and edges that tell no more of the data than they must."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from discreet.data.scales import Moment, Numeric
from discreet.errors import ParameterError
from discreet.parameters import Constraint, Control
from discreet.typing import FloatArray

__all__ = [
    "MOST_BANDS",
    "BandConstraint",
    "BandRule",
    "even_edges",
    "log_edges",
    "nice_edges",
    "parting_number",
    "width_edges",
]

MOST_BANDS = 1000
"""Bands of a column, at most."""

Kind: TypeAlias = Literal["breaks", "width", "equal", "count", "log", "optimal", "nice"]
_KINDS = ("width", "equal", "count", "log", "optimal", "nice")
_DAY = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?)?)?")
_SERIES = ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))
"""Numbers of every power of ten, the finest series first; after these come every second, third … power alone."""


@dataclass(frozen=True)
class BandRule:
    """What was said about the bands of a column.

    Attributes
    ----------
    kind : {"breaks", "width", "equal", "count", "log", "optimal", "nice"}
    number : float
        The width of a band, or how many bands there are; nothing for breaks.
    edges : tuple of str
        The breaks as they were written; for a width, the ends that are open.
    low_open, high_open : bool
        Whether there is a band below the first edge, ``<15``, and one from the last on, ``75+``.

    Examples
    --------
    >>> BandRule.of("0,15,30,75+")
    BandRule(kind='breaks', number=0.0, edges=('0', '15', '30', '75'), low_open=False, high_open=True)
    >>> BandRule.of("width:5,<15,75+").edges
    ('15', '75')
    >>> BandRule.of("nice:10").number
    10.0
    """

    kind: Kind
    number: float = 0.0
    edges: tuple[str, ...] = ()
    low_open: bool = False
    high_open: bool = False

    @classmethod
    def of(cls, value: Any) -> BandRule:
        """Read what a user wrote, as text or as a list; raise ValueError where it says no bands."""
        if isinstance(value, BandRule):
            return value
        if not isinstance(value, str):
            value = ",".join(_as_written(item) for item in value)
        head, colon, rest = value.partition(":")
        if colon and head.strip() in _KINDS:
            return cls._of_kind(head.strip(), rest)
        edges, low_open, high_open = _ends([part.strip() for part in value.split(",")])
        if not edges or any(_reading(edge) is None for edge in edges) or len(edges) + low_open + high_open < 2:
            raise ValueError(value)
        return cls("breaks", 0.0, edges, low_open, high_open)

    @classmethod
    def _of_kind(cls, kind: Any, text: str) -> BandRule:
        first, *rest = [part.strip() for part in text.split(",")]
        number = float(first)
        if not math.isfinite(number) or number <= 0 or (kind != "width" and not 1 <= number <= MOST_BANDS):
            raise ValueError(text)
        if kind != "width" and (rest or number != int(number)):
            raise ValueError(text)
        if any(not (part.startswith("<") or part.endswith("+")) for part in rest):
            raise ValueError(text)
        edges, low_open, high_open = _ends(rest) if rest else ((), False, False)
        if any(_reading(edge) is None for edge in edges):
            raise ValueError(text)
        return cls(kind, number, edges, low_open, high_open)

    def numbers(self, owner: str, name: str, scale: Numeric) -> list[float]:
        """Return the edges as a column encodes them, ascending."""
        numbers = []
        for edge in self.edges:
            number = _reading(edge, scale)
            if number is None:
                wanted = "dates such as 1990-07-01" if isinstance(scale, Moment) else "numbers"
                raise ParameterError(f"{owner}: the breaks of {name!r} must be {wanted}, because it is {scale.name}.")
            numbers.append(number)
        for place, (low, high) in enumerate(pairwise(numbers), 2):
            if low >= high:
                raise ParameterError(
                    f"{owner}: the breaks of {name!r} must ascend; break {place} of {len(numbers)} is not above "
                    "the one before it.",
                    hint="A band goes from its break up to the next one, which is not in it any more.",
                )
        if len(numbers) - 1 > MOST_BANDS:
            raise ParameterError(f"{owner}: {name!r} would have {len(numbers) - 1} bands; {MOST_BANDS} are the most.")
        return numbers


def _as_written(item: Any) -> str:
    if isinstance(item, (bool, np.bool_)) or not isinstance(item, (str, int, float, date, datetime, np.number)):
        raise ValueError(type(item).__name__)  # noqa: TRY004 - as where text says nothing
    return item.isoformat() if isinstance(item, (date, datetime)) else str(item)


def _ends(parts: Sequence[str]) -> tuple[tuple[str, ...], bool, bool]:
    """Return the edges, and whether the ends are open; ``<15,15`` is one edge, and so is ``75,75+``."""
    edges = list(parts)
    low_open, high_open = edges[0].startswith("<"), edges[-1].endswith("+")
    if low_open:
        edges[0] = edges[0][1:].strip()
    if high_open:
        edges[-1] = edges[-1][:-1].strip()
    if low_open and len(edges) > 1 and edges[0] == edges[1]:
        del edges[0]
    if high_open and len(edges) > 1 and edges[-1] == edges[-2]:
        del edges[-1]
    return tuple(edges), low_open, high_open


def _reading(text: str, scale: Numeric | None = None) -> float | None:
    """Return an edge as a number, or as the instant that a date stands for; None where it is neither."""
    if isinstance(scale, Moment) or (scale is None and "-" in text[1:] and "e" not in text.lower()):
        if not _DAY.fullmatch(text):
            return None
        try:
            micros = int(np.datetime64(text.replace(" ", "T"), "us").astype(np.int64))
        except ValueError:
            return None
        return float(micros) if scale is None else micros / type(scale).micros
    try:
        number = float(text)
    except ValueError:
        return None
    return number + 0.0 if math.isfinite(number) else None


class BandConstraint(Constraint):
    """Bands as a user writes them: breaks, or a way to find them.

    Examples
    --------
    >>> BandConstraint().accepts([0, 15, "75+"]), BandConstraint().accepts("nice:10"), BandConstraint().accepts("nice")
    (True, True, False)
    """

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, (str, BandRule)) and (not isinstance(value, Sequence) or not value):
            return False
        try:
            BandRule.of(value)
        except ValueError:
            return False
        return True

    def describe(self) -> str:
        return (
            "breaks such as '0,15,30,75+' or '<15,30,75+', or one of width:W, equal:N, nice:N, log:N, count:N, "
            f"optimal:N with at most {MOST_BANDS} bands"
        )

    def parse(self, text: str) -> str:
        BandRule.of(text)
        return text.strip()

    def control(self) -> Control:
        return Control("text")


# ------------------------------------------------------------------------------------------------------------- edges


def width_edges(
    low: float, high: float, width: float, ends: tuple[float | None, float | None] = (None, None)
) -> FloatArray:
    """Return edges a width apart that hold the numbers between `low` and `high`; with open ends, those between them.

    Edges are multiples of the width, counted from an end where one is given, so that they tell nothing of the data but
    in which bands they begin and end.

    Examples
    --------
    >>> width_edges(17, 40, 10).tolist(), width_edges(17, 98, 20, (None, 90.0)).tolist()
    ([10.0, 20.0, 30.0, 40.0, 50.0], [10.0, 30.0, 50.0, 70.0, 90.0])
    """
    anchor = next((end for end in ends if end is not None), 0.0)
    first = 0 if ends[0] is not None else math.floor((low - anchor) / width)
    last = math.ceil(((high if ends[1] is None else ends[1]) - anchor) / width)
    if last - first > MOST_BANDS + 2:
        return np.arange(float(MOST_BANDS + 2))
    # A quotient may be off by its last bit: the edges are held against the numbers themselves.
    edges = [_tidy(anchor + place * width) for place in range(first - 1, last + 2)]
    if ends[0] is not None:
        edges = [edge for edge in edges if edge >= ends[0]]
    else:
        edges = edges[max(sum(edge <= low for edge in edges) - 1, 0) :]
    if ends[1] is not None:
        return np.array([edge for edge in edges if edge < ends[1]] + [ends[1]])
    return np.array(edges[: max(sum(edge <= high for edge in edges) + 1, 2)])


def _tidy(number: float) -> float:
    """Return a multiple of a decimal number without the noise of its last binary digit."""
    return float(f"{number:.14g}") + 0.0


def _fewest(low: float, high: float, bands: int, digits: Sequence[float], least: float) -> float:
    """Return the least width whose leading digit is one of `digits` that needs no more bands than asked for."""
    span = high - low
    power = math.floor(math.log10(span / bands)) if span > 0 else math.floor(math.log10(max(abs(high), 1.0)))
    while True:
        for digit in digits:
            width = _tidy(digit * 10.0**power)
            if width >= least and len(width_edges(low, high, width)) - 1 <= bands:
                return width
        if bands == 1 and low < 0 <= high and 10.0**power > high - low:
            return math.inf  # zero always parts them
        power += 1


def even_edges(low: float, high: float, bands: int, *, whole: bool) -> FloatArray:
    """Return edges of equally wide bands, as many as asked for or fewer; the width has one digit.

    A width computed from the least and the greatest number would give them away to whoever sees three edges.

    Examples
    --------
    >>> even_edges(17.2, 90.1, 5, whole=False).tolist()
    [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
    """
    return _stepped(low, high, bands, range(1, 10), whole=whole)


def nice_edges(low: float, high: float, bands: int, *, whole: bool) -> FloatArray:
    """Return edges 1, 2 or 5 times a power of ten apart, as many bands as asked for or fewer.

    Examples
    --------
    >>> nice_edges(17, 90, 10, whole=True).tolist()
    [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0]
    """
    return _stepped(low, high, bands, (1, 2, 5), whole=whole)


def _stepped(low: float, high: float, bands: int, digits: Sequence[float], *, whole: bool) -> FloatArray:
    width = _fewest(low, high, bands, digits, 1.0 if whole else 0.0)
    if math.isinf(width):
        reach = 10.0 ** math.ceil(math.log10(max(-low, high)) + 1e-9)
        return np.array([-reach, reach])
    return width_edges(low, high, width)


def log_edges(low: float, high: float, bands: int) -> FloatArray:
    """Return edges about equally far apart in their logarithms, as many bands as asked for or fewer.

    They are of the finest of fixed series: 1–1.5–2–3–5–7, 1–2–5 or 1–3 of every power of ten, or powers alone.

    Examples
    --------
    >>> log_edges(120.0, 90_000.0, 6).tolist()
    [100.0, 300.0, 1000.0, 3000.0, 10000.0, 30000.0, 100000.0]
    """
    least, most = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    for digits in _SERIES:
        grid = [_tidy(digit * 10.0**power) for power in range(least, most + 1) for digit in digits]
        edges = _around(grid, low, high)
        if len(edges) - 1 <= bands:
            return np.array(edges)
    apart = 2
    while True:
        powers = range(least - least % apart - apart, most + 2 * apart, apart)
        edges = _around([_tidy(10.0**power) for power in powers if -308 <= power <= 308], low, high)
        if len(edges) - 1 <= bands or apart > 600:
            return np.array(edges)
        apart += 1


def _around(grid: Sequence[float], low: float, high: float) -> list[float]:
    """Return the part of a grid that holds the numbers between two."""
    first = max((place for place, edge in enumerate(grid) if edge <= low), default=0)
    last = min((place for place, edge in enumerate(grid) if edge > high), default=len(grid) - 1)
    return list(grid[first : last + 1])


def parting_number(below: float, above: float) -> float:
    """Return the number with the fewest digits above one number and not above another: an edge that is nobody's value.

    Examples
    --------
    >>> parting_number(51_987.21, 53_012.4), parting_number(14.0, 15.0), parting_number(-3.2, 7.0)
    (52000.0, 15.0, 0.0)
    """
    if below < 0.0 <= above:
        return 0.0
    if above < 0.0:  # of negative numbers the same, the other way round, and the end that belongs exchanged
        return -_shortest(-above, -below, upper=False)
    return _shortest(below, above, upper=True)


def _shortest(low: float, high: float, *, upper: bool) -> float:
    """Return the shortest decimal in (low, high], or in [low, high) where the upper end does not belong."""
    power = math.ceil(math.log10(high)) if high > 0 else 0
    for decimals in range(-power, 330):
        step = 10.0**-decimals
        first = math.floor(low / step)
        # A quotient may be off by its last bit: 14.2 / 0.1 is below 142, and its next multiple 14.2 itself.
        for number in (float(f"{first + more}e{-decimals}") for more in range(3)):
            if (low < number <= high) if upper else (low <= number < high):
                return number
        if decimals > 17 - power:
            break
    return high if upper else low
