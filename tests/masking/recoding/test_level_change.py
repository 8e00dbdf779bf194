"""Levels sent to levels: new codes, new declarations, what was possible."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.data.scales import Nominal, Ordinal
from discreet.data.scales.semantics import IntervalSemantics
from discreet.data.schema import Attribute
from discreet.masking.recoding.level_change import LevelPlan, change_levels, merge_into
from discreet.typing import Level

SIZES = Attribute("size", Ordinal(("s", "m", "l", "xl")), "key", missing=("?", "big"))


def ages(**options: tuple[float, ...]) -> Attribute:
    low, high = options.get("low", (0, 10, 20, 30)), options.get("high", (10, 20, 30, 40))
    return Attribute("age", Ordinal(("a", "b", "c", "d"), IntervalSemantics(low, high)), "key")


def test_a_mapping_to_own_levels_keeps_the_declaration() -> None:
    change = change_levels(SIZES, np.array([0, 0, 2, 2]))
    assert change.attribute is None
    assert change.table.tolist() == [0, 0, 2, 2, -1]
    expected = np.zeros((5, 5), dtype=bool)
    expected[[0, 1, 2, 3, 4], [0, 0, 2, 2, 4]] = True
    np.testing.assert_array_equal(change.transitions, expected)
    assert change_levels(SIZES, np.arange(4), SIZES.scale.levels).attribute is None  # type: ignore[attr-defined]


def test_order_is_kept_where_the_mapping_keeps_it() -> None:
    change = change_levels(SIZES, np.array([0, 0, 1, 1]), ("small", "big"))
    assert change.attribute is not None
    assert change.attribute.scale == Ordinal(("small", "big"))
    assert change.attribute.missing == ("?",)  # what is a level now is no missing code
    assert change.transitions.shape == (5, 3)
    assert change.transitions[4].tolist() == [False, False, True]
    crossed = change_levels(SIZES, np.array([0, 1, 0, 1]), ("odd", "even"))
    assert crossed.attribute is not None
    assert crossed.attribute.scale == Nominal(("odd", "even"))
    unordered = change_levels(Attribute("f", Nominal(("x", "y")), "key"), np.array([0, 0]), ("z",))
    assert unordered.attribute is not None
    assert unordered.attribute.scale == Nominal(("z",))


def test_intervals_are_joined_where_they_can_be() -> None:
    change = change_levels(ages(), np.array([0, 0, 0, 1]), ("young", "old"))
    assert change.attribute is not None
    semantics = change.attribute.scale.semantics  # type: ignore[attr-defined]
    assert (semantics.low, semantics.high) == ((0, 30), (30, 40))
    # A released level that nothing becomes has no interval, and then none has.
    spare = change_levels(ages(), np.array([0, 0, 2, 2]), ("young", "nobody", "old"))
    assert spare.attribute is not None
    assert spare.attribute.scale.semantics is None  # type: ignore[attr-defined]
    plain = change_levels(SIZES, np.array([0, 0, 1, 1]), ("small", "large"))
    assert plain.attribute is not None
    assert plain.attribute.scale.semantics is None  # type: ignore[attr-defined]


def test_merged_levels_become_one_of_them_an_other_or_a_new_one() -> None:
    into_own = merge_into(SIZES, np.array([1, 2]), 2, None)
    assert (into_own.table.tolist(), into_own.attribute) == ([0, 2, 2, 3, -1], None)
    into_other = merge_into(SIZES, np.array([0, 1]), 1, "xl")
    assert (into_other.table.tolist(), into_other.attribute) == ([3, 3, 2, 3, -1], None)
    new = merge_into(SIZES, np.array([1, 2]), 2, "mid")
    assert new.attribute is not None
    assert new.attribute.scale == Ordinal(("s", "mid", "xl"))
    assert new.table.tolist() == [0, 1, 1, 2, -1]


@pytest.mark.parametrize(
    ("label", "levels"), [(9, (1, 9)), ("rare", ("1", "rare"))]
)  # a word among numbers makes words of all
def test_a_new_label_among_numbers(label: Level, levels: tuple[Level, ...]) -> None:
    change = merge_into(Attribute("n", Nominal((1, 2, 3)), "key"), np.array([1, 2]), 1, label)
    assert change.attribute is not None
    assert change.attribute.scale == Nominal(levels)
    assert change.table.tolist() == [0, 1, 1, -1]


def test_a_plan_holds_what_changed() -> None:
    changes = {
        "size": change_levels(SIZES, np.array([0, 0, 1, 1]), ("small", "large")),
        "age": change_levels(ages(), np.arange(4)),
    }
    plan = LevelPlan.of(changes, {"steps": 2}, ["said"])
    assert [attribute.name for attribute in plan.attributes] == ["size"]
    assert set(plan.tables) == set(plan.transitions) == {"size", "age"}
    assert (plan.details, plan.notes) == ({"steps": 2}, ("said",))
    assert (LevelPlan.of(changes).details, LevelPlan.of(changes).notes) == ({}, ())
