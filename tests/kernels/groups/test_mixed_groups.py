"""MDAV of mixed records: leaves of like records give the groups of the plain definition, to the last tie."""

import numpy as np
import pytest

from discreet.kernels.groups.mixed_groups import _ask_from, _ask_from_all, _count, _count_all, mixed_mdav
from discreet.kernels.groups.mixed_leaves import MOST_BINS, build_leaves, question_for
from discreet.kernels.jit import PlainTwin


def ordered(size):
    return np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / max(size - 1, 1)


def different(size):
    return 1.0 - np.eye(size)


def drawn(rng, size):
    table = rng.random((size, size))
    return np.triu(table, 1) + np.triu(table, 1).T


def tables(n):
    """Name, codes, numbers, tables of distances and what a missing number is worth."""
    rng = np.random.default_rng(n)

    def codes(*sizes):
        return np.array([np.minimum(rng.geometric(0.4, n) - 1, size - 1) for size in sizes], dtype=np.int32)

    def lacking(numbers, share):
        return np.where(rng.random(numbers.shape) < share, np.nan, numbers)

    none = np.zeros((0, n), dtype=np.int32)
    yield "mixed", codes(7, 5, 9), rng.random((2, n)), [different(7), ordered(5), different(9)], [1.0, 1.0]
    yield "levels alone", codes(3, 4, 2, 6), np.zeros((0, n)), [different(3), ordered(4), different(2), ordered(6)], []
    yield "numbers alone", none, rng.standard_t(2, (3, n)) / 9, [], [1.0, 0.5, 2.0]
    yield "missing", codes(4, 3), lacking(rng.random((2, n)), 0.3), [different(4), ordered(3)], [1.0, 0.0]
    yield "nothing present", codes(4), np.full((1, n), np.nan), [different(4)], [1.0]
    many = rng.integers(0, 3 * MOST_BINS, (2, n)).astype(np.int32)
    yield "more levels than bins", many, np.zeros((0, n)), [drawn(rng, 3 * MOST_BINS), ordered(3 * MOST_BINS)], []
    yield "duplicates", np.repeat(codes(5, 4)[:, : n // 5], 5, axis=1), np.zeros((0, n)), [different(5), ordered(4)], []
    yield "all alike", np.zeros((2, n), dtype=np.int32), np.zeros((1, n)), [different(2), ordered(3)], [1.0]
    yield "far numbers", codes(6), rng.standard_cauchy((1, n)) * 1e6, [different(6)], [1.0]


@pytest.mark.plain_code
@pytest.mark.parametrize("n", [5, 60, 700, 2500])
def test_groups_are_those_of_plain_code(monkeypatch, n):
    for name, codes, numbers, squares, absent in tables(n):
        sizes = np.array([len(square) for square in squares], dtype=np.int64)
        lengths = sizes * sizes
        table = np.concatenate([square.ravel() for square in squares]) if squares else np.zeros(0)
        geometry = table, np.cumsum(lengths) - lengths, sizes, np.array(absent)
        for k in (2, 5, 30):
            if k > n:
                continue
            with monkeypatch.context() as patch:
                patch.setattr(PlainTwin, "takes", lambda _twin, _work: True)
                plain = mixed_mdav(codes, numbers, *geometry, k)
                patch.setattr(PlainTwin, "takes", lambda _twin, _work: False)
                assert np.array_equal(plain, mixed_mdav(codes, numbers, *geometry, k)), (name, k)
            members = np.bincount(plain)
            assert members[:-1].tolist() == [k] * (members.size - 1)
            assert k <= members[-1] < 2 * k


CODES = np.array([[0, 1, 2, 2], [1, 0, 1, 1]], dtype=np.int32)
NUMBERS = np.array([[1.0, np.nan, 4.0, 7.0], [np.nan] * 4])
TABLE = np.array([0.0, 1.0, 3.0, 1.0, 0.0, 2.0, 3.0, 2.0, 0.0, 0.0, 5.0, 5.0, 0.0])
STARTS, PLACES = np.array([0, 9]), np.array([0, 3, 5])


def test_sums_over_what_is_left_by_hand():
    """Levels 0, 1, 2 and 2 of three: 0 is 1 and twice 3 from the others, 1 is 1 and twice 2, 2 is 3 and 2."""
    far, sums, present = np.zeros(5), np.zeros(2), np.zeros(2, dtype=np.int64)
    _count_all(CODES, NUMBERS, TABLE, STARTS, PLACES, far, sums, present)
    assert far.tolist() == [7.0, 5.0, 5.0, 15.0, 5.0]
    assert (sums.tolist(), present.tolist()) == ([12.0, 0.0], [3, 0])
    _count(CODES, NUMBERS, 3, -1, TABLE, STARTS, PLACES, far, sums, present)
    assert far.tolist() == [4.0, 3.0, 5.0, 10.0, 5.0]
    assert (sums.tolist(), present.tolist()) == ([5.0, 0.0], [2, 0])
    _count(CODES, NUMBERS, 1, -1, TABLE, STARTS, PLACES, far, sums, present)
    assert far.tolist() == [3.0, 3.0, 3.0, 10.0, 0.0]
    assert (sums.tolist(), present.tolist()) == ([5.0, 0.0], [2, 0]), "a missing number does not count"


def test_questions_by_hand():
    leaves = build_leaves(CODES, NUMBERS, TABLE, STARTS, np.array([3, 2]), PLACES, np.arange(4))
    question, absent = question_for(leaves), np.array([2.0, 0.5])
    far = np.arange(5.0)
    _ask_from_all(4, absent, far, np.array([12.0, 0.0]), np.array([3, 0]), question)
    assert question.weights.tolist() == far.tolist()
    assert question.target.tolist() == [4.0, 0.0]
    assert question.alpha.tolist() == [3.0, 0.0]
    assert question.beta.tolist() == [2.0, 2.0], "one lacks the first number, and four the second"
    assert question.gamma.tolist() == [6.0, 0.0]
    _ask_from(CODES, NUMBERS, 2, TABLE, STARTS, PLACES, absent, question)
    assert question.weights.tolist() == [3.0, 2.0, 0.0, 5.0, 0.0]
    assert question.target.tolist() == [4.0, 0.0]
    assert question.alpha.tolist() == [1.0, 0.0]
    assert question.beta.tolist() == [0.0, 0.5]
    assert question.gamma.tolist() == [2.0, 0.0]


def test_mixed_groups_tell_how_far_they_are():
    told, n = [], 700
    name, codes, numbers, squares, absent = next(tables(n))
    sizes = np.array([len(square) for square in squares], dtype=np.int64)
    table = np.concatenate([square.ravel() for square in squares])
    geometry = table, np.cumsum(sizes * sizes) - sizes * sizes, sizes, np.array(absent)
    labels = mixed_mdav(codes, numbers, *geometry, 5, lambda done, whole: told.append((done, whole)))
    assert labels.tolist() == mixed_mdav(codes, numbers, *geometry, 5).tolist(), name
    done = [one for one, _ in told]
    assert done == sorted(done)
    assert {whole for _, whole in told} <= {n}
    assert all(0 <= one <= n for one in done)
