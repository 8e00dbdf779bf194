"""Patterns in order of weight, and who may agree on more, worked out pattern by pattern."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from discreet.linkage.shared import pattern_plan
from discreet.linkage.shared.agreement import equality, nested
from discreet.linkage.shared.packed_records import Layout, PackedFiles
from discreet.linkage.shared.pattern_plan import JoinedFiles, PatternPlan

A, B = np.array([0, 1, 2, 3, 3]), np.array([3, 0, -1])
AGREEMENTS = (nested("x", A, B, [np.array([0, 0, 1, 1])], "disagree"), equality("y", A[::-1].copy(), B, "disagree"))
LAYOUT = Layout.of(AGREEMENTS)
# By the state of x and of y: agreement on y alone weighs less than none.
WEIGHTS = np.array([[0.0, -1.0], [2.0, 1.0 + 1e-12], [4.0, 2.0]])


def plan(weights=WEIGHTS, **options):
    return PatternPlan.of(AGREEMENTS, weights, LAYOUT, **options)


def test_patterns_fall_by_weight_and_equal_ones_share_a_step() -> None:
    one = plan()
    assert one.weight_of_step.tolist() == [4.0, 2.0, 1.0, 0.0, -1.0]
    # Positions are 2 · x + y: 4 is (2, 0); 2 and 5 weigh 2.
    assert one.sorted_patterns.tolist() == [4, 2, 5, 3, 0, 1]
    assert one.step_of.tolist() == [3, 4, 1, 2, 0, 1]
    assert one.second
    some = plan(occurring=np.array([[True, False], [False, True], [False, True]]), second=False)
    assert some.weight_of_step.tolist() == [2.0, 1.0, 0.0]
    assert some.sorted_patterns.tolist() == [5, 3, 0]
    assert some.step_of.tolist() == [2, 0, 0, 1, 0, 0]
    assert not some.second


def test_what_rounding_made_different_is_equal() -> None:
    assert plan(WEIGHTS + np.array([[0, 0], [3e-10, 0], [0, 0]])).weight_of_step.size == 5
    assert plan(WEIGHTS + np.array([[0, 0], [2e-9, 0], [0, 0]])).weight_of_step.size == 6


def finer(pattern, shape):
    return [
        one
        for one in product(*map(range, shape))
        if one != pattern and all(a >= b for a, b in zip(one, pattern, strict=True))
    ]


@pytest.mark.parametrize("seed", range(4))
def test_a_pattern_is_verified_where_a_finer_one_is_not_heavier(seed) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 6, (3, 2)).astype(float) + np.add.outer([0.0, 2.0, 4.0], [0.0, 2.0])
    expected = [any(weights[one] <= weights[pattern] for one in finer(pattern, (3, 2))) for pattern in np.ndindex(3, 2)]
    assert plan(weights).verify.tolist() == expected


def test_finer_sets_are_those_that_somebody_may_be_met_on() -> None:
    one = plan()
    assert one.verify.tolist() == [True, False, True, False, True, False]
    # Whoever agrees on nothing may agree on y alone, which is lighter; on x he would have been met before.
    assert one.finer_sets(0) == (True, [1])
    # Agreement in the class of x alone: on y as well is lighter, and on all of x and y as heavy, which is all of x too.
    assert one.finer_sets(2) == (True, [4, 3, 5])
    assert one.finer_sets(4) == (True, [5])
    for pattern in (1, 3, 5):
        assert one.finer_sets(pattern) == (False, [])
    # What does not occur is not met.
    without = plan(occurring=np.array([[True, False], [True, True], [True, False]]))
    assert without.finer_sets(0) == (False, [])
    assert without.finer_sets(4) == (False, [])
    assert without.finer_sets(2) == (True, [3])


def test_too_many_attributes_to_agree_more_on_are_not_listed(monkeypatch) -> None:
    falling = plan(np.array([[3.0, 2.0], [1.0, 0.0], [-1.0, -2.0]]))
    assert falling.finer_sets(0) == (True, [2, 1, 3])
    monkeypatch.setattr(pattern_plan, "_MOST_FINER", 2)
    assert falling.finer_sets(0) == (True, [2, 1, 3])
    monkeypatch.setattr(pattern_plan, "_MOST_FINER", 1)
    assert falling.finer_sets(0) == (True, [])


def test_positions_and_fields() -> None:
    one = plan()
    assert one.stride.tolist() == [2, 1]
    assert one.strides.tolist() == [2, 2, 1]
    at, ones, flag = one.fields
    # Both attributes lie in one word; the second level of x stands in the next one.
    assert at.tolist() == [[0, 1], [0, -1]]
    for j, widths in enumerate(zip(LAYOUT.width, LAYOUT.shift, strict=True)):
        width, shift = widths
        assert int(ones[j, 0]) == ((1 << width) - 1) << shift
        assert int(flag[j, 0]) == 1 << (shift + width - 1)
    assert (int(ones[1, 1]), int(flag[1, 1])) == (0, 0)
    assert one.mask(0).tolist() == [0, 0]
    assert one.mask(1).tolist() == [int(ones[1, 0]), 0]
    assert one.mask(3).tolist() == [int(ones[0, 0] | ones[1, 0]), 0]
    assert one.mask(5).tolist() == [int(ones[1, 0]), int(ones[0, 1])]


def test_joined_files_hold_both_files_or_a_part_of_the_second() -> None:
    joined = JoinedFiles.of(PackedFiles.of(AGREEMENTS))
    assert joined.a_columns.tolist() == joined.a_words.T.tolist()
    assert len(joined.a_words) == joined.a.first.size == 5
    assert joined.a_fields.tolist() == [[0, 0, 1, 1, 1], [0, 1, 2, 3, 3], [3, 3, 2, 1, 0]]
    assert joined.b_fields(np.array([0, 2])).tolist() == [[1, 3, 3], [-2, -2, -2]]
    part = joined.block(1, 3)
    assert part.b_words.tolist() == joined.b_words[1:3].tolist()
    assert part.b_fields(np.array([0])).tolist() == joined.b_fields(np.array([1])).tolist()
    assert part.a_words is joined.a_words
    assert joined.following.tolist() == joined.a.following.tolist()
