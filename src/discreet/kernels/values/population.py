"""Expected inverse of a population frequency."""

from __future__ import annotations

import math

import numpy as np

from discreet.kernels.jit import PlainTwin, exact_kernel
from discreet.typing import FloatArray, IntArray

__all__ = ["expected_inverse"]


@exact_kernel
def _expected_inverse(
    sizes: IntArray,  # IN (n,) int64: f, at least 1
    shares: FloatArray,  # IN (n,) float64: p, above 0 and at most 1
    risks: FloatArray,  # OUT (n,) float64: p / f · ₂F₁(1, 1; f + 1; 1 − p)
) -> None:
    """Evaluate the individual risk, to about 1e-13 relative."""
    for i in range(sizes.size):
        f, p = sizes[i], shares[i]
        z = 1.0 - p
        if p < 0.5 and f < 30:
            # F(1,1;c+1;z) = c (1 − (1−z) F(1,1;c;z)) / ((c−1) z), from c = 2; an error shrinks by p/z < 1 a step.
            value = -math.log(p) / z
            for c in range(2, f + 1):
                value = c * (1.0 - p * value) / ((c - 1) * z)
        else:
            # Terms m! z^m / ((f+1) … (f+m)) fall faster than z^m, and than 2^−m as long as m < f.
            value, term, m = 0.0, 1.0, 0
            while term > 1e-17 * value:
                value += term
                term *= (m + 1) * z / (f + 1 + m)
                m += 1
        risks[i] = p / f * value


_TWIN = PlainTwin(2000, _expected_inverse)


def expected_inverse(sizes: IntArray, shares: FloatArray, risks: FloatArray) -> None:
    """Evaluate the individual risk, to about 1e-13 relative."""
    # IN  sizes (n,) int64: f, at least 1; shares (n,) float64: p, above 0 and at most 1
    # OUT risks (n,) float64
    if _expected_inverse.is_ready or sizes.size > _MOST:  # type: ignore[attr-defined]
        _expected_inverse(sizes, shares, risks)
        return
    # Classes of one size and share have one risk, and there are few different ones.
    order = np.lexsort([shares, sizes])
    f, p = sizes[order], shares[order]
    fresh = np.ones(order.size, dtype=np.bool_)
    fresh[1:] = (f[1:] != f[:-1]) | (p[1:] != p[:-1])
    different = np.empty(int(fresh.sum()))
    evaluate = _expected_inverse.py_func if _TWIN.takes(different.size) else _expected_inverse  # type: ignore[attr-defined]
    evaluate(f[fresh], p[fresh], different)
    risks[order] = different[np.cumsum(fresh) - 1]


_MOST = 100_000  # beyond, putting classes in order costs as much as evaluating all of them
