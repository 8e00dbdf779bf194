"""Slow, obvious twins of the ordinal operators: Python lists, fractions, one definition after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations


def accumulate(values: Sequence[int], weights: Sequence[float] | None, n_levels: int) -> list[Fraction]:
    """acc(a) for every level."""
    shares = [1] * len(values) if weights is None else list(weights)
    return [
        sum((Fraction(w) for v, w in zip(values, shares, strict=True) if v == level), Fraction(0))
        for level in range(n_levels)
    ]


def make_convex(acc: Sequence[Fraction]) -> list[Fraction]:
    """acc'(a) = min(max over b ≤ a, max over b ≥ a)."""
    return [min(max(acc[: a + 1]), max(acc[a:])) for a in range(len(acc))]


def bend(acc: Sequence[Fraction], quantifier: Callable[[Fraction], float | Fraction]) -> list[float | Fraction]:
    """The WOW vector of (L, acc), cumulated from the lowest level."""
    total = sum(acc)
    heights = [quantifier(Fraction(sum(acc[: a + 1]), 1) / total) for a in range(len(acc))]
    return [height - (heights[a - 1] if a else 0) for a, height in enumerate(heights)]


def first_above(acc: Sequence[float | Fraction], share: float | Fraction) -> int:
    """The first level at which the cumulated share exceeds the wanted one; the last one above 0 where none does."""
    total, running = sum(acc), 0
    for level, amount in enumerate(acc):
        running = running + amount
        if running > share * total:
            return level
    return max(level for level, amount in enumerate(acc) if amount > 0)


def weighted_order_statistic(values, weights, share):
    return first_above(accumulate(values, weights, max(values) + 1), share)


def plurality(values, weights=None):
    acc = accumulate(values, weights, max(values) + 1)
    return [level for level, amount in enumerate(acc) if amount == max(acc)]


def lower_median(values):
    return sorted(values)[(len(values) - 1) // 2]


def upper_median(values):
    return sorted(values)[len(values) // 2]


def convex_weighted_median(values, weights=None):
    return first_above(make_convex(accumulate(values, weights, max(values) + 1)), Fraction(1, 2))


def cwow_median(values, weights, quantifier, beta=Fraction(1, 2)):
    return first_above(bend(make_convex(accumulate(values, weights, max(values) + 1)), quantifier), beta)


def cwow_plurality(values, weights, quantifier):
    bent = bend(make_convex(accumulate(values, weights, max(values) + 1)), quantifier)
    return [level for level, amount in enumerate(bent) if amount == max(bent)]


def weighted_max(values, importances):
    return max(min(u, a) for u, a in zip(importances, values, strict=True))


def weighted_min(values, importances, top):
    return min(max(top - u, a) for u, a in zip(importances, values, strict=True))


def sugeno(values, measure):
    """max over levels t of min(t, μ(sources at or above t)): the other textbook form."""
    best = 0
    for threshold in range(max(values) + 1):
        members = sum(1 << source for source, value in enumerate(values) if value >= threshold)
        best = max(best, min(threshold, int(measure[members])))
    return best


def choquet(values, measure):
    """The layer form, Σ over thresholds of μ(sources at or above), for integer values and any measure."""
    total = 0
    for threshold in range(1, max(values) + 1):
        total += measure[sum(1 << source for source, value in enumerate(values) if value >= threshold)]
    return total


def add_label(sequence: list[int], label: int, tnorm, tconorm) -> list[int]:
    result, carried = [], label
    for kept in sequence:
        result.append(int(tconorm[kept][carried]))
        carried = int(tnorm[kept][carried])
    return result


def multiple(label: int, times: int, tnorm, tconorm) -> list[int]:
    sequence = [0] * times
    for _ in range(times):
        sequence = add_label(sequence, label, tnorm, tconorm)
    return sequence


def ordinal_weighted_mean(values, counts, tnorm, tconorm, rounding="down"):
    spread = sorted((v for v, c in zip(values, counts, strict=True) for _ in range(c)), reverse=True)
    total = [0] * len(spread)
    for label in spread:
        total = add_label(total, label, tnorm, tconorm)
    labels = range(min(spread), max(spread) + 1)
    multiples = {label: multiple(label, len(spread), tnorm, tconorm) for label in labels}
    if rounding == "down":
        return max(label for label in labels if all(m <= t for m, t in zip(multiples[label], total, strict=True)))
    return min(label for label in labels if all(m >= t for m, t in zip(multiples[label], total, strict=True)))


def linguistic_owa(values, weights):
    """Recursion of Herrera et al.; `weights` are fractions, largest value first."""
    ordered = sorted(values, reverse=True)

    def combine(labels, shares):
        if len(labels) == 1:
            return labels[0]
        rest = sum(shares[1:])
        if rest == 0:
            return labels[0]
        tail = combine(labels[1:], [share / rest for share in shares[1:]])
        return tail + int((shares[0] * (labels[0] - tail) + Fraction(1, 2)) // 1)

    return combine(ordered, list(weights))


def choquet_transformation(memberships, level, masses):
    """Σ over all sets A of m(A) · min over A: the Choquet integral of a Möbius transform, by its definition."""
    n = len(memberships)
    total = 0
    for size in range(1, n + 1):
        for members in combinations(range(n), size):
            total += masses(level, members) * min(memberships[member] for member in members)
    return total


def run_masses(level, members):
    """The paper's Möbius transform with K = 1: 1/|A| on runs that contain the level."""
    is_run = members[-1] - members[0] + 1 == len(members)
    return Fraction(1, len(members)) if is_run and level in members else Fraction(0)


def violations(draws, moves_of):
    """Count the draws whose convex median falls after their moves (from level, to level, how many)."""
    fallen = 0
    for values in draws:
        raised = list(values)
        for low, high, count in moves_of(values):
            for _ in range(count):
                if low in raised:
                    raised[raised.index(low)] = high
        fallen += convex_weighted_median(raised) < convex_weighted_median(values)
    return fallen
