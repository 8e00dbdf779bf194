from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from tests.reference import solutions as reference

from discreet.kernels.values.solutions import MOST_MEMBERS, least_solutions


def solve(groups, sums, slack=1e-9):
    weights = np.concatenate([np.asarray(group, dtype=float) for group in groups])
    offsets = np.cumsum([0, *(len(group) for group in groups)]).astype(np.int64)
    steps, found = np.full(weights.size, 99, dtype=np.int64), np.full(len(groups), 99, dtype=np.int64)
    least_solutions(weights, offsets, np.asarray(sums, dtype=float), np.full(len(groups), slack), steps, found)
    return [steps[a:b].tolist() for a, b in pairwise(offsets)], found.tolist()


@pytest.mark.parametrize("members", [2, 3, 4, 5, 6])
def test_agrees_with_trying_everything(members):
    rng = np.random.default_rng(members)
    groups = [rng.integers(1, 40, members).astype(float) for _ in range(15)]
    truth = [rng.integers(-1, 2, members) for _ in groups]  # no less solution has a step beyond 2
    sums = [float(g @ t) for g, t in zip(groups, truth, strict=True)]
    solved, found = solve(groups, sums)
    for group, wanted, steps, how_many in zip(groups, sums, solved, found, strict=True):
        best = reference.least_solutions(group, wanted, 1e-9, 2)
        assert how_many == min(len(best), 2)
        assert tuple(steps) in best


def test_far_steps_are_looked_for_while_nearer_ones_fail():
    solved, found = solve([[1000.0, 1001.0]], [13 * 1000.0 - 9 * 1001.0])
    assert (solved, found) == ([[13, -9]], [1])


def test_equal_weights_determine_nothing_but_that_all_are_equal():
    solved, found = solve([[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]], [2.0, 0.0])
    assert found == [2, 1]
    assert solved[1] == [0, 0, 0]


def test_what_has_no_solution_or_too_many_members_is_left_alone():
    solved, found = solve([[2.0, 4.0], [1.0] * (MOST_MEMBERS + 1), [5.0]], [1.0, 0.0, 5.0])
    assert found == [0, 0, 0]
    assert all(step == 0 for steps in solved for step in steps)
