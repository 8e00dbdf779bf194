"""Where the risk of a file sits: which keys, alone and together, single records out."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from discreet.contracts.assessment import Combination, Exposure
from discreet.data.keys import distinct_codes, pack
from discreet.data.microdata import Microdata
from discreet.evaluation.ranking import rank_keys
from discreet.measures.risk.special_uniques import minimal_uniques
from discreet.statistics.written_levels import written_levels
from discreet.typing import FloatArray

__all__ = ["expose"]

_DEEPEST = 3
_SHOWN = 12
_MOST_KEYS = 62
_MOST_VISITS = 4e8
"""Sets of keys × records; beyond, smaller sets are looked at, so that a report of a large file is not a long wait."""


def expose(
    original: Microdata,
    masked: Microdata,
    keys: Sequence[str] | None = None,
    *,
    weights: FloatArray | None = None,
) -> Exposure:
    """Return the sets of at most three keys that single most records out, before and after masking.

    Parameters
    ----------
    original, masked : Microdata
        The same records in the same order.
    keys : sequence of str, optional
        What the intruder may know; by default every key, whatever its scale.
    weights : (n,) float64, optional
        By default the survey weights of the original.

    Notes
    -----
    Sets are put in order by the released records that are alone on them and on no part of them (minimal sample
    uniques), so that a risky key is not listed again with every other; what is counted is every record that is alone on
    the set, before and after. Keys are put in order by what the risk of the release would be without them
    (:func:`~discreet.evaluation.ranking.rank_keys`). Values are told apart as a written file shows them: unrounded
    numbers single everybody out by themselves, and a missing cell is a value of its own. The result holds keys and
    counts only. At most Σ C(keys, size) passes over the records of either file; sets of two or one only where that
    would be too many, at most 62 keys, and the twelve worst sets: the sentence says where any of this leaves some out.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.microdata import microdata
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute(name, Nominal(["n", "y"]), "key") for name in "ab"])
    >>> people = microdata(pl.DataFrame({"a": ["n", "n", "y", "y"], "b": ["n", "y", "y", "y"]}), schema)
    >>> [(c.keys, c.before) for c in expose(people, people).combinations]  # the first by b, the second by both
    [(('b',), 1), (('a', 'b'), 2)]
    """
    names = _looked_at(original, masked, keys)
    beyond, names = len(names[_MOST_KEYS:]), names[:_MOST_KEYS]
    if not names:
        return Exposure((), 0, len(masked), (), {}, "No key could be looked at: the release has none.")
    deepest = _deepest(len(names), len(masked))
    before = _Uniques(original, names)
    counters = before, before if masked is original else _Uniques(masked, names)
    released = minimal_uniques(counters[1].columns, counters[1].sizes, deepest)
    sets, counts = np.unique(released.subsets, return_counts=True)
    order = np.lexsort([sets, np.bitwise_count(sets), -counts])[:_SHOWN]
    worst = [tuple(j for j in range(len(names)) if int(sets[place]) >> j & 1) for place in order]
    combinations = tuple(
        Combination(tuple(names[j] for j in places), *(counter.alone(places) for counter in counters))
        for places in worst
    )
    sentence = _sentence(combinations, deepest, len(masked)) + _left_out(len(names), deepest, sets.size, beyond)
    return Exposure(names, deepest, len(masked), combinations, _by_key(original, masked, names, weights), sentence)


class _Uniques:
    """The keys of one file as codes, and how many records are alone on some of them."""

    def __init__(self, data: Microdata, names: Sequence[str]) -> None:
        written = [written_levels(data, name) for name in names]
        self.columns, self.sizes = [one.codes for one in written], [one.size for one in written]

    def alone(self, places: Sequence[int]) -> int:
        """Count the records that are alone on the keys at these places."""
        packed = pack([self.columns[j] for j in places], [self.sizes[j] for j in places])
        return int((distinct_codes(*packed)[2] == 1).sum())


def _by_key(
    original: Microdata, masked: Microdata, names: Sequence[str], weights: FloatArray | None
) -> dict[str, tuple[float, float]]:
    """Return by key the expected re-identifications that it adds, before and after, the riskiest first."""
    weights = original.weights() if weights is None else weights
    ranked = rank_keys(masked, names, weights)
    earlier = ranked if masked is original else rank_keys(original, names, weights)
    before = {key.name: key.falls for key in earlier}
    return {key.name: (before[key.name], key.falls) for key in ranked}


def _looked_at(original: Microdata, masked: Microdata, keys: Sequence[str] | None) -> tuple[str, ...]:
    names = original.schema.keys if keys is None else tuple(keys)
    return tuple(name for name in names if name in masked.schema and name in original.schema)


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


def _left_out(n_keys: int, deepest: int, n_sets: int, beyond: int) -> str:
    """Say what was not looked at, or not listed."""
    parts = []
    if deepest < min(_DEEPEST, n_keys):
        parts.append(f"Sets of more than {deepest} keys were not looked at: there are too many for so many records.")
    if n_sets > _SHOWN:
        parts.append(f"Listed are the {_SHOWN} worst of {n_sets} sets.")
    if beyond:
        parts.append(f"{beyond} keys after the first {_MOST_KEYS} were not looked at.")
    return "".join(f" {part}" for part in parts)
