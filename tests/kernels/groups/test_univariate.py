"""Optimal runs of one attribute against every partition, and the linear sort against the stable one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.microaggregation import partition_cost, plain_optimal_cost

from discreet.kernels.groups import univariate
from discreet.kernels.groups.univariate import fixed_runs, optimal_runs, sorted_order, sorted_values


@st.composite
def problems(draw):
    n = draw(st.integers(1, 150))
    k = draw(st.integers(1, n))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["normal", "ties", "tails", "offset", "outlier"]))
    values = {
        "normal": rng.standard_normal(n),
        "ties": rng.integers(0, 6, n).astype(float),
        "tails": np.exp(3 * rng.standard_normal(n)),
        "offset": 1e9 + rng.standard_normal(n),
        "outlier": np.where(np.arange(n) == 0, -1e6, rng.standard_normal(n)),
    }[kind]
    weights = draw(st.sampled_from([None, rng.integers(0, 4, n).astype(float), rng.random(n)]))
    return values, k, weights


@settings(max_examples=min(60, settings().max_examples), deadline=None)
@given(problems(), st.booleans(), st.booleans())
def test_optimal(problem, absolute, searched):
    values, k, weights = problem
    if searched:
        # The matrix search serves large k; here it must serve every k.
        path = np.zeros(values.size + 1, dtype=np.int32)
        order = sorted_order(values)
        mass = np.ones(1) if weights is None else weights[order]
        univariate._searched(values[order], mass, k, absolute, path)
        labels = np.empty(values.size, dtype=np.int64)
        univariate._write(order, path, labels)
    else:
        labels = optimal_runs(values, k, weights, absolute=absolute)
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    centred = values - np.median(values)
    cost = partition_cost(centred, labels, weights, absolute=absolute)
    best = plain_optimal_cost(centred, k, weights, absolute=absolute)
    assert cost <= best * (1 + 1e-9) + 1e-12
    assert np.all(np.diff(labels[sorted_order(values)]) >= 0)


@pytest.mark.parametrize("absolute", [False, True])
def test_a_run_without_weight_costs_nothing(absolute):
    values, weights = np.array([0, 0, 0.5, 0.5, 2, 3, 4, 5, 10, 10, 10.5, 10.5]), np.repeat([1.0, 0.0, 1.0], 4)
    path, labels = np.zeros(13, dtype=np.int32), np.empty(12, dtype=np.int64)
    univariate._searched(values, weights, 2, absolute, path)
    univariate._write(np.arange(12), path, labels)
    assert partition_cost(values, labels, weights, absolute=absolute) == 0.0


@pytest.mark.parametrize("k", [60, 500])
def test_matrix_search_equals_all_candidates(k):
    values = np.random.default_rng(k).standard_t(2, 3000)
    order = sorted_order(values)
    path = np.zeros(values.size + 1, dtype=np.int32)
    univariate._plain(values[order], k, path)
    plain = np.empty(values.size, dtype=np.int64)
    univariate._write(order, path, plain)
    searched = optimal_runs(values, k)
    assert partition_cost(values, searched) == pytest.approx(partition_cost(values, plain), rel=1e-12)


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_magnitudes(scale):
    values = np.random.default_rng(0).standard_normal(500)
    assert np.array_equal(optimal_runs(values * scale, 4), optimal_runs(values, 4))


def test_crowded_values_are_still_told_apart():
    # With sums over the whole file, costs of 1e-14 would drown in totals of 1e6.
    values = np.concatenate([np.arange(1000) * 1e-7, 1e3 + np.arange(1000)])
    labels = optimal_runs(values, 2)
    assert np.all(np.bincount(labels) == 2)


def test_linear_sort_is_the_stable_sort():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.standard_normal(60_000), rng.integers(-3, 3, 60_000), [0.0, -0.0, 1e300, -1e-300]])
    assert values.size >= univariate.RADIX_FROM
    assert np.array_equal(sorted_order(values), np.argsort(values, kind="stable"))


_RNG = np.random.default_rng(4)
_COLUMNS = {
    "spread": _RNG.standard_cauchy(3000),
    "ties": _RNG.integers(-5, 5, 3000) * 0.1,
    "two zeros": np.where(_RNG.random(3000) < 0.5, 0.0, -0.0),
    "equal": np.full(3000, 7.5),
    "agree in their leading bits": 1.0 + _RNG.integers(0, 9, 3000) * 2.0**-52,
    "a few here and there": np.append(
        _RNG.lognormal(size=2000) * 1e9, 1.0 + np.tile(np.arange(9, 0, -1), 3) * 2.0**-52
    ),
    "an outlier beside a crowd": np.append(1e9 + _RNG.normal(size=2999), -1.0),
    "the whole range": np.ldexp(_RNG.normal(size=3000), _RNG.integers(-1000, 1000, 3000)),
    "tiny": 5e-324 * _RNG.integers(-999, 999, 3000),
}


@pytest.mark.parametrize("column", list(_COLUMNS))
def test_leading_bits_and_insertion_are_the_stable_sort(column, monkeypatch):
    monkeypatch.setattr(univariate, "RADIX_FROM", 1)
    values = _COLUMNS[column]
    order, ordered = sorted_values(values)
    expected = np.argsort(values, kind="stable")
    assert order.dtype == np.int64
    assert np.array_equal(order, expected)
    assert np.array_equal(ordered.view(np.int64), values[expected].view(np.int64))


def test_many_neighbours_with_the_same_leading_bits_are_left_to_the_sort_by_all_bits():
    values = _COLUMNS["an outlier beside a crowd"]
    counts, keys = np.zeros((3, 2048), np.int32), np.empty(values.size, np.uint64)
    order, ordered = np.empty(values.size, np.int64), np.empty(values.size)
    whole = univariate._leading_bits(values.view(np.uint64), keys, counts)
    packed = univariate._leading_sort(keys, counts, np.empty_like(keys))
    assert not whole
    assert not univariate._in_full_order(packed, whole, values, order, ordered)


@pytest.mark.parametrize("n", range(3, 13))
def test_fixed_runs(n):
    values = np.random.default_rng(n).standard_normal(n)
    sizes = np.bincount(fixed_runs(values, 3))
    assert np.all(sizes[:-1] == 3)
    assert 3 <= sizes[-1] <= 5
