"""Nearest and second-nearest records of categories by branch and bound in a prefix tree of distinct records.

Rows are sorted by their codes, one attribute after the other; a node is a run of rows with a common prefix. The terms
of the prefix alone are a lower bound, so whole branches fall away once two near records are known.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["nearest_in_tree", "prefixes"]

_FEW = 4  # rows that are compared one by one rather than branched on


@exact_kernel
def prefixes(
    codes: CodeArray,  # IN (n, attributes) int32, distinct rows in rising order
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
def nearest_in_tree(
    codes: CodeArray,  # IN (n, attributes) int32, distinct rows in rising order
    ids: IntArray,  # IN (n,) int64, the class of every row
    sizes: IntArray,  # IN (n,) int64, its number of records
    starts: CodeArray,  # IN the tree
    children: CodeArray,
    levels: IntArray,
    terms: FloatArray,  # IN (all,) float64, the tables of terms, one after the other, a row for a query's code
    table: IntArray,  # IN (attributes,) int64, where the table of an attribute starts
    codes_of: IntArray,  # IN (attributes,) int64, its number of codes
    gaps: FloatArray,  # IN (attributes, levels) float64, the least term of a query's code to any other code
    order: IntArray,  # IN (attributes,) int64, the sequence in which terms are added to a final distance
    largest: bool,  # IN whether a distance is the largest term, not the sum
    queries: CodeArray,  # IN (n_b, attributes) int32
    which: IntArray,  # IN (m,) int64, the queries to answer, in a good order
    best: IntArray,  # OUT (n_b,) int64, class, lowest on ties, −1 if everything is infinitely far
    score: FloatArray,  # OUT (n_b,) float64
    second: IntArray,  # OUT (n_b,) int64, another class
    second_score: FloatArray,  # OUT (n_b,) float64
    counts: IntArray,  # OUT (n_b,) int64, classes at the best distance
) -> IntArray:
    """Answer queries exactly and return the classes tied with the best, rising, query after query."""
    n, width = codes.shape
    room = 64 + codes_of.sum()
    stack = np.empty((room, 2), dtype=np.int64)
    bounds = np.empty(room)
    mine = np.empty(64, dtype=np.int64)
    tied = np.empty(max(64, which.size), dtype=np.int64)
    used = 0
    for question in range(which.size):
        k = which[question]
        first, other = -1, -1
        d1, d2, bar = np.inf, np.inf, np.inf
        found = 0
        stack[0, 0], stack[0, 1], bounds[0] = -1, 0, 0.0
        top = 1
        while top > 0:
            top -= 1
            total = bounds[top]
            # Sums are taken in another sequence than the final distance: rounding must not cut a tie off.
            if total * 0.999999999999 > bar:
                continue
            node, p = stack[top, 0], stack[top, 1]
            low, high = 0, n
            if node >= 0:
                low = starts[node]
                high = n if node + 1 == levels[p] else starts[node + 1]
            if p < width and high - low > _FEW:
                begin = levels[0] if node < 0 else children[node]
                end = levels[p + 1] if (node < 0 or node + 1 == levels[p]) else children[node + 1]
                own = queries[k, p]
                row = table[p] + own * codes_of[p]
                t = max(total, gaps[p, own]) if largest else total + gaps[p, own]
                if t * 0.999999999999 > bar:
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
                    term = terms[row + codes[starts[child], p]]
                    t = max(total, term) if largest else total + term
                    if t < np.inf and t * 0.999999999999 <= bar:
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
                    term = terms[table[q] + queries[k, q] * codes_of[q] + codes[i, q]]
                    d = max(d, term) if largest else d + term
                    if d * 0.999999999999 > d2:
                        break
                if d * 0.999999999999 > d2 or d == np.inf:
                    continue
                d = 0.0
                for j in range(width):
                    q = order[j]
                    term = terms[table[q] + queries[k, q] * codes_of[q] + codes[i, q]]
                    d = max(d, term) if largest else d + term
                if d > d2:
                    continue
                c = ids[i]
                if d < d1:
                    other, d2 = first, d1
                    for j in range(found):
                        other = min(other, mine[j])
                    first, d1 = c, d
                    mine[0] = c
                    found = 1
                    bar = d1 if sizes[i] > 1 else d2
                elif d == d1:
                    if found == mine.size:
                        longer = np.empty(2 * found, dtype=np.int64)
                        longer[:found] = mine
                        mine = longer
                    mine[found] = c
                    found += 1
                    bar = d1
                elif d < d2 or c < other:
                    other, d2 = c, d
                    bar = min(bar, d2)
        ties = np.sort(mine[:found])
        if used + found > tied.size:
            more = np.empty(2 * (used + found), dtype=np.int64)
            more[:used] = tied[:used]
            tied = more
        tied[used : used + found] = ties
        used += found
        counts[k] = found
        best[k], score[k] = (ties[0], d1) if found > 0 else (-1, np.inf)
        second[k], second_score[k] = (ties[1], d1) if found > 1 else (other, d2)
    return tied[:used].copy()
