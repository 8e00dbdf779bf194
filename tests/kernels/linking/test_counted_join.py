"""Counting who agrees on a pattern gives what a look at each pair gives, however it is counted."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from tests.kernels.linking.test_hashjoin import NOBODY, PackedFiles

from discreet.kernels.linking.counted_join import count_join, find_steps


def sets_of(files: PackedFiles, pattern: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the masks of a pattern and of all that agree on one level more of some attributes, and their signs."""
    shape = [count + 1 for count in files.levels]
    here = np.unravel_index(pattern, shape)
    added = [more for more in product((0, 1), repeat=len(shape)) if np.all(np.add(here, more) < shape)]
    assert sum(added[0]) == 0
    finer = [int(np.ravel_multi_index(np.add(here, more), shape)) for more in added]
    return np.stack([files.mask(one) for one in finer]), np.array([(-1) ** sum(more) for more in added])


@pytest.mark.parametrize("by_sets", [True, False])
@pytest.mark.parametrize(("n_a", "n_b"), [(1, 1), (3, 50), (60, 45), (300, 9)])
@pytest.mark.parametrize(("levels", "words"), [(1, 1), (2, 1), (1, 2)])
def test_ties_are_counted_pattern_after_pattern(levels: int, words: int, n_a: int, n_b: int, by_sets: bool) -> None:
    for seed in range(2):
        files = PackedFiles(seed, n_a, n_b, levels, words)
        rng = np.random.default_rng([seed, n_a])
        step_of = files.patterns - 1 - np.arange(files.patterns) if seed == 0 else rng.integers(0, 4, files.patterns)
        best_step, lowest = np.full(n_b, -1), np.full(n_b, NOBODY)
        ties, classes = np.full(n_b, 77), np.full(n_b, 77)
        packed = files.a_words, np.ascontiguousarray(files.a_words.T), files.first, files.size, files.b_words
        for step in range(int(step_of.max()) + 1):
            for pattern in np.flatnonzero(step_of == step).tolist():
                masks, signs = sets_of(files, pattern)
                masks, signs = (masks, signs) if by_sets else (masks[:1], signs[:1])
                verify = any(step_of[other] >= step for other in files.finer(pattern))
                active = np.flatnonzero((best_step < 0) | (best_step == step))[::-1].copy()
                count_join(
                    *packed, active, masks, signs, files.flags, pattern, step, verify, *files.pair,
                    best_step, lowest, ties, classes,
                )  # fmt: skip
        for k in range(n_b):
            best, who, records, positions, _ = files.expected(step_of, k)
            assert (best_step[k], lowest[k], ties[k], classes[k]) == (best, positions[0], records, len(who))


@pytest.mark.parametrize("verify", [True, False])
def test_who_agrees_with_nobody_is_left_as_it_was(verify: bool) -> None:
    files = PackedFiles(7, 5, 3, 1, 1)
    files.b_words[:] = 0x777  # a class that nobody of A has
    state = np.full(3, -1), np.full(3, 5), np.full(3, 6), np.full(3, 7)
    masks, signs = sets_of(files, 7)
    packed = files.a_words, np.ascontiguousarray(files.a_words.T), files.first, files.size, files.b_words
    count_join(*packed, np.arange(3), masks, signs, files.flags, 7, 0, verify, *files.pair, *state)
    assert [part.tolist() for part in state] == [[-1] * 3, [5] * 3, [6] * 3, [7] * 3]


def test_pairs_are_ranked_by_their_patterns() -> None:
    files = PackedFiles(3, 9, 7, 2, 2)
    step_of = np.random.default_rng(3).permutation(files.patterns).astype(np.int32)
    of_a, of_b = np.array([8, 0, 5, 5, 2]), np.array([6, 3, 0, 6, 2])
    steps = np.full(5, -1, dtype=np.int32)
    find_steps(files.a_words, files.b_words, of_a, of_b, *files.pair, step_of, steps)
    assert steps.tolist() == [step_of[files.position(c, k)] for c, k in zip(of_a, of_b, strict=True)]
