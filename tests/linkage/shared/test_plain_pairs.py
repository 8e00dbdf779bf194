from __future__ import annotations

import numpy as np
import pytest
from tests.linkage.shared.test_pattern_search import additive, random_agreements

from discreet.contracts.engine import InProcess
from discreet.kernels.jit import PlainTwin
from discreet.linkage.shared import plain_pairs
from discreet.linkage.shared.agreement import equality
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.linkage.shared.pattern_counts import count_patterns
from discreet.linkage.shared.pattern_search import best_by_pattern, best_in_both_directions
from discreet.linkage.shared.plain_pairs import are_few, heaviest, patterns_between, tabulate_plainly


@pytest.mark.plain_code
@pytest.mark.parametrize("absent", [0.0, 0.3])
@pytest.mark.parametrize(("n_a", "n_b"), [(50, 60), (90, 20), (1, 5), (5, 1)])
def test_pairs_are_counted_and_linked_as_by_kernels(monkeypatch, n_a, n_b, absent):
    agreements = random_agreements(8, n_a, n_b, 3, absent=absent, missing="disagree", coarse=True)
    rng = np.random.default_rng(3)
    weights = [additive(agreements, rng, equal=False), rng.normal(size=[agreement.states for agreement in agreements])]

    def work():
        files = PackedFiles.of(agreements)
        counts = count_patterns(files, InProcess())
        both = best_in_both_directions(files, weights, InProcess(), occurring=counts.between > 0)
        return counts, [*both, (best_by_pattern(files, weights[0], InProcess()),)]

    counts, answers = work()
    monkeypatch.setattr(PlainTwin, "takes", lambda _twin, _work: False)
    compiled_counts, compiled_answers = work()
    for name in ("between", "within", "own"):
        assert np.array_equal(getattr(counts, name), getattr(compiled_counts, name)), name
    for ours, theirs in zip(answers, compiled_answers, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            for name in ("best", "second", "score", "second_score", "ties"):
                assert np.array_equal(getattr(one, name), getattr(other, name)), name
            for j in range(one.best.size):
                mine, yours = (f.tied[f.row_offsets[f.row[j]] : f.row_offsets[f.row[j] + 1]] for f in (one, other))
                assert mine.tolist() == sorted(yours.tolist())


def test_the_heaviest_pairs_of_every_row_by_hand():
    steps = np.array([[2, 0, 3, 0], [1, 1, 1, 1], [4, 3, 3, 2]], dtype=np.int32)
    (best, best_step, second, second_step, counts), tied = heaviest(steps)
    assert (best.tolist(), best_step.tolist()) == ([1, 0, 3], [0, 1, 2])
    # The next rank that occurs, its lowest column; nobody where all tie.
    assert second.tolist() == [0, -1, 1]
    assert second_step[[0, 2]].tolist() == [2, 3]
    assert (counts.tolist(), tied.tolist()) == ([2, 4, 1], [1, 3, 0, 1, 2, 3, 3])


def test_positions_add_up_what_is_agreed_on():
    a = np.array([[0, 1, -1], [4, 4, -1]], dtype=np.int8)
    b = np.array([[1, -1], [4, 4]], dtype=np.int8)
    assert patterns_between(a, b, np.array([2, 1], dtype=np.int32)).tolist() == [[1, 3, 0], [1, 1, 0]]


def test_pairs_are_few_up_to_so_many(monkeypatch):
    files = PackedFiles.of(random_agreements(8, 12, 9, 2, levels=20))
    largest = max(files.first.first.size, files.second.first.size)
    worked = []
    monkeypatch.setattr(PlainTwin, "takes", lambda _twin, work: worked.append(work) or True)
    monkeypatch.setattr(plain_pairs, "_MOST_PAIRS", largest**2)
    assert are_few(files)
    assert are_few(files, 3)
    assert worked == [2.0 * largest**2, 6.0 * largest**2]
    monkeypatch.setattr(plain_pairs, "_MOST_PAIRS", largest**2 - 1)
    assert not are_few(files)
    monkeypatch.setattr(plain_pairs, "_MOST_PAIRS", largest**2)
    monkeypatch.setattr(PlainTwin, "takes", lambda *_: False)
    assert not are_few(files)


def test_records_that_stand_for_several_are_counted_so_often():
    agreements = [equality("x", np.array([0, 1, 0]), np.array([0, 0]))]
    files = PackedFiles.of(agreements, (np.array([1, 2, 3]), np.array([4, 5])))
    between, within = tabulate_plainly(files, (2,))
    # Four records of code 0 and two of code 1, against nine of code 0.
    assert between.tolist() == [2 * 9, 4 * 9]
    assert within.tolist() == [2 * 4 * 2, 4 * 4 + 2 * 2]
