"""Linkage by its definitions: every pair is looked at."""

from __future__ import annotations

from itertools import product

import numpy as np


def state(agreement, i, j):
    """The state of agreement of record i of A and record j of B."""
    found = 0
    for classes in agreement.classes:
        first, second = classes[agreement.a[i]], classes[agreement.b[j]]
        if first != second or first < 0:
            break
        found += 1
    return found


def pattern_counts(agreements):
    """Pairs between the files by pattern."""
    counts = np.zeros([agreement.states for agreement in agreements], dtype=np.int64)
    for i, j in product(range(agreements[0].a.size), range(agreements[0].b.size)):
        counts[tuple(state(agreement, i, j) for agreement in agreements)] += 1
    return counts


def within_counts(agreements):
    """Ordered pairs of different records of A by pattern, and the pairs of a record with itself."""
    shape = [agreement.states for agreement in agreements]
    within, own = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    mirrored = [
        type(agreement)(agreement.name, agreement.a, agreement.a, agreement.classes) for agreement in agreements
    ]
    n = agreements[0].a.size
    for i, j in product(range(n), range(n)):
        (own if i == j else within)[tuple(state(agreement, i, j) for agreement in mirrored)] += 1
    return within, own


def weight_matrix(agreements, weights):
    """The weight of every pair, B by A."""
    n_a, n_b = agreements[0].a.size, agreements[0].b.size
    table = np.empty((n_b, n_a))
    for i, j in product(range(n_a), range(n_b)):
        table[j, i] = weights[tuple(state(agreement, i, j) for agreement in agreements)]
    return table


def best(scores, slack=None, *, squared=False):
    """By row of scores (low is good): order of candidates, and those that share the best.

    With `slack`, scores are sums of terms, and a candidate shares the best if its sum is larger by no more than a part
    in 2⁴², and its distance, the root of a `squared` one, by no more than that much beyond; where the best is zero,
    only if it is zero too.
    """
    result = []
    for j, row in enumerate(scores):
        order = sorted((i for i in range(row.size) if np.isfinite(row[i])), key=lambda i: (row[i], i))
        least = row[order[0]] if order else 0.0
        limit = least
        if slack is not None and least > 0.0:
            limit = least * (1 + 2.0**-42)
            limit = (np.sqrt(limit) + slack[j]) ** 2 if squared else limit + slack[j]
        ties = sorted(i for i in order if row[i] <= limit)
        result.append((ties + [i for i in order if i not in ties], ties))
    return result


def em_fixed_u(counts, u, prior, start=0.9, steps=500):
    """Fellegi and Sunter's m by EM, pattern by pattern in plain loops, for two states an attribute."""
    size = counts.ndim
    m = [max(start, u[j]) for j in range(size)]
    for _ in range(steps):
        agree, total = [0.0] * size, 0.0
        for pattern in product((0, 1), repeat=size):
            p_m, p_u = prior, 1 - prior
            for j, s in enumerate(pattern):
                p_m *= m[j] if s else 1 - m[j]
                p_u *= u[j] if s else 1 - u[j]
            weight = counts[pattern] * p_m / max(p_m + p_u, 1e-300)
            total += weight
            for j, s in enumerate(pattern):
                agree[j] += weight * s
        new = [max(agree[j] / total, u[j]) for j in range(size)]
        moved = max(abs(a - b) for a, b in zip(m, new, strict=True))
        m = new
        if moved < 1e-7:
            break
    return np.array(m)


def level_table(a, b):
    """The distance of every level of A to every level of B, the missing value last: by a table of A with itself."""
    own = np.array([[float(a.distance(i, j)) for j in (*range(len(a)), -1)] for i in (*range(len(a)), -1)])
    own = own / max(own.max(), 1.0)
    counterpart = [a.levels.index(level) if level in a.levels else -1 for level in b.levels]
    result = np.empty((len(a) + 1, len(b) + 1))
    result[:, -1] = own[:, -1]
    for j, i in enumerate(counterpart):
        result[:, j] = own[:, i] if i >= 0 or a.levels == b.levels else [*[1.0] * len(a), 0.0]
        if i < 0 and a.kind == b.kind == "ordinal":
            before = max([k for k in counterpart[:j] if k >= 0], default=-1)
            after = min([k for k in counterpart[j + 1 :] if k >= 0], default=len(a))
            stands_for = [k for k in range(before + 1, after) if k not in counterpart]
            if stands_for:
                # One column after the other, as a sum of columns is rounded.
                result[:, j] = sum(own[:, k] for k in stands_for) / len(stands_for)
                result[stands_for, j] = 0.0
    return result
