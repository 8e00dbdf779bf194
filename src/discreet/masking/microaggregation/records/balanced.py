"""Categorical microaggregation that keeps tables: k-modes, then groups and prototypes adjusted to the file's counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masking, MaskingJob
from discreet.kernels.groups.balance import fill_tables, move_records, settle_prototypes
from discreet.masking.microaggregation.records.group_operators import choose_operators, default_ordinal
from discreet.masking.microaggregation.records.kmodes import CategoryClustering, Distinct, compact, prototypes_of
from discreet.masking.microaggregation.records.record_groups import Records, encode_records
from discreet.operators.operator import Operator
from discreet.parameters import Integer
from discreet.parameters.declaration import parameter
from discreet.progress import report
from discreet.statistics.question import Need
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["BalancedKModes"]

_LARGEST_TABLE = 1 << 20
_NEAR = 16


@register("balanced-kmodes")
class BalancedKModes(CategoryClustering):
    """Groups of at least `k` similar records whose prototypes together keep the file's tables of counts.

    Keeps frequent combinations, the frequencies of levels and of pairs of levels; destroys rare combinations. Every
    released combination of attributes that were grouped together is shared by at least `k` records.

    Parameters
    ----------
    k : int
        The smallest group.
    n_vars, grouping, max_iter, start, restarts, semantics, importance, weighted, strata
        As for `KModes`, whose groups are the start.
    prototype, alpha, convex, beta
        As for `KModes`: the prototypes of the start.
    rounds : int
        The most rounds of choosing prototypes and moving records.
    attributes : list of str, optional
        What to mask; by default every categorical key.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    An operator that sees one group at a time pulls every group to its own middle, and levels that are second
    everywhere vanish from the file. Here the prototypes of all groups are chosen together: again and again, each takes
    the level (one of the group's, or on an ordered scale one between them) and each record the near group, or the place
    of a record in one, for which the sum of three costs is least: mean distance; half the mean difference of all one-
    and two-way tables, a share of the records; and the entropy of original given released levels, a share of the
    attribute's own. No group falls below `k`, and no step makes the sum larger. Two-way tables of more than 2²⁰ cells
    are left out. A missing value is a category of its own. Each round takes O(records × (groups + 16 k attributes) ×
    attributes) on different records. Ties go to the lowest index.

    References
    ----------
    Torra (2004), Microaggregation for categorical variables: a median based approach, for the start; the adjustment is
    our own.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute(name, Nominal(["a", "b", "c"]), "key") for name in ("x", "y")])
    >>> data = pl.DataFrame({"x": list("aaabbc"), "y": list("aaabbb")})
    >>> BalancedKModes(k=3).mask(data, schema).to_native().rows()
    [('a', 'a'), ('a', 'a'), ('a', 'a'), ('b', 'b'), ('b', 'b'), ('b', 'b')]
    """

    need: ClassVar[Need] = Need.ALL
    instead: ClassVar[str] = "use kmodes"
    rounds: int = parameter(Integer(1), default=20)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(3), cls(4, n_vars=2, grouping="association", start="random", restarts=2, prototype="mode")]

    def _mask_part(self, job: MaskingJob) -> Masking:
        weights = job.weights if self.weighted else None
        ordinal = default_ordinal(self.prototype, self.alpha, self.beta, job.rng, convex=self.convex)
        operators = choose_operators(
            type(self).__name__, job.schema, job.names, None, ordinal,
            semantics=self.semantics, weighted=weights is not None, rng=job.rng,
        )  # fmt: skip
        released: dict[str, Any] = {}
        labels, figures = [], []
        for names in self._blocks(job):
            records = encode_records(job, names, self.importance or {}, self.missing, semantics=self.semantics)
            distinct = self._distinct(records, job, names)
            start, block = self._clustered(distinct, operators, job, names)
            distinct_labels, prototypes, rounds = self._balanced(distinct, operators, start, job)
            for a, name in enumerate(records.code_names):
                levels = np.where(prototypes[:, a] == records.sizes[a] - 1, -1, prototypes[:, a]).astype(np.int32)
                released[name] = levels[distinct_labels][distinct.inverse]
            labels.append(distinct_labels[distinct.inverse])
            figures.append({"attributes": list(names), "groups": len(prototypes), "rounds": rounds, **block})
        return Masking(
            {name: released[name] for name in job.names},
            labels=labels[0] if len(labels) == 1 else np.stack(labels, axis=1),
            details={"joint": len(labels) == 1, "blocks": figures},
            shared=tuple(tuple(block["attributes"]) for block in figures),
        )

    def _balanced(
        self, distinct: Distinct, operators: Mapping[str, Operator], labels: IntArray, job: MaskingJob
    ) -> tuple[IntArray, CodeArray, int]:
        """Return groups and prototypes once no step lowers the cost, and how many rounds that took."""
        records = distinct.records
        labels = compact(labels)
        prototypes = np.ascontiguousarray(prototypes_of(distinct, operators, labels)[0].T)
        groups = len(prototypes)
        weights = distinct.counts.astype(np.float64) if distinct.weights is None else distinct.weights
        pairs, n_cells, tables = _layout(records.sizes)
        how = (records.starts, records.sizes, records.places, pairs)
        state = (np.empty(n_cells), np.empty(records.table.size), np.empty(int(records.sizes.sum())))
        bit_cost = _bit_costs(records, weights)
        ordered = np.array([job.schema[name].scale.ordered for name in records.code_names])
        inside = np.empty(int(records.sizes.max()))
        near, distance = np.empty(min(_NEAR, groups), dtype=np.int64), np.empty(min(_NEAR, groups))
        fill_tables(records.codes, weights, labels, prototypes, *how, *state)
        rounds = 0
        for rounds in range(1, self.rounds + 1):
            report("balancing", rounds - 1, self.rounds)
            order = np.argsort(labels, kind="stable")
            offsets = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=groups))]).astype(np.int64)
            changed = settle_prototypes(
                records.codes, weights, order, offsets, ordered, records.table, *how, bit_cost, tables, *state, inside,
                prototypes,
            )  # fmt: skip
            moved = move_records(
                records.codes, weights, distinct.counts, self.k, prototypes, records.table, *how, bit_cost, tables,
                *state, near, distance, labels,
            )  # fmt: skip
            if not changed and not moved:
                break
        report("balancing", self.rounds, self.rounds)
        return labels, prototypes, rounds


def _layout(sizes: IntArray) -> tuple[IntArray, int, int]:
    """Return where every table of one or two attributes begins, how many cells there are, and how many tables."""
    q = sizes.size
    pairs = np.full((q, q), -1, dtype=np.int64)
    total = tables = 0
    for a in range(q):
        for b in range(a + 1):
            cells = int(sizes[a]) if a == b else int(sizes[a]) * int(sizes[b])
            if a == b or cells <= _LARGEST_TABLE:
                pairs[a, b] = total
                total += cells
                tables += 1
    return pairs, total, tables


def _bit_costs(records: Records, weights: FloatArray) -> FloatArray:
    """Return what a bit of each attribute counts for: one over its entropy."""
    result = np.zeros(records.sizes.size)
    for a in range(records.sizes.size):
        shares = np.bincount(records.codes[a], weights=weights)
        shares = shares[shares > 0] / weights.sum()
        entropy = float(-(shares * np.log2(shares)).sum())
        result[a] = 1.0 / entropy if entropy > 0 else 0.0
    return result
