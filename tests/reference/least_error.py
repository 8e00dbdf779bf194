"""Slow, obvious twins of the bounds on the squared error of a grouping: every subset of a handful of records."""

from __future__ import annotations

import functools

import numpy as np
from scipy.optimize import linprog

MOST = 12
"""Records up to which all subsets are looked at; a subset is a bit mask."""
SIZES = np.array([mask.bit_count() for mask in range(1 << MOST)])


def subset_costs(points):
    """Squared error of every subset about its mean, as the sum of squared distances of its pairs over its size."""
    n = len(points)
    pairs = np.zeros(1)
    for i in range(n):
        to_record = subset_sums(((points[:i] - points[i]) ** 2).sum(axis=1))
        pairs = np.concatenate([pairs, pairs + to_record])
    return pairs / np.maximum(SIZES[: 1 << n], 1)


def subset_sums(values):
    """Sum over every subset."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums


@functools.cache
def _first_groups(k, largest):
    """Return for every subset the groups of k … largest that hold its lowest record and leave none or at least k."""
    subsets, groups = [], []
    every = np.arange(1 << MOST)
    for subset in range(1, 1 << MOST):
        lowest = subset & -subset
        inside = every[lowest : subset + 1]
        inside = inside[(inside & ~subset == 0) & (inside & lowest != 0)]
        left = SIZES[subset] - SIZES[inside]
        inside = inside[(SIZES[inside] >= k) & (SIZES[inside] <= largest) & ((left == 0) | (left >= k))]
        subsets.append(np.full(inside.size, subset))
        groups.append(inside)
    subsets, groups = np.concatenate(subsets), np.concatenate(groups)
    order = np.argsort(SIZES[subsets], kind="stable")
    return subsets[order], groups[order]


def least_error(points, k, *, largest=None):
    """Least squared error over all partitions into groups of k … 2k−1 records: a dynamic programme over subsets."""
    n = len(points)
    subsets, groups = _first_groups(k, 2 * k - 1 if largest is None else largest)
    inside = subsets < 1 << n
    subsets, groups = subsets[inside], groups[inside]
    costs = subset_costs(points)
    best = np.full(1 << n, np.inf)
    best[0] = 0.0
    for size in range(k, n + 1):
        now = SIZES[subsets] == size
        np.minimum.at(best, subsets[now], costs[groups[now]] + best[subsets[now] ^ groups[now]])
    return float(best[-1])


def excess(points, prices, k):
    """By how much prices exceed the squared error of the worst group of k or more records; ≤ 0 if they are proven."""
    large = SIZES[: 1 << len(points)] >= k
    return float((subset_sums(prices) - subset_costs(points))[large].max())


def relaxation(points, k):
    """The linear programme of set partitioning over all groups of k … 2k−1 records."""
    n = len(points)
    sizes = SIZES[: 1 << n]
    groups = np.flatnonzero((sizes >= k) & (sizes < 2 * k))
    costs = subset_costs(points)[groups]
    scale = max(float(costs.max()), 1e-300)
    inside = (groups[None, :] >> np.arange(n)[:, None] & 1).astype(float)
    return scale * linprog(costs / scale, A_eq=inside, b_eq=np.ones(n), method="highs").fun


KINDS = ("normal", "grid", "duplicates", "line", "outlier", "constant", "tiny", "huge", "clusters", "cauchy", "spread")


def small_file(kind, n, seed):
    """A file of n records and one to four attributes."""
    rng = np.random.default_rng([KINDS.index(kind), n, seed])
    points = rng.standard_normal((n, int(rng.integers(1, 5))))
    if kind == "grid":
        points = rng.integers(0, 3, points.shape).astype(float)
    elif kind == "duplicates":
        points = points[rng.integers(0, (n + 1) // 2, n)]
    elif kind == "line":
        points = points[:, :1] * rng.standard_normal((1, points.shape[1] + 1))
    elif kind == "outlier":
        points[rng.integers(n)] *= 1000.0
    elif kind == "constant":
        points = np.concatenate([points, np.full((n, 1), 3.0)], axis=1)
    elif kind in ("tiny", "huge"):
        points *= 1e-100 if kind == "tiny" else 1e100
    elif kind == "clusters":
        points = points / 10 + 10.0 * rng.integers(0, 2, points.shape)
    elif kind == "cauchy":
        points = rng.standard_cauchy(points.shape)
    elif kind == "spread":  # a few records carry nearly all of the error
        points *= np.where(rng.random(n) < 0.3, 30.0, 1.0)[:, None] * np.exp(rng.standard_normal((n, 1)))
    return points
