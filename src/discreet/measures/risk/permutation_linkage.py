"""Linkage by an intruder who has all of both files and not who is who: masking as a permutation of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, Pair
from discreet.contracts.measurement import Measurement
from discreet.errors import MissingValueError
from discreet.measures.record_draws import record_draws
from discreet.parameters import Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = ["PermutationLinkageRisk"]


@register("permutation-linkage")
class PermutationLinkageRisk(Measure):
    """Share of records that an intruder links correctly by ranks who has the whole original file, in percent.

    Whatever a method does, it moves values to other ranks and then changes them a little: put back the original value
    of every released rank, and what is left is a permutation. Nobody has more values to go by than an intruder who has
    all original records and all released ones and asks only who is who. He goes by ranks alone: one who also knows
    the method (:class:`~discreet.measures.risk.masking_aware_linkage.MaskingAwareLinkageRisk`) may find more.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key that is a number or ordered.
    plausible : float
        A link is held for more than chance where a record made of values drawn from the released columns, one by one,
        would come as near to anybody with at most this probability.

    Notes
    -----
    A released record is linked to the original one with the least largest difference of ranks over all attributes; ties
    share the link, and equal values share their mean rank. `details` also tell Spearman's correlation of every
    attribute with its reverse mapped release, in which a released value is the original value of its rank, and how many
    links are held for more than chance and are right. Records with a missing value are left out. About O(n log n) in
    few dimensions, O(n²) at worst; all records are looked at together.

    References
    ----------
    Domingo-Ferrer, Ricci and Soria-Comas (2015), Disclosure risk assessment via record linkage by a maximum-knowledge
    attacker; Domingo-Ferrer and Muralidhar (2016), New directions in anonymization: permutation paradigm.

    Examples
    --------
    Other numbers in the same order hide nobody; two that change places are taken for each other:

    >>> import polars as pl
    >>> a = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    >>> PermutationLinkageRisk().measure(a, pl.DataFrame({"x": [10.0, 11.0, 17.0, 90.0]})).value
    100.0
    >>> PermutationLinkageRisk().measure(a, pl.DataFrame({"x": [2.0, 1.0, 3.0, 4.0]})).value
    50.0
    """

    kind: ClassVar[str] = "risk"
    keys_only: ClassVar[bool] = True
    title: ClassVar[str] = "Re-identified by who has all of both files (permutation)"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal"})
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · #{i : max_j |r(x_ij) − r(y_ij)| is least over all originals, ties shared} / n"
    reference: ClassVar[str] = "Domingo-Ferrer, Ricci and Soria-Comas 2015; Domingo-Ferrer and Muralidhar 2016"
    needs_numbers: ClassVar[bool] = True
    instead: ClassVar[str] = "Ranks are those of the whole file. Take it of a sample of the records."
    plausible: float = parameter(Number(0, 1, open_low=True, open_high=True), default=0.05)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(plausible=0.2)]

    def _measure(self, pair: Pair) -> Measurement:
        from scipy.spatial import cKDTree  # slow to import, and a list of methods need not wait for it
        from scipy.stats import rankdata

        before, after = (
            np.stack([_numbers(table.encoded(name)) for name in pair.names], axis=1)
            for table in (pair.original, pair.masked)
        )
        present = ~(np.isnan(before) | np.isnan(after)).any(axis=1)
        n = int(present.sum())
        if not n:
            raise MissingValueError(f"{type(self).__name__}: no record has a value in every column of both files.")
        original, released = (rankdata(values[present], axis=0) for values in (before, after))
        tree = cKDTree(original)
        nearest, ties = _search(tree, released)
        right: BoolArray = np.abs(original - released).max(axis=1) <= nearest
        chances = np.where(right, 1.0 / ties, 0.0)
        scattered = np.stack(
            [
                released[np.argsort(record_draws(pair, pair.names, 0, stream)[present]), stream]
                for stream in range(len(pair.names))
            ],
            axis=1,
        )
        by_chance = np.sort(tree.query(scattered, p=np.inf)[0])
        likely = (np.searchsorted(by_chance, nearest, side="right") <= self.plausible * n) & (ties == 1)
        held, true = int(likely.sum()), int((likely & right).sum())
        expected = float(chances.sum())
        value = 100.0 * expected / n
        sentence = (
            f"An intruder who has all original records and not who is who re-identifies about {expected:.0f} of {n} "
            f"records by their ranks ({value:.1f} %); guessing finds 1. He would hold {held} links for more than "
            f"chance, and {true} of them are right."
        )
        details: Json = {
            "known": list(pair.names),
            "expected": expected,
            "n": n,
            "held_for_more_than_chance": held,
            "right_among_those_held": true,
            "rank_correlation": {
                name: _correlation(original[:, j], released[:, j]) for j, name in enumerate(pair.names)
            },
            "largest_displacement_percent": 100.0 * float(np.abs(original - released).max()) / n,
        }
        return self.result(value, sentence, details=details)


def _numbers(encoded: FloatArray | IntArray) -> FloatArray:
    """Return values or positions of levels as numbers; a missing one is NaN."""
    numbers = encoded.astype(np.float64)
    if encoded.dtype.kind == "i":
        numbers[encoded < 0] = np.nan
    return np.asarray(numbers)


def _search(tree: Any, points: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return how far the nearest original is by the largest difference of ranks, and how many are as near.

    Ranks are whole or half numbers, and so are their differences: both are exact.
    """
    nearest = np.asarray(tree.query(points, p=np.inf)[0])
    ties = tree.query_ball_point(points, nearest, p=np.inf, return_length=True)
    return nearest, np.asarray(ties, dtype=np.int64)


def _correlation(a: FloatArray, b: FloatArray) -> float | None:
    """Return Spearman's correlation, given the ranks; None where one of them is constant."""
    if a.std() == 0 or b.std() == 0:
        return None
    return float(np.corrcoef(a, b)[0, 1])
