"""Nearest records of files of categories are those of a table of all sums of terms."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference.linkage import best as best_of_rows

from discreet.engines.memory import MemoryEngine
from discreet.linkage.record_classes import Classes, classes_of
from discreet.linkage.shared import category_search
from discreet.linkage.shared.category_search import (
    _CellIndex,
    _gaps,
    _least_steps,
    _mean_term,
    _prefix,
    _sorted,
    search_categories,
)
from discreet.linkage.shared.terms import Terms


def drawn(seed: int, n_a: int, n_b: int, metric: int, *, infinite: bool = False, dear: int = 2) -> Terms:
    """Return two files of four categories: on the first `dear` ones disagreeing costs much, on the others little."""
    rng = np.random.default_rng(seed)
    sizes = [(3, 3), (4, 5), (2, 3), (5, 4)]  # of B and of A
    tables = []
    for p, (rows, columns) in enumerate(sizes):
        table = rng.integers(4, 9, (rows, columns)) / (4 if p < dear else 64)
        table[np.arange(min(rows, columns)), np.arange(min(rows, columns))] = 0.0
        if infinite:
            table[rng.random(table.shape) < 0.3] = np.inf
        tables.append(table)
    codes = [
        np.asfortranarray(np.column_stack([rng.integers(0, size[side], n) for size in sizes]).astype(np.uint8))
        for side, n in ((1, n_a), (0, n_b))
    ]
    names = tuple(f"v{p}" for p in range(4))
    return Terms(names, (), *codes, np.empty((n_a, 0)), np.empty((n_b, 0)), tuple(tables), metric)


def check(terms: Terms, *, second: bool = True) -> None:
    a, b = (classes_of(np.ascontiguousarray(one), np.empty((len(one), 0))) for one in (terms.a_codes, terms.b_codes))
    found = search_categories(terms, a, b, MemoryEngine(workers=1), **({} if second else {"second": False}))
    sums = terms.matrix(b.first)
    for k, (order, ties) in enumerate(best_of_rows(sums, np.zeros(len(sums)), squared=terms.metric == 0)):
        assert found.ties[k] == len(ties)
        tied = found.tied[found.row_offsets[found.row[k]] : found.row_offsets[found.row[k] + 1]]
        assert np.flatnonzero(np.isin(a.label, tied)).tolist() == ties
        if not order:
            assert (found.best[k], found.score[k]) == (-1, np.inf)
            continue
        assert found.best[k] == order[0]
        assert found.score[k] == terms.scores(sums[k].min())
        if second and len(order) > 1:
            assert found.second[k] == order[1]
            assert found.second_score[k] == terms.scores(sums[k].min() if order[1] in ties else sums[k, order[1]])


@pytest.mark.parametrize("metric", [0, 1, 2])
@pytest.mark.parametrize("dear", [0, 2, 4])
@pytest.mark.parametrize(("n_a", "n_b"), [(1, 1), (1, 9), (40, 30), (150, 60)])
def test_nearest_records(n_a: int, n_b: int, metric: int, dear: int) -> None:
    for infinite in (False, True):
        terms = drawn(n_a + n_b, n_a, n_b, metric, infinite=infinite, dear=dear)
        check(terms)
        check(terms, second=False)


def test_an_index_that_is_too_large_is_made_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = drawn(5, 90, 40, 1)
    for most in (0, 50, 100, 10_000):
        monkeypatch.setattr(category_search, "_MOST_ENTRIES", most)
        check(terms)


def test_the_least_term_to_another_code_and_its_least_excess() -> None:
    table = np.array([[0.5, 2.0, 3.0], [1.0, 0.25, 4.0]])
    # A code of B of which there is none in A, and one that is infinitely far from itself.
    tall = np.array([[0.0, 5.0], [6.0, np.inf], [7.0, 8.0]])
    terms = Terms(("x", "y"), (), *[np.zeros((1, 2), dtype=np.uint8)] * 2, *[np.empty((1, 0))] * 2, (table, tall), 1)
    gaps, extra = _gaps(terms)
    assert gaps.tolist() == [[2.0, 1.0, np.inf], [5.0, 6.0, 7.0]]
    assert extra.tolist() == [0.75, 5.0]


def stepped(seed: int, n_a: int, n_b: int, metric: int) -> Terms:
    """Return two files of three categories, the first and the last of which are places with terms by steps."""
    rng = np.random.default_rng(seed)
    steps = (np.append(0.0, np.full(9, 1.0)), np.array([0.0, 0.25, 0.25, 0.5, 2.0, np.inf]))
    table = rng.integers(0, 4, (3, 4)) / 8
    codes = [np.column_stack([rng.integers(0, size, n) for size in (10, middle, 6)]).astype(np.int32)
             for middle, n in ((4, n_a), (3, n_b))]  # fmt: skip
    none = np.empty((n_a, 0)), np.empty((n_b, 0))
    return Terms(("x", "y", "z"), (), *codes, *none, (steps[0], table, steps[1]), metric)


@pytest.mark.parametrize("metric", [0, 1, 2])
@pytest.mark.parametrize(("n_a", "n_b"), [(1, 1), (1, 9), (40, 30), (200, 60)])
def test_nearest_records_by_steps(n_a: int, n_b: int, metric: int) -> None:
    for second in (True, False):
        check(stepped(n_a + n_b, n_a, n_b, metric), second=second)


def test_the_nearest_other_place_that_occurs() -> None:
    for places in ([0], [3], [0, 1, 5], [2, 2, 6], list(range(7)), []):
        others = [[abs(x - y) for y in places if y != x] for x in range(7)]
        found = _least_steps(np.array(places, dtype=np.int64), 7)
        assert [step if step < 7 else None for step in found] == [min(steps, default=None) for steps in others]


def test_gaps_and_means_of_steps() -> None:
    terms = stepped(2, 12, 9, 1)
    gaps, extra = _gaps(terms)
    for p in (0, 2):
        table = terms.tables[p]
        for x in range(table.size):
            others = [table[abs(x - y)] for y in terms.a_codes[:, p] if y != x]
            assert gaps[p, x] == min(others, default=np.inf)
        assert extra[p] == min(gaps[p, x] for x in terms.b_codes[:, p])
        pairs = [min(table[abs(x - y)], 1e9) for x in terms.b_codes[:, p] for y in terms.a_codes[:, p]]
        assert _mean_term(terms, p) == pytest.approx(np.mean(pairs))


def test_cells_are_made_of_what_costs_most() -> None:
    terms = drawn(6, 30, 30, 1)
    means = [_mean_term(terms, p) for p in range(4)]
    for p in range(4):
        pairs = [terms.tables[p][x, y] for x in terms.b_codes[:, p] for y in terms.a_codes[:, p]]
        assert means[p] == pytest.approx(np.mean(pairs))
    by_mean = sorted(range(4), key=lambda p: -means[p])
    assert _prefix(terms, np.array([1.0, 1.0, 1.0, 1.0])) == by_mean
    # Half of the dearest is enough, less is not; nothing is no cost, and infinity no measure.
    assert _prefix(terms, np.array([1.0, 0.5, 0.49, 0.0])) == [p for p in by_mean if p < 2]
    assert _prefix(terms, np.array([np.inf, 0.5, 1.0, 0.4])) == [p for p in by_mean if p < 3]
    assert _prefix(terms, np.zeros(4)) == []
    largest = Terms(*[getattr(terms, name) for name in ("categories", "numbers", "a_codes", "b_codes", "a_numbers")],
                    terms.b_numbers, terms.tables, 2)  # fmt: skip
    assert _prefix(largest, np.ones(4)) == []


@pytest.mark.parametrize(("levels", "count"), [(2, 64), (3, 32), (4, 32), (5, 21), (1, 64)])
def test_a_key_has_64_bits(levels: int, count: int) -> None:
    tables = (np.ones((levels, levels)),) * 70
    codes = np.zeros((1, 70), dtype=np.uint8)
    terms = Terms(("x",) * 70, (), codes, codes, np.empty((1, 0)), np.empty((1, 0)), tables, 1)
    assert _prefix(terms, np.ones(70)) == list(range(count))


def test_rows_are_sorted_by_the_first_column_first() -> None:
    rng = np.random.default_rng(3)
    for columns, most in [(3, 5), (12, 200)]:  # in one word, and in two
        codes = np.unique(rng.integers(0, most, (60, columns)), axis=0)[rng.permutation(40)].astype(np.int32)
        assert codes[_sorted(codes)].tolist() == sorted(codes.tolist())


def test_cells_are_indexed_with_one_and_two_attributes_left_out() -> None:
    index = _CellIndex(np.array([5, 9], dtype=np.uint64), np.array([0, 2, 3]), (3, 4, 24))
    engine = MemoryEngine(workers=1)
    for most, left_out in [(0, [()]), (1, [(), (0,), (1,), (2,)]), (2, [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2)])]:
        keys, shift, masks, apart, stages, tables, following = index.indexed(most, engine)
        assert keys is index.keys
        assert shift is index.shift
        assert masks.tolist() == [31 - sum((3, 4, 24)[j] for j in fields) for fields in left_out]
        assert apart.tolist() == [[*fields, -1, -1][:2] for fields in left_out]
        assert stages.tolist() == [0, 1, 4, 7][: most + 2]
        assert tables.shape == (len(left_out), 18)
        assert following.shape == (len(left_out), 2)


def test_classes_of_several_records_are_their_own_second() -> None:
    terms = drawn(8, 60, 20, 0)
    terms.a_codes[30:] = terms.a_codes[:30]
    check(terms)
    assert isinstance(classes_of(np.ascontiguousarray(terms.a_codes), np.empty((60, 0))), Classes)
