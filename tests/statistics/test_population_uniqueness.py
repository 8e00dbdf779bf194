from __future__ import annotations

import numpy as np
import pytest

from discreet.statistics.class_sizes import SizeTable
from discreet.statistics.population_uniqueness import estimate_uniqueness


def table(sizes, classes):
    sizes, classes = np.array(sizes), np.array(classes)
    return SizeTable(sizes, classes, sizes * classes, 0, 0.0)


def test_small_samples_believe_pitman():
    estimates = estimate_uniqueness(table([1, 2, 5], [30, 10, 4]), 7000.0)
    assert estimates.chosen == "pitman"
    assert estimates.of("dankar") == estimates.pitman


def test_large_samples_believe_the_smaller_of_the_others():
    estimates = estimate_uniqueness(table([1, 2, 3, 4], [500, 200, 60, 15]), 2280.0)
    assert estimates.snb is not None
    assert estimates.of("dankar") == min(estimates.zayatz, estimates.snb)


def test_without_a_solution_zayatz_is_believed():
    estimates = estimate_uniqueness(table([1, 3], [30, 40]), 300.0)
    assert estimates.snb is None
    assert estimates.chosen == "zayatz"


@pytest.mark.parametrize("population", [14.0, 3.0])
def test_a_census_counts(population):
    estimates = estimate_uniqueness(table([1, 2], [4, 5]), population)
    assert [estimates.of(name) for name in ("pitman", "zayatz", "snb", "dankar")] == [4.0] * 4


def test_nobody_alone_in_the_file():
    assert estimate_uniqueness(table([2, 3], [4, 5]), 1000.0).of("dankar") == 0.0
