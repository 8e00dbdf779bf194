"""Optima on Adult that the sources of ARX record as expected (its tests of k-anonymity and of profitability)."""

from __future__ import annotations

import numpy as np
import pytest

import discreet as dc
from discreet import models


@pytest.fixture(scope="module")
def adult(data_dir):
    return dc.read(data_dir / "arx" / "adult.csv"), data_dir / "arx"


def search(adult, without=(), **parameters):
    table, folder = adult
    keys = [name for name in table.schema.names if name not in without]
    trees = {name: folder / f"adult_hierarchy_{name}.csv" for name in keys}
    return dc.Generalisation(hierarchies=trees, attributes=keys, **parameters)


@pytest.mark.parametrize(
    ("k", "bits", "steps"),
    [(5, 407289.5388925293, [1, 2, 1, 1, 3, 2, 2, 1, 1]), (100, 453196.8932458743, [0, 4, 1, 1, 3, 2, 2, 1, 1])],
)
def test_least_bits_lost_with_nothing_suppressed(adult, k, bits, steps):
    table = adult[0]
    counts = [np.unique(table.encoded(name), return_counts=True)[1] for name in table.schema.names]
    every = sum(float((c * (np.log2(len(table)) - np.log2(c))).sum()) for c in counts)
    details = search(adult, k=k, objective="entropy").mask(table).provenance.details
    assert details["value"] * every == pytest.approx(bits, rel=1e-13)
    assert list(details["steps"].values()) == steps


def test_records_suppressed_at_steps(adult):
    lattice = search(adult, ("occupation",), k=5, suppression=1.0, budget=4320).explore(adult[0])
    place = lattice.steps.tolist().index([0, 3, 0, 0, 1, 0, 0, 0])
    assert lattice.suppressed[place] / 30162 == pytest.approx(0.1297659306, abs=5e-11)


def test_untouched_records_pay(adult):
    game = models.Profitability(benefit=1200, loss=300, gain=1200, cost=2)
    details = search(adult, ("occupation",), models=[game], objective="entropy").mask(adult[0]).provenance.details
    assert details["value"] == pytest.approx(0.0, abs=1e-12)
    assert set(details["steps"].values()) == {0}
