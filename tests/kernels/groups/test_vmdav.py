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
