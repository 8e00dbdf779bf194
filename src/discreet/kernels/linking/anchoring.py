"""Agreement rates of matches from numbers of pairs by agreement pattern, two states an attribute.

Patterns are numbered so that the first attribute is the highest bit; a set bit is agreement.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import PlainTwin, exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray

__all__ = ["anchored_rates"]


@exact_kernel
def _anchored_rates(
    within: FloatArray,
    own: FloatArray,
    observed: FloatArray,
    before: FloatArray,
    after: FloatArray,
    steps: int,
    shrinkage: float,
    m: FloatArray,
) -> int:
    """Do what the plain code does, in the same order of sums, so that both give the same to the last bit."""
    q, size = m.size, within.size
    expected, anchor = np.empty(size), np.empty(size)
    new = np.empty(q)
    for step in range(steps):
        heed_stop()
        mean = 0.0
        for j in range(q):
            mean += m[j]
        mean /= q
        for i in range(size):
            expected[i], anchor[i] = within[i], own[i]
        for j in range(q):
            accident = (after[j] - m[j] * before[j]) / max(1.0 - before[j], 1e-12)
            accident = min(max(accident, 0.0), 1.0)
            bit = 1 << (q - 1 - j)
            for i in range(size):
                if i & bit == 0:
                    apart, agreeing = expected[i], expected[i + bit]
                    expected[i] = apart + agreeing
                    expected[i + bit] = accident * apart + m[j] * agreeing
                    anchor[i + bit] *= m[j]
        for i in range(size):
            expected[i] += anchor[i]
            share = anchor[i] / max(expected[i], 1e-300)
            anchor[i] = share * share
        moved = 0.0
        for j in range(q):
            bit = 1 << (q - 1 - j)
            base, agreed, expected_base, expected_agreed, sets, true = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for i in range(size):
                if i & bit == 0:
                    weight = anchor[i]
                    base += weight * observed[i]
                    agreed += weight * observed[i + bit]
                    expected_base += weight * expected[i]
                    expected_agreed += weight * expected[i + bit]
                    if observed[i] > 0.0:
                        sets += weight
                    true += weight * np.sqrt(weight) * expected[i]
            rate = mean
            if base > 0.0 and expected_agreed > 0.0:
                true_share = true / expected_base
                evidence = base / max(sets, 1e-300) * true_share * true_share
                rate = m[j] * (agreed / base) / (expected_agreed / expected_base)
                rate = (rate * evidence + shrinkage * mean) / (evidence + shrinkage)
            new[j] = np.sqrt(min(max(rate, 0.01), 0.99) * m[j])
            moved = max(moved, abs(new[j] - m[j]))
        for j in range(q):
            m[j] = new[j]
        if moved < 1e-5:
            return step + 1
    return steps


# What plain code does to the end: so many calls of NumPy, and attributes times sets of attributes.
_CALLS = 5_500
_TWIN = PlainTwin(60 * _CALLS, _anchored_rates)


def anchored_rates(
    within: FloatArray,  # IN (2^q,) float64, other pairs within the first file, exactly so far
    own: FloatArray,  # IN (2^q,) float64, pairs of a record with itself, agreeing at least so far
    observed: FloatArray,  # IN (2^q,) float64, pairs between the files, agreeing at least so far
    before: FloatArray,  # IN (q,) float64, share of pairs that agree within the first file
    after: FloatArray,  # IN (q,) float64, share of pairs that agree between the files
    steps: int,  # IN the most iterations
    shrinkage: float,  # IN pairs that the common mean counts for
    m: FloatArray,  # IN, OUT (q,) float64, where to start; the rates
) -> int:
    """Iterate m until what it makes expect is what is observed; return the number of iterations."""
    if not _TWIN.takes(_CALLS + (m.size << m.size)):
        return int(_anchored_rates(within, own, observed, before, after, steps, shrinkage, m))
    return _plainly(within, own, observed, before, after, steps, shrinkage, m)


def _plainly(
    within: FloatArray,
    own: FloatArray,
    observed: FloatArray,
    before: FloatArray,
    after: FloatArray,
    steps: int,
    shrinkage: float,
    m: FloatArray,
) -> int:
    q = m.size
    seen = [_halves(observed, j, q) for j in range(q)]
    for step in range(steps):
        heed_stop()
        expected, anchor = within.copy(), own.copy()
        for j in range(q):
            accident = (after[j] - m[j] * before[j]) / max(1.0 - before[j], 1e-12)
            accident = min(max(accident, 0.0), 1.0)
            apart, agreeing = _halves(expected, j, q)
            either, both = apart + agreeing, accident * apart + m[j] * agreeing
            # Agreeing at least so far: whoever agrees stays counted where agreement is not asked for.
            apart[...], agreeing[...] = either, both
            _halves(anchor, j, q)[1][...] *= m[j]
        mean = 0.0
        for rate in m:
            mean += rate
        mean /= q
        expected += anchor
        share = anchor / np.maximum(expected, 1e-300)
        anchor = share * share
        new = np.empty(q)
        for j in range(q):
            weight, base_expected, agreed_expected = _halves(anchor, j, q)[0], *_halves(expected, j, q)
            base, agreed, expected_base, expected_agreed, sets, true = _sums_in_order(
                weight * seen[j][0],
                weight * seen[j][1],
                weight * base_expected,
                weight * agreed_expected,
                np.where(seen[j][0] > 0.0, weight, 0.0),
                weight * np.sqrt(weight) * base_expected,
            )
            rate = mean
            if base > 0.0 and expected_agreed > 0.0:
                # Drawn to the mean of all where evidence is thin: few pairs, or few of them true ones, whose agreements
                # the chance ones drown.
                true_share = true / expected_base
                evidence = base / max(sets, 1e-300) * true_share * true_share
                rate = m[j] * (agreed / base) / (expected_agreed / expected_base)
                rate = (rate * evidence + shrinkage * mean) / (evidence + shrinkage)
            new[j] = np.sqrt(min(max(rate, 0.01), 0.99) * m[j])
        moved = float(np.abs(new - m).max())
        m[:] = new
        if moved < 1e-5:
            return step + 1
    return steps


def _halves(patterns: FloatArray, j: int, q: int) -> tuple[FloatArray, FloatArray]:
    """Return what does not agree on attribute j and what does, as views."""
    cut = patterns.reshape(1 << j, 2, 1 << (q - 1 - j))
    return cut[:, 0], cut[:, 1]


def _sums_in_order(*terms: FloatArray) -> list[float]:
    # From first to last, as a loop adds: other orders round otherwise, and an iteration may end a step sooner.
    return [float(np.cumsum(term.ravel())[-1]) for term in terms]
