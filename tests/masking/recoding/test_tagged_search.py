"""The search that closes nodes finds what a look at every node finds, and closes no better one."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.reference.lattice import Rule, SmallLattice, judged, valued

from discreet.kernels.generalising.class_rules import DISTINCT, SIZE
from discreet.kernels.generalising.node_walk import ADDITIVE
from discreet.masking.recoding.tagged_search import TaggedSearch, _is_finer

DEAREST = 20.0


class Case:
    """A small lattice whose margins rise with every step, as the search sees it."""

    def __init__(
        self, seed: int, heights: tuple[int, ...] = (2, 1, 2), limit: int = 3, *, flat: bool = False, classes: int = 14
    ) -> None:
        self.lattice = SmallLattice(seed, heights=heights, classes=classes, words=1 + seed % 2)
        columns = tuple(range(len(heights)))
        self.rules = [Rule(SIZE, low=3.0, columns=columns), Rule(DISTINCT, low=2.0, columns=columns[:2], sensitive=0)]
        self.limit = limit
        rng = np.random.default_rng([seed, 7])
        rises = np.zeros(self.lattice.margins.shape) if flat else rng.integers(0, 3, self.lattice.margins.shape)
        self.lattice.margins[:] = 4 + np.cumsum(rises, axis=1)
        tables, work = self.lattice.tables()
        self.search = TaggedSearch(SimpleNamespace(  # type: ignore[arg-type]
            steps=self.lattice.ladders, tables=tables, work=work, rules=self.lattice.arrays_of(self.rules), limit=limit,
            stays=False, n=self.lattice.records, dearest=DEAREST,
        ))  # fmt: skip
        self.nodes = list(product(*(range(h + 1) for h in heights)))

    def expected(self, node: tuple[int, ...]) -> tuple[float, int]:
        dead, lost = judged(self.lattice, self.rules, node, self.limit, False)
        return (np.inf, -1) if dead is None else (valued(self.lattice, ADDITIVE, node, DEAREST, dead), lost)

    @property
    def counted(self) -> int:
        return self.search.visited + self.search.bounded + self.search.hopeless


@pytest.mark.parametrize("heights", [(2, 1, 2), (3,), (1, 1, 1, 1, 1), (2, 2)])
def test_a_look_at_any_node_from_whatever_is_kept(heights: tuple[int, ...]) -> None:
    for seed in range(3):
        case = Case(seed, heights, limit=8)
        order = np.random.default_rng(seed).permutation(len(case.nodes))
        for place in [*order, *order[:5]]:
            node = case.nodes[place]
            assert case.search.look(node) == pytest.approx(case.expected(node))
            assert not case.search.open[node]
            kept = case.search.kept.values()
            assert sum(int(one.filled[0]) for one in kept) <= case.search.room or len(kept) == 1
            for prefix, one in case.search.kept.items():
                rest = (0,) * (len(heights) - len(prefix))
                assert case.lattice.read(one, 0) == case.lattice.classes_at((*prefix, *rest))
        assert case.search.visited == len(case.nodes) + len(order[:5])


def test_only_so_much_is_kept() -> None:
    case = Case(1, (2, 2, 2, 1), limit=20)
    case.search.room = 30
    for node in case.nodes:
        assert case.search.look(node) == pytest.approx(case.expected(node))
        assert sum(int(one.filled[0]) for one in case.search.kept.values()) <= 30 or len(case.search.kept) == 1
    case.search.room = 0
    case.search.look((1, 1, 1, 0))
    assert list(case.search.kept) == [(1, 1, 1)]  # what was looked at last


@pytest.mark.parametrize(("heights", "prefixes"), [
    ((2, 2, 2, 2, 2), [(2,), (2, 1), (2, 1, 2)]), ((2, 2, 2), [(2,), (2, 1)]), ((2, 2), [(2,)]), ((2,), []),
])  # fmt: skip
def test_tables_of_the_first_three_attributes_are_kept(
    heights: tuple[int, ...], prefixes: list[tuple[int, ...]]
) -> None:
    case = Case(1, heights, limit=20, classes=3)
    case.search.room = 10**6
    case.search.look((2, 1, 2, 1, 2)[: len(heights)])
    assert list(case.search.kept) == prefixes
    # A level that is as in the data needs no table, and what is used again is the last to go.
    if len(heights) == 5:
        case.search.look((2, 0, 1, 1, 0))
        assert list(case.search.kept) == [(2, 1), (2, 1, 2), (2,), (2, 0, 1)]


@pytest.mark.parametrize("limit", [0, 3, 8, 100])
@pytest.mark.parametrize("heights", [(2, 1, 2), (3,), (1, 1, 1, 1), (0, 2, 0, 3)])
def test_the_best_is_that_of_all_nodes(heights: tuple[int, ...], limit: int) -> None:
    for seed in range(4):
        case = Case(seed, heights, limit, flat=seed == 3)
        assert case.search.run(10**6, None, "")
        values = {node: case.expected(node)[0] for node in case.nodes}
        best = min(values.values())
        assert case.search.best == pytest.approx(best)
        assert case.search.bound() == case.search.best
        if np.isfinite(best):
            assert case.search.best_levels is not None
            assert values[tuple(case.search.best_levels.tolist())] == pytest.approx(best)
        else:
            assert case.search.best_levels is None
        assert not case.search.open.any()
        assert case.counted == len(case.nodes)
        assert case.search.feasible <= case.search.visited


def test_what_a_failing_node_rules_out() -> None:
    case = Case(2, (2, 1, 2), limit=-1)  # nothing passes
    assert case.search.look((1, 1, 0)) == (np.inf, -1)
    closed = {node for node in case.nodes if not case.search.open[node]}
    assert closed == {node for node in case.nodes if node[0] <= 1 and node[2] == 0}
    assert (case.search.visited, case.search.hopeless, case.search.feasible, case.search.bounded) == (1, 3, 0, 0)


def test_what_a_good_node_makes_too_dear() -> None:
    case = Case(2, (2, 1, 2), limit=10**6)
    case.rules.clear()
    case.search.lattice.rules = case.lattice.arrays_of([])
    value, lost = case.search.look((1, 1, 1))
    least = {node: float(case.search.least[node]) for node in case.nodes}
    assert (value, lost) == (least[1, 1, 1], 0)
    assert min(least.values()) < value < max(least.values())
    for node in case.nodes:
        assert least[node] == sum(case.lattice.margins[a, level] for a, level in enumerate(node))
        assert case.search.open[node] == (least[node] < value)
    assert case.search.bounded == sum(x >= value for x in least.values()) - 1
    assert case.search.bound() == min([value, *(least[node] for node in case.nodes if case.search.open[node])])
    # A finer node that costs the same takes its place, a coarser one does not.
    flat = Case(2, (2, 1, 2), limit=10**6, flat=True)
    flat.search.lattice.rules = flat.lattice.arrays_of([])
    for node, best in [((1, 1, 1), [1, 1, 1]), ((2, 1, 1), [1, 1, 1]), ((1, 0, 1), [1, 0, 1]), ((0, 1, 1), [1, 0, 1])]:
        flat.search.look(node)
        assert flat.search.best_levels.tolist() == best  # type: ignore[union-attr]


@pytest.mark.parametrize("visits", [1, 2, 4])
def test_the_search_ends_after_so_many_looks(visits: int) -> None:
    case = Case(0, (2, 2, 2), limit=3)
    whole = Case(0, (2, 2, 2), limit=3)
    assert whole.search.run(10**6, 1e9, "")
    assert whole.search.visited > visits
    assert not case.search.run(visits, None, "")
    # From a node it goes on with any of its finer ones before it asks whether that was enough.
    assert visits <= case.search.visited <= visits + 3
    assert case.search.bound() <= whole.search.best
    assert case.search.open.any()


def test_the_search_ends_when_its_time_is_over() -> None:
    case = Case(0, (2, 2, 2), limit=3)
    assert not case.search.run(10**6, -1.0, "")
    assert case.search.visited == 1


@pytest.mark.parametrize(
    ("one", "other", "finer"),
    [((0, 1), (1, 1), True), ((1, 1), (1, 1), False), ((0, 2), (1, 1), False), ((2, 1), (1, 1), False)],
)
def test_finer(one: Any, other: Any, finer: bool) -> None:
    assert _is_finer(np.array(one), np.array(other)) is finer


def test_ways_are_told_after_every_64_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[Any, ...]] = []
    monkeypatch.setattr("discreet.masking.recoding.tagged_search.report", lambda *step: told.append(step))
    case = Case(1, (4, 4, 3), limit=10**6, flat=True)
    case.search.lattice.rules = case.lattice.arrays_of([Rule(SIZE, low=1.0, columns=(0, 1, 2))])
    case.search.least = case.search.least - 100.0  # nothing is ever too dear
    assert case.search._sweep(lambda: False, "here")
    assert case.search.visited == 100
    assert told == [("here", 64, 100)]
    assert case.search._sweep(lambda: True, "here")  # nothing is open any more
