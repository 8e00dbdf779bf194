"""The sample of days in town."""

from __future__ import annotations

import numpy as np
import pytest

import discreet as dc
from discreet.datasets.trips import trips_points


def test_people_leave_home_and_come_back():
    phones = dc.datasets.trips(200, 3)
    scale = phones.schema["WAY"].scale
    places = scale.places(phones.encoded("WAY"))
    starts, ends = places.offsets[:-1], places.offsets[1:] - 1
    away = scale.apart(places.points[(starts + ends) // 2], places.points[starts])
    home = scale.apart(places.points[ends], places.points[starts])
    assert np.median(home) < 200 < 1500 < np.median(away)
    assert phones.column("WAY").to_pylist() == dc.datasets.trips(200, 3).column("WAY").to_pylist()


def test_a_seed_names_the_days():
    times, latitude, longitude, offsets = trips_points(600, 20)
    places = np.arange(1, times.size + 1)
    assert (times.size, places @ times, offsets @ np.arange(601)) == (17714, 7906028803560, 2133988789)
    moved = places @ (latitude - 48.2082), places @ (longitude - 16.3738)
    assert moved == pytest.approx((-1091346.02897, 59077.57309), rel=1e-7)
    assert times.min() >= 6 * 3600
    assert times.max() < 22 * 3600
    phones = dc.datasets.trips(600, 20)
    assert phones.column("PHONE").to_pylist() == list(range(1, 601))
    way = phones.column("WAY").to_pylist()[1]
    first = offsets[1]
    assert len(way) == offsets[2] - first
    assert way[0] == f"{times[first]},{latitude[first]:.5f},{longitude[first]:.5f}"
