"""How often the convex median falls although no value fell: a random experiment, one cell at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import IntArray

__all__ = ["count_violations"]


@exact_kernel
def _draw(
    state: NDArray[np.uint64],  # IN OUT (1,) uint64
    size: int | np.int64,  # IN at least 1
) -> np.int64:
    """Return a number of ``0 … size − 1`` from the splitmix64 sequence that starts at the state."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    # The upper half times the size, again its upper half: a bias below size / 2**32.
    return np.int64(((z >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32))


@exact_kernel
def _convex_median(
    counts: IntArray,  # IN (l,) int64, at least one positive
    filled: IntArray,  # BUFFER (l,) int64
) -> int:
    """Return the first level at which more than half of the filled counts is reached, in whole numbers."""
    top = 0
    for level in range(counts.size):
        top = max(top, counts[level])
        filled[level] = top
    top, total = 0, 0
    for level in range(counts.size - 1, -1, -1):
        top = max(top, counts[level])
        filled[level] = min(filled[level], top)
        total += filled[level]
    level, running = 0, filled[0]
    while 2 * running <= total:
        level += 1
        running += filled[level]
    return level


@exact_kernel
def count_violations(
    n_sources: int,  # IN values in a draw
    moves: int,  # IN K
    same_pair: bool,  # IN all moves go from one level to one other (scenario 1)
    draws: int,  # IN
    state: NDArray[np.uint64],  # IN OUT (1,) uint64, seeds the draws
    counts: IntArray,  # BUFFER (l,) int64
    filled: IntArray,  # BUFFER (l,) int64
) -> int:
    """Return in how many draws the median of the raised values is below that of the values."""
    n_levels = counts.size
    violations = 0
    for _ in range(draws):
        heed_stop()
        counts[:] = 0
        for _ in range(n_sources):
            counts[_draw(state, n_levels)] += 1
        before = _convex_median(counts, filled)
        for _ in range(1 if same_pair else moves):
            low = _draw(state, n_levels - 1)
            high = low + 1 + _draw(state, n_levels - 1 - low)
            moved = min(moves if same_pair else 1, counts[low])
            counts[low] -= moved
            counts[high] += moved
        if _convex_median(counts, filled) < before:
            violations += 1
    return violations
