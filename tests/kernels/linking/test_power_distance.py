"""Nearest records under a power beside a slow twin, with many ties, with one candidate and with none."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.linking.power_distance import (
    nearest_by_power,
    nearest_many_by_power,
    power_distances,
    tied_by_power,
)

POWERS = {0: np.square, 1: lambda x: x, 2: np.sqrt}


def table(a, b, power):
    return POWERS[power](np.abs(b[:, None, :] - a[None, :, :])).sum(axis=2)


def grid(n, seed):
    """Squares of whole numbers, so that many distances are equal, and sums of roots are exact."""
    return (np.random.default_rng(seed).integers(0, 2, (n, 3)) * 4).astype(float)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("n", [0, 1, 2, 9, 30])
def test_everything_is_that_of_the_table(power, n):
    a, b = grid(n, 1), grid(12, 2)
    n_b = len(b)
    distances = np.full((n_b, n), np.nan)
    power_distances(a, b, power, distances)
    assert np.array_equal(distances, table(a, b, power))

    best, second, ties = (np.full(n_b, 99, dtype=np.int64) for _ in range(3))
    score, second_score, limit = (np.full(n_b, np.nan) for _ in range(3))
    nearest_by_power(a, b, power, 0, n_b, np.zeros(n_b), best, score, second, second_score, limit, ties)
    for j, row in enumerate(distances):
        nearest = np.argsort(row, kind="stable")
        assert best[j] == (nearest[0] if n else -1)
        assert second[j] == (nearest[1] if n > 1 else -1)
        assert ties[j] == (row == row.min(initial=np.inf)).sum()
        if n > 1:
            assert (score[j], second_score[j]) == (row[nearest[0]], row[nearest[1]])
        else:
            assert second_score[j] == np.inf

    offsets = np.concatenate([[0], np.cumsum(ties)])
    tied = np.full(offsets[-1], 99, dtype=np.int64)
    tied_by_power(a, b, power, limit, ties, best, offsets, 0, n_b, tied)
    for j, row in enumerate(distances):
        assert tied[offsets[j] : offsets[j + 1]].tolist() == np.nonzero(row == row.min(initial=np.inf))[0].tolist()

    m = min(n, 4)
    if m:
        many, scores = np.full((n_b, m), 99, dtype=np.int64), np.full((n_b, m), np.nan)
        nearest_many_by_power(a, b, power, 0, n_b, many, scores)
        assert np.array_equal(many, np.argsort(distances, axis=1, kind="stable")[:, :m])
        assert np.array_equal(scores, np.sort(distances, axis=1)[:, :m])


@pytest.mark.parametrize("power", POWERS)
def test_a_part_of_the_records_leaves_the_others_alone(power):
    a, b = grid(5, 3), grid(6, 4)
    best, second, ties = (np.full(6, 99, dtype=np.int64) for _ in range(3))
    score, second_score, limit = (np.full(6, np.nan) for _ in range(3))
    nearest_by_power(a, b, power, 2, 4, np.zeros(6), best, score, second, second_score, limit, ties)
    assert (best != 99).tolist() == [False, False, True, True, False, False]
    assert best[2:4].tolist() == np.argmin(table(a, b, power), axis=1)[2:4].tolist()


def test_what_rounding_explains_is_a_tie():
    a = np.array([[1.0], [1.0 + 1e-9], [3.0]])
    b = np.zeros((2, 1))
    results = [np.zeros(2, dtype=np.int64) for _ in range(3)] + [np.zeros(2) for _ in range(3)]
    best, second, ties, score, second_score, limit = results
    nearest_by_power(a, b, 1, 0, 2, np.array([0.0, 1e-6]), best, score, second, second_score, limit, ties)
    assert ties.tolist() == [1, 2]
    assert second_score[0] > score[0]
    assert second_score[1] == score[1]


@pytest.mark.parametrize("power", POWERS)
def test_among_the_tied_the_lowest_position_comes_first_though_another_is_nearer(power):
    # A hair above 1, 1, three, a hair above 1 again: the second is the nearest, and all but the third are tied.
    hair = 1.0 + 1e-9
    a, b = np.array([[hair], [1.0], [3.0], [hair]]), np.zeros((3, 1))
    best, second, ties = (np.full(3, 99, dtype=np.int64) for _ in range(3))
    score, second_score, limit = (np.full(3, np.nan) for _ in range(3))
    slack = np.array([1e-6, 0.0, 5.0])
    nearest_by_power(a, b, power, 0, 3, slack, best, score, second, second_score, limit, ties)
    assert (best.tolist(), second.tolist(), ties.tolist()) == ([0, 1, 0], [1, 0, 1], [3, 1, 4])
    assert score.tolist() == [1.0, 1.0, 1.0]
    assert second_score.tolist() == [1.0, POWERS[power](hair), 1.0]
    assert limit == pytest.approx([(1 + 1e-6) ** 2, 1.0, 36.0] if power == 0 else [1 + 1e-6, 1.0, 6.0])
    offsets = np.array([0, 3, 4, 8])
    tied = np.full(8, 99, dtype=np.int64)
    tied_by_power(a, b, power, limit, ties, best, offsets, 1, 3, tied)
    assert tied.tolist() == [99, 99, 99, 1, 0, 1, 2, 3]
    tied_by_power(a, b, power, limit, ties, best, offsets, 0, 1, tied)
    assert tied[:3].tolist() == [0, 1, 3]


def test_the_nearest_few_of_a_part_of_the_records():
    a, b = np.array([[0.0, 1.0], [4.0, 1.0], [0.0, 2.0], [9.0, 9.0]]), np.array([[0.0, 1.0], [0.0, 0.0], [4.0, 2.0]])
    nearest, scores = np.full((3, 3), 99, dtype=np.int64), np.full((3, 3), np.nan)
    nearest_many_by_power(a, b, 0, 1, 3, nearest, scores)
    assert nearest.tolist() == [[99, 99, 99], [0, 2, 1], [1, 2, 0]]
    assert scores[1:].tolist() == [[1.0, 4.0, 17.0], [1.0, 16.0, 17.0]]
