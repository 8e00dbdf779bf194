"""The bands of a rule that needs no more of a column than between what its numbers lie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.data.scales import Moment, Numeric
from discreet.data.scales.calendar_unit import CalendarUnit, UnitName
from discreet.errors import ParameterError
from discreet.masking.recoding.band_names import Bands
from discreet.masking.recoding.band_rule import (
    MOST_BANDS,
    BandRule,
    even_edges,
    log_edges,
    nice_edges,
    width_edges,
)

__all__ = ["rule_bands"]

_UNITS: tuple[UnitName, ...] = ("month", "quarter", "year", "decade")


def rule_bands(
    owner: str, name: str, rule: BandRule, scale: Numeric, reach: tuple[float, float], *, whole: bool
) -> Bands:
    """Return the bands of a rule for numbers between two: breaks, a width, or equal, nice or logarithmic bands.

    Parameters
    ----------
    owner, name : str
        For messages: who asks, and for which column.
    rule : BandRule
    scale : Numeric
    reach : tuple of float
        The least and the greatest number.
    whole : bool
        Whether all numbers are whole.

    Examples
    --------
    >>> rule_bands("Banding", "age", BandRule.of("nice:4"), Numeric(), (17, 90), whole=True).edges
    (0.0, 50.0, 100.0)
    """
    edges = rule.numbers(owner, name, scale)
    if rule.kind == "breaks":
        return Bands(tuple(edges), rule.low_open, rule.high_open, closed=not rule.high_open)
    if isinstance(scale, Moment):
        return _calendar(owner, name, rule, scale, reach)
    if rule.kind in ("count", "optimal"):
        raise ParameterError(f"{owner}: {rule.kind} bands of {name} need the records of a column.")
    if rule.kind == "log" and reach[0] <= 0:
        raise ParameterError(f"{owner}: numbers of 0 or less have no logarithm; those of {name} must be above 0.")
    return _stepped(owner, name, rule, reach, edges, whole=whole)


def _stepped(
    owner: str, name: str, rule: BandRule, reach: tuple[float, float], ends: Sequence[float], *, whole: bool
) -> Bands:
    number = int(rule.number)
    if rule.kind == "width":
        low, high = ends[0] if rule.low_open else None, ends[-1] if rule.high_open else None
        edges = width_edges(*reach, rule.number, (low, high))
    elif rule.kind == "equal":
        edges = even_edges(*reach, number, whole=whole)
    elif rule.kind == "nice":
        edges = nice_edges(*reach, number, whole=whole)
    else:
        edges = log_edges(*reach, number)
    if edges.size - 1 > MOST_BANDS:
        raise ParameterError(
            f"{owner}: {name!r} would have more than {MOST_BANDS} bands.", hint="Make them wider, or open the ends."
        )
    return Bands(tuple(edges.tolist()), rule.low_open, rule.high_open)


def _calendar(owner: str, name: str, rule: BandRule, scale: Moment, reach: tuple[float, float]) -> Bands:
    """Return months, quarters, years or decades, the finest of which there are no more than asked for."""
    if rule.kind != "nice":
        raise ParameterError(
            f"{owner}: bands of {name!r}, which is {scale.name}, are breaks, or found by nice, count or optimal; "
            f"not by {rule.kind}.",
            hint="nice:10 takes months, quarters, years or decades; date-coarsening takes the one you name.",
        )
    days = scale.days(np.array(reach))
    for unit in (CalendarUnit(one) for one in _UNITS):
        first, last = unit.numbers(days).tolist()
        if last - first < rule.number or unit.name == _UNITS[-1]:
            break
    return Bands(tuple(scale.of_days(unit.first_days(np.arange(first, last + 2))).tolist()))
