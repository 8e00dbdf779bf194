"""Microaggregation of numbers and mixed records at scale: the full method inside blocks, then borders repaired.

1. A sample gives the scaling and three partitions of space: one with cuts across columns, two with oblique cuts.
2. One pass counts the blocks of the first partition; none is left with fewer than 2k records.
3. Records are brought together by block and grouped by the method. A group's place in the next partition is that of
   its centre, so that groups travel whole.
4. Twice, the groups that are neighbours now, and were parted by a border before, are repaired together.
5. Each group is released as its aggregate.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.base import ROW, Block, InProcess, Masker, MaskingJob, Rows
from discreet.draws import Draws
from discreet.errors import ParameterError
from discreet.kernels.refine import Refinement
from discreet.masking.at_scale.partition import Partition, build_partition, cut_at_medians, cut_groups
from discreet.masking.at_scale.plan import Plan, TableJob, at_scale, refuse
from discreet.masking.microaggregation.attribute_blocks import attribute_blocks
from discreet.masking.microaggregation.numeric import NumericMicroaggregation, Points
from discreet.masking.microaggregation.prototypes import choose_operators, default_ordinal
from discreet.masking.microaggregation.records import RecordMicroaggregation
from discreet.microdata import table_of_codes
from discreet.scales import Categorical
from discreet.schema import Schema
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = ["Scaling", "number_scaling"]

BLOCK, GROUP, ABSENT = "#block", "#group", "#absent"
# Records in the sample, and at least so many for every block.
_SAMPLE, _A_BLOCK = 100_000, 200
# Partitions in which borders are repaired, and how often every group is visited in each.
_ROUNDS, _PASSES = 2, 20
# Bits of the column that says which cells are released as missing.
_MOST_COLUMNS = 62


@dataclass(frozen=True)
class Scaling:
    """Columns made comparable, from the sample: (x − middle) / spread, a missing value in the middle."""

    names: tuple[str, ...]
    middle: FloatArray
    spread: FloatArray

    def points(self, block: Block) -> FloatArray:
        """Return the records of a block as points, NaN where a value is missing."""
        values = np.stack([_numbers(block[name]) for name in self.names], axis=1)
        return np.ascontiguousarray((values - self.middle) / self.spread)


def _numbers(column: Any) -> FloatArray:
    if column.dtype.kind == "f":
        return np.asarray(column)
    return np.where(column < 0, np.nan, column).astype(np.float64)


def number_scaling(sample: Block, names: tuple[str, ...], how: str) -> Scaling:
    """Return the scaling that a numeric microaggregation asks for."""
    middle, spread = np.zeros(len(names)), np.ones(len(names))
    for j, name in enumerate(names):
        column = _numbers(sample[name])
        column = column[~np.isnan(column)]
        if not column.size:
            continue
        shifted = column - column[0]
        if how == "range":
            middle[j], spread[j] = column.min(), np.ptp(shifted)
        elif how == "robust":
            low, high = np.quantile(shifted, [0.25, 0.75])
            middle[j], spread[j] = np.median(column), high - low if high > low else shifted.std()
        else:
            middle[j], spread[j] = column[0] + shifted.mean(), shifted.std() if how == "zscore" else 1.0
    return Scaling(names, middle, np.where(spread > 0, spread, 1.0))


@dataclass(frozen=True)
class _Place:
    """The block of every record in the first partition."""

    scaling: Scaling
    partition: Partition

    def __call__(self, block: Block) -> Block:
        points = np.nan_to_num(self.scaling.points(block))
        return {**block, BLOCK: self.partition.blocks_of(points, block[ROW])}


@dataclass(frozen=True)
class _CountBlocks:
    """How many records fall into every leaf."""

    scaling: Scaling
    partition: Partition

    def __call__(self, block: Block) -> Block:
        leaves = self.partition.leaves_of(np.nan_to_num(self.scaling.points(block)))
        return {"leaves": np.bincount(leaves, minlength=len(self.partition.deals))}


@dataclass(frozen=True)
class _Stage:
    """What all stages on blocks share."""

    masker: Masker
    scaling: Scaling
    names: tuple[str, ...]
    weight: str | None
    size: int
    draws: Draws
    following: Partition | None
    schema: Schema

    @property
    def k(self) -> int:
        return int(self.masker.k)  # type: ignore[attr-defined]

    def in_order(self, block: Block) -> dict[str, Any]:
        """Return a block in the order of its records' positions: engines bring them together in any."""
        order = np.argsort(block[ROW], kind="stable")
        return {name: column[order] for name, column in block.items()}

    def passed_on(self, block: dict[str, Any], groups: IntArray, absent: IntArray) -> Block:
        """Return the records with their groups, each named by its first record, and their next block."""
        kept = {name: block[name] for name in (ROW, *self.names, *([self.weight] if self.weight else []))}
        _, first, labels = np.unique(groups, return_index=True, return_inverse=True)
        names = block[ROW][first]
        if self.following is None:
            raise ParameterError("A stage has no partition to pass groups on to.")
        centres = _centres(np.nan_to_num(self.scaling.points(block)), labels.ravel())
        places = self.following.blocks_of(centres, names)[labels.ravel()]
        return {**kept, GROUP: names[labels.ravel()], ABSENT: absent, BLOCK: places}

    def released(self, block: dict[str, Any], groups: IntArray, absent: IntArray) -> Block:
        """Return the aggregates of the groups."""
        labels = np.unique(groups, return_inverse=True)[1].ravel().astype(np.int64)
        weights = None if self.weight is None else block[self.weight]
        rng = self.draws.generator("release", int(block[ROW][0]))
        values = _aggregates(self.masker, self.schema, block, self.names, labels, absent, weights, rng)
        return {ROW: block[ROW], **values, GROUP: groups}


@dataclass(frozen=True)
class _Group(_Stage):
    """Group the records of a block by the method."""

    def __call__(self, block: Block) -> Block:
        records = self.in_order(block)
        points = self.scaling.points(records)
        groups = np.empty(len(points), dtype=np.int64)
        absent = np.zeros(len(points), dtype=np.int64)
        for inside in cut_at_medians(np.nan_to_num(points), self.size):
            rng = self.draws.generator("group", int(records[ROW][inside[0]]))
            part = {name: column[inside] for name, column in records.items()}
            labels, lost = _groups(self, part, points[inside], rng)
            if self.following is not None and isinstance(self.masker, NumericMicroaggregation):
                # Settled groups leave the repair of borders, which are all that the next partitions are for.
                labels = _settled(points[inside], self.k, labels, int(rng.integers(2**62)))
            first = np.unique(labels, return_index=True)[1]
            groups[inside] = part[ROW][first][labels]
            absent[inside] = lost @ (1 << np.arange(lost.shape[1])) if lost.any() else 0
        if self.following is None:
            return self.released(records, groups, absent)
        return self.passed_on(records, groups, absent)


@dataclass(frozen=True)
class _Repair(_Stage):
    """Improve the groups that are neighbours in this partition."""

    def __call__(self, block: Block) -> Block:
        records = self.in_order(block)
        points = self.scaling.points(records)
        before = records[GROUP]
        named, labels = np.unique(before, return_inverse=True)
        labels = labels.ravel()
        groups = before.copy()
        centres = _centres(np.nan_to_num(points), labels)
        # Records of a group are released without the same cells, some of which they had: such groups stay as they are.
        lacking = np.isnan(points).any(axis=1) | (records[ABSENT] != 0)
        whole = np.bincount(labels, weights=lacking) == 0
        for near in cut_groups(centres, np.bincount(labels), self.size):
            inside = near[whole[near]]
            if inside.size < 2:
                continue
            chosen = np.flatnonzero(np.isin(labels, inside))
            part = {name: column[chosen] for name, column in records.items()}
            seed = self.draws.integer("repair", int(named[inside[0]]))
            found = _repaired(
                self, part, points[chosen], np.unique(labels[chosen], return_inverse=True)[1].ravel(), seed
            )
            first = np.unique(found, return_index=True)[1]
            groups[chosen] = part[ROW][first][found]
        if self.following is None:
            return self.released(records, groups, records[ABSENT])
        return self.passed_on(records, groups, records[ABSENT])


def _centres(points: FloatArray, labels: IntArray) -> FloatArray:
    sizes = np.bincount(labels)
    sums = [np.bincount(labels, weights=points[:, j], minlength=sizes.size) for j in range(points.shape[1])]
    return np.ascontiguousarray(np.stack(sums, axis=1) / sizes[:, None])


def _groups(stage: _Stage, part: Block, points: FloatArray, rng: np.random.Generator) -> tuple[IntArray, BoolArray]:
    """Return the groups that the method forms of a block's records, and which cells are released as missing."""
    masker = stage.masker
    if isinstance(masker, NumericMicroaggregation):
        weights = None if stage.weight is None else part[stage.weight]
        return masker._groups(Points(points, weights, rng, InProcess(), stage.names))  # noqa: SLF001 - its own scaling
    return _mixed_groups(stage, part, rng), np.zeros(points.shape, dtype=np.bool_)


def _mixed_groups(stage: _Stage, part: Block, rng: np.random.Generator) -> IntArray:
    """Return the groups of mixed records, distances scaled as in the whole table."""
    masker = stage.masker
    if len(part[ROW]) < 2 * stage.k:
        return np.zeros(len(part[ROW]), dtype=np.int64)
    table = table_of_codes(stage.schema, {name: part[name] for name in _with_weight(stage)})
    importance = dict(getattr(masker, "importance", None) or {})
    for name, spread in zip(stage.names, stage.scaling.spread, strict=True):
        if part[name].dtype.kind == "f":
            # The method divides by the block's own range; the whole table's is meant.
            span = float(np.nanmax(part[name]) - np.nanmin(part[name])) if not np.isnan(part[name]).all() else 0.0
            importance[name] = importance.get(name, 1.0) * (span / spread if span > 0 else 1.0)
    inner = masker.clone().set_params(attributes=list(stage.names), random_state=int(rng.integers(2**62)))
    if "importance" in inner.parameter_names():
        inner.set_params(importance=importance or None)
    labels = np.asarray(inner.mask(table).labels)
    return np.unique(labels, return_inverse=True)[1].ravel().astype(np.int64)


def _with_weight(stage: _Stage) -> tuple[str, ...]:
    return (*stage.names, *([stage.weight] if stage.weight else []))


def _repaired(stage: _Repair, part: Block, points: FloatArray, labels: IntArray, seed: int) -> IntArray:
    if isinstance(stage.masker, NumericMicroaggregation):
        return _settled(points, stage.k, labels, seed)
    return _regrouped(stage, part, points, labels, seed)


def _settled(points: FloatArray, k: int, labels: IntArray, seed: int) -> IntArray:
    """Move and swap records between neighbouring groups while that helps; none falls below k."""
    if np.isnan(points).any() or labels.max() < 1:
        return labels
    with ThreadPoolExecutor(1) as workers:
        repair = Refinement(points, k, labels, seed, workers, by_group=True)
        for _ in range(_PASSES):
            repair.settle()
    return repair.labels


def _regrouped(stage: _Stage, part: Block, points: FloatArray, labels: IntArray, seed: int) -> IntArray:
    """Form the loosest half of the groups anew by the method, and keep what is tighter."""
    space = _embedded(stage, part, points)
    costs = _costs(space, labels)
    sizes = np.bincount(labels)
    loose = np.argsort(-costs / sizes, kind="stable")[: max(2, sizes.size // 2)]
    chosen = np.flatnonzero(np.isin(labels, loose))
    again = {name: column[chosen] for name, column in part.items()}
    found = _mixed_groups(stage, again, stage.draws.generator("again", seed))
    if not _costs(space[chosen], found).sum() < costs[loose].sum():
        return labels
    result = labels.copy()
    result[chosen] = labels.max() + 1 + found
    return np.unique(result, return_inverse=True)[1].ravel().astype(np.int64)


def _embedded(stage: _Stage, part: Block, points: FloatArray) -> FloatArray:
    """Return mixed records as points, an unordered attribute by one column a level."""
    columns = []
    for j, name in enumerate(stage.names):
        scale = stage.schema[name].scale
        if isinstance(scale, Categorical) and not scale.ordered:
            columns.append((part[name][:, None] == np.arange(len(scale))[None, :]) * np.sqrt(0.5))
        else:
            columns.append(points[:, [j]])
    return np.asarray(np.nan_to_num(np.concatenate(columns, axis=1)))


def _costs(points: FloatArray, labels: IntArray) -> FloatArray:
    errors = ((points - _centres(points, labels)[labels]) ** 2).sum(axis=1)
    return np.bincount(labels, weights=errors).astype(np.float64)


def _aggregates(
    masker: Masker,
    schema: Schema,
    block: Block,
    names: tuple[str, ...],
    labels: IntArray,
    absent: IntArray,
    weights: FloatArray | None,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Return what the records of whole groups are released as."""
    if isinstance(masker, NumericMicroaggregation):
        operator = masker._operator()  # noqa: SLF001 - the method's own aggregate
        lost = (absent[:, None] >> np.arange(len(names))) & 1 == 1
        return {
            name: masker._aggregate(operator, block[name], lost[:, j], labels, weights)  # noqa: SLF001
            for j, name in enumerate(names)
        }
    if not isinstance(masker, RecordMicroaggregation):
        raise ParameterError(f"{type(masker).__name__}: the method forms no groups of numbers or mixed records.")
    operators = choose_operators(
        type(masker).__name__,
        schema,
        names,
        masker.operators,
        default_ordinal(masker.prototype, masker.alpha, masker.beta, rng, convex=masker.convex),
        semantics=masker.semantics,
        weighted=weights is not None,
        rng=rng,
    )
    return {name: masker._released(block[name], operators[name], labels, weights) for name in names}  # noqa: SLF001


@at_scale.register(NumericMicroaggregation)
def _numeric(masker: NumericMicroaggregation, job: TableJob) -> Plan:
    refuse(masker, strata=None)
    weight = job.schema.weight if masker.weighted else None
    sample = _sample(job, job.names, weight)
    table = table_of_codes(job.schema, {name: sample[name] for name in job.names})
    inner = MaskingJob(table, job.names, job.draws.generator(), InProcess())
    blocks = attribute_blocks(type(masker).__name__, inner, masker.blocks, masker.block_order)
    parts, details = [], []
    for names in blocks:
        scaling = number_scaling(sample, names, masker.standardise)
        values, figures = _masked(masker, job, names, weight, scaling, sample)
        parts.append(values)
        details.append({"attributes": list(names), **figures})
    notes = (
        [] if len(blocks) == 1 else [f"Groups of {masker.k} hold within each of {len(blocks)} blocks of attributes."]
    )
    released = parts[0] if len(parts) == 1 else job.engine.beside(parts, {ROW: "int", **job.kinds()})
    figures = {"joint": len(blocks) == 1, "space": details}
    return Plan(released, details=figures, notes=tuple(notes), shared=tuple(blocks))


@at_scale.register(RecordMicroaggregation)
def _mixed(masker: RecordMicroaggregation, job: TableJob) -> Plan:
    refuse(masker, strata=None)
    weight = job.schema.weight if masker.weighted else None
    sample = _sample(job, job.names, weight)
    middle, spread = np.zeros(len(job.names)), np.ones(len(job.names))
    for j, name in enumerate(job.names):
        scale = job.schema[name].scale
        column = _numbers(sample[name])
        column = column[~np.isnan(column)]
        if isinstance(scale, Categorical):
            spread[j] = len(scale)
        elif column.size:
            middle[j], spread[j] = column.min(), np.ptp(column)
    scaling = Scaling(job.names, middle, np.where(spread > 0, spread, 1.0))
    values, figures = _masked(masker, job, job.names, weight, scaling, sample)
    return Plan(values, details={"joint": True, "space": [{"attributes": list(job.names), **figures}]})


def _sample(job: TableJob, names: tuple[str, ...], weight: str | None) -> Block:
    wanted = [*names, *([weight] if weight else [])]
    size = max(_SAMPLE, _A_BLOCK * (job.n // job.block_size))
    return job.engine.sample(job.engine.open(job.source, wanted), size, job.n, job.draws.integer("sample"))


def _masked(
    masker: Masker, job: TableJob, names: tuple[str, ...], weight: str | None, scaling: Scaling, sample: Block
) -> tuple[Rows, Json]:
    """Return the released values of attributes that are grouped together, and how they come about."""
    owner, k = type(masker).__name__, int(masker.k)  # type: ignore[attr-defined]
    if job.block_size < 4 * k:
        raise ParameterError(f"{owner}: block_size must be at least 4k = {4 * k}; got {job.block_size}.")
    if len(names) > _MOST_COLUMNS:
        raise ParameterError(f"{owner}: {len(names)} attributes are masked together; at most {_MOST_COLUMNS} can be.")
    engine = job.engine
    rows = engine.open(job.source, [*names, *([weight] if weight else [])])
    points = np.nan_to_num(scaling.points(sample))
    partition = build_partition(points, job.n, job.block_size)
    if len(partition.deals) > 1:
        counts = engine.fold(rows, _CountBlocks(scaling, partition))["leaves"]
        partition = partition.fitted(counts, 2 * k, job.block_size)
    rounds = _ROUNDS if partition.blocks > 1 or job.n > job.block_size else 0
    rngs = [job.draws.generator("oblique", i) for i in range(rounds)]
    oblique: list[Partition | None] = [build_partition(points, job.n, job.block_size, rng) for rng in rngs]
    oblique.append(None)
    common = (masker, scaling, names, weight, job.block_size, job.draws.child("blocks", *names))
    kinds = {name: kind for name, kind in job.kinds().items() if name in names}
    weights = {weight: "float"} if weight else {}
    travelling = {ROW: "int", **kinds, **weights, GROUP: "int", ABSENT: "int", BLOCK: "int"}
    final = {ROW: "int", **kinds, GROUP: "int"}
    placed = engine.apply(rows, _Place(scaling, partition), {ROW: "int", **kinds, **weights, BLOCK: "int"})
    result = engine.split(
        placed, BLOCK, partition.blocks, _Group(*common, oblique[0], job.schema), travelling if rounds else final
    )
    for here, following in pairwise(oblique):
        if here is not None:
            stage = _Repair(*common, following, job.schema)
            result = engine.split(result, BLOCK, here.blocks, stage, final if following is None else travelling)
    return result, {"blocks": partition.blocks, "repairs": rounds}
