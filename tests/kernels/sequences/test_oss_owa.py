"""Distances of few sequences: all with all, in pairs, every two once; and the plain sum beside its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.reference import sequences as reference

from discreet.data.scales import EncodedSequences
from discreet.data.scales.dissimilarities import OSSOWA, dissimilarity_named
from discreet.kernels.sequences.oss_owa import ALL, PAIRED, TRIANGLE, mirror, oss, oss_owa


def drawn(seed: int, n: int, longest: int, events: int) -> list[list[int]]:
    """Return sequences, the first two empty and alone."""
    rng = np.random.default_rng(seed)
    return [[], [1], *(rng.integers(0, events, rng.integers(1, longest + 1)).tolist() for _ in range(n - 2))]


def distances(
    left: list[list[int]], right: list[list[int]], which: list[int], among: list[int], mode: int
) -> list[float]:
    prepared = OSSOWA(np.square).prepare(EncodedSequences.of(left), EncodedSequences.of(right))
    return oss_owa(*prepared, np.array(which), np.array(among), mode).tolist()


LEFT, RIGHT = drawn(1, 9, 7, 3), drawn(2, 8, 9, 3)
WHICH, AMONG = [3, 0, 8, 1, 2, 5], [7, 1, 0, 4, 2, 6]


@pytest.mark.parametrize("events", [2, 3, 70])
def test_sequences_are_as_far_apart_as_the_definition_says(events: int) -> None:
    left, right = drawn(1, 9, 7, events), drawn(2, 8, 9, events)
    found = distances(left, right, WHICH, AMONG, ALL)
    expected = [reference.oss_owa(left[i], right[j], np.square) for i in WHICH for j in AMONG]
    assert found == pytest.approx(expected, abs=1e-12)
    found = distances(left, right, WHICH, AMONG, PAIRED)
    expected = [reference.oss_owa(left[i], right[j], np.square) for i, j in zip(WHICH, AMONG, strict=True)]
    assert found == pytest.approx(expected, abs=1e-12)
    assert len(set(expected)) > (3 if events < 70 else 0)


def test_every_two_once_and_zeros_below() -> None:
    found = np.array(distances(LEFT, LEFT, WHICH, WHICH, TRIANGLE)).reshape(6, 6)
    for i in range(6):
        for j in range(6):
            twin = reference.oss_owa(LEFT[WHICH[i]], LEFT[WHICH[j]], np.square) if j > i else 0.0
            assert found[i, j] == pytest.approx(twin, abs=1e-12)


@pytest.mark.parametrize("n", [1, 5, 64, 65, 130])
def test_what_is_above_the_diagonal_is_copied_below(n: int) -> None:
    square = np.arange(float(n * n)).reshape(n, n)
    upper = np.triu(square)
    expected = upper + upper.T - np.diag(np.diag(square))
    mirror(square)
    np.testing.assert_array_equal(square, expected)


def plain_sum(s: list[int], r: list[int]) -> float:
    """Pair the first of an event with the first, the second with the second; the rest has no partner."""
    moved = pairs = 0
    for event in set(s) & set(r):
        here, there = ([p for p, one in enumerate(x) if one == event] for x in (s, r))
        shifts = [abs(a - b) for a, b in zip(here, there, strict=False)]
        moved, pairs = moved + sum(shifts), pairs + len(shifts)
    total = len(s) + len(r)
    return (moved / max(len(s), len(r)) + total - 2 * pairs) / total if total else 0.0


def test_the_plain_sum_of_shifts_and_of_events_without_a_partner() -> None:
    measure = dissimilarity_named("oss")()
    prepared = measure.prepare(EncodedSequences.of(LEFT), EncodedSequences.of(RIGHT))
    found = oss(*prepared, np.array(WHICH), np.array(AMONG), False).tolist()
    assert found == pytest.approx([plain_sum(LEFT[i], RIGHT[j]) for i in WHICH for j in AMONG])
    found = oss(*prepared, np.array(WHICH), np.array(AMONG), True).tolist()
    assert found == pytest.approx([plain_sum(LEFT[i], RIGHT[j]) for i, j in zip(WHICH, AMONG, strict=True)])
    assert plain_sum([0, 1], [1, 2, 0]) == pytest.approx((3 / 3 + 1) / 5)


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    with stops():
        distances([[0, 1]], [[1, 0]], [0], [0], ALL)
