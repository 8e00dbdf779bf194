"""The safe harbour of the American health rules: what has to go before a file of patients is no longer one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker
from discreet.contracts.plan import Plan, Scope
from discreet.data.block import Block
from discreet.data.scales import Categorical, Moment, Ordinal
from discreet.data.scales.calendar_unit import CalendarUnit
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError, SchemaError
from discreet.masking.recoding.code_truncation import truncated_codes
from discreet.masking.recoding.date_coarsening import unit_codes, unit_labels
from discreet.masking.recoding.harbour_columns import (
    HarbourColumns,
    find_columns,
    may_tell_age,
    refuse_uncovered,
)
from discreet.masking.recoding.level_change import LevelChange
from discreet.masking.recoding.level_map import recode
from discreet.masking.recoding.population_table import Population, PopulationSource, population_by_prefix
from discreet.parameters import Integer, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.census import Extent, Extents
from discreet.statistics.question import Inquiry, Need
from discreet.typing import CodeArray, Level

__all__ = ["SafeHarbour"]

_OLD = 90
_OLDEST = f"{_OLD}+"
_FEWEST, _DIGITS, _WIDTH, _SMALL = 20_000.0, 3, 5, "000"
_YEAR = CalendarUnit("year")


@dataclass(frozen=True, kw_only=True)
class _HarbourPlan(Plan):
    """By attribute: the first year that is released, where levels go, and which ages are numbers."""

    firsts: Mapping[str, int]
    tables: Mapping[str, CodeArray]
    ages: tuple[str, ...]


@register("safe-harbour")
class SafeHarbour(Masker):
    """Identifiers out, dates to years, ages from 90 on to one class, ZIP codes to three digits: one step.

    Keeps years, ages below 90 and areas with more than 20 000 people as they are, and everything that is not named;
    destroys days and months, great ages with the years of birth that tell them, and small areas.

    Parameters
    ----------
    ages : list of str, optional
        The attributes that hold ages in years, besides those whose names say so. From 90 on they are released as "90+".
    births : list of str, optional
        The dates of birth, or years of birth as whole numbers, besides those whose names say so. Years that tell an age
        of 90 or more become one class.
    codes : list of str, optional
        The attributes that hold ZIP codes of five or nine digits, besides those whose names or levels say so.
    population : dict of str to number, or path, optional
        How many people live in an area, by its code of three or five digits; needed where there are `codes`.
    keep : list of str, optional
        Attributes that somebody looked at, and that are released as they came whatever they look like.
    reference : int, optional
        The year in which ages are reckoned; by default the latest year of all dates that are no dates of birth.

    Notes
    -----
    O(n). Every attribute on the scale of dates or times is released as its year, whatever its role, and identifiers are
    left out, as by every masker. Areas that are not in the table of people are released as "000". A year of birth that
    is 90 or more before the reference is released as "1934 or before". Missing values stay missing.

    The rule names eighteen kinds of identifiers. Names, addresses, numbers, and every area smaller than a state have to
    be declared ``role = "identifier"``: what looks like one and is not, what may be an age with values from 90 on, and
    ZIP codes without a table of people are refused, unless they are in `keep`. A note lists the attributes that are
    released as they came, to be looked at one by one. The rule also asks that nobody knows how
    the rest could identify a person: assess the release.

    References
    ----------
    45 CFR 164.514(b)(2), Standard for privacy of individually identifiable health information.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Date, Nominal, Numeric
    >>> schema = Schema([Attribute("age", Numeric(), "key"), Attribute("seen", Date(), "key")])
    >>> visits = pl.DataFrame({"age": [47, 93], "seen": ["2020-01-31", "2021-02-28"]})
    >>> SafeHarbour(ages=["age"]).mask(visits, schema).to_native().rows()
    [('47', '2020'), ('90+', '2021')]
    """

    iso_20889: ClassVar[str] = "generalisation"
    need: ClassVar[Need] = Need.RECORD
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    ages: Sequence[str] | None = parameter(Optional(Names()), default=None)
    births: Sequence[str] | None = parameter(Optional(Names()), default=None)
    codes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    population: Population | None = parameter(Optional(PopulationSource()), default=None)
    keep: Sequence[str] | None = parameter(Optional(Names()), default=None)
    reference: int | None = parameter(Optional(Integer(1)), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return []  # the batteries' table has no dates; tests/masking/test_dates_everywhere.py runs the same checks

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        given = self._given()
        if len(set(given.all)) < len(given.all) or set(given.all) & set(self.keep or ()):
            raise ParameterError(
                "SafeHarbour: an attribute can be an age, a birth, a code or one to keep, and not two of them."
            )
        for name in self.keep or ():
            schema[name]
        found = self._found(schema)
        named = found.all
        for name in named:
            if schema[name].role == "identifier" or schema[name].scale.kind == "sequence":
                raise ParameterError(f"SafeHarbour: {name!r} is an identifier or a sequence, which no rule is for.")
        for name in found.ages:
            if isinstance(schema[name].scale, Moment):
                raise ParameterError(f"SafeHarbour: ages names {name!r}, which is a {schema[name].scale.name}.")
        for name in found.births:
            scale = schema[name].scale
            if isinstance(scale, Categorical):
                raise ParameterError(
                    f"SafeHarbour: births names {name!r}, which is {scale.name}.",
                    hint='Declare it with scale = "date", or "numeric" where it holds years.',
                )
        for name in found.codes:
            if not isinstance(schema[name].scale, Categorical):
                raise ParameterError(
                    f"SafeHarbour: codes names {name!r}, which is {schema[name].scale.name}; a code is no quantity.",
                    hint='Declare it with scale = "nominal".',
                )
        if found.codes and self.population is None:
            raise ParameterError(
                f"SafeHarbour: the codes {', '.join(map(repr, found.codes))} need a population: a three-digit area is "
                "released where over 20000 people live, and as 000 elsewhere.",
                hint="Give a table with a code and a number of people a line (--set population=FILE), or leave the "
                "column out (--identifiers).",
            )
        names = tuple(
            a.name for a in schema if a.role != "identifier" and (a.name in named or isinstance(a.scale, Moment))
        )
        if not names:
            raise SchemaError(
                "SafeHarbour: there is no date, and no age, birth or code is named.",
                hint='Name them, declare dates with scale = "date", or use the method identifiers.',
            )
        refuse_uncovered(schema, names, self.keep or ())
        return names

    def _given(self) -> HarbourColumns:
        return HarbourColumns(tuple(self.ages or ()), tuple(self.births or ()), tuple(self.codes or ()))

    def _found(self, schema: Schema) -> HarbourColumns:
        return find_columns(schema, self._given(), self.keep or ())

    # ----------------------------------------------------------------------------------------------------------- plan

    def inquire(self, scope: Scope) -> Inquiry[_HarbourPlan]:
        schema, found = scope.schema, self._found(scope.schema)
        numbers = tuple(name for name in scope.names if schema[name].scale.kind == "numeric")
        others = tuple(name for name in schema.of_scale("numeric") if self._is_looked_at(schema[name], scope.names))
        extent: Extent = yield Extents((*numbers, *others))
        uncovered = [name for name in others if may_tell_age(schema[name], extent.columns[name])]
        if uncovered:
            raise ParameterError(
                f"SafeHarbour: {', '.join(map(repr, uncovered))} may hold ages, some of them 90 or more, or years of "
                "birth, and would be released as it came.",
                hint="Name it in ages or births; or, where it is neither, in keep.",
            )
        reference = self._reference(schema, extent, found)
        declared, firsts = [], {}
        changes: dict[str, LevelChange] = {}
        for name in scope.names:
            attribute = schema[name]
            if name in found.codes:
                changes[name] = recode(attribute, self._areas(attribute))
            elif name in found.ages and isinstance(attribute.scale, Categorical):
                changes[name] = recode(attribute, _age_classes(attribute))
            elif name in found.ages:
                if extent.columns[name].low < 0:
                    raise DataError(f"SafeHarbour: {name!r} has ages below 0.", hint="List them as missing codes.")
                levels = (*(str(age) for age in range(_OLD)), _OLDEST)
                declared.append(_with_levels(attribute, levels))
            else:
                years, firsts[name] = self._years(attribute, extent, reference if name in found.births else None)
                declared.append(years)
        declared += [change.attribute for change in changes.values() if change.attribute is not None]
        details = {} if reference is None else {"reference": reference}
        return _HarbourPlan(
            attributes=tuple(declared),
            transitions={name: change.transitions for name, change in changes.items()},
            firsts=firsts,
            tables={name: change.table for name, change in changes.items()},
            ages=tuple(name for name in found.ages if name in numbers),
            details=details,
            notes=self._notes(schema, scope.names, found),
        )

    def _is_looked_at(self, attribute: Attribute, names: tuple[str, ...]) -> bool:
        """Say whether nothing covers a column of numbers, and nobody said that it is to be kept."""
        hidden = attribute.role in ("identifier", "weight")
        return not hidden and attribute.name not in names and attribute.name not in (self.keep or ())

    def _reference(self, schema: Schema, extent: Extent, found: HarbourColumns) -> int | None:
        """Return the year in which ages are reckoned, or None where nothing depends on it."""
        if self.reference is not None or not found.births:
            return self.reference
        latest = [
            _year(schema[name], reach.high)
            for name, reach in extent.columns.items()
            if name not in found.births and isinstance(schema[name].scale, Moment) and reach.present
        ]
        if not latest:
            raise ParameterError(
                "SafeHarbour: reference is needed: without another date nothing tells how old people are.",
                hint="Give the year in which the file was made.",
            )
        return max(latest)

    def _years(self, attribute: Attribute, extent: Extent, reference: int | None) -> tuple[Attribute, int]:
        """Return the declaration of years, and the first one."""
        reach = extent.columns[attribute.name]
        if isinstance(attribute.scale, Moment):
            years, first = unit_labels(attribute, _YEAR, reach.low, reach.high)
        elif not reach.present:
            years, first = _with_levels(attribute, ("",)), 0
        else:
            first = int(np.floor(reach.low))
            years = _with_levels(attribute, tuple(str(year) for year in range(first, int(np.floor(reach.high)) + 1)))
        if reference is None or not reach.present:
            return years, first
        old = reference - _OLD
        if first > old:
            return years, first
        levels = years.scale.levels  # type: ignore[attr-defined]
        return _with_levels(attribute, (f"{old} or before", *levels[old - first + 1 :])), old

    def _areas(self, attribute: Attribute) -> list[Level]:
        """Return the area of every ZIP code; one of up to nine digits may have lost the zeros before it."""
        people = population_by_prefix(self.population or {}, _DIGITS)
        result: list[Level] = []
        for level in attribute.scale.levels:  # type: ignore[attr-defined]
            text = str(level).strip().replace("-", "")
            width = _WIDTH if len(text) <= _WIDTH else _WIDTH + 4
            result += truncated_codes([text], _DIGITS, width, people, _FEWEST, _SMALL)
        return result

    def _notes(self, schema: Schema, names: tuple[str, ...], found: HarbourColumns) -> tuple[str, ...]:
        unnamed = [
            f"{rule}: {', '.join(name for name in columns if name not in given)}"
            for rule, columns, given in zip(("ages", "births", "codes"), found, self._given(), strict=True)
            if set(columns) - set(given)
        ]
        told = (f"Found by their names and levels: {'; '.join(unnamed)}.",) if unnamed else ()
        as_they_came = [a.name for a in schema if a.role != "identifier" and a.name not in names]
        note = (
            f"Attributes that the safe harbour releases as they came ({len(as_they_came)}): {', '.join(as_they_came)}. "
            "Look at each: names, contacts, numbers and areas smaller than a state must be declared identifiers."
        )
        return (*told, note) if as_they_came else told

    # ---------------------------------------------------------------------------------------------------------- apply

    def apply(self, plan: _HarbourPlan, block: Block) -> dict[str, Any]:
        table = block.original
        values: dict[str, Any] = {name: codes[table.encoded(name)] for name, codes in plan.tables.items()}
        for name in plan.ages:
            ages = table.encoded(name)
            values[name] = unit_codes(np.floor(np.clip(ages, 0, _OLD)), ages)
        for name, first in plan.firsts.items():
            scale, encoded = table.schema[name].scale, table.encoded(name)
            years = _YEAR.numbers(scale.days(encoded)) if isinstance(scale, Moment) else np.floor(encoded)
            values[name] = unit_codes(np.maximum(years - first, 0), encoded)
        return values


def _year(attribute: Attribute, encoded: float) -> int:
    scale = attribute.scale
    assert isinstance(scale, Moment)  # noqa: S101 - for the type checker
    return int(_YEAR.numbers(scale.days(np.array([encoded])))[0])


def _with_levels(attribute: Attribute, levels: tuple[str, ...]) -> Attribute:
    missing = tuple(code for code in attribute.missing if code not in levels)
    return replace(attribute, scale=Ordinal(levels), missing=missing)


def _age_classes(attribute: Attribute) -> list[Level]:
    """Return the class of every age that is declared as a level."""
    levels = attribute.scale.levels  # type: ignore[attr-defined]
    numbers = [_whole(level) for level in levels]
    unread = sum(number is None for number in numbers)
    if unread:
        raise ParameterError(
            f"SafeHarbour: {unread} of {len(levels)} levels of {attribute.name!r} are no ages in years.",
            hint="Declare it numeric, or recode its levels first so that ages from 90 on are one class.",
        )
    return [_OLDEST if number is not None and number >= _OLD else str(number) for number in numbers]


def _whole(level: Level) -> int | None:
    try:
        return int(float(level))
    except (TypeError, ValueError):
        return None
