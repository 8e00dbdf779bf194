"""The edit distance, by its recursive definition."""

from __future__ import annotations

from functools import cache


def edit_distance(a, b):
    @cache
    def d(i, j):
        if i == 0 or j == 0:
            return i + j
        return min(d(i - 1, j) + 1, d(i, j - 1) + 1, d(i - 1, j - 1) + (a[i - 1] != b[j - 1]))

    return d(len(a), len(b))
