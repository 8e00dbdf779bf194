"""Prototypes and groups change as they would if every release were counted anew, step by step."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from discreet.kernels.groups.balance import fill_tables, move_records, settle_prototypes

SLACK = 1e-9


class SmallRelease:
    """Some records with codes, weights and multiplicities, in groups with prototypes, and how their tables lie."""

    def __init__(
        self, seed: int, m: int = 12, groups: int = 3, sizes: tuple[int, ...] = (4, 3, 3), left_out: int = 0
    ) -> None:
        rng = np.random.default_rng(seed)
        q = len(sizes)
        self.sizes = np.array(sizes)
        # A few different records, so that some are equal and much is tied.
        kinds = np.array([[rng.integers(0, size) for size in sizes] for _ in range(max(1, m // 2))])
        self.codes = np.ascontiguousarray(kinds[rng.integers(0, len(kinds), m)].T.astype(np.int32))
        self.weights = rng.choice([1.0, 1.0, 2.0, 0.5], m)
        self.counts = rng.choice([1, 1, 2], m)
        self.labels = np.concatenate((np.arange(groups), rng.integers(0, groups, m - groups)))
        self.prototypes = np.array([[rng.integers(0, s) for s in sizes] for _ in range(groups)], dtype=np.int32)
        if seed % 3 == 1:
            self.prototypes[-1] = self.prototypes[-2 % groups]  # equally good groups
        self.starts = np.concatenate(([0], np.cumsum(self.sizes**2)[:-1]))
        self.places = np.concatenate(([0], np.cumsum(self.sizes)[:-1]))
        self.ordered = np.array([a % 2 == 0 for a in range(q)])
        self.table = rng.random(int((self.sizes**2).sum()))
        for a, size in enumerate(sizes):
            self.table[self.starts[a] + np.arange(size) * (size + 1)] = 0.0
        self.bit_cost = rng.random(q) / 2
        self.pairs = np.full((q, q), -1)
        at = self.tables = 0
        # Tables of one first, or those of two; of these some are left out by the sum of their places.
        layout = sorted(
            ((a, b) for a in range(q) for b in range(a + 1)), key=lambda one: (one[0] == one[1]) == seed % 2
        )
        for a, b in layout:
            if a == b or left_out == 0 or (a + b) % 2 != left_out % 2:
                self.pairs[a, b] = at
                at += int(self.sizes[a] * (1 if a == b else self.sizes[b]))
                self.tables += 1
        self.n_cells = at

    @property
    def layout(self) -> tuple[Any, ...]:
        return self.starts, self.sizes, self.places, self.pairs

    def counted(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Count everything, one record after the other."""
        cells, joint, released = np.zeros(self.n_cells), np.zeros(self.table.size), np.zeros(int(self.sizes.sum()))
        for i, label in enumerate(self.labels):
            before, after, w = self.codes[:, i], self.prototypes[label], self.weights[i]
            for a, size in enumerate(self.sizes):
                released[self.places[a] + after[a]] += w
                joint[self.starts[a] + before[a] * size + after[a]] += w
                for b in range(a + 1):
                    for codes, sign in ((before, -w), (after, w)):
                        if self.pairs[a, b] >= 0:
                            place = codes[a] if a == b else codes[a] * self.sizes[b] + codes[b]
                            cells[self.pairs[a, b] + place] += sign
        return cells, joint, released

    def cost(self) -> float:
        """Return what the whole release costs."""
        cells, joint, released = self.counted()
        total = np.abs(cells).sum() / (2 * self.tables) + (joint * self.table).sum() / self.sizes.size
        for a, size in enumerate(self.sizes):
            place, start = self.places[a], self.starts[a]
            bits = sum(x * math.log2(x) for x in released[place : place + size] if x > 0)
            bits -= sum(x * math.log2(x) for x in joint[start : start + size**2] if x > 0)
            total += self.bit_cost[a] * bits / self.sizes.size
        return float(total)


def settled(release: SmallRelease) -> int:
    """Choose every prototype's levels by the cost of the whole release."""
    changes = 0
    for g, prototype in enumerate(release.prototypes):
        for a, size in enumerate(release.sizes):
            inside = release.codes[a, release.labels == g].tolist()
            values = [u for u in inside if u < size - 1]
            old = cheapest = int(prototype[a])
            prices = []
            for v in [old, *range(size)]:
                between = bool(release.ordered[a] and values and min(values) <= v <= max(values))
                if v == old or between or v in inside:
                    prototype[a] = v
                    prices.append((release.cost(), v))
            best = np.inf
            for price, v in prices:
                if price < best - SLACK:
                    best, cheapest = price, v
            prototype[a] = cheapest
            changes += cheapest != old
    return changes


def moved(release: SmallRelease, k: int, most: int) -> int:
    """Move and exchange records by the cost of the whole release; newcomers of a group are looked at first."""
    members = [[i for i, label in enumerate(release.labels) if label == g] for g in range(len(release.prototypes))]
    went = 0

    def put(pairs: list[tuple[int, int]]) -> float:
        for i, group in pairs:
            release.labels[i] = group
        return release.cost()

    def size(group: int) -> int:
        return sum(int(release.counts[i]) for i in members[group])

    for i in range(release.labels.size):
        g = int(release.labels[i])
        far = {
            h: sum(release.table[release.starts[a] + release.codes[a, i] * s + release.prototypes[h, a]]
                   for a, s in enumerate(release.sizes))
            for h in range(len(members)) if h != g
        }  # fmt: skip
        best, choice = put([]) - SLACK, None
        for h in sorted(far, key=far.__getitem__)[:most]:
            if size(g) - release.counts[i] >= k:
                price = put([(i, h)])
                put([(i, g)])
                if price < best:
                    best, choice = price, (h, None)
                continue
            for j in members[h]:
                gain = release.counts[j] - release.counts[i]
                if size(g) + gain >= k and size(h) - gain >= k:
                    price = put([(i, h), (j, g)])
                    put([(i, g), (j, h)])
                    if price < best:
                        best, choice = price, (h, j)
        if choice is None:
            continue
        h, partner = choice
        for record, old, new in [(i, g, h)] + ([] if partner is None else [(partner, h, g)]):
            members[old].remove(record)
            members[new].insert(0, record)
            release.labels[record] = new
            went += 1
    return went


@pytest.mark.parametrize("left_out", [0, 1, 2])
def test_tables_are_those_that_are_counted(left_out: int) -> None:
    for seed in range(4):
        release = SmallRelease(seed, left_out=left_out)
        arrays = [np.full_like(one, 9.0) for one in release.counted()]
        fill_tables(release.codes, release.weights, release.labels, release.prototypes, *release.layout, *arrays)
        for one, other in zip(arrays, release.counted(), strict=True):
            assert one.tolist() == other.tolist()


@pytest.mark.parametrize("left_out", [0, 1, 2])
@pytest.mark.parametrize(("m", "groups", "sizes"), [(12, 3, (4, 3, 3)), (9, 4, (6, 5)), (5, 1, (4,)), (1, 1, (2, 2))])
def test_a_level_is_chosen_that_costs_least(m: int, groups: int, sizes: tuple[int, ...], left_out: int) -> None:
    total = 0
    for seed in range(6):
        release, twin = (SmallRelease(seed, m, groups, sizes, left_out) for _ in range(2))
        arrays = release.counted()
        order = np.argsort(release.labels, kind="stable")
        offsets = np.concatenate(([0], np.cumsum(np.bincount(release.labels, minlength=groups))))
        changes = settle_prototypes(
            release.codes, release.weights, order, offsets, release.ordered, release.table, *release.layout,
            release.bit_cost, release.tables, *arrays, np.full(max(sizes), 9.0), release.prototypes,
        )  # fmt: skip
        assert changes == settled(twin)
        assert release.prototypes.tolist() == twin.prototypes.tolist()
        for one, other in zip(arrays, release.counted(), strict=True):
            assert one.tolist() == other.tolist()
        total += changes
    assert total > 0 or m == 1


@pytest.mark.parametrize("left_out", [0, 1, 2])
@pytest.mark.parametrize(
    ("m", "groups", "sizes", "k", "near"),
    [
        (12, 3, (4, 3, 3), 3, 2),
        (12, 3, (4, 3, 3), 5, 4),
        (14, 5, (6, 5), 2, 2),
        (10, 4, (4,), 3, 1),
        (3, 1, (3, 3), 2, 2),
    ],
)
def test_records_go_where_it_costs_least(
    m: int, groups: int, sizes: tuple[int, ...], k: int, near: int, left_out: int
) -> None:
    total = 0
    for seed in range(6):
        release, twin = (SmallRelease(seed, m, groups, sizes, left_out) for _ in range(2))
        arrays = release.counted()
        went = move_records(
            release.codes, release.weights, release.counts, k, release.prototypes, release.table, *release.layout,
            release.bit_cost, release.tables, *arrays, np.full(near, -9), np.full(near, -9.0), release.labels,
        )  # fmt: skip
        assert went == moved(twin, k, near)
        assert release.labels.tolist() == twin.labels.tolist()
        for one, other in zip(arrays, release.counted(), strict=True):
            assert one.tolist() == other.tolist()
        total += went
    assert total > 0 or groups == 1


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    release = SmallRelease(0)
    arrays = release.counted()
    order, offsets = np.argsort(release.labels, kind="stable"), np.array([0, 4, 8, 12])
    with stops():
        fill_tables(release.codes, release.weights, release.labels, release.prototypes, *release.layout, *arrays)
    with stops():
        settle_prototypes(
            release.codes, release.weights, order, offsets, release.ordered, release.table, *release.layout,
            release.bit_cost, release.tables, *arrays, np.zeros(4), release.prototypes,
        )  # fmt: skip
    with stops():
        move_records(
            release.codes, release.weights, release.counts, 2, release.prototypes, release.table, *release.layout,
            release.bit_cost, release.tables, *arrays, np.zeros(2, int), np.zeros(2), release.labels,
        )  # fmt: skip
