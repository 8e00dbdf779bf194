"""Every grouping kernel, every awkward table: labels without gaps and groups of k to 2k−1."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.kernels.centring import centred
from discreet.kernels.groups.genetic import genetic
from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.partitioned import partitioned_mdav
from discreet.kernels.groups.path import group_tour, repartition_along_tour
from discreet.kernels.groups.refine import refine
from discreet.kernels.groups.univariate import fixed_runs, optimal_runs
from discreet.kernels.groups.vmdav import vmdav
from discreet.kernels.groups.ward import ward

WORKERS = ThreadPoolExecutor(2)


def refined(values, k):
    for refinement in refine(values, k, mdav(values, k), seed=3, steps=200, workers=WORKERS):
        labels = refinement.labels
    return labels


KERNELS = {
    "mdav": mdav,
    "vmdav": lambda values, k: vmdav(values, k, 1.1),
    "ward": ward,
    "tour": lambda values, k: repartition_along_tour(values, mdav(values, k), k),
    "genetic": lambda values, k: genetic(
        values, k, group_tour(centred(values), mdav(values, k)), seed=1, generations=3, population=6
    ),
    "refine": refined,
    "partitioned": lambda values, k: partitioned_mdav(values, k, seed=1, workers=WORKERS, block=20),
    "optimal runs": lambda values, k: optimal_runs(values[:, 0].copy(), k),
    "fixed runs": lambda values, k: fixed_runs(values[:, 0].copy(), k),
}


@st.composite
def tables(draw):
    k = draw(st.integers(2, 7))
    n = draw(st.one_of(st.integers(k, 3 * k), st.integers(3 * k, 90)))
    d = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = rng.standard_normal((n, d))
    match draw(st.sampled_from(["plain", "equal", "duplicates", "constant", "collinear", "outlier", "huge", "tiny"])):
        case "equal":
            values[:] = 7.0
        case "duplicates":
            values = rng.integers(0, 2, (n, d)).astype(float)
        case "constant":
            values[:, 0] = -3.0
        case "collinear":
            values = values[:, :1] * np.arange(1, d + 1)
        case "outlier":
            values[n // 2] = 1e12
        case "huge":
            values *= 1e150
        case "tiny":
            values *= 1e-150
    return values, k


@pytest.mark.parametrize("name", KERNELS)
@settings(max_examples=min(40, settings().max_examples), deadline=None)
@given(tables())
def test_groups_have_k_to_2k_minus_1_records(name, table):
    values, k = table
    before = values.copy()
    labels = KERNELS[name](values, k)
    assert labels.dtype == np.int64
    sizes = np.bincount(labels)
    assert sizes.sum() == len(values)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    assert np.array_equal(values, before)
