from __future__ import annotations

import numpy as np
import pytest

from discreet.statistics.class_sizes import SizeTable
from discreet.statistics.pitman import pitman_uniques
from discreet.statistics.population_uniqueness import UniquenessEstimates, estimate_uniqueness
from discreet.statistics.shifted_negative_binomial import shifted_negative_binomial_uniques
from discreet.statistics.zayatz import zayatz_uniques


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


@pytest.mark.parametrize(("population", "chosen"), [(700.0, "pitman"), (699.0, "zayatz"), (701.0, "pitman")])
def test_up_to_a_tenth_of_the_population_is_a_small_sample(population, chosen):
    estimates = estimate_uniqueness(table([1, 2, 5], [30, 10, 4]), population)
    assert estimates.population == population
    assert (estimates.chosen == "pitman") is (chosen == "pitman")
    assert estimates.of("dankar") == getattr(estimates, estimates.chosen)
    sizes, classes = np.array([1, 2, 5]), np.array([30, 10, 4])
    assert estimates.of("pitman") == pitman_uniques(sizes, classes, population)
    assert estimates.of("zayatz") == zayatz_uniques(sizes, classes, population)
    assert estimates.of("snb") == shifted_negative_binomial_uniques(sizes, classes, population)


def test_what_is_counted_is_told_whole():
    assert estimate_uniqueness(table([1, 2], [4, 5]), 3.0) == UniquenessEstimates(14, 4.0, 4.0, 4.0, "zayatz")
    assert estimate_uniqueness(table([2], [5]), 99.0) == UniquenessEstimates(99.0, 0.0, 0.0, 0.0, "zayatz")


@pytest.mark.parametrize(("snb", "chosen"), [(7.0, "snb"), (8.0, "snb"), (9.0, "zayatz"), (None, "zayatz")])
def test_the_smaller_of_two_is_believed(monkeypatch, snb, chosen):
    from discreet.statistics import shifted_negative_binomial, zayatz

    monkeypatch.setattr(shifted_negative_binomial, "shifted_negative_binomial_uniques", lambda *_: snb)
    monkeypatch.setattr(zayatz, "zayatz_uniques", lambda *_: 8.0)
    estimates = estimate_uniqueness(table([1, 2], [4, 5]), 20.0)
    assert (estimates.snb, estimates.zayatz, estimates.chosen) == (snb, 8.0, chosen)
    assert estimates.of("dankar") == (8.0 if chosen == "zayatz" else snb)
