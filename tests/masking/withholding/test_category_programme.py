"""The programmes of suppression with missing as a value of its own, written out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.masking.withholding.category_programme import bounding_programme, exact_programme, programme_of
from discreet.masking.withholding.hiding_classes import HidingClasses

# Two different records, of one and two records, and three combinations, one of which has enough already and one some.
CLASSES = HidingClasses(
    released=np.array([[1, 0], [0, 0], [2, 2]]),
    fixed=np.array([0, 1, 3]),
    members=np.array([0, 1, 0, 1, 1]),
    places=np.array([0, 0, 1, 1, 2]),
    prices=np.array([1.0, 1.5, 2.0, 2.5, 0.5]),
)


def written_out(programme):
    return {
        "cost": programme.cost.tolist(),
        "lower": programme.lower.tolist(),
        "upper": programme.upper.tolist(),
        "whole": programme.whole.tolist(),
        "rows": programme.rows.toarray().tolist(),
        "at_least": programme.at_least.tolist(),
        "sums": programme.sums.toarray().tolist(),
        "equal": programme.equal.tolist(),
    }


def test_a_programme_of_combinations():
    model = programme_of(CLASSES, np.array([1, 2]), 3)
    assert model.loose == 0
    assert model.classes is CLASSES
    assert written_out(model.programme) == {
        "cost": [1.0, 1.5, 2.0, 2.5, 0.5, 0.0, 0.0],
        "lower": [0, 0, 0, 0, 0, 0, 1],  # whoever is in the second combination already stays
        "upper": [1, 2, 1, 2, 2, 1, 1],
        "whole": [False] * 5 + [True] * 2,
        "rows": [
            [1, 1, 0, 0, 0, -3, 0],
            [0, 0, 1, 1, 0, 0, -2],  # two more where one is fixed
            [-1, 0, 0, 0, 0, 1, 0],
            [0, -1, 0, 0, 0, 2, 0],
            [0, 0, -1, 0, 0, 0, 1],
            [0, 0, 0, -1, 0, 0, 2],
        ],
        "at_least": [0] * 6,
        "sums": [[1, 0, 1, 0, 0, 0, 0], [0, 1, 0, 1, 1, 0, 0]],
        "equal": [1, 2],
    }


def test_a_programme_with_helpers_and_records_elsewhere():
    helpers = np.array([5.0, 1.0, 9.0]), np.array([0.7, 0.8, 0.9])
    model = programme_of(CLASSES, np.array([1, 2]), 3, helpers=helpers, elsewhere=np.array([np.inf, 4.0]))
    assert model.loose == 1
    assert written_out(model.programme) == {
        "cost": [1.0, 1.5, 2.0, 2.5, 0.5, 0.0, 0.0, 0.7, 0.8, 4.0],
        "lower": [0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
        "upper": [1, 2, 1, 2, 2, 1, 1, 3, 1, 2],
        "whole": [False] * 5 + [True] * 2 + [False] * 3,
        "rows": [
            [1, 1, 0, 0, 0, -3, 0, 1, 0, 0],
            [0, 0, 1, 1, 0, 0, -2, 0, 1, 0],
            [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0],
            [0, -1, 0, 0, 0, 2, 0, 0, 0, 0],
            [0, 0, -1, 0, 0, 0, 1, 0, 0, 0],
            [0, 0, 0, -1, 0, 0, 2, 0, 0, 0],
        ],
        "at_least": [0] * 6,
        "sums": [[1, 0, 1, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 1, 1, 0, 0, 0, 0, 1]],
        "equal": [1, 2],
    }


ROWS = np.array([[0, 3], [1, 1], [1, 2], [2, 1]])
COUNTS = np.array([1, 1, 2, 4])


def test_every_combination_is_in_the_exact_programme():
    model = exact_programme(ROWS, COUNTS, 3, np.array([1.0, 2.0]))
    classes = model.classes
    pairs = sorted(
        (tuple(classes.released[place].tolist()), int(member), float(price))
        for place, member, price in zip(classes.places, classes.members, classes.prices, strict=True)
    )
    assert pairs == [
        ((0, 0), 0, 2.0),
        ((0, 0), 1, 3.0),
        ((0, 0), 2, 3.0),
        ((0, 0), 3, 3.0),
        ((0, 1), 1, 1.0),
        ((0, 1), 3, 1.0),
        ((1, 0), 1, 2.0),
        ((1, 0), 2, 2.0),
        ((2, 1), 3, 0.0),
    ]
    assert classes.fixed.tolist() == [0] * 4
    assert model.programme.equal.tolist() == [1, 1, 2, 4]
    values, bound, finished = model.programme.solved()
    assert finished
    # Three records show nothing: the one that lacks a key, and the two that need company; or all who have a 1 join.
    assert float(model.programme.cost @ values) == pytest.approx(2.0 + 3.0 + 6.0)
    assert bound == pytest.approx(11.0, abs=2e-3)


@pytest.mark.parametrize(("size", "elsewhere", "number"), [(1, [3.0, 3.0], [1.0, 2.0]), (2, [], [])])
def test_a_bounding_programme_has_helpers_and_what_is_not_listed(size, elsewhere, number):
    """With one key hidden at most, who hides both is elsewhere; who has one key only can be nowhere else."""
    model, least = bounding_programme(ROWS, COUNTS, 3, np.array([1.0, 2.0]), size)
    classes = model.classes
    found = sorted(
        (tuple(classes.released[place].tolist()), int(member), float(price))
        for place, member, price in zip(classes.places, classes.members, classes.prices, strict=True)
    )
    assert found == [
        ((0, 0), 0, 2.0),
        ((0, 0), 1, 3.0),
        ((0, 0), 2, 3.0),
        ((0, 1), 1, 1.0),
        ((1, 0), 1, 2.0),
        ((1, 0), 2, 2.0),
    ]
    assert least.tolist() == [2.0, 1.0, 4.0]
    assert model.loose == len(elsewhere)
    assert model.programme.equal.tolist() == [1, 1, 2]
    # After the pairs, whether a combination is there; then helpers, who have enough company without: four show 2, 1.
    names = [tuple(row) for row in classes.released.tolist()]
    price, room = {(0, 0): 3.0, (0, 1): 1.0, (1, 0): 0.0}, {(0, 0): 3.0, (0, 1): 3.0, (1, 0): 0.0}
    assert model.programme.cost[6:].tolist() == [0.0] * 3 + [price[name] for name in names] + elsewhere
    assert model.programme.upper[6:].tolist() == [1.0] * 3 + [room[name] for name in names] + number
