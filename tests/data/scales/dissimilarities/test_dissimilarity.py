"""A comparison of two collections: rows, pairs, all, and positions that are none."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.data.scales.dissimilarities.dissimilarity import compare_all, longest, n_events
from discreet.data.scales.dissimilarities.hamming import Hamming
from discreet.data.scales.dissimilarities.jaccard import Jaccard
from discreet.data.scales.dissimilarities.lcs import LongestCommonSubsequence
from discreet.data.scales.dissimilarities.levenshtein import Levenshtein
from discreet.data.scales.dissimilarities.oss import OSS
from discreet.data.scales.dissimilarities.sorensen import Sorensen
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import DataError

A = EncodedSequences.of([[0, 1, 2], [0, 1], []])
B = EncodedSequences.of([[0, 1, 2], [3, 1]])
BY_HAND = np.array([[0, 2 / 3], [1 / 3, 1 / 2], [1, 1]])
"""Edits over the longer length."""


def test_rows_pairs_and_all():
    comparison = Levenshtein().compare(A, B)
    assert comparison.shape == (3, 2)
    assert comparison.matrix() == pytest.approx(BY_HAND)
    assert comparison.rows(1) == pytest.approx(BY_HAND[[1]])
    assert comparison.rows([2, 0], [1]) == pytest.approx(BY_HAND[[2, 0]][:, [1]])
    assert comparison.pairs([0, 1], [1, 1]) == pytest.approx([2 / 3, 1 / 2])
    assert comparison.pairs([0, 1]) == pytest.approx([0, 1 / 2])
    own = Levenshtein().compare(A)
    assert own.shape == (3, 3)
    assert own.pairs().tolist() == [0, 0, 0]


def test_positions_that_are_none():
    comparison = Levenshtein().compare(A, B)
    for ask, end in [
        (lambda: comparison.rows([3]), 2),
        (lambda: comparison.rows([-1]), 2),
        (lambda: comparison.rows([0], [2]), 1),
        (lambda: comparison.pairs([0], [2]), 1),
    ]:
        with pytest.raises(DataError, match=f"Positions must lie between 0 and {end}"):
            ask()
    with pytest.raises(DataError, match="3 sequences cannot be compared with 2 one by one"):
        comparison.pairs()
    assert comparison.rows([], [0]).shape == (0, 1)


def test_several_attributes_count_alike():
    distance = Levenshtein()
    same = EncodedSequences.of([[0], [0], [0]])
    both = compare_all([distance] * 2, [A, same], [B, EncodedSequences.of([[0], [1]])])
    assert both.shape == (3, 2)
    expected = (BY_HAND + np.array([[0, 1]] * 3)) / 2
    assert both.matrix() == pytest.approx(expected)
    assert both.rows([1]) == pytest.approx(expected[[1]])
    assert both.pairs([1, 2], [0, 1]) == pytest.approx(expected[[1, 2], [0, 1]])
    assert compare_all([distance], [A]).shape == (3, 3)


def test_sizes_of_tables():
    assert n_events(A, B) == 4
    assert n_events(A, A) == 3
    assert n_events(EncodedSequences.of([[]]), EncodedSequences.of([[]])) == 0
    assert longest(A, B) == 3
    assert longest(EncodedSequences.of([[]])) == 0
    assert longest() == 0


@pytest.mark.parametrize(
    ("distance", "first", "second", "expected"),
    [
        (Levenshtein(), [0, 1, 2, 3], [0, 2, 3], 1 / 4),
        (LongestCommonSubsequence(), [0, 1, 2], [2, 0, 1], 1 - 2 * 2 / 6),
        (Hamming(), [0, 1, 2], [0, 2, 2], 1 / 3),
        (Hamming(), [0, 1], [0, 1, 2], 1 / 3),
        (Jaccard(), [0, 1, 1], [1, 2], 2 / 3),
        (Sorensen(), [0, 1, 1], [1, 2], 1 / 2),
        (OSS(), [0, 1], [0, 1], 0.0),
        (OSS(), [0, 1], [2, 3], 1.0),
    ],
)
def test_each_by_hand(distance, first, second, expected):
    assert distance(first, second) == pytest.approx(expected)
    assert distance(second, first) == pytest.approx(expected)
