"""Nearest and second-nearest records of mixed attributes in a k-d tree that also splits by category.

A node's rows lie in a range of values on every attribute (categories: a range of codes); the distance of a query to the
range is a lower bound. Attributes contribute to a distance by their terms: squared differences, absolute differences or
table entries, summed, or the largest of them. Sums of squares of numbers alone are searched in `block_tree`.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.linking.nearest_list import enter, lengthened
from discreet.kernels.linking.tied_rows import enlarged, put_in_order
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["build", "halve", "leaf_of", "search", "spread"]

_SAMPLE = 48


@exact_kernel
def spread(
    column: FloatArray,  # IN (n,) float64, an attribute
    rows: IntArray,  # IN (n,) int64
    low: int,  # IN which of them
    high: int,
    terms: FloatArray,  # IN its table of terms, or its steps
    codes: int,  # IN the number of its codes, 0 where terms go by how far codes are apart, −1 for a number
) -> float:
    """Return the mean term of two rows, from a sample at even steps: what splitting by the attribute can save."""
    size = high - low
    step = max(1, size // _SAMPLE)
    total, pairs = 0.0, 0
    previous = column[rows[low]]
    for i in range(low + step, high, step):
        value = column[rows[i]]
        if codes > 0:
            # A row is for a code of a query, of which there may be fewer.
            row = min(int(previous), terms.size // codes - 1)
            total += min(terms[row * codes + int(value)], 1e9)
        elif codes == 0:
            total += min(terms[abs(int(previous) - int(value))], 1e9)
        else:
            total += (value - previous) * (value - previous)
        pairs += 1
        previous = value
    return total / max(pairs, 1)


@exact_kernel
def halve(
    column: FloatArray,  # IN as above
    rows: IntArray,  # IN/OUT
    low: int,  # IN
    high: int,
    middle: int,  # IN
) -> None:
    """Put rows into such an order that nothing before `middle` is larger than anything from there on."""
    left, right = low, high - 1
    while left < right:
        a, b, c = column[rows[left]], column[rows[(left + right) // 2]], column[rows[right]]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = left, right
        while i <= j:
            while column[rows[i]] < pivot:
                i += 1
            while column[rows[j]] > pivot:
                j -= 1
            if i <= j:
                rows[i], rows[j] = rows[j], rows[i]
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return


@exact_kernel
def build(
    columns: FloatArray,  # IN (attributes, n) float64, categories as codes, before the numbers
    terms: FloatArray,  # IN (all,) float64, tables of terms, one after the other, a row for a code of a query; or steps
    table: IntArray,  # IN (attributes + 1,) int64, where the table of an attribute starts; of a number, an empty one
    codes_of: IntArray,  # IN (categories,) int64, the number of codes; 0 where terms never fall with their difference
    leaf: int,  # IN the most rows of a leaf
    rows: IntArray,  # OUT (n,) int64, the rows in the order of the leaves
    attribute: IntArray,  # OUT (nodes,) int64, what a node splits by, −1 in a leaf
    child: IntArray,  # OUT (nodes, 2) int64, its children; in a leaf its first row and past its last
    ranges: FloatArray,  # OUT (nodes, 4) float64, lowest and highest value of the left and of the right child
) -> int:
    """Build the tree and return its number of nodes; at most ``2 n / (leaf / 2) + 1``, O(n log n) time."""
    dims, n = columns.shape
    categories = codes_of.size
    for i in range(n):
        rows[i] = i
    stack = np.empty((128, 3), dtype=np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, n
    top, nodes = 1, 1
    while top > 0:
        heed_stop()
        top -= 1
        node, low, high = stack[top, 0], stack[top, 1], stack[top, 2]
        attribute[node] = -1
        child[node, 0], child[node, 1] = low, high
        if high - low <= leaf:
            continue
        widest, by = 0.0, -1
        for p in range(dims):
            codes = codes_of[p] if p < categories else -1
            width = spread(columns[p], rows, low, high, terms[table[p] : table[p + 1]], codes)
            if width > widest:
                widest, by = width, p
        if by < 0:
            # The sample saw no difference: take any attribute that has one.
            for p in range(dims):
                for i in range(low + 1, high):
                    if columns[p, rows[i]] != columns[p, rows[low]]:
                        by = p
                        break
                if by >= 0:
                    break
            if by < 0:
                continue
        column = columns[by]
        middle = (low + high) // 2
        halve(column, rows, low, high, middle)
        if by < categories:
            # A code goes to one side as a whole: the cut moves to the nearer end of the middle code's run.
            code = column[rows[middle]]
            below, above = low, high - 1
            i = low
            while i <= above:
                value = column[rows[i]]
                if value < code:
                    rows[i], rows[below] = rows[below], rows[i]
                    below += 1
                    i += 1
                elif value > code:
                    rows[i], rows[above] = rows[above], rows[i]
                    above -= 1
                else:
                    i += 1
            after = above + 1
            middle = below if below > low and (middle - below <= after - middle or after == high) else after
        if not low < middle < high:
            continue
        for side in range(2):
            first, past = (low, middle) if side == 0 else (middle, high)
            smallest = largest = column[rows[first]]
            for i in range(first + 1, past):
                value = column[rows[i]]
                smallest, largest = min(smallest, value), max(largest, value)
            ranges[node, 2 * side], ranges[node, 2 * side + 1] = smallest, largest
        attribute[node] = by
        child[node, 0], child[node, 1] = nodes, nodes + 1
        stack[top, 0], stack[top, 1], stack[top, 2] = nodes + 1, middle, high
        stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = nodes, low, middle
        top += 2
        nodes += 2
    return nodes


@exact_kernel
def _term(value: float, smallest: float, largest: float, terms: FloatArray, codes: int, metric: int) -> float:
    # The least term of the query's value to anything in the range, which for steps is the one to its nearer end.
    if codes > 0:
        least = np.inf
        row = int(value) * codes
        for code in range(int(smallest), int(largest) + 1):
            least = min(least, terms[row + code])
        return least
    gap = max(smallest - value, value - largest, 0.0)
    if codes == 0:
        return float(terms[int(gap)])
    return gap * gap if metric == 0 else gap


@exact_kernel
def leaf_of(
    queries: FloatArray,  # IN (n_b, attributes) float64
    terms: FloatArray,  # IN as above
    table: IntArray,
    codes_of: IntArray,
    attribute: IntArray,  # IN the tree
    child: IntArray,
    ranges: FloatArray,
    metric: int,  # IN 0 sum of squares, 1 sum of absolute differences, 2 largest difference
    leaves: IntArray,  # OUT (n_b,) int64
) -> None:
    """Find the leaf that every query falls into: neighbours in this order share most of their way."""
    categories = codes_of.size
    for k in range(queries.shape[0]):
        node = 0
        while attribute[node] >= 0:
            p = attribute[node]
            t = terms[table[p] : table[p + 1]]
            codes = codes_of[p] if p < categories else -1
            value = queries[k, p]
            left = _term(value, ranges[node, 0], ranges[node, 1], t, codes, metric)
            right = _term(value, ranges[node, 2], ranges[node, 3], t, codes, metric)
            node = child[node, 0] if left <= right else child[node, 1]
        leaves[k] = child[node, 0]


@exact_kernel
def _terms_of(
    columns: FloatArray, start: int, stop: int, query: FloatArray, terms: FloatArray, table: IntArray,
    codes_of: IntArray, metric: int, bar: float, d: FloatArray,
) -> bool:  # fmt: skip
    # The distances of a query to some rows, attribute by attribute; false once all of them are beyond the bar, which
    # further terms cannot change, for none is negative.
    size, categories = stop - start, codes_of.size
    d[:] = 0.0
    for p in range(columns.shape[0]):
        value = query[p]
        x = columns[p, start:stop]
        if p < categories and codes_of[p] == 0:
            steps, own = terms[table[p] : table[p + 1]], int(value)
            for i in range(size):
                term = steps[abs(int(x[i]) - own)]
                d[i] = max(d[i], term) if metric == 2 else d[i] + term
        elif p < categories:
            row = terms[table[p] + int(value) * codes_of[p] : table[p] + (int(value) + 1) * codes_of[p]]
            if metric == 2:
                for i in range(size):
                    d[i] = max(d[i], row[int(x[i])])
            else:
                for i in range(size):
                    d[i] += row[int(x[i])]
        elif metric == 0:
            for i in range(size):
                gap = x[i] - value
                d[i] += gap * gap
        elif metric == 1:
            for i in range(size):
                d[i] += abs(x[i] - value)
        else:
            for i in range(size):
                d[i] = max(d[i], abs(x[i] - value))
        if p % 3 == 2:
            near = 0
            for i in range(size):
                near += d[i] <= bar
            if near == 0:
                return False
    return True


@exact_kernel
def search(
    columns: FloatArray,  # IN (attributes, n) float64, in the order of the leaves
    ids: IntArray,  # IN (n,) int64, the class of every row
    sizes: IntArray,  # IN (n,) int64, its number of records
    terms: FloatArray,  # IN as above
    table: IntArray,
    codes_of: IntArray,
    attribute: IntArray,  # IN the tree
    child: IntArray,
    ranges: FloatArray,
    metric: int,  # IN as above
    queries: FloatArray,  # IN (n_b, attributes) float64
    which: IntArray,  # IN (m,) int64, the queries to answer, in a good order
    lowest: FloatArray,  # IN (n_b or 0, numbers) float64, the least possible value of A for a query; no rows: any
    highest: FloatArray,  # IN the same, the largest
    slack: FloatArray,  # IN (n_b,) float64, what rounding of coordinates explains of a query's distances
    second_too: bool,  # IN whether the second nearest is looked for; if not, it is whoever was met
    best: IntArray,  # OUT (n_b,) int64, class, lowest on ties, −1 if everything is infinitely far
    score: FloatArray,  # OUT (n_b,) float64
    second: IntArray,  # OUT (n_b,) int64, another class
    second_score: FloatArray,  # OUT (n_b,) float64
    counts: IntArray,  # OUT (n_b,) int64, classes at the best distance
) -> IntArray:
    """Answer queries exactly and return the classes tied with the best, rising, query after query.

    Tied is what is no farther than the nearest by more than rounding can explain. A class of several records is its own
    second nearest as far as pruning goes. Depth first, nearer child first; a child is skipped only if it is farther
    than the second nearest, or than what is tied, for sure.
    """
    dims = columns.shape[0]
    categories = codes_of.size
    # On the stack: a node, its bound, how long the way to its parent is, and the term by which it differs from it. On
    # the way: what a step changed of the terms of the ranges, so that it can be gone back.
    stack = np.empty((256, 3), dtype=np.int64)
    bounds, terms_of_far = np.empty(256), np.empty(256)
    way, before = np.empty(512, dtype=np.int64), np.empty(512)
    now = np.empty(dims)
    distance = np.empty(min(4096, columns.shape[1]))
    mine, sums = np.empty(64, dtype=np.int64), np.empty(64)
    near_by, who = np.empty(4), np.empty(2, dtype=np.int64)
    tied = np.empty(max(64, which.size), dtype=np.int64)
    tied_end = 0
    for q in range(which.size):
        heed_stop()
        k = which[q]
        near_by[:] = np.inf
        who[0], who[1] = -1, 0
        bar = np.inf
        stack[0, 0], stack[0, 1], stack[0, 2], bounds[0] = 0, 0, -1, 0.0
        now[:] = 0.0
        top, steps = 1, 0
        while top > 0:
            top -= 1
            total = bounds[top]
            if total * 0.999999999999 > bar:
                continue
            node = stack[top, 0]
            while steps > stack[top, 1]:
                steps -= 1
                now[way[steps]] = before[steps]
            changed = stack[top, 2]
            if changed >= 0:
                way[steps], before[steps] = changed, now[changed]
                steps += 1
                now[changed] = terms_of_far[top]
            while node >= 0 and attribute[node] >= 0:
                p = attribute[node]
                value = queries[k, p]
                if p < categories:
                    t = terms[table[p] : table[p + 1]]
                    left = _term(value, ranges[node, 0], ranges[node, 1], t, codes_of[p], metric)
                    right = _term(value, ranges[node, 2], ranges[node, 3], t, codes_of[p], metric)
                else:
                    left = max(ranges[node, 0] - value, value - ranges[node, 1], 0.0)
                    right = max(ranges[node, 2] - value, value - ranges[node, 3], 0.0)
                    if metric == 0:
                        left *= left
                        right *= right
                near, far = child[node, 0], child[node, 1]
                if right < left:
                    near, far = far, near
                    left, right = right, left
                beyond = max(total, right) if metric == 2 else total - now[p] + right
                if beyond < np.inf and beyond * 0.999999999999 <= bar:
                    stack[top, 0], stack[top, 1], stack[top, 2] = far, steps, p
                    bounds[top], terms_of_far[top] = beyond, right
                    top += 1
                total = max(total, left) if metric == 2 else total - now[p] + left
                way[steps], before[steps] = p, now[p]
                steps += 1
                now[p] = left
                node = near if total < np.inf and total * 0.999999999999 <= bar else -1
            if node < 0:
                continue
            for start in range(child[node, 0], child[node, 1], distance.size):
                stop = min(start + distance.size, child[node, 1])
                size = stop - start
                d = distance[:size]
                if not _terms_of(columns, start, stop, queries[k], terms, table, codes_of, metric, bar, d):
                    continue
                for i in range(size):
                    if d[i] > bar or d[i] == np.inf:
                        continue
                    if lowest.shape[0] > 0:
                        possible = True
                        for p in range(categories, dims):
                            j = p - categories
                            possible = possible and lowest[k, j] <= columns[p, start + i] <= highest[k, j]
                        if not possible:
                            continue
                    if who[1] == mine.size:
                        mine = enlarged(mine, mine.size, mine.size)
                        sums = lengthened(sums, mine.size)
                    enter(ids[start + i], d[i], sizes[start + i] > 1, slack[k], metric == 0, second_too, near_by, who,
                          mine, sums)  # fmt: skip
                    bar = near_by[2]
        n_ties = who[1]
        put_in_order(mine, n_ties)
        if tied_end + n_ties > tied.size:
            tied = enlarged(tied, tied_end, tied_end + n_ties)
        for e in range(n_ties):
            tied[tied_end + e] = mine[e]
        tied_end += n_ties
        counts[k] = n_ties
        best[k], score[k] = (mine[0], near_by[0]) if n_ties > 0 else (-1, np.inf)
        second[k], second_score[k] = (mine[1], near_by[0]) if n_ties > 1 else (who[0], near_by[1])
    return tied[:tied_end].copy()
