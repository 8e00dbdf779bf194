"""Distance-based linkage by the plain definition: every pair, in Python."""

from __future__ import annotations

import math


def distance(a, b, spreads, scales):
    """Distance of two records given as lists; `spreads` for numbers, (kind, levels) for categories."""
    total = 0.0
    for x, y, spread, scale in zip(a, b, spreads, scales, strict=True):
        if scale == "numeric":
            total += ((x - y) / spread) ** 2
        elif x is None or y is None:
            largest = 1.0 if scale[0] == "nominal" else (len(scale[1]) - 1) / len(scale[1])
            total += 0.0 if x is y else largest**2
        elif scale[0] == "nominal":
            total += float(x != y)
        else:
            total += (abs(scale[1].index(x) - scale[1].index(y)) / len(scale[1])) ** 2
    return math.sqrt(total)


def link(rows_a, rows_b, scales):
    """Per record of b: positions of a sorted by distance, the distances, and the number of nearest ones."""
    spreads = []
    for j, scale in enumerate(scales):
        if scale == "numeric":
            column = [row[j] for row in rows_a]
            mean = sum(column) / len(column)
            spread = math.sqrt(sum((x - mean) ** 2 for x in column) / len(column))
            spreads.append(spread or 1.0)
        else:
            spreads.append(1.0)
    result = []
    for b in rows_b:
        distances = [distance(a, b, spreads, scales) for a in rows_a]
        order = sorted(range(len(rows_a)), key=lambda i: (round(distances[i], 9), i))
        ties = [i for i in order if abs(distances[i] - distances[order[0]]) < 1e-9]
        result.append((order, distances, ties))
    return result
