"""Terms that only one of two logs has, by their weight: by definition, and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.reference import sequences as reference

from discreet.data.scales.dissimilarities.weighted_jaccard import WeightedJaccard
from discreet.data.scales.sequence import EncodedSequences

# 0 stands between two queries, 1 is a query that is not told.
LOGS = [[], [1], [2], [2, 0, 2, 3], [3, 9, 0, 1], [4, 5, 6, 0, 2, 9], [0, 1, 0], [9, 3]]


def test_every_pair_by_definition():
    found = WeightedJaccard().compare(EncodedSequences.of(LOGS)).matrix()
    assert found == pytest.approx(np.array([[reference.weighted_jaccard(s, r) for r in LOGS] for s in LOGS]))


def test_some_with_some():
    comparison = WeightedJaccard().compare(EncodedSequences.of(LOGS[:4]), EncodedSequences.of(LOGS[3:]))
    expected = [[reference.weighted_jaccard(LOGS[i], LOGS[3 + j]) for j in (4, 0, 2)] for i in (3, 2)]
    assert comparison.rows([3, 2], [4, 0, 2]) == pytest.approx(np.array(expected))
    assert comparison.pairs([3, 2], [4, 0]) == pytest.approx([expected[0][0], expected[1][1]])


def test_rare_terms_weigh_more():
    # The commonest term, code 2, weighs ln 2, the next ln 3, and so on.
    assert WeightedJaccard()([2, 3], [2]) == pytest.approx(math.log(3) / math.log(6))
    assert WeightedJaccard()([2, 3], [3]) == pytest.approx(math.log(2) / math.log(6))
    assert WeightedJaccard()([2, 9], [9]) < WeightedJaccard()([2, 9], [2])


def test_how_often_in_which_order_and_query_does_not_matter():
    assert WeightedJaccard()([2, 3, 0, 3, 3], [3, 0, 2]) == 0.0
    assert WeightedJaccard()([2, 0, 1], [2]) == 0.0
