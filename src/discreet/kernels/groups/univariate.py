"""Microaggregation of one attribute: groups are runs of the sorted values.

The optimal partition is a shortest path (Hansen & Mukherjee 2003): f(j) = min over i of f(i) + cost(i, j), where the
run i … j−1 has k to 2k−1 records, because a longer run can be split without loss. Any k consecutive rows j need only
values f(i) that are already known, and the costs of sorted values obey the quadrangle inequality, so these rows form a
totally monotone matrix with 2k−1 columns: its row minima are found in O(k) (SMAWK), all of them in O(n).

Costs are computed from sums that are local to 3k consecutive values and centred there; f is kept relative to the best
value in the window. So neither an offset of 1e9, nor ten million crowded values, nor one outlier blurs a comparison.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["fixed_runs", "optimal_runs", "sorted_order", "sorted_values"]

# Up to this k the plain recursion over k candidates is faster than the matrix search.
PLAIN_UP_TO = 48
_ENDS = 128  # ends of runs whose costs are found together, as many as stay in the processor's cache
# From this size the linear sort is faster than the comparing one.
RADIX_FROM = 10_000
_INSERTED = 64  # neighbours that are sorted by insertion
_MOST_SHORT = 2**31  # positions that fit into four bytes, which are moved in less time than eight
# Beyond this power of two, sums of squares could overflow or vanish; the values are then scaled.
SAFE_EXPONENT = 400


@exact_kernel
def _grow(last: FloatArray, new: FloatArray, first: FloatArray, second: FloatArray) -> None:
    """Take one more value into each of many runs."""
    # IN  last, new (m,) float64: the last value of each run, and the one that it takes in
    # OUT first, second (≥ m,) float64: the sum of its gaps from the last value, and that of their squares
    for e in range(new.size):
        gap = last[e] - new[e]
        first[e] += gap
        second[e] += gap * gap


@exact_kernel
def _weigh(first: FloatArray, second: FloatArray, share: float, costs: FloatArray) -> None:
    """Write the squares about the mean of many runs of one length."""
    for e in range(costs.size):
        costs[e] = max(second[e] - first[e] * first[e] * share, 0.0)


@exact_kernel
def _follow(start: int, ends: int, k: int, costs: FloatArray, best: FloatArray, path: NDArray[np.int32]) -> None:
    """Find the best last run for some ends, one after the other."""
    # IN  start, ends: where the first of them is, and how many; costs (k, ≥ ends) float64, of runs of k, k + 1 …
    # OUT best (n+1,) float64, path (n+1,) int32, for these ends
    one = np.uint64(1)
    rebase = -start % (2 * k)
    for e in range(ends):
        # Positions without a sign: the loop is half as long where none has to be looked at for counting from the end.
        j = np.uint64(start + e)
        if rebase == 0:
            rebase = 2 * k
            least = np.inf
            i = j - np.uint64(2 * k - 1)
            while i < j:
                least = min(least, best[i])
                i += one
            i = j - np.uint64(2 * k - 1)
            while i < j:
                best[i] -= least
                i += one
        rebase -= 1
        value, longer = np.inf, 0
        i = j - np.uint64(k)
        for m in range(min(k, start + e - k + 1)):
            total = best[i] + costs[m, e]
            i -= one
            # Which run is best cannot be foretold, so it is chosen without a branch.
            less = total < value
            value = total if less else value
            longer = m if less else longer
        best[j] = value
        path[j] = k + longer


@exact_kernel
def _plain(values: FloatArray, k: int, path: NDArray[np.int32]) -> None:
    """Least squares with equal weights, every run grown backwards from its end; O(nk), and the quickest for small k."""
    # IN  values (n,) float64, sorted
    # OUT path (n+1,) int32, length of the last run of the best partition of the first j values
    n = values.size
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    first, second, costs = np.empty(_ENDS), np.empty(_ENDS), np.empty((k, _ENDS))
    for start in range(k, n + 1, _ENDS):
        heed_stop()
        ends = min(_ENDS, n + 1 - start)
        # What runs cost waits for nothing, and is found for many ends at a time.
        for e in range(ends):
            first[e], second[e] = 0.0, 0.0
        for m in range(1, 2 * k):
            short = max(m - start, 0)  # ends before which there are too few values; none asks for their cost
            if short < ends:
                _grow(
                    values[start + short - 1 : start + ends - 1], values[start + short - m : start + ends - m],
                    first[short:], second[short:],
                )  # fmt: skip
            if m >= k:
                _weigh(first, second, 1.0 / m, costs[m - k])
        _follow(start, ends, k, costs, best, path)


@exact_kernel
def _cost(i: int, j: int, absolute: bool, mass: FloatArray, first: FloatArray, second: FloatArray) -> float:
    """Cost of the run i … j−1 of a window, from the window's prefix sums."""
    weight = mass[j] - mass[i]
    if weight <= 0.0:
        return 0.0
    if not absolute:
        total = first[j] - first[i]
        return float(max(second[j] - second[i] - total * total / weight, 0.0))
    half = 0.5 * (mass[i] + mass[j])
    low, high = i, j - 1
    while low < high:
        middle = (low + high) >> 1
        if mass[middle + 1] >= half:
            high = middle
        else:
            low = middle + 1
    # `second` holds the values: Σ w|x − median| on either side of it.
    median = second[low]
    below = median * (mass[low] - mass[i]) - (first[low] - first[i])
    above = (first[j] - first[low]) - median * (mass[j] - mass[low])
    return float(max(below + above, 0.0))


@exact_kernel
def _entry(
    row: int,
    column: int,
    k: int,
    absolute: bool,
    mass: FloatArray,
    first: FloatArray,
    second: FloatArray,
    best: FloatArray,
) -> float:
    """Matrix entry: path to ``column``, then one run up to ``row``; infinite if the run is too short or long."""
    if column > row - k or column <= row - 2 * k or best[column] == np.inf:
        return np.inf
    return float(best[column]) + _cost(column, row, absolute, mass, first, second)


@exact_kernel
def _row_minima(
    top: int,
    rows: int,
    columns: int,
    k: int,
    absolute: bool,
    mass: FloatArray,
    first: FloatArray,
    second: FloatArray,
    best: FloatArray,
    survivors: IntArray,
    counts: IntArray,
    answer: IntArray,
) -> None:
    """Find the column of the least entry in rows top … top+rows−1 (SMAWK, without recursion)."""
    # OUT answer (≥ rows,) int64; survivors (levels, ≥ columns), counts (levels,) int64 scratch
    level, start, stride, number = 0, 0, 1, rows
    count = columns
    while True:
        # Keep at most as many columns as there are rows on this level; a dropped column is nowhere the minimum.
        size = 0
        for c in range(count):
            column = c if level == 0 else survivors[level - 1, c]
            while size > 0:
                row = top + start + (size - 1) * stride
                old = _entry(row, survivors[level, size - 1], k, absolute, mass, first, second, best)
                new = _entry(row, column, k, absolute, mass, first, second, best)
                # An infinite entry right of the staircase must never push out a column on its left.
                if new < old or (old == np.inf and column <= row - k):
                    size -= 1
                else:
                    break
            if size < number:
                survivors[level, size] = column
                size += 1
        counts[level] = size
        count = size
        if number == 1:
            break
        start += stride
        stride *= 2
        number //= 2
        level += 1
    answer[start] = survivors[level, 0]
    while level > 0:
        level -= 1
        stride //= 2
        start -= stride
        number = (rows - start + stride - 1) // stride
        p = 0
        for t in range(0, number, 2):
            row = start + t * stride
            last = survivors[level, counts[level] - 1]
            if t + 1 < number:
                last = answer[row + stride]
            least, where = np.inf, survivors[level, p]
            while True:
                column = survivors[level, p]
                value = _entry(top + row, column, k, absolute, mass, first, second, best)
                if value < least:
                    least, where = value, column
                if column >= last or p + 1 >= counts[level]:
                    break
                p += 1
            answer[row] = where


@exact_kernel
def _scanned_minima(
    top: int,
    rows: int,
    columns: int,
    k: int,
    absolute: bool,
    mass: FloatArray,
    first: FloatArray,
    second: FloatArray,
    best: FloatArray,
    answer: IntArray,
) -> None:
    """Do the same by looking at all entries."""
    for r in range(rows):
        least = np.inf
        answer[r] = max(0, top + r - 2 * k + 1)
        for column in range(answer[r], min(columns, top + r - k + 1)):
            value = _entry(top + r, column, k, absolute, mass, first, second, best)
            if value < least:
                least = value
                answer[r] = column


@exact_kernel
def _searched(values: FloatArray, weights: FloatArray, k: int, absolute: bool, path: NDArray[np.int32]) -> None:
    """Any cost by matrix search, k rows at a time; O(n), with a factor log k for the weighted median."""
    # IN  values (n,) float64, sorted; weights (n,) or (1,) float64, where (1,) stands for equal weights; absolute bool
    # OUT path (n+1,) int32, length of the last run of the best partition of the first j values
    n = values.size
    equal = weights.size == 1
    window = 3 * k + 1
    mass, first, second = np.empty(window), np.empty(window), np.empty(window)
    best = np.full(window, np.inf)
    survivors = np.empty((64, 2 * k), np.int64)
    counts = np.empty(64, np.int64)
    answer = np.empty(k, np.int64)
    past = np.full(2 * k, np.inf)  # f of the 2k−1 positions before the block, the last one at the end
    past[2 * k - 1] = 0.0  # position 0
    prefix = 0
    while prefix < n:
        # Rows prefix+1 … prefix+rows; columns base … prefix, where best[0] belongs to position base.
        heed_stop()
        rows = min(k, n - prefix)
        base = max(0, prefix - 2 * k + 2)
        size = prefix + rows - base
        n_columns = prefix - base + 1
        least = np.inf
        for c in range(n_columns):
            best[c] = past[2 * k - n_columns + c]
            least = min(least, best[c])
        if least < np.inf:
            for c in range(n_columns):
                best[c] -= least
        centre = values[base + size // 2]
        mass[0], first[0], second[0] = 0.0, 0.0, 0.0
        for p in range(size):
            x = values[base + p] - centre
            w = 1.0 if equal else weights[base + p]
            mass[p + 1] = mass[p] + w
            first[p + 1] = first[p] + w * x
            if absolute:
                second[p] = x
            else:
                second[p + 1] = second[p] + w * x * x
        if k <= PLAIN_UP_TO:
            _scanned_minima(n_columns, rows, n_columns, k, absolute, mass, first, second, best, answer)
        else:
            _row_minima(n_columns, rows, n_columns, k, absolute, mass, first, second, best, survivors, counts, answer)
        for r in range(rows):
            row = n_columns + r
            best[row] = _entry(row, answer[r], k, absolute, mass, first, second, best)
            path[base + row] = row - answer[r]
        for c in range(2 * k):
            q = n_columns + rows - 2 * k + c
            past[c] = best[q] if q >= 0 else np.inf
        prefix += rows


@exact_kernel
def _write(order: IntArray, path: NDArray[np.int32], labels: IntArray) -> int:
    """Follow the path from its end and number the runs from the lowest values."""
    # IN  order (n,) int64; path (n+1,) int32
    # OUT labels (n,) int64; returns the number of runs
    groups = 0
    j = order.size
    while j > 0:
        groups += 1
        j -= path[j]
    g = groups
    j = order.size
    while j > 0:
        g -= 1
        for p in range(j - path[j], j):
            labels[order[p]] = g
        j -= path[j]
    return groups


@exact_kernel
def _sortable(bits: NDArray[np.uint64], keys: NDArray[np.uint64]) -> None:
    """Turn the bits of floats into integers of the same order: flip the sign bit, or all bits of a negative number."""
    # IN  bits (n,) uint64
    # OUT keys (n,) uint64
    sign = np.uint64(1 << 63)
    for i in range(bits.size):
        if bits[i] & sign:
            # −0.0 is 0.0, or equal values would not keep their order.
            keys[i] = ~bits[i] if bits[i] != sign else sign
        else:
            keys[i] = bits[i] | sign


@exact_kernel
def _radix_sort(
    keys: NDArray[np.uint64], order: CodeArray, other_keys: NDArray[np.uint64], other_order: CodeArray
) -> CodeArray:
    """Stable sort of 64-bit keys, 13 bits a pass; returns the array that holds the order."""
    # IN  keys (n,) uint64
    # OUT order (n,) int32, moved along; the other two are buffers
    n = keys.size
    counts = np.zeros((5, 8192), np.int64)
    for i in range(n):
        for p in range(5):
            counts[p, (keys[i] >> np.uint64(13 * p)) & np.uint64(8191)] += 1
    for p in range(5):
        total, most = 0, 0
        for digit in range(8192):
            count = counts[p, digit]
            counts[p, digit] = total
            total += count
            most = max(most, count)
        if most == n:
            continue
        for i in range(n):
            digit = (keys[i] >> np.uint64(13 * p)) & np.uint64(8191)
            q = counts[p, digit]
            counts[p, digit] = q + 1
            other_keys[q] = keys[i]
            other_order[q] = order[i]
        keys, other_keys = other_keys, keys
        order, other_order = other_order, order
    return order


@exact_kernel
def _leading_bits(bits: NDArray[np.uint64], packed: NDArray[np.uint64], counts: NDArray[np.int32]) -> bool:
    """Put the leading bits of what tells values apart before their position; returns whether these are all bits."""
    # IN  bits (n,) uint64, of floats
    # OUT packed (n,) uint64: 33 bits of the key less the smallest one, then the position; counts (3, 2048) int32
    sign = np.uint64(1 << 63)
    least, most = ~np.uint64(0), np.uint64(0)
    for i in range(bits.size):
        key = bits[i] | sign
        if bits[i] & sign:
            # −0.0 is 0.0, or equal values would not keep their order.
            key = ~bits[i] if bits[i] != sign else sign
        packed[i] = key
        least = min(least, key)
        most = max(most, key)
    shift = np.uint64(0)
    while (most - least) >> shift >= np.uint64(1 << 33):
        shift += np.uint64(1)
    low, middle, high = counts[0], counts[1], counts[2]
    for i in range(bits.size):
        key = (packed[i] - least) >> shift
        packed[i] = (key << np.uint64(31)) | np.uint64(i)
        low[key & np.uint64(2047)] += 1
        middle[(key >> np.uint64(11)) & np.uint64(2047)] += 1
        high[key >> np.uint64(22)] += 1
    return bool(shift == np.uint64(0))


@exact_kernel
def _leading_sort(
    packed: NDArray[np.uint64], counts: NDArray[np.int32], other: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Stable sort by the leading bits, 11 a pass; returns the array that holds the outcome."""
    # IN  packed (n,) uint64, counts (3, 2048) int32: of each digit; other is a buffer
    n = packed.size
    for p in range(3):
        total, largest = np.int32(0), np.int32(0)
        starts = counts[p]
        for digit in range(2048):
            count = starts[digit]
            starts[digit] = total
            total += count
            largest = max(largest, count)
        if largest == n:
            continue
        shift = np.uint64(31 + 11 * p)
        for i in range(n):
            one = packed[i]
            digit = (one >> shift) & np.uint64(2047)
            other[starts[digit]] = one
            starts[digit] += np.int32(1)
        packed, other = other, packed
    return packed


@exact_kernel
def _in_full_order(
    packed: NDArray[np.uint64], whole: bool, values: FloatArray, order: IntArray, ordered: FloatArray
) -> bool:
    """Unpack the order, and sort those by value whose leading bits agree; returns whether these were few.

    Who is put in order here are neighbours in a stable order, and equal values never pass each other.
    """
    # IN  packed (n,) uint64, sorted; whole: the leading bits are all; values (n,) float64
    # OUT order (n,) int64, ordered (n,) float64: the values in this order
    position = np.uint64((1 << 31) - 1)
    for p in range(packed.size):
        i = np.int64(packed[p] & position)
        order[p] = i
        ordered[p] = values[i]
    if whole:
        return True
    start = 0
    for p in range(1, packed.size):
        if (packed[p] ^ packed[p - 1]) >> np.uint64(31):
            start = p
        elif ordered[p] < ordered[p - 1]:
            if p - start >= _INSERTED:
                return False
            value, i, q = ordered[p], order[p], p
            while q > start and ordered[q - 1] > value:
                ordered[q], order[q] = ordered[q - 1], order[q - 1]
                q -= 1
            ordered[q], order[q] = value, i
    return True


def sorted_order(values: FloatArray) -> IntArray:
    """Sort records by value, equal values by index; linear time for many records.

    Examples
    --------
    >>> sorted_order(np.array([2.0, -1.0, 2.0, -0.0, 0.0])).tolist()
    [1, 3, 4, 0, 2]
    """
    return sorted_values(values)[0]


def sorted_values(values: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the order of :func:`sorted_order`, and the values in it.

    Many records are sorted by the 33 leading bits of what tells their values apart, three passes over eight bytes each,
    and the few whose bits agree by insertion. Where these are many (one outlier beside a crowd), by all bits.
    """
    n = values.size
    if n < RADIX_FROM:
        order: Any = np.argsort(values, kind="stable")
        return order, values[order]
    bits = np.ascontiguousarray(values).view(np.uint64)
    keys, other = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    if n < _MOST_SHORT:
        counts = np.zeros((3, 2048), dtype=np.int32)
        whole = _leading_bits(bits, keys, counts)
        packed = _leading_sort(keys, counts, other)
        positions, ordered = np.empty(n, dtype=np.int64), np.empty(n)
        if _in_full_order(packed, whole, values, positions, ordered):
            return positions, ordered
    _sortable(bits, keys)
    order = np.arange(n, dtype=np.int32 if n < _MOST_SHORT else np.int64)
    order = np.asarray(_radix_sort(keys, order, other, np.empty_like(order)), dtype=np.int64)
    return order, values[order]


def optimal_runs(values: FloatArray, k: int, weights: FloatArray | None = None, *, absolute: bool = False) -> IntArray:
    """Form groups of k to 2k−1 records with the least squared (or absolute) deviations from their centre.

    Parameters
    ----------
    values : ndarray of shape (n,), float64
        Finite.
    k : int
        At least 1, at most n.
    weights : ndarray of shape (n,), float64, optional
        Not negative. They weigh the cost; ``k`` still counts records.
    absolute : bool
        Deviations from the weighted median instead of squares about the weighted mean.

    Returns
    -------
    ndarray of shape (n,), int64
        Labels 0 … g−1, from the lowest values to the highest.

    Notes
    -----
    Sorting takes O(n log n); the partition O(n) for any k (a factor log k with weights and ``absolute``). Memory is
    linear: the order, the sorted values and four bytes a record.

    References
    ----------
    Hansen & Mukherjee 2003, "A polynomial algorithm for optimal univariate microaggregation"; Aggarwal, Klawe, Moran,
    Shor & Wilber 1987, "Geometric applications of a matrix-searching algorithm".

    Examples
    --------
    >>> optimal_runs(np.array([9.0, 1.0, 2.0, 8.0, 10.0, 1.0, 2.5]), 3).tolist()
    [1, 0, 0, 1, 1, 0, 0]
    """
    order, ordered = sorted_values(values)
    exponent = int(np.frexp(max(abs(ordered[0]), abs(ordered[-1])))[1])
    if abs(exponent) > SAFE_EXPONENT:
        ordered = np.ldexp(ordered, -exponent)
    # A largest weight of 1 keeps the sums in range and changes no comparison.
    heaviest = 1.0 if weights is None else float(np.max(weights, initial=0.0)) or 1.0
    mass = np.ones(1) if weights is None else weights[order] / heaviest
    path = np.zeros(values.size + 1, dtype=np.int32)
    if weights is None and not absolute and k <= PLAIN_UP_TO:
        _plain(ordered, k, path)
    else:
        _searched(ordered, mass, k, absolute, path)
    labels = np.empty(values.size, dtype=np.int64)
    _write(order, path, labels)
    return labels


def fixed_runs(values: FloatArray, k: int) -> IntArray:
    """Form groups of k consecutive records in sorted order; the last takes what is left, fewer than 2k.

    Parameters
    ----------
    values : ndarray of shape (n,), float64
        Finite.
    k : int
        At least 1, at most n.

    Returns
    -------
    ndarray of shape (n,), int64
        Labels 0 … g−1, from the lowest values to the highest.

    Examples
    --------
    >>> fixed_runs(np.array([5.0, 1.0, 3.0, 2.0, 4.0]), 2).tolist()
    [1, 0, 1, 0, 1]
    """
    labels = np.empty(values.size, dtype=np.int64)
    labels[sorted_order(values)] = np.minimum(np.arange(values.size) // k, values.size // k - 1)
    return labels
