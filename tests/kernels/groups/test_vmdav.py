"""V-MDAV against its definition."""

import numpy as np
import pytest
from tests.reference.microaggregation import plain_vmdav

from discreet.kernels.groups.vmdav import vmdav


@pytest.mark.parametrize("gamma", [0.0, 0.2, 1.1])
@pytest.mark.parametrize("kind", ["gaussian", "clusters", "grid"])
def test_labels_of_the_plain_definition(kind, gamma):
    rng = np.random.default_rng(7)
    values = {
        "gaussian": rng.standard_normal((400, 4)),
        "clusters": 0.1 * rng.standard_normal((400, 2)) + rng.integers(0, 5, (400, 2)),
        "grid": rng.integers(0, 9, (300, 2)).astype(float),
    }[kind]
    for k in (2, 5):
        expected = plain_vmdav(values, k, gamma)
        if np.bincount(expected).max() < 2 * k:
            assert np.array_equal(vmdav(values, k, gamma), expected)


def test_groups_grow_on_clustered_data():
    # Four clusters of five: with k = 3 a fixed size must mix clusters, a variable one need not.
    corners = np.array([[0.0, 0.0], [0.0, 10.0], [10.0, 0.0], [10.0, 10.0]])
    values = np.repeat(corners, 5, axis=0) + 0.1 * np.random.default_rng(0).standard_normal((20, 2))
    labels = vmdav(values, 3, gamma=1.1)
    assert np.array_equal(np.sort(np.bincount(labels)), [5, 5, 5, 5])
    assert all(len(set(labels[i : i + 5])) == 1 for i in range(0, 20, 5))


@pytest.mark.parametrize("gamma", [0.125, 0.5, 1.0, 1.5])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_few_records_with_many_ties_are_grouped_by_the_definition(k, gamma):
    compared = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        values = rng.integers(0, 4, (2 ** int(rng.integers(0, 5)), 1)).astype(float)  # whose means are exact
        if len(values) < k:
            continue
        expected = plain_vmdav(values, k, gamma)
        if np.bincount(expected).max() < 2 * k:
            compared += 1
            assert np.array_equal(vmdav(values, k, gamma), expected)
    assert compared > 8


def test_groups_of_scattered_data_are_what_is_formed_unless_told_otherwise():
    values = np.random.default_rng(3).integers(0, 40, (60, 1)).astype(float)
    assert np.array_equal(vmdav(values, 3), vmdav(values, 3, 0.2))
    assert not np.array_equal(vmdav(values, 3), vmdav(values, 3, 1.1))
