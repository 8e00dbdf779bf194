"""How many records share their keys, in the file and, by its weights, in the population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.data.keys import distinct_codes, pack
from discreet.data.microdata import Microdata
from discreet.kernels.values.population import expected_inverse
from discreet.statistics.counts import agreeing
from discreet.statistics.written_levels import written_levels
from discreet.typing import FloatArray, IntArray

__all__ = ["Frequencies", "benedetti_franconi", "key_frequencies"]


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
    O(n), or O(n + m log m) where m different combinations are few of very many possible ones. Where missing values
    agree with everything, every two patterns of missing values are compared on the keys that both have:
    O(patterns · n log n).
    """
    written = [written_levels(data, name) for name in names]
    columns, sizes = [one.codes for one in written], [one.size for one in written]
    first, labels, counts = distinct_codes(*pack(columns, sizes))
    totals = (counts if weights is None else np.bincount(labels, weights=weights)).astype(np.float64, copy=False)
    if missing == "any":
        rows = np.stack([column[first] for column in columns], axis=1)
        absent = rows >= np.array([one.values for one in written])[None, :]
        if absent.any():
            counts, totals = agreeing(rows, absent, sizes, counts, totals)
    return Frequencies(labels, counts[labels], totals[labels])


def benedetti_franconi(sizes: IntArray, totals: FloatArray) -> FloatArray:
    """Return E[1/F | f]: the expected chance of a correct guess among the F people with the same keys.

    Parameters
    ----------
    sizes : (n,) int64
        f, the records with the same keys.
    totals : (n,) float64
        The sum of their weights, which estimates F.

    Notes
    -----
    F given f is negative binomial with success probability p = f / totals, so that the risk is
    ``p^f / f · ₂F₁(f, f; f+1; 1−p)``. Euler's transformation makes that ``p / f · ₂F₁(1, 1; f+1; 1−p)``, which neither
    over- nor underflows and needs no approximation for large f. A sum of weights below f counts as f.

    Examples
    --------
    >>> benedetti_franconi(np.array([1, 2]), np.array([17.0, 2.0])).round(4)  # log(17)/16, and 1/2 in a census
    array([0.1771, 0.5   ])
    """
    risks = np.empty(sizes.size)
    expected_inverse(sizes, sizes / np.maximum(totals, sizes), risks)
    return risks
