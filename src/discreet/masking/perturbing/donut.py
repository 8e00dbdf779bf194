"""Coordinates moved to a place in a ring around them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.plan import OfTable, Plan, Scope
from discreet.data.block import Block
from discreet.data.keyed_draws import Draws
from discreet.data.schema import Schema
from discreet.data.sphere import METRES_OF_DEGREE, displaced, place_numbers
from discreet.errors import ParameterError
from discreet.masking.recoding.grid_cells import CoordinateMasker
from discreet.parameters import Number, Seed
from discreet.parameters.declaration import parameter
from discreet.statistics.census import Census, Counted
from discreet.statistics.question import Inquiry
from discreet.typing import RandomState

__all__ = ["DonutDisplacement"]


@dataclass(frozen=True, kw_only=True)
class _RingPlan(Plan):
    """What displacements are drawn from."""

    draws: Draws
    inner: float
    outer: float


@register("donut")
class DonutDisplacement(CoordinateMasker):
    """Every place moved in a random direction, at least `inner` and at most `outer` metres.

    Keeps where people live on the scale of the ring; destroys addresses. No place stays nearer to itself than `inner`.

    Parameters
    ----------
    latitude, longitude : str
        The columns of coordinates; northing and easting where they are of a plane.
    inner, outer : float
        The radii of the ring in metres.
    unit : {"degrees", "metres"}
        Whether coordinates are degrees of latitude and longitude, or metres of a plane.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    O(n). Places are uniform over the area of the ring. Records at exactly the same place move together: with a draw for
    each, the mean of a household's, or of a patient's visits, would be the place itself. Released coordinates go in the
    steps of the column, and the ring is drawn so much narrower that rounding does not leave it. A place of which one
    coordinate is missing is released without either. In thinly settled areas a ring may hold a single house: `outer`
    has to be chosen by how many people live there.

    References
    ----------
    Hampton, Fitch, Allshouse et al. (2010), Mapping health data: improved privacy protection with donut method
    geomasking.

    Examples
    --------
    >>> import polars as pl
    >>> homes = pl.DataFrame({"north": [1000.0, 5000.0, 9000.0], "east": [2000.5, 2100.5, 2200.5]})
    >>> moved = DonutDisplacement("north", "east", inner=50, outer=200, unit="metres", random_state=1).fit_transform(
    ...     homes
    ... )
    >>> far = np.hypot(moved["north"] - homes["north"], moved["east"] - homes["east"])
    >>> bool((far > 49).all()), bool((far < 201).all())
    (True, True)
    """

    iso_20889: ClassVar[str] = "randomisation: noise addition"
    makes_numbers: ClassVar[bool] = True
    inner: float = parameter(Number(0), default=100.0)
    outer: float = parameter(Number(0, open_low=True), default=1000.0)
    random_state: RandomState = parameter(Seed(), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls("income", "age", inner=5, outer=50, unit="metres")]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        if self.inner >= self.outer:
            raise ParameterError(
                f"DonutDisplacement: inner must be less than outer; got {self.inner:g} and {self.outer:g}."
            )
        return super().columns_for(schema)

    def inquire(self, scope: Scope) -> Inquiry[_RingPlan]:
        yield from self._on_earth(scope)
        counted: Counted = yield OfTable(Census(scope.names, None, scope.names, ()))
        steps = [fine.unit or 0.0 for fine in counted.fineness.values()]
        slack = math.hypot(*steps) / 2 * (METRES_OF_DEGREE if self.unit == "degrees" else 1.0)
        outer = max(self.outer - slack, self.inner)
        inner = min(self.inner + slack, outer)
        narrow = self.outer - self.inner < 2 * slack
        note = f"The ring is narrower than a step of {self.latitude} and {self.longitude}: rounding may leave it."
        return _RingPlan(draws=scope.draws, inner=inner, outer=outer, notes=(note,) if narrow else ())

    def apply(self, plan: _RingPlan, block: Block) -> dict[str, Any]:
        north, east = block.original.encoded(self.latitude), block.original.encoded(self.longitude)
        absent = np.isnan(north) | np.isnan(east)
        draws = plan.draws.uniforms(place_numbers(north, east), 2)
        metres = np.sqrt(plan.inner**2 + draws[:, 0] * (plan.outer**2 - plan.inner**2))
        moved = displaced(north, east, metres, 2 * np.pi * draws[:, 1], degrees=self.unit == "degrees")
        return {
            name: np.where(absent, np.nan, column)
            for name, column in zip((self.latitude, self.longitude), moved, strict=True)
        }
