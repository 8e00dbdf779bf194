"""Dates made coarser: the month, the quarter, the year, the decade, the season or the day of the week alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker
from discreet.contracts.plan import Plan, Scope
from discreet.data.block import Block
from discreet.data.scales import Moment, Nominal, Ordinal
from discreet.data.scales.calendar_unit import CYCLES, UNITS, CalendarUnit, UnitName
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError, SchemaError
from discreet.parameters import AnyOf, ByName, Choice, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.census import Extent, Extents
from discreet.statistics.question import Inquiry, Need
from discreet.typing import FloatArray, IntArray

__all__ = ["DateCoarsening", "date_columns", "unit_labels"]


def date_columns(
    owner: str, schema: Schema, attributes: Sequence[str] | None, default: Sequence[str]
) -> tuple[str, ...]:
    """Return the attributes that a method on dates masks: those that are named, or the dates of `default`."""
    for name in attributes or ():
        if not isinstance(schema[name].scale, Moment):
            raise ParameterError(
                f"{owner}: attribute {name!r} is {schema[name].scale.name}; the method masks dates and times.",
                hint='Leave it out of attributes, or declare it with scale = "date".',
            )
    names = tuple(name for name in default if isinstance(schema[name].scale, Moment))
    if attributes is not None:
        return tuple(name for name in schema.names if name in attributes)
    if not names:
        raise SchemaError(
            f"{owner}: none of the {len(default)} attributes that may be masked is a date.",
            hint='Declare dates with scale = "date" or "datetime".',
        )
    return names


def unit_labels(attribute: Attribute, unit: CalendarUnit, low: float, high: float) -> tuple[Attribute, int]:
    """Return the declaration of dates that are released as labels of a unit, and the number of the first label."""
    if unit.comes_again:
        levels, first = CYCLES[unit.name], 0
    elif low > high:  # not a single date
        levels, first = ("",), 0
    else:
        scale = attribute.scale
        assert isinstance(scale, Moment)  # noqa: S101 - for the type checker: checked at the door
        first, last = unit.numbers(scale.days(np.array([low, high]))).tolist()
        levels = tuple(unit.label(number) for number in range(first, last + 1))
    missing = tuple(code for code in attribute.missing if code not in levels)
    # The seasons of a year have no first one.
    new = Nominal(levels) if unit.name == "season" else Ordinal(levels)
    return replace(attribute, scale=new, missing=missing), first


@dataclass(frozen=True, kw_only=True)
class _UnitPlan(Plan):
    """By attribute, its unit and the number of its first label."""

    firsts: Mapping[str, int]

    def labels(self, name: str) -> int:
        """Return how many labels an attribute has."""
        return next(len(cast("Ordinal | Nominal", one.scale)) for one in self.attributes if one.name == name)


@register("date-coarsening")
class DateCoarsening(Masker):
    """Dates released as the month, quarter, year or decade they fall into, or as a season or a day of the week.

    Keeps every released value true in the coarser sense; destroys the day, and all intervals finer than the unit.

    Parameters
    ----------
    to : {"month", "quarter", "year", "decade", "season", "weekday"} or dict of str to these
        The unit, for all dates or by attribute; attributes that are not named then stay as they are.
    release : {"label", "first"}
        As a label (``2020-Q1``, an ordered category; seasons are unordered), or as the first day of the unit, which
        stays a date in the type and the format of the column. A season and a day of the week have no first day.
    attributes : list of str, optional
        What to mask; by default every key that is a date or a time.

    Notes
    -----
    O(n). Seasons are those of the north, winter from December to February. Days are those of the column's time zone.
    Labels are declared from the first to the last unit that occurs, in order. Missing values stay missing.

    References
    ----------
    Willenborg and de Waal (2001), Elements of Statistical Disclosure Control.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Date
    >>> schema = Schema([Attribute("born", Date(), "key")])
    >>> people = pl.DataFrame({"born": ["1957-12-31", "1957-02-03", "1961-05-05"]})
    >>> DateCoarsening("quarter").mask(people, schema).to_native()["born"].to_list()
    ['1957-Q4', '1957-Q1', '1961-Q2']
    >>> DateCoarsening("year", release="first").mask(people, schema).to_native()["born"].to_list()
    ['1957-01-01', '1957-01-01', '1961-01-01']
    """

    iso_20889: ClassVar[str] = "generalisation"
    need: ClassVar[Need] = Need.RECORD
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    to: UnitName | Mapping[str, UnitName] = parameter(
        AnyOf(Choice(UNITS), ByName(Choice(UNITS))), default="month", kw_only=False
    )
    release: Literal["label", "first"] = parameter(Choice(("label", "first")), default="label")
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return []  # the batteries' table has no dates; tests/masking/test_dates_everywhere.py runs the same checks

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        owner = type(self).__name__
        named = self.attributes
        if isinstance(self.to, Mapping):
            strangers = [name for name in self.to if named is not None and name not in named]
            if strangers:
                raise ParameterError(f"{owner}: to names {strangers[0]!r}, which is not masked.")
            named = list(self.to)
        names = date_columns(owner, schema, named, schema.keys)
        units = [self._unit(name) for name in names]
        again = [unit.name for unit in units if unit.comes_again]
        if again and self.release == "first":
            raise ParameterError(
                f"{owner}: release must be 'label' where dates become a {again[0]}, which has no first day."
            )
        return names

    def _unit(self, name: str) -> CalendarUnit:
        return CalendarUnit(self.to[name] if isinstance(self.to, Mapping) else self.to)

    def inquire(self, scope: Scope) -> Inquiry[_UnitPlan]:
        if self.release == "first":
            yield from ()
            return _UnitPlan(firsts={})
        extent: Extent = yield Extents(scope.names)
        declared, firsts = [], {}
        for name in scope.names:
            reach = extent.columns[name]
            attribute, firsts[name] = unit_labels(scope.schema[name], self._unit(name), reach.low, reach.high)
            declared.append(attribute)
        return _UnitPlan(attributes=tuple(declared), firsts=firsts)

    def apply(self, plan: _UnitPlan, block: Block) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name in self.columns_for(block.original.schema):
            scale, encoded = block.original.schema[name].scale, block.original.encoded(name)
            assert isinstance(scale, Moment)  # noqa: S101 - for the type checker: checked at the door
            unit = self._unit(name)
            numbers = unit.numbers(scale.days(encoded))
            if self.release == "label":
                places = unit_codes(numbers - plan.firsts[name], encoded)
                _refuse_beyond(name, places, encoded, plan.labels(name))
                values[name] = places
            else:
                values[name] = np.where(np.isnan(encoded), np.nan, scale.of_days(unit.first_days(numbers)))
        return values


def unit_codes(places: IntArray, encoded: FloatArray) -> Any:
    """Return the codes of labels; −1 where a date is missing."""
    return np.where(np.isnan(encoded), -1, places).astype(np.int32)


def _refuse_beyond(name: str, places: Any, encoded: FloatArray, labels: int) -> None:
    """Refuse dates of another table than the labels were declared for: an earlier one would look like a missing one."""
    present = ~np.isnan(encoded)
    beyond = int((present & ((places < 0) | (places >= labels))).sum())
    if beyond:
        raise DataError(
            f"DateCoarsening: {beyond} of {int(present.sum())} dates of column {name!r} lie before the first or after "
            "the last label of the table that was fitted.",
            hint='release="first" takes any date; or fit on a table that holds all records.',
        )
