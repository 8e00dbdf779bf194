"""Standings name the record that is farthest from all that is left, whoever leaves and however means move."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.groups import mixed_leaves
from discreet.kernels.groups.mixed_groups import _ask_from_all
from discreet.kernels.groups.mixed_standings import build_standings, find_farthest, leave_standings

SIZES = np.array([6, 4], dtype=np.int64)
PLACES = np.array([0, 6, 10], dtype=np.int64)
ABSENT = np.array([1.0, 0.5])


def records(n, ties):
    rng = np.random.default_rng(n)
    codes = np.array([rng.integers(0, size, n) for size in SIZES], dtype=np.int32)
    numbers = rng.integers(0, 3, (2, n)) / 2.0 if ties else rng.standard_t(2, (2, n))
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    return codes, numbers


def question_of(codes, numbers, alive):
    """What is asked of all that is left, and the sums that it gives."""
    p = len(ABSENT)
    question = mixed_leaves.LeafSearch(
        np.zeros(int(PLACES[-1])), *np.zeros((4, p)), *[np.zeros(1)] * 6, np.zeros(1, dtype=np.int64)
    )
    squares = [np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / (size - 1.0) for size in SIZES]
    far = np.concatenate([square[:, codes[a, alive]].sum(axis=1) for a, square in enumerate(squares)])
    present = (~np.isnan(numbers[:, alive])).sum(axis=1).astype(np.int64)
    _ask_from_all(len(alive), ABSENT, far, np.nansum(numbers[:, alive], axis=1), present, question)
    values = np.zeros(len(alive))
    for a in range(len(SIZES)):
        values += question.weights[PLACES[a] + codes[a, alive]]
    for a in range(p):
        part = question.beta[a] + question.alpha[a] * np.abs(numbers[a, alive] - question.target[a])
        values += np.where(np.isnan(part), question.gamma[a], part)
    return question, values


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("n", [1, 16, 17, 300])
@pytest.mark.parametrize("most_short", [2**15, 1])
def test_farthest_is_the_first_of_the_largest_sums(monkeypatch, n, ties, most_short):
    monkeypatch.setattr(mixed_leaves, "_MOST_SHORT", most_short)
    codes, numbers = records(n, ties)
    rng, alive = np.random.default_rng(1), np.arange(n)
    question, _ = question_of(codes, numbers, alive)
    standings = build_standings(codes, numbers, PLACES, alive, question)
    assert standings.codes.dtype == (np.int16 if most_short > 1 else np.int32)
    while alive.size:
        question, values = question_of(codes, numbers, alive)
        farthest = find_farthest(standings, question)
        assert farthest == alive[np.argmax(values)]
        # The farthest, and often whoever pulls the means about.
        leaving = {int(farthest), *rng.choice(alive, min(2, alive.size), replace=False).tolist()}
        for i in leaving:
            leave_standings(standings, i)
        alive = alive[~np.isin(alive, list(leaving))]


def test_few_leaves_are_looked_into():
    codes, numbers = records(4000, ties=False)
    alive, opened = np.arange(4000), []
    question, _ = question_of(codes, numbers, alive)
    standings = build_standings(codes, numbers, PLACES, alive, question)
    for _ in range(20):
        question, _ = question_of(codes, numbers, alive)
        standings.opened[:] = -1
        farthest = find_farthest(standings, question)
        opened.append(int((standings.opened >= 0).sum()))
        leave_standings(standings, farthest)
        alive = alive[alive != farthest]
    assert np.mean(opened) < len(standings.records) / 10
