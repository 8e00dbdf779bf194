"""Which classes of a node are released: those that keep every rule, counted among what is released."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.kernels.generalising.class_rules import (
    AVERAGE,
    ITEMS,
    PROFIT,
    PROFIT_OF_PEOPLE,
    SIZE,
    UNIQUES,
    class_figure,
    class_passes,
    expected_payout,
)
from discreet.kernels.generalising.rolled import (
    ClassTables,
    Ladders,
    Workspace,
    code_at,
    content_of,
    gather,
    number_keys,
    price_of,
)
from discreet.kernels.jit import exact_kernel
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["Rules", "judge"]


class Rules(NamedTuple):
    """What is demanded, one row a rule."""

    kinds: IntArray
    low: FloatArray
    high: FloatArray
    first: FloatArray
    columns: BoolArray
    """(rules, m) bool: whose combinations are the classes of the rule."""
    masks: IntArray
    """(rules, words) int64: the bits of these."""
    sensitive: IntArray
    """(rules,) int64: which confidential attribute; −1 where none."""
    shares: FloatArray
    """(s, values) float64: of the whole table."""
    sizes: IntArray
    """(s,) int64: how many values each has."""
    trees: IntArray
    """(s, steps, values) int64"""
    steps: IntArray
    """(s,) int64"""


@exact_kernel
def _exempt(key: IntArray, columns: BoolArray, ladders: Ladders) -> bool:
    """Say whether an item is absent, so that the key is no combination of items."""
    for a in range(columns.size):
        if columns[a] and code_at(key, ladders.fields[a]) == 0:
            return True
    return False


@exact_kernel
def _judge_rule(
    r: int,
    rules: Rules,
    ladders: Ladders,
    tables: ClassTables,
    table: int,
    keys: IntArray,  # IN (d, words) int64: as released
    levels: IntArray,  # IN (m,) int64: of the node
    everybody: bool,  # IN whether dead classes are counted: as they are released fully generalised
    stop_at: int,  # IN leave as soon as so many more records are suppressed
    work: Workspace,
) -> int:
    """Doom the classes that break a rule; return how many records they hold that were not doomed yet."""
    kind, count, s = rules.kinds[r], tables.filled[table], rules.sensitive[r]
    sizes, people, dead = tables.sizes[table], tables.people[table], work.dead
    whole = not everybody
    for a in range(rules.columns.shape[1]):
        whole = whole and rules.columns[r, a]
    groups = count
    if whole and kind == SIZE:  # the same as below, of classes as they are
        lost = 0
        for row in range(count):
            size = sizes[row]
            if size == 0 or dead[row] or work.doomed[row]:
                continue
            if not class_passes(kind, float(size), rules.low[r], rules.high[r]):
                work.doomed[row] = True
                lost += size
                if lost > stop_at:
                    break
        return lost
    if whole:
        for row in range(count):
            work.order[row] = row
            work.ends[row] = row
        work.ends[count] = count
    else:
        for row in range(count):
            for word in range(keys.shape[1]):
                work.raised[row, word] = keys[row, word] & rules.masks[r, word]
        groups = number_keys(work.raised, count, work.slots, work.heads, work.labels)
        gather(work.labels, count, groups, work)
    values = rules.sizes[s] if s >= 0 else 0
    share = rules.shares[max(s, 0), :values]
    tree = rules.trees[max(s, 0), : rules.steps[max(s, 0)], :values]
    lost = 0
    for group in range(groups):
        size, population = 0, 0
        for place in range(work.ends[group], work.ends[group + 1]):
            row = work.order[place]
            population += people[row]
            if everybody or not dead[row]:
                size += sizes[row]
        if size == 0 or (whole and work.doomed[group]):
            continue
        if kind == ITEMS and _exempt(keys[work.order[work.ends[group]]], rules.columns[r], ladders):
            continue
        if s >= 0:
            work.tally[:values] = 0
            for place in range(work.ends[group], work.ends[group + 1]):
                row = work.order[place]
                if everybody or not dead[row]:
                    for entry in range(tables.starts[table, s, row], tables.starts[table, s, row + 1]):
                        work.tally[tables.values[table, s, entry]] += tables.counts[table, s, entry]
        if kind in (PROFIT, PROFIT_OF_PEOPLE):
            lost_share = content_of(keys[work.order[work.ends[group]]], levels, ladders)
            reach = population if kind == PROFIT_OF_PEOPLE else size
            figure = expected_payout(lost_share, reach, ladders.game[0], ladders.game[1])
        else:
            figure = class_figure(
                kind, rules.first[r], size, population, work.tally[:values], share, tree, work.figures[:values]
            )
        if not class_passes(kind, figure, rules.low[r], rules.high[r]):
            for place in range(work.ends[group], work.ends[group + 1]):
                row = work.order[place]
                if (everybody or not dead[row]) and not work.doomed[row]:
                    work.doomed[row] = True
                    lost += sizes[row]
            if lost > stop_at:
                break
    if s >= 0:
        work.tally[:values] = 0
    return lost


@exact_kernel
def _keeps_file_rules(rules: Rules, records: int, classes: int, uniques: int, star: int) -> bool:
    """Judge what is said of all classes together; `star` records are released as one more class."""
    records += star
    classes += 1 if star > 0 else 0
    uniques += 1 if star == 1 else 0
    for r in range(rules.kinds.size):
        if rules.kinds[r] == AVERAGE and not class_passes(AVERAGE, classes / max(records, 1), 0.0, rules.high[r]):
            return False
        if rules.kinds[r] == UNIQUES:
            share = uniques * rules.first[r] / max(records, 1)
            if not class_passes(UNIQUES, share, 0.0, rules.high[r]):
                return False
    return True


@exact_kernel
def _goes_before(a: int, b: int, sizes: IntArray, prices: FloatArray, keys: IntArray) -> bool:
    """Say whether a class is smaller than another, or as small and coarser, or else of a lower key."""
    if sizes[a] != sizes[b]:
        return bool(sizes[a] < sizes[b])
    if prices[a] != prices[b]:
        return bool(prices[a] > prices[b])
    for word in range(keys.shape[1]):
        if keys[a, word] != keys[b, word]:
            return bool(keys[a, word] < keys[b, word])
    return a < b


@exact_kernel
def _small_first(ladders: Ladders, tables: ClassTables, table: int, levels: IntArray) -> IntArray:
    """Return the classes by size, of equal ones the coarsest first; nothing depends on how they were rolled up."""
    count = tables.filled[table]
    sizes, keys = tables.sizes[table], tables.keys[table]
    order, prices = np.empty(count, dtype=np.int64), np.empty(count)
    for row in range(count):
        order[row] = row
        prices[row] = price_of(keys[row], levels, ladders)
    # A heap, the last on top: the compiler takes seconds to make a stable sort of NumPy's.
    for end in range(2 * count - 1, 0, -1):
        if end >= count:
            root, size = end - count, count
        else:
            order[0], order[end] = order[end], order[0]
            root, size = 0, end
        while 2 * root + 1 < size:
            child = 2 * root + 1
            if child + 1 < size and _goes_before(order[child], order[child + 1], sizes, prices, keys):
                child += 1
            if not _goes_before(order[root], order[child], sizes, prices, keys):
                break
            order[root], order[child] = order[child], order[root]
            root = child
    return order


@exact_kernel
def _star_keys(
    ladders: Ladders, levels: IntArray, tables: ClassTables, table: int, work: Workspace, keys: IntArray
) -> None:
    """Write the keys as they are released where suppressed records stay in the file, fully generalised."""
    for row in range(tables.filled[table]):
        for word in range(keys.shape[1]):
            keys[row, word] = 0 if work.dead[row] else tables.keys[table, row, word]
        if work.dead[row]:
            for a in range(levels.size):
                code = ladders.tops[a] if levels[a] == ladders.heights[a] else 1
                keys[row, ladders.fields[a, 0]] |= code << ladders.fields[a, 1]


@exact_kernel
def judge(
    ladders: Ladders,
    rules: Rules,
    tables: ClassTables,
    table: int,
    levels: IntArray,  # IN (m,) int64: of the node
    limit: int,  # IN the most records that may be suppressed
    stays: bool,  # IN whether suppressed records stay, fully generalised, and are counted
    work: Workspace,
) -> int:
    """Mark in `work.dead` what is suppressed; return how many records that is, or −1 where it is more than `limit`.

    Classes that break a rule go together, and are counted anew until none is left that does. Where all classes
    together break a rule, the smallest go one by one, of equally small ones the coarsest first. Where the suppressed
    records do that stay in the file, all classes of the smallest size join them.

    That no fewer records need go for a rule of all classes: of so many classes over records, removing the smallest
    leaves the most records, so that where this does not keep the rule, removing no other as many classes does.
    """
    count = tables.filled[table]
    work.dead[:count] = False
    work.doomed[:count] = False
    suppressed, following = 0, 0
    order = np.empty(0, dtype=np.int64)
    several = False
    for r in range(rules.kinds.size):
        for a in range(rules.columns.shape[1]):
            several = several or (rules.kinds[r] < AVERAGE and not rules.columns[r, a])
    total = 0
    for row in range(count):
        total += tables.sizes[table, row]
    while True:
        changed = True
        while changed:
            changed = False
            for r in range(rules.kinds.size):
                if rules.kinds[r] >= AVERAGE:
                    continue
                lost = _judge_rule(
                    r, rules, ladders, tables, table, tables.keys[table], levels, False, limit - suppressed, work
                )
                suppressed += lost
                if suppressed > limit:
                    return -1
                changed = changed or (several and lost > 0)
            for row in range(count):
                work.dead[row] = work.doomed[row]
        if suppressed >= total and not stays:
            return -1  # nothing is released
        records, classes, uniques = 0, 0, 0
        for row in range(count):
            size = tables.sizes[table, row]
            if size > 0 and not work.dead[row]:
                records += size
                classes += 1
                uniques += 1 if size == 1 else 0
        fine = _keeps_file_rules(rules, records, classes, uniques, suppressed if stays else 0)
        if fine and (not stays or suppressed == 0 or _star_passes(ladders, rules, tables, table, levels, work)):
            return suppressed
        if suppressed >= total:
            return -1
        if fine:
            smallest = 1 << 62
            for row in range(count):
                if not work.dead[row] and 0 < tables.sizes[table, row] < smallest:
                    smallest = tables.sizes[table, row]
            for row in range(count):
                if not work.dead[row] and tables.sizes[table, row] == smallest:
                    work.dead[row] = True
                    work.doomed[row] = True
                    suppressed += smallest
            if suppressed > limit:
                return -1
            continue
        if suppressed >= limit:
            return -1
        if order.size == 0:
            order = _small_first(ladders, tables, table, levels)
        while not fine and following < count:
            row = order[following]
            following += 1
            size = tables.sizes[table, row]
            if size == 0 or work.dead[row]:
                continue
            work.dead[row] = True
            work.doomed[row] = True
            suppressed += size
            if suppressed > limit:
                return -1
            records -= size
            classes -= 1
            uniques -= 1 if size == 1 else 0
            # Where models look at some keys only, the others may break one now.
            fine = several or _keeps_file_rules(rules, records, classes, uniques, suppressed if stays else 0)


@exact_kernel
def _star_passes(
    ladders: Ladders, rules: Rules, tables: ClassTables, table: int, levels: IntArray, work: Workspace
) -> bool:
    """Say whether every class keeps every rule with the suppressed records beside it, which are a class too."""
    count = tables.filled[table]
    keys = np.empty((count, tables.keys.shape[2]), dtype=np.int64)
    _star_keys(ladders, levels, tables, table, work, keys)
    before = work.doomed[:count].copy()
    work.doomed[:count] = False
    broken = 0
    for r in range(rules.kinds.size):
        if rules.kinds[r] < AVERAGE:
            broken += _judge_rule(r, rules, ladders, tables, table, keys, levels, True, 0, work)
    for row in range(count):
        work.doomed[row] = before[row]
    return broken == 0
