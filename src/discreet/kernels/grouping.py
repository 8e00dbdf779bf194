"""Records put together by their group label."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import PlainTwin, exact_kernel
from discreet.typing import IntArray

__all__ = ["counting_order", "group_order"]


@exact_kernel
def counting_order(
    labels: IntArray,  # IN (n,) int64, 0 … groups − 1
    cursors: IntArray,  # IN (groups,) int64: where each group begins; moved to where it ends
    order: IntArray,  # OUT (n,) int64: positions, group after group, in their first order within a group
) -> None:
    """Sort positions by label in one pass; stable, O(n)."""
    for position in range(labels.size):
        label = labels[position]
        order[cursors[label]] = position
        cursors[label] += 1


_TWIN = PlainTwin(2e6, counting_order)


def group_order(labels: IntArray, offsets: IntArray) -> IntArray:
    """Return the positions of records, group after group; group ``g`` begins at ``offsets[g]``."""
    if _TWIN.takes(labels.size):
        return np.argsort(labels, kind="stable")
    order = np.empty(labels.size, dtype=np.int64)
    counting_order(labels, offsets[:-1].copy(), order)
    return order
