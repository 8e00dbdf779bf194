"""Slow, obvious twins of the microaggregation kernels."""

from __future__ import annotations

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
    """MDAV by its definition: every centroid and every distance from scratch."""
    points = prepare(values)
    exact, unit = fixed_point(points)
    remaining = np.arange(len(points))
    labels = np.full(len(points), -1)
    group = 0

    def farthest(target):
        return remaining[np.argmax(squared_distances(points[remaining], target))]

    def centroid():
        return exact[remaining].sum(axis=0).astype(np.float64) * unit / len(remaining)

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
        first = farthest(centroid())
        close(nearest(first))
        second = farthest(points[first])
        close(nearest(second))
    if len(remaining) >= 2 * k:
        close(nearest(farthest(centroid())))
    if len(remaining):
        close(remaining)
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
