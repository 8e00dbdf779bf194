"""Representatives of records and their linkage by the papers' definitions, one value at a time."""

from __future__ import annotations

import math
from itertools import permutations


def quantifier(name, step):
    """Q^e, Q^s or Q^t of Torra and Nin (P2, section 4.3), with Q(0) = 0 and Q(1) = 1."""
    if name == "power":
        return lambda x: x ** ((step + 1) / 5)
    if name == "sigmoid":
        return lambda x: 0.0 if x == 0 else 1.0 if x == 1 else 1 / (1 + math.exp((step / 10 - x) * 10))
    return lambda x: 1.0 if x > step / 10 + 1e-12 else 0.0


def owa(q, values):
    """Definition 2."""
    ordered, n = sorted(values, reverse=True), len(values)
    return sum((q((i + 1) / n) - q(i / n)) * value for i, value in enumerate(ordered))


def sugeno(q, values):
    """Definition 3."""
    ordered, n = sorted(values, reverse=True), len(values)
    return max(min(q((i + 1) / n), value) for i, value in enumerate(ordered))


def representatives(rows, family):
    """One list a record; None where a record has no value."""
    kind, name = family.split(":")
    aggregate = owa if kind == "owa" else sugeno
    result = []
    for row in rows:
        present = [value for value in row if not math.isnan(value)]
        result.append([aggregate(quantifier(name, step), present) for step in range(10)] if present else None)
    return result


def ranging(rows):
    columns = list(zip(*rows, strict=True))
    return [[(v - min(c)) / (max(c) - min(c)) for v, c in zip(row, columns, strict=True)] for row in rows]


def standard(rows):
    columns = list(zip(*rows, strict=True))
    means = [sum(c) / len(c) for c in columns]
    spreads = [math.sqrt(sum((v - m) ** 2 for v in c) / len(c)) for c, m in zip(columns, means, strict=True)]
    return [[(v - m) / s for v, m, s in zip(row, means, spreads, strict=True)] for row in rows]


def distance(u, v, metric):
    gaps = [abs(x - y) for x, y in zip(u, v, strict=True)]
    if metric == "euclidean":
        return math.sqrt(sum(g * g for g in gaps))
    return sum(gaps) if metric == "manhattan" else sum(math.sqrt(g) for g in gaps)


def best_permutation(costs):
    """The one-to-one match of rows and columns with the least sum, by trying all."""
    n = len(costs)
    return min(sum(costs[i][order[i]] for i in range(n)) for order in permutations(range(n)))


def best_quadratic(first, second, own, signs=(1,)):
    """The least cost of matching p variables with q ≥ p others, by trying all images and signs."""
    from itertools import product

    p, q = len(first), len(second)
    lowest = math.inf
    for image in permutations(range(q), p):
        for turned in product(signs, repeat=p):
            cost = sum(own[0 if turned[k] > 0 else 1][k][image[k]] for k in range(p))
            for k in range(p):
                for j in range(k):
                    cost += (first[k][j] - turned[k] * turned[j] * second[image[k]][image[j]]) ** 2
            lowest = min(lowest, cost)
    return lowest
