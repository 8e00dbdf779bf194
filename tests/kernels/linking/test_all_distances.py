"""The nearest records of two files in both directions are those of a table of all distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.reference.linkage import best as best_of_rows

from discreet.kernels.linking.all_distances import nearest_both_ways


class SmallFiles:
    """Two files of categories with tables of terms, and of numbers."""

    def __init__(self, seed: int, n_a: int, n_b: int, categories: int, numbers: int, *, infinite: bool = False) -> None:
        rng = np.random.default_rng(seed)
        self.n_a, self.n_b = n_a, n_b
        self.codes_of = np.array([3 + p for p in range(categories)], dtype=np.int64)
        rows = [2 + p for p in range(categories)]
        self.table = np.concatenate(([0], np.cumsum(self.codes_of * rows)))[:categories].astype(np.int64)
        # Eighths, so that many sums are equal.
        self.terms = rng.integers(0, 9, int((self.codes_of * rows).sum()) + 1) / 8
        if infinite:
            self.terms[rng.random(self.terms.size) < 0.5] = np.inf
        self.a_codes = np.column_stack([np.empty((n_a, 0)), *(rng.integers(0, c, n_a) for c in self.codes_of)])
        self.b_codes = np.column_stack([np.empty((n_b, 0)), *(rng.integers(0, c, n_b) for c in rows)])
        self.a_codes, self.b_codes = (
            np.ascontiguousarray(one.astype(np.uint8)) for one in (self.a_codes, self.b_codes)
        )
        self.a_numbers = rng.integers(0, 12, (n_a, numbers)) / 4
        self.b_numbers = rng.integers(0, 12, (n_b, numbers)) / 4
        self.a_several, self.b_several = rng.random(n_a) < 0.3, rng.random(n_b) < 0.3

    def distances(self, squared: bool) -> np.ndarray:
        """Return the sum of terms of every pair, B by A."""
        result = np.zeros((self.n_b, self.n_a))
        for k in range(self.n_b):
            for c in range(self.n_a):
                for p, codes in enumerate(self.codes_of):
                    row = self.table[p] + int(self.b_codes[k, p]) * codes
                    result[k, c] += self.terms[row + self.a_codes[c, p]]
                gaps = np.abs(self.a_numbers[c] - self.b_numbers[k])
                result[k, c] += float((gaps**2 if squared else gaps).sum())
        return result

    def answers(self, squared: bool, a_slack: np.ndarray, b_slack: np.ndarray) -> tuple[list[Any], list[Any]]:
        outs = [
            [np.full(n, -9), np.full(n, -9.0), np.full(n, -9), np.full(n, -9.0), np.full(n, -9)]
            for n in (self.n_b, self.n_a)
        ]
        starts = self.table + self.b_codes.astype(np.int64) * self.codes_of
        tied = nearest_both_ways(
            self.a_codes, self.b_codes, self.a_numbers, self.b_numbers, np.ascontiguousarray(self.a_numbers.T),
            self.terms, self.table, self.codes_of, self.terms.astype(np.float32), np.ascontiguousarray(starts),
            np.ascontiguousarray(self.a_codes.T), squared, self.a_several, self.b_several, a_slack, b_slack, *outs[0],
            *outs[1],
        )  # fmt: skip
        return [*outs[0], tied[0]], [*outs[1], tied[1]]


def check(answer: list[Any], sums: np.ndarray, slack: np.ndarray, squared: bool, several: np.ndarray) -> None:
    best, score, second, second_score, counts, tied = answer
    start = 0
    for k, (order, ties) in enumerate(best_of_rows(sums, slack, squared=squared)):
        assert counts[k] == len(ties)
        assert tied[start : start + len(ties)].tolist() == ties
        start += len(ties)
        if not ties:
            assert (best[k], score[k], second[k], second_score[k]) == (-1, np.inf, -1, np.inf)
            continue
        assert best[k] == ties[0]
        assert score[k] == sums[k].min()
        if len(ties) > 1:
            assert (second[k], second_score[k]) == (ties[1], sums[k].min())
        elif not several[ties[0]]:  # one of several records is its own second, and nobody asks
            following = order[1] if len(order) > 1 else -1
            assert (second[k], second_score[k]) == (following, sums[k, following] if following >= 0 else np.inf)
    assert start == tied.size


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize(("categories", "numbers"), [(2, 1), (0, 2), (3, 0)])
@pytest.mark.parametrize(("n_a", "n_b"), [(1, 1), (2, 1), (1, 3), (30, 25), (8, 90), (90, 8)])
def test_nearest_of_both(n_a: int, n_b: int, categories: int, numbers: int, squared: bool) -> None:
    for slack in (0.0, 0.1):
        files = SmallFiles(n_a + n_b, n_a, n_b, categories, numbers, infinite=categories == 3)
        a_slack, b_slack = np.full(n_a, slack), np.full(n_b, 2 * slack)
        of_b, of_a = files.answers(squared, a_slack, b_slack)
        sums = files.distances(squared)
        check(of_b, sums, b_slack, squared, files.a_several)
        check(of_a, np.ascontiguousarray(sums.T), a_slack, squared, files.b_several)


@pytest.mark.parametrize(("n_a", "n_b"), [(3, 200), (200, 3), (64, 64), (65, 65)])
def test_lists_grow_with_ties(n_a: int, n_b: int) -> None:
    # All are tied with all: more than any list has room for at first.
    files = SmallFiles(5, n_a, n_b, 1, 1)
    files.a_codes[:], files.b_codes[:], files.a_numbers[:], files.b_numbers[:] = 1, 1, 2.0, 3.0
    a_slack, b_slack = np.zeros(n_a), np.zeros(n_b)
    sums = files.distances(False)
    of_b, of_a = files.answers(False, a_slack, b_slack)
    check(of_b, sums, b_slack, False, files.a_several)
    check(of_a, np.ascontiguousarray(sums.T), a_slack, False, files.b_several)
    assert of_b[-1].size == of_a[-1].size == n_a * n_b


@pytest.mark.parametrize("squared", [False, True])
def test_all_who_are_met_exactly_are_tied(squared: bool) -> None:
    files = SmallFiles(7, 3, 5, 0, 1)
    files.a_numbers[:, 0], files.b_numbers[:, 0] = [1.0, 1.0, 2.0], [1.0, 1.0, 2.0, 1.0, 1.0]
    sums = files.distances(squared)
    of_b, of_a = files.answers(squared, np.zeros(3), np.zeros(5))
    check(of_b, sums, np.zeros(5), squared, files.a_several)
    check(of_a, np.ascontiguousarray(sums.T), np.zeros(3), squared, files.b_several)
    assert of_a[4].tolist() == [4, 4, 1]


def test_who_comes_nearer_and_nearer_outlives_the_lists() -> None:
    # Every record of B is nearer to all of A than those before it, and the last two are equally near.
    files = SmallFiles(6, 7, 60, 0, 1)
    files.a_numbers[:] = 0.0
    files.b_numbers[:, 0] = [*range(60, 1, -1), 2]
    a_slack, b_slack = np.zeros(7), np.zeros(60)
    of_b, of_a = files.answers(True, a_slack, b_slack)
    assert of_a[0].tolist() == [58] * 7
    assert of_a[2].tolist() == [59] * 7
    assert of_a[1].tolist() == of_a[3].tolist() == [4.0] * 7
    assert of_a[4].tolist() == [2] * 7
    assert of_b[-1].tolist() == list(range(7)) * 60


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    for n_b in (3, 0):  # with nobody to ask about, A is still gone through
        with stops():
            SmallFiles(1, 4, n_b, 1, 1).answers(True, np.zeros(4), np.zeros(n_b))
