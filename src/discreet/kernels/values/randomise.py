"""Levels exchanged at random by the rows of a Markov matrix."""

from __future__ import annotations

from discreet.kernels.jit import exact_kernel
from discreet.typing import CodeArray, FloatArray

__all__ = ["randomise_levels"]


@exact_kernel
def randomise_levels(
    codes: CodeArray,  # IN (n,) int32, −1 is missing
    cumulated: FloatArray,  # IN (levels, levels) float64, each row cumulated, above 1 from its last possible level on
    draws: FloatArray,  # IN (n,) float64, uniform on [0, 1)
    out: CodeArray,  # OUT (n,) int32, −1 where codes has it
) -> None:
    """Give each code the first level whose cumulated probability exceeds its draw."""
    for i in range(codes.size):
        row = codes[i]
        if row < 0:
            out[i] = row
            continue
        low, high = 0, cumulated.shape[1] - 1
        while low < high:
            middle = (low + high) // 2
            if cumulated[row, middle] > draws[i]:
                high = middle
            else:
                low = middle + 1
        out[i] = low
