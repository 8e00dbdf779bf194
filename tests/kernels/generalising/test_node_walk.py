"""The walk finds what a look at every node finds, and says of each branch it leaves out why."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.reference.lattice import Rule, SmallLattice, judged, valued, walked

from discreet.kernels.generalising.class_rules import AVERAGE, DISTINCT, SIZE
from discreet.kernels.generalising.node_walk import (
    ADDITIVE,
    AMBIGUITY,
    CLASS_SIZE,
    DISCERNIBILITY,
    DIVERGENCE,
    PAYOUT,
    SUPPRESSED,
    climb,
    list_nodes,
    node_value,
    walk,
)

OBJECTIVES = [ADDITIVE, DISCERNIBILITY, CLASS_SIZE, DIVERGENCE, AMBIGUITY, SUPPRESSED, PAYOUT]
ALL = (0, 1, 2)
K = [Rule(SIZE, low=3.0, columns=ALL)]
DIVERSE = [Rule(SIZE, low=2.0, columns=(0, 1)), Rule(DISTINCT, low=2.0, columns=ALL, sensitive=0)]
AVERAGED = [Rule(AVERAGE, high=0.25)]


def begun(lattice: SmallLattice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    m = len(lattice.heights)
    progress = np.zeros(6, dtype=np.int64)
    progress[1] = m - 1
    return np.zeros(m, dtype=np.int64), np.zeros(m + 1, dtype=np.int64), progress


def all_nodes(lattice: SmallLattice) -> list[tuple[int, ...]]:
    return list(product(*(range(h + 1) for h in lattice.heights)))


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_value_of_a_node(objective: int) -> None:
    for seed in range(6):
        lattice = SmallLattice(seed, classes=4 + 3 * seed, words=1 + seed % 2, empty=0.3)
        rng = np.random.default_rng(seed)
        for levels in [(0, 0, 0), (1, 0, 2), (2, 1, 2)]:
            tables, work = lattice.tables(2)
            climb(lattice.ladders, tables, 0, 1, np.zeros(3, dtype=np.int64), np.array(levels), work)
            classes = lattice.read(tables, 1)
            work.dead[:] = rng.random(work.dead.size) < 0.4
            asked = objective, lattice.ladders, tables, 1, np.array(levels), lattice.records, 5.5
            dead = {one.codes for row, one in enumerate(classes) if work.dead[row]}
            some = valued(lattice, objective, levels, 5.5, dead)
            assert node_value(*asked, True, work) == pytest.approx(some, rel=1e-12, abs=1e-12)
            none = valued(lattice, objective, levels, 5.5, set())
            assert node_value(*asked, False, work) == pytest.approx(none, rel=1e-12, abs=1e-12)


def test_a_divergence_is_never_negative_and_may_be_less_than_one() -> None:
    lattice = SmallLattice(1, empty=0.0)
    tables, work = lattice.tables(2)
    asked = DIVERGENCE, lattice.ladders, tables, 0, np.zeros(3, dtype=np.int64), lattice.records, 5.0, False, work
    without = valued(lattice, DIVERGENCE, (0, 0, 0), 5.0, set()) - lattice.margins[0, 0]
    assert without > 0
    lattice.margins[0, 0] = 0.25 - without
    assert node_value(*asked) == pytest.approx(0.25)
    lattice.margins[0, 0] = -1.0 - without
    assert node_value(*asked) == 0.0


@pytest.mark.parametrize("confidential", [(), (3, 2)])
def test_classes_of_any_node_above_another(confidential: tuple[int, ...]) -> None:
    for seed in range(4):
        lattice = SmallLattice(seed, classes=3 + 5 * seed, words=1 + seed % 2, confidential=confidential)
        for low, high in [
            ((0, 0, 0), (0, 0, 0)),
            ((0, 0, 0), (2, 1, 2)),
            ((1, 0, 1), (1, 1, 2)),
            ((2, 1, 0), (2, 1, 0)),
        ]:
            tables, work = lattice.tables(3)
            now = np.zeros(3, dtype=np.int64)
            climb(lattice.ladders, tables, 0, 1, now, np.array(low), work)
            assert now.tolist() == list(low)
            climb(lattice.ladders, tables, 1, 2, now, np.array(high), work)
            assert now.tolist() == list(high)
            assert lattice.read(tables, 0) == lattice.finest
            assert lattice.read(tables, 1) == lattice.classes_at(low)
            assert lattice.read(tables, 2) == lattice.classes_at(high)
            climb(lattice.ladders, tables, 2, 2, now, np.array(high), work)  # already there
            assert lattice.read(tables, 2) == lattice.classes_at(high)


def run(
    lattice: SmallLattice, rules: list[Rule], objective: int, dearest: float, limit: int, turns: int, **flags: bool
) -> tuple[float, int, tuple[int, ...] | None, list[int]]:
    tables, work = lattice.tables()
    levels, owners, progress = begun(lattice)
    best, best_levels = np.array([np.inf, -1.0]), np.full(levels.size, -5)
    rest: tuple[Any, ...] = (turns, levels, owners, progress, best, best_levels, work)
    flagged = flags["stays"], flags["bounded"], flags["looks_ahead"]
    arrays = lattice.arrays_of(rules)
    calls = 1
    while not walk(objective, lattice.ladders, arrays, tables, lattice.records, dearest, limit, *flagged, *rest):
        calls += 1
        assert calls < 200
    found = tuple(best_levels.tolist()) if best[1] >= 0 else None
    return best[0], int(best[1]), found, progress[2:].tolist()


@pytest.mark.parametrize(("bounded", "looks_ahead"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_walk_finds_what_a_look_at_every_node_finds(objective: int, bounded: bool, looks_ahead: bool) -> None:
    for seed, heights in enumerate([(2, 1, 2), (1, 2, 1), (2, 2), (3,), (0, 1, 0, 2), (1, 1, 1)]):
        columns = tuple(range(len(heights)))
        rules = [
            rule._replace(columns=columns[: max(1, len(rule.columns))]) for rule in (K, DIVERSE, AVERAGED)[seed % 3]
        ]
        lattice = SmallLattice(seed, heights=heights, classes=14, words=1 + seed % 2)
        for limit in (0, 4):
            stays = seed % 2 == 1
            expected = walked(lattice, rules, objective, 5.0, limit, stays, bounded, looks_ahead)
            value, *rest = run(
                lattice, rules, objective, 5.0, limit, (1, 3, 1000)[seed % 3],
                stays=stays, bounded=bounded, looks_ahead=looks_ahead,
            )  # fmt: skip
            assert value == pytest.approx(expected[0], rel=1e-12)
            assert rest == list(expected[1:])
            visited, _, off_bound, off_ahead = rest[-1]
            assert visited + off_bound + off_ahead == math.prod(h + 1 for h in heights)


@pytest.mark.parametrize("objective", [ADDITIVE, CLASS_SIZE])
@pytest.mark.parametrize("stays", [False, True])
def test_the_list_holds_every_node_with_what_it_costs(objective: int, stays: bool) -> None:
    lattice = SmallLattice(7, classes=14)
    tables, work = lattice.tables()
    levels, owners, progress = begun(lattice)
    arrays = lattice.arrays_of(K)
    nodes: list[tuple[tuple[int, ...], int, float]] = []
    while True:
        steps = np.full((5, 3), -5)
        suppressed, values = np.full(5, -5), np.full(5, -5.0)
        asked = lattice.records, 5.0, stays, levels, owners, progress, steps, suppressed, values, work
        count = list_nodes(objective, lattice.ladders, arrays, tables, *asked)
        nodes += zip(map(tuple, steps[:count].tolist()), suppressed[:count].tolist(), values[:count], strict=True)
        assert suppressed[count:].tolist() == [-5] * (5 - count)
        if count < 5:
            break
    assert [node for node, _, _ in nodes] == all_nodes(lattice)
    for node, lost, value in nodes:
        dead, expected = judged(lattice, K, node, lattice.records, stays)
        assert lost == expected
        assert value == (np.inf if dead is None else pytest.approx(valued(lattice, objective, node, 5.0, dead)))


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    with stops():
        run(SmallLattice(1), K, ADDITIVE, 5.0, 0, 5, stays=False, bounded=False, looks_ahead=False)
