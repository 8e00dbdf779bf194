"""How many decimals write the numbers of a column, and of which steps they are multiples, in one pass."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.typing import FloatArray, IntArray

__all__ = ["count_decimals"]

_MANTISSA = 52
_WHOLE = 2.0**_MANTISSA  # no binary number from here on has a fraction


@exact_kernel
def count_decimals(
    values: FloatArray,  # IN (n,) float64, finite and not zero
    bits: IntArray,  # IN (n,) int64: theirs
    powers: FloatArray,  # IN (decimals + 1,) float64: 1, 10, 100 …
    room: IntArray,  # IN (2048,) int64: by the exponent of a number, how many decimals fewer digits than are told have
    digits: float,  # IN what a number with too many digits is not below
    fractions: FloatArray,  # IN float64: parts of one; the first is a multiple of the others
    wholes: FloatArray,  # IN float64: steps above one
    counts: IntArray,  # OUT (decimals + 2,) int64, zeros before: who needs 0, 1, … decimals, and who needs more
    multiples: IntArray,  # OUT (fractions + wholes,) int64, zeros before: who is a multiple of each step
) -> None:
    """Count numbers by the decimals that give them back, and by the steps that they are multiples of.

    Who is written with d decimals is so with one more, as long as there is room: so the most decimals that there is
    room for decide for most numbers, one look instead of all. A multiple of any step is one of the finest.
    """
    most = powers.size - 1
    for i in range(values.size):
        x = values[i]
        size = abs(x)
        if size >= _WHOLE or (np.rint(x) == x and size < digits):
            counts[0] += 1
        else:
            needed = most + 1
            places = room[(bits[i] >> _MANTISSA) & 2047]
            if places < most and size * powers[places + 1] < digits:
                places += 1
            if places < 0 or np.rint(x * powers[places]) / powers[places] == x:
                for d in range(1, most + 1):
                    if size * powers[d] < digits and np.rint(x * powers[d]) / powers[d] == x:
                        needed = d
                        break
            counts[needed] += 1
        steps = x * fractions[0]
        if np.rint(steps) / fractions[0] == x or abs(steps) >= digits:
            for f in range(fractions.size):
                steps = x * fractions[f]
                if np.rint(steps) / fractions[f] == x and abs(steps) < digits:
                    multiples[f] += 1
            for w in range(wholes.size):
                if np.rint(x / wholes[w]) * wholes[w] == x:
                    multiples[fractions.size + w] += 1
