"""Places on the earth against spherical trigonometry done another way: vectors in space."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.data.sphere import METRES_OF_DEGREE, cell_centres, displaced, place_numbers

RADIUS = 6_371_008.8
CITIES = np.array([[48.2082, 16.3738], [-33.8688, 151.2093], [64.1466, -21.9426], [0.0, 179.9999], [-0.5, -179.5]])


def vector(latitude, longitude):
    phi, lam = np.radians(latitude), np.radians(longitude)
    return np.array([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])


def metres_between(one, other):
    """The arc between two unit vectors."""
    return RADIUS * np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other)


def test_a_degree_of_the_earth_is_111_kilometres():
    assert round(METRES_OF_DEGREE, 2) == 111_195.08


@pytest.mark.parametrize("bearing", [0.0, 0.7, np.pi / 2, 3.0, 5.5])
@pytest.mark.parametrize("metres", [0.5, 800.0, 2_000_000.0])
def test_a_displaced_place_lies_so_far_away_in_that_direction(bearing, metres):
    north, east = displaced(
        CITIES[:, 0], CITIES[:, 1], np.full(5, metres), np.full(5, bearing), degrees=True
    )  # fmt: skip
    assert ((east >= -180) & (east < 180)).all()
    for (latitude, longitude), *place in zip(CITIES, north, east, strict=True):
        here, there = vector(latitude, longitude), vector(*place)
        assert metres_between(here, there) == pytest.approx(metres, rel=1e-6, abs=1e-3)
        # The first step of the way, in the plane that touches the earth: northwards and eastwards.
        way = there - (here @ there) * here
        way /= np.linalg.norm(way)
        phi, lam = np.radians(latitude), np.radians(longitude)
        to_north = np.array([-np.sin(phi) * np.cos(lam), -np.sin(phi) * np.sin(lam), np.cos(phi)])
        to_east = np.array([-np.sin(lam), np.cos(lam), 0.0])
        assert (way @ to_north, way @ to_east) == pytest.approx((np.cos(bearing), np.sin(bearing)), abs=1e-6)


def test_on_a_plane_it_is_pythagoras():
    north, east = displaced(
        np.array([10.0]), np.array([20.0]), np.array([5.0]), np.array([np.arctan2(3, 4)]), degrees=False
    )
    assert (north[0], east[0]) == pytest.approx((14.0, 23.0))


def test_cells_of_a_plane():
    north, east = cell_centres(np.array([0.0, 9.9, 10.0, -0.1]), np.array([5.0, -5.0, 29.9, 30.0]), 10, degrees=False)
    assert north.tolist() == [5.0, 5.0, 15.0, -5.0]
    assert east.tolist() == [5.0, -5.0, 25.0, 35.0]


@pytest.mark.parametrize("metres", [500.0, 20_000.0])
def test_cells_on_the_earth_are_squares_of_that_width_and_hold_their_places(metres):
    rng = np.random.default_rng(4)
    latitudes, longitudes = rng.uniform(-75, 75, 400), rng.uniform(-180, 180, 400)
    north, east = cell_centres(latitudes, longitudes, metres, degrees=True)
    height = metres / METRES_OF_DEGREE
    assert (np.abs(north - latitudes) <= height / 2 + 1e-6).all()
    width = metres / (METRES_OF_DEGREE * np.cos(np.radians(north)))
    assert (np.abs(east - longitudes) <= width / 2 * 1.02 + 1e-6).all()
    # Centres are centres of themselves, and a whole number of cells goes around.
    again = cell_centres(north, east, metres, degrees=True)
    assert again[0] == pytest.approx(north, abs=2e-6)
    assert again[1] == pytest.approx(east, abs=2e-6)


@pytest.mark.parametrize("metres", [30.0, 1000.0, 750_000.0])
def test_centres_on_the_earth_are_those_of_a_slow_twin_to_six_decimals(metres):
    north, east = cell_centres(CITIES[:, 0], CITIES[:, 1], metres, degrees=True)
    for (latitude, longitude), *centre in zip(CITIES.tolist(), north.tolist(), east.tolist(), strict=True):
        height = metres / (2 * math.pi * RADIUS / 360)
        middle = (latitude // height + 0.5) * height
        around = max(1, math.floor(360 * math.cos(math.radians(middle)) / height))
        place = min(around - 1, math.floor((longitude + 180) / 360 * around))
        assert centre == [round(middle, 6), round((place + 0.5) * 360 / around - 180, 6)]


def test_neither_the_poles_nor_the_date_line_cut_a_cell():
    latitudes = np.array([90.0, 89.9999999, -90.0, 10.0, 10.0])
    longitudes = np.array([13.0, -13.0, 7.0, 180.0, 179.99999])
    north, east = cell_centres(latitudes, longitudes, 50_000.0, degrees=True)
    assert (np.abs(north) <= 90).all()
    assert ((east >= -180) & (east <= 180)).all()
    assert east[3] == east[4]
    assert cell_centres(np.array([90.0]), np.array([13.0]), 1e6, degrees=True)[1].tolist() == [0.0]  # one cell around


def test_numbers_of_places_are_those_of_equal_places():
    latitudes = np.array([1.0, 2.0, 1.0, np.nan, np.nan, 0.0, -0.0])
    longitudes = np.array([2.0, 1.0, 2.0, 1.0, 1.0, 5.0, 5.0])
    numbers = place_numbers(latitudes, longitudes)
    assert (numbers >= 0).all()
    assert [np.flatnonzero(numbers == one).tolist() for one in dict.fromkeys(numbers.tolist())] == [
        [0, 2], [1], [3, 4], [5, 6],
    ]  # fmt: skip
    assert place_numbers(np.array([1.0, np.nan]), np.array([2.0, -0.5])).tolist() == [
        3806878015895107400, 379423539802351623,
    ]  # fmt: skip
    grid = np.stack(np.meshgrid(np.arange(300.0), np.arange(300.0))).reshape(2, -1)
    assert np.unique(place_numbers(*grid)).size == 90_000
