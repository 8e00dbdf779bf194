"""How many decimals write the numbers of a column, of which steps they are multiples, and how they are rounded."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.typing import FloatArray, IntArray

__all__ = ["count_decimals", "round_by_size"]

_MANTISSA = 52
_WHOLE = 2.0**_MANTISSA  # no binary number from here on has a fraction
_CLOSE = 1e-13  # relative to a power of ten: a logarithm may take what is as close for the power itself


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


@exact_kernel
def round_by_size(
    values: FloatArray,  # IN (n,) float64
    bits: IntArray,  # IN (n,) int64: theirs
    limits: FloatArray,  # IN (2048,) float64: by the exponent of a number, the power of ten next to it
    places: IntArray,  # IN (2048, 2) int64: by the exponent of a number, its decimals below this power and from it on
    powers: FloatArray,  # IN (largest + 1,) float64: 1, 10, 100 …; who has more decimals than these is left as it is
    out: FloatArray,  # OUT (n,) float64
    close: IntArray,  # OUT (n,) int64: the numbers that are nearly this power of ten, of which nothing is written
) -> int:
    """Round numbers to the decimals that their size allows, halves to the even neighbour; return how many are close."""
    n_close = 0
    for i in range(values.size):
        x = values[i]
        exponent = (bits[i] >> _MANTISSA) & 2047
        limit = limits[exponent]
        above = abs(x) - limit
        if abs(above) <= _CLOSE * limit:
            close[n_close] = i
            n_close += 1
            continue
        decimals = places[exponent, 1 if above > 0 else 0]
        if abs(decimals) >= powers.size:
            out[i] = x
            continue
        power = powers[abs(decimals)]
        result = np.rint(x * power) / power if decimals >= 0 else np.rint(x / power) * power
        out[i] = result if np.isfinite(result) else x
    return n_close
