"""Classes of equal keys rolled up: from the classes of one node of the lattice to those of a coarser one.

A class is known by its packed key: every attribute has a field of bits in one of a few words. Code 0 of a field is the
missing value, 1 the mark of a record that is released fully generalised, and values begin at 2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray

__all__ = ["ClassTables", "Ladders", "Workspace", "code_at", "content_of", "leap", "number_keys", "price_of", "roll_up"]

# Fibonacci hashing: the high bits of the product spread runs of keys over the table.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class Ladders(NamedTuple):
    """Where every attribute's code lies in a key, and what it becomes one step up."""

    fields: IntArray
    """(m, 3) int64: word, shift and mask."""
    heights: IntArray
    """(m,) int64: the highest step."""
    upward: IntArray
    """Flat int64: from a code at a step to its code at the next."""
    offsets: IntArray
    """(m, steps + 1) int64: where the codes of a step begin in `upward` and in `price`."""
    price: FloatArray
    """Flat float64: what a cell costs at a step, or the logarithm of the leaves that it covers."""
    margins: FloatArray
    """(m, steps + 1) float64: what all records cost at a step."""
    tops: IntArray
    """(m,) int64: the one code of the highest step, or 1 where there are several."""
    content: FloatArray
    """Flat float64: the share of a record's information that a cell loses at a step."""
    game: FloatArray
    """(3,) float64: what a record that is found costs, the guesses that deter, and 1 where people are guessed among."""


class ClassTables(NamedTuple):
    """The classes of a few nodes, one table each."""

    keys: IntArray
    """(tables, d, words) int64"""
    sizes: IntArray
    """(tables, d) int64"""
    people: IntArray
    """(tables, d) int64: of the population."""
    starts: IntArray
    """(tables, s, d + 1) int64: where a class's values of each confidential attribute begin."""
    values: CodeArray
    """(tables, s, e) int32"""
    counts: IntArray
    """(tables, s, e) int64"""
    filled: IntArray
    """(tables,) int64: how many classes each has."""


class Workspace(NamedTuple):
    """Room for what is needed on the way; nothing in it outlives a call."""

    raised: IntArray
    """(d, words) int64"""
    slots: IntArray
    """A power of two of at least 2 · d, int64."""
    heads: IntArray
    labels: IntArray
    order: IntArray
    ends: IntArray
    """(d + 1,) int64, as is the next."""
    cursors: IntArray
    tally: IntArray
    """(values,) int64: zero between calls."""
    figures: FloatArray
    """(values,) float64"""
    spare_values: CodeArray
    spare_counts: IntArray
    dead: BoolArray
    """(d,) bool: classes that are not released."""
    doomed: BoolArray
    """(d,) bool: those that will not be after the round."""


@exact_kernel
def code_at(key: IntArray, field: IntArray) -> int:
    """Return an attribute's code in a key."""
    return (key[field[0]] >> field[1]) & field[2]  # type: ignore[no-any-return]


@exact_kernel
def price_of(key: IntArray, levels: IntArray, ladders: Ladders) -> float:
    """Return what a record of a class costs; of some objectives, its logarithm."""
    total = 0.0
    for a in range(levels.size):
        total += ladders.price[ladders.offsets[a, levels[a]] + code_at(key, ladders.fields[a])]
    return total


@exact_kernel
def content_of(key: IntArray, levels: IntArray, ladders: Ladders) -> float:
    """Return the share of its information that a record of a class has lost."""
    total = 0.0
    for a in range(levels.size):
        total += ladders.content[ladders.offsets[a, levels[a]] + code_at(key, ladders.fields[a])]
    return total


@exact_kernel
def _slot(key: IntArray, bits: int) -> int:
    mixed = np.uint64(0)
    for word in range(key.size):
        mixed = (mixed ^ np.uint64(key[word])) * _MULTIPLIER
        mixed ^= mixed >> np.uint64(29)
    return np.int64((mixed * _MULTIPLIER) >> np.uint64(64 - bits))  # type: ignore[return-value]


@exact_kernel
def number_keys(keys: IntArray, count: int, slots: IntArray, heads: IntArray, labels: IntArray) -> int:
    """Give equal keys one number, in order of appearance, and its first row; return how many there are."""
    bits = 2
    while (1 << bits) < 2 * count:
        bits += 1
    size = 1 << bits
    slots[:size] = -1
    different = 0
    if keys.shape[1] == 1:  # the same, without a loop over words
        for row in range(count):
            key = keys[row, 0]
            mixed = np.uint64(key) * _MULTIPLIER
            mixed ^= mixed >> np.uint64(29)
            at: int = np.int64((mixed * _MULTIPLIER) >> np.uint64(64 - bits))  # type: ignore[assignment]
            while True:
                number = slots[at]
                if number < 0:
                    slots[at] = different
                    heads[different] = row
                    labels[row] = different
                    different += 1
                    break
                if keys[heads[number], 0] == key:
                    labels[row] = number
                    break
                at = (at + 1) & (size - 1)
        return different
    for row in range(count):
        at = _slot(keys[row], bits)
        while True:
            number = slots[at]
            if number < 0:
                slots[at] = different
                heads[different] = row
                labels[row] = different
                different += 1
                break
            same = True
            for word in range(keys.shape[1]):
                if keys[heads[number], word] != keys[row, word]:
                    same = False
                    break
            if same:
                labels[row] = number
                break
            at = (at + 1) & (size - 1)
    return different


@exact_kernel
def gather(labels: IntArray, count: int, groups: int, work: Workspace) -> None:
    """Put rows together by label: `order` holds them, and group g begins at ``ends[g]``."""
    work.ends[: groups + 1] = 0
    for row in range(count):
        work.ends[labels[row] + 1] += 1
    for group in range(groups):
        work.ends[group + 1] += work.ends[group]
        work.cursors[group] = work.ends[group]
    for row in range(count):
        work.order[work.cursors[labels[row]]] = row
        work.cursors[labels[row]] += 1


@exact_kernel
def _roll_values(
    finer: ClassTables, source: int, coarser: ClassTables, target: int, s: int, groups: int, work: Workspace
) -> None:
    """Join the confidential values of the classes that became one."""
    starts, values, counts = finer.starts[source, s], finer.values[source, s], finer.counts[source, s]
    written = 0
    for group in range(groups):
        work.cursors[group] = written
        for place in range(work.ends[group], work.ends[group + 1]):
            row = work.order[place]
            for entry in range(starts[row], starts[row + 1]):
                value = values[entry]
                if work.tally[value] == 0:
                    work.spare_values[written] = value
                    written += 1
                work.tally[value] += counts[entry]
        for entry in range(work.cursors[group], written):
            work.spare_counts[entry] = work.tally[work.spare_values[entry]]
            work.tally[work.spare_values[entry]] = 0
    work.cursors[groups] = written
    for group in range(groups + 1):
        coarser.starts[target, s, group] = work.cursors[group]
    for entry in range(written):
        coarser.values[target, s, entry] = work.spare_values[entry]
        coarser.counts[target, s, entry] = work.spare_counts[entry]


@exact_kernel
def _join(finer: ClassTables, source: int, coarser: ClassTables, target: int, work: Workspace) -> None:
    """Bring the classes together whose raised keys are equal; `finer` and `coarser`, and the tables, may be one."""
    count, words, raised = finer.filled[source], finer.keys.shape[2], work.raised
    groups = number_keys(raised, count, work.slots, work.heads, work.labels)
    if finer.starts.shape[1]:
        gather(work.labels, count, groups, work)
        for s in range(finer.starts.shape[1]):
            _roll_values(finer, source, coarser, target, s, groups, work)
    # Where both tables are one, whatever is written over has been read: a group's number is at most its first row.
    sizes, people = coarser.sizes[target], coarser.people[target]
    for row in range(count):
        group = work.labels[row]
        size, population = finer.sizes[source, row], finer.people[source, row]
        if work.heads[group] == row:
            sizes[group], people[group] = size, population
            for word in range(words):
                coarser.keys[target, group, word] = raised[row, word]
        else:
            sizes[group] += size
            people[group] += population
    coarser.filled[target] = groups


@exact_kernel
def leap(
    ladders: Ladders,
    finer: ClassTables,  # IN
    source: int,  # IN the table of the finer node
    coarser: ClassTables,  # OUT
    target: int,  # IN the table to fill
    now: IntArray,  # IN (m,) int64: the levels of the finer node
    levels: IntArray,  # IN (m,) int64: those of the coarser, none below
    work: Workspace,
) -> None:
    """Raise all attributes at once, however many steps."""
    count, words = finer.filled[source], finer.keys.shape[2]
    raised = work.raised
    for row in range(count):
        for word in range(words):
            raised[row, word] = finer.keys[source, row, word]
    for a in range(levels.size):
        if now[a] == levels[a]:
            continue
        codes = ladders.offsets[a, now[a] + 1] - ladders.offsets[a, now[a]]
        becomes = np.empty(codes, dtype=np.int64)
        for code in range(codes):
            higher = code
            for step in range(now[a], levels[a]):
                higher = ladders.upward[ladders.offsets[a, step] + higher]
            becomes[code] = higher
        word, shift, mask = ladders.fields[a, 0], ladders.fields[a, 1], ladders.fields[a, 2]
        empty = ~(mask << shift)
        for row in range(count):
            key = raised[row, word]
            raised[row, word] = (key & empty) | (becomes[(key >> shift) & mask] << shift)
    _join(finer, source, coarser, target, work)


@exact_kernel
def roll_up(
    tables: ClassTables,  # IN and OUT
    source: int,  # IN the table of the finer node
    target: int,  # IN the table to fill; it may be the same
    field: IntArray,  # IN (3,) int64: where the attribute's code is
    upward: IntArray,  # IN (codes,) int64: what each code becomes
    work: Workspace,
) -> None:
    """Raise one attribute by a step."""
    count, words = tables.filled[source], tables.keys.shape[2]
    keys, raised = tables.keys[source], work.raised
    empty = ~(field[2] << field[1])
    for row in range(count):
        code = code_at(keys[row], field)
        for word in range(words):
            raised[row, word] = keys[row, word]
        raised[row, field[0]] = (raised[row, field[0]] & empty) | (upward[code] << field[1])
    _join(tables, source, tables, target, work)
