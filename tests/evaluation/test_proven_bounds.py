"""Every claimed bound, by brute force on small files, and against every grouping found on larger ones."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.least_error import KINDS, excess, least_error, relaxation, small_file, subset_costs
from tests.reference.microaggregation import plain_least_error

from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.evaluation.certifying import certify, least_squared_error
from discreet.kernels.groups.bounds import ListedPrices
from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.pricing import squared_distances
from discreet.kernels.groups.refine import refine
from discreet.masking.microaggregation.numbers.polish import polished
from discreet.masking.microaggregation.numbers.set_partition import raise_prices

# Rounding of the twins, relative to the squared error of the whole file.
TINY = 1e-13


def squared_error(points, labels):
    return sum(float(((points[labels == g] - points[labels == g].mean(axis=0)) ** 2).sum()) for g in np.unique(labels))


def table(points):
    names = [f"x{c}" for c in range(points.shape[1])]
    schema = Schema(Attribute(name, Numeric(), "key") for name in names)
    return Microdata(pa.table(dict(zip(names, points.T, strict=True))), schema)


@pytest.mark.parametrize("n", range(4, 10))
def test_the_quick_twin_is_the_slow_one_and_larger_groups_gain_nothing(n):
    for kind in KINDS:
        for k in range(2, n // 2 + 1):
            points = small_file(kind, n, 100 + k)
            best, whole = least_error(points, k), subset_costs(points)[-1]
            assert best == pytest.approx(plain_least_error(points, k), rel=1e-9, abs=TINY * whole)
            assert best == pytest.approx(least_error(points, k, largest=n), rel=1e-12, abs=TINY * whole)


@pytest.mark.parametrize("n", range(4, 13))
def test_column_generation_is_valid_at_every_round(n):
    for kind, seed in itertools.product(KINDS, range(2)):
        for k in range(2, n // 2 + 1):
            points = small_file(kind, n, 200 + 10 * k + seed)
            best, whole = least_error(points, k), subset_costs(points)[-1]
            bound = 0.0
            for prices in raise_prices(squared_distances(points), k, rounds=4):
                assert excess(points, prices.values, k) <= TINY * whole
                assert bound * (1 - TINY) <= prices.bound <= best + TINY * whole
                bound = prices.bound


@pytest.mark.parametrize("n", range(5, 11))
def test_column_generation_reaches_the_relaxation_over_all_groups(n):
    """The linear programme over every group of k … 2k−1, solved whole; so groups of k suffice."""
    for kind, k in itertools.product(KINDS, range(2, n // 2 + 1)):
        points = small_file(kind, n, 300 + k)
        goal, whole = relaxation(points, k), subset_costs(points)[-1]
        *_, last = raise_prices(squared_distances(points), k, rounds=60)
        assert goal * (1 - 3e-6) - 1e-9 * whole <= last.bound <= goal + 1e-9 * whole
        assert last.relaxation == pytest.approx(goal, rel=1e-6, abs=1e-9 * whole)


@pytest.mark.parametrize("n", range(3, 13))
def test_least_squared_error_stays_below_the_optimum(n):
    """Also k above n/2, where one group is all there is."""
    for number, kind in enumerate(KINDS):
        for k in {2 + number % (n - 1), 2 + number % max(n // 2 - 1, 1)}:
            points = small_file(kind, n, 400)
            best, whole = least_error(points, k), subset_costs(points)[-1]
            bound, method = least_squared_error(points, k, None, 0.01)
            assert 0.0 <= bound <= best + TINY * whole
            if 2 * k > n or (np.ptp(points, axis=0) > 0).sum() == 1:
                assert bound == pytest.approx(best, rel=1e-9, abs=TINY * whole)
                assert method in ("one group", "exact-univariate")


@pytest.mark.parametrize("n", range(3, 13))
def test_certificates_stay_below_the_optimum(n):
    """On z-scores, whatever the release: here the worst, one group for all."""
    for number, kind in enumerate(KINDS):
        k = 2 + number % max(n // 2 - 1, 1)
        points = small_file(kind, n, 600)
        proof = certify(table(points), np.zeros(n, dtype=int), k, budget="10ms")
        scores = (points - points.mean(axis=0)) / np.where(np.ptp(points, axis=0) > 0, points.std(axis=0), 1.0)
        total = subset_costs(scores)[-1]
        assert proof.value == pytest.approx(100.0 if total > 0 else 0.0, rel=1e-9)
        assert proof.bound <= 100.0 * least_error(scores, k) / max(total, 1e-300) * (1 - 1e-10) + 1e-10


@settings(max_examples=settings().max_examples * 10 // 3)
@given(
    st.integers(0, 10**6),
    st.integers(2, 7),
    st.integers(8, 60),
    st.sampled_from(KINDS),
    st.integers(0, 9),
)
def test_no_grouping_is_below_a_bound(seed, k, n, kind, longer):
    n = max(n, 2 * k)
    points = small_file(kind, n, seed)
    whole = float(((points - points.mean(axis=0)) ** 2).sum())
    start = mdav(points, k)
    errors = [squared_error(points, start)]
    with ThreadPoolExecutor(1) as workers:
        for found in refine(points, k, start, seed=seed, workers=workers, steps=100):
            best = found.labels
        errors.append(squared_error(points, best))
        if n <= 24 and k <= 3 and seed % 7 == 0:
            errors.append(squared_error(points, polished(points, k, best, seed=0, rounds=1)))
        listed = ListedPrices(points, k, workers, k - 1 + longer)
        while listed.raise_once():
            pass
        limit = min(errors) + TINY * whole
        assert listed.values.sum() <= limit
    for prices in raise_prices(squared_distances(points), k, prices=listed.values, rounds=1 + (seed % 6 == 0)):
        assert prices.bound <= limit
