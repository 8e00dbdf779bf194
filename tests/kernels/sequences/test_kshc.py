"""k-sized hierarchical clustering on bare matrices, where clusters grow long enough for the linkage to matter."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import sequences as reference

from discreet.kernels.sequences.kshc import AVERAGE, COMPLETE, MEDIAN, SINGLE, kshc

LINKAGES = {"single": SINGLE, "complete": COMPLETE, "average": AVERAGE, "median": MEDIAN}


def closed_clusters(matrix, sizes, k, linkage):
    labels = np.empty(sizes.size, dtype=np.int64)
    kshc(matrix.copy(), sizes, k, LINKAGES[linkage], labels)
    return labels


def distances(rng, n):
    upper = np.triu(rng.permutation(n * n).reshape(n, n) / (n * n), 1)
    return upper + upper.T


@pytest.mark.parametrize("linkage", LINKAGES)
def test_agrees_with_the_rule_for_large_k(linkage):
    rng = np.random.default_rng(0)
    for _ in range(40):
        n, k = int(rng.integers(8, 16)), int(rng.integers(4, 7))
        matrix, sizes = distances(rng, n), rng.integers(1, 3, n)
        labels = closed_clusters(matrix, sizes, k, linkage)
        expected = reference.kshc(matrix.tolist(), sizes.tolist(), k, linkage)
        settled = np.flatnonzero(labels >= 0)
        # What is left over joins later; among the settled, two are together exactly where the rule has them together.
        owner = {i: g for g, group in enumerate(expected) for i in group}
        for i in settled:
            for j in settled:
                assert (labels[i] == labels[j]) == (owner[i] == owner[j])
        assert sizes[labels < 0].sum() < k


def test_linkages_differ():
    rng = np.random.default_rng(1)
    matrix, sizes = distances(rng, 24), np.ones(24, dtype=np.int64)
    found = {tuple(closed_clusters(matrix, sizes, 6, linkage)) for linkage in LINKAGES}
    assert len(found) == 4


def plain_clusters(matrix, sizes, k, linkage):
    """Look at all pairs of open clusters before every merge; distances of clusters are kept by their lowest items."""
    apart = {(i, j): matrix[i][j] for i in range(len(sizes)) for j in range(len(sizes)) if i != j}
    members = {i: [i] for i in range(len(sizes)) if sizes[i] < k}
    total, labels, closed = dict(enumerate(sizes)), [-1] * len(sizes), 0
    for i in range(len(sizes)):
        if sizes[i] >= k:
            labels[i], closed = closed, closed + 1
    while len(members) > 1:
        i, j = min(((i, j) for i in members for j in members if i < j), key=lambda pair: (apart[pair], pair))
        for h in members:
            if h not in (i, j):
                near, far, n, m = apart[i, h], apart[j, h], total[i], total[j]
                apart[i, h] = apart[h, i] = {
                    "single": min(near, far),
                    "complete": max(near, far),
                    "average": (n * near + m * far) / (n + m),
                    "median": near / 2 + far / 2 - apart[i, j] / 4,
                }[linkage]
        members[i] = sorted(members[i] + members.pop(j))
        total[i] += total[j]
        if total[i] >= k:
            for h in members.pop(i):
                labels[h] = closed
            closed += 1
    return labels, closed


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("k", [1, 2, 3, 5, 8])
def test_ties_go_to_the_lowest_pair_and_clusters_are_numbered_as_they_close(linkage, k):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(0, 11))
        upper = np.triu(rng.integers(0, 4, (n, n)), 1).astype(np.float64)
        # Whole records and averages of two and four of them, so that every distance is exact.
        sizes = rng.choice([1, 1, 1, 3], n) if linkage != "average" else np.ones(n, dtype=np.int64)
        if linkage == "average" and k == 8:
            continue
        labels = np.full(n, 77)
        closed = kshc(upper + upper.T, sizes, k, LINKAGES[linkage], labels)
        assert (labels.tolist(), closed) == plain_clusters((upper + upper.T).tolist(), sizes.tolist(), k, linkage)


def test_items_that_are_enough_are_closed_from_the_start():
    labels = np.full(5, 77)
    far = np.full((5, 5), 9.0)
    assert kshc(far, np.array([1, 3, 2, 4, 1]), 3, SINGLE, labels) == 3
    assert labels.tolist() == [2, 0, 2, 1, -1]


def test_who_is_told_to_stop_stops(stops):
    with stops():
        kshc(np.zeros((2, 2)), np.ones(2, dtype=np.int64), 2, SINGLE, np.empty(2, dtype=np.int64))
