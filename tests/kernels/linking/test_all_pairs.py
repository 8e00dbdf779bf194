"""Patterns of all pairs, and the heaviest pairs of every record, are those that a look at each pair finds."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from discreet.kernels.linking.all_pairs import best_both_ways, pattern_positions, tabulate_patterns, tabulate_within

STRIDE = np.array([6, 6, 2, 1], dtype=np.int32)
PATTERNS = 16


def drawn(seed: int, n: int, missing: int, levels: int = 3) -> np.ndarray:
    """Return classes of records, column by column; the first attribute has two levels, one within the other."""
    rng = np.random.default_rng(seed)
    fine = rng.integers(0, 2 * levels, n)
    columns = np.stack([fine // 2, fine, rng.integers(0, levels, n), rng.integers(0, levels, n)])
    columns[:, rng.random(n) < 0.1] = missing
    columns[3, rng.random(n) < 0.2] = missing
    return columns.astype(np.int8)


def position(a: np.ndarray, c: int, b: np.ndarray, k: int) -> int:
    return sum(int(STRIDE[p]) for p in range(4) if a[p, c] == b[k, p])


def test_positions_of_a_run() -> None:
    a, b = drawn(1, 30, -1), np.ascontiguousarray(drawn(2, 9, -2).T)
    for begin, end in [(0, 30), (3, 11), (29, 30), (5, 5)]:
        positions = np.full(31, -7, dtype=np.int32)
        pattern_positions(a, begin, end, b, 4, STRIDE, positions)
        expected = [position(a, c, b, 4) for c in range(begin, end)]
        assert positions.tolist() == [*expected, *[-7] * (31 - len(expected))]


@pytest.mark.parametrize(("n_a", "n_b"), [(1, 1), (7, 12), (2049, 2), (2048, 1)])
def test_pairs_of_two_files(n_a: int, n_b: int) -> None:
    rng = np.random.default_rng(n_a)
    a, b = drawn(3, n_a, -1), np.ascontiguousarray(drawn(4, n_b, -2).T)
    a_size, b_size = rng.integers(1, 5, n_a), rng.integers(1, 5, n_b)
    table = np.full(PATTERNS, 100)
    tabulate_patterns(a, a_size, b, b_size, STRIDE, table)
    counts: Counter[int] = Counter()
    for c in range(n_a):
        for k in range(n_b):
            counts[position(a, c, b, k)] += int(a_size[c] * b_size[k])
    assert table.tolist() == [100 + counts[pattern] for pattern in range(PATTERNS)]


@pytest.mark.parametrize("n", [1, 2, 13, 40])
def test_pairs_of_a_file_with_itself(n: int) -> None:
    sizes = np.random.default_rng(n).integers(1, 5, n)
    a = drawn(5, n, -1)
    rows = np.ascontiguousarray(np.where(a < 0, -2, a).T)
    table = np.full(PATTERNS, 100)
    tabulate_within(a, sizes, rows, STRIDE, table)
    counts: Counter[int] = Counter()
    for c in range(n):
        for k in range(n):
            counts[position(a, c, rows, k)] += int(sizes[c] * sizes[k])
    assert table.tolist() == [100 + counts[pattern] for pattern in range(PATTERNS)]


def test_pairs_of_a_long_file_with_itself() -> None:
    # Longer than what is worked out together: all agree on all but two.
    n = 2051
    a = np.zeros((4, n), dtype=np.int8)
    a[3, -1], a[:, 1] = 1, 1
    table = np.zeros(PATTERNS, dtype=np.int64)
    tabulate_within(a, np.ones(n, dtype=np.int64), np.ascontiguousarray(a.T), STRIDE, table)
    alike = n - 2
    expected = {15: alike**2 + 2, 0: 2 * alike, 14: 2 * alike, 1: 2}
    assert table.tolist() == [expected.get(pattern, 0) for pattern in range(PATTERNS)]


def answered(ranks: np.ndarray) -> tuple[list[int], list[int]]:
    """Return best, its rank, the lowest of the next rank, that rank, how many have the best; and who has the best."""
    order = sorted(set(ranks.tolist()))
    ties = np.flatnonzero(ranks == order[0]).tolist()
    second = [int(np.flatnonzero(ranks == order[1])[0]), order[1]] if len(order) > 1 else [-1, 2**31 - 1]
    return [ties[0], order[0], *second, len(ties)], ties


@pytest.mark.parametrize(
    ("n_a", "n_b", "models", "levels"),
    [(1, 1, 1, 3), (1, 9, 2, 3), (20, 30, 3, 3), (70, 6, 2, 1), (6, 80, 2, 2), (3, 90, 1, 1)],
)
def test_the_heaviest_pairs_of_either_file(n_a: int, n_b: int, models: int, levels: int) -> None:
    rng = np.random.default_rng([n_a, n_b])
    a, b = drawn(7, n_a, -1, levels), np.ascontiguousarray(drawn(8, n_b, -2, levels).T)
    step_of = rng.integers(0, 7, (models, PATTERNS)).astype(np.int32)
    outs = [
        [np.full((models, n), -9, dtype=kind) for kind in (np.int64, np.int32, np.int64, np.int32, np.int64)]
        for n in (n_b, n_a)
    ]
    tied, asking, answering = best_both_ways(a, b, STRIDE, step_of, *outs[0], *outs[1])
    ranks = np.array(
        [[[steps[position(a, c, b, k)] for c in range(n_a)] for k in range(n_b)] for steps in step_of]
    )  # by model, B and A
    classes = []
    for k in range(n_b):
        for model in range(models):
            expected, ties = answered(ranks[model, k])
            assert [int(out[model, k]) for out in outs[0]] == expected
            classes += ties
    assert tied.tolist() == classes
    pairs = []
    for model in range(models):
        for c in range(n_a):
            expected, ties = answered(ranks[model, :, c])
            assert [int(out[model, c]) for out in outs[1]] == expected
            pairs += [(k, model * n_a + c) for k in ties]
    assert sorted(zip(answering.tolist(), asking.tolist(), strict=True)) == sorted(pairs)
    assert answering.tolist() == sorted(answering.tolist())


def test_who_is_outweighed_is_dropped_where_the_lists_are_full() -> None:
    # One record of A; every record of B outweighs the one before, but for the last two.
    n = 90
    a = np.zeros((1, 1), dtype=np.int8)
    b = np.zeros((n, 1), dtype=np.int8)
    b[-2:] = 1
    stride = np.array([1], dtype=np.int32)
    outs = [
        [np.full((1, m), -9, dtype=kind) for kind in (np.int64, np.int32, np.int64, np.int32, np.int64)] for m in (n, 1)
    ]
    tied, asking, answering = best_both_ways(a, b, stride, np.array([[0, 4]], dtype=np.int32), *outs[0], *outs[1])
    assert [int(out[0, 0]) for out in outs[1]] == [n - 2, 0, 0, 4, 2]
    assert (asking.tolist(), answering.tolist(), tied.tolist()) == ([0, 0], [n - 2, n - 1], [0] * n)


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    a, rows = drawn(5, 4, -1), np.ascontiguousarray(drawn(5, 4, -2).T)
    ones, table = np.ones(4, dtype=np.int64), np.zeros(PATTERNS, dtype=np.int64)
    with stops():
        tabulate_patterns(a, ones, rows, ones, STRIDE, table)
    with stops():
        tabulate_within(a, ones, rows, STRIDE, table)
    outs = [np.full((1, 4), -9, dtype=kind) for kind in (np.int64, np.int32, np.int64, np.int32, np.int64)]
    with stops():
        best_both_ways(a, rows, STRIDE, np.zeros((1, PATTERNS), dtype=np.int32), *outs, *[one.copy() for one in outs])
