"""Slow, obvious twins of the classic maskers' kernels."""

from __future__ import annotations

import numpy as np


def swap_partners(n, window, draws):
    """From the lowest rank up, exchange with one of the free ranks of the window above, all equally likely."""
    partners = [-1] * n
    for i in range(n):
        if partners[i] >= 0:
            continue
        free = [j for j in range(i + 1, min(i + window, n - 1) + 1) if partners[j] < 0]
        if not free:
            partners[i] = i
            continue
        j = free[min(int(draws[i] * len(free)), len(free) - 1)]
        partners[i], partners[j] = j, i
    return partners


def swap_into(lows, highs, draws):
    """From the lowest rank up, exchange with a free rank of the goal, or with the free rank that is nearest to it."""
    n = len(lows)
    partners = [-1] * n
    for i in range(n):
        if partners[i] >= 0:
            continue
        free = [j for j in range(i + 1, n) if partners[j] < 0]
        if not free:
            partners[i] = i
            continue
        low, high = max(lows[i], i + 1), min(highs[i], n - 1)
        inside = [j for j in free if low <= j <= high]
        if inside:
            j = inside[min(int(draws[i] * len(inside)), len(inside) - 1)]
        else:
            j = min(free, key=lambda one: (low - one if one < low else one - max(high, low), one))
        partners[i], partners[j] = j, i
    return partners


def randomise(codes, matrix, draws):
    """The first level whose cumulated probability exceeds the draw."""
    result = []
    for code, draw in zip(codes, draws, strict=True):
        if code < 0:
            result.append(code)
            continue
        total, last = 0.0, None
        for level, probability in enumerate(matrix[code]):
            total += probability
            if probability > 0:
                last = level
                if total > draw:
                    break
        result.append(last)
    return result


def matches(row, other, missing):
    """Whether two records share their keys; None is missing."""
    if missing == "category":
        return tuple(row) == tuple(other)
    return all(a == b or a is None or b is None for a, b in zip(row, other, strict=True))


def class_sizes(rows, missing):
    """How many records each record shares its keys with, itself included."""
    return [sum(matches(row, other, missing) for other in rows) for row in rows]


def class_diversity(rows, sensitive, missing):
    """How many different sensitive values each record's class holds."""
    return [
        len({value for other, value in zip(rows, sensitive, strict=True) if matches(row, other, missing)})
        for row in rows
    ]


def mondrian(columns, ordered, levels, k):
    """Recursive cuts at the median of the widest attribute; parts in depth-first order, the lower one first."""
    labels, parts = np.full(columns.shape[1], -1), 0

    def cut(values):
        ordered_values = np.sort(values)
        middle = ordered_values[len(values) // 2]
        options = [(values < middle), (values <= middle)]
        fitting = [o for o in options if k <= o.sum() <= len(values) - k]
        return min(fitting, key=lambda o: abs(2 * o.sum() - len(values))) if fitting else None

    def split(rows):
        nonlocal parts
        widths = []
        for a in range(len(columns)):
            values = columns[a, rows]
            extent = values.max() - values.min()
            wide = extent if ordered[a] or extent == 0 else (np.unique(values).size - 1) / max(levels[a] - 1, 1)
            widths.append(wide)
        for a in sorted(range(len(columns)), key=lambda a: (-widths[a], a)):
            lower = cut(columns[a, rows]) if widths[a] > 0 and len(rows) >= 2 * k else None
            if lower is not None:
                split(rows[lower])
                split(rows[~lower])
                return
        labels[rows] = parts
        parts += 1

    split(np.arange(columns.shape[1]))
    return labels
