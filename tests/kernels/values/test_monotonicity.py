from __future__ import annotations

import numpy as np
import pytest
from tests.reference import operators_ordinal as reference

from discreet.kernels.values.monotonicity import _convex_median, _draw, count_violations

_MASK = (1 << 64) - 1


class _SplitMix:
    """The random sequence in Python integers."""

    def __init__(self, state):
        self.state = state

    def draw(self, size):
        self.state = (self.state + 0x9E3779B97F4A7C15) & _MASK
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
        z ^= z >> 31
        return ((z >> 32) * size) >> 32


def _experiments(seed, n_levels, n_sources, moves, same_pair, draws):
    """Replay the experiment with lists: the values of every draw and the moves made on them."""
    random = _SplitMix(seed)
    values, pairs = [], []
    for _ in range(draws):
        values.append([random.draw(n_levels) for _ in range(n_sources)])
        pairs.append([])
        for _ in range(1 if same_pair else moves):
            low = random.draw(n_levels - 1)
            high = low + 1 + random.draw(n_levels - 1 - low)
            pairs[-1].append((low, high, moves if same_pair else 1))
    return values, pairs


def test_draws_are_the_splitmix_sequence():
    state, twin = np.array([12345], dtype=np.uint64), _SplitMix(12345)
    for size in (2, 10, 1000, 1):
        assert _draw(state, size) == twin.draw(size)
    assert int(state[0]) == twin.state


def test_draws_are_uniform():
    state = np.array([1], dtype=np.uint64)
    counts = np.bincount([_draw(state, 7) for _ in range(7_000)], minlength=7)
    assert ((counts - 1_000) ** 2 / 1_000).sum() < 22.5  # chi-square with 6 degrees of freedom, 0.1 %


def test_convex_median_matches_its_twin():
    rng = np.random.default_rng(6)
    for _ in range(300):
        values = rng.integers(0, 12, size=rng.integers(1, 15)).tolist()
        counts = np.bincount(values, minlength=14)
        assert _convex_median(counts, np.empty(14, dtype=np.int64)) == reference.convex_weighted_median(values)


@pytest.mark.parametrize("same_pair", [True, False])
@pytest.mark.parametrize(("n_levels", "n_sources", "moves"), [(10, 12, 1), (20, 10, 3), (9, 15, 5), (2, 5, 2)])
def test_counts_match_the_replayed_experiment(same_pair, n_levels, n_sources, moves):
    draws = 400
    values, pairs = _experiments(99, n_levels, n_sources, moves, same_pair, draws)
    expected = sum(
        reference.violations([drawn], lambda _, made=made: made) for drawn, made in zip(values, pairs, strict=True)
    )
    counts, filled = np.empty((2, n_levels), dtype=np.int64)
    state = np.array([99], dtype=np.uint64)
    assert count_violations(n_sources, moves, same_pair, draws, state, counts, filled) == expected
    assert expected > 0 or n_levels == 2
