"""Agreement rates of matches from numbers of pairs by agreement pattern, two states an attribute.

Patterns are numbered so that the first attribute is the highest bit; a set bit is agreement.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray

__all__ = ["anchored_rates"]


@exact_kernel
def anchored_rates(
    within: FloatArray,  # IN (2^q,) float64, other pairs within the first file, exactly so far
    own: FloatArray,  # IN (2^q,) float64, pairs of a record with itself, agreeing at least so far
    observed: FloatArray,  # IN (2^q,) float64, pairs between the files, agreeing at least so far
    before: FloatArray,  # IN (q,) float64, share of pairs that agree within the first file
    after: FloatArray,  # IN (q,) float64, share of pairs that agree between the files
    steps: int,  # IN the most iterations
    shrinkage: float,  # IN pairs that the common mean counts for
    m: FloatArray,  # IN, OUT (q,) float64, where to start; the rates
    expected: FloatArray,  # BUFFER (2^q,) float64
    anchor: FloatArray,  # BUFFER (2^q,) float64
    new: FloatArray,  # BUFFER (q,) float64
) -> int:
    """Iterate m until what it makes expect is what is observed; return the number of iterations."""
    q, patterns = m.size, within.size
    for step in range(steps):
        heed_stop()
        for i in range(patterns):
            expected[i] = within[i]
            anchor[i] = own[i]
        for j in range(q):
            bit = 1 << (q - 1 - j)
            accident = (after[j] - m[j] * before[j]) / max(1.0 - before[j], 1e-12)
            accident = min(max(accident, 0.0), 1.0)
            for i in range(patterns):
                if i & bit:
                    apart, agreeing = expected[i ^ bit], expected[i]
                    # Agreeing at least so far: whoever agrees stays counted where agreement is not asked for.
                    expected[i ^ bit] = apart + agreeing
                    expected[i] = accident * apart + m[j] * agreeing
                    anchor[i] *= m[j]
        mean = 0.0
        for j in range(q):
            mean += m[j]
        mean /= q
        for i in range(patterns):
            expected[i] += anchor[i]
            share = anchor[i] / max(expected[i], 1e-300)
            anchor[i] = share * share
        moved = 0.0
        for j in range(q):
            bit = 1 << (q - 1 - j)
            base, agreed, expected_base, expected_agreed, sets, true = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for i in range(patterns):
                if not i & bit:
                    base += anchor[i] * observed[i]
                    agreed += anchor[i] * observed[i | bit]
                    expected_base += anchor[i] * expected[i]
                    true += anchor[i] * np.sqrt(anchor[i]) * expected[i]
                    expected_agreed += anchor[i] * expected[i | bit]
                    if observed[i] > 0.0:
                        sets += anchor[i]
            rate = mean
            if base > 0.0 and expected_agreed > 0.0:
                # Drawn to the mean of all where evidence is thin: few pairs, or few of them true ones, whose agreements
                # the chance ones drown.
                share = true / expected_base
                evidence = base / max(sets, 1e-300) * share * share
                rate = m[j] * (agreed / base) / (expected_agreed / expected_base)
                rate = (rate * evidence + shrinkage * mean) / (evidence + shrinkage)
            new[j] = np.sqrt(min(max(rate, 0.01), 0.99) * m[j])
            moved = max(moved, abs(new[j] - m[j]))
        for j in range(q):
            m[j] = new[j]
        if moved < 1e-5:
            return step + 1
    return steps
