"""Records of a few groups, regrouped: sums by hand, descents beside trying everything, draws replayed with lists."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from discreet.kernels.draws import below, uniform
from discreet.kernels.groups import pool


def distances(points: np.ndarray) -> np.ndarray:
    return ((points[:, None] - points) ** 2).sum(axis=2)


def squares(points: np.ndarray, group: list[int]) -> float:
    """Squared error of a grouping."""
    labels = np.array(group)
    return sum(((points[labels == g] - points[labels == g].mean(axis=0)) ** 2).sum() for g in set(group))


def test_distances_of_a_pool() -> None:
    points = np.array([[0.0, 5.0], [1.0, 5.0], [3.0, 4.0], [9.0, 9.0]])
    D = np.full((4, 4), -1.0)
    pool.pairwise(points, np.array([2, 0, 1, 3]), 3, np.empty((2, 3)), D)
    assert D.tolist() == [[0, 10, 5, -1], [10, 0, 1, -1], [5, 1, 0, -1], [-1, -1, -1, -1]]


def test_sums_of_a_grouping() -> None:
    D = distances(np.array([[0.0], [2.0], [3.0], [7.0], [9.0]]))
    R, T, count = np.full((2, 5), 9.0), np.full(2, 9.0), np.full(2, 9)
    error = pool.measure(D, 5, 2, np.array([0, 0, 1, 1, 1]), R, T, count)
    assert R.tolist() == [[4.0, 4.0, 10.0, 74.0, 130.0], [139.0, 75.0, 52.0, 20.0, 40.0]]
    assert (T.tolist(), count.tolist()) == ([4.0, 56.0], [2, 3])
    assert error == 2.0 + 56.0 / 3


def plain_descent(points: np.ndarray, k: int, group: list[int]) -> list[int]:
    """Try for one record after the other everything that may be done with it."""
    group, n_groups = list(group), max(group) + 1
    improved = True
    while improved:
        improved = False
        for i in range(len(group)):
            a, sizes = group[i], Counter(group)
            roomy = [b for b in range(n_groups) if b != a and sizes[a] > k and sizes[b] < 2 * k - 1]
            trials = [[*group[:i], b, *group[i + 1 :]] for b in roomy]
            for j, b in enumerate(group):
                if b != a:
                    trial = list(group)
                    trial[i], trial[j] = b, a
                    trials.append(trial)
            best = min(trials, key=lambda trial: squares(points, trial), default=group)
            if squares(points, best) < squares(points, group) * (1 - 1e-12):
                group, improved = best, True
    return group


@pytest.mark.parametrize(("k", "sizes"), [(2, [2, 2]), (2, [2, 3]), (2, [3, 3, 2]), (3, [3, 5, 4]), (1, [1, 1])])
def test_a_descent_is_that_of_trying_everything(k: int, sizes: list[int]) -> None:
    for seed in range(8):
        points = np.random.default_rng(seed).standard_normal((sum(sizes), 2))
        start = np.random.default_rng(100 + seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
        n, groups = start.size, len(sizes)
        D, group = distances(points), start.copy()
        R, T, count = np.empty((groups, n)), np.empty(groups), np.empty(groups, dtype=np.int64)
        pool.measure(D, n, groups, group, R, T, count)
        error = pool.descend(D, n, groups, k, group, R, T, count)
        assert group.tolist() == plain_descent(points, k, start.tolist())
        assert error == pytest.approx(squares(points, group.tolist()), abs=1e-12)
        assert count.tolist() == np.bincount(group, minlength=groups).tolist()


def plain_regrouping(D: np.ndarray, groups: int, k: int, state: np.ndarray) -> list[int]:
    size = len(D)
    group, seeds = [-1] * size, [below(state, size)]
    for g in range(groups):
        free = [p for p in range(size) if group[p] < 0]
        if g > 0 and uniform(state) < 0.5:
            seed = max(free, key=lambda p: D[seeds[-1], p])
        else:
            seed = free[below(state, len(free))]
        seeds.append(seed)
        group[seed] = g
        free.remove(seed)
        for p in sorted(free, key=lambda p: D[seed, p])[: k - 1]:
            group[p] = g
    for p in range(size):
        if group[p] < 0:
            roomy = [g for g in range(groups) if group.count(g) < 2 * k - 1]
            group[p] = min(roomy, key=lambda g: D[seeds[1 + g], p])
    return group


@pytest.mark.parametrize(("size", "groups", "k"), [(4, 2, 2), (6, 2, 2), (9, 3, 2), (11, 3, 3), (15, 3, 3), (3, 3, 1)])
def test_a_new_grouping_is_that_of_its_draws(size: int, groups: int, k: int) -> None:
    for seed in range(12):
        D = distances(np.random.default_rng(seed).integers(0, 4, (size, 2)).astype(np.float64))
        state, twin = np.array([seed], dtype=np.uint64), np.array([seed], dtype=np.uint64)
        group = np.full(size, 77)
        pool.regroup(D, size, groups, k, state, group, np.empty(groups, dtype=np.int64))
        assert group.tolist() == plain_regrouping(D, groups, k, twin)
        assert state == twin


def test_a_few_records_are_exchanged() -> None:
    for seed in range(12):
        state, twin = np.array([seed], dtype=np.uint64), np.array([seed], dtype=np.uint64)
        group, expected = np.array([0, 0, 1, 1, 2, 2, 8]), [0, 0, 1, 1, 2, 2, 8]
        pool.shake(6, state, group)
        for _ in range(1 + below(twin, 3)):
            p, q = below(twin, 6), below(twin, 6)
            expected[p], expected[q] = expected[q], expected[p]
        assert group.tolist() == expected
        assert state == twin


@pytest.mark.parametrize("most", [2, 3, 10])
def test_near_groups_of_the_region_are_gathered_once(most: int) -> None:
    labels = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    region = np.array([5, 5, 6, 5, 5], dtype=np.int32)  # group 2 belongs to another one
    lists = np.array([[9] * 8, [0, 2, 4, 3, 6, 2, 8, 7]], dtype=np.int32)
    row = np.array([1] + [0] * 9)
    for seed in range(20):
        state, twin = np.array([seed], dtype=np.uint64), np.array([seed], dtype=np.uint64)
        groups = np.full(12, -1)
        n = pool.gather(labels, region, 5, 0, row, lists, state, most, groups)
        expected = [0]
        for near in lists[1].tolist():
            g = int(labels[near])
            if len(expected) < most and region[g] == 5 and g not in expected and uniform(twin) >= 0.25:
                expected.append(g)
        assert groups[:n].tolist() == expected
        assert state == twin


def test_records_go_back_into_the_groups_that_they_have_now() -> None:
    labels, members, sizes = np.full(8, 9), np.full((6, 3), -1), np.array([3, 3, 3, 3, 3, 3])
    costs = np.full(6, 7.0)
    pool.write_back(
        np.array([6, 1, 4, 3, 0]), 5, 2, np.array([1, 0, 1, 1, 0]), np.array([4.0, -1e-9]), np.array([2, 3]),
        np.array([5, 2]), labels, members, sizes, costs,
    )  # fmt: skip
    assert labels.tolist() == [5, 5, 9, 2, 2, 9, 2, 9]
    assert members[[5, 2]].tolist() == [[1, 0, -1], [6, 4, 3]]
    assert sizes.tolist() == [3, 3, 3, 3, 3, 2]
    assert costs.tolist() == [7.0, 7.0, 0.0, 7.0, 7.0, 2.0]
