"""Nearest and second-nearest records of categories by branch and bound in a prefix tree of distinct records.

Rows are sorted by their codes, one attribute after the other; a node is a run of rows with a common prefix. The terms
of the prefix alone are a lower bound, so whole branches fall away once two near records are known. Attributes on which
disagreeing costs much come first, and the nodes below them are cells: most queries have two near records in their own
cell or in one that differs from it in one code, and those are found by hashing, without going through the tree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import exact_kernel
from discreet.kernels.linking.cell_index import first_cell
from discreet.kernels.linking.nearest_list import enter, lengthened
from discreet.kernels.linking.tied_rows import enlarged, put_in_order
from discreet.kernels.stop import heed_stop
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray, LevelArray

__all__ = ["nearest_in_tree", "prefixes"]

_SLACK = 0.999999999999
_SEEDS = 256  # cells that wait to be searched
_FEW = 4  # rows that are compared one by one rather than branched on


@exact_kernel
def prefixes(
    codes: LevelArray,  # IN (n, attributes) uint8 or int32, distinct rows in rising order
    starts: CodeArray,  # OUT (nodes + 1,) int32, first row of every node, level by level; the last entry is n
    children: CodeArray,  # OUT (nodes + 1,) int32, first child of every node
    levels: IntArray,  # OUT (attributes + 1,) int64, first node of every level
    fill: bool,  # IN whether to write nodes or only to count them
) -> int:
    """Find the nodes and return their number: level p holds the different prefixes of p + 1 codes."""
    n, width = codes.shape
    nodes = 0
    for p in range(width):
        levels[p] = nodes
        for i in range(n):
            new = i == 0
            for q in range(p + 1):
                new = new or codes[i, q] != codes[i - 1, q]
            if new:
                if fill:
                    starts[nodes] = i
                nodes += 1
    levels[width] = nodes
    if fill:
        starts[nodes] = n
        for p in range(width - 1):
            child = levels[p + 1]
            for node in range(levels[p], levels[p + 1]):
                while starts[child] < starts[node]:
                    child += 1
                children[node] = child
        children[levels[width - 1] : nodes + 1] = nodes
    return nodes


@exact_kernel
def _descend(
    codes: LevelArray,
    ids: CodeArray,
    several: BoolArray,
    starts: CodeArray,
    children: CodeArray,
    levels: IntArray,
    terms: FloatArray,
    row: IntArray,  # IN (attributes,) int64, where the terms of the query's code start
    origin: IntArray,  # IN (attributes,) int64, the code from which on they are counted, to either side
    gaps: FloatArray,
    order: IntArray,
    largest: bool,
    query: CodeArray,  # IN (attributes,) int32
    skip: int,  # IN rows that differ in fewer of the first `cell` codes are left out: they were met before
    cell: int,
    stack: IntArray,  # IN/OUT (room, 2) int64, node and level; the nodes to search
    bounds: FloatArray,  # IN/OUT (room,) float64
    top: int,  # IN how many there are
    second_too: bool,
    near: FloatArray,  # IN/OUT, with the next three, as in `enter`
    who: IntArray,
    mine: IntArray,
    sums: FloatArray,
) -> tuple[IntArray, FloatArray]:
    # Search the nodes on the stack; returns the lists of tied classes and their sums, which may have had to grow.
    n, width = codes.shape
    bar = near[2]
    while top > 0:
        top -= 1
        total = bounds[top]
        # Sums are taken in another sequence than the final distance: rounding must not cut a tie off.
        if total * _SLACK > bar:
            continue
        node, p = stack[top, 0], stack[top, 1]
        low, high = 0, n
        if node >= 0:
            low = starts[node]
            high = n if node + 1 == levels[p] else starts[node + 1]
        if p < width and high - low > _FEW:
            begin = levels[0] if node < 0 else children[node]
            end = levels[p + 1] if (node < 0 or node + 1 == levels[p]) else children[node + 1]
            own = query[p]
            t = max(total, gaps[p, own]) if largest else total + gaps[p, own]
            if t * _SLACK > bar:
                # No other code fits under the bar: look the own one up.
                while begin < end:
                    middle = (begin + end) // 2
                    if codes[starts[middle], p] < own:
                        begin = middle + 1
                    else:
                        end = middle
                end = begin + 1
                if begin >= levels[p + 1] or starts[begin] >= high or codes[starts[begin], p] != own:
                    continue
            cheapest, keep = np.inf, -1
            for child in range(begin, end):
                term = terms[row[p] + abs(codes[starts[child], p] - origin[p])]
                t = max(total, term) if largest else total + term
                if t < np.inf and t * _SLACK <= bar:
                    stack[top, 0], stack[top, 1], bounds[top] = child, p + 1, t
                    if t < cheapest:
                        cheapest, keep = t, top
                    top += 1
            if keep >= 0:
                # The most promising child comes off the stack first.
                at = top - 1
                node, t = stack[at, 0], bounds[at]
                stack[at, 0], bounds[at] = stack[keep, 0], bounds[keep]
                stack[keep, 0], bounds[keep] = node, t
            continue
        for i in range(low, high):
            d = total
            for q in range(p, width):
                term = terms[row[q] + abs(codes[i, q] - origin[q])]
                d = max(d, term) if largest else d + term
                if d * _SLACK > bar:
                    break
            if d * _SLACK > bar or d == np.inf:
                continue
            if skip > 0:
                apart = 0
                for q in range(cell):
                    apart += query[q] != codes[i, q]
                if apart < skip:
                    continue
            d = 0.0
            for j in range(width):
                q = order[j]
                term = terms[row[q] + abs(codes[i, q] - origin[q])]
                d = max(d, term) if largest else d + term
            if d > bar:
                continue
            if who[1] == mine.size:
                mine = enlarged(mine, mine.size, mine.size)
                sums = lengthened(sums, mine.size)
            # Terms come from tables: only their sum is rounded.
            enter(ids[i], d, several[i], 0.0, False, second_too, near, who, mine, sums)
            bar = near[2]
    return mine, sums


@exact_kernel
def _least_sum(extra: FloatArray, count: int, smallest: FloatArray) -> float:
    # The sum of the `count` smallest entries; infinite where there are fewer.
    if count > extra.size:
        return np.inf
    smallest[:count] = np.inf
    for p in range(extra.size):
        value = extra[p]
        for j in range(count):
            if value < smallest[j]:
                value, smallest[j] = smallest[j], value
    return float(smallest[:count].sum())


@exact_kernel
def nearest_in_tree(
    codes: LevelArray,  # IN (n, attributes) uint8 or int32, distinct rows in rising order; places in terms by steps
    ids: CodeArray,  # IN (n,) int32, the class of every row
    several: BoolArray,  # IN (n,) bool, whether it has more than one record
    starts: CodeArray,  # IN the tree
    children: CodeArray,
    levels: IntArray,
    terms: FloatArray,  # IN (all,) float64, tables of terms, one after the other, a row for a code of a query; or steps
    table: IntArray,  # IN (attributes,) int64, where the table of an attribute starts
    codes_of: IntArray,  # IN (attributes,) int64, its number of codes; 0 where terms go by how far codes are apart
    gaps: FloatArray,  # IN (attributes, levels) float64, the least term of a query's code to any other code
    order: IntArray,  # IN (attributes,) int64, the sequence in which terms are added to a final distance
    largest: bool,  # IN whether a distance is the largest term, not the sum
    keys: NDArray[np.uint64],  # IN (cells,) uint64, the packed prefixes of the cells
    shift: IntArray,  # IN (prefix,) int64, where the field of an attribute lies in a key; empty for no cells
    masks: NDArray[np.uint64],  # IN (indexes,) uint64, all fields; all but one; perhaps all but two
    apart: IntArray,  # IN (indexes, 2) int64, the attributes that an index leaves out, −1 for none
    stages: IntArray,  # IN (stages + 1,) int64, the first index that leaves out none, one, two; then their number
    cells: CodeArray,  # IN (indexes, slots) int32, see index_cells
    following: CodeArray,  # IN (indexes, cells) int32
    through: bool,  # IN whether to go through the tree where the cells do not suffice
    second_too: bool,  # IN whether the second nearest is looked for; if not, it is whoever was met
    queries: LevelArray,  # IN (n_b, attributes) uint8 or int32
    which: CodeArray,  # IN (m,) int32, the queries to answer, in a good order
    best: IntArray,  # OUT (n_b,) int64, class, lowest on ties, −1 if everything is infinitely far
    score: FloatArray,  # OUT (n_b,) float64
    second: IntArray,  # OUT (n_b,) int64, another class
    second_score: FloatArray,  # OUT (n_b,) float64
    counts: IntArray,  # OUT (n_b,) int64, classes at the best distance; −1 where the tree would have been needed
) -> IntArray:
    """Answer queries exactly and return the classes tied with the best, rising, query after query.

    Tied is what is no farther than the nearest by more than rounding of the sum can explain.
    Disagreeing on an attribute of the prefix must cost more than agreeing.
    """
    width, prefix = codes.shape[1], shift.size
    cell_level = levels[max(prefix, 1) - 1]
    room = _SEEDS + 64
    for p in range(width):
        room += codes_of[p] if codes_of[p] > 0 else codes.shape[0]
    stack = np.empty((room, 2), dtype=np.int64)
    bounds = np.empty(room)
    near, who = np.empty(4), np.empty(2, dtype=np.int64)
    mine, sums = np.empty(64, dtype=np.int64), np.empty(64)
    tied = np.empty(max(64, which.size), dtype=np.int64)
    extra = np.empty(prefix)  # what disagreeing on an attribute of the prefix costs at least, beyond agreeing
    smallest = np.empty(4)
    query = np.empty(width, dtype=np.int32)
    row, origin = np.empty(width, dtype=np.int64), np.empty(width, dtype=np.int64)
    total = 0
    for question in range(which.size):
        heed_stop()
        k = which[question]
        for e in range(queries.shape[1]):
            query[e] = queries[k, e]
            row[e] = table[e] + np.int64(query[e]) * codes_of[e]
            origin[e] = 0 if codes_of[e] > 0 else query[e]
        near[:] = np.inf
        who[0], who[1] = -1, 0
        agreeing, skip = 0.0, 0
        key = np.uint64(0)
        for p in range(prefix):
            own = query[p]
            nobody = 0 < codes_of[p] <= own
            term = np.inf if nobody else terms[row[p] + abs(own - origin[p])]
            agreeing += term
            extra[p] = gaps[p, own] - term
            key |= np.uint64(own) << np.uint64(shift[p])
        if agreeing < np.inf:  # otherwise the query has a code that nobody can agree with
            skip = stages.size - 1
        for stage in range(skip):
            top = 0
            for index in range(stages[stage], stages[stage + 1]):
                bound = agreeing
                for j in range(stage):
                    bound += extra[apart[index, j]]
                if bound * _SLACK > near[2]:
                    continue
                cell = first_cell(keys, key, masks[index], cells[index])
                while cell >= 0:
                    t, new = agreeing, True
                    for j in range(stage):
                        p = apart[index, j]
                        code = codes[starts[cell_level + cell], p]
                        t += terms[row[p] + abs(code - origin[p])] - terms[row[p] + abs(query[p] - origin[p])]
                        new = new and code != query[p]  # a cell that agrees here was met at an earlier stage
                    if new and t < np.inf and t * _SLACK <= near[2]:
                        stack[top, 0], stack[top, 1], bounds[top] = cell_level + cell, prefix, t
                        top += 1
                        if top == _SEEDS:
                            mine, sums = _descend(codes, ids, several, starts, children, levels, terms, row,
                                                  origin, gaps, order, largest, query, 0, prefix, stack, bounds, top,
                                                  second_too, near, who, mine, sums)  # fmt: skip
                            top = 0
                    cell = following[index, cell]
            if top > 0:
                mine, sums = _descend(codes, ids, several, starts, children, levels, terms, row, origin, gaps,
                                      order, largest, query, 0, prefix, stack, bounds, top, second_too, near,
                                      who, mine, sums)  # fmt: skip
        if skip == 0 or (agreeing + _least_sum(extra, skip, smallest)) * _SLACK <= near[2]:
            if not through:
                counts[k] = -1
                continue
            stack[0, 0], stack[0, 1], bounds[0] = -1, 0, 0.0
            mine, sums = _descend(codes, ids, several, starts, children, levels, terms, row, origin, gaps,
                                  order, largest, query, skip, prefix, stack, bounds, 1, second_too, near, who,
                                  mine, sums)  # fmt: skip
        n_ties = who[1]
        put_in_order(mine, n_ties)
        if total + n_ties > tied.size:
            tied = enlarged(tied, total, total + n_ties)
        for e in range(n_ties):
            tied[total + e] = mine[e]
        total += n_ties
        counts[k] = n_ties
        best[k], score[k] = (mine[0], near[0]) if n_ties > 0 else (-1, np.inf)
        second[k], second_score[k] = (mine[1], near[0]) if n_ties > 1 else (who[0], near[1])
    return tied[:total].copy()
