"""Records that stay fully generalised: what they show, who joins them, and what every record costs."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.data.guarantees import Guarantee
from discreet.masking.recoding.joined_classes import JoinedClasses, record_costs
from discreet.masking.recoding.key_ladders import NamedLadder

FUEL = NamedLadder.of("fuel", [("gas", "fossil", "any"), ("oil", "fossil", "any"), ("sun", "green", "any")])
SEX = NamedLadder.of("sex", [("f", "*"), ("m", "*")])
LADDERS = {"fuel": FUEL, "sex": SEX}


def promise(k):
    return Guarantee(method="generalisation", attributes=("fuel", "sex"), k=k)


def test_cells_are_written_by_step_and_lost_ones_at_the_top():
    columns = {"fuel": np.array([0, 1, 2, -1, -1]), "sex": np.array([0, 1, 0, 1, 0])}
    joined = JoinedClasses(LADDERS, columns, {}, [])
    steps = np.array([[0, 0], [1, 1], [2, 0], [1, 0], [0, 0]])
    assert joined.cells(steps, np.array([False, False, False, False, True])) == {
        "fuel": ["=gas", "=fossil", "=any", None, "=any"],
        "sex": ["=f", "=*", "=f", "=m", "=*"],
    }


def test_the_smallest_classes_join_until_the_promise_holds():
    # Five records were lost; three of them got steps of their own: two gas f, and one sun m.
    columns = {"fuel": np.array([0, 0, 2, 1, 1, 2, 2, 2]), "sex": np.array([0, 0, 1, 0, 1, 0, 0, 0])}
    first = np.array([True] * 5 + [False] * 3)
    steps = np.zeros((8, 2), np.int64)
    lost = np.array([False, False, False, True, True, False, False, False])
    for k, expected in [
        (1, [False, False, False, True, True, False, False, False]),
        (2, [False, False, True, True, True, False, False, False]),  # sun m is alone
        (3, [True, True, True, True, True, False, False, False]),  # and gas f are two
    ]:
        joined = JoinedClasses(LADDERS, columns, {}, [promise(k)])
        found = joined.settle(steps, lost, first)
        assert found.tolist() == expected
        assert joined.kept(steps, found)
        assert lost.tolist() == [False, False, False, True, True, False, False, False], "what was handed over stays"


@pytest.mark.parametrize(
    ("objective", "importance", "expected"),
    [
        # Of three fuels two, or all, are covered: 1/2 and 1; of two sexes both: 1. Half each.
        ("loss", {}, [0.0, 0.25, 1.0, 0.5, 0.0]),
        ("precision", {}, [0.0, 0.25, 1.0, 0.5, 0.0]),
        ("loss", {"fuel": 3.0}, [0.0, 0.375, 1.0, 0.25, 0.0]),
        ("precision", {"sex": 0.0}, [0.0, 0.5, 1.0, 0.0, 0.0]),
    ],
)
def test_costs_of_records_by_hand(objective, importance, expected):
    columns = {"fuel": np.array([0, 0, 1, 1, -1]), "sex": np.array([0, 0, 1, 1, 1])}
    steps = np.array([[0, 0], [1, 0], [2, 1], [0, 1], [2, 0]])
    assert record_costs(LADDERS, columns, steps, objective, importance).tolist() == pytest.approx(expected)


def test_losses_and_steps_are_not_the_same():
    columns, steps = {"fuel": np.array([2])}, np.array([[1]])
    assert record_costs({"fuel": FUEL}, columns, steps, "loss", {}).tolist() == [0.0], "green is sun alone"
    assert record_costs({"fuel": FUEL}, columns, steps, "precision", {}).tolist() == [0.5]
    single = NamedLadder.of("one", [("a",)])
    assert record_costs({"one": single}, {"one": np.array([0])}, np.array([[0]]), "precision", {}).tolist() == [0.0]
