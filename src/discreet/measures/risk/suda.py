"""SUDA2: records that few keys are enough to single out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import comb, prod
from typing import ClassVar, Self

import numpy as np

from discreet.base import Pair, register
from discreet.errors import DataError, ParameterError
from discreet.kernels.suda import share_scores
from discreet.measures.columns import most_of, written_levels
from discreet.measures.frequencies import key_frequencies
from discreet.measures.risk.frequency import FrequencyRisk, keys_in_words
from discreet.measures.special_uniques import MinimalUniques, minimal_uniques
from discreet.parameters import Constraint, Integer, Names, Number, Optional
from discreet.results import Measurement
from discreet.scales import Categorical
from discreet.typing import FloatArray, IntArray, Json

__all__ = ["SpecialUniques"]

_SMALLEST = 3
_MOST_KEYS = 62
_MOST_VISITS = 2e9
"""Sets of keys × records; beyond, smaller sets are looked at, and the sentence says so."""


@register("suda2")
class SpecialUniques(FrequencyRisk):
    """Share of records that a few of their keys single out, in percent (SUDA2).

    A record that is unique on two of ten keys is riskier than one that takes all ten: it stays unique whatever else is
    protected. `per_attribute` says how much each key contributes to the scores, `details` how much each level does.

    Parameters
    ----------
    max_size : int
        The largest number of keys that are looked at together.
    attributes : list of str, optional
        What the intruder may know; by default every key, numbers included. At most 62.
    sampling_fraction : float, optional
        Share of the population that is in the file, for the DIS score; by default from the survey weights.

    Notes
    -----
    A minimal sample unique (MSU) is a set of keys on which the record is alone, while it is not on any part of the set.
    With m keys, an MSU of k keys scores ``Π_{i=k}^{M} (m − i)``, M = `max_size` (m − 1 at most); a record's score is
    the sum of its MSUs'. The contribution of a key, or of a level, is the share of all scores that comes from MSUs that
    hold it; levels with fewer than three records are not shown. DIS is the chance that a unique match is correct,
    ``u π / (u π + 2 d (1 − π))`` with u uniques and d pairs of doubles on all keys; a record's DIS-SUDA score is DIS in
    proportion to its score among the uniques. A missing cell is a value of its own, as
    the file shows it. At most Σ_{k ≤ M} C(m, k) passes over the distinct records, of which every record leaves the
    branches where it is alone; where that would be more than 2·10⁹ visits of records, M is lowered until it is not, and
    the sentence and `details` (``max_size``) say so.

    References
    ----------
    Elliot, Manning and Ford (2002), A computational algorithm for handling the special uniques problem; Manning, Haglin
    and Keane (2008), A recursive search algorithm for statistical disclosure assessment; Skinner and Elliot (2002).

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute(name, Nominal(["n", "y"]), "key") for name in "abc"])
    >>> people = pl.DataFrame({"a": ["n", "n", "y", "n"], "b": ["n", "n", "n", "y"], "c": ["n", "y", "n", "y"]})
    >>> SpecialUniques().per_record(people, people, schema)  # abc nnn: {a,c}; nny: {b,c}; ynn: {a}; nyy: {b}
    array([1., 1., 2., 2.])
    """

    title: ClassVar[str] = "Records singled out by a few keys (SUDA2)"
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · #{i : i has an MSU of at most M keys} / n"
    reference: ClassVar[str] = "Elliot, Manning and Ford 2002; Manning, Haglin and Keane 2008"
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "max_size": Integer(1),
        "attributes": Optional(Names()),
        "sampling_fraction": Optional(Number(0, 1, open_low=True)),
    }

    def __init__(
        self,
        max_size: int = 3,
        *,
        attributes: Sequence[str] | None = None,
        sampling_fraction: float | None = None,
    ) -> None:
        super().__init__(attributes=attributes, missing="category")
        self.max_size = max_size
        self.sampling_fraction = sampling_fraction

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(2, sampling_fraction=0.1)]

    def _search(self, pair: Pair) -> tuple[list[IntArray], MinimalUniques, FloatArray]:
        """Return the keys as codes, the MSUs, and the score of each."""
        names = pair.names
        if len(names) > _MOST_KEYS:
            message = f"SpecialUniques: attributes must be at most {_MOST_KEYS}; got {len(names)}."
            raise ParameterError(message) if self.attributes is not None else DataError(message)
        written = [written_levels(pair.masked, name) for name in names]
        columns, sizes = [one.codes for one in written], [one.size for one in written]
        deepest = self._deepest(pair)
        found = minimal_uniques(columns, sizes, deepest)
        largest = min(deepest, len(names) - 1)
        by_size = np.array([float(prod(len(names) - i for i in range(k, largest + 1))) for k in range(len(names) + 1)])
        return columns, found, by_size[found.sizes]

    def _deepest(self, pair: Pair) -> int:
        """Return how many keys are looked at together, at most."""
        keys, n = len(pair.names), len(pair.masked)
        deepest = min(self.max_size, keys)
        while deepest > 1 and n * sum(comb(keys, size) for size in range(1, deepest + 1)) > _MOST_VISITS:
            deepest -= 1
        return deepest

    def _per_record(self, pair: Pair) -> FloatArray:
        _, found, scores = self._search(pair)
        return np.bincount(found.records, weights=scores, minlength=len(pair.masked)).astype(np.float64)

    def _measure(self, pair: Pair) -> Measurement:
        columns, found, scores = self._search(pair)
        n, total = len(pair.masked), float(scores.sum())
        singled = int(np.count_nonzero(np.diff(found.records, prepend=-1)))
        shares = _shares(columns, found, scores)
        per_attribute = {
            name: float(100.0 * shares[j].sum() / total) if total else 0.0 for j, name in enumerate(pair.names)
        }
        largest = self._deepest(pair)
        few = f"{keys_in_words(largest)} or fewer of {len(pair.names)}"
        sentence = (
            f"{singled} of {n} records are singled out by {few}; {most_of(per_attribute)} takes part in "
            f"{max(per_attribute.values()):.0f} % of it."
            if singled
            else f"No record is singled out by {few}."
        )
        if largest < min(self.max_size, len(pair.names)):
            sentence += (
                f" Sets of up to {self.max_size} keys were asked for; of {len(pair.names)} keys and {n} records there "
                f"are too many, and sets of more than {largest} were not looked at."
            )
        sizes = np.bincount(found.sizes, minlength=largest + 1)
        details: Json = {
            "max_size": largest,
            "minimal_uniques_by_size": {str(k): int(sizes[k]) for k in range(1, largest + 1)},
            "mean_score": total / n,
            "levels": {
                name: self._levels(pair, name, columns[j], shares[j], total)
                for j, name in enumerate(pair.names)
                if isinstance(pair.masked.schema[name].scale, Categorical)
            },
            **self._dis(pair, np.bincount(found.records, weights=scores, minlength=n).astype(np.float64)),
        }
        return self._flagged(pair, 100.0 * singled / n, sentence, per_attribute, details)

    def _levels(self, pair: Pair, name: str, codes: IntArray, shares: FloatArray, total: float) -> Json:
        """Return the contribution of every level that at least three records have; how many others there are."""
        scale = pair.masked.schema[name].scale
        assert isinstance(scale, Categorical)  # noqa: S101 - asked by the caller
        levels = pair.masked.encoded(name)
        counts = np.bincount(levels[levels >= 0], minlength=len(scale))
        of_code = np.full(shares.size, -1, dtype=np.int64)
        of_code[codes] = levels
        by_level = np.bincount(of_code[of_code >= 0], weights=shares[of_code >= 0], minlength=len(scale))
        shown = {
            str(scale.levels[level]): float(100.0 * by_level[level] / total) if total else 0.0
            for level in np.flatnonzero(counts >= _SMALLEST)
        }
        rare = int(((counts > 0) & (counts < _SMALLEST)).sum())
        return {"contribution_percent": shown, "levels_not_shown": rare}

    def _dis(self, pair: Pair, scores: FloatArray) -> Json:
        """Return the chance that a unique match is correct, and how many records exceed which."""
        fraction, weights = self.sampling_fraction, pair.weights
        if fraction is None and weights is not None:
            fraction = min(len(weights) / float(weights.sum()), 1.0)
        if fraction is None:
            return {}
        sizes = key_frequencies(pair.masked, pair.names, missing="category").sizes
        uniques, doubles = int((sizes == 1).sum()), int((sizes == 2).sum()) // 2
        matched = uniques * fraction
        wrong = 2.0 * doubles * (1.0 - fraction)
        dis = matched / (matched + wrong) if matched + wrong > 0 else 0.0
        mean = scores[sizes == 1].mean() if uniques else 0.0
        scaled = np.minimum(dis * scores / mean, 1.0) if mean > 0 else np.zeros(scores.size)
        return {
            "dis_percent": 100.0 * dis,
            "sampling_fraction": float(fraction),
            "records_above_dis_percent": {str(t): int((scaled > t / 100.0).sum()) for t in (1, 5, 10, 50)},
        }


def _shares(columns: Sequence[IntArray], found: MinimalUniques, scores: FloatArray) -> list[FloatArray]:
    """Return by attribute and level the scores of the MSUs that hold it."""
    codes = np.stack([column.astype(np.int32) for column in columns])
    sizes = [int(column.max(initial=0)) + 1 for column in codes]
    starts = np.cumsum([0, *sizes]).astype(np.int64)
    shares = np.zeros(int(starts[-1]))
    share_scores(found.records, found.subsets, scores, codes, starts[:-1], shares)
    return [shares[low:high] for low, high in pairwise(starts)]
