from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from discreet.kernels.jit import PlainTwin
from discreet.kernels.values.aggregate_numeric import (
    accumulate_shares,
    choquet_groups,
    mean_by_label,
    mean_groups,
    measure_chains,
    order_groups_down,
    squares_within,
    sugeno_groups,
    weighted_mean_groups,
)


def ordered(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    order = np.full(values.size, -1, dtype=np.int64)
    order_groups_down(values, offsets, np.empty(int(np.diff(offsets).max()), dtype=np.int64), order)
    return order


@pytest.mark.parametrize("levels", [1, 3, 1000])
def test_groups_are_ordered_down_with_ties_on_the_lowest_position(levels: int) -> None:
    rng = np.random.default_rng(levels)
    sizes = np.concatenate([np.arange(1, 70), [127, 128, 129, 500]])
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    values = rng.integers(0, levels, offsets[-1]).astype(np.float64)
    order = ordered(values, offsets)
    for low, high in pairwise(offsets):
        assert order[low:high].tolist() == sorted(range(low, high), key=lambda position: (-values[position], position))


def test_shares_end_at_exactly_one() -> None:
    rng = np.random.default_rng(0)
    offsets = np.arange(0, 71, 7, dtype=np.int64)
    weights = rng.random(70)
    order = ordered(rng.random(70), offsets)
    shares = np.empty(70)
    accumulate_shares(weights, order, offsets, shares)
    expected = np.cumsum(weights[order].reshape(10, 7), axis=1) / weights.reshape(10, 7).sum(axis=1, keepdims=True)
    assert shares == pytest.approx(expected.ravel())
    assert (shares[6::7] == 1.0).all()


def test_chains_visit_growing_subsets() -> None:
    offsets = np.array([0, 3, 6], dtype=np.int64)
    order = ordered(np.array([0.1, 0.3, 0.2, 0.9, 0.5, 0.7]), offsets)
    heights = np.empty(6)
    measure_chains(order, offsets, np.arange(8) / 7.0, heights)
    assert (heights * 7).round().tolist() == [0b010, 0b110, 0b111, 0b001, 0b101, 0b111]


def test_sums_and_maxima_follow_the_heights_of_their_group() -> None:
    values = np.array([4.0, 2.0, 0.5, 0.25])
    offsets = np.array([0, 2, 4], dtype=np.int64)
    order = ordered(values, offsets)
    heights, starts, out = np.array([0.25, 1.0]), np.zeros(2, dtype=np.int64), np.empty(2)
    choquet_groups(values, order, heights, starts, offsets, 0.0, True, out)
    assert out.tolist() == [2.5, 0.3125]
    choquet_groups(values, order, heights, starts, offsets, 0.25, False, out)
    assert out.tolist() == [1.5, 0.1875]
    sugeno_groups(values, order, heights, starts, offsets, out)
    assert out.tolist() == [1.0, 0.25]


def test_means_of_labels_are_those_of_groups_put_in_order() -> None:
    rng = np.random.default_rng(2)
    labels = rng.permutation(np.concatenate([np.arange(200), rng.integers(0, 200, 3000)]))
    values = rng.lognormal(3, 9, labels.size)
    out, expected = np.empty(200), np.empty(200)
    assert mean_by_label(values, labels, np.zeros((200, 4)), out)
    mean_groups(
        values[np.argsort(labels, kind="stable")], np.concatenate([[0], np.cumsum(np.bincount(labels))]), expected
    )
    assert np.array_equal(out, expected)
    equal = np.where(labels % 2, 0.1, -0.3)
    mean_by_label(equal, labels, np.zeros((200, 4)), out)
    assert set(out) == {0.1, -0.3}


@pytest.mark.parametrize(
    ("values", "labels"),
    [([1.0, 2.0], [0, 2]), ([1.0, 2.0], [0, -1]), ([1.0, np.nan], [0, 1]), ([np.inf, 1.0], [0, 1])],
)
def test_means_of_labels_are_not_said_of_what_an_operator_refuses(values: list[float], labels: list[int]) -> None:
    groups = max(labels) + 1
    assert not mean_by_label(np.array(values), np.array(labels), np.zeros((groups, 4)), np.empty(groups))


def test_squares_about_the_means_of_labels() -> None:
    rng = np.random.default_rng(2)
    labels = np.concatenate([np.arange(50), rng.integers(0, 60, 700)])  # some labels are used once, or never
    values = rng.normal(1e6, 1.0, labels.size)
    squares = np.empty(labels.size)
    squares_within(values, labels, np.zeros((60, 2)), squares)
    centres = np.bincount(labels, weights=values, minlength=60) / np.maximum(np.bincount(labels, minlength=60), 1)
    assert np.array_equal(squares, (values - centres[labels]) ** 2)


@pytest.mark.parametrize("plain", [False, True], ids=["compiled", "plain"])
def test_means_stay_in_the_range_of_their_group(plain: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def takes(_twin: PlainTwin, work: float) -> bool:
        asked.append(work)
        return plain

    monkeypatch.setattr(PlainTwin, "takes", takes)
    groups = [[1.0, 2.0, 6.0], [5.0], [0.1, 0.1, 0.1], [-0.3, -0.3, -0.3], [4.0, -4.0]]
    values, offsets = np.concatenate(groups), np.cumsum([0, *map(len, groups)])
    out = np.full(5, np.nan)
    mean_groups(values, offsets, out)
    assert out.tolist() == [3.0, 5.0, 0.1, -0.3, 0.0]
    mean_groups(values[:0], offsets[:1], out[:0])
    assert asked == [12 + 20 * 3, 0]


@pytest.mark.parametrize(
    ("values", "weights", "expected"),
    [
        ([3.0], [0.25], 3.0),
        ([1.0, 5.0], [1.0, 3.0], 4.0),
        ([1.0, 5.0], [1.0, 0.0], 1.0),
        ([5.0, 1.0, 3.0], [2.0, 2.0, 4.0], 3.0),
        ([0.1, 0.1, 0.1], [1.0, 1.0, 1.0], 0.1),  # 0.3 / 3 is more than 0.1
        ([-0.1, -0.1, -0.1], [1.0, 1.0, 1.0], -0.1),
        ([0.7, 0.7, 0.7], [0.1, 0.7, 0.3], 0.7),
    ],
)
def test_weighted_means_stay_in_the_range_of_their_group(
    values: list[float], weights: list[float], expected: float
) -> None:
    out = np.full(3, np.nan)
    offsets = np.array([0, 2, 2 + len(values), 3 + len(values)])
    weighted_mean_groups(np.array([7.0, 9.0, *values, -8.0]), np.array([1.0, 1.0, *weights, 2.0]), offsets, out)
    assert out.tolist() == [8.0, expected, -8.0]


def test_labels_that_nobody_or_one_has() -> None:
    squares = np.full(5, np.nan)
    squares_within(np.array([1.0, 3.0, 7.0, 2.0, 2.0]), np.array([0, 0, 2, 3, 3]), np.zeros((4, 2)), squares)
    assert squares.tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    out = np.empty(2)
    assert mean_by_label(np.array([1.0, 4.0, 3.0]), np.array([1, 0, 1]), np.zeros((2, 4)), out)
    assert out.tolist() == [4.0, 2.0]


def test_one_source_and_heights_that_begin_elsewhere() -> None:
    values, offsets = np.array([2.0, 8.0, 6.0, 4.0]), np.array([0, 1, 4], dtype=np.int64)
    order = ordered(values, offsets)
    assert order.tolist() == [0, 1, 2, 3]
    heights, starts, out = np.array([9.0, 1.0, 0.5, 0.75, 1.0]), np.array([1, 2]), np.empty(2)
    choquet_groups(values, order, heights, starts, offsets, 0.0, True, out)
    assert out.tolist() == [2.0, 4.0 + 1.5 + 1.0]
    choquet_groups(values, order, 2 * heights, starts, offsets, 0.0, True, out)
    assert out.tolist() == [2.0, 8.0]  # what is above the largest value is it
    choquet_groups(values, order, 0.25 * heights, starts, offsets, 0.0, True, out)
    assert out.tolist() == [2.0, 4.0]
    choquet_groups(values, order, 0.25 * heights, starts, offsets, 0.0, False, out)
    assert out.tolist() == [0.5, 1.625]
    sugeno_groups(values / 10, order, heights, starts, offsets, out)
    assert out.tolist() == [0.2, 0.6]
