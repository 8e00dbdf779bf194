"""Records put together by their group label."""

from __future__ import annotations

from discreet.kernels.jit import exact_kernel
from discreet.typing import IntArray

__all__ = ["counting_order"]


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
