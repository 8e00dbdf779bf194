"""Classes of equal keys, by a hash table: linear in the number of keys."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.typing import IntArray

__all__ = ["number_classes", "split_classes"]

# Fibonacci hashing: the high bits of the product spread runs of keys over the table.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@exact_kernel
def number_classes(
    keys: IntArray,  # IN (n,) int64
    bits: int,  # IN the table has 2 ** bits slots, more than n
    slots: IntArray,  # BUFFER (2 ** bits,) int64
    heads: IntArray,  # BUFFER (n,) int64
    labels: IntArray,  # OUT (n,) int64, the class of every key, numbered as they appear
) -> int:
    """Give equal keys one number; return how many different ones there are."""
    slots[:] = -1
    mask = slots.size - 1
    count = 0
    for i in range(keys.size):
        key = keys[i]
        at = np.int64((np.uint64(key) * _MULTIPLIER) >> np.uint64(64 - bits))
        while True:
            number = slots[at]
            if number < 0:
                slots[at] = count
                heads[count] = key
                labels[i] = count
                count += 1
                break
            if heads[number] == key:
                labels[i] = number
                break
            at = (at + 1) & mask
    return count


@exact_kernel
def split_classes(
    order: IntArray,  # IN (v,) int64, records by group, within a group by the size of their class, class by class
    groups: IntArray,  # IN (n,) int64
    classes: IntArray,  # IN (n,) int64
    sizes: IntArray,  # IN (n,) int64, how many records each record matches
    k: int,  # IN how many each must match
    hide: IntArray,  # OUT (v,) int64, 1 where the record is to match its whole group, 0 where it need not
) -> None:
    """Hide classes of a group, the smallest first, until what is hidden makes the others match k records.

    A hidden record matches its whole group. So a class whose size and the hidden records of other classes add up to k
    needs no hiding.
    """
    hidden, p = 0, 0
    while p < order.size:
        if p == 0 or groups[order[p]] != groups[order[p - 1]]:
            hidden = 0
        end = p
        while end < order.size and classes[order[end]] == classes[order[p]] and groups[order[end]] == groups[order[p]]:
            end += 1
        too_few = sizes[order[p]] + hidden < k
        for q in range(p, end):
            hide[q] = 1 if too_few else 0
        if too_few:
            hidden += end - p
        p = end
