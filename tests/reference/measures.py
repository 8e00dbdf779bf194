"""Measures written as their definitions read: loops over records, no tricks."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, pairwise


def mean(x, w=None):
    w = w or [1.0] * len(x)
    return sum(a * b for a, b in zip(x, w, strict=True)) / sum(w)


def covariance(x, y, w=None):
    mx, my = mean(x, w), mean(y, w)
    return mean([(a - mx) * (b - my) for a, b in zip(x, y, strict=True)], w)


def deviation(x, w=None):
    return math.sqrt(covariance(x, x, w))


def correlation(x, y, w=None):
    unit = deviation(x, w) * deviation(y, w)
    return covariance(x, y, w) / unit if unit > 0 else 0.0


def ranks(x):
    return [sum(b < a for b in x) + (sum(b == a for b in x) + 1) / 2 for a in x]


def il1s(x, y, w=None):
    return 100 * mean([abs(a - b) for a, b in zip(x, y, strict=True)], w) / (math.sqrt(2) * deviation(x, w))


def sse(x, y, w=None):
    return 100 * mean([(a - b) ** 2 for a, b in zip(x, y, strict=True)], w) / covariance(x, x, w)


def distribution(x, w, t):
    return sum(b for a, b in zip(x, w, strict=True) if a <= t) / sum(w)


def wasserstein(x, y, w=None):
    """The area between the distribution functions."""
    w = w or [1.0] * len(x)
    points = sorted({*x, *y})
    area = sum((b - a) * abs(distribution(x, w, a) - distribution(y, w, a)) for a, b in pairwise(points))
    return 100 * area / (math.sqrt(2) * deviation(x, w))


def kolmogorov_smirnov(x, y, w=None):
    w = w or [1.0] * len(x)
    return 100 * max(abs(distribution(x, w, t) - distribution(y, w, t)) for t in {*x, *y})


def hellinger(p, q):
    """From counts by bin or level."""
    shared = sum(math.sqrt(p.get(k, 0) / sum(p.values()) * q.get(k, 0) / sum(q.values())) for k in {*p, *q})
    return 100 * math.sqrt(max(1 - shared, 0))


def bins(x, low, high, number):
    return Counter(min(int((a - low) / (high - low) * number), number - 1) for a in x)


def probability_loss(before, after, variance):
    return 100 * math.erf(abs(before - after) / math.sqrt(variance) / math.sqrt(2))


def pil_parts(columns, masked):
    """Means, variances, covariances and correlations; columns without missing values, unweighted."""
    n, names = len(columns[0]), range(len(columns))
    parts = {"means": [], "variances": [], "covariances": [], "correlations": []}

    def moment(i, j, a, b):
        x, y = columns[i], columns[j]
        mx, my = mean(x), mean(y)
        return mean([(u - mx) ** a * (v - my) ** b for u, v in zip(x, y, strict=True)])

    for j in names:
        x, y = columns[j], masked[j]
        parts["means"].append(probability_loss(mean(x), mean(y), covariance(x, x) / n))
        error = (moment(j, j, 4, 0) - covariance(x, x) ** 2) / n
        parts["variances"].append(probability_loss(covariance(x, x), covariance(y, y), error))
    for i, j in combinations(names, 2):
        m = {(a, b): moment(i, j, a, b) for a in range(5) for b in range(5)}
        error = (m[2, 2] - m[1, 1] ** 2) / n
        parts["covariances"].append(probability_loss(m[1, 1], covariance(masked[i], masked[j]), error))
        r = m[1, 1] / math.sqrt(m[2, 0] * m[0, 2])
        bracket = (
            m[2, 2] / m[1, 1] ** 2
            + (m[4, 0] / m[2, 0] ** 2 + m[0, 4] / m[0, 2] ** 2 + 2 * m[2, 2] / (m[2, 0] * m[0, 2])) / 4
            - m[3, 1] / (m[1, 1] * m[2, 0])
            - m[1, 3] / (m[1, 1] * m[0, 2])
        )
        parts["correlations"].append(probability_loss(r, correlation(masked[i], masked[j]), r * r * bracket / n))
    return {kind: mean(losses) for kind, losses in parts.items()}


def dist(x, y, levels, ordered, w=None):
    """Levels as they stand; None is missing; y may hold levels that x's list lacks."""
    w = w or [1.0] * len(x)

    def between(a, b):
        if a is None or b is None or not ordered:
            return float(a != b)
        return abs(levels.index(a) - levels.index(b)) / len(levels)

    total = 0.0
    for a, b, weight in zip(x, y, w, strict=True):
        if b is None or b in levels:
            total += weight * between(a, b)
        else:
            alike = [(c, v) for c, d, v in zip(x, y, w, strict=True) if d == b]
            if any(c is None for c, _ in alike):
                total += weight * sum(v * (a != c) for c, v in alike) / sum(v for _, v in alike)
            else:
                total += weight * sum(v * between(a, c) for c, v in alike) / sum(v for _, v in alike)
    return 100 * total / sum(w)


def table_differences(before, after, order, w=None):
    """Σ |x^F − x^G| by table; columns of levels."""
    w = w or [1.0] * len(before[0])
    result = {}
    for size in range(1, min(order, len(before)) + 1):
        for chosen in combinations(range(len(before)), size):
            tables = []
            for columns in (before, after):
                table = Counter()
                for i, weight in enumerate(w):
                    table[tuple(columns[j][i] for j in chosen)] += weight
                tables.append(table)
            result[chosen] = sum(abs(tables[0][cell] - tables[1][cell]) for cell in {*tables[0], *tables[1]})
    return result


def cramers_v(x, y):
    n, cells, rows, columns = len(x), Counter(zip(x, y, strict=True)), Counter(x), Counter(y)
    smaller = min(len(rows), len(columns)) - 1
    if not smaller:
        return 0.0
    chi = sum((cells[a, b] - rows[a] * columns[b] / n) ** 2 / (rows[a] * columns[b] / n) for a in rows for b in columns)
    return math.sqrt(chi / n / smaller)


def beliefs(prior, transition):
    """P(V = a | V' = b) from P(V) and P(V' | V), both dicts."""
    released = Counter()
    for (a, b), chance in transition.items():
        released[b] += prior.get(a, 0) * chance
    return {(a, b): prior.get(a, 0) * chance / released[b] for (a, b), chance in transition.items() if released[b] > 0}


def ebil_bits(belief, y):
    def entropy(b):
        return -sum(p * math.log2(p) for (_, released), p in belief.items() if released == b and p > 0)

    return sum(entropy(b) for b in y)


def il_bits(belief, x, y):
    return sum(-math.log2(belief[a, b]) for a, b in zip(x, y, strict=True))


def agreeing(rows, weights, *, wildcard):
    """Records (and their weight) that agree with each; None agrees with everything where `wildcard`."""

    def agree(a, b):
        return all(u == v or (wildcard and (u is None or v is None)) for u, v in zip(a, b, strict=True))

    counts = [sum(agree(a, b) for b in rows) for a in rows]
    return counts, [sum(w for b, w in zip(rows, weights, strict=True) if agree(a, b)) for a in rows]


def expected_inverse(f, p, terms=200_000):
    """E[1/F] for F = f, f + 1, … negative binomial, added up."""
    total, chance = 0.0, p**f
    for size in range(f, f + terms):
        total += chance / size
        chance *= (1 - p) * size / (size - f + 1)
    return total


def minimal_uniques(rows, deepest):
    """Every (record, set of attributes) on which the record is alone, and on no part of it; None is a value."""
    m = len(rows[0])
    found = set()
    for size in range(1, deepest + 1):
        for chosen in combinations(range(m), size):
            counts = Counter(tuple(row[j] for j in chosen) for row in rows)
            for i, row in enumerate(rows):
                cell = tuple(row[j] for j in chosen)
                if counts[cell] == 1:
                    parts = [part for s in range(1, size) for part in combinations(chosen, s)]
                    if not any((i, part) in found for part in parts) and not any(
                        Counter(tuple(r[j] for j in part) for r in rows)[tuple(row[j] for j in part)] == 1
                        for part in parts
                    ):
                        found.add((i, chosen))
    return found


def groups_of(rows):
    groups = {}
    for i, row in enumerate(rows):
        groups.setdefault(tuple(row), []).append(i)
    return list(groups.values())


def diverse(values, kind, length, c):
    counts = sorted(Counter(values).values(), reverse=True)
    if kind == "distinct":
        return len(counts) >= length
    if kind == "entropy":
        shares = [count / len(values) for count in counts]
        return -sum(p * math.log2(p) for p in shares) >= math.log2(length) - 1e-12
    return counts[0] < c * sum(counts[math.ceil(length) - 1 :])


def earth_mover(group, everybody, order):
    """Between 0 and 1; `order` is the list of ordered values, or None for total variation."""
    if order is None:
        p, q = Counter(group), Counter(everybody)
        return sum(abs(p[v] / len(group) - q[v] / len(everybody)) for v in {*p, *q}) / 2
    if len(order) < 2:
        return 0.0
    total = 0.0
    for place in range(len(order)):
        below = set(order[: place + 1])
        total += abs(sum(v in below for v in group) / len(group) - sum(v in below for v in everybody) / len(everybody))
    return total / (len(order) - 1)


def rank_interval(x, y, largest):
    n, ordered = len(x), sorted(y)
    shares = []
    for p in range(1, largest + 1):
        width, inside = p * n // 100, 0
        for a, b in zip(x, y, strict=True):
            first, last = ordered.index(b), n - 1 - ordered[::-1].index(b)
            inside += ordered[max(first - width, 0)] <= a <= ordered[min(last + width, n - 1)]
        shares.append(inside / n)
    return 100 * sum(shares) / largest


def deviation_interval(x, y, largest):
    unit = deviation(x)
    shares = [
        sum(abs(a - b) <= p / 100 * unit for a, b in zip(x, y, strict=True)) / len(x) for p in range(1, largest + 1)
    ]
    return 100 * sum(shares) / largest
