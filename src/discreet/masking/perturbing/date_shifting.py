"""Dates moved by an offset that all dates of a person share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker
from discreet.contracts.plan import Plan, Scope
from discreet.data.block import Block
from discreet.data.keyed_draws import Draws
from discreet.data.scales import Moment
from discreet.data.scales.scale import hide_missing
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.masking.recoding.date_coarsening import date_columns
from discreet.parameters import Flag, Integer, Names, Optional, Seed, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Inquiry, Need
from discreet.typing import FloatArray, RandomState

__all__ = ["DateShifting"]


@dataclass(frozen=True, kw_only=True)
class _ShiftPlan(Plan):
    """What offsets are drawn from."""

    draws: Draws
    names: tuple[str, ...]


@register("date-shifting")
class DateShifting(Masker):
    """All dates of a person moved by the same number of days, drawn for every person.

    Keeps all intervals within a person, times of day and, with `keep_weekday`, days of the week; destroys when
    something happened, seasons, and intervals between persons.

    Parameters
    ----------
    days : int
        The most days by which a date is moved, either way.
    person : str, optional
        The column that says whose a record is, identifiers included. Without it every record is a person.
    least : int
        The fewest days; at least 1, so that no date stays where it was.
    keep_weekday : bool
        Move by whole weeks.
    attributes : list of str, optional
        What to mask; by default every date and time that is released: one that is left out tells the offset of all
        others of that person to whoever knows the interval.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    O(n). Offsets are uniform on the two sides and drawn by a key that follows from the seed and the original dates: the
    release, this source and the seed do not give them back without the original. Whoever knows one date of a person has
    the offset of that person, and of nobody else. Dates near the ends of a study move beyond it and tell a bound of
    their offset, so study periods should be long beside `days`. A record without a person gets an offset of its own.
    Missing values stay missing.

    References
    ----------
    Hripcsak, Mirhaji, Low and Malin (2016), Preserving temporal relations in clinical data while maintaining privacy.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Date, Nominal
    >>> from discreet.data.schema import Attribute
    >>> schema = Schema([Attribute("who", Nominal(("",)), "identifier"), Attribute("seen", Date(), "key")])
    >>> visits = pl.DataFrame({"who": ["a", "b", "a"], "seen": ["2020-01-01", "2020-01-01", "2020-01-31"]})
    >>> seen = DateShifting(180, person="who", random_state=1).mask(visits, schema).microdata.encoded("seen")
    >>> float(seen[2] - seen[0]), bool(seen[0] == seen[1])
    (30.0, False)
    """

    iso_20889: ClassVar[str] = "randomisation: noise addition"
    need: ClassVar[Need] = Need.RECORD
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    handles_missing: ClassVar[bool] = True
    days: int = parameter(Integer(1), default=365, kw_only=False)
    person: str | None = parameter(Optional(Text("the name of an attribute")), default=None)
    least: int = parameter(Integer(1), default=1)
    keep_weekday: bool = parameter(Flag(), default=False)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    random_state: RandomState = parameter(Seed(), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return []  # the batteries' table has no dates; tests/masking/test_dates_everywhere.py runs the same checks

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        owner = type(self).__name__
        if self.person is not None and schema[self.person].scale.kind == "sequence":
            raise ParameterError(f"{owner}: person must not name a sequence; {self.person!r} is one.")
        if self._steps < 1:
            raise ParameterError(
                f"{owner}: days must leave an offset of at least {self.least} days"
                f"{' in whole weeks' if self.keep_weekday else ''}; got {self.days}."
            )
        released = [name for name in schema.names if schema[name].role != "identifier" and name != self.person]
        return date_columns(owner, schema, self.attributes, released)

    @property
    def _steps(self) -> int:
        """How many offsets there are on either side."""
        step = 7 if self.keep_weekday else 1
        return self.days // step - (self.least - 1) // step

    def inquire(self, scope: Scope) -> Inquiry[_ShiftPlan]:
        apart = [a.name for a in scope.schema if isinstance(a.scale, Moment) and a.name not in scope.names]
        apart = [name for name in apart if scope.schema[name].role != "identifier" and name != self.person]
        note = (
            f"Dates that were not moved ({len(apart)}: {', '.join(apart)}): whoever knows how far they are from the "
            "others has the offset."
        )
        yield from ()
        return _ShiftPlan(draws=scope.draws, names=scope.names, notes=(note,) if apart else ())

    def apply(self, plan: _ShiftPlan, block: Block) -> dict[str, Any]:
        offsets = self._offsets(plan, block)
        values: dict[str, Any] = {}
        for name in plan.names:
            scale = block.original.schema[name].scale
            assert isinstance(scale, Moment)  # noqa: S101 - for the type checker: checked at the door
            values[name] = block.original.encoded(name) + offsets * (86_400_000_000 // scale.micros)
        return values

    def _offsets(self, plan: _ShiftPlan, block: Block) -> FloatArray:
        """Return the days by which every record is moved: a person's by the person, a record's by its position."""
        uniform = plan.draws.child("record").uniform(block.rows)
        if self.person is not None:
            table = block.original
            column = hide_missing(table.column(self.person), table.schema[self.person].missing)
            people = column.cast("string").dictionary_encode()
            drawn = [plan.draws.integer("person", text) / 2**62 for text in people.dictionary.to_pylist()]
            places = people.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            uniform = np.where(places < 0, uniform, np.array([*drawn, 0.0])[places])
        steps, step = self._steps, 7 if self.keep_weekday else 1
        place = np.minimum(np.floor(uniform * 2 * steps), 2 * steps - 1)
        size = (self.least - 1) // step + 1 + place % steps
        return np.where(place < steps, size, -size) * step
