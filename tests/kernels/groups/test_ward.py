"""k-Ward on data whose answer is known, and against the exhaustive optimum."""

import numpy as np
from tests.reference.microaggregation import information_loss, plain_least_error

from discreet.kernels.groups.ward import ward


def test_well_separated_clusters_are_found():
    rng = np.random.default_rng(1)
    values = np.concatenate([c + 0.1 * rng.standard_normal((4, 2)) for c in ([0, 0], [9, 0], [0, 9], [9, 9], [20, 20])])
    assert np.array_equal(ward(values, 3), np.repeat(np.arange(5), 4))


def test_near_the_optimum_on_a_handful_of_records():
    ratios = []
    for seed in range(20):
        values = np.random.default_rng(seed).standard_normal((10, 2))
        labels = ward(values, 3)
        error = information_loss(values, labels) / 100 * ((values - values.mean(axis=0)) ** 2).sum()
        ratios.append(error / plain_least_error(values, 3))
    assert min(ratios) >= 1 - 1e-12
    assert np.mean(ratios) < 1.25
