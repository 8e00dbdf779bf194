"""The sample of meters."""

from __future__ import annotations

import numpy as np

import discreet as dc


def test_readings_have_one_decimal_and_ways_to_live_show():
    meters = dc.datasets.loads(600, 3)
    loads = np.array(meters.column("LOAD").to_pylist())
    assert loads.shape == (600, 24)
    assert (loads >= 0).all()
    assert np.array_equal(loads, np.round(loads, 1))
    assert loads[:, 19].mean() > 2 * loads[:, 4].mean()
    assert 0 < (loads[:, 1:5].min(axis=1) > 7).sum() < 20  # cars are few
    assert meters.column("LOAD").to_pylist() == dc.datasets.loads(600, 3).column("LOAD").to_pylist()
