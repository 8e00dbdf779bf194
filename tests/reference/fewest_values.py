"""The least cost of hidden values by going through everything: slow, obvious, for a handful of records.

A record is a tuple of keys, None where one is missing.
"""

from __future__ import annotations

from functools import cache
from itertools import chain, combinations, product


def least_category(rows, k, costs):
    """Every way to put the records into groups of at least k; a group hides the keys on which it does not agree."""
    n = len(rows)

    def group_cost(members):
        total = 0
        for j, cost in enumerate(costs):
            values = [rows[i][j] for i in members]
            if len(set(values)) > 1:
                total += cost * sum(value is not None for value in values)
        return total

    @cache
    def best(left):
        if not left:
            return 0
        first, *others = left
        totals = []
        for size in range(k - 1, len(others) + 1):
            for company in combinations(others, size):
                rest = best(tuple(i for i in others if i not in company))
                if rest is not None:
                    totals.append(group_cost((first, *company)) + rest)
        return min(totals, default=None)

    return best(tuple(range(n)))


def matches(one, two):
    return all(a is None or b is None or a == b for a, b in zip(one, two, strict=True))


def hidings(row):
    """Every set of keys that this record could still hide."""
    present = [j for j, value in enumerate(row) if value is not None]
    return chain.from_iterable(combinations(present, size) for size in range(len(present) + 1))


def hide(row, keys):
    return tuple(None if j in keys else value for j, value in enumerate(row))


def need(rows, i, k, costs):
    """The least cost of keys without which this record matches k of the original."""
    return min(
        sum(costs[j] for j in keys)
        for keys in hidings(rows[i])
        if sum(matches(hide(rows[i], keys), other) for other in rows) >= k
    )


def least_wildcard(rows, k, costs, literal=False):
    """Every release in which each record hides at most what it needs, or, literally, whatever it likes."""
    choices = []
    for i, row in enumerate(rows):
        limit = sum(costs) if literal else need(rows, i, k, costs)
        options = [(sum(costs[j] for j in keys), hide(row, keys)) for keys in hidings(row)]
        choices.append([option for option in options if option[0] <= limit + 1e-9])
    best = None
    for release in product(*choices):
        cost = sum(price for price, _ in release)
        if best is not None and cost >= best:
            continue
        shown = [row for _, row in release]
        if all(sum(matches(one, two) for two in shown) >= k for one in shown):
            best = cost
    return best
