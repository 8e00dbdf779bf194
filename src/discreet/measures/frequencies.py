"""How many records share a combination of keys, in the file and, with survey weights, in the population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.measures.columns import written_levels
from discreet.measures.contingency import pack
from discreet.microdata import Microdata
from discreet.progress import report
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["Frequencies", "key_frequencies"]


@dataclass(frozen=True, repr=False)
class Frequencies:
    """The combinations of keys of a file.

    Attributes
    ----------
    labels : (n,) int64
        The combination of every record as a written file shows it, missing cells by what stands in them.
    sizes : (n,) int64
        How many records a record cannot be told from by its keys, itself included.
    totals : (n,) float64
        The sum of their weights: an estimate of how many there are in the population.
    """

    labels: IntArray
    sizes: IntArray
    totals: FloatArray


def key_frequencies(
    data: Microdata, names: Sequence[str], weights: FloatArray | None = None, *, missing: str = "category"
) -> Frequencies:
    """Count the records that share each record's keys, as a written file shows them.

    Parameters
    ----------
    data : Microdata
    names : sequence of str
        Keys on any scale: levels, numbers by their value, sequences by their events.
    weights : (n,) float64, optional
        Ones where there are none.
    missing : {"category", "any"}
        Whether a missing cell is a value of its own, told apart from others by what the file shows of it (empty, −8,
        −9), or may be any value, and so agrees with all of them.

    Notes
    -----
    O(n log n). Where missing values agree with everything, every two patterns of missing values are compared on the
    keys that both have: O(patterns · n log n).
    """
    weights = np.ones(len(data)) if weights is None else weights
    written = [written_levels(data, name) for name in names]
    columns, sizes = [one.codes for one in written], [one.size for one in written]
    packed, _ = pack(columns, sizes)
    _, first, labels = np.unique(packed, return_index=True, return_inverse=True)
    counts = np.bincount(labels).astype(np.int64)
    totals = np.bincount(labels, weights=weights).astype(np.float64)
    if missing == "any":
        rows = np.stack([column[first] for column in columns], axis=1)
        absent = rows >= np.array([one.values for one in written])[None, :]
        if absent.any():
            counts, totals = _agreeing(rows, absent, sizes, counts, totals)
    return Frequencies(labels.astype(np.int64), counts[labels].astype(np.int64), totals[labels].astype(np.float64))


def _agreeing(
    rows: IntArray, absent: BoolArray, sizes: Sequence[int], counts: IntArray, totals: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return, for every distinct row, the records (and weight) of all rows that agree where both have values."""
    patterns, pattern = np.unique(absent, axis=0, return_inverse=True)
    members = [np.flatnonzero(pattern == p) for p in range(len(patterns))]
    all_counts, all_totals = np.zeros(len(rows)), np.zeros(len(rows))
    done, pairs = 0, len(patterns) * (len(patterns) + 1) // 2
    for p, own in enumerate(members):
        for q in range(p, len(members)):
            other = members[q]
            common = np.flatnonzero(~(patterns[p] | patterns[q]))
            both = np.concatenate([own, other]) if q != p else own
            if common.size:
                packed, _ = pack([rows[both, j] for j in common], [sizes[int(j)] for j in common])
                _, place = np.unique(packed, return_inverse=True)
            else:
                place = np.zeros(both.size, dtype=np.int64)
            own_place, other_place = place[: own.size], place[-other.size :]
            for source, sums in ((counts, all_counts), (totals, all_totals)):
                sums[own] += np.bincount(other_place, weights=source[other], minlength=place.max() + 1)[own_place]
                if q != p:
                    sums[other] += np.bincount(own_place, weights=source[own], minlength=place.max() + 1)[other_place]
            done += 1
        report("matching missing values", done, pairs)
    return np.rint(all_counts).astype(np.int64), all_totals
