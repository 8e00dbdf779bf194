"""The sample of days in town."""

from __future__ import annotations

import numpy as np

import discreet as dc


def test_people_leave_home_and_come_back():
    phones = dc.datasets.trips(200, 3)
    scale = phones.schema["WAY"].scale
    places = scale.places(phones.encoded("WAY"))
    starts, ends = places.offsets[:-1], places.offsets[1:] - 1
    away = scale.apart(places.points[(starts + ends) // 2], places.points[starts])
    home = scale.apart(places.points[ends], places.points[starts])
    assert np.median(home) < 200 < 1500 < np.median(away)
    assert phones.column("WAY").to_pylist() == dc.datasets.trips(200, 3).column("WAY").to_pylist()
