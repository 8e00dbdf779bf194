"""Pairs of ranks to exchange, never more than a window apart."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["swap_into", "swap_partners"]

_RUN = 32  # neighbouring ranks that are looked at one by one


@exact_kernel
def _remove(tree: IntArray, place: int) -> None:
    i = place + 1
    while i < tree.size:
        tree[i] -= 1
        i += i & -i


@exact_kernel
def _free_up_to(tree: IntArray, place: int) -> int:
    total, i = 0, place + 1
    while i > 0:
        total += tree[i]
        i -= i & -i
    return total


@exact_kernel
def _find_free(tree: IntArray, top: int, count: int) -> int:
    """Place of the free rank that has ``count`` free ranks up to and including itself."""
    place, step = 0, top
    while step > 0:
        beyond = place + step
        if beyond < tree.size and tree[beyond] < count:
            place = beyond
            count -= tree[beyond]
        step >>= 1
    return place


@exact_kernel
def swap_partners(
    window: int,  # IN largest difference of two swapped ranks
    draws: FloatArray,  # IN (n,) float64, uniform on [0, 1)
    partners: IntArray,  # OUT (n,) int64, the rank each rank is exchanged with; itself where nobody was free
) -> None:
    """Exchange every rank, from the lowest, with one drawn uniformly from the free ranks of its window above it.

    How many are free there is known without looking: the window moves by a rank at a time, and the one that enters it
    was in nobody's window before. The one that is drawn is found in a tree over runs of ranks, which stays in the
    processor's nearest memory, and then within its run.
    """
    n = partners.size
    runs = (n + _RUN - 1) // _RUN
    top = 1
    while 2 * top <= runs:
        top *= 2
    tree = np.full(2 * top, n + 1)  # a Fenwick tree over the free ranks of every run; behind it nobody goes on
    for i in range(n):
        partners[i] = -1
    for run in range(1, runs + 1):
        tree[run] = min(run * _RUN, n) - (run - (run & -run)) * _RUN
    free = min(window, n - 1)  # ranks of the window above i
    for i in range(n):
        heed_stop()
        if i > 0:
            free += (i + window < n) - (partners[i] < 0)
        if partners[i] >= 0:
            continue
        if free == 0:
            partners[i] = i
        else:
            # Every rank below i has left the tree, so i itself is the first free one.
            count = 2 + min(int(draws[i] * free), free - 1)
            run, step = 0, top
            while step > 0:
                # Without a branch: whether to go on is as good as drawn, and no processor foresees it.
                passed = tree[run + step] < count
                count -= tree[run + step] * passed
                run += step * passed
                step >>= 1
            j = run * _RUN
            count -= partners[j] < 0
            while count > 0:
                j += 1
                count -= partners[j] < 0
            partners[i], partners[j] = j, i
            free -= 1
            _remove(tree, j // _RUN)
        _remove(tree, i // _RUN)


@exact_kernel
def swap_into(
    lows: IntArray,  # IN (n,) int64, the lowest rank that each is to be exchanged with
    highs: IntArray,  # IN (n,) int64, the highest
    draws: FloatArray,  # IN (n,) float64, uniform on [0, 1)
    tree: IntArray,  # BUFFER (n + 1,) int64, a Fenwick tree over the ranks that are free
    partners: IntArray,  # OUT (n,) int64, the rank each rank is exchanged with; itself where nobody was free
) -> None:
    """Exchange every rank, from the lowest, with a free one of its goal, or with the free one that is nearest to it."""
    n = partners.size
    for i in range(n):
        partners[i] = -1
    for i in range(1, n + 1):
        tree[i] = i & -i
    top = 1
    while 2 * top <= n:
        top *= 2
    free = n
    for i in range(n):
        heed_stop()
        if partners[i] >= 0:
            continue
        if free == 1:  # every rank below i has left the tree, so that i is the last one
            partners[i] = i
            free = 0
            _remove(tree, i)
            continue
        low, high = max(lows[i], i + 1), min(highs[i], n - 1)
        before = _free_up_to(tree, low - 1)  # i itself among them
        inside = _free_up_to(tree, high) - before if high >= low else 0
        if inside > 0:
            j = _find_free(tree, top, before + 1 + min(int(draws[i] * inside), inside - 1))
        elif before == 1:
            j = _find_free(tree, top, 2)
        elif before == free:
            j = _find_free(tree, top, free)
        else:
            below, above = _find_free(tree, top, before), _find_free(tree, top, before + 1)
            j = below if low - below <= above - max(high, low) else above
        partners[i], partners[j] = j, i
        free -= 2
        _remove(tree, i)
        _remove(tree, j)
