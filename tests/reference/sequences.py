"""Slow, obvious twins of everything done to sequences."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations


def occurrences(s, event):
    return [i for i, x in enumerate(s) if x == event]


def least_total(few, many):
    """The least total |i − j| over every way of giving each of the few its own of the many."""
    return min(sum(abs(i - j) for i, j in zip(few, chosen, strict=True)) for chosen in permutations(many, len(few)))


def best_pairing(few, many):
    """Partners of the few, in order: no crossing, least total, lowest positions."""
    choices = combinations(many, len(few))
    return min(choices, key=lambda chosen: (sum(abs(i - j) for i, j in zip(few, chosen, strict=True)), chosen))


def event_distances(s, r):
    """Definition 3 for every event of both sequences."""
    result = []
    for event in set(s) | set(r):
        few, many = sorted((occurrences(s, event), occurrences(r, event)), key=len)
        for i, j in zip(few, best_pairing(few, many), strict=True):
            result += [abs(i - j) / (len(s) + len(r))] * 2
        result += [1.0] * (len(many) - len(few))
    return result


def oss_owa(s, r, quantifier):
    """Definition 4."""
    values = sorted(event_distances(s, r), reverse=True)
    n = len(values)
    return sum((quantifier(i / n) - quantifier((i - 1) / n)) * v for i, v in enumerate(values, start=1))


def oss(s, r):
    if not s and not r:
        return 0.0
    moved, unpaired = 0, 0
    for event in set(s) | set(r):
        a, b = occurrences(s, event), occurrences(r, event)
        moved += sum(abs(i - j) for i, j in zip(a, b, strict=False))
        unpaired += abs(len(a) - len(b))
    return (moved / max(len(s), len(r)) + unpaired) / (len(s) + len(r))


def hamming(s, r):
    longer = max(len(s), len(r))
    return sum(s[i : i + 1] != r[i : i + 1] for i in range(longer)) / max(longer, 1)


def optimal_matching(s, r, indel, cost):
    @cache
    def least(i, j):
        if i == 0 or j == 0:
            return (i + j) * indel
        exchange = least(i - 1, j - 1) + (0 if s[i - 1] == r[j - 1] else cost(s[i - 1], r[j - 1]))
        return min(exchange, least(i - 1, j) + indel, least(i, j - 1) + indel)

    return least(len(s), len(r))


def levenshtein(s, r):
    return optimal_matching(tuple(s), tuple(r), 1, lambda _x, _y: 1) / max(len(s), len(r), 1)


def lcs(s, r):
    return optimal_matching(tuple(s), tuple(r), 1, lambda _x, _y: 2) / max(len(s) + len(r), 1)


def kshc(matrix, sizes, k, linkage):
    """Groups of items as the rule of METHODS.md says, every distance taken from the original matrix.

    Median linkage is Gower's: a cluster stands at the point halfway between the two that merged, so that every item has
    a weight, a half of what it had, and clusters are as far apart as these weighted points.
    """
    share = dict.fromkeys(range(len(sizes)), 1.0)

    def between(a, b):
        if linkage == "median":
            across, in_a, in_b = (
                sum(share[i] * share[j] * matrix[i][j] for i in one for j in other)
                for one, other in ((a, b), (a, a), (b, b))
            )
            return across - in_a / 2 - in_b / 2
        distances = [(matrix[i][j], sizes[i] * sizes[j]) for i in a for j in b]
        if linkage == "single":
            return min(d for d, _ in distances)
        if linkage == "complete":
            return max(d for d, _ in distances)
        return sum(d * w for d, w in distances) / sum(w for _, w in distances)

    def records(cluster):
        return sum(sizes[i] for i in cluster)

    n = len(sizes)
    closed = [[i] for i in range(n) if sizes[i] >= k]
    waiting = [[i] for i in range(n) if sizes[i] < k]
    while len(waiting) > 1:
        waiting.sort(key=min)
        pairs = [(a, b) for a in range(len(waiting)) for b in range(a + 1, len(waiting))]
        a, b = min(pairs, key=lambda pair: (round(between(waiting[pair[0]], waiting[pair[1]]), 12), pair))
        merged = waiting[a] + waiting[b]
        share |= {i: share[i] / 2 for i in merged}
        waiting = [c for p, c in enumerate(waiting) if p not in (a, b)]
        (closed if records(merged) >= k else waiting).append(merged)
    left = sorted(i for cluster in waiting for i in cluster)
    settled = [list(cluster) for cluster in closed]
    while left:
        room = [g for g in range(len(closed)) if records(closed[g]) < 2 * k - 1] or list(range(len(closed)))
        near = [(min(matrix[i][j] for j in settled[g]), p, g) for p, i in enumerate(left) for g in room]
        _, p, g = min(near)
        closed[g].append(left.pop(p))
    return sorted(sorted(cluster) for cluster in closed)


def prototype_length(group, weights):
    lengths = [len(s) for s in group]
    mean = Fraction(sum(n * w for n, w in zip(lengths, weights, strict=True)), sum(weights))
    return max(int(mean + Fraction(1, 2)), min(1, max(lengths)))


def oesp(group, weights, longest):
    """Ordered element scoring in exact fractions of 2⁻²⁰, cut off downwards."""
    left = [list(range(len(s))) for s in group]
    prototype = []

    def value(s, p, t):
        m = 1
        while m < longest and m <= p and m <= t and s[p - m] == prototype[t - m]:
            m += 1
        return m * 2**20 // (1 + abs(p - t))

    for t in range(prototype_length(group, weights)):
        score = {}
        for s, free, w in zip(group, left, weights, strict=True):
            for event in {s[p] for p in free}:
                score[event] = score.get(event, 0) + w * max(value(s, p, t) for p in free if s[p] == event)
        winner = min(score, key=lambda event: (-score[event], event))
        for s, free in zip(group, left, strict=True):
            mine = [p for p in free if s[p] == winner]
            if mine:
                free.remove(max(mine, key=lambda p: (value(s, p, t), -p)))
        prototype.append(winner)
    return prototype


def majority(group, weights):
    result = []
    for t in range(prototype_length(group, weights)):
        votes = {}
        for s, w in zip(group, weights, strict=True):
            if t < len(s):
                votes[s[t]] = votes.get(s[t], 0) + w
        result.append(min(votes, key=lambda event: (-votes[event], event)))
    return result


def medoid(group, weights, distance):
    sums = [sum(w * distance(s, r) for r, w in zip(group, weights, strict=True)) for s in group]
    filled = any(len(s) for s in group)
    return min((round(total, 12), i) for i, total in enumerate(sums) if len(group[i]) or not filled)[1]


def is_subsequence(part, whole):
    events = iter(whole)
    return all(x in events for x in part)


def contains_all(part, whole):
    return all(list(whole).count(x) >= list(part).count(x) for x in set(part))


def frequent_subsequences(sequences, weights, least, longest):
    """Support of every subsequence of up to `longest` events that at least `least` of the weight holds."""
    found = {}
    for s, w in zip(sequences, weights, strict=True):
        for part in {c for n in range(1, longest + 1) for c in combinations(s, n)}:
            found[part] = found.get(part, 0) + w
    return {part: support for part, support in found.items() if support >= least}


def jaccard(s, r):
    """Return the share of different events of either sequence that only one of them holds."""
    either = set(s) | set(r)
    return len(set(s) ^ set(r)) / len(either) if either else 0.0


def sorensen(s, r):
    """Return the events that only one of two sequences holds, by the different events of both counted together."""
    both = len(set(s)) + len(set(r))
    return len(set(s) ^ set(r)) / both if both else 0.0


def frequent_items(group, weights):
    """Return the items that most sets hold, as many as a set has on average, halves up."""
    sizes = [len(set(one)) for one in group]
    total = sum(weights)
    size = int(sum(s * w for s, w in zip(sizes, weights, strict=True)) / total + 0.5)
    size = max(size, min(1, max(sizes)))
    holders = {}
    for one, weight in zip(group, weights, strict=True):
        for item in set(one):
            holders[item] = holders.get(item, 0) + weight
    return sorted(sorted(holders, key=lambda item: (-holders[item], item))[:size])


GAP = -(2**31)


def share_apart(x, y, span):
    """Return how far two readings are apart, of 1; a gap has nothing in common with a reading."""
    if x == y:
        return 0.0
    return 1.0 if GAP in (x, y) else min(abs(x - y) / span, 1.0)


def euclidean(s, r, span):
    """Return the root of the mean squared difference, readings that only one series has counted as 1."""
    longer = max(len(s), len(r))
    squares = [share_apart(x, y, span) ** 2 for x, y in zip(s, r, strict=False)]
    return ((sum(squares) + longer - len(squares)) / max(longer, 1)) ** 0.5


def dtw(s, r, span, window):
    """Return the least mean squared difference over every warping path within the band, written out."""
    if not s or not r:
        return float(bool(s) or bool(r))
    longer = max(len(s), len(r))
    band = max(int(window * longer), abs(len(s) - len(r)))

    @cache
    def least(i, j):
        if i < 0 or j < 0 or abs(i - j) > band:
            return 0.0 if (i, j) == (-1, -1) else float("inf")
        return share_apart(s[i], r[j], span) ** 2 + min(least(i - 1, j - 1), least(i - 1, j), least(i, j - 1))

    return (least(len(s) - 1, len(r) - 1) / longer) ** 0.5


def pointwise(group, weights, joined):
    """Return, time by time, what is made of the readings there, where enough records have one."""
    members = sum(weights)
    needed = min(members, max(members // 2 + 1, 3))
    series = [one for one, weight in zip(group, weights, strict=True) for _ in range(weight)]
    result = []
    for t in range(max(map(len, series), default=0)):
        if sum(len(one) > t for one in series) < needed:
            break
        readings = sorted(one[t] for one in series if len(one) > t and one[t] != GAP)
        result.append(joined(readings) if len(readings) >= needed else GAP)
    return result


def half_up(fraction):
    return (2 * fraction.numerator + fraction.denominator) // (2 * fraction.denominator)


def pointwise_mean(group, weights):
    return pointwise(group, weights, lambda x: half_up(Fraction(sum(x), len(x))))


def pointwise_median(group, weights):
    return pointwise(group, weights, lambda x: half_up(Fraction(x[(len(x) - 1) // 2] + x[len(x) // 2], 2)))


def weighted_jaccard(s, r):
    """Return the weight of terms that only one log has, by that of all terms of either; 0 and 1 are no terms."""
    first, second = ({code for code in log if code > 1} for log in (s, r))

    def weight(terms):
        return sum(math.log(code) for code in terms)

    return weight(first ^ second) / weight(first | second) if first | second else 0.0


def shared_terms(groups, weights):
    """Return what each group of logs shares, queries as tuples, written out record by record."""
    records = [
        [one for one, w in zip(*pair, strict=True) for _ in range(w)] for pair in zip(groups, weights, strict=True)
    ]
    least = min(map(len, records))
    everybody = [one for group in records for one in group]

    def queries(log):
        text = " ".join(map(str, log)).split(" 0 ") if log else []
        found = [tuple(int(word) for word in one.split() if word != "0") for one in text]
        return {one for one in found if one and all(code > 1 for code in one)}

    def terms(log):
        return {code for code in log if code > 1}

    def people(group, held, one):
        return sum(one in held(log) for log in group)

    result = []
    for group in records:
        if not any(group):
            result.append([])
            continue
        needed = min(len(group), max(len(group) // 2 + 1, 3))
        told = {}
        for one in {q for log in group for q in queries(log)}:
            if people(group, queries, one) >= needed and people(everybody, queries, one) >= least:
                told[one] = people(group, queries, one)
        inside = {term for query in told for term in query}
        common = {t for log in group for t in terms(log) if people(everybody, terms, t) >= least}
        for t in common - inside:
            if people(group, terms, t) >= needed:
                told[(t,)] = people(group, terms, t)
        if not told:
            told = {(min(common, key=lambda t: (-people(group, terms, t), t)),): 1} if common else {(1,): 1}
        ordered = sorted(told, key=lambda q: (-told[q], q))
        result.append([code for i, q in enumerate(ordered) for code in ([0] if i else []) + list(q)])
    return result
