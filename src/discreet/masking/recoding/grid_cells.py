"""Coordinates released as cells of a grid."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker
from discreet.contracts.plan import Plan, Scope
from discreet.data.block import Block
from discreet.data.scales import Moment
from discreet.data.schema import Schema
from discreet.data.sphere import cell_centres
from discreet.errors import DataError, ParameterError
from discreet.parameters import Choice, Number, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.census import Extent, Extents
from discreet.statistics.question import Inquiry, Need

__all__ = ["CoordinateMasker", "GridCells"]


class CoordinateMasker(Masker):
    """What methods on coordinates share: two columns, checked at the door."""

    need: ClassVar[Need] = Need.RECORD
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    handles_missing: ClassVar[bool] = True
    replaces: ClassVar[bool] = True
    latitude: str = parameter(Text("the name of an attribute"), default="latitude", kw_only=False)
    longitude: str = parameter(Text("the name of an attribute"), default="longitude", kw_only=False)
    unit: Literal["degrees", "metres"] = parameter(Choice(("degrees", "metres")), default="degrees")

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        owner = type(self).__name__
        if self.latitude == self.longitude:
            raise ParameterError(f"{owner}: latitude and longitude must be two attributes.")
        for name in (self.latitude, self.longitude):
            scale = schema[name].scale
            if scale.kind != "numeric" or isinstance(scale, Moment):
                both = f"{self.latitude},{self.longitude}"
                raise ParameterError(
                    f"{owner}: attribute {name!r} is {scale.name}; a coordinate is numeric.",
                    hint=f"Declare both as numbers that are released: --numeric {both} --keys {both}, or in a schema.",
                )
            if schema[name].role == "identifier":
                raise ParameterError(
                    f"{owner}: attribute {name!r} is an identifier, and would be left out of the release.",
                    hint=f"Give it another role: --keys {self.latitude},{self.longitude}, or in a schema.",
                )
        return tuple(name for name in schema.names if name in (self.latitude, self.longitude))

    def _on_earth(self, scope: Scope) -> Inquiry[None]:
        """Refuse degrees that are none."""
        if self.unit != "degrees":
            return
        extent: Extent = yield Extents(scope.names)
        for name, most in ((self.latitude, 90.0), (self.longitude, 180.0)):
            reach = extent.columns[name]
            if reach.present and (reach.low < -most or reach.high > most):
                raise DataError(
                    f"{type(self).__name__}: {name!r} has values beyond ±{most:g} degrees.",
                    hint="Exchange latitude and longitude, or use unit='metres' for coordinates of a plane.",
                )


@register("grid-cells")
class GridCells(CoordinateMasker):
    """Coordinates released as the centre of the cell of a grid that they lie in.

    Keeps every place true to half a cell's diagonal; destroys where in its cell a place is.

    Parameters
    ----------
    latitude, longitude : str
        The columns of coordinates; northing and easting where they are of a plane.
    metres : float
        How wide a cell is.
    unit : {"degrees", "metres"}
        Whether coordinates are degrees of latitude and longitude, or metres of a plane.

    Notes
    -----
    O(n). Cells are about square: a row of them has one height, and as many cells as fit around the earth in its middle.
    A place of which one coordinate is missing is released without either. How many people live in a cell is not looked
    at: measure k-anonymity of the release, or merge cells.

    References
    ----------
    Curtis, Mills and Leitner (2006), Spatial confidentiality and GIS: re-engineering mortality locations from published
    maps about Hurricane Katrina.

    Examples
    --------
    >>> import polars as pl
    >>> homes = pl.DataFrame({"north": [12.0, 18.0, 103.0], "east": [27.0, 21.0, 44.0]})
    >>> GridCells("north", "east", metres=10, unit="metres").fit_transform(homes).rows()
    [(15.0, 25.0), (15.0, 25.0), (105.0, 45.0)]
    """

    iso_20889: ClassVar[str] = "generalisation"
    perturbative: ClassVar[bool] = False
    metres: float = parameter(Number(0, open_low=True), default=1000.0)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls("income", "age", metres=10, unit="metres")]

    def inquire(self, scope: Scope) -> Inquiry[Plan]:
        yield from self._on_earth(scope)
        return Plan()

    def apply(self, plan: Plan, block: Block) -> dict[str, Any]:  # noqa: ARG002 - the parameters say everything
        north, east = block.original.encoded(self.latitude), block.original.encoded(self.longitude)
        absent = np.isnan(north) | np.isnan(east)
        cells = cell_centres(north, east, self.metres, degrees=self.unit == "degrees")
        return {
            name: np.where(absent, np.nan, column)
            for name, column in zip((self.latitude, self.longitude), cells, strict=True)
        }
