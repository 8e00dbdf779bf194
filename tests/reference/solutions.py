"""Whole-number solutions of a weighted sum, by trying every combination of steps in a box."""

from __future__ import annotations

import itertools


def least_solutions(weights, wanted, slack, radius):
    """Return every solution with the least sum of squares among steps of at most `radius`."""
    best, least = [], None
    for steps in itertools.product(range(-radius, radius + 1), repeat=len(weights)):
        if abs(sum(w * s for w, s in zip(weights, steps, strict=True)) - wanted) > slack:
            continue
        norm = sum(s * s for s in steps)
        if least is None or norm < least:
            best, least = [steps], norm
        elif norm == least:
            best.append(steps)
    return best
