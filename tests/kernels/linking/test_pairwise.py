"""Sums of pairs, counted and compared, are those of a look at each pair."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from discreet.kernels.linking.pairwise import _slot, best_by_sum, count_sums, rehash


class SmallPair:
    """Two files with columns that agree or not, and attributes whose two codes have an entry in a table."""

    def __init__(self, seed: int, n_a: int, n_b: int, columns: int = 3, graded: int = 2, low: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.columns = rng.integers(-1, 3, (columns, n_a)).astype(np.int32)
        self.b_classes = rng.integers(0, 3, (n_b, columns)).astype(np.int32)
        self.b_classes[rng.random(self.b_classes.shape) < 0.1] = -2
        self.sizes = np.array([2 + g for g in range(graded)], dtype=np.int64)
        self.starts = np.concatenate(([1], 1 + np.cumsum(self.sizes**2)))[:graded].astype(np.int64)
        self.tables = rng.integers(low, 4, 1 + int((self.sizes**2).sum()))
        self.graded = np.stack([np.zeros(n_a), *(rng.integers(0, s, n_a) for s in self.sizes)])[1:].astype(np.int32)
        self.b_codes = np.column_stack([np.zeros(n_b), *(rng.integers(0, s, n_b) for s in self.sizes)])[:, 1:].astype(
            np.int32
        )
        self.steps = np.array([5 * 10**c for c in range(columns)], dtype=np.int64)

    @property
    def files(self) -> tuple[Any, ...]:
        return self.columns, self.graded, self.steps, self.tables, self.starts, self.sizes

    def sums(self) -> np.ndarray:
        """Return the sum of every pair, B by A."""
        n_b, n_a = len(self.b_classes), self.columns.shape[1]
        result = np.zeros((n_b, n_a), dtype=np.int64)
        for k in range(n_b):
            for i in range(n_a):
                agreed = sum(int(s) for c, s in enumerate(self.steps) if self.columns[c, i] == self.b_classes[k, c])
                graded = sum(
                    int(self.tables[self.starts[g] + s * self.b_codes[k, g] + self.graded[g, i]])
                    for g, s in enumerate(self.sizes)
                )
                result[k, i] = agreed + graded
        return result


@pytest.mark.parametrize(("columns", "graded"), [(3, 2), (0, 2), (2, 0)])
@pytest.mark.parametrize(("n_a", "n_b"), [(1, 1), (6, 9), (30, 20)])
def test_pairs_are_counted_by_their_sums_in_tables_that_grow(n_a: int, n_b: int, columns: int, graded: int) -> None:
    pair = SmallPair(n_a, n_a, n_b, columns, graded)
    rng = np.random.default_rng(n_b)
    weights, b_weights = rng.integers(1, 4, n_a), rng.integers(1, 4, n_b)
    bits = 3
    keys, counts = np.full(1 << bits, -1), np.zeros(1 << bits, dtype=np.int64)
    state = np.zeros(3, dtype=np.int64)
    expected: Counter[int] = Counter()
    sums = pair.sums()
    for k in range(n_b):
        for i in range(n_a):
            expected[int(sums[k, i])] += int(weights[i] * b_weights[k])
    while not count_sums(
        *pair.files, weights, pair.b_classes, pair.b_codes, b_weights, state, bits, keys, counts
    ):  # fmt: skip
        met = len({int(s) for row in sums[: state[0]] for s in row})
        assert state.tolist() == [state[0], 0, met]
        assert met + n_a > 1 << (bits - 1)  # half of the slots stay free, whatever the next run holds
        bits += 1
        fuller, fuller_counts = np.full(1 << bits, 9), np.full(1 << bits, 9)
        rehash(keys, counts, bits, fuller, fuller_counts)
        keys, counts = fuller, fuller_counts
    assert state.tolist() == [n_b, 0, len(expected)]
    assert {int(key): int(count) for key, count in zip(keys, counts, strict=True) if key >= 0} == expected
    assert not counts[keys < 0].any()
    assert set(keys[keys < 0].tolist()) <= {-1}


def test_a_table_that_is_just_large_enough_is_not_left() -> None:
    pair = SmallPair(3, 4, 1, 0, 1)
    ones = np.ones(4, dtype=np.int64)
    for bits, enough in [(3, True), (2, False)]:
        keys, counts = np.full(1 << bits, -1), np.zeros(1 << bits, dtype=np.int64)
        state = np.zeros(3, dtype=np.int64)
        asked = ones, pair.b_classes, pair.b_codes, ones[:1], state, bits, keys, counts
        assert count_sums(*pair.files, *asked) == enough
        assert counts.sum() == 4 * enough


def test_what_falls_on_the_last_slot_goes_on_at_the_first() -> None:
    first, second = [key for key in range(200) if _slot(np.int64(key), 3) == 7][:2]
    pair = SmallPair(3, 2, 1, 0, 1)
    pair.tables[:] = 0
    pair.graded[:] = [[0, 1]]
    pair.b_codes[:] = 0
    pair.tables[pair.starts[0] : pair.starts[0] + 2] = first, second
    ones = np.ones(2, dtype=np.int64)
    keys, counts, state = np.full(8, -1), np.zeros(8, dtype=np.int64), np.zeros(3, dtype=np.int64)
    assert count_sums(*pair.files, ones, pair.b_classes, pair.b_codes, ones[:1], state, 3, keys, counts)
    assert (keys[7], keys[0], counts[7], counts[0]) == (first, second, 1, 1)
    again, again_counts = np.zeros(8, dtype=np.int64), np.zeros(8, dtype=np.int64)
    rehash(keys, counts, 3, again, again_counts)
    assert {int(again[7]), int(again[0])} == {first, second}
    assert again_counts.sum() == 2


def test_counting_goes_on_in_the_middle_of_a_record() -> None:
    # 2,050 different sums of one record: after 2,048 of them a table of 4,096 slots is full enough.
    n = 2050
    pair = SmallPair(4, n, 2, 0, 1)
    pair.sizes, pair.starts = np.array([n]), np.array([0])
    pair.tables = np.concatenate((3 * np.arange(n), *[np.zeros(n, dtype=np.int64)] * (n - 1)))
    pair.graded, pair.b_codes = np.arange(n, dtype=np.int32)[None, :], np.array([[0], [1]], dtype=np.int32)
    ones = np.ones(n, dtype=np.int64)
    keys, counts, state = np.full(4096, -1), np.zeros(4096, dtype=np.int64), np.zeros(3, dtype=np.int64)
    asked = ones, pair.b_classes, pair.b_codes, np.array([1, 2])
    assert not count_sums(*pair.files, *asked, state, 12, keys, counts)
    assert state.tolist() == [0, 2048, 2048]
    larger, larger_counts = np.empty(16384, dtype=np.int64), np.empty(16384, dtype=np.int64)
    rehash(keys, counts, 14, larger, larger_counts)
    assert count_sums(*pair.files, *asked, state, 14, larger, larger_counts)
    assert state.tolist() == [2, 0, n]
    totals = dict(zip(larger.tolist(), larger_counts.tolist(), strict=True))
    assert totals[0] == 1 + 2 * n  # the second record has 0 with everybody
    assert [totals[3 * i] for i in range(1, n)] == [1] * (n - 1)


def test_where_nobody_is_nobody_is_found() -> None:
    pair = SmallPair(1, 0, 2)
    outs = [np.full(2, -9) for _ in range(5)]
    assert best_by_sum(*pair.files, pair.b_classes, pair.b_codes, np.arange(2), *outs).size == 0
    least = np.iinfo(np.int64).min
    assert [out.tolist() for out in outs] == [[-1] * 2, [least] * 2, [-1] * 2, [least] * 2, [0] * 2]


@pytest.mark.parametrize(("columns", "graded"), [(3, 2), (0, 1), (1, 0)])
@pytest.mark.parametrize(("n_a", "n_b"), [(1, 2), (2, 2), (40, 15), (100, 5), (2049, 3)])
def test_the_largest_sums_of_the_records_that_are_asked(n_a: int, n_b: int, columns: int, graded: int) -> None:
    pair = SmallPair(n_a + 1, n_a, n_b, columns, graded, low=-3)
    sums = pair.sums()
    which = np.arange(n_b)[::-2].copy()
    outs = [np.full(n_b, -9) for _ in range(5)]
    tied = best_by_sum(*pair.files, pair.b_classes, pair.b_codes, which, *outs)
    expected = []
    for k in range(n_b):
        if k not in which:
            assert [int(out[k]) for out in outs] == [-9] * 5
            continue
        order = sorted(range(n_a), key=lambda i: (-sums[k, i], i))
        ties = [i for i in order if sums[k, i] == sums[k, order[0]]]
        second = order[1] if n_a > 1 else -1
        largest = np.iinfo(np.int64).min if second < 0 else sums[k, second]
        assert [int(out[k]) for out in outs] == [order[0], sums[k, order[0]], second, largest, len(ties)]
    for k in which:
        expected += np.flatnonzero(sums[k] == sums[k].max()).tolist()
    assert tied.tolist() == expected


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    pair = SmallPair(1, 3, 2)
    ones, outs = np.ones(3, dtype=np.int64), [np.full(2, -9) for _ in range(5)]
    with stops():
        best_by_sum(*pair.files, pair.b_classes, pair.b_codes, np.arange(2), *outs)
    keys, counts, state = np.full(64, -1), np.zeros(64, dtype=np.int64), np.zeros(3, dtype=np.int64)
    with stops():
        count_sums(*pair.files, ones, pair.b_classes, pair.b_codes, ones[:2], state, 6, keys, counts)
