"""Classes of equal keys and the lattice above them, with dictionaries and sets: twins of the kernels."""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple

import numpy as np

from discreet.kernels.generalising.class_rules import (
    AVERAGE,
    ITEMS,
    PROFIT,
    PROFIT_OF_PEOPLE,
    UNIQUES,
    class_figure,
    class_passes,
    expected_payout,
)
from discreet.kernels.generalising.judged import Rules
from discreet.kernels.generalising.node_walk import (
    ADDITIVE,
    AMBIGUITY,
    CLASS_SIZE,
    DISCERNIBILITY,
    DIVERGENCE,
    PAYOUT,
    SUPPRESSED,
)
from discreet.kernels.generalising.rolled import ClassTables, Ladders, Workspace


class Rule(NamedTuple):
    """One row of what is demanded."""

    kind: int
    low: float = -np.inf
    high: float = np.inf
    first: float = 0.0
    columns: tuple[int, ...] = ()
    sensitive: int = -1


class SlowClass(NamedTuple):
    """A class: its codes, how many records and people it has, and how often each confidential value occurs."""

    codes: tuple[int, ...]
    size: int
    people: int
    values: tuple[dict[int, int], ...]


class SmallLattice:
    """A few attributes with random ladders, random distinct classes at the finest node, and the arrays of both."""

    def __init__(self, seed, heights=(2, 1, 2), classes=12, words=2, confidential=(3, 2), empty=0.15, step=8.0):
        rng = np.random.default_rng(seed)
        self.heights, self.words = heights, words
        m = len(heights)
        # Codes from 2 on are values; the highest step has one, which is the top, or for some attributes two.
        self.codes = [
            [2 + (4 if s == 0 else 2 if s < h else int(rng.integers(1, 3))) for s in range(h + 1)] for h in heights
        ]
        self.upward = [
            [[0, 1, *(int(c) for c in rng.integers(2, codes[s + 1], codes[s] - 2))] for s in range(h)]
            for h, codes in zip(heights, self.codes, strict=True)
        ]
        self.price = [
            [(rng.integers(0, 9, n) / step + s).tolist() for s, n in enumerate(codes)] for codes in self.codes
        ]
        self.content = [[(rng.integers(0, 9, n) / (8 * m)).tolist() for n in codes] for codes in self.codes]
        self.margins = np.array([[s * 2.0 + rng.integers(0, 4) for s in range(max(heights) + 2)] for _ in heights])
        self.tops = [2 if codes[-1] == 3 else 1 for codes in self.codes]
        self.game = np.array([0.75, 4.0, float(rng.integers(0, 2))])
        keys = sorted({tuple(int(rng.integers(0, codes[0])) for codes in self.codes) for _ in range(classes)})
        rng.shuffle(keys)
        self.confidential = confidential
        self.finest = []
        for key in map(tuple, keys):
            size = 0 if rng.random() < empty else int(rng.integers(1, 4))
            drawn = [rng.integers(0, n, size).tolist() for n in confidential]
            values = tuple({v: row.count(v) for v in dict.fromkeys(row)} for row in drawn)
            self.finest.append(SlowClass(tuple(int(c) for c in key), size, size + int(rng.integers(0, 4)), values))
        self.records = sum(one.size for one in self.finest)
        self.shares = []
        for s, n in enumerate(confidential):
            counts = [sum(one.values[s].get(v, 0) for one in self.finest) for v in range(n)]
            self.shares.append([c / max(self.records, 1) for c in counts])
        self._lay_out()

    def _lay_out(self):
        m = len(self.heights)
        fields, used = np.zeros((m, 3), dtype=np.int64), [0] * self.words
        for a in range(m):
            word = a % self.words
            fields[a] = word, used[word], 7
            used[word] += 3
        steps = max(self.heights) + 2
        offsets = np.zeros((m, steps), dtype=np.int64)
        upward, price, content = [], [], []
        for a in range(m):
            for s in range(self.heights[a] + 1):
                offsets[a, s] = len(price)
                price += self.price[a][s]
                content += self.content[a][s]
                upward += self.upward[a][s] if s < self.heights[a] else [-9] * self.codes[a][s]
            offsets[a, self.heights[a] + 1 :] = len(price)
        self.ladders = Ladders(
            fields, np.array(self.heights), np.array(upward), offsets, np.array(price), self.margins,
            np.array(self.tops), np.array(content), self.game,
        )  # fmt: skip

    def tables(self, count=None):
        """Return room for some tables, the first filled with the finest node, and a used workspace."""
        m, d, s = len(self.heights), len(self.finest), len(self.confidential)
        count = m + 2 if count is None else count
        entries = max([1, *(sum(len(one.values[i]) for one in self.finest) for i in range(s))])
        tables = ClassTables(
            np.full((count, d, self.words), 99), np.full((count, d), 99), np.full((count, d), 99),
            np.full((count, s, d + 1), 99), np.full((count, s, entries), 99, dtype=np.int32),
            np.full((count, s, entries), 99), np.full(count, -9),
        )  # fmt: skip
        tables.filled[0] = d
        tables.starts[0, :, 0] = 0
        for row, one in enumerate(self.finest):
            tables.keys[0, row] = self.pack(one.codes)
            tables.sizes[0, row], tables.people[0, row] = one.size, one.people
            for i, values in enumerate(one.values):
                start = tables.starts[0, i, row]
                tables.values[0, i, start : start + len(values)] = list(values)
                tables.counts[0, i, start : start + len(values)] = list(values.values())
                tables.starts[0, i, row + 1] = start + len(values)
        slots = 4
        while slots < 2 * d:
            slots *= 2
        most = max([1, *self.confidential])
        work = Workspace(
            np.full((d, self.words), 77), np.full(slots, 77), np.full(d, 77), np.full(d, 77), np.full(d, 77),
            np.full(d + 1, 77), np.full(d + 1, 77), np.zeros(most, dtype=np.int64), np.full(most, 7.7),
            np.full(entries, 77, dtype=np.int32), np.full(entries, 77), np.ones(d, dtype=bool), np.ones(d, dtype=bool),
        )  # fmt: skip
        return tables, work

    def pack(self, codes):
        """Return the key of codes."""
        key = [0] * self.words
        for (word, shift, _), code in zip(self.ladders.fields.tolist(), codes, strict=True):
            key[word] |= code << shift
        return key

    def classes_at(self, levels):
        """Return the classes of a node, in order of their first appearance."""
        joined = {}
        for one in self.finest:
            codes = list(one.codes)
            for a, level in enumerate(levels):
                for step in range(level):
                    codes[a] = self.upward[a][step][codes[a]]
            joined.setdefault(tuple(codes), []).append(one)
        return [
            SlowClass(codes, sum(x.size for x in members), sum(x.people for x in members), tuple(
                {v: sum(x.values[s].get(v, 0) for x in members) for x in members for v in x.values[s]}
                for s in range(len(self.confidential))
            ))
            for codes, members in joined.items()
        ]  # fmt: skip

    def read(self, tables, table):
        """Return the classes of a table."""
        classes = []
        for row in range(tables.filled[table]):
            codes = [int(tables.keys[table, row, w] >> s) & mask for w, s, mask in self.ladders.fields.tolist()]
            values = []
            for s in range(len(self.confidential)):
                begin, end = tables.starts[table, s, row], tables.starts[table, s, row + 1]
                names = tables.values[table, s, begin:end].tolist()
                values.append(dict(zip(names, tables.counts[table, s, begin:end].tolist(), strict=True)))
            classes.append(
                SlowClass(tuple(codes), int(tables.sizes[table, row]), int(tables.people[table, row]), tuple(values))
            )
        return classes

    def priced(self, prices, codes, levels):
        """Return what codes cost at a node."""
        return sum(prices[a][level][code] for a, (level, code) in enumerate(zip(levels, codes, strict=True)))

    def arrays_of(self, rules):
        """Return rules as the kernels read them."""
        m, s = len(self.heights), len(self.confidential)
        columns = np.array([[a in rule.columns for a in range(m)] for rule in rules], dtype=bool).reshape(-1, m)
        masks = np.zeros((len(rules), self.words), dtype=np.int64)
        for r, rule in enumerate(rules):
            for a in rule.columns:
                word, shift, mask = self.ladders.fields[a]
                masks[r, word] |= mask << shift
        most = max([1, *self.confidential])
        shares, trees = np.zeros((max(s, 1), most)), np.zeros((max(s, 1), 3, most), dtype=np.int64)
        steps = np.ones(max(s, 1), dtype=np.int64)
        for i, n in enumerate(self.confidential):
            shares[i, :n] = self.shares[i]
            trees[i, 0, :n] = np.arange(n)
            trees[i, 1, :n] = np.arange(n) // 2
            steps[i] = 3 if i == 0 else 2
            if i:
                trees[i, 1, :n] = 0
        whole = [np.array([getattr(rule, name) for rule in rules], dtype=float) for name in ("low", "high", "first")]
        return Rules(
            np.array([rule.kind for rule in rules], dtype=np.int64), *whole, columns, masks,
            np.array([rule.sensitive for rule in rules], dtype=np.int64), shares,
            np.array(self.confidential or (0,), dtype=np.int64), trees, steps,
        )  # fmt: skip


def broken_rows(lattice, rules, rule, classes, keys, levels, counted):
    """Return the rows of the classes, by the columns of a rule, that break it; `counted` rows are released."""
    arrays = lattice.arrays_of(rules)
    groups = {}
    for row, key in enumerate(keys):
        groups.setdefault(tuple(key[a] for a in rule.columns), []).append(row)
    broken = set()
    for rows in groups.values():
        there = [row for row in rows if row in counted]
        size, people = sum(classes[row].size for row in there), sum(classes[row].people for row in rows)
        if size == 0 or (rule.kind == ITEMS and any(keys[rows[0]][a] == 0 for a in rule.columns)):
            continue
        if rule.kind in (PROFIT, PROFIT_OF_PEOPLE):
            reach = people if rule.kind == PROFIT_OF_PEOPLE else size
            lost = lattice.priced(lattice.content, keys[rows[0]], levels)
            figure = expected_payout(lost, reach, lattice.game[0], lattice.game[1])
        else:
            s = rule.sensitive
            n = lattice.confidential[s] if s >= 0 else 0
            tally = np.array([sum(classes[row].values[s].get(v, 0) for row in there) for v in range(n)], dtype=np.int64)
            figure = class_figure(
                rule.kind, rule.first, size, people, tally, arrays.shares[max(s, 0), :n],
                arrays.trees[max(s, 0), : arrays.steps[max(s, 0)], :n], np.zeros(n),
            )  # fmt: skip
        if not class_passes(rule.kind, figure, rule.low, rule.high):
            broken |= set(there)
    return broken


def keeps_file_rules(rules, sizes, star):
    """Say whether all classes together keep what is said of them, `star` records being one more class."""
    sizes = [*sizes, star] if star else sizes
    records = max(sum(sizes), 1)
    return all(
        class_passes(
            rule.kind, (len(sizes) if rule.kind == AVERAGE else sizes.count(1) * rule.first) / records, 0.0, rule.high
        )
        for rule in rules
        if rule.kind in (AVERAGE, UNIQUES)
    )


def judged(lattice, rules, levels, limit, stays):
    """Return the codes of the classes that are not released and the number of their records, or None and −1."""
    classes = lattice.classes_at(levels)
    sized = {row for row, one in enumerate(classes) if one.size}
    m = len(lattice.heights)
    of_classes = [rule for rule in rules if rule.kind < AVERAGE]
    several = any(len(rule.columns) < m for rule in of_classes)
    total = lattice.records
    dead = set()

    def lost():
        return sum(classes[row].size for row in dead)

    small = sorted(sized, key=lambda row: (
        classes[row].size, -lattice.priced(lattice.price, classes[row].codes, levels), lattice.pack(classes[row].codes)
    ))  # fmt: skip
    while True:
        while True:
            keys = [one.codes for one in classes]
            doomed = set()
            for rule in of_classes:
                doomed |= broken_rows(lattice, rules, rule, classes, keys, levels, sized - dead)
            if not doomed:
                break
            dead |= doomed
        if lost() > limit or (lost() == total and not stays):
            return None, -1
        fine = keeps_file_rules(rules, [classes[row].size for row in sized - dead], lost() if stays else 0)
        if fine:
            star = [lattice.tops[a] if levels[a] == lattice.heights[a] else 1 for a in range(m)]
            keys = [tuple(star) if row in dead else one.codes for row, one in enumerate(classes)]
            if not stays or not dead or not any(
                broken_rows(lattice, rules, rule, classes, keys, levels, sized) for rule in of_classes
            ):  # fmt: skip
                return {classes[row].codes for row in dead}, lost()
        if lost() >= total:
            return None, -1
        if fine:
            smallest = min(classes[row].size for row in sized - dead)
            dead |= {row for row in sized - dead if classes[row].size == smallest}
        else:
            while not fine and sized - dead:
                dead.add(next(row for row in small if row not in dead))
                fine = several or keeps_file_rules(
                    rules, [classes[row].size for row in sized - dead], lost() if stays else 0
                )
        if lost() > limit:
            return None, -1


def valued(lattice, objective, levels, dearest, dead):
    """Return the objective of a node whose classes with these codes are suppressed."""
    classes = [one for one in lattice.classes_at(levels) if one.size]
    prices = {one.codes: lattice.priced(lattice.price, one.codes, levels) for one in classes}
    gone = sum(one.size for one in classes if one.codes in dead)
    live = [one for one in classes if one.codes not in dead]
    if objective == ADDITIVE:
        margins = sum(lattice.margins[a, level] for a, level in enumerate(levels))
        return margins + sum(one.size * (dearest - prices[one.codes]) for one in classes if one.codes in dead)
    if objective == DISCERNIBILITY:
        return sum(one.size**2 for one in live) + gone * lattice.records
    if objective == CLASS_SIZE:
        return lattice.records / (len(live) + (gone > 0))
    if objective == DIVERGENCE:
        total = lattice.margins[0, 0] + sum(one.size * (prices[one.codes] - math.log2(one.size)) for one in live)
        return max(0.0, total + (gone * (dearest - math.log2(gone)) if gone else 0.0))
    if objective == SUPPRESSED:
        return gone
    if objective == PAYOUT:
        payouts = (
            one.size * expected_payout(
                prices[one.codes], one.people if lattice.game[2] else one.size, lattice.game[0], lattice.game[1]
            )
            for one in live
        )  # fmt: skip
        return sum(one.size for one in live) - sum(payouts) + gone * dearest
    assert objective == AMBIGUITY
    return sum(one.size * 2 ** prices[one.codes] for one in live) + gone * 2**dearest


def walked(lattice, rules, objective, dearest, limit, stays, bounded, looks_ahead):
    """Walk over all nodes, leaving out what the two flags allow; return best, its loss, its levels, and the counts."""
    m, heights = len(lattice.heights), lattice.heights
    best, lost, best_levels = np.inf, -1, None
    skipped, counts = [], [0, 0, 0, 0]
    for levels in product(*(range(h + 1) for h in heights)):
        out = next(
            (kind for kind, fixed, least in skipped if levels[: len(fixed)] == fixed and levels[len(fixed)] >= least),
            None,
        )
        if out is not None:
            counts[out] += 1
            continue
        a = max((place for place, level in enumerate(levels) if level), default=-1)
        if a >= 0 and bounded:
            bound = valued(lattice, ADDITIVE if objective in (ADDITIVE, PAYOUT) else objective, levels, dearest, set())
            if bound >= best * (1 - 1e-13):
                skipped.append((2, levels[:a], levels[a]))
                counts[2] += 1
                continue
        if looks_ahead and 0 <= a < m - 1 and math.prod(h + 1 for h in heights[a + 1 :]) > 2:
            coarsest = (*levels[: a + 1], *heights[a + 1 :])
            if judged(lattice, rules, coarsest, limit, stays)[1] < 0:
                skipped.append((3, levels[: a + 1], 0))
                counts[3] += 1
                continue
        counts[0] += 1
        dead, suppressed = judged(lattice, rules, levels, limit, stays)
        if suppressed < 0:
            continue
        counts[1] += 1
        value = valued(lattice, objective, levels, dearest, dead)
        if value < best * (1 - 1e-13):
            best, lost, best_levels = value, suppressed, levels
    return best, lost, best_levels, counts
