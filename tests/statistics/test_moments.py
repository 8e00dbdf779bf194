"""Means, spreads and covariances, worked out by hand, with weights and gaps."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import CUTS, answer, blocks, table

from discreet.data.microdata import table_of_numbers
from discreet.statistics.moments import (
    ColumnMoments,
    Comoments,
    Movements,
    PairMoments,
    first_values,
)

NAN = float("nan")
EMPTY_FIRST = ((6,), (2, 4), (1,) * 6)


def moments(columns, weights, origin):
    return ColumnMoments.of(np.array(columns), np.array(weights), np.array(origin))


def listed(found):
    return found.weight.tolist(), (found.origin + found.mean).tolist(), found.squares.tolist()


def test_moments_of_columns_with_weights_and_gaps():
    found = moments([[1.0, NAN, 4.0], [3.0, NAN, NAN], [7.0, NAN, 4.0]], [1.0, 2.0, 1.0], [1.0, 0.0, 4.0])
    # (1 + 6 + 7)/4 = 3.5; 6.25 + 2 · 0.25 + 12.25.
    assert listed(found) == ([4, 0, 2], [3.5, 0, 4], [19, 0, 0])
    assert found.mean.tolist() == [2.5, 0, 0]
    assert found.variance.tolist() == [4.75, 0, 0]
    assert found.spread == pytest.approx([4.75**0.5, 0, 0])


def test_moments_of_records_that_weigh_nothing():
    found = moments([[1.0], [3.0]], [0.0, 0.0], [1.0])
    assert (found.weight.tolist(), found.mean.tolist(), found.squares.tolist()) == ([0], [0], [0])
    assert found.variance.tolist() == [0]


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_moments_of_parts_from_other_origins_are_those_of_all(cut):
    columns, weights = np.array([[1.0, NAN], [3.0, NAN], [7.0, 5.0], [9.0, 6.0]]), np.array([1.0, 2.0, 1.0, 4.0])
    first = moments(columns[:cut], weights[:cut], [1.0, 5.0])
    second = moments(columns[cut:], weights[cut:], [100.0, 5.0])
    for one, other in ((first, second), (second, first)):
        both = one.merge(other)
        assert both.origin.tolist() == one.origin.tolist()
        # (1 + 6 + 7 + 36)/8 = 6.25; (5 + 24)/5 = 5.8.
        assert both.weight.tolist() == [8, 5]
        assert both.origin + both.mean == pytest.approx([6.25, 5.8])
        assert both.squares == pytest.approx([5.25**2 + 2 * 3.25**2 + 0.75**2 + 4 * 2.75**2, 0.8**2 + 4 * 0.2**2])


def test_a_part_without_a_value_adds_nothing_wherever_its_origin_is():
    full, none = moments([[2.0], [4.0]], [1.0, 1.0], [2.0]), moments([[NAN]], [1.0], [50.0])
    assert listed(full.merge(none)) == ([2], [3], [2])
    assert listed(none.merge(none)) == ([0], [50], [0])
    weightless = moments([[9.0]], [0.0], [9.0])
    assert listed(full.merge(weightless)) == ([2], [3], [2])
    # Not even where the square of the way there is beyond all numbers.
    huge = moments([[1e200]], [1.0], [1e200])
    assert listed(huge.merge(none)) == ([1], [1e200], [0])
    assert PairMoments.of(np.array([[1e200]]), np.ones(1)).merge(
        PairMoments.of(np.array([[NAN]]), np.ones(1))
    ).covariances.tolist() == [[0]]


def test_parts_that_weigh_less_than_one_person():
    both = moments([[1.0]], [0.25], [1.0]).merge(moments([[5.0]], [0.25], [5.0]))
    assert listed(both) == ([0.5], [3], [2])
    assert both.variance.tolist() == [4]
    pairs = [PairMoments.of(np.array([[x, -x]]), np.array([0.25])) for x in (1.0, 5.0)]
    assert pairs[0].merge(pairs[1]).covariances.tolist() == [[4, -4], [-4, 4]]


def test_means_that_differ_by_rounding_alone_are_the_same():
    one, other = moments([[0.1]], [1.0], [0.0]), moments([[0.1]], [1.0], [0.7])
    assert other.origin + other.mean != one.mean, "0.7 less 0.6 is not 0.1"
    assert one.merge(other).squares.tolist() == [0.0]
    further = moments([[0.1 + 1e-12]], [1.0], [0.7])
    assert one.merge(further).squares == pytest.approx([0.5e-24], rel=1e-3, abs=0.0)


def test_equal_numbers_with_gaps_deviate_by_nothing():
    columns = np.array([[7.0, 1.0], [0.1, NAN], [0.1, 2.0], [0.1, 3.0], [0.1, 3.0]])
    found = PairMoments.of(columns[1:], np.array([0.3, 0.1, 0.7, 0.6]))
    assert not found.squares[0].any()
    assert found.correlations.tolist() == [[1, 0], [0, 1]]
    # With the first record, which both have, 0.1 is not the origin any more.
    columns[0, 1] = NAN
    assert PairMoments.of(columns, np.array([0.9, 0.3, 0.1, 0.7, 0.6])).squares[0, 1] == 0.0


def test_the_first_value_of_every_column():
    assert first_values(np.array([[NAN, NAN, 7.0], [3.0, NAN, 8.0], [4.0, NAN, NAN]])).tolist() == [3, 0, 7]


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("weight", [None, "w"])
def test_what_numbers_were_and_became(cut, weight):
    question = Movements(("x", "y"), weight)
    assert question.original == (("x", "y") if weight is None else ("x", "y", "w"))
    found = answer(question, blocks(cut))
    # x before 1 2 3 – 5 6, after 1 2 4 4 – 6; y before 1 0 2 1 2 0, after 1 1 2 1 2 0; weights 1 2 1 2 1 3.
    w = np.array([1.0, 2, 1, 2, 1, 3]) if weight else np.ones(6)
    sides = {
        "before": [[1, 2, 3, NAN, 5, 6], [1, 0, 2, 1, 2, 0]],
        "after": [[1, 2, 4, 4, NAN, 6], [1, 1, 2, 1, 2, 0]],
        "both": [[1, 2, 3, NAN, NAN, 6], [1, 0, 2, 1, 2, 0]],
    }
    for name, columns in sides.items():
        one = getattr(found, name)
        for place, column in enumerate(np.array(columns)):
            there = ~np.isnan(column)
            mean = np.average(column[there], weights=w[there])
            assert one.weight[place] == w[there].sum()
            assert one.origin[place] + one.mean[place] == pytest.approx(mean)
            assert one.squares[place] == pytest.approx((w[there] * (column[there] - mean) ** 2).sum())
            assert one.origin[place] == 1.0
    assert found.moved.tolist() == [1, 2 if weight else 1]
    assert found.squared.tolist() == [1, 2 if weight else 1]


@pytest.mark.parametrize("cut", EMPTY_FIRST)
@pytest.mark.parametrize("only", ["before", "after", "both"])
def test_numbers_far_from_nought_keep_their_digits_where_the_first_blocks_have_none(cut, only):
    far = np.array([NAN, NAN, NAN, 1e9, 1e9 + 0.5, 1e9 + 1.0])
    none, near = np.full(6, NAN), np.array([2.0, 3.0, 4.0, 2.0, 3.0, 4.0])
    before = table_of_numbers({"x": none if only == "after" else far, "y": near})
    after = table_of_numbers({"x": none if only == "before" else far, "y": near + 1.0})
    found = answer(Movements(("x", "y")), blocks(cut, before, after))
    for name in ("before", "after") if only == "both" else (only,):
        one = getattr(found, name)
        assert one.origin.tolist() == [1e9, 2.0]
        assert one.mean[1] == pytest.approx(2.0 if name == "after" else 1.0)
        assert one.mean[0] == pytest.approx(0.5, rel=1e-12)
        assert one.squares[0] == pytest.approx(0.5, rel=1e-12)
    assert found.both.weight.tolist() == [3 if only == "both" else 0, 6]
    assert found.moved.tolist() == [0, 6]
    assert found.squared.tolist() == [0, 6]


def test_the_squares_of_movements_differ_from_the_movements():
    first, second = table(x=[1.0, 5.0, 9.0], w=[1.0, 2.0, 3.0]), table(x=[4.0, 3.0, 9.0])
    found = answer(Movements(("x",), "w"), blocks((2, 1), first, second))
    assert (found.moved.tolist(), found.squared.tolist()) == ([3 + 2 * 2], [9 + 2 * 4])


PAIRS = np.array([[1.0, 2.0, NAN], [3.0, 8.0, NAN], [5.0, NAN, 1.0], [7.0, 5.0, 2.0], [NAN, 5.0, 4.0]])
WEIGHTS = np.array([1.0, 3.0, 2.0, 1.0, 2.0])


def twin(columns, weights):
    """By two columns, weight, mean of the first, squares of the first and products, over the records that have both."""
    size = columns.shape[1]
    weight, mean, squares, products = (np.zeros((size, size)) for _ in range(4))
    for i in range(size):
        for j in range(size):
            rows = [
                (row[i], row[j], w) for row, w in zip(columns, weights, strict=True) if not np.isnan(row[[i, j]]).any()
            ]
            weight[i, j] = sum(w for _, _, w in rows)
            if not weight[i, j]:
                continue
            mean[i, j] = sum(w * x for x, _, w in rows) / weight[i, j]
            other = sum(w * y for _, y, w in rows) / weight[i, j]
            squares[i, j] = sum(w * (x - mean[i, j]) ** 2 for x, _, w in rows)
            products[i, j] = sum(w * (x - mean[i, j]) * (y - other) for x, y, w in rows)
    return weight, mean, squares, products


def check_pairs(found, columns, weights):
    weight, mean, squares, products = twin(columns, weights)
    assert found.weight.tolist() == weight.tolist()
    there = weight > 0
    assert (found.origin[:, None] + found.mean)[there] == pytest.approx(mean[there])
    assert found.squares == pytest.approx(squares, abs=1e-12)
    assert found.products == pytest.approx(products, abs=1e-12)
    assert found.covariances == pytest.approx(products / np.where(there, weight, 1.0), abs=1e-12)
    unit = np.sqrt(squares * squares.T)
    expected = np.where(unit > 0, products / np.where(unit > 0, unit, 1.0), 0.0)
    np.fill_diagonal(expected, 1.0)
    assert found.correlations == pytest.approx(expected)


@pytest.mark.parametrize("whole", [True, False])
def test_moments_of_two_columns_over_the_records_that_have_both(whole):
    columns = np.nan_to_num(PAIRS, nan=6.0) if whole else PAIRS
    check_pairs(PairMoments.of(columns, WEIGHTS), columns, WEIGHTS)
    for cut in (1, 2, 3, 4):
        one, other = PairMoments.of(columns[:cut], WEIGHTS[:cut]), PairMoments.of(columns[cut:], WEIGHTS[cut:])
        check_pairs(one.merge(other), columns, WEIGHTS)
        check_pairs(other.merge(one), columns, WEIGHTS)
    parts = [PairMoments.of(columns[row : row + 1], WEIGHTS[row : row + 1]) for row in range(5)]
    together = parts[0]
    for part in parts[1:]:
        together = together.merge(part)
    check_pairs(together, columns, WEIGHTS)


def test_two_columns_that_never_meet_are_unrelated():
    columns = np.array([[1.0, NAN], [2.0, NAN], [NAN, 5.0], [NAN, 9.0]])
    found = PairMoments.of(columns, np.ones(4))
    check_pairs(found, columns, np.ones(4))
    assert found.covariances.tolist() == [[0.25, 0], [0, 4]]
    assert found.correlations.tolist() == [[1, 0], [0, 1]]
    assert found.origin.tolist() == [1, 5]


def test_a_column_whose_values_come_late_keeps_its_digits():
    columns = np.array([[1.0, NAN], [2.0, NAN], [3.0, 1e9], [4.0, 1e9 + 1.0]])
    together = PairMoments.of(columns[:2], np.ones(2)).merge(PairMoments.of(columns[2:], np.ones(2)))
    assert together.origin.tolist() == [1.0, 1e9]
    assert together.squares.tolist() == [[5, 0.5], [0.5, 0.5]]
    assert together.products.tolist() == [[5, 0.5], [0.5, 0.5]]


def test_correlations_do_not_leave_their_range():
    third = np.array([0.1, 0.2, 0.3, 0.7])
    found = PairMoments.of(np.stack([third, 3.0 * third, -7.0 * third], axis=1), np.array([0.3, 0.1, 0.7, 0.9]))
    assert np.abs(found.correlations).max() == 1.0
    assert found.correlations == pytest.approx(np.array([[1, 1, -1], [1, 1, -1], [-1, -1, 1.0]]))


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("weight", [None, "w"])
def test_both_files_are_related_each_by_itself(cut, weight):
    found = answer(Comoments(("x", "y"), weight), blocks(cut))
    w = np.array([1.0, 2, 1, 2, 1, 3]) if weight else np.ones(6)
    check_pairs(found.before, np.array([[1, 2, 3, NAN, 5, 6], [1, 0, 2, 1, 2, 0]]).T, w)
    check_pairs(found.after, np.array([[1, 2, 4, 4, NAN, 6], [1, 1, 2, 1, 2, 0]]).T, w)
