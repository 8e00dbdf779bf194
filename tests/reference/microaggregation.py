"""Slow, obvious twins of the microaggregation kernels."""

from __future__ import annotations

import itertools
import math

import numpy as np


def prepare(values):
    """Centre every column, then scale all of them by one power of two so that squares neither overflow nor vanish."""
    values = np.asarray(values, dtype=np.float64)
    largest = np.max(np.abs(values), initial=0.0)
    if largest == 0.0:
        return np.zeros_like(values)
    values = np.ldexp(values, -int(np.frexp(largest)[1]))
    centred = values - values.mean(axis=0)
    largest = np.max(np.abs(centred), initial=0.0)
    return np.ldexp(centred, -int(np.frexp(largest)[1])) if largest > 0.0 else centred


def on_lattices(points):
    """Write columns of equal steps, at most 2²⁰, as whole numbers of a step of 26 bits, about the middle one."""
    points = points.copy()
    for column in points.T:
        distinct = np.unique(column)
        for apart in range(1, 13) if len(distinct) > 1 else ():
            steps = np.rint((distinct[-1] - distinct[0]) / np.diff(distinct).min() * apart)
            if steps > 2**20:
                break
            step = (distinct[-1] - distinct[0]) / steps
            if all(abs(x - round(x)) <= 2.0**-28 for x in ((distinct - distinct[0]) / step).tolist()):
                mantissa, exponent = math.frexp(step)
                places = np.rint((column - distinct[0]) / step)
                column[:] = math.ldexp(round(mantissa * 2**26), exponent - 26) * (places - np.rint(places.mean()))
                break
    largest = np.max(np.abs(points), initial=0.0)
    return np.ldexp(points, -int(np.frexp(largest)[1])) if largest > 0.0 else points


def squared_distances(points, target):
    """Squared Euclidean distances, columns added from first to last."""
    total = np.zeros(len(points))
    for j in range(points.shape[1]):
        difference = points[:, j] - target[j]
        total = total + difference * difference
    return total


def fixed_point(points):
    """Integers whose sums are exact in any order, and the value of one unit."""
    bits = 62 - math.ceil(math.log2(len(points) + 1))
    return np.rint(np.ldexp(points, bits)).astype(np.int64), math.ldexp(1.0, -bits)


def plain_mdav(values, k):
    """MDAV by its definition: every centroid and every distance from scratch.

    Distances to a centroid, which is rounded, are equal where they differ by no more than rounding explains.
    """
    points = on_lattices(prepare(values))
    exact, unit = fixed_point(points)
    remaining = np.arange(len(points))
    labels = np.full(len(points), -1)
    group = 0

    def farthest(target):
        return remaining[np.argmax(squared_distances(points[remaining], target))]

    def centroid():
        return exact[remaining].sum(axis=0).astype(np.float64) * unit / len(remaining)

    def farthest_from_centroid():
        distances = squared_distances(points[remaining], centroid())
        most = distances.max()
        return remaining[np.argmax(distances >= most * (1 - 2.0**-44) - 2.0**-48 * math.sqrt(most))]

    def close(members):
        nonlocal remaining, group
        labels[members] = group
        group += 1
        remaining = np.setdiff1d(remaining, members)

    def nearest(record):
        distances = squared_distances(points[remaining], points[record])
        distances[remaining == record] = -1.0
        return remaining[np.argsort(distances, kind="stable")[:k]]

    while len(remaining) >= 3 * k:
        first = farthest_from_centroid()
        close(nearest(first))
        second = farthest(points[first])
        close(nearest(second))
    if len(remaining) >= 2 * k:
        close(nearest(farthest_from_centroid()))
    if len(remaining):
        close(remaining)
    return labels


def exact_mdav(integers, k, weights):
    """MDAV of integers without any rounding: Python's own integers, columns weighed, sums instead of centroids."""
    rows = [[int(x) for x in row] for row in integers]
    remaining, labels, group = list(range(len(rows))), np.full(len(rows), -1), 0

    def apart(x, y):
        return sum(w * (a - b) ** 2 for a, b, w in zip(x, y, weights, strict=True))

    def farthest_from_centroid():
        count, total = len(remaining), [sum(rows[i][j] for i in remaining) for j in range(len(weights))]
        return max(remaining, key=lambda i: (apart([count * x for x in rows[i]], total), -i))

    def close(record):
        nonlocal group
        order = sorted(remaining, key=lambda i: (i != record, apart(rows[i], rows[record]), i))
        labels[order[:k]] = group
        group += 1
        remaining[:] = sorted(order[k:])

    while len(remaining) >= 3 * k:
        first = farthest_from_centroid()
        close(first)
        close(max(remaining, key=lambda i: (apart(rows[i], rows[first]), -i)))
    if len(remaining) >= 2 * k:
        close(farthest_from_centroid())
    labels[remaining] = group
    return labels


def information_loss(values, labels):
    """100·SSE/SST."""
    values = values - values.mean(axis=0)
    within = sum(((values[labels == g] - values[labels == g].mean(axis=0)) ** 2).sum() for g in np.unique(labels))
    return 100.0 * within / (values**2).sum()


def run_cost(values, weights, *, absolute):
    """Weighted squares about the mean, or weighted absolute deviations from the median, of one group."""
    if weights.sum() == 0.0:
        return 0.0
    if absolute:
        order = np.argsort(values, kind="stable")
        cumulative = np.cumsum(weights[order])
        median = values[order][np.searchsorted(cumulative, cumulative[-1] / 2)]
        return float(np.sum(weights * np.abs(values - median)))
    mean = np.average(values, weights=weights)
    return float(np.sum(weights * (values - mean) ** 2))


def plain_optimal_cost(values, k, weights=None, *, absolute=False):
    """Least cost over all partitions of the sorted values into runs of at least k, every cost from scratch."""
    values = np.asarray(values, dtype=np.float64)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights)
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order]
    best = [0.0] + [math.inf] * len(values)
    for j in range(k, len(values) + 1):
        best[j] = min(best[i] + run_cost(values[i:j], weights[i:j], absolute=absolute) for i in range(j - k + 1))
    return best[-1]


def partition_cost(values, labels, weights=None, *, absolute=False):
    """Cost of a given partition of one attribute."""
    weights = np.ones(len(values)) if weights is None else weights
    return sum(run_cost(values[labels == g], weights[labels == g], absolute=absolute) for g in range(labels.max() + 1))


def plain_vmdav(values, k, gamma):
    """V-MDAV by its definition; the last records join the nearest centroid. Groups of 2k or more are not cut."""
    points = prepare(values)
    labels = np.full(len(points), -1)
    to_centroid = squared_distances(points, points.mean(axis=0))
    group = 0
    while np.sum(labels < 0) >= k:
        free = np.flatnonzero(labels < 0)
        first = free[np.argmax(to_centroid[free])]
        distances = squared_distances(points[free], points[first])
        distances[free == first] = -1.0
        labels[free[np.argsort(distances, kind="stable")[:k]]] = group
        while np.sum(labels == group) < 2 * k - 1 and np.any(labels < 0):
            free = np.flatnonzero(labels < 0)
            inside = np.min(
                [squared_distances(points[free], points[i]) for i in np.flatnonzero(labels == group)], axis=0
            )
            candidate = free[np.argmin(inside)]
            others = free[free != candidate]
            outside = np.min(squared_distances(points[others], points[candidate]), initial=math.inf)
            if not inside.min() < gamma * gamma * outside:
                break
            labels[candidate] = group
        group += 1
    free = np.flatnonzero(labels < 0)
    sums = np.zeros((group, points.shape[1]))
    np.add.at(sums, labels[labels >= 0], points[labels >= 0])
    centres = sums / np.bincount(labels[labels >= 0])[:, None]
    for i in free:
        labels[i] = np.argmin(squared_distances(centres, points[i]))
    return labels


def plain_path_cost(values, order, k):
    """Least squared error over all partitions of a path into runs of at least k."""
    best = [0.0] + [math.inf] * len(order)
    for j in range(k, len(order) + 1):
        for i in range(j - k + 1):
            run = values[order[i:j]]
            best[j] = min(best[j], best[i] + ((run - run.mean(axis=0)) ** 2).sum())
    return best[-1]


def plain_least_error(values, k):
    """Least squared error over all partitions into groups of at least k, for a handful of records."""

    def partitions(records):
        if len(records) < 2 * k:
            yield [records]
            return
        first, rest = records[0], records[1:]
        for size in range(k - 1, 2 * k - 1):
            for others in itertools.combinations(rest, size):
                left = [i for i in rest if i not in others]
                if not left:
                    yield [[first, *others]]
                elif len(left) >= k:
                    for tail in partitions(left):
                        yield [[first, *others], *tail]

    return min(
        sum(((values[g] - values[g].mean(axis=0)) ** 2).sum() for g in groups)
        for groups in partitions(list(range(len(values))))
    )
