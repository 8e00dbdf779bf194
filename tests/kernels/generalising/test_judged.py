"""What is suppressed at a node is what sets and dictionaries say, for every kind of rule, limit and end."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference.lattice import Rule, SmallLattice, judged

from discreet.kernels.generalising.class_rules import (
    ALPHA,
    AVERAGE,
    CLOSE_EQUAL,
    CLOSE_TREE,
    DISTINCT,
    ITEMS,
    POPULATION,
    PRESENCE,
    PROFIT,
    PROFIT_OF_PEOPLE,
    SIZE,
    UNIQUES,
)
from discreet.kernels.generalising.judged import judge
from discreet.kernels.generalising.node_walk import climb

ALL = (0, 1, 2)
RULES = {
    "size": [Rule(SIZE, low=3.0, columns=ALL)],
    "size of a pair": [Rule(SIZE, low=4.0, columns=(0, 2))],
    "size of each": [Rule(SIZE, low=4.0, columns=(a,)) for a in range(3)],
    "people": [Rule(POPULATION, low=5.0, columns=(0, 1))],
    "presence": [Rule(PRESENCE, low=0.3, high=0.8, columns=(1, 2)), Rule(SIZE, low=2.0, columns=ALL)],
    "items": [Rule(ITEMS, low=3.0, columns=(0, 1)), Rule(ITEMS, low=3.0, columns=(2,))],
    "distinct": [Rule(DISTINCT, low=2.0, columns=ALL, sensitive=0)],
    "two of them": [
        Rule(DISTINCT, low=2.0, columns=(0, 1), sensitive=0),
        Rule(ALPHA, high=0.75, columns=ALL, sensitive=1),
    ],
    "close": [
        Rule(CLOSE_EQUAL, high=0.4, columns=(1, 2), sensitive=1),
        Rule(CLOSE_TREE, high=0.3, columns=(0,), sensitive=0),
    ],
    "profit": [Rule(PROFIT, low=0.0, columns=ALL)],
    "profit of people": [Rule(PROFIT_OF_PEOPLE, low=0.0, columns=(0, 1, 2))],
    "average": [Rule(AVERAGE, high=1 / 3)],
    "average and size": [Rule(AVERAGE, high=0.25), Rule(SIZE, low=2.0, columns=ALL)],
    "average and pairs": [Rule(SIZE, low=3.0, columns=(0, 2)), Rule(AVERAGE, high=1 / 4)],
    "uniques": [Rule(UNIQUES, high=0.1, first=1.0)],
    "no uniques": [Rule(UNIQUES, high=0.0, first=0.5), Rule(SIZE, low=2.0, columns=(1,))],
}


def answer(
    lattice: SmallLattice, rules: list[Rule], levels: tuple[int, ...], limit: int, stays: bool
) -> tuple[set | None, int]:
    tables, work = lattice.tables(2)
    climb(lattice.ladders, tables, 0, 1, np.zeros(3, dtype=np.int64), np.array(levels), work)
    arrays = lattice.arrays_of(rules)
    suppressed = judge(lattice.ladders, arrays, tables, 1, np.array(levels), limit, stays, work)
    assert not work.tally.any()
    assert -1 <= suppressed <= limit
    if suppressed < 0:
        return None, -1
    classes = lattice.read(tables, 1)
    dead = {one.codes for row, one in enumerate(classes) if work.dead[row]}
    assert suppressed == sum(one.size for one in classes if one.codes in dead)
    return dead - {one.codes for one in classes if one.size == 0}, int(suppressed)


@pytest.mark.parametrize("stays", [False, True])
@pytest.mark.parametrize("name", RULES)
def test_what_goes_is_what_sets_say(name: str, stays: bool) -> None:
    rules = RULES[name]
    answers = set()
    for seed in range(8):
        rng = np.random.default_rng([len(name), seed])
        lattice = SmallLattice(seed, classes=(1, 3, 12, 20)[seed % 4], words=1 + seed % 3)
        for _ in range(3):
            levels = tuple(int(rng.integers(0, h + 1)) for h in lattice.heights)
            free = judged(lattice, rules, levels, lattice.records, stays)[1]
            # What is needed is allowed exactly, and one record less.
            limits = {lattice.records, max(free, 0), max(free - 1, 0), lattice.records // 2}
            for limit in sorted(limits):
                expected = judged(lattice, rules, levels, limit, stays)
                assert answer(lattice, rules, levels, limit, stays) == expected
                answers.add(expected[1])
    assert len(answers) > 2  # all, none and some


def test_nothing_is_released_where_everything_goes_unless_it_stays() -> None:
    lattice = SmallLattice(3, classes=4, empty=0.0)
    nobody = [Rule(SIZE, low=1000.0, columns=ALL)]
    assert answer(lattice, nobody, (0, 0, 0), lattice.records, stays=False) == (None, -1)
    assert answer(lattice, nobody, (0, 0, 0), lattice.records, stays=True) == (None, -1)
    # All of them as one class, fully generalised, are enough.
    enough = [Rule(SIZE, low=float(lattice.records), columns=ALL)]
    assert answer(lattice, enough, (0, 0, 0), lattice.records, stays=True)[1] == lattice.records
    assert answer(lattice, enough, (0, 0, 0), lattice.records, stays=False) == (None, -1)


def test_without_rules_nothing_goes() -> None:
    lattice = SmallLattice(4)
    assert answer(lattice, [], (1, 0, 1), 0, stays=False) == (set(), 0)
    assert answer(lattice, [], (1, 0, 1), 0, stays=True) == (set(), 0)
