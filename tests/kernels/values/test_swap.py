"""Partners within a window, beside plain lists of who is free; and nothing is written beyond an array's end."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.values.swap import swap_into, swap_partners

GUARD = -77


def guarded(n):
    """An array of n whole numbers, and the one behind its end."""
    room = np.full(n + 1, GUARD, dtype=np.int64)
    return room[:n], room[n:]


def run(kernel, n, *arguments):
    tree, behind_tree = guarded(n + 1)
    partners, behind = guarded(n)
    kernel(*arguments, *([tree] if kernel is swap_into else []), partners)  # the other one has a tree of its own
    assert behind_tree.tolist() == behind.tolist() == [GUARD], "written beyond the end"
    return partners.tolist()


def drawn(candidates, draw):
    return candidates[min(int(draw * len(candidates)), len(candidates) - 1)]


def plain_partners(n, window, draws):
    free, partners = list(range(n)), [-1] * n
    while free:
        i = free.pop(0)
        near = [j for j in free if j <= i + window]
        j = drawn(near, draws[i]) if near else i
        partners[i], partners[j] = j, i
        free = [one for one in free if one != j]
    return partners


def plain_into(n, lows, highs, draws):
    free, partners = list(range(n)), [-1] * n
    while free:
        i = free.pop(0)
        low, high = max(lows[i], i + 1), min(highs[i], n - 1)
        inside = [j for j in free if low <= j <= high]
        below, above = [j for j in free if j < low], [j for j in free if j >= low]
        if not free:
            j = i
        elif inside:
            j = drawn(inside, draws[i])
        elif not below or not above:
            j = above[0] if above else below[-1]
        else:
            j = below[-1] if low - below[-1] <= above[0] - max(high, low) else above[0]
        partners[i], partners[j] = j, i
        free = [one for one in free if one != j]
    return partners


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 40])
def test_everybody_is_exchanged_within_the_window(n):
    rng = np.random.default_rng(n)
    for window in (1, 2, 3, n // 2 + 1, n + 5):
        draws = rng.random(n)
        partners = run(swap_partners, n, window, draws)
        assert partners == plain_partners(n, window, draws.tolist())
        assert all(partners[j] == i and abs(i - j) <= window for i, j in enumerate(partners))


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 16, 31])
def test_goals_are_reached_or_the_nearest_free_one_is(n):
    rng = np.random.default_rng(100 + n)
    for _ in range(20):
        lows = rng.integers(-2, n, n)
        highs = lows + rng.integers(0, 5, n)
        draws = rng.random(n)
        partners = run(swap_into, n, lows, highs, draws)
        assert partners == plain_into(n, lows.tolist(), highs.tolist(), draws.tolist())
