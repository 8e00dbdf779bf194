"""Distributions before and after masking, coarse enough to show nobody."""

from __future__ import annotations

import numpy as np

from discreet.microdata import Microdata
from discreet.results import Distribution
from discreet.typing import FloatArray

__all__ = ["profile"]

_SMALLEST = 5
_BINS = 24


def profile(original: Microdata, masked: Microdata) -> tuple[Distribution, ...]:
    """Return the distribution of every numeric attribute that both tables have and masking may have changed.

    Notes
    -----
    Bins reach from the 2 % to the 98 % quantile of the original, rounded to two digits; what lies beyond counts in the
    outermost bins, and a bin with fewer than five records in either table is joined to its neighbour. So no bound is
    the value of a record and no bar stands for a handful of people.
    """
    roles = original.schema.of_role("key", "confidential")
    names = [n for n in original.schema.of_scale("numeric", among=roles) if n in masked.schema]
    return tuple(_distribution(name, original.encoded(name), masked.encoded(name)) for name in names)


def _distribution(name: str, before: FloatArray, after: FloatArray) -> Distribution:
    before, after = before[~np.isnan(before)], after[~np.isnan(after)]
    if not before.size or not after.size:
        return Distribution(name, (), (), (), 0.0, 0.0)
    low, high = (_rounded(q) for q in np.quantile(before, [0.02, 0.98]))
    if not high > low:
        high = low + max(abs(low), 1.0)
    edges = np.linspace(low, high, _BINS + 1)
    first, second = _counts(before, edges), _counts(after, edges)
    edges, first, second = _joined(edges, first, second)
    return Distribution(
        name,
        tuple(float(edge) for edge in edges),
        _heights(edges, first),
        _heights(edges, second),
        float(before.mean()),
        float(after.mean()),
    )


def _rounded(value: float) -> float:
    return float(f"{value:.1e}")


def _counts(values: FloatArray, edges: FloatArray) -> FloatArray:
    return np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0].astype(np.float64)


def _heights(edges: FloatArray, counts: FloatArray) -> tuple[float, ...]:
    width = np.diff(edges) / (edges[-1] - edges[0])
    return tuple(float(height) for height in counts / counts.sum() / width)


def _joined(edges: FloatArray, first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    kept, a, b = [edges[0]], [0.0], [0.0]
    for j in range(first.size):
        a[-1] += first[j]
        b[-1] += second[j]
        if min(a[-1], b[-1]) >= _SMALLEST:
            kept.append(edges[j + 1])
            a.append(0.0)
            b.append(0.0)
    # What is left at the end was too little for a bin of its own: it joins the last one.
    rest_a, rest_b = a.pop(), b.pop()
    if a:
        a[-1] += rest_a
        b[-1] += rest_b
        kept[-1] = edges[-1]
    else:
        kept, a, b = [edges[0], edges[-1]], [rest_a], [rest_b]
    return np.array(kept), np.array(a), np.array(b)
