"""Coordinates become the centres of their cells, both or neither, and what is no coordinate is refused."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.data.sphere import METRES_OF_DEGREE
from discreet.errors import DataError, ParameterError
from discreet.masking.recoding.grid_cells import GridCells

PLANE = {"unit": "metres", "metres": 10.0}


def released(masker, **columns):
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in columns])
    frame = pl.DataFrame(columns, schema_overrides=dict.fromkeys(columns, pl.Float64))
    return masker.mask(frame, schema).microdata


def both(masker, north, east):
    table = released(masker, latitude=north, longitude=east)
    return list(zip(*(table.column(name).to_pylist() for name in ("latitude", "longitude")), strict=True))


def test_a_plane_is_cut_into_squares():
    # What lies on a border belongs to the cell above it; below zero cells go on as they are.
    found = both(GridCells(**PLANE), [0.0, 9.9, 10.0, -0.1, -10.0, 27.0], [5.0, 10.0, -10.1, 0.0, 19.9, 20.0])
    assert found == [(5, 5), (5, 15), (15, -15), (-5, 5), (-5, 15), (25, 25)]


def test_a_place_of_which_one_coordinate_is_missing_is_released_without_either():
    found = both(GridCells(**PLANE), [1.0, None, 3.0, None], [1.0, 2.0, None, None])
    assert found == [(5, 5), (None, None), (None, None), (None, None)]


def test_cells_of_the_earth_are_about_square():
    north, east = [48.2082, -33.9, 0.0, 89.99], [16.3738, 151.2, -180.0, 180.0]
    height = 1000 / METRES_OF_DEGREE
    for (lat, lon), centre in zip(zip(north, east, strict=True), both(GridCells(), north, east), strict=True):
        middle = (math.floor(lat / height) + 0.5) * height
        around = max(math.floor(360 * math.cos(math.radians(middle)) / height), 1)
        width = 360 / around
        cell = min(math.floor((lon + 180) / width), around - 1)
        assert centre == pytest.approx((middle, (cell + 0.5) * width - 180), abs=2e-6)
    assert GridCells().metres == 1000.0


def test_columns_have_other_names_and_the_others_stay():
    table = released(GridCells("y", "x", **PLANE), x=[1.0, 12.0], wage=[1.0, 2.0], y=[33.0, 4.0])
    assert [table.column(name).to_pylist() for name in ("x", "wage", "y")] == [[5, 15], [1, 2], [35, 5]]
    masker = GridCells("y", "x", **PLANE)
    assert masker.columns_for(table.schema) == ("x", "y")


@pytest.mark.parametrize(("north", "east", "which"), [
    (90.0, 180.0, None), (-90.0, -180.0, None), (90.01, 0.0, "latitude"), (-90.01, 0.0, "latitude"),
    (0.0, 180.01, "longitude"), (0.0, -180.01, "longitude"), (None, None, None), (0.0, 170.0, None),
])  # fmt: skip
def test_degrees_that_are_none_are_refused(north, east, which):
    masker = GridCells()
    if which is None:
        both(masker, [north, 1.0], [east, 1.0])
        return
    most = {"latitude": 90, "longitude": 180}[which]
    with pytest.raises(DataError, match=f"GridCells: '{which}' has values beyond ±{most} degrees") as told:
        both(masker, [north, 1.0], [east, 1.0])
    assert "Exchange latitude and longitude" in str(told.value)
    assert "0.01" not in str(told.value)
    both(GridCells(**PLANE), [north, 1.0], [east, 1.0])  # of a plane they are as good as any


def test_a_column_without_a_value_is_no_reason_to_refuse():
    assert both(GridCells(), [None, None], [1.0, 2.0]) == [(None, None)] * 2


@pytest.mark.parametrize(("scale", "role", "words"), [
    (dc.Nominal(["a", "b"]), "key", "'longitude' is nominal; a coordinate is numeric"),
    (dc.Date(), "key", "'longitude' is date; a coordinate is numeric"),
    (dc.Numeric(), "identifier", "'longitude' is an identifier, and would be left out"),
])  # fmt: skip
def test_what_is_no_coordinate_is_refused(scale, role, words):
    schema = dc.Schema([dc.Attribute("latitude", dc.Numeric(), "key"), dc.Attribute("longitude", scale, role)])
    with pytest.raises(ParameterError, match=words) as told:
        GridCells().columns_for(schema)
    assert "--keys latitude,longitude" in str(told.value)


def test_two_coordinates_are_two_columns():
    schema = dc.Schema([dc.Attribute("latitude", dc.Numeric(), "key")])
    with pytest.raises(ParameterError, match="must be two attributes"):
        GridCells("latitude", "latitude").columns_for(schema)


def test_nothing_is_lost_beyond_half_a_diagonal():
    rng = np.random.default_rng(4)
    north, east = rng.uniform(-500, 500, 200), rng.uniform(-500, 500, 200)
    found = np.array(both(GridCells(unit="metres", metres=7.0), north.tolist(), east.tolist()))
    assert np.hypot(found[:, 0] - north, found[:, 1] - east).max() <= 7 / math.sqrt(2) + 1e-9
    assert np.abs(found / 7 % 1 - 0.5).max() < 1e-9
