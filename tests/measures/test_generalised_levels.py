"""What a released level stands for, with a hierarchy and without one."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.contracts.engine import InProcess
from discreet.contracts.measure import PairScope
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.measures.generalised_levels import Coverage, coverage
from discreet.statistics.tallies import Cells

BEFORE = ("gas", "oil", "sun", "wind")
AFTER = ("gas", "fossil", "new", "*")
# On the joined list: gas 0, oil 1, sun 2, wind 3, fossil 4, new 5, * 6, missing 7.
TREE = Hierarchy(
    [["gas", "fossil", "*"], ["oil", "fossil", "*"], ["sun", "new", "*"], ["wind", "new", "*"], ["peat", "fossil", "*"]]
)


def stand_for(pairs: list[tuple[int, int, float]], hierarchy: Hierarchy | None) -> Coverage:
    schemas = (Schema([Attribute("f", Nominal(levels), "key")]) for levels in (BEFORE, AFTER))
    scope = PairScope(*schemas, ("f",), 10, None, InProcess())
    rows, columns, counts = zip(*pairs, strict=True)
    return coverage(scope, "f", Cells(np.array(rows), np.array(columns), np.array(counts, dtype=float)), hierarchy)


def test_without_a_hierarchy_a_level_stands_for_those_that_became_it() -> None:
    cover = stand_for([(0, 0, 3), (0, 4, 1), (1, 4, 2), (2, 7, 5), (7, 4, 9), (7, 7, 1)], None)
    assert cover.leaves == 3  # those that occur: gas, oil, sun
    assert cover.covered.tolist() == [1, 2, 2, 3, 1, 1]
    assert cover.climbed.tolist() == [0, 1, 1, 1, 0, 0]
    assert cover.held.tolist() == [True, True, True, True, False, False]
    assert cover.shares.tolist() == [0, 0.5, 0.5, 1, 0, 0]
    # 11 cells had a value: (0·3 + ½·1 + ½·2 + 1·5) / 11, and a record that is not released counts 1.
    assert cover.intensity(cover.shares) == pytest.approx(100 * 6.5 / 11)
    assert cover.intensity(cover.shares, absent=2) == pytest.approx(100 * 8.5 / 13)
    assert cover.intensity(cover.climbed) == pytest.approx(100 * 8 / 11)


def test_in_a_hierarchy_a_level_stands_for_its_leaves_and_an_untrue_one_for_all() -> None:
    cover = stand_for([(0, 0, 1), (0, 4, 1), (2, 5, 1), (2, 4, 1), (3, 6, 1), (1, 0, 1), (1, 7, 1), (7, 6, 1)], TREE)
    assert cover.leaves == 5
    assert cover.covered.tolist() == [1, 3, 2, 5, 5, 5, 5, 1]
    assert cover.climbed.tolist() == [0, 0.5, 0.5, 1, 1, 1, 1, 0]
    assert cover.shares.tolist() == [0, 0.5, 0.25, 1, 1, 1, 1, 0]


def test_a_level_that_the_hierarchy_does_not_know_says_nothing() -> None:
    cover = stand_for([(0, 0, 1), (3, 3, 1)], Hierarchy([["gas", "fossil"], ["oil", "fossil"]]))
    assert cover.covered.tolist() == [1, 2]
    assert cover.climbed.tolist() == [0, 1]


def test_nothing_released_and_nothing_held() -> None:
    gone = stand_for([(7, 7, 4)], None)
    assert gone.leaves == 0
    assert gone.intensity(gone.shares) == 0
    assert gone.intensity(gone.shares, absent=3) == 100
    one = stand_for([(0, 7, 4)], None)  # one level alone, and it is missing
    assert one.covered.tolist() == [1]
    assert one.shares.tolist() == [0]
    assert one.climbed.tolist() == [1]
