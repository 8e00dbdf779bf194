"""Microaggregation of numbers and mixed records in parts: the full method inside blocks, then borders repaired.

1. A sample gives the scaling and three partitions of space: one with cuts across columns, two with oblique cuts.
2. One pass counts the blocks of the first partition; none is left with fewer than 2k records.
3. Records are brought together by block and grouped by the method. A group's place in the next partition is that of
   its centre, so that groups travel whole.
4. Twice, the groups that are neighbours now, and were parted by a border before, are repaired together.
5. Each group is released as its aggregate.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.contracts.masker import Masker
from discreet.contracts.plan import GROUP, Plan, Scope, Stage, kinds
from discreet.data.block import Block
from discreet.data.encoded_rows import ROW
from discreet.errors import ParameterError
from discreet.kernels.groups.refine import Refinement
from discreet.masking.running.space_partition import Partition, build_partition, cut_at_medians, cut_groups
from discreet.parameters import Integer
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Inquiry, Need
from discreet.statistics.sample import Sample, SampledRecords
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = ["InSpace", "Scaling", "Space", "centres_of", "number_scaling", "numbers_of", "settled"]

Records = Mapping[str, Any]
BLOCK, ABSENT = "#block", "#absent"
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

    def points(self, block: Records) -> FloatArray:
        """Return the records of a block as points, NaN where a value is missing."""
        values = np.stack([numbers_of(block[name]) for name in self.names], axis=1)
        return np.ascontiguousarray((values - self.middle) / self.spread)


def numbers_of(column: Any) -> FloatArray:
    """Return codes or numbers as numbers, NaN where one is missing."""
    if column.dtype.kind == "f":
        return np.asarray(column)
    return np.where(column < 0, np.nan, column).astype(np.float64)


def number_scaling(sample: Records, names: tuple[str, ...], how: str) -> Scaling:
    """Return the scaling that a numeric microaggregation asks for."""
    middle, spread = np.zeros(len(names)), np.ones(len(names))
    for j, name in enumerate(names):
        column = numbers_of(sample[name])
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
class _Leaves:
    """How many records fall into every leaf of a partition."""

    counts: IntArray

    def merge(self, later: _Leaves, /) -> _Leaves:
        return _Leaves(self.counts + later.counts)


@dataclass(frozen=True, eq=False)
class _LeafSizes:
    scaling: Scaling
    partition: Partition

    @property
    def original(self) -> tuple[str, ...]:
        return self.scaling.names

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> _Leaves:
        records = {name: block.original.encoded(name) for name in self.scaling.names}
        leaves = self.partition.leaves_of(np.nan_to_num(self.scaling.points(records)))
        return _Leaves(np.bincount(leaves, minlength=len(self.partition.deals)))


@dataclass(frozen=True, eq=False)
class Space:
    """Attributes that are grouped together: how they are scaled, and the partitions in which records meet."""

    scope: Scope
    names: tuple[str, ...]
    scaling: Scaling
    partitions: tuple[Partition, ...]
    """The first, in which groups are formed, and those in which borders are repaired."""
    number: int
    """Which of several spaces of one table."""
    repairs: bool
    """Whether there are borders; a stratum that is one part has none."""

    @property
    def size(self) -> int:
        """The most records that meet."""
        return self.scope.block_size or self.scope.n

    @property
    def group(self) -> str:
        """The column that holds the groups."""
        return f"{GROUP}{self.number}"

    def placed(self, block: Records) -> IntArray:
        """Return the block of every record in the first partition."""
        points = np.nan_to_num(self.scaling.points(block))
        return self.partitions[0].blocks_of(points, block[ROW])


@dataclass(frozen=True, kw_only=True)
class SpacePlan(Plan):
    """The spaces of a table, one after the other."""

    spaces: tuple[Space, ...]


class InSpace(Masker):
    """A masker whose groups are neighbours in a space of numbers, so that a large table can be cut there.

    Subclasses say how a table's attributes become spaces, and how records of a block are grouped, mended and released.
    """

    need: ClassVar[Need] = Need.KEY
    k: int = parameter(Integer(2), default=3, kw_only=False)

    @abstractmethod
    def _spaces(self, scope: Scope, sample: Records) -> list[Scaling]:
        """Return the scaling of every set of attributes that is grouped together, from a sample."""

    @abstractmethod
    def _space_groups(
        self, space: Space, part: Records, points: FloatArray, rng: np.random.Generator
    ) -> tuple[IntArray, BoolArray]:
        """Return the groups of a block's records, and which cells are released as missing."""

    @abstractmethod
    def _mended(self, space: Space, part: Records, points: FloatArray, labels: IntArray, seed: int) -> IntArray:
        """Return better groups of records whose groups are neighbours, or the same."""

    @abstractmethod
    def _released_groups(
        self, space: Space, part: Records, labels: IntArray, absent: IntArray, rng: np.random.Generator
    ) -> dict[str, Any]:
        """Return what the records of whole groups are released as."""

    def inquire(self, scope: Scope) -> Inquiry[SpacePlan]:
        size = scope.block_size or scope.n
        if size < 4 * self.k and scope.parts > 1:
            raise ParameterError(f"{type(self).__name__}: block_size must be at least 4k = {4 * self.k}; got {size}.")
        of_sample = max(_SAMPLE, _A_BLOCK * (scope.n // size))
        sampled: SampledRecords = yield Sample(self.columns(scope), of_sample, scope.n, scope.draws.integer("sample"))
        sample = sampled.records()
        spaces: list[Space] = []
        figures: list[Json] = []
        for scaling in self._spaces(scope, sample):
            space = yield from self._space(scope, scaling, sample, len(spaces))
            spaces.append(space)
            blocks = space.partitions[0].blocks
            figures.append({"attributes": list(space.names), "blocks": blocks, "repairs": _ROUNDS * space.repairs})
        several = f"Groups of {self.k} hold within each of {len(spaces)} blocks of attributes."
        return SpacePlan(
            spaces=tuple(spaces),
            details={"joint": len(spaces) == 1, "space": figures},
            notes=(several,) if len(spaces) > 1 else (),
            shared=tuple(space.names for space in spaces),
        )

    def _space(self, scope: Scope, scaling: Scaling, sample: Records, number: int) -> Inquiry[Space]:
        names, size = scaling.names, scope.block_size or scope.n
        if len(names) > _MOST_COLUMNS:
            raise ParameterError(
                f"{type(self).__name__}: {len(names)} attributes are masked together; at most {_MOST_COLUMNS} can be."
            )
        points = np.nan_to_num(scaling.points(sample))
        partition = build_partition(points, scope.n, size)
        if len(partition.deals) > 1:
            leaves: _Leaves = yield _LeafSizes(scaling, partition)
            partition = partition.fitted(leaves.counts, 2 * self.k, size)
        rngs = [scope.draws.generator("oblique", i) for i in range(_ROUNDS)]
        oblique = [build_partition(points, scope.n, size, rng) for rng in rngs]
        repairs = partition.blocks > 1 or scope.n > size
        return Space(scope, names, scaling, (partition, *oblique), number, repairs)

    def stages(self, plan: SpacePlan) -> tuple[Stage, ...]:
        stages: list[Stage] = []
        scope = plan.spaces[0].scope
        groups = {space.group: "int" for space in plan.spaces}
        columns = {ROW: "int", **kinds(scope.schema, self.columns(scope)), **groups, ABSENT: "int", BLOCK: "int"}
        for space in plan.spaces:
            stages.append(Stage(space.placed, space.partitions[0].blocks, _Group(self, space, groups), columns))
            for place, partition in enumerate(space.partitions[1:], start=1):
                stages.append(Stage(_block, partition.blocks, _Repair(self, space, place, groups), columns))
        return tuple(stages)


def _block(records: Records) -> IntArray:
    return np.asarray(records[BLOCK])


@dataclass(frozen=True)
class _InSpaceStage:
    """What all stages in a space share."""

    masker: InSpace
    space: Space

    def passed_on(self, block: dict[str, Any], groups: IntArray, following: Partition) -> dict[str, Any]:
        """Return the records with their groups, each named by its first record, and their next block."""
        _, first, labels = np.unique(groups, return_index=True, return_inverse=True)
        names = block[ROW][first]
        centres = centres_of(np.nan_to_num(self.space.scaling.points(block)), labels.ravel())
        places = following.blocks_of(centres, names)[labels.ravel()]
        return {**block, self.space.group: names[labels.ravel()], BLOCK: places}


@dataclass(frozen=True)
class _Group(_InSpaceStage):
    """Group the records of a block by the method."""

    groups: Mapping[str, str]

    def __call__(self, records: Records) -> Records:
        space, rows = self.space, records[ROW]
        draws = space.scope.draws.child("blocks", *space.names)
        points = space.scaling.points(records)
        groups = np.empty(len(points), dtype=np.int64)
        absent = np.zeros(len(points), dtype=np.int64)
        for inside in cut_at_medians(np.nan_to_num(points), space.size):
            rng = draws.generator("group", int(rows[inside[0]]))
            part = {name: column[inside] for name, column in records.items()}
            labels, lost = self.masker._space_groups(space, part, points[inside], rng)  # noqa: SLF001 - this room's own
            first = np.unique(labels, return_index=True)[1]
            groups[inside] = part[ROW][first][labels]
            absent[inside] = lost @ (1 << np.arange(lost.shape[1])) if lost.any() else 0
        nobody = {name: np.zeros(len(points), dtype=np.int64) for name in self.groups}
        return self.passed_on({**nobody, **records, ABSENT: absent}, groups, space.partitions[1])


@dataclass(frozen=True)
class _Repair(_InSpaceStage):
    """Improve the groups that are neighbours in this partition; after the last one, release them."""

    place: int
    groups: Mapping[str, str]

    def __call__(self, records: Records) -> Records:
        space = self.space
        groups = self._mended(records) if space.repairs else records[space.group]
        if self.place + 1 < len(space.partitions):
            return self.passed_on(dict(records), groups, space.partitions[self.place + 1])
        draws = space.scope.draws.child("blocks", *space.names)
        rng = draws.generator("release", int(records[ROW][0]))
        labels = np.unique(groups, return_inverse=True)[1].ravel().astype(np.int64)
        values = self.masker._released_groups(space, records, labels, records[ABSENT], rng)  # noqa: SLF001
        return {**records, **values, space.group: groups}

    def _mended(self, records: Records) -> IntArray:
        space = self.space
        points = space.scaling.points(records)
        before = records[space.group]
        named, labels = np.unique(before, return_inverse=True)
        labels = labels.ravel()
        groups = np.array(before)
        centres = centres_of(np.nan_to_num(points), labels)
        draws = space.scope.draws.child("blocks", *space.names)
        # Records of a group are released without the same cells, some of which they had: such groups stay as they are.
        lacking = np.isnan(points).any(axis=1) | (records[ABSENT] != 0)
        whole = np.bincount(labels, weights=lacking) == 0
        for near in cut_groups(centres, np.bincount(labels), space.size):
            inside = near[whole[near]]
            if inside.size < 2:
                continue
            members = np.flatnonzero(np.isin(labels, inside))
            part = {name: column[members] for name, column in records.items()}
            seed = draws.integer("repair", int(named[inside[0]]))
            here = np.unique(labels[members], return_inverse=True)[1].ravel()
            better = self.masker._mended(space, part, points[members], here, seed)  # noqa: SLF001
            first = np.unique(better, return_index=True)[1]
            groups[members] = part[ROW][first][better]
        return groups


def centres_of(points: FloatArray, labels: IntArray) -> FloatArray:
    """Return the mean of every group of points."""
    sizes = np.bincount(labels)
    sums = [np.bincount(labels, weights=points[:, j], minlength=sizes.size) for j in range(points.shape[1])]
    return np.ascontiguousarray(np.stack(sums, axis=1) / sizes[:, None])


def settled(points: FloatArray, k: int, labels: IntArray, seed: int) -> IntArray:
    """Move and swap records between neighbouring groups while that helps; none falls below k."""
    if np.isnan(points).any() or labels.max() < 1:
        return labels
    # Blocks are mended at the same time, each by one thread.
    repair = Refinement(points, k, labels, seed, None, by_group=True)
    for _ in range(_PASSES):
        repair.settle()
    return repair.labels
