"""How many pairs of two files agree on what: exact counts over all pairs, without looking at any pair.

An attribute agrees at a *level*: state 0 is no agreement, higher states are finer agreement (same coarse class, same
value). Each level is "being in the same class", so the number of pairs that agree at least so far on every attribute is
a sum over groups of count · count; differences along the levels (Möbius inversion) give the pairs of every pattern.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base import Engine
from discreet.errors import DataError
from discreet.kernels.compare import tabulate_sums
from discreet.kernels.patterns import coarsen, distinct, pack, walk
from discreet.progress import report
from discreet.typing import CodeArray, FloatArray, IntArray, LevelArray

__all__ = ["MOST_PATTERNS", "Chain", "Layout", "PatternCounts", "count_patterns", "distinct_rows", "equality", "nested"]

MOST_PATTERNS = 1 << 20
"""More patterns than this are not counted at once but met by comparing records: 20 attributes with two states each."""

_PAIRS_A_ROW = 4  # pairs that are compared in the time that a row takes in a group-by
_MOST_PAIRS = 50_000_000  # beyond, several cores group faster than one compares
_CACHED = 30_000  # rows whose tables fit into a core's own cache
_WAITING = 64  # short lists that are worked off together
_MOST_SUMS = 1 << 22  # of all of them together

Words = NDArray[np.uint64]


@dataclass(frozen=True, repr=False)
class Chain:
    """The ways in which one attribute of two files can agree, from coarse to fine.

    Attributes
    ----------
    name : str
    a, b : (n_a,), (n_b,) int8 or wider
        The attribute in each file, as codes 0 … size − 1.
    classes : tuple of (size,) int64
        For every level, from the coarsest to the finest, the class of every code; two records agree at the level if
        their classes are equal. A code of class −1 agrees with nobody. A finer class lies inside a coarser one.
    ignores_missing : bool
        Whether the first level is "both have a value": no agreement there says nothing for or against a match.
    """

    name: str
    a: LevelArray
    b: LevelArray
    classes: tuple[IntArray, ...]
    ignores_missing: bool = False

    @property
    def states(self) -> int:
        """The number of states: the levels and no agreement."""
        return len(self.classes) + 1

    @property
    def size(self) -> int:
        """The number of codes."""
        return int(self.classes[0].size)

    def state(self, a: LevelArray, b: LevelArray) -> IntArray:
        """Return the state of codes of A and codes of B, pair by pair."""
        result = np.zeros(np.broadcast_shapes(a.shape, b.shape), dtype=np.int64)
        for classes in self.classes:
            first, second = classes[a], classes[b]
            result += (first == second) & (first >= 0)
        return result


def equality(name: str, a: LevelArray, b: LevelArray, missing: str = "ignore") -> Chain:
    """Return the chain of an attribute that agrees if it is equal; negative codes are missing values."""
    return nested(name, a, b, [], missing)


def nested(name: str, a: LevelArray, b: LevelArray, coarser: Sequence[IntArray], missing: str = "ignore") -> Chain:
    """Return the chain of an attribute that agrees on coarser classes before it agrees on the value.

    Parameters
    ----------
    name : str
    a, b : int arrays
        Codes; negative ones are missing values.
    coarser : sequence of int arrays
        By level, coarsest first, the class of every code that is not missing.
    missing : {"ignore", "disagree", "agree"}
        A missing value says nothing, agrees with nobody, or is a value like any other.
    """
    highest = int(max(a.max(initial=-1), b.max(initial=-1)))
    size = max([highest + 1, *(c.size for c in coarser)])
    absent = bool((a < 0).any() or (b < 0).any())
    first, second = _present(a, size), _present(b, size)
    classes = [np.asarray(c, dtype=np.int64) for c in (*coarser, np.arange(size, dtype=np.int64))]
    if not absent:
        return Chain(name, first, second, tuple(classes))
    nobody = size if missing == "agree" else -1
    classes = [np.append(c, nobody) for c in classes]
    if missing == "ignore":
        present = np.append(np.zeros(size, dtype=np.int64), -1)
        return Chain(name, first, second, (present, *classes), ignores_missing=True)
    return Chain(name, first, second, tuple(classes))


def _present(codes: LevelArray, missing: int) -> LevelArray:
    """Return codes with missing values as a code of their own, in as few bytes as they need."""
    small = np.int8 if missing < 128 else np.int16 if missing < 32_768 else np.int32
    return np.where(codes < 0, missing, codes.astype(np.int64, copy=False)).astype(small)


@dataclass(frozen=True, repr=False)
class Layout:
    """Where every attribute's field lies in a packed record, and what it holds at every level."""

    word: tuple[int, ...]
    shift: tuple[int, ...]
    width: tuple[int, ...]
    fields: tuple[tuple[IntArray, ...], ...]
    """By attribute and level (0 is none), the field of every code; the flag is its highest bit."""
    ups: tuple[tuple[IntArray, ...], ...]
    """By attribute and level from 1, the field one level up of every value of the field."""
    flags: Words

    @property
    def words(self) -> int:
        """The number of 64-bit words a record."""
        return self.flags.size

    @classmethod
    def of(cls, chains: Sequence[Chain]) -> Layout:
        """Lay the fields out, first come first served."""
        tables = [_fields(chain) for chain in chains]
        widths = [(max(2, *(count for _, count in table)) - 1).bit_length() + 1 for table in tables]
        word, shift, used = [], [], [0]
        for width in widths:
            at = next((w for w, bits in enumerate(used) if bits + width <= 64), len(used))
            if at == len(used):
                used.append(0)
            word.append(at)
            shift.append(used[at])
            used[at] += width
        flags = np.zeros(len(used), dtype=np.uint64)
        fields, ups = [], []
        for table, width, w, s in zip(tables, widths, word, shift, strict=True):
            flag = 1 << (width - 1)
            flags[w] |= np.uint64(flag << s)
            by_level = [np.where(f < 0, flag | ~f, f) for f, _ in table]  # ~f undoes the mark of a flagged field
            fields.append(tuple(by_level))
            steps = []
            for coarse, fine in pairwise(by_level):
                up = np.zeros(1 << width, dtype=np.int64)
                up[fine] = coarse
                steps.append(up)
            ups.append(tuple(steps))
        return cls(tuple(word), tuple(shift), tuple(widths), tuple(fields), tuple(ups), flags)

    def packed(self, codes: Sequence[LevelArray], levels: Sequence[int]) -> Words:
        """Return records packed at the given level of each attribute."""
        result = np.zeros((codes[0].size, self.words), dtype=np.uint64)
        for j, (column, level) in enumerate(zip(codes, levels, strict=True)):
            if level:
                pack(self.fields[j][level][column], self.word[j], self.shift[j], result)
        return result


def _fields(chain: Chain) -> list[tuple[IntArray, int]]:
    """Return by level the field of every code and their number; a code of class −1 has its field marked by ~.

    A marked field still tells apart what a coarser level needs to tell apart.
    """
    zero = np.zeros(chain.size, dtype=np.int64)
    result = [(zero, 1)]
    finer: IntArray = zero
    for classes in chain.classes:
        pairs = finer * (int(classes.max(initial=0)) + 2) + classes + 1
        _, finer = np.unique(pairs, return_inverse=True)
        finer = finer.astype(np.int64)
        result.append((np.where(classes < 0, ~finer, finer), int(finer.max(initial=0)) + 1))
    return result


def distinct_rows(words: Words) -> tuple[IntArray, IntArray, IntArray]:
    """Return the class of every record, and the first member and size of every class, in order of appearance."""
    n = len(words)
    bits = _bits(n)
    label, members, sizes = (np.empty(n, dtype=np.int64) for _ in range(3))
    m = distinct(words, bits, np.empty(1 << bits, dtype=np.int32), label, members, sizes)
    return label, members[:m].copy(), sizes[:m].copy()


def _bits(n: int) -> int:
    return max(4, int(2 * n - 1).bit_length())


@dataclass(frozen=True, repr=False)
class PatternCounts:
    """Exact numbers of pairs by agreement pattern: one axis an attribute, one position a state.

    Attributes
    ----------
    between : int64 tensor
        Pairs of a record of A and a record of B.
    within : int64 tensor
        Ordered pairs of different records of A.
    own : int64 tensor
        Records of A by the pattern with which they agree with themselves: the finest, but for missing values.
    n_a, n_b : int
    """

    between: IntArray
    within: IntArray
    own: IntArray
    n_a: int
    n_b: int
    names: tuple[str, ...] = field(default=())

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of states of every attribute."""
        return self.between.shape

    def margin(self, values: FloatArray, j: int) -> FloatArray:
        """Sum over everything but attribute `j`."""
        others = tuple(i for i in range(values.ndim) if i != j)
        return np.asarray(values.sum(axis=others), dtype=np.float64)

    def product(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Return by pattern the product of one number for each attribute's state."""
        result = np.ones(self.shape)
        for j, part in enumerate(parts):
            result *= part.reshape([-1 if i == j else 1 for i in range(len(parts))])
        return result

    def total(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Return by pattern the sum of one number for each attribute's state."""
        result = np.zeros(self.shape)
        for j, part in enumerate(parts):
            result += part.reshape([-1 if i == j else 1 for i in range(len(parts))])
        return result

    def collapsed(self, values: FloatArray, from_state: Sequence[int]) -> FloatArray:
        """Keep of every attribute whether its state is at least the given one; one entry a set of attributes."""
        for axis, first in enumerate(from_state):
            along = np.moveaxis(values, axis, 0)
            values = np.moveaxis(np.stack([along[:first].sum(axis=0), along[first:].sum(axis=0)]), 0, axis)
        return np.ascontiguousarray(values).ravel()

    def margin_agreeing(self, values: FloatArray, j: int, from_state: Sequence[int]) -> FloatArray:
        """Sum as in `margin`, over patterns that agree on everything else."""
        return self.margin(
            values[tuple(slice(None) if i == j else slice(first, None) for i, first in enumerate(from_state))], j
        )

    def __repr__(self) -> str:
        return f"PatternCounts({self.between.size} patterns of {self.n_a} × {self.n_b} pairs)"


def count_patterns(chains: Sequence[Chain], engine: Engine) -> PatternCounts:
    """Count the pairs of every agreement pattern, exactly.

    Notes
    -----
    One group-by for each of the Π states combinations of levels, each on the distinct rows of the next finer one:
    O(n · Π states) at worst, far less once rows merge; memory linear in n. A long list is first cut into the classes
    of one attribute, which hold all pairs that agree on it, so that the work stays in the processor's cache. Where two
    files are so small that they have fewer pairs than the group-bys have rows, the pairs are looked at.
    """
    n_a, n_b = chains[0].a.size, chains[0].b.size
    shape = tuple(chain.states for chain in chains)
    patterns = math.prod(shape)
    if patterns > MOST_PATTERNS:
        raise DataError(f"{patterns} agreement patterns are too many; at most {MOST_PATTERNS} can be counted.")
    names = tuple(chain.name for chain in chains)
    own = _own(chains)
    if n_a <= _PAIRS_A_ROW * patterns and n_a * (n_a + n_b) <= _MOST_PAIRS:
        between, within = _tabulated(chains, shape)
        return PatternCounts(between, within - own, own, n_a, n_b, names)
    layout = Layout.of(chains)
    # What has the most classes is coarsened first, so that most of the tree works on short lists.
    order = sorted(range(len(chains)), key=lambda j: -chains[j].size)
    finest = [chain.states - 1 for chain in chains]
    words = np.concatenate([layout.packed([c.a for c in chains], finest), layout.packed([c.b for c in chains], finest)])
    counts = np.zeros((n_a + n_b, 2), dtype=np.int32)
    counts[:n_a, 0], counts[n_a:, 1] = 1, 1
    rows = _merged(layout, words, counts, 0, np.arange(1 << layout.width[0], dtype=np.int64))
    del words, counts
    sums = _Cube(layout, shape, engine).count(rows, order)
    between, within = (_exact(sums[:, i].reshape(shape)) for i in range(2))
    return PatternCounts(between, within - own, own, n_a, n_b, names)


def _tabulated(chains: Sequence[Chain], shape: tuple[int, ...]) -> tuple[IntArray, IntArray]:
    """Count the pairs of every pattern between the files and within the first, pair by pair."""
    levels = [(chain, classes) for chain in chains for classes in chain.classes]
    strides = [math.prod(shape[j + 1 :]) for j in range(len(shape))]
    steps = np.repeat(strides, [len(chain.classes) for chain in chains])
    columns = np.array([classes[chain.a] for chain, classes in levels], dtype=np.int32)
    found = []
    for other in ("b", "a"):
        rows = np.array([classes[getattr(chain, other)] for chain, classes in levels], dtype=np.int32).T
        rows = np.ascontiguousarray(np.where(rows < 0, np.int32(-2), rows))
        table = np.zeros(math.prod(shape), dtype=np.int64)
        tabulate_sums(columns, steps, rows, table)
        found.append(table.reshape(shape))
    return found[0], found[1]


def _exact(at_least: IntArray) -> IntArray:
    """Turn pairs that agree at least so far into pairs that agree exactly so far."""
    tensor = at_least.copy()
    for axis in range(tensor.ndim):
        along = np.moveaxis(tensor, axis, 0)
        along[:-1] -= along[1:].copy()
    return tensor


def _own(chains: Sequence[Chain]) -> IntArray:
    """Count records by the pattern of the pair with themselves: as fine as their values can agree at all."""
    at = np.zeros(chains[0].a.size, dtype=np.int64)
    for chain in chains:
        finest = np.sum([classes >= 0 for classes in chain.classes], axis=0)
        at = at * chain.states + finest[chain.a]
    shape = tuple(chain.states for chain in chains)
    return np.bincount(at, minlength=math.prod(shape)).astype(np.int64).reshape(shape)


Rows = tuple[Words, CodeArray]


def _merged(layout: Layout, words: Words, counts: CodeArray, j: int, up: IntArray) -> Rows:
    n = len(words)
    bits = _bits(n)
    out, out_counts = np.empty_like(words), np.empty_like(counts)
    table = np.empty(1 << bits, dtype=np.int32)
    ones = (1 << layout.width[j]) - 1
    m = coarsen(words, counts, layout.word[j], layout.shift[j], ones, up, bits, table, out, out_counts)
    return (out[:m], out_counts[:m]) if m > 0.9 * n else (out[:m].copy(), out_counts[:m].copy())


class _Cube:
    """Sums of agreeing pairs for every combination of levels."""

    def __init__(self, layout: Layout, shape: tuple[int, ...], engine: Engine) -> None:
        self.layout, self.shape, self.engine = layout, shape, engine
        self.strides = [math.prod(shape[j + 1 :]) for j in range(len(shape))]
        self.done = 0
        self.plans: dict[tuple[int, ...], tuple[Any, ...]] = {}
        self.waiting: list[tuple[Rows, list[int], int]] = []

    def count(self, rows: Rows, order: list[int]) -> IntArray:
        sums = np.zeros((math.prod(self.shape), 2), dtype=np.int64)
        self._count(rows, order, 0, sums)
        self._work_off(sums)
        return sums

    def _count(self, rows: Rows, order: list[int], base: int, sums: IntArray) -> None:
        if len(rows[0]) <= _CACHED or not order:
            self._put_off([rows], order, base, sums)
            return
        j, *rest = order
        for level in range(self.shape[j] - 1, 0, -1):
            at = base + level * self.strides[j]
            small, large = self._classes(rows, j)
            for part in large:
                self._count(part, rest, at, sums)
            self._put_off(small, rest, at, sums)
            rows = _merged(self.layout, *rows, j, self.layout.ups[j][level - 1])
        self._count(rows, rest, base, sums)

    def _put_off(self, parts: Sequence[Rows], order: list[int], base: int, sums: IntArray) -> None:
        """Leave short lists for later, so that there are always many to share among the cores."""
        for part in parts:
            self.waiting.append((part, order, base))
            if len(self.waiting) >= min(_WAITING, max(2, _MOST_SUMS // sums.size)):
                self._work_off(sums)

    def _work_off(self, sums: IntArray) -> None:
        for part_sums in self.engine.map(self._walked, self.waiting):
            sums += part_sums
        self.waiting = []

    def _classes(self, rows: Rows, j: int) -> tuple[list[Rows], list[Rows]]:
        """Cut rows into the classes of attribute j: small ones in bundles, then large ones.

        Rows of a bundle keep the field of attribute j, so that those of different classes never become one.
        """
        words, counts = rows
        layout = self.layout
        ones = np.uint64((1 << layout.width[j]) - 1)
        values = ((words[:, layout.word[j]] >> np.uint64(layout.shift[j])) & ones).astype(np.int64)
        agreeing = values < 1 << (layout.width[j] - 1)
        order = np.argsort(values, kind="stable")[: int(agreeing.sum())]
        edges = np.flatnonzero(np.diff(values[order], prepend=-1))
        sizes = np.diff(np.append(edges, order.size))
        large = [order[low : low + size] for low, size in zip(edges, sizes, strict=True) if size > _CACHED]
        few = order[np.repeat(sizes <= _CACHED, sizes)]
        ends = np.cumsum(sizes[sizes <= _CACHED])
        small, low = [], 0
        while low < few.size:
            high = int(ends[np.searchsorted(ends, low + _CACHED, side="right") - 1])
            small.append(few[low:high])
            low = high
        return [(words[part], counts[part]) for part in small], [(words[part], counts[part]) for part in large]

    def _walked(self, work: tuple[Rows, list[int], int]) -> IntArray:
        rows, order, base = work
        sums = np.zeros((math.prod(self.shape), 2), dtype=np.int64)
        arguments: tuple[Any, ...] = (*rows, *self._plan(tuple(order)), base, self.layout.flags, sums)
        walk(*arguments)
        self.done += 1
        report("counting patterns", self.done, self.done + 1)
        return sums

    def _plan(self, order: tuple[int, ...]) -> tuple[Any, ...]:
        """Return what the kernel needs to know of the attributes that coarsen, made once."""
        if order in self.plans:
            return self.plans[order]
        layout = self.layout
        tables = [up for j in order for up in layout.ups[j]]
        starts = np.zeros((max(1, len(order)), max(self.shape)), dtype=np.int64)
        offset = 0
        for place, j in enumerate(order):
            for level, up in enumerate(layout.ups[j], start=1):
                starts[place, level] = offset
                offset += up.size
        integers: list[Any] = [
            np.array(values, dtype=np.int64)
            for values in (
                [layout.word[j] for j in order],
                [layout.shift[j] for j in order],
                [(1 << layout.width[j]) - 1 for j in order],
                [self.shape[j] - 1 for j in order],
                [self.strides[j] for j in order],
            )
        ]
        ups = np.concatenate(tables) if tables else np.zeros(1, dtype=np.int64)
        self.plans[order] = (*integers, ups, starts)
        return self.plans[order]
