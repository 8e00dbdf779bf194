"""Which key to protect first: what the risk would be if the intruder did not know it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.data.microdata import Microdata
from discreet.progress import report
from discreet.statistics.key_frequencies import benedetti_franconi, key_frequencies
from discreet.typing import FloatArray

__all__ = ["KeyRisk", "rank_keys"]


@dataclass(frozen=True)
class KeyRisk:
    """What one key does to the risk of a file.

    Attributes
    ----------
    name : str
    now : float
        Expected re-identifications where the intruder knows every key.
    without : float
        The same where he knows every key but this one.
    alone : float
        The same where he knows nothing but this one.
    uniques_now, uniques_without : int
        Records that are the only ones with their keys, in the first two cases.
    """

    name: str
    now: float
    without: float
    alone: float
    uniques_now: int
    uniques_without: int

    @property
    def falls(self) -> float:
        """Expected re-identifications that are gone where the intruder does not know the key."""
        return self.now - self.without


def rank_keys(
    data: Microdata, keys: Sequence[str] | None = None, weights: FloatArray | None = None
) -> tuple[KeyRisk, ...]:
    """Return the keys of a file, the one first without which the risk would be lowest.

    Parameters
    ----------
    data : Microdata
        As it would be released.
    keys : sequence of str, optional
        What the intruder knows; by default every key, whatever its scale.
    weights : (n,) float64, optional
        Survey weights; without them the file is taken for the population.

    Notes
    -----
    The risk is the expected number of re-identifications of Benedetti and Franconi (Σ 1/f without weights), over
    records as a written file shows them. Where two keys leave the same risk, such as two amounts each of which is
    enough, the one comes first that risks more alone. 2 · keys + 1 counts: O(keys² · n log n).

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.microdata import microdata
    >>> from discreet.data.scales import Nominal, Numeric
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("sex", Nominal(["f", "m"]), "key"), Attribute("pay", Numeric(), "key")])
    >>> people = microdata(pl.DataFrame({"sex": ["f", "m", "f", "m"], "pay": [1.5, 2.5, 3.5, 4.5]}), schema)
    >>> [(key.name, key.now, key.without) for key in rank_keys(people)]
    [('pay', 4.0, 2.0), ('sex', 4.0, 4.0)]
    """
    names = data.schema.keys if keys is None else tuple(keys)
    counts = _KeyCounts(data, weights)
    now, uniques_now = counts.of(names)
    result = []
    for count, name in enumerate(names):
        report("looking at each key", count, len(names))
        without, uniques = counts.of([other for other in names if other != name])
        result.append(KeyRisk(name, now, without, counts.of([name])[0], uniques_now, uniques))
    report("looking at each key", len(names), len(names))
    # Sums of equal terms may differ in the last digits; what is as good as equal is a tie.
    return tuple(sorted(result, key=lambda key: (round(key.without, 6), key.uniques_without, -round(key.alone, 6))))


class _KeyCounts:
    """The risk of a file by what is known of it."""

    def __init__(self, data: Microdata, weights: FloatArray | None) -> None:
        self.data = data
        self.weights = weights

    def of(self, names: Sequence[str]) -> tuple[float, int]:
        """Return the expected re-identifications and the uniques on some keys."""
        n = len(self.data)
        if names:
            frequencies = key_frequencies(self.data, names, self.weights)
            sizes, totals = frequencies.sizes, frequencies.totals
        else:  # nobody is told from anybody
            whole = float(n) if self.weights is None else float(self.weights.sum())
            sizes, totals = np.full(n, n, dtype=np.int64), np.full(n, whole)
        return float(benedetti_franconi(sizes, totals).sum()), int((sizes == 1).sum())
