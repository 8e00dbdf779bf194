"""Where the risk of a file sits: which keys, alone and together, single records out."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from discreet.measures.columns import level_codes
from discreet.measures.contingency import pack
from discreet.measures.special_uniques import minimal_uniques
from discreet.microdata import Microdata
from discreet.progress import report
from discreet.results import Combination, Exposure
from discreet.typing import FloatArray

__all__ = ["expose"]

_DEEPEST = 3
_SHOWN = 12
_MOST_KEYS = 62
_MOST_VISITS = 4e8
"""Sets of keys × records; beyond, smaller sets are looked at, so that a report of a large file is not a long wait."""


def expose(original: Microdata, masked: Microdata, keys: Sequence[str] | None = None) -> Exposure:
    """Return the sets of at most three keys that single most records out, before and after masking.

    Parameters
    ----------
    original, masked : Microdata
        The same records in the same order.
    keys : sequence of str, optional
        What the intruder may know; by default every key that is categorical in the release or was released as groups
        of equal numbers. Sequences are left out: their own measure attacks them.

    Notes
    -----
    Sets are put in order by the released records that are alone on them and on no part of them (minimal sample
    uniques), so that a risky key is not listed again with every other; what is counted is every record that is alone on
    the set, before and after. The figure of a key is the mean, over all others, of the records alone on both.
    A missing value singles nobody out. The result holds keys and counts only.
    Unrounded numbers are unique by nature: a numeric key is looked at where some released value is shared by at least
    two records, and left out otherwise. At most Σ C(keys, size) passes over the records of either file.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.microdata import microdata
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute(name, Nominal(["n", "y"]), "key") for name in "ab"])
    >>> people = microdata(pl.DataFrame({"a": ["n", "n", "y", "y"], "b": ["n", "y", "y", "y"]}), schema)
    >>> [(c.keys, c.before) for c in expose(people, people).combinations]  # the first by b, the second by both
    [(('b',), 1), (('a', 'b'), 2)]
    """
    names = _looked_at(original, masked, keys)
    if not names:
        return Exposure((), 0, len(masked), (), {}, "No key could be looked at: there are sequences or amounts only.")
    deepest = _deepest(len(names), len(masked))
    counters = _Uniques(original, names), _Uniques(masked, names)
    released = minimal_uniques(counters[1].columns, counters[1].sizes, deepest)
    sets, counts = np.unique(released.subsets, return_counts=True)
    order = np.lexsort([sets, np.bitwise_count(sets), -counts])[:_SHOWN]
    worst = [tuple(j for j in range(len(names)) if int(sets[place]) >> j & 1) for place in order]
    combinations = tuple(
        Combination(tuple(names[j] for j in places), *(counter.alone(places) for counter in counters))
        for places in worst
    )
    by_key = _by_key(counters, names, pairs=deepest > 1)
    return Exposure(names, deepest, len(masked), combinations, by_key, _sentence(combinations, deepest, len(masked)))


class _Uniques:
    """The keys of one file as codes, and how many records are alone on some of them."""

    def __init__(self, data: Microdata, names: Sequence[str]) -> None:
        columns, sizes = zip(*(level_codes(data, name) for name in names), strict=True)
        self.columns, self.sizes = columns, sizes

    def alone(self, places: Sequence[int]) -> int:
        """Count the records that are alone on the keys at these places and have a value in all of them."""
        packed, _ = pack([self.columns[j] for j in places], [self.sizes[j] for j in places])
        _, first, counts = np.unique(packed, return_index=True, return_counts=True)
        single = first[counts == 1]
        there = np.all([self.columns[j][single] < self.sizes[j] - 1 for j in places], axis=0)
        return int(there.sum())


def _by_key(
    counters: tuple[_Uniques, _Uniques], names: Sequence[str], *, pairs: bool
) -> dict[str, tuple[float, float]]:
    size = len(names)
    result = np.array([[counter.alone([j]) for counter in counters] for j in range(size)], dtype=np.float64)
    if pairs:
        result[:] = 0.0
        for i in range(size):
            for j in range(i):
                both = np.array([counter.alone([i, j]) for counter in counters]) / (size - 1)
                result[i] += both
                result[j] += both
            report("pairs of keys", i + 1, size)
    return {name: (float(before), float(after)) for name, (before, after) in zip(names, result, strict=True)}


def _looked_at(original: Microdata, masked: Microdata, keys: Sequence[str] | None) -> tuple[str, ...]:
    chosen = original.schema.keys if keys is None else tuple(keys)
    there = [n for n in chosen if n in masked.schema and n in original.schema]
    kinds = {name: {side.schema[name].scale.kind for side in (original, masked)} for name in there}
    return tuple(
        name
        for name in there
        if "sequence" not in kinds[name] and (kinds[name] != {"numeric"} or _shared(masked.encoded(name)))
    )[:_MOST_KEYS]


def _shared(numbers: FloatArray) -> bool:
    """Say whether most released numbers stand for several records, as a microaggregated or rounded column's do."""
    _, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    return bool(counts.size) and int(np.median(counts)) > 1


def _deepest(n_keys: int, n_records: int) -> int:
    fits = [
        size
        for size in range(1, min(_DEEPEST, n_keys) + 1)
        if sum(comb(n_keys, s) for s in range(1, size + 1)) * n_records <= _MOST_VISITS
    ]
    return max(fits, default=1)


def _sentence(combinations: Sequence[Combination], deepest: int, n: int) -> str:
    together = "keys, one by one" if deepest == 1 else f"sets of at most {deepest} keys"
    if not combinations or not combinations[0].after:
        return f"Of all {together}, none singles a record out in the release."
    worst = combinations[0]
    single, them = ("singles", "it") if len(worst.keys) == 1 else ("single", "them")
    return (
        f"Of all {together}, {' and '.join(worst.keys)} {single} out most: {worst.after} of {n} released records are "
        f"alone on {them} ({worst.before} before masking)."
    )
