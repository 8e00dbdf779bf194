"""A small stream of random numbers whose state is an array (SplitMix64: Steele, Lea & Flood 2014)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import lean_kernel

__all__ = ["below", "next_bits", "uniform"]

STEP = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)


@lean_kernel
def next_bits(state: NDArray[np.uint64]) -> np.uint64:
    """Draw 64 random bits."""
    # IN and OUT state (1,) uint64
    state[0] += STEP
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return np.uint64(z ^ (z >> np.uint64(31)))


@lean_kernel
def uniform(state: NDArray[np.uint64]) -> float:
    """Draw a number in [0, 1)."""
    return np.float64(next_bits(state) >> np.uint64(11)) * 2.0**-53


@lean_kernel
def below(state: NDArray[np.uint64], n: int) -> int:
    """Draw an integer in 0 … n−1."""
    return int(uniform(state) * n)
