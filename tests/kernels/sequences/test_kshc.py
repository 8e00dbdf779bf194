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
