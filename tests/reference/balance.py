"""What a release of categories costs, counted from the two files: the twin of the balancing kernels."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def release_cost(before, after, distances):
    """Return the records' mean distance, half the mean difference of tables, and the mean entropy left, as one sum.

    `before` and `after` are (n, q) codes, `distances` a matrix for every attribute. All are multiplied by n.
    """
    q = before.shape[1]
    far = sum(distances[a][before[:, a], after[:, a]].sum() for a in range(q)) / q
    tables = [(a,) for a in range(q)] + list(combinations(range(q), 2))
    off = 0.0
    for names in tables:
        cells = {}
        for rows, sign in ((before, -1), (after, 1)):
            for row in rows[:, names].tolist():
                cells[tuple(row)] = cells.get(tuple(row), 0) + sign
        off += sum(abs(value) for value in cells.values())
    bits = 0.0
    for a in range(q):
        own = entropy(before[:, a])
        if own > 0:
            left = sum((after[:, a] == v).sum() * entropy(before[after[:, a] == v, a]) for v in np.unique(after[:, a]))
            bits += left / own
    return far + off / (2 * len(tables)) + bits / q


def entropy(values):
    shares = np.unique(values, return_counts=True)[1] / len(values)
    return float(-(shares * np.log2(shares)).sum())
