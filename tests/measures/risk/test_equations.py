"""Cells that aggregates determine, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from discreet.data.scales import Numeric
from discreet.measures.risk import equations
from discreet.measures.risk.equations import (
    aggregated_together,
    classes_of,
    complement,
    finer_than,
    solved,
    undone_swaps,
)

NAN = float("nan")


def listed(values):
    return [None if np.isnan(value) else value for value in values.tolist()]


def test_classes_are_of_equal_columns():
    assert classes_of([np.array([2.0, 1.0, 2.0, NAN, NAN])]).tolist() == [1, 0, 1, 2, 2]
    both = classes_of([np.array([1.0, 1.0, 2.0, 2.0, 1.0]), np.array([5.0, 6.0, 5.0, 6.0, 5.0])])
    assert both.tolist() == [0, 1, 2, 3, 0]


def step(details, attributes=("x", "y", "z"), **parameters):
    return SimpleNamespace(details=details, attributes=attributes, parameters=parameters)


@pytest.mark.parametrize(
    ("masked", "together"),
    [
        (step({}), ("x", "y", "z")),
        (step({}, strata=["s"]), ("x", "y", "z", "s")),
        (step({"blocks": [["z"], ["x", "y"]]}), ("x", "y")),
        (step({"blocks": [{"attributes": ["y", "x"]}, {"attributes": ["z"]}]}, strata=["s"]), ("y", "x", "s")),
        (step({"blocks": [["y", "z"]]}), ("x", "y", "z")),
        (step({"by_stratum": [{"blocks": [["x", "z"]]}, {"blocks": [["x", "y"]]}]}, strata=None), ("x", "z")),
        (step({"by_stratum": [], "blocks": [["x"]]}), ("x",)),
    ],
)
def test_what_a_step_grouped_together(masked, together):
    assert aggregated_together(masked, "x") == together


def fineness(*numbers):
    return Numeric().fineness(np.array(numbers))


def test_numbers_finer_than_their_column():
    whole = fineness(1.0, 2.0, 30.0)
    assert finer_than(np.array([1.0, 2.5]), whole) is True
    assert finer_than(np.array([1.0, 2.0, NAN]), whole) is False
    endless = fineness(1 / 3, 2 / 7, np.pi)
    assert endless.unit is None
    assert finer_than(np.array([1.0, 2.5]), endless) is False


def test_weighted_means_that_one_whole_solution_gives():
    column = fineness(3.0, 10.0, 20.0, 41.0)
    weights = np.array([1.0, 10.0, 1.0, 1.0, 5.0])
    # 3 and 4 with weights 1 and 10: 43/11, which no other whole numbers near it give; a pair of equal weights, whose
    # members cannot be told apart; and one by itself.
    released = np.array([43 / 11, 43 / 11, 10.5, 10.5, 7.0])
    found = solved(released, column, np.array([0, 0, 1, 1, 2]), weights, np.array([4.0, 4.0, 10.0, 10.0, 7.0]))
    assert listed(found) == [3.0, 4.0, None, None, None]


def test_nothing_is_solved_without_weights_or_finer_digits():
    column, classes, ones = fineness(3.0, 10.0), np.array([0, 0]), np.array([1.0, 10.0])
    released, plain = np.array([43 / 11] * 2), np.array([4.0, 4.0])
    assert listed(solved(released, column, classes, None, plain)) == [None, None]
    assert listed(solved(plain, column, classes, ones, plain)) == [None, None]
    assert listed(solved(released, fineness(1 / 3, np.pi), classes, ones, plain)) == [None, None]
    assert listed(solved(released, column, np.array([0, 1]), ones, plain)) == [None, None]
    assert listed(solved(np.array([3.5, NAN]), column, classes, ones, plain))[1] is None


def test_groups_with_as_many_members_as_are_solved(monkeypatch):
    column, classes, weights = fineness(3.0, 10.0), np.array([0, 0]), np.array([1.0, 10.0])
    released, plain = np.array([43 / 11] * 2), np.array([4.0, 4.0])
    monkeypatch.setattr(equations, "MOST_MEMBERS", 2)
    assert listed(solved(released, column, classes, weights, plain)) == [3.0, 4.0]
    monkeypatch.setattr(equations, "MOST_MEMBERS", 1)
    assert listed(solved(released, column, classes, weights, plain)) == [None, None]


def test_the_last_unknown_member_is_what_is_left_of_the_sum():
    classes = np.array([0, 0, 0, 1, 1, 2, 3])
    released = np.array([4.0, 4.0, 4.0, 6.0, 6.0, 8.0, NAN])
    known = np.array([1.0, 5.0, NAN, NAN, NAN, NAN, NAN])
    assert listed(complement(released, classes, None, known)) == [None, None, 6.0, None, None, 8.0, None]
    weights = np.array([1.0, 2.0, 5.0, 1.0, 1.0, 3.0, 1.0])
    # 8 · 4 less 1 and 10, over 5.
    assert listed(complement(released, classes, weights, known)) == [None, None, 4.2, None, None, 8.0, None]


def test_neighbours_in_rank_are_exchanged_again():
    assert listed(undone_swaps(np.array([30.0, 10.0, NAN, 20.0, 40.0]))) == [40.0, 20.0, None, 10.0, 30.0]
    assert listed(undone_swaps(np.array([3.0, 1.0, 2.0]))) == [3.0, 2.0, 1.0]
    assert listed(undone_swaps(np.array([7.0]))) == [7.0]
    assert undone_swaps(np.array([])).tolist() == []
