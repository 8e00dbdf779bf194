"""Distributions, shares, correlations and flows of an original and its release, from counts that hide the few."""

from __future__ import annotations

from typing import cast

import numpy as np

from discreet.contracts.before_after import Correlations, Distribution, Flow, Shares
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, EncodedSequences, Sequence
from discreet.statistics.correlations import correlations
from discreet.statistics.sequence_counts import owned_bigrams
from discreet.typing import FloatArray, IntArray

__all__ = ["flows", "profile", "relations", "shares"]

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
    >>> from discreet.data.microdata import microdata
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "sun"]), "key")])
    >>> fuels = microdata(pl.DataFrame({"fuel": ["gas"] * 6 + ["oil"] * 3 + ["sun"]}), schema)
    >>> fuel = shares(fuels, fuels, smallest=3)[0]
    >>> fuel.levels, fuel.before  # sun is one record: it takes oil with it
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
    frequent = [int(place) for place in order[:_LEVELS] if counts[place].min() >= smallest]
    totals = np.array([len(original), len(masked)])
    rest = totals - counts[frequent].sum(axis=0)
    while frequent and rest.any() and rest.min() < smallest:
        rest = rest + counts[frequent.pop()]  # the others together are too few to be shown: the rarest joins them
    rows = [*(counts[place] for place in sorted(frequent)), *([rest] if rest.any() else [])]
    percent = [100.0 * row / np.maximum(totals, 1) for row in rows]
    names = (*(levels[place] for place in sorted(frequent)), *((_OTHERS,) if rest.any() else ()))
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
    cuts, a, b = [edges[0]], [0.0], [0.0]
    for j in range(first.size):
        a[-1] += first[j]
        b[-1] += second[j]
        if min(a[-1], b[-1]) >= smallest:
            cuts.append(edges[j + 1])
            a.append(0.0)
            b.append(0.0)
    # What is left at the end was too little for a bin of its own: it joins the last one.
    rest_a, rest_b = a.pop(), b.pop()
    if a:
        a[-1] += rest_a
        b[-1] += rest_b
        cuts[-1] = edges[-1]
    else:
        cuts, a, b = [edges[0], edges[-1]], [rest_a], [rest_b]
    return np.array(cuts), np.array(a), np.array(b)


_EVENTS = 12


def flows(original: Microdata, masked: Microdata, smallest: int = _SMALLEST) -> tuple[Flow, ...]:
    """Return the steps of every sequence attribute that both tables have and masking may have changed.

    Notes
    -----
    The twelve events that most records of the original hold, in that order. A step that fewer than `smallest` records
    make in either table is shown as if none did, and an event that fewer hold is not shown.
    """
    roles = original.schema.of_role("key", "confidential")
    names = [n for n in original.schema.of_scale("events", among=roles) if n in masked.schema]
    return tuple(_flow(name, original, masked, smallest) for name in names if _same_scale(name, original, masked))


def _same_scale(name: str, original: Microdata, masked: Microdata) -> bool:
    return original.schema[name].scale == masked.schema[name].scale


def _flow(name: str, original: Microdata, masked: Microdata, smallest: int) -> Flow:
    scale = original.schema[name].scale
    alphabet = scale.alphabet if isinstance(scale, Sequence) else ()
    before, after = original.encoded(name), masked.encoded(name)
    frequencies = _records_by_cell(_owner(before), before.codes.astype(np.int64), len(alphabet))
    events = np.argsort(-frequencies, kind="stable")[:_EVENTS]
    events = events[frequencies[events] >= smallest]
    shares, records = zip(*(_steps(side, events, len(alphabet)) for side in (before, after)), strict=True)
    enough = np.minimum(*records) >= smallest
    first, second = (np.where(enough, share, 0.0) for share in shares)
    return Flow(name, tuple(str(alphabet[event]) for event in events), _rows(first), _rows(second))


def _owner(sequences: EncodedSequences) -> IntArray:
    return np.repeat(np.arange(len(sequences)), sequences.lengths)


def _records_by_cell(owner: IntArray, cells: IntArray, size: int) -> IntArray:
    """Count the records that have each cell at least once."""
    pairs = np.unique(owner * max(size, 1) + cells)
    return np.bincount(pairs % max(size, 1), minlength=size)


def _steps(sequences: EncodedSequences, events: IntArray, n_events: int) -> tuple[FloatArray, IntArray]:
    """Return the shares of all steps in percent, and the records that make each, among the events shown."""
    first, second, owner = owned_bigrams(sequences)
    place = np.full(n_events, -1, dtype=np.int64)
    place[events] = np.arange(events.size)
    within = (place[first] >= 0) & (place[second] >= 0)
    cells = place[first[within]] * events.size + place[second[within]]
    size = events.size**2
    counts = np.bincount(cells, minlength=size) * 100.0 / max(first.size, 1)
    records = _records_by_cell(owner[within], cells, size)
    return counts.reshape(events.size, events.size), records.reshape(events.size, events.size)
