"""Partitions of space by hand: where cuts lie, which leaves stay, and how groups are cut in memory."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.masking.running import space_partition
from discreet.masking.running.space_partition import Partition, build_partition, cut_at_medians, cut_groups


@pytest.mark.parametrize(
    ("points", "part", "direction", "value"),
    [
        ([[1, 0], [2, 9], [3, 5], [4, 7]], 0.5, [0, 1], 5.0),  # across the column that spreads most
        ([[1, 0], [2, 0], [3, 0], [4, 0]], 0.5, [1, 0], 2.0),
        ([[1, 0], [2, 0], [3, 0], [4, 0]], 0.25, [1, 0], 1.0),
        ([[1, 0], [2, 0], [3, 0], [4, 0]], 0.1, [1, 0], 1.0),  # one at least lies below
        ([[1, 0], [4, 0], [4, 0], [4, 0]], 0.5, [1, 0], 1.0),  # too many are the largest
        ([[1, 0], [2, 0], [4, 0], [4, 0]], 0.75, [1, 0], 2.0),
    ],
)
def test_a_cut_by_hand(points, part, direction, value):
    found = space_partition._cut(np.array(points, dtype=float), part, None)
    assert found[0].tolist() == direction
    assert found[1] == value


def test_equal_points_are_not_cut():
    assert space_partition._cut(np.ones((4, 2)), 0.5, None) is None
    assert space_partition._cut(np.ones((4, 2)), 0.5, np.random.default_rng(0)) is None


def test_an_oblique_cut_has_the_part_below_it():
    points = np.random.default_rng(1).normal(size=(50, 3))
    direction, value = space_partition._cut(points, 0.3, np.random.default_rng(7))
    assert direction.tolist() == np.random.default_rng(7).standard_normal(3).tolist()
    assert ((points * direction).sum(axis=1) <= value).sum() == 15


def line(n):
    return np.arange(float(n))[:, None]


def test_a_partition_of_a_line_by_hand(monkeypatch):
    """A hundred numbers in blocks of 30, of which 85 in a hundred are aimed at: four parts, of 25 each."""
    monkeypatch.setattr(space_partition, "_FEWEST", 2)
    partition = build_partition(line(100), 100, 30)
    assert np.bincount(partition.leaves_of(line(100))).tolist() == [25, 25, 25, 25]
    assert partition.cuts.tolist() == [49.0, 24.0, 74.0]
    assert partition.children.tolist() == [[1, 2], [-1, -2], [-3, -4]]
    assert partition.deals.tolist() == [1] * 4
    assert partition.blocks == 4
    # Three parts are not halved: one of a third, and two of what is left.
    thirds = build_partition(line(90), 90, 40)
    assert np.bincount(thirds.leaves_of(line(90))).tolist() == [30, 30, 30]
    # As many as the size are one block, and so is any sample of them.
    assert build_partition(line(40), 40, 40).blocks == 1
    assert build_partition(line(5), 40, 40).blocks == 1
    assert build_partition(line(200), 100, 30).blocks == 4
    assert build_partition(np.ones((50, 1)), 50, 10).blocks == 1


def tree(deals=4):
    """Three cuts of a line at 1, 2 and 3, into four leaves."""
    return Partition(
        np.ones((3, 1)), np.array([2.0, 1.0, 3.0]), np.array([[1, 2], [-1, -2], [-3, -4]]), np.ones(deals, np.int64)
    )


@pytest.mark.parametrize(
    ("counts", "least", "cuts", "leaves"),
    [
        ([5, 5, 5, 5], 5, [2.0, 1.0, 3.0], [0, 1, 2, 3]),
        ([4, 5, 5, 5], 5, [2.0, 3.0], [0, 0, 1, 2]),  # the first goes down the other side
        ([5, 4, 5, 5], 5, [2.0, 3.0], [0, 0, 1, 2]),
        ([5, 5, 5, 4], 5, [2.0, 1.0], [0, 1, 2, 2]),
        ([1, 1, 5, 5], 5, [3.0], [0, 0, 0, 1]),  # two of them are still too few
        ([1, 4, 5, 5], 5, [2.0, 3.0], [0, 0, 1, 2]),
        ([1, 1, 1, 1], 5, [], [0, 0, 0, 0]),
    ],
)
def test_leaves_that_are_too_small_are_taken_away(counts, least, cuts, leaves):
    fitted = tree().fitted(np.array(counts), least, 10)
    assert fitted.cuts.tolist() == cuts
    points = np.array([[0.5], [1.5], [2.5], [3.5]])
    assert fitted.leaves_of(points).tolist() == leaves
    assert fitted.blocks == max(leaves) + 1


def test_points_on_a_cut_lie_below_it():
    assert tree().leaves_of(np.array([[1.0], [1.0001], [2.0], [2.0001], [3.0], [9.0]])).tolist() == [0, 1, 1, 2, 2, 3]


def test_crowded_leaves_are_dealt_out(monkeypatch):
    monkeypatch.setattr(space_partition, "_LARGE", 10)
    crowded, aim = space_partition._CROWDED, space_partition._AIM
    most = 100
    for count in (most, int(crowded * most), int(crowded * most) + 1, 5 * most):
        fitted = tree().fitted(np.array([count, 50, 50, 50]), 5, most)
        assert fitted.deals.tolist() == [count // int(aim * most) + 1 if count > crowded * most else 1, 1, 1, 1]
    assert tree().fitted(np.array([500, 50, 50, 50]), 5, 9).deals.tolist() == [1] * 4, "small blocks are not"
    fitted = tree().fitted(np.array([500, 50, 50, 50]), 5, most)
    blocks = fitted.blocks_of(np.array([[0.5]] * 400 + [[1.5]] * 3), np.arange(403))
    assert set(blocks[:400].tolist()) == set(range(fitted.deals[0]))
    assert set(blocks[400:].tolist()) == {fitted.deals[0]}


@pytest.mark.parametrize(
    ("sizes", "size", "blocks"),
    [
        ([1, 1, 1, 1], 4, [[0, 1, 2, 3]]),
        ([1, 1, 1, 1], 3, [[1, 3], [0, 2]]),
        ([1, 1, 1, 1], 1, [[1], [3], [2], [0]]),
        ([3, 1, 1, 1], 3, [[1, 2, 3], [0]]),
        ([9, 1, 1, 1], 3, [[1, 2, 3], [0]]),  # a larger group stays alone
        ([1, 9, 1, 1], 3, [[1], [0, 2, 3]]),
    ],
)
def test_groups_are_cut_along_the_widest_column(sizes, size, blocks):
    """Groups at 9, 0, 6 and 2 on the second axis, and close together on the first."""
    centres = np.array([[0.0, 9.0], [1.0, 0.0], [2.0, 6.0], [3.0, 2.0]])
    assert [block.tolist() for block in cut_groups(centres, np.array(sizes), size)] == blocks


def test_records_are_cut_in_halves_and_ties_stay_in_order():
    assert [part.tolist() for part in cut_at_medians(np.zeros((5, 1)), 3)] == [[0, 1], [2, 3, 4]]
    assert [part.tolist() for part in cut_at_medians(line(6), 6)] == [[0, 1, 2, 3, 4, 5]]
    assert [part.tolist() for part in cut_at_medians(line(6)[::-1], 5)] == [[3, 4, 5], [0, 1, 2]]
