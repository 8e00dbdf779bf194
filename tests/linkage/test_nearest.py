"""Answers of searches put together, and turned into links."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.linkage import nearest as module
from discreet.linkage.nearest import (
    Nearest,
    evaluate_rows,
    gather,
    joined,
    links_of,
    nearest_records,
    nobody_second,
)
from discreet.linkage.record_classes import Classes

FIELDS = ("best", "second", "score", "second_score", "ties", "row", "row_offsets", "tied")
# Records 0 and 2 of A are equal.
A = Classes(np.array([0, 1, 0, 2]), np.array([0, 1, 3]), np.array([2, 1, 1]))


def nearest(rows, row, best, score):
    """Return answers whose tied classes are `rows`, of which `row` says each record's."""
    n = len(row)
    return Nearest(
        np.array(best),
        np.full(n, 3),
        np.array(score, dtype=float),
        np.full(n, 9.0),
        np.array([sum(int(A.size[one]) for one in rows[r]) if r >= 0 else 0 for r in row]),
        np.array(row),
        np.cumsum([0, *map(len, rows)]),
        np.array([one for some in rows for one in some], dtype=np.int64),
    )


FIRST = nearest([[0, 1], [2]], [1, 0, -1], [3, 0, -1], [1, 2, np.inf])
SECOND = nearest([[1]], [0, 0], [1, 1], [4, 4])


def plain(one):
    return {name: getattr(one, name).tolist() for name in FIELDS}


def test_classes_become_records_and_one_of_several_is_its_own_second() -> None:
    # Of two classes of B the first is nearest to class 0 alone, the second to 1 and 2 alike; asked in the other order.
    arrays = (np.array([0, 1]), np.array([0.5, 2.0]), np.array([2, 2]), np.array([0.7, 2.0]), np.array([1, 2]))
    found = nearest_records(arrays, [np.array([1, 2]), np.array([0])], np.array([1, 0]), A)
    assert plain(found) == {
        "best": [0, 1],
        "second": [2, 3],
        "score": [0.5, 2.0],
        "second_score": [0.5, 2.0],
        "ties": [2, 2],
        "row": [1, 0],
        "row_offsets": [0, 2, 3],
        "tied": [1, 2, 0],
    }
    assert found.classes is None
    assert found.class_of_records(3).tolist() == [0, 1, 2]


def test_answers_are_those_of_records_by_their_class() -> None:
    some = FIRST.records(np.array([1, 1, 2, 0]))
    assert plain(some) == {
        "best": [0, 0, -1, 3],
        "second": [3, 3, 3, 3],
        "score": [2, 2, np.inf, 1],
        "second_score": [9, 9, 9, 9],
        "ties": [3, 3, 0, 1],
        "row": [0, 0, -1, 1],
        "row_offsets": [0, 2, 3],
        "tied": [0, 1, 2],
    }
    named = Nearest(**{name: getattr(FIRST, name) for name in FIELDS}, classes=np.array([0, 0, 1]))
    assert named.records(np.array([0])).class_of_records(3).tolist() == [0, 0, 1]


def test_blocks_are_put_one_after_the_other() -> None:
    assert plain(joined([FIRST, SECOND, FIRST])) == {
        "best": [3, 0, -1, 1, 1, 3, 0, -1],
        "second": [3] * 8,
        "score": [1, 2, np.inf, 4, 4, 1, 2, np.inf],
        "second_score": [9] * 8,
        "ties": [1, 3, 0, 1, 1, 1, 3, 0],
        "row": [1, 0, -1, 2, 2, 4, 3, -1],
        "row_offsets": [0, 2, 3, 4, 6, 7],
        "tied": [0, 1, 2, 1, 0, 1, 2],
    }


def test_ties_get_a_row_a_record_or_share_one_where_that_would_cost_much(monkeypatch) -> None:
    links = links_of(FIRST, A, ("x",), "made", higher_is_better=True)
    assert (links.n_a, links.n_b, links.attributes, links.method) == (4, 3, ("x",), "made")
    assert links.higher_is_better
    assert links.has_second
    assert links.rows is None
    assert (links.tied_offsets.tolist(), links.tied.tolist()) == ([0, 1, 3, 3], [2, 0, 1])
    assert links.classes.tolist() == [0, 1, 0, 2]
    assert (links.best.tolist(), links.second.tolist()) == ([3, 0, -1], [3, 3, 3])
    assert (links.score.tolist(), links.second_score.tolist()) == ([1, 2, np.inf], [9, 9, 9])
    assert links.ties.tolist() == [1, 3, 0]
    # Three ties of three records are four a record and as many less: they are shared only beyond that.
    monkeypatch.setattr(module, "_SPARE", -9)
    assert links_of(FIRST, A, ("x",), "made").rows is None
    monkeypatch.setattr(module, "_SPARE", -10)
    shared = links_of(FIRST, A, ("x",), "made")
    assert not shared.higher_is_better
    assert shared.rows is not None
    assert shared.rows.tolist() == [1, 0, -1]
    assert (shared.tied_offsets.tolist(), shared.tied.tolist()) == ([0, 2, 3], [0, 1, 2])
    truth = np.array([3, 2, 1])
    assert shared.evaluate(truth).probability.tolist() == links.evaluate(truth).probability.tolist()
    assert links.evaluate(truth).probability.tolist() == pytest.approx([1, 1 / 3, 0])


@pytest.mark.parametrize(("higher", "worst"), [(True, -np.inf), (False, np.inf)])
def test_who_was_not_looked_for_is_nobody(higher, worst) -> None:
    second, score = nobody_second(3, higher_is_better=higher)
    assert (second.tolist(), score.tolist()) == ([-1] * 3, [worst] * 3)
    links = links_of(FIRST, A, ("x",), "made", higher_is_better=higher, has_second=False)
    assert (links.second.tolist(), links.second_score.tolist()) == ([-1] * 3, [worst] * 3)
    assert not links.has_second
    assert links.best.tolist() == [3, 0, -1]


def test_rows_that_stand_for_several_records_count_as_often() -> None:
    # Rows 0 and 1 have themselves among their best, row 1 in a tie of two; row 2 has another.
    rows = Nearest(
        best=np.array([0, 1, 0]),
        second=np.array([1, 0, 2]),
        score=np.zeros(3),
        second_score=np.ones(3),
        ties=np.array([1, 2, 1]),
        row=np.arange(3),
        row_offsets=np.array([0, 1, 3, 4]),
        tied=np.array([0, 1, 2, 0]),
    )
    links = links_of(rows, Classes(np.arange(3), np.arange(3), np.ones(3, dtype=np.int64)), ("x",), "made")
    found = evaluate_rows(links, np.array([5, 4, 7]))
    assert (found.expected, found.optimistic, found.pessimistic, found.n, found.chance) == (7.0, 9, 5, 16, 1.0)
    assert found.probability.tolist() == [1.0, 0.5, 0.0]
    assert found.second is None


def test_runs_are_gathered_one_after_the_other() -> None:
    assert gather(np.array([7, 3, 3, 0]), np.array([2, 0, 3, 1])).tolist() == [7, 8, 3, 4, 5, 0]
    assert gather(np.array([5]), np.array([0])).tolist() == []
    assert gather(np.array([], dtype=np.int64), np.array([], dtype=np.int64)).tolist() == []
