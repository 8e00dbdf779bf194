"""Many sequences at once against two by two, also where they are too long or too varied to be filed together."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.data.scales.dissimilarities import OSSOWA, oss_owa
from discreet.data.scales.sequence import EncodedSequences

RNG = np.random.default_rng(8)
FAR = [[1] * place + [0] + [1] * (299 - place) for place in (0, 1, 80, 150, 200, 254, 255, 256, 299)]
SHORT = [list(RNG.integers(0, 4, RNG.integers(0, 12))) for _ in range(10)]


def two_by_two(distance, sequences):
    n = len(sequences)
    matrix = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            pair = EncodedSequences.of([sequences[i], sequences[j]])
            matrix[i, j] = matrix[j, i] = distance.compare(pair).matrix()[0, 1]
    return matrix


@pytest.mark.parametrize("sequences", [FAR, SHORT], ids=["far", "short"])
@pytest.mark.parametrize("distance", [OSSOWA(), OSSOWA(np.square)], ids=["plain", "square"])
def test_many_are_compared_as_two_are(distance, sequences):
    encoded = EncodedSequences.of(sequences)
    expected = two_by_two(distance, sequences)
    np.testing.assert_allclose(distance.compare(encoded).matrix(), expected, atol=1e-12)
    # The same between two files.
    np.testing.assert_allclose(distance.compare(encoded, encoded).matrix(), expected, atol=1e-12)


def test_a_shift_of_300_places_is_counted_whole():
    # One event of 300 moved by 299 places, and 299 by one place: (2 · 299 + 2 · 299) / 600 of 600 values.
    matrix = OSSOWA().compare(EncodedSequences.of(FAR)).matrix()
    assert matrix[0, -1] == pytest.approx((2 * 299 / 600 + 299 * 2 / 600) / 600)


def test_too_many_kinds_of_runs_are_compared_one_by_one(monkeypatch):
    encoded = EncodedSequences.of(SHORT)
    together = OSSOWA().compare(encoded).matrix()
    monkeypatch.setattr(oss_owa, "_MOST_KINDS", 0)
    monkeypatch.setattr(oss_owa, "oss_owa_many", None)
    np.testing.assert_allclose(OSSOWA().compare(encoded).matrix(), together, atol=1e-12)
