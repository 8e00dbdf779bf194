"""Slow, obvious twins of the kernels for records of levels and numbers."""

from __future__ import annotations

import math

import numpy as np


def distance(records, i, others, j):
    """The sum over attributes of a table entry or an absolute difference; records and others are Records."""
    total = 0.0
    for a in range(len(records.sizes)):
        size = records.sizes[a]
        table = records.table[records.starts[a] : records.starts[a] + size * size].reshape(size, size)
        total += table[records.codes[a, i], others.codes[a, j]]
    for a in range(len(records.absent)):
        x, y = records.numbers[a, i], others.numbers[a, j]
        if math.isnan(x) and math.isnan(y):
            continue
        total += records.absent[a] if math.isnan(x) or math.isnan(y) else abs(x - y)
    return total


def distances(records, others):
    """All of them, shape (records, others)."""
    m, c = records.codes.shape[1], others.codes.shape[1]
    return np.array([[distance(records, i, others, j) for j in range(c)] for i in range(m)])


def nearest(records, others):
    """The nearest of the others, the first of equals."""
    return distances(records, others).argmin(axis=1)


def greedy_seeds(records, weights, wanted):
    """The heaviest, then the largest weight times distance from those taken, while there is any distance."""
    apart = distances(records, records)
    seeds = [int(np.argmax(weights))]
    while len(seeds) < wanted:
        gain = weights * apart[:, seeds].min(axis=1)
        if gain.max() <= 0:
            break
        seeds.append(int(np.argmax(gain)))
    return seeds


def memberships(records, centres, weights, fuzziness):
    """Gathered memberships by centre, attribute and level."""
    apart = distances(records, centres)
    shares = np.zeros_like(apart)
    for i, row in enumerate(apart):
        if (row <= 0).any():
            shares[i] = (row <= 0) / (row <= 0).sum()
        else:
            powers = row ** (-1 / (fuzziness - 1))
            shares[i] = powers / powers.sum()
    gathered = []
    for a, size in enumerate(records.sizes):
        block = np.zeros((apart.shape[1], size))
        for i in range(apart.shape[0]):
            block[:, records.codes[a, i]] += weights[i] * shares[i] ** fuzziness
        gathered.append(block)
    return np.concatenate(gathered, axis=1)


def mixed_mdav(records, k):
    """MDAV with the sum of distances from all that is left; numbers count from their mean."""
    apart = distances(records, records)
    n = apart.shape[0]
    labels, left, group = np.full(n, -1), list(range(n)), 0
    categories = type(records)(
        records.codes, np.zeros((0, n)), records.table, records.starts, records.sizes, np.zeros(0), (), (), np.zeros(0)
    )
    of_levels = distances(categories, categories)

    def from_all(i):
        total = of_levels[i, left].sum()
        for a in range(len(records.absent)):
            column = records.numbers[a, left]
            present = column[~np.isnan(column)]
            if math.isnan(records.numbers[a, i]):
                total += records.absent[a] * present.size
            else:
                total += records.absent[a] * (len(left) - present.size)
                total += present.size * abs(records.numbers[a, i] - present.mean())
        return total

    def close(seed):
        nonlocal left, group
        others = sorted((i for i in left if i != seed), key=lambda i: (apart[seed, i], i))[: k - 1]
        labels[[seed, *others]] = group
        group += 1
        left = [i for i in left if i != seed and i not in others]

    def farthest(score):
        # Sums taken in another order differ in the last bit; such scores are equal.
        values = [round(score(i), 9) for i in left]
        return left[int(np.argmax(values))]

    while len(left) >= 3 * k:
        first = farthest(from_all)
        close(first)
        close(farthest(lambda i, first=first: apart[first, i]))
    if len(left) >= 2 * k:
        close(farthest(from_all))
    labels[left] = group
    return labels
