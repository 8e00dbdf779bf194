"""Slow, obvious twins of everything done to trajectories: flat lists of time, x, y."""

from __future__ import annotations

import math
from functools import cache

EARTH = 6_371_000.0


def points(flat):
    return [tuple(flat[i : i + 3]) for i in range(0, len(flat), 3)]


def on_plane(p, q):
    return math.dist(p[1:], q[1:])


def over_ground(p, q, unit):
    """The haversine formula."""
    north, east, north2, east2 = (math.radians(unit * x) for x in (*p[1:], *q[1:]))
    half = math.sin((north2 - north) / 2) ** 2 + math.cos(north) * math.cos(north2) * math.sin((east2 - east) / 2) ** 2
    return 2 * EARTH * math.asin(math.sqrt(half))


def where(path, t, rank):
    """The point at a time, on the line between two; of several of one time that of this rank; None outside."""
    at = [p for p in path if p[0] == t]
    if at:
        return at[min(rank, len(at) - 1)]
    before, after = [p for p in path if p[0] < t], [p for p in path if p[0] > t]
    if not before or not after:
        return None
    (t0, *p0), (t1, *p1) = before[-1], after[0]
    share = (t - t0) / (t1 - t0)
    return (t, *(a + share * (b - a) for a, b in zip(p0, p1, strict=True)))


def synchronous(s, r, span, apart):
    """The mean over the points of both of d / (d + span), d the distance to where the other was."""
    total, n = 0.0, 0
    for path, other in ((points(s), points(r)), (points(r), points(s))):
        for i, p in enumerate(path):
            n += 1
            rank = sum(q[0] == p[0] for q in path[:i])
            there = where(other, p[0], rank)
            total += 1.0 if there is None else apart(p, there) / (apart(p, there) + span)
    return total / max(n, 1)


def hausdorff(s, r, span, apart):
    a, b = points(s), points(r)
    if not a or not b:
        return float(bool(a) or bool(b))
    ways = ((a, b), (b, a))
    far = max(max(min(apart(p, q) for q in there) for p in here) for here, there in ways)
    return far / (far + span)


def frechet(s, r, span, apart):
    a, b = points(s), points(r)
    if not a or not b:
        return float(bool(a) or bool(b))

    @cache
    def leash(i, j):
        steps = [(i - 1, j), (i, j - 1), (i - 1, j - 1)]
        before = [leash(*step) for step in steps if min(step) >= 0]
        return max(apart(a[i], b[j]), min(before, default=0.0))

    far = leash(len(a) - 1, len(b) - 1)
    return far / (far + span)


def edr(s, r, tolerance, apart):
    a, b = points(s), points(r)

    @cache
    def edits(i, j):
        if not i or not j:
            return i + j
        same = apart(a[i - 1], b[j - 1]) <= tolerance
        return min(edits(i - 1, j - 1) + (not same), edits(i - 1, j) + 1, edits(i, j - 1) + 1)

    return edits(len(a), len(b)) / max(len(a), len(b), 1)


def mean_path(group, weights):
    """The mean place at the mean times of equal progress, on a plane."""
    paths = [points(one) for one, weight in zip(group, weights, strict=True) for _ in range(weight) if one]
    if not paths or all(path == paths[0] for path in paths):
        return [x for p in (paths or [[]])[0] for x in p]
    m = int(sum(map(len, paths)) / len(paths) + 0.5)
    result = []
    for j in range(m):
        moments = []
        for path in paths:
            at = (j / (m - 1) if m > 1 else 0.5) * (len(path) - 1)
            low = min(int(at), max(len(path) - 2, 0))
            high = min(low + 1, len(path) - 1)
            moments.append(path[low][0] + (at - low) * (path[high][0] - path[low][0]))
        t = round(sum(moments) / len(moments))
        places = [held(path, t) for path in paths]
        result += [t, *(round(sum(p[d] for p in places) / len(places)) for d in (0, 1))]
    return result


def held(path, t):
    """Where somebody was: there before the first point and after the last."""
    if t <= path[0][0]:
        return path[0][1:]
    if t > path[-1][0]:
        return path[-1][1:]
    there = where(path, t, 0)
    return there[1:]
