"""Slow, obvious twins of the numeric operators: one collection at a time, straight from the definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from math import factorial


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def weighted_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)


def median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def trimmed_mean(values: Sequence[float], cut: int) -> float:
    return mean(sorted(values)[cut : len(values) - cut])


def owa(values: Sequence[float], weights: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, sorted(values, reverse=True), strict=True))


def owa_quantifier(values: Sequence[float], quantifier: Callable[[float], float]) -> float:
    m = len(values)
    return owa(values, [quantifier(i / m) - quantifier((i - 1) / m) for i in range(1, m + 1)])


def wowa(values: Sequence[float], weights: Sequence[float], quantifier: Callable[[float], float]) -> float:
    total = sum(weights)
    pairs = sorted(zip(values, weights, strict=True), key=lambda pair: -pair[0])
    result, reached = 0.0, 0.0
    for value, weight in pairs:
        step = quantifier(min((reached + weight) / total, 1.0)) - quantifier(min(reached / total, 1.0))
        result += step * value
        reached += weight
    return result


def choquet(values: Sequence[float], measure: Callable[[frozenset[int]], float]) -> float:
    """Integrate from below: each rise in value counts for the sources that reach it."""
    result, below = 0.0, 0.0
    order = sorted(range(len(values)), key=lambda source: values[source])
    for place, source in enumerate(order):
        result += (values[source] - below) * measure(frozenset(order[place:]))
        below = values[source]
    return result


def sugeno(values: Sequence[float], measure: Callable[[frozenset[int]], float]) -> float:
    """Largest over all subsets of the smaller of the measure and the smallest value in it."""
    sources = range(len(values))
    return max(
        min(measure(frozenset(subset)), *(values[source] for source in subset))
        for size in range(1, len(values) + 1)
        for subset in combinations(sources, size)
    )


def weighted_maximum(values: Sequence[float], weights: Sequence[float]) -> float:
    return max(min(weight, value) for weight, value in zip(weights, values, strict=True))


def mobius(measure: Callable[[frozenset[int]], float], subset: frozenset[int]) -> float:
    return sum(
        (-1) ** (len(subset) - size) * measure(frozenset(part))
        for size in range(len(subset) + 1)
        for part in combinations(sorted(subset), size)
    )


def shapley(measure: Callable[[frozenset[int]], float], n: int) -> list[float]:
    """Mean contribution of each source over every order of arrival."""
    shares = [0.0] * n
    for order in permutations(range(n)):
        for place, source in enumerate(order):
            shares[source] += measure(frozenset(order[: place + 1])) - measure(frozenset(order[:place]))
    return [share / factorial(n) for share in shares]


def interaction(measure: Callable[[frozenset[int]], float], n: int, i: int, j: int) -> float:
    others = [source for source in range(n) if source not in (i, j)]
    total = 0.0
    for size in range(len(others) + 1):
        weight = factorial(n - size - 2) * factorial(size) / factorial(n - 1)
        for part in combinations(others, size):
            base = frozenset(part)
            total += weight * (measure(base | {i, j}) - measure(base | {i}) - measure(base | {j}) + measure(base))
    return total
