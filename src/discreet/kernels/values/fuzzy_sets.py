"""The Choquet transformation of fuzzy sets on an ordered scale, by its closed form."""

from __future__ import annotations

from discreet.kernels.jit import exact_kernel
from discreet.typing import FloatArray

__all__ = ["spread_minima"]


@exact_kernel
def spread_minima(
    memberships: FloatArray,  # IN (g, n) float64
    buffer: FloatArray,  # BUFFER (n,) float64
    out: FloatArray,  # OUT (g, n) float64
) -> None:
    """Sum, for every level, min(μ_a … μ_b) / (b − a + 1) over all runs a … b that contain it. O(n²) a set."""
    n = memberships.shape[1]
    for g in range(memberships.shape[0]):
        for i in range(n):
            out[g, i] = 0.0
        for a in range(n):
            lowest = memberships[g, a]
            for b in range(a, n):
                lowest = min(lowest, memberships[g, b])
                buffer[b] = lowest / (b - a + 1)
            # A run reaches every level from a to b: cumulate from the far end.
            running = 0.0
            for b in range(n - 1, a - 1, -1):
                running += buffer[b]
                out[g, b] += running
