"""k-Ward on data whose answer is known, and against the exhaustive optimum."""

import numpy as np
import pytest
from tests.reference.microaggregation import information_loss, plain_least_error

from discreet.kernels.groups.ward import _agglomerate, _two_ends, ward


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


def plain_agglomerate(centres, sizes, k):
    """Look at all pairs of clusters before every union."""
    clusters = {
        a: ([a], np.array(centre, dtype=float), size)
        for a, (centre, size) in enumerate(zip(centres, sizes, strict=True))
    }
    while any(size < k for _, _, size in clusters.values()):
        prices = {
            (a, b): ((clusters[a][1] - clusters[b][1]) ** 2).sum() * p * q / (p + q)
            for a, (_, _, p) in clusters.items()
            for b, (_, _, q) in clusters.items()
            if a < b and min(p, q) < k
        }
        a, b = min(prices, key=lambda pair: (prices[pair], pair))
        (some, x, p), (more, y, q) = clusters[a], clusters.pop(b)
        clusters[a] = (some + more, (p * x + q * y) / (p + q), p + q)
    parent = [-1] * len(sizes)
    for a, (members, _, _) in clusters.items():
        for member in members:
            parent[member] = a
    return parent


def agglomerated(centres, sizes, k):
    parent = np.full(len(sizes), -9)
    _agglomerate(np.array(centres, dtype=float), np.array(sizes), k, parent)
    return parent.tolist()


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_unions_are_those_of_looking_at_all_pairs(k):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        centres, sizes = rng.standard_normal((5 + seed, 2)), rng.integers(1, 5, 5 + seed)
        assert agglomerated(centres, sizes, k) == plain_agglomerate(centres, sizes, k)


@pytest.mark.parametrize(
    ("places", "sizes", "k", "parent"),
    [
        ([0, 1, 2, 3], [1, 1, 1, 1], 2, [0, 0, 2, 2]),  # all as near: the lowest first
        ([3, 2, 1, 0], [1, 1, 1, 1], 2, [0, 0, 2, 2]),
        ([0, 2, 1, 3], [1, 1, 1, 1], 2, [0, 1, 0, 1]),
        ([0, 1, 2], [1, 1, 1], 2, [0, 0, 0]),  # who is alone goes to those who are enough
        ([0, 1, 2], [2, 1, 2], 2, [0, 0, 2]),  # to the lowest on a tie
        ([0, 1, 9], [2, 2, 1], 2, [0, 1, 1]),  # two that are enough are never joined
        ([0, 1, 9], [2, 2, 2], 2, [0, 1, 2]),
        ([0, 10, 14], [3, 1, 3], 2, [0, 1, 1]),
        ([0, 10, 14], [1, 1, 9], 3, [0, 0, 0]),  # 16 · 9 / 10 is less than 50; then 0 is left
        ([0, 4, 9], [1, 1, 1000], 2, [0, 0, 2]),  # one farther away in a large cluster costs more: 8 and about 25
        ([0, 0, 0, 0], [1, 1, 1, 1], 4, [0, 0, 0, 0]),
        ([5], [1], 1, [0]),
    ],
)
def test_unions_by_hand(places, sizes, k, parent):
    assert agglomerated(np.array(places)[:, None], sizes, k) == parent


@pytest.mark.parametrize(
    ("values", "k", "ends"),
    [
        ([0, 1, 2, 3, 4, 20], 2, ([5, 4], [0, 1])),
        ([0, 1, 2, 3], 2, ([0, 1], [3, 2])),  # both ends as far from the middle: the lower record
        ([3, 1, 2, 0], 1, ([0], [3])),
        ([7, 7, 7, 7], 2, ([0, 1], [2, 3])),
        ([0, 5, 10, 5, 5], 2, ([0, 1], [2, 3])),
    ],
)
def test_two_ends_hold_the_nearest_records(values, k, ends):
    first, second = _two_ends(np.array(values, dtype=float)[:, None], k)
    assert (first.tolist(), second.tolist()) == ends


@pytest.mark.parametrize(
    ("values", "k", "labels"),
    [
        ([4], 1, [0]),
        ([4, 4], 2, [0, 0]),
        ([1, 2, 9], 2, [0, 0, 0]),
        ([1, 9, 2, 8], 2, [0, 1, 0, 1]),
        ([9, 1, 8, 2], 2, [0, 1, 0, 1]),
        ([1, 2, 3], 1, [0, 1, 2]),
        ([30, 0, 31, 10, 1, 11], 2, [0, 1, 0, 2, 1, 2]),
        ([5, 5, 5, 5, 5], 2, [0, 0, 1, 1, 0]),
    ],
)
def test_groups_are_numbered_by_their_first_records(values, k, labels):
    assert ward(np.array(values, dtype=float)[:, None], k).tolist() == labels
