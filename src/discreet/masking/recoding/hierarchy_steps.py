"""The rows of hierarchies that are built: by intervals, order, prefix, frequency, co-occurrence and dates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any, cast

import numpy as np

from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, Date, Numeric
from discreet.data.scales.calendar_unit import CalendarUnit, UnitName
from discreet.errors import DataError, ParameterError
from discreet.kernels.stop import heed_stop
from discreet.masking.recoding.band_names import band_names
from discreet.masking.recoding.band_rule import BandRule
from discreet.masking.recoding.rare_levels import rarest_levels
from discreet.masking.recoding.stepped_bands import rule_bands
from discreet.typing import FloatArray, IntArray, Level

__all__ = [
    "UNITS_IN_ORDER",
    "cooccurrence_rows",
    "date_rows",
    "frequency_rows",
    "interval_rows",
    "number_text",
    "order_rows",
    "prefix_rows",
]

Rows = list[tuple[str, ...]]

UNITS_IN_ORDER: tuple[UnitName, ...] = ("month", "quarter", "year", "decade")
_MOST_LEVELS = 2_000
_EIGHTHS = 8


def number_text(number: float) -> str:
    """Return a number as a level is written: 5, not 5.0."""
    return str(int(number)) if float(number).is_integer() else str(float(number))


def interval_rows(numbers: Iterable[float], steps: Sequence[Any]) -> Rows:
    """Return numbers with the bands they lie in, one a step."""
    values = np.unique(np.array([float(number) for number in numbers]))
    if not values.size or not np.isfinite(values).all():
        raise ParameterError("Hierarchy: numbers must be a list of finite numbers.")
    _refuse_none(steps)
    whole = bool((values == np.floor(values)).all())
    columns = [[number_text(value) for value in values.tolist()]]
    for place, step in enumerate(steps, 1):
        try:
            rule = BandRule.of(f"width:{step}" if isinstance(step, (int, float)) else step)
        except ValueError:
            raise ParameterError(f"Hierarchy: step {place} must be a width, breaks, or a rule for bands.") from None
        bands = rule_bands("Hierarchy", f"step {place}", rule, Numeric(), (values[0], values[-1]), whole=whole)
        places = bands.places(values)
        outside = int((places < 0).sum())
        if outside:
            raise ParameterError(
                f"Hierarchy: {outside} of {values.size} numbers lie outside of the breaks of step {place}.",
                hint="Open the ends: <15 and 75+.",
            )
        names = band_names(bands, Numeric(), whole=whole)
        columns.append([names[code] for code in places])
    return _rows(columns)


def order_rows(levels: Iterable[Level], sizes: Sequence[int]) -> Rows:
    """Return levels with the run of neighbours they belong to, one a step."""
    names = _levels(levels)
    _refuse_none(sizes)
    if any(size < 2 for size in sizes) or any(b % a or a >= b for a, b in pairwise(sizes)):
        raise ParameterError(
            "Hierarchy: sizes must be whole numbers of at least 2, each a multiple of the one before it.", hint="[2, 4]"
        )
    columns = [names]
    for size in sizes:
        runs = [names[start : start + size] for start in range(0, len(names), size)]
        columns.append([_run_name(runs[place // size]) for place in range(len(names))])
    return _rows(columns)


def _run_name(run: Sequence[str]) -> str:
    return run[0] if len(run) == 1 else f"{run[0]}–{run[-1]}"


def prefix_rows(
    codes: Iterable[Level], digits: Sequence[int] | None, mask: str, width: int | None, *, from_left: bool
) -> Rows:
    """Return codes with ever fewer of their characters."""
    names = _levels(codes)
    padded = [name.zfill(width) if width is not None else name for name in names]
    longest = max(len(name) for name in padded)
    kept = list(range(longest - 1, 0, -1)) if digits is None else list(digits)
    if any(count < 0 for count in kept) or any(a <= b for a, b in pairwise(kept)):
        raise ParameterError("Hierarchy: digits must descend, and none may be below 0.", hint="[3, 2, 1]")
    columns = [names]
    for count in kept:
        if from_left:
            cut = [mask * max(len(code) - count, 0) + code[max(len(code) - count, 0) :] for code in padded]
        else:
            cut = [code[:count] + mask * max(len(code) - count, 0) for code in padded]
        columns.append([code or "*" for code in cut])
    return _rows(columns)


def frequency_rows(counts: Mapping[Level, float], min_counts: Sequence[int], category: str) -> Rows:
    """Return levels with the category that the rarer ones are joined to."""
    names = _levels(counts)
    _refuse_none(min_counts)
    if any(count < 2 for count in min_counts) or any(a >= b for a, b in pairwise(min_counts)):
        raise ParameterError("Hierarchy: min_counts must ascend, from 2 or more.", hint="[5, 50]")
    times = np.array([float(count) for count in counts.values()])
    host = names.index(category) if category in names else None
    columns = [names]
    for least in min_counts:
        rare = set(rarest_levels(times, least, host).tolist())
        columns.append([category if place in rare else name for place, name in enumerate(names)])
    return _rows(columns)


def date_rows(dates: Iterable[str | date], units: Sequence[str]) -> Rows:
    """Return days with the months, quarters, years or decades they belong to."""
    texts = list(dict.fromkeys(day.isoformat() if isinstance(day, date) else str(day) for day in dates))
    _refuse_none(units)
    places = [UNITS_IN_ORDER.index(unit) if unit in UNITS_IN_ORDER else -1 for unit in units]
    if -1 in places or any(a >= b for a, b in pairwise(places)):
        raise ParameterError(
            f"Hierarchy: units must be some of {', '.join(UNITS_IN_ORDER)}, in this order; seasons and days of the "
            "week are no part of a year."
        )
    if not texts:
        raise ParameterError("Hierarchy: there are no dates.")
    try:
        encoded = Date().encode(texts)
    except DataError as error:
        raise ParameterError(f"Hierarchy: {error.message}", hint=error.hint) from None
    calendar = [CalendarUnit(UNITS_IN_ORDER[place]) for place in places]
    labels = [[unit.label(number) for number in unit.numbers(encoded).tolist()] for unit in calendar]
    return _rows([texts, *labels])


# ---------------------------------------------------------------------------------------------------- co-occurrence


def cooccurrence_rows(data: Microdata, column: str, groups: Sequence[int], beside: Sequence[str] | None) -> Rows:
    """Return levels with the groups of levels that occur alike."""
    scale = data.schema[column].scale
    if not isinstance(scale, Categorical):
        raise ParameterError(f"Hierarchy: attribute {column!r} is {scale.kind}; it has no levels.")
    names = _levels(scale.levels)
    _refuse_none(groups)
    if any(count < 1 for count in groups) or any(a <= b for a, b in pairwise(groups)):
        raise ParameterError("Hierarchy: groups must descend.", hint="[8, 4, 2]")
    if len(names) > _MOST_LEVELS:
        raise ParameterError(f"Hierarchy: {column!r} has {len(names)} levels; up to {_MOST_LEVELS} are compared.")
    others = [name for name in data.schema.keys if name != column] if beside is None else list(beside)
    tables = [_table(data, column, len(names), name) for name in others if data.schema[name].scale.kind != "sequence"]
    if not tables or column in others:
        raise ParameterError(
            f"Hierarchy: levels of {column!r} are compared by other attributes, and there is none.",
            hint="Name some in beside.",
        )
    columns = [names]
    labels = _merged(np.hstack(tables), [table.shape[1] for table in tables], groups)
    for place in range(len(groups)):
        members: dict[int, list[str]] = {}
        for name, label in zip(names, labels[place].tolist(), strict=True):
            members.setdefault(label, []).append(name)
        columns.append([_group_name(members[label]) for label in labels[place].tolist()])
    return _rows(columns)


def _group_name(members: Sequence[str]) -> str:
    return " | ".join(members) if len(members) <= 3 else f"{members[0]} +{len(members) - 1}"


def _table(data: Microdata, column: str, size: int, name: str) -> FloatArray:
    """Count the levels of a column by the values of another; numbers by eighths, and missing ones by themselves."""
    levels, values = data.encoded(column), data.encoded(name)
    if values.dtype.kind == "f":
        present = values[~np.isnan(values)]
        cuts = np.unique(np.quantile(present, np.arange(1, _EIGHTHS) / _EIGHTHS)) if present.size else np.zeros(0)
        codes: IntArray = np.where(np.isnan(values), -1, np.searchsorted(cuts, values, side="right")).astype(np.int64)
        width = cuts.size + 2
    else:
        codes, width = values.astype(np.int64), len(cast("Categorical", data.schema[name].scale)) + 1
    held = levels >= 0
    cells = levels[held].astype(np.int64) * width + codes[held] % width
    return np.bincount(cells, minlength=size * width).reshape(size, width).astype(np.float64)


def _merged(counts: FloatArray, widths: Sequence[int], wanted: Sequence[int]) -> IntArray:
    """Join two groups at a time, those that lose the least information, and return the groups when so many are left."""
    size = counts.shape[0]
    tables, alive = counts.copy(), np.ones(size, dtype=np.bool_)
    labels = np.arange(size)
    attributes = len(widths)

    def information(rows: FloatArray) -> FloatArray:
        totals = rows.sum(axis=-1) / attributes
        logs = np.where(rows > 0, rows * np.log(np.where(rows > 0, rows, 1.0)), 0.0).sum(axis=-1)
        return np.asarray(logs - attributes * np.where(totals > 0, totals * np.log(np.where(totals > 0, totals, 1)), 0))

    own = information(tables)
    costs = np.full((size, size), np.inf)
    for row in range(size - 1):
        heed_stop()
        costs[row, row + 1 :] = own[row] + own[row + 1 :] - information(tables[row] + tables[row + 1 :])
    result = np.empty((len(wanted), size), dtype=np.int64)
    left = size
    for place, target in enumerate(wanted):
        while left > target:
            heed_stop()
            keep, gone = divmod(int(np.argmin(np.round(costs, 9))), size)
            tables[keep] += tables[gone]
            alive[gone] = False
            labels[labels == gone] = keep
            costs[gone, :] = costs[:, gone] = np.inf
            own[keep] = information(tables[keep])
            for side in (np.flatnonzero(alive[:keep]), keep + 1 + np.flatnonzero(alive[keep + 1 :])):
                loss = own[keep] + own[side] - information(tables[keep] + tables[side])
                costs[np.minimum(side, keep), np.maximum(side, keep)] = loss
            left -= 1
        result[place] = labels
    return result


# ----------------------------------------------------------------------------------------------------------- shared


def _levels(levels: Iterable[Level]) -> list[str]:
    names = list(dict.fromkeys(str(level) for level in levels))
    if not names:
        raise ParameterError("Hierarchy: there are no levels.")
    return names


def _refuse_none(steps: Sequence[Any]) -> None:
    if isinstance(steps, str) or not len(steps):
        raise ParameterError("Hierarchy: there must be at least one step.")


def _rows(columns: Sequence[Sequence[str]]) -> Rows:
    return [tuple(row) for row in zip(*columns, strict=True)]
