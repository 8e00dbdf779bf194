"""The sample of meters."""

from __future__ import annotations

import numpy as np
import pytest

import discreet as dc
from discreet.datasets.loads import loads_readings


def test_readings_have_one_decimal_and_ways_to_live_show():
    meters = dc.datasets.loads(600, 3)
    loads = np.array(meters.column("LOAD").to_pylist())
    assert loads.shape == (600, 24)
    assert (loads >= 0).all()
    assert np.array_equal(loads, np.round(loads, 1))
    assert loads[:, 19].mean() > 2 * loads[:, 4].mean()
    assert 0 < (loads[:, 1:5].min(axis=1) > 7).sum() < 20  # cars are few
    assert meters.column("LOAD").to_pylist() == dc.datasets.loads(600, 3).column("LOAD").to_pylist()


def test_a_seed_names_the_readings():
    loads, people = loads_readings(600, 20)
    places = np.arange(1, 601)
    assert (places @ loads.sum(axis=1), loads.sum(axis=0) @ np.arange(1, 25)) == pytest.approx((2296396.4, 108217.0))
    assert (people.sum(), places @ people) == (1302, 393454)
    meters = dc.datasets.loads(600, 20)
    assert meters.column("METER").to_pylist() == places.tolist()
    assert meters.column("PEOPLE").to_pylist() == people.tolist()
    assert meters.column("LOAD").to_pylist() == loads.tolist()
