"""Answers are written by classes and blocks, and read by records and distances."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.engines.memory import MemoryEngine
from discreet.linkage.record_classes import NOBODY, classes_of_codes
from discreet.linkage.shared import answers
from discreet.linkage.shared.answers import SearchAnswers, in_blocks
from discreet.linkage.shared.terms import Terms
from discreet.progress import listening


def test_arrays_come_in_the_sequence_of_kernels() -> None:
    out = SearchAnswers(3)
    assert [one is other for one, other in zip(
        out.arrays, (out.best, out.score, out.second, out.second_score, out.counts), strict=True
    )] == [True] * 5  # fmt: skip
    assert [one.dtype.kind for one in out.arrays] == ["i", "f", "i", "f", "i"]
    assert [one.size for one in out.arrays] == [3] * 5


@pytest.mark.parametrize(("metric", "scores"), [(0, [0.0, 2.0]), (1, [0.0, 4.0])])
def test_classes_become_records_and_sums_distances(metric: int, scores: list[float]) -> None:
    # Classes of A: records 0 and 2, record 1, record 3.
    a = classes_of_codes([np.array([7, 5, 7, 6])])
    nothing = np.empty((4, 0))
    terms = Terms(
        (), (), np.empty((4, 0), dtype=np.uint8), np.empty((2, 0), dtype=np.uint8), nothing, nothing[:2], (), metric
    )
    out = SearchAnswers(2)
    # The second query was answered first, and is tied between the last two classes.
    out.best[:], out.score[:], out.second[:], out.second_score[:], out.counts[:] = (
        [0, 1],
        [0, 4],
        [1, 2],
        [9, 4],
        [1, 2],
    )
    found = out.nearest([np.array([1, 2]), np.array([0])], np.array([1, 0]), a, terms)
    assert found.best.tolist() == [0, 1]
    assert found.second.tolist() == [2, 3]  # a class of two records is its own second
    assert found.score.tolist() == scores
    assert found.second_score.tolist() == scores
    assert found.ties.tolist() == [2, 2]
    assert found.row.tolist() == [1, 0]
    assert found.row_offsets.tolist() == [0, 2, 3]
    assert a.following.tolist() == [2, NOBODY, NOBODY]


@pytest.mark.parametrize("n", [0, 1, 3, 4, 7])
def test_questions_are_answered_in_blocks_and_in_order(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_BLOCK", 3)
    order = np.arange(n)[::-1].copy()
    heard: list[tuple[int, int]] = []
    with listening(lambda _label, done, total: heard.append((done, total))):
        tied = in_blocks(order, lambda which: 10 * which, MemoryEngine(workers=1))
    assert [one.tolist() for one in tied] == [(10 * order[low : low + 3]).tolist() for low in range(0, n, 3)]
    assert heard == [(done + 1, len(tied)) for done in range(len(tied))]


def test_some_answers_are_entered_at_their_places() -> None:
    out, some = SearchAnswers(3), SearchAnswers(2)
    for place, array in enumerate(out.arrays):
        array[:] = -place - 1
    for place, array in enumerate(some.arrays):
        array[:] = [10 * place, 10 * place + 1]
    out.enter(np.array([2, 0]), some)
    assert [array.tolist() for array in out.arrays] == [[10 * p + 1, -p - 1, 10 * p] for p in range(5)]
