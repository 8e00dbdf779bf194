"""Categorical microaggregation: k-modes style clustering with groups of at least k records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple, Self, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import MaskingJob
from discreet.contracts.plan import Scope, Stage
from discreet.data.block import Block
from discreet.data.scales import Categorical
from discreet.errors import ParameterError
from discreet.kernels.values.nearest_prototypes import (
    accumulate_memberships,
    assign_records,
    greedy_start,
    relocate_records,
)
from discreet.masking.microaggregation.records.group_operators import aggregated, ordered_groups
from discreet.masking.microaggregation.records.record_groups import (
    IMPORTANCE,
    OperatorMicroaggregation,
    RecordMicroaggregation,
    Records,
)
from discreet.masking.running.condensed import Lookup, LookupPlan, copies, different
from discreet.masking.running.space_partition import cut_groups
from discreet.operators.operator import Operator
from discreet.parameters import Choice, Integer, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.progress import track
from discreet.statistics.different import COUNT
from discreet.statistics.question import Inquiry, Need
from discreet.typing import CodeArray, FloatArray, IntArray, Json

__all__ = [
    "CategoryClustering",
    "Distinct",
    "KModes",
    "PrototypeClustering",
    "association",
    "compact",
    "distinct_records",
    "number_of_clusters",
    "prototypes_of",
]


class Distinct(NamedTuple):
    """The different records, how many there are of each, and what they weigh."""

    records: Records
    inverse: IntArray
    counts: IntArray
    weights: FloatArray | None
    missing: str


class PrototypeClustering(RecordMicroaggregation):
    """Clusters around prototypes that the operators make, moved until every group is large enough."""

    max_iter: int = parameter(Integer(1), default=5)
    start: Literal["greedy", "random"] = parameter(Choice(("greedy", "random")), default="greedy")
    restarts: int = parameter(Integer(1), default=1)
    importance: Mapping[str, float] | None = parameter(IMPORTANCE, default=None)

    def _partition(
        self, records: Records, operators: Mapping[str, Operator], job: MaskingJob, names: tuple[str, ...]
    ) -> tuple[IntArray, Json]:
        distinct = self._distinct(records, job, names)
        labels, figures = self._clustered(distinct, operators, job, names)
        return labels[distinct.inverse], figures

    def _distinct(self, records: Records, job: MaskingJob, names: tuple[str, ...]) -> Distinct:
        weights = job.weights if self.weighted else None
        importance = tuple(sorted((self.importance or {}).items()))
        key = ("distinct records", names, importance, self.missing, self.semantics, weights is None)
        return job.microdata.once(key, lambda: distinct_records(records, weights, self.missing))

    def _clustered(
        self, distinct: Distinct, operators: Mapping[str, Operator], job: MaskingJob, names: tuple[str, ...]
    ) -> tuple[IntArray, Json]:
        """Return the group of every different record, none smaller than `k`, and figures."""
        n_clusters = number_of_clusters(distinct.counts, self.k)
        best, lowest, moved = None, np.inf, 0
        for attempt in track(range(self.restarts), f"{self.name} on {', '.join(names)}", self.restarts):
            first = self._start(distinct, n_clusters, job.rng, greedy=self.start == "greedy" and attempt == 0)
            labels = self._cluster(distinct, operators, first)
            labels, moves = self._enlarged(distinct, operators, labels)
            spread = self._spread(distinct, operators, labels)
            if spread < lowest:
                best, lowest, moved = labels, spread, moves
        figures: Json = {
            "distinct_records": int(distinct.counts.size),
            "mean_distance": lowest / int(distinct.counts.sum()),
            "moved": moved,
        }
        return compact(np.asarray(best)), figures

    def _start(self, distinct: Distinct, n_clusters: int, rng: np.random.Generator, *, greedy: bool) -> IntArray:
        records, m = distinct.records, distinct.counts.size
        if not greedy:
            # Every cluster gets a record before chance decides about the others.
            labels = np.concatenate([np.arange(n_clusters), rng.integers(n_clusters, size=m - n_clusters)])
            return np.asarray(rng.permutation(labels), dtype=np.int64)
        seeds = np.empty(n_clusters, dtype=np.int64)
        heaviness = distinct.counts.astype(np.float64)
        n_seeds = greedy_start(
            records.codes, records.numbers, heaviness, *records.geometry, np.empty(m), np.empty(m), seeds
        )
        centres = records.take(seeds[:n_seeds])
        return _nearest(records, centres.codes, centres.numbers)

    def _cluster(self, distinct: Distinct, operators: Mapping[str, Operator], labels: IntArray) -> IntArray:
        for _ in range(self.max_iter):
            labels = compact(labels)
            codes, numbers = self._centres(distinct, operators, labels)
            following = _nearest(distinct.records, codes, numbers)
            if np.array_equal(following, labels):
                break
            labels = following
        return compact(labels)

    def _centres(
        self, distinct: Distinct, operators: Mapping[str, Operator], labels: IntArray
    ) -> tuple[CodeArray, FloatArray]:
        return prototypes_of(distinct, operators, labels)

    def _enlarged(
        self, distinct: Distinct, operators: Mapping[str, Operator], labels: IntArray
    ) -> tuple[IntArray, int]:
        """Move records until every group holds at least k; return the groups and the number of moves."""
        if np.bincount(labels, weights=distinct.counts).min() >= self.k:
            return labels, 0
        codes, numbers = prototypes_of(distinct, operators, labels)
        records, result = distinct.records, labels.copy()
        moves = relocate_records(
            records.codes, records.numbers, distinct.counts, codes, numbers, *records.geometry, self.k, result
        )
        return compact(result), int(moves)

    def _spread(self, distinct: Distinct, operators: Mapping[str, Operator], labels: IntArray) -> float:
        records = distinct.records
        codes, numbers = prototypes_of(distinct, operators, labels)
        total = np.zeros(labels.size)
        for a in range(records.sizes.size):
            total += records.table[records.starts[a] + records.codes[a] * records.sizes[a] + codes[a, labels]]
        if records.number_names:
            gaps = np.abs(records.numbers - numbers[:, labels])
            total += np.where(np.isnan(gaps), 0.0, gaps).sum(axis=0)
        return float(total @ distinct.counts)


class CategoryClustering(PrototypeClustering):
    """Clusters of categories alone, of which some attributes may be grouped at a time."""

    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    n_vars: int | None = parameter(Optional(Integer(1)), default=None)
    grouping: Literal["order", "association"] = parameter(Choice(("order", "association")), default="order")

    def _blocks(self, job: MaskingJob) -> list[tuple[str, ...]]:
        size = self.n_vars or len(job.names)
        if self.grouping == "order" or size >= len(job.names):
            return [job.names[i : i + size] for i in range(0, len(job.names), size)]
        return _strongest_together(job.names, association(job.microdata.codes(job.names)), size)


@register("kmodes")
class KModes(CategoryClustering, OperatorMicroaggregation):
    """Groups of at least `k` similar records on categories, found by k-modes and released as their prototypes.

    Keeps frequent combinations as they are; destroys rare ones, which join the nearest group. Every released
    combination of attributes that were grouped together is shared by at least `k` records.

    Parameters
    ----------
    k : int
        The smallest group.
    n_vars : int, optional
        How many attributes are grouped together (the papers' NVar). Each block has a partition of its own, so that
        combinations across blocks may be rarer than `k`. By default all attributes are one block.
    grouping : {"order", "association"}
        Which attributes share a block: neighbours in the schema, or those most strongly associated (Cramér's V).
    max_iter : int
        The most rounds of prototypes and assignment.
    start : {"greedy", "random"}
        Clusters begin at the heaviest records far from each other, or as a random partition.
    restarts : int
        How often to start, all but a first greedy one at random; the partition with the smallest distance is taken.
    fuzziness : float, optional
        Above 1, the prototypes of the rounds are those of fuzzy clusters, to which every record belongs in some degree;
        in the end each record joins its nearest.
    prototype : {"median", "mode", "random"}
        How a group's value is found on an ordered scale: the CWOW-median, the mode, or a level at random in proportion
        to its transformed frequency. An unordered scale has the mode.
    alpha : float
        The quantifier x^α of the CWOW-median and of the random choice.
    convex : bool
        Fill valleys of the frequencies first, so that values can compensate.
    beta : float
        The share the CWOW-median must exceed; 0.5 is the median.
    semantics : bool
        Use the intervals of ordered scales that have them, for distances and, as their mean, for prototypes.
    operators : dict of str to Operator or str, or str, optional
        Operators, or their texts, by attribute or by scale, instead of the above.
    importance : dict of str to float, optional
        The weight of an attribute in the distance; 1 where none is given.
    missing : {"category", "wildcard"}
        A missing value is a category of its own, and a group of which more than half is missing is released as missing;
        or it matches every value, has no say in the prototype and stays missing.
    weighted : bool
        Prototypes with the survey weights, where the schema has them; not by default, because weights that are released
        beside them say something about the members of a group. `k` always counts records.
    decimals : int, "exact" or dict of str to int, optional
        For numbers, where the method masks them: the most decimals that are released, never more than the attribute
        has, which is the default; ``"exact"`` releases all digits, from which members may be solved.
    strata : list of str, optional
        Group within these only.
    attributes : list of str, optional
        What to mask; by default every categorical key.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    The different records of a block, with their frequencies, are clustered; equal records are never separated. The
    distance is the sum over attributes of 0 or 1 (unordered), the difference of positions over the number of levels
    (ordered), or the squared difference of interval centres over the largest. There are as many clusters as records
    that occur `k` times or more, and one for every `k` of the others. A cluster that ends up smaller than `k` is
    filled from others that can spare records, or dissolved, whichever takes fewer moves. Ties go to the lowest index.
    Each round takes O(records × clusters × attributes) on different records, cut short by the nearest so far; memory
    is linear. With the default start and prototype the result does not depend on the order of the records.

    References
    ----------
    Torra (2004), Microaggregation for categorical variables: a median based approach; Huang and Ng (1999), A fuzzy
    k-modes algorithm for clustering categorical data.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute(name, Nominal(["a", "b", "c"]), "key") for name in ("x", "y")])
    >>> data = pl.DataFrame({"x": list("aaabbc"), "y": list("aaabbb")})
    >>> KModes(k=3).mask(data, schema).to_native().rows()
    [('a', 'a'), ('a', 'a'), ('a', 'a'), ('b', 'b'), ('b', 'b'), ('b', 'b')]
    """

    need: ClassVar[Need] = Need.DISTINCT
    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    fuzziness: float | None = parameter(Optional(Number(1, open_low=True)), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(3),
            cls(4, n_vars=2, grouping="association", start="random", prototype="random", alpha=0.6),
            cls(3, fuzziness=2.0, prototype="mode", restarts=2, missing="wildcard"),
        ]

    def inquire(self, scope: Scope) -> Inquiry[LookupPlan]:  # type: ignore[override]
        size = self.n_vars or len(scope.names)
        if size < len(scope.names) and self.grouping != "order":
            raise ParameterError(f"{type(self).__name__}: grouping must be 'order' where records meet in parts.")
        lookups, figures = [], []
        for names in [scope.names[i : i + size] for i in range(0, len(scope.names), size)]:
            counted = yield from different(self, names, scope.weight)
            released, blocks = self._condensed(scope, names, counted)
            lookups.append(Lookup.of({name: counted[name] for name in names}, released))
            figures.append({"attributes": list(names), "different_records": len(counted[COUNT]), "blocks": blocks})
        return LookupPlan(
            lookups=tuple(lookups),
            details={"joint": len(lookups) == 1, "blocks": figures},
            shared=tuple(lookup.names for lookup in lookups),
        )

    def stages(self, plan: Any) -> tuple[Stage, ...]:  # noqa: ARG002 - equal records are treated alike wherever they are
        return ()

    def apply(self, plan: LookupPlan, block: Block) -> dict[str, Any]:
        return plan.changed(block)

    def _condensed(
        self, scope: Scope, names: tuple[str, ...], counted: Mapping[str, Any]
    ) -> tuple[dict[str, Any], int]:
        """Return what becomes of the different records, grouped in blocks of neighbours, and how many blocks."""
        inner = self.clone().set_params(weighted=True, attributes=list(names), n_vars=None, strata=None)
        times = np.minimum(counted[COUNT], self.k)
        widths = [len(cast("Categorical", scope.schema[name].scale)) for name in names]
        points = np.stack([counted[name] / wide for name, wide in zip(names, widths, strict=True)], axis=1)
        released = {name: counted[name].copy() for name in names}
        # Blocks hold at least 2k records each: half of a block that was too large.
        blocks = cut_groups(points, times, max(scope.block_size or scope.n, 4 * self.k))
        for inside in blocks:
            part = {name: column[inside] for name, column in counted.items()}
            table, owner = copies(scope, part, names, self.k)
            inner.set_params(random_state=scope.draws.integer("block", scope.stratum, int(inside[0])))
            masked = inner.mask(table).microdata
            first = np.unique(owner, return_index=True)[1]
            for name in names:
                released[name][inside] = masked.encoded(name)[first]
        return released, len(blocks)

    def _centres(
        self, distinct: Distinct, operators: Mapping[str, Operator], labels: IntArray
    ) -> tuple[CodeArray, FloatArray]:
        crisp = prototypes_of(distinct, operators, labels)
        return crisp if self.fuzziness is None else (self._fuzzy(distinct, operators, crisp[0]), crisp[1])

    def _fuzzy(self, distinct: Distinct, operators: Mapping[str, Operator], centres: CodeArray) -> CodeArray:
        """Return the prototypes of the fuzzy clusters around these centres."""
        records = distinct.records
        heaviness = distinct.counts.astype(np.float64) if distinct.weights is None else distinct.weights
        groups = centres.shape[1]
        gathered = np.empty((groups, int(records.sizes.sum())))
        accumulate_memberships(
            records.codes,
            records.numbers,
            heaviness,
            centres,
            np.zeros((0, groups)),
            *records.geometry,
            records.places,
            float(self.fuzziness or 2.0),
            np.empty(groups),
            gathered,
        )
        result = {}
        for a, name in enumerate(records.code_names):
            size = int(records.sizes[a])
            part = gathered[:, records.places[a] : records.places[a] + size]
            if not operators[name].weighted:
                raise ParameterError(
                    f"{type(self).__name__}: fuzziness needs operators that take weights; "
                    f"{type(operators[name]).__name__} takes none."
                )
            levels = np.append(np.arange(size - 1, dtype=np.int32), np.int32(-1))
            owners = np.repeat(np.arange(groups), size)
            occurring = part.ravel() > 0
            result[name] = aggregated(
                operators[name],
                np.tile(levels, groups)[occurring],
                owners[occurring],
                groups,
                weights=part.ravel()[occurring],
                missing=distinct.missing,
            )
        return records.encoded(result)[0]


def number_of_clusters(counts: IntArray, k: int) -> int:
    """Return how many groups of at least k the different records can make: the frequent ones alone, the others by k.

    Examples
    --------
    >>> number_of_clusters(np.array([7, 3, 1, 1, 1]), 3)
    3
    """
    alone = counts >= k
    return max(1, int(alone.sum()) + int(counts[~alone].sum()) // k)


def association(codes: CodeArray) -> FloatArray:
    """Return Cramér's V of every pair of columns; a missing value is a level of its own.

    Examples
    --------
    >>> association(np.array([[0, 1], [1, 0], [0, 1], [1, 0]], dtype=np.int32)).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    n, q = codes.shape
    columns = [np.unique(codes[:, j], return_inverse=True) for j in range(q)]
    result = np.eye(q)
    for a in range(q):
        for b in range(a):
            (la, ia), (lb, ib) = columns[a], columns[b]
            table = np.bincount(ia * lb.size + ib, minlength=la.size * lb.size).reshape(la.size, lb.size)
            expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
            smaller = min(la.size, lb.size) - 1
            chi = float(((table - expected) ** 2 / expected).sum())
            result[a, b] = result[b, a] = np.sqrt(chi / (n * smaller)) if smaller else 0.0
    return result


def _strongest_together(names: tuple[str, ...], strength: FloatArray, size: int) -> list[tuple[str, ...]]:
    """Form blocks: the strongest pair that is left, then whoever is on average closest to the block; ties to the first.

    The first of a block is whoever has the strongest partner, so that pairing needs no case of its own.
    """
    unassigned = np.ones(len(names), dtype=np.bool_)
    blocks = []
    while unassigned.any():
        pairs = np.where(np.outer(unassigned, unassigned) & ~np.eye(len(names), dtype=np.bool_), strength, -1.0)
        block = np.zeros(len(names), dtype=np.bool_)
        block[np.argmax(np.where(unassigned, pairs.max(axis=1), -2.0)) if size > 1 else np.argmax(unassigned)] = True
        while block.sum() < min(size, unassigned.sum()):
            closeness = strength[:, block].mean(axis=1)
            block[np.argmax(np.where(unassigned & ~block, closeness, -1.0))] = True
        unassigned &= ~block
        blocks.append(tuple(name for name, member in zip(names, block, strict=True) if member))
    return blocks


def distinct_records(records: Records, weights: FloatArray | None, missing: str) -> Distinct:
    """Return the different records in ascending order, with their frequencies."""
    # NaN sorts as one value here only if it is written as one.
    numbers = np.where(np.isnan(records.numbers), -np.inf, records.numbers)
    order = np.lexsort([*numbers[::-1], *records.codes[::-1]])
    new = np.ones(order.size, dtype=np.bool_)
    new[1:] = (np.diff(records.codes[:, order], axis=1) != 0).any(axis=0)
    new[1:] |= (numbers[:, order[1:]] != numbers[:, order[:-1]]).any(axis=0)
    inverse = np.empty(order.size, dtype=np.int64)
    inverse[order] = np.cumsum(new) - 1
    counts = np.bincount(inverse)
    total = None if weights is None else np.bincount(inverse, weights=weights).astype(np.float64)
    return Distinct(records.take(order[new]), inverse, counts, total, missing)


def prototypes_of(
    distinct: Distinct, operators: Mapping[str, Operator], labels: IntArray
) -> tuple[CodeArray, FloatArray]:
    """Return what the operators make of every group, in the form of the records."""
    records, groups = distinct.records, int(labels.max()) + 1
    how = (labels, groups, distinct.counts, distinct.weights)
    together = ordered_groups(*how)
    values = {}
    for a, name in enumerate(records.code_names):
        codes = records.codes[a]
        hidden = np.where(codes == records.sizes[a] - 1, np.int32(-1), codes)
        values[name] = aggregated(operators[name], hidden, *how, missing=distinct.missing, groups=together)
    for a, name in enumerate(records.number_names):
        raw = records.numbers[a] / (records.factors[a] or 1.0)
        values[name] = aggregated(operators[name], raw, *how, missing=distinct.missing, groups=together)
    return records.encoded(values)


def _nearest(records: Records, codes: CodeArray, numbers: FloatArray) -> IntArray:
    labels = np.empty(records.codes.shape[1], dtype=np.int64)
    row = np.empty(codes.shape[1])
    assign_records(records.codes, records.numbers, codes, numbers, *records.geometry, row, labels)
    return labels


def compact(labels: IntArray) -> IntArray:
    """Return the groups that are left numbered from 0 on, in their order."""
    return (np.cumsum(np.bincount(labels) > 0, dtype=np.int64) - 1)[labels]
