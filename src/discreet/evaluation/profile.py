"""Distributions and correlations before and after masking, coarse enough to show nobody."""

from __future__ import annotations

from typing import cast

import numpy as np

from discreet.measures.moments import correlations
from discreet.microdata import Microdata
from discreet.results import Correlations, Distribution, Shares
from discreet.scales import Categorical
from discreet.typing import FloatArray

__all__ = ["profile", "relations", "shares"]

_SMALLEST = 5
_BINS = 24
_LEVELS = 20
_ATTRIBUTES = 24
_OTHERS = "all others"


def profile(
    original: Microdata, masked: Microdata, smallest: int = _SMALLEST, *, by_release: bool = False
) -> tuple[Distribution, ...]:
    """Return the distribution of every numeric attribute that both tables have and masking may have changed.

    Notes
    -----
    Bins reach from the 2 % to the 98 % quantile of the original, rounded to two digits; what lies beyond counts in the
    outermost bins, and a bin with fewer than `smallest` records in either table is joined to its neighbour. So no bound
    is the value of a record and no bar stands for a handful of people. To be published (`by_release`), the quantiles
    are those of the release: in a small file, that of the original lies beside its largest values, which may be hidden.
    """
    return tuple(
        _distribution(name, original.encoded(name), masked.encoded(name), smallest, by_release=by_release)
        for name in _of_both(original, masked, "numeric")
    )


def shares(original: Microdata, masked: Microdata, smallest: int = _SMALLEST) -> tuple[Shares, ...]:
    """Return how often the levels of every categorical attribute of both tables occur, in percent of records.

    Notes
    -----
    Levels that fewer than `smallest` records have in either table, the missing value, and what is not among the twenty
    most frequent levels, are taken together; where those together are too few as well, the rarest level joins them.
    Two levels are the same if they are written the same.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.microdata import microdata
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "sun"]), "key")])
    >>> fuels = microdata(pl.DataFrame({"fuel": ["gas"] * 6 + ["oil"] * 3 + ["sun"]}), schema)
    >>> found = shares(fuels, fuels, smallest=3)[0]
    >>> found.levels, found.before  # sun is one record: it takes oil with it
    (('gas', 'all others'), (60.0, 40.0))
    """
    return tuple(_shares(name, original, masked, smallest) for name in _of_both(original, masked, "ordinal", "nominal"))


def relations(original: Microdata, masked: Microdata) -> Correlations | None:
    """Return the correlations of the numeric attributes of both tables; None where there are fewer than two.

    Of more than 24 attributes, the first 24 in the schema's order are shown.
    """
    every = _of_both(original, masked, "numeric")
    names = every[:_ATTRIBUTES]
    if len(names) < 2:
        return None
    ones = np.ones(len(original))
    before = correlations(original.numeric(names), ones)
    after = correlations(masked.numeric(names), np.ones(len(masked)))
    change = after - before
    size = np.abs(change)
    i, j = (int(place) for place in np.unravel_index(int(size.argmax()), size.shape))
    mean = float(size[np.triu_indices(len(names), 1)].mean())
    sentence = f"Correlations changed by {mean:.3f} on average"
    sentence += (
        f", most between {names[i]} and {names[j]}: from {before[i, j]:.2f} to {after[i, j]:.2f}." if mean else "."
    )
    if len(every) > len(names):
        sentence += f" These are the first {len(names)} of {len(every)} numbers."
    return Correlations(names, _rows(before), _rows(after), _rows(change), sentence)


def _rows(matrix: FloatArray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in matrix)


def _of_both(original: Microdata, masked: Microdata, *kinds: str) -> tuple[str, ...]:
    """Return the keys and confidential attributes that are of these kinds in both tables."""
    roles = original.schema.of_role("key", "confidential")
    after = masked.schema.of_scale(*kinds)
    return tuple(name for name in original.schema.of_scale(*kinds, among=roles) if name in after)


def _shares(name: str, original: Microdata, masked: Microdata, smallest: int) -> Shares:
    first, second = (_level_counts(name, side) for side in (original, masked))
    levels = list(dict.fromkeys([*first, *second]))
    counts = np.array([[side.get(level, 0) for side in (first, second)] for level in levels], dtype=np.int64)
    order = np.argsort(-counts.sum(axis=1), kind="stable")
    kept = [int(place) for place in order[:_LEVELS] if counts[place].min() >= smallest]
    totals = np.array([len(original), len(masked)])
    rest = totals - counts[kept].sum(axis=0)
    while kept and rest.any() and rest.min() < smallest:
        rest = rest + counts[kept.pop()]  # the others together are too few to be shown: the rarest joins them
    shown = [*(counts[place] for place in sorted(kept)), *([rest] if rest.any() else [])]
    percent = [100.0 * row / np.maximum(totals, 1) for row in shown]
    names = (*(levels[place] for place in sorted(kept)), *((_OTHERS,) if rest.any() else ()))
    return Shares(name, names, tuple(float(p[0]) for p in percent), tuple(float(p[1]) for p in percent))


def _level_counts(name: str, data: Microdata) -> dict[str, int]:
    scale, codes = cast("Categorical", data.schema[name].scale), data.encoded(name)
    counts = np.bincount(codes[codes >= 0], minlength=len(scale))
    return {str(level): int(count) for level, count in zip(scale.levels, counts, strict=True)}


def _distribution(name: str, before: FloatArray, after: FloatArray, smallest: int, *, by_release: bool) -> Distribution:
    before, after = before[~np.isnan(before)], after[~np.isnan(after)]
    if not before.size or not after.size:
        return Distribution(name, (), (), (), 0.0, 0.0)
    low, high = (_rounded(q) for q in np.quantile(after if by_release else before, [0.02, 0.98]))
    if not high > low:
        high = low + max(abs(low), 1.0)
    edges = np.linspace(low, high, _BINS + 1)
    first, second = _counts(before, edges), _counts(after, edges)
    edges, first, second = _joined(edges, first, second, smallest)
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


def _joined(
    edges: FloatArray, first: FloatArray, second: FloatArray, smallest: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    kept, a, b = [edges[0]], [0.0], [0.0]
    for j in range(first.size):
        a[-1] += first[j]
        b[-1] += second[j]
        if min(a[-1], b[-1]) >= smallest:
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
