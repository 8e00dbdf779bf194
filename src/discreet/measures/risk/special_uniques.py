"""Special uniques: records that few attributes tell apart, found and scored (SUDA)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb, prod
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.engine import TablePair
from discreet.contracts.estimator import register
from discreet.contracts.measure import Pair, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.block import Block
from discreet.data.keys import pack
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical
from discreet.data.scales.written import absent_of
from discreet.errors import DataError, ParameterError
from discreet.kernels.values.suda import gather_minimal, refine_cells, share_scores
from discreet.measures.number_pairs import most_of
from discreet.measures.risk.equal_keys import FrequencyRisk, keys_in_words
from discreet.parameters import Integer, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.progress import report
from discreet.statistics.different_pairs import DifferentPairs, PairRows
from discreet.statistics.question import Need
from discreet.typing import CodeArray, FloatArray, IntArray, Json

__all__ = ["MinimalUniques", "SpecialUniques", "minimal_uniques"]

# Cells are counted in a table up to this many; beyond, combinations are numbered anew by sorting.
_TABLE = 1 << 22


@dataclass(frozen=True, repr=False)
class MinimalUniques:
    """Every minimal sample unique of a file.

    Attributes
    ----------
    records : (u,) int64
        The record it belongs to, ascending.
    subsets : (u,) int64
        Its attributes, as bits: bit j is attribute j.
    sizes : (u,) int64
        How many attributes those are.
    """

    records: IntArray
    subsets: IntArray
    sizes: IntArray


class _SubsetWalk:
    """A walk over the sets of attributes, deepest first, that drops every row once it is alone."""

    def __init__(self, columns: Sequence[CodeArray], sizes: Sequence[int], frequency: CodeArray, deepest: int) -> None:
        self.columns, self.sizes, self.frequency, self.deepest = columns, sizes, frequency, deepest
        self.found_rows: list[CodeArray] = []
        self.found_subsets: list[IntArray] = []
        self.counts = np.zeros(1, dtype=np.int32)
        self.places = np.empty(frequency.size, dtype=np.int32)
        # Attributes with many levels first: they leave the fewest rows to go on with.
        self.order = sorted(range(len(columns)), key=lambda j: (-sizes[j], j))

    def walk(self, rows: CodeArray, cells: CodeArray, groups: int, subset: int, first: int, depth: int) -> None:
        for place in range(first, len(self.order)):
            j = self.order[place]
            last = depth + 1 == self.deepest or place + 1 == len(self.order)
            alone, rest, rest_cells, rest_groups = self._refine(rows, cells, groups, j, last=last)
            if alone.size:
                self.found_rows.append(alone)
                self.found_subsets.append(np.full(alone.size, subset | (1 << j), dtype=np.int64))
            if not last and rest.size:
                self.walk(rest, rest_cells, rest_groups, subset | (1 << j), place + 1, depth + 1)
            if depth == 0:
                report("looking for special uniques", place + 1, len(self.order))

    def _refine(
        self, rows: CodeArray, cells: CodeArray, groups: int, j: int, *, last: bool
    ) -> tuple[CodeArray, CodeArray, CodeArray, int]:
        """Split the cells by attribute j; return the rows that are alone, the others, and their cells."""
        column, size = self.columns[j], int(self.sizes[j])
        if groups * size > max(_TABLE, 4 * rows.size):
            packed = cells.astype(np.int64) * size + column[rows]
            cells = np.unique(packed, return_inverse=True)[1].astype(np.int32)
            column, size, groups = np.zeros_like(column), 1, int(cells.max()) + 1
        if self.counts.size < groups * size:
            self.counts = np.zeros(groups * size, dtype=np.int32)
        alone, rest, rest_cells = (np.empty(rows.size, dtype=np.int32) for _ in range(3))
        n_alone, n_rest, rest_groups = refine_cells(
            rows, cells, column, size, self.frequency, last, self.counts, self.places, alone, rest, rest_cells
        )
        return alone[:n_alone].copy(), rest[:n_rest], rest_cells[:n_rest], rest_groups


def minimal_uniques(
    columns: Sequence[IntArray], sizes: Sequence[int], deepest: int, records: IntArray | None = None
) -> MinimalUniques:
    """Find every minimal sample unique of at most `deepest` attributes.

    Parameters
    ----------
    columns : sequence of (n,) int64
        At most 62 attributes as codes 0 … size − 1; a missing cell is a value like any other.
    sizes : sequence of int
    deepest : int
    records : (n,) int64, optional
        How many records every row stands for.

    Notes
    -----
    A record that is alone on a set of attributes is alone on every larger one, so it is dropped from that branch of the
    walk. A minimal set is never missed: on none of its parts is the record alone. What is found beside the minimal sets
    holds one of them, and is sorted out at the end. At most Σ_{s ≤ deepest} C(attributes, s) passes over the distinct
    records.
    """
    packed, _ = pack(columns, sizes)
    _, first, labels = np.unique(packed, return_index=True, return_inverse=True)
    # Whether a row is alone is asked, never how many others there are: two stand for more.
    frequency = np.minimum(np.bincount(labels, weights=records), 2).astype(np.int32)
    rows = [np.ascontiguousarray(column[first], dtype=np.int32) for column in columns]
    search = _SubsetWalk(rows, sizes, frequency, deepest)
    everybody = np.arange(first.size, dtype=np.int32)
    search.walk(everybody, np.zeros(first.size, dtype=np.int32), 1, 0, 0, 0)
    if not search.found_rows:
        none = np.zeros(0, dtype=np.int64)
        return MinimalUniques(none, none, none)
    # A row that is alone stands for one record: the first with its keys.
    rows_found, subsets = np.concatenate(search.found_rows), np.concatenate(search.found_subsets)
    owners, minimal = np.empty(subsets.size, dtype=np.int64), np.empty(subsets.size, dtype=np.int64)
    starts = np.zeros(labels.size + 1, dtype=np.int64)
    count = gather_minimal(rows_found, subsets, first.astype(np.int64, copy=False), starts, owners, minimal)
    owners, minimal = owners[:count].copy(), minimal[:count].copy()
    return MinimalUniques(owners, minimal, np.bitwise_count(minimal).astype(np.int64))


@dataclass(frozen=True, repr=False)
class _Search:
    """The keys of the rows as codes, how many records each stands for, the MSUs and the score of each."""

    columns: list[IntArray]
    sizes: list[int]
    uniques: MinimalUniques
    scores: FloatArray
    records: IntArray

    def by_row(self) -> FloatArray:
        """Return the score of every row."""
        return np.bincount(self.uniques.records, weights=self.scores, minlength=self.records.size).astype(np.float64)


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
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute(name, Nominal(["n", "y"]), "key") for name in "abc"])
    >>> people = pl.DataFrame({"a": ["n", "n", "y", "n"], "b": ["n", "n", "n", "y"], "c": ["n", "y", "n", "y"]})
    >>> SpecialUniques().per_record(people, people, schema)  # abc nnn: {a,c}; nny: {b,c}; ynn: {a}; nyy: {b}
    array([1., 1., 2., 2.])
    """

    need: ClassVar[Need] = Need.DISTINCT
    title: ClassVar[str] = "Records singled out by a few keys (SUDA2)"
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · #{i : i has an MSU of at most M keys} / n"
    reference: ClassVar[str] = "Elliot, Manning and Ford 2002; Manning, Haglin and Keane 2008"
    max_size: int = parameter(Integer(1), default=3, kw_only=False)
    sampling_fraction: float | None = parameter(Optional(Number(0, 1, open_low=True)), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(2, sampling_fraction=0.1)]

    def question(self, scope: PairScope) -> DifferentPairs:
        if len(scope.names) > _MOST_KEYS:
            message = f"SpecialUniques: attributes must be at most {_MOST_KEYS}; got {len(scope.names)}."
            raise ParameterError(message) if self.attributes is not None else DataError(message)
        return DifferentPairs((), scope.names, scope.weight)

    def _search(self, rows: PairRows, names: Sequence[str]) -> _Search:
        numbered = [np.unique(rows.cell_keys(name), return_inverse=True) for name in names]
        columns, sizes = [one[1].ravel() for one in numbered], [one[0].size for one in numbered]
        records = rows.records
        deepest = self._deepest(len(names), int(records.sum()))
        uniques = minimal_uniques(columns, sizes, deepest, records)
        largest = min(deepest, len(names) - 1)
        by_size = np.array([float(prod(len(names) - i for i in range(k, largest + 1))) for k in range(len(names) + 1)])
        return _Search(columns, sizes, uniques, by_size[uniques.sizes], records)

    def _deepest(self, keys: int, n: int) -> int:
        """Return how many keys are looked at together, at most."""
        deepest = min(self.max_size, keys)
        while deepest > 1 and n * sum(comb(keys, size) for size in range(1, deepest + 1)) > _MOST_VISITS:
            deepest -= 1
        return deepest

    def _per_record(self, pair: Pair) -> FloatArray:
        question = self.question(self.scope(TablePair(pair.original, pair.masked), pair.provenance, pair.engine))
        rows = question.summarise(Block(np.arange(len(pair.masked)), pair.original, pair.masked))
        return self._search(rows, pair.names).by_row()

    def conclude(self, statistics: PairRows, scope: PairScope) -> Measurement:
        names, n = scope.names, scope.n
        search = self._search(statistics, names)
        uniques, total = search.uniques, float(search.scores.sum())
        singled = int(np.count_nonzero(np.diff(uniques.records, prepend=-1)))
        shares = _shares(search.columns, uniques, search.scores)
        per_attribute = {name: float(100.0 * shares[j].sum() / total) if total else 0.0 for j, name in enumerate(names)}
        largest = self._deepest(len(names), n)
        few = f"{keys_in_words(largest)} or fewer of {len(names)}"
        sentence = (
            f"{singled} of {n} records are singled out by {few}; {most_of(per_attribute)} takes part in "
            f"{max(per_attribute.values()):.0f} % of it."
            if singled
            else f"No record is singled out by {few}."
        )
        if largest < min(self.max_size, len(names)):
            sentence += (
                f" Sets of up to {self.max_size} keys were asked for; of {len(names)} keys and {n} records there "
                f"are too many, and sets of more than {largest} were not looked at."
            )
        sizes = np.bincount(uniques.sizes, minlength=largest + 1)
        release = statistics.release
        details: Json = {
            "max_size": largest,
            "minimal_uniques_by_size": {str(k): int(sizes[k]) for k in range(1, largest + 1)},
            "mean_score": total / n,
            "levels": {
                name: _by_level(release, name, search.columns[j], search.records, shares[j], total)
                for j, name in enumerate(names)
                if isinstance(scope.after[name].scale, Categorical)
            },
            **self._dis(search, statistics.totals),
        }
        gaps = any(bool(absent_of(release.encoded(name)).any()) for name in names)
        perturbative = None if scope.provenance is None else scope.provenance.perturbative
        value = 100.0 * singled / n
        return self.stated(names, value, sentence, per_attribute, details, perturbative=perturbative, gaps=gaps)

    def _dis(self, search: _Search, weights: FloatArray | None) -> Json:
        """Return the chance that a unique match is correct, and how many records exceed which."""
        fraction, n = self.sampling_fraction, int(search.records.sum())
        if fraction is None and weights is not None:
            fraction = min(n / float(weights.sum()), 1.0)
        if fraction is None:
            return {}
        packed, _ = pack(search.columns, search.sizes)
        labels = np.unique(packed, return_inverse=True)[1].ravel()
        by_class = np.bincount(labels, weights=search.records)
        uniques, doubles = int((by_class == 1).sum()), int((by_class == 2).sum())
        matched = uniques * fraction
        wrong = 2.0 * doubles * (1.0 - fraction)
        dis = matched / (matched + wrong) if matched + wrong > 0 else 0.0
        scores = search.by_row()
        mean = scores[by_class[labels] == 1].mean() if uniques else 0.0
        scaled = np.minimum(dis * scores / mean, 1.0) if mean > 0 else np.zeros(scores.size)
        return {
            "dis_percent": 100.0 * dis,
            "sampling_fraction": float(fraction),
            "records_above_dis_percent": {
                str(t): int(search.records[scaled > t / 100.0].sum()) for t in (1, 5, 10, 50)
            },
        }


def _by_level(
    release: Microdata, name: str, codes: IntArray, records: IntArray, shares: FloatArray, total: float
) -> Json:
    """Return the contribution of every level that at least three records have; how many others there are."""
    scale = release.schema[name].scale
    assert isinstance(scale, Categorical)  # noqa: S101 - asked by the caller
    levels = release.encoded(name)
    there = levels >= 0
    counts = np.bincount(levels[there], weights=records[there], minlength=len(scale))
    of_code = np.full(shares.size, -1, dtype=np.int64)
    of_code[codes] = levels
    by_level = np.bincount(of_code[of_code >= 0], weights=shares[of_code >= 0], minlength=len(scale))
    contributions = {
        str(scale.levels[level]): float(100.0 * by_level[level] / total) if total else 0.0
        for level in np.flatnonzero(counts >= _SMALLEST)
    }
    rare = int(((counts > 0) & (counts < _SMALLEST)).sum())
    return {"contribution_percent": contributions, "levels_not_shown": rare}


def _shares(columns: Sequence[IntArray], uniques: MinimalUniques, scores: FloatArray) -> list[FloatArray]:
    """Return by attribute and level the scores of the MSUs that hold it."""
    codes = np.stack([column.astype(np.int32) for column in columns])
    sizes = [int(column.max(initial=0)) + 1 for column in codes]
    starts = np.cumsum([0, *sizes]).astype(np.int64)
    shares = np.zeros(int(starts[-1]))
    share_scores(uniques.records, uniques.subsets, scores, codes, starts[:-1], shares)
    return [shares[low:high] for low, high in pairwise(starts)]
