"""Means under warping are those of paths that are looked for one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from discreet.data.scales import EncodedSequences
from discreet.kernels.sequences.barycentre import warped_means
from discreet.kernels.sequences.series_distances import GAP_CODE


def best_path(prototype: list[int], member: list[int], band: int) -> list[tuple[int, int]]:
    """Return the cheapest path from its end, where paths cost the same the one that stays on the diagonal, then up."""
    far = {(-1, -1): 0}
    for p, x in enumerate(prototype):
        for q, y in enumerate(member):
            if abs(p - q) <= band:
                here = 0 if GAP_CODE in (x, y) else (x - y) ** 2
                steps = [far[step] for step in ((p - 1, q - 1), (p - 1, q), (p, q - 1)) if step in far]
                if steps:
                    far[p, q] = here + min(steps)
    path = [(len(prototype) - 1, len(member) - 1)]
    while path[-1] != (0, 0):
        p, q = path[-1]
        path.append(
            min([step for step in ((p - 1, q - 1), (p - 1, q), (p, q - 1)) if step in far], key=far.__getitem__)
        )
    return path


def improved(group: list[list[int]], weights: list[int], prototype: list[int], window: float, rounds: int) -> list[int]:
    """Return the prototype after so many rounds."""
    for _ in range(rounds):
        meets: list[list[int]] = [[] for _ in prototype]
        for member, weight in zip(group, weights, strict=True):
            if member and prototype:
                band = max(int(window * max(len(prototype), len(member))), abs(len(prototype) - len(member)))
                for p, q in best_path(prototype, member, band):
                    meets[p] += [member[q]] * weight if member[q] != GAP_CODE else []
        prototype = [int((Fraction(sum(x), len(x)) + Fraction(1, 2)) // 1) if x else GAP_CODE for x in meets]
    return prototype


def run(
    groups: list[list[list[int]]], weights: list[list[int]], guesses: list[list[int]], window: float, rounds: int
) -> list[list[int]]:
    members = EncodedSequences.of([one for group in groups for one in group])
    starts = np.concatenate(([0], np.cumsum([len(guess) for guess in guesses])))
    prototypes = np.array([x for guess in guesses for x in guess], dtype=np.int32)
    longest = max([1, *(len(one) for group in [*groups, guesses] for one in group)])
    warped_means(
        members.codes, members.offsets, np.array([w for one in weights for w in one], dtype=np.int64),
        np.concatenate(([0], np.cumsum([len(group) for group in groups]))), starts, window, rounds, longest, prototypes,
    )  # fmt: skip
    return [prototypes[start:stop].tolist() for start, stop in pairwise(starts)]


@pytest.mark.parametrize("rounds", [0, 1, 2, 6])
@pytest.mark.parametrize("window", [0.0, 0.3, 1.0])
def test_means_are_those_of_the_cheapest_paths(window: float, rounds: int) -> None:
    rng = np.random.default_rng(int(10 * window) + rounds)

    def series(low: int) -> list[int]:
        values = rng.integers(-3, 9, rng.integers(low, 7)).tolist()
        return [GAP_CODE if rng.random() < 0.1 else x for x in values]

    groups = [[series(0) for _ in range(rng.integers(1, 5))] for _ in range(12)]
    weights = [[int(rng.integers(1, 4)) for _ in group] for group in groups]
    guesses = [series(i % 2) for i in range(12)]
    expected = [improved(*parts, window, rounds) for parts in zip(groups, weights, guesses, strict=True)]
    assert run(groups, weights, guesses, window, rounds) == expected


def test_halves_are_rounded_up() -> None:
    assert run([[[1], [2]], [[-1], [-2]]], [[1, 1], [1, 1]], [[0], [0]], 0.0, 1) == [[2], [-1]]


def test_equal_series_stay_and_gaps_have_no_say() -> None:
    same = [5, 5, 2, 5]
    assert run([[same, same]], [[1, 2]], [same], 1.0, 5) == [same]
    assert run([[[GAP_CODE, 4], [2, 8]]], [[1, 1]], [[2, 4]], 0.0, 1) == [[2, 6]]
    assert run([[[GAP_CODE], [GAP_CODE]]], [[1, 1]], [[7]], 0.0, 1) == [[GAP_CODE]]
    assert run([[[], []]], [[1, 1]], [[7]], 0.0, 1) == [[GAP_CODE]]  # nobody has a say


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    with stops():
        run([[[1, 2]]], [[1]], [[1, 2]], 1.0, 1)
