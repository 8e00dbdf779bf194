"""One block of records of a logistic regression."""

from __future__ import annotations

import math

from discreet.kernels.jit import kernel
from discreet.typing import FloatArray

__all__ = ["add_logistic_block"]


@kernel
def add_logistic_block(
    terms: FloatArray,  # IN (p, b) float64: one row a term
    weights: FloatArray,  # IN (b,) float64
    truth: float,  # IN: 0 or 1, the same for the block
    solution: FloatArray,  # IN (p,) float64
    scratch: FloatArray,  # OUT (2, b) float64
    gradient: FloatArray,  # IN/OUT (p,) float64
    curvature: FloatArray,  # IN/OUT (p, p) float64: its lower half
) -> float:
    """Add the block's part of gradient and curvature; return its Σ w (p̂ − ½)². O(p² b)."""
    n_terms, n = terms.shape
    chance, load = scratch[0], scratch[1]
    for r in range(n):
        chance[r] = 0.0
    for i in range(n_terms):
        for r in range(n):
            chance[r] += solution[i] * terms[i, r]
    value = 0.0
    for r in range(n):
        chance[r] = 1.0 / (1.0 + math.exp(-min(max(chance[r], -30.0), 30.0)))
        value += weights[r] * (chance[r] - 0.5) ** 2
    for i in range(n_terms):
        slope = 0.0
        for r in range(n):
            slope += terms[i, r] * weights[r] * (chance[r] - truth)
            load[r] = terms[i, r] * weights[r] * chance[r] * (1.0 - chance[r])
        gradient[i] += slope
        for j in range(i + 1):
            total = 0.0
            for r in range(n):
                total += load[r] * terms[j, r]
            curvature[i, j] += total
    return value
