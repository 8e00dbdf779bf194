from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.scales import Ordinal
from discreet.data.scales.semantics import IntervalSemantics, Negation
from discreet.errors import DataError, DiscreetWarning, ParameterError


def test_every_number_of_the_range_has_one_level():
    semantics = IntervalSemantics((0, 2, 5), (2, 5, 6))
    assert semantics.locate([0, 1.999, 2, 4.9, 5, 6]).tolist() == [0, 0, 1, 1, 2, 2]


def test_a_sum_that_misses_a_boundary_by_rounding_lies_on_it():
    thirds = IntervalSemantics((0, 1 / 3, 2 / 3), (1 / 3, 2 / 3, 1))
    just_below = np.nextafter(1 / 3, 0)
    assert thirds.locate([just_below, 1 / 3, 1 / 3 - 1e-9]).tolist() == [1, 1, 0]


@pytest.mark.parametrize("number", [-0.1, 6.1, float("nan")])
def test_numbers_outside_the_range_are_refused_without_showing_them(number):
    with pytest.raises(DataError, match="1 of 2 numbers lie outside") as caught:
        IntervalSemantics((0, 2), (2, 6)).locate([1.0, number])
    assert str(number) not in str(caught.value)


def test_overlapping_levels_have_distances_but_no_numbers():
    semantics = IntervalSemantics((0, 0, 2), (2, 4, 4), (True, False, True))
    assert semantics.members.tolist() == [0, 2]
    assert semantics.locate([1.9, 2.0, 4.0]).tolist() == [0, 2, 2]
    assert semantics.distances().tolist() == [[0, 1, 4], [1, 0, 1], [4, 1, 0]]


def test_dictionary_goes_round():
    full = IntervalSemantics((0, 1), (1, 3))
    assert "partition" not in full.to_dict()
    assert IntervalSemantics.from_dict(full.to_dict()) == full
    partial = IntervalSemantics((0, 0, 1), (1, 2, 2), (True, False, True))
    assert IntervalSemantics.from_dict(partial.to_dict()) == partial
    with pytest.raises(ParameterError, match="got high, width"):
        IntervalSemantics.from_dict({"width": [1], "high": [1]})


@pytest.mark.parametrize(
    ("low", "high", "partition", "message"),
    [
        ((0, 1), (1,), (), "one entry per level; got 2, 1 and 2"),
        ((), (), (), "one entry per level"),
        ((0, 1), (1, 1), (), "level 1 must have low below high"),
        ((0, 2), (1, 3), (), "levels 0 and 1 leave a gap"),
        ((0, 1), (2, 3), (), "levels 0 and 1 overlap or are out of order"),
        ((5, 0), (6, 5), (), "levels 0 and 1 overlap or are out of order"),
        ((0, 1), (1, float("inf")), (), "must be finite"),
        ((0, 1), (1, 2), (False, False), "at least one level"),
        ((0, 1), (1, 9), (True, False), "centre of level 1 lies outside"),
    ],
)
def test_broken_intervals_are_named(low, high, partition, message):
    with pytest.raises(ParameterError, match=message):
        IntervalSemantics(low, high, partition)


def test_a_scale_takes_its_distance_from_the_semantics():
    scale = Ordinal(("a", "b", "c"), IntervalSemantics((0, 2, 3), (2, 3, 7)))
    assert scale.distance(np.array([0, 0]), np.array([1, 2])).tolist() == [2.25, 16.0]


def test_one_antonym_each_gives_equal_intervals():
    levels = ("a", "b", "c", "d")
    negation = Negation(levels, dict(zip(levels, [["d"], ["c"], ["b"], ["a"]], strict=True)))
    assert negation.semantics().high == (0.25, 0.5, 0.75, 1.0)


@pytest.mark.parametrize(
    ("antonyms", "message"),
    [
        ({"a": ["a", "c"], "b": ["b"], "c": ["a"]}, "C0 fails: the antonyms of 'a'"),
        ({"a": [], "b": ["b"], "c": ["a"]}, "C0 fails: the antonyms of 'a'"),
        ({"a": ["a"], "b": ["b", "c"], "c": ["b"]}, "C1 fails: every antonym of 'b' lies above every antonym of 'a'"),
        ({"a": ["c"], "b": ["b"], "c": ["b", "c"]}, "C2 fails: 'c' is an antonym of 'a'"),
        ({"a": ["z"], "b": ["b"], "c": ["a"]}, "antonyms of 'a' must be levels that do not overlap; got 'z'"),
        ({"a": ["c"], "b": ["b"]}, "'c' must have antonyms"),
        ({"a": ["c"], "b": ["b"], "c": ["a"], "d": ["a"]}, "'d' is not one of the 3 levels"),
    ],
)
def test_broken_axioms_name_their_labels(antonyms, message):
    with pytest.raises(ParameterError, match=message):
        Negation(("a", "b", "c"), antonyms)


def test_a_negation_that_passes_the_axioms_but_is_not_consistent_warns():
    # C0 to C2 hold, yet 'a' is an antonym of itself that no point of its interval has.
    negation = Negation(("a", "b", "c"), {"a": ["a", "b", "c"], "b": ["a", "b"], "c": ["a"]})
    with pytest.warns(DiscreetWarning, match="intervals of 'a', 'b' are not consistent"):
        negation.semantics()


@st.composite
def staircases(draw):
    """Symmetric staircases in a square: a negation by construction, one cell for each unit of length."""
    half = draw(st.lists(st.sampled_from(["right", "down", "diagonal"]), max_size=5))
    mirrored = [{"right": "down", "down": "right"}.get(step, step) for step in reversed(half)]
    middle = draw(st.sampled_from([[], ["diagonal"]]))
    row = column = 0
    cells = [(0, 0)]
    for step in [*half, *middle, *mirrored]:
        row += step in {"down", "diagonal"}
        column += step in {"right", "diagonal"}
        cells.append((row, column))
    size = row + 1
    return size, [(r, size - 1 - c) for r, c in cells]


@given(staircases())
def test_proposition_2_is_consistent_on_every_staircase(staircase):
    size, cells = staircase
    antonyms = {level: [c for r, c in cells if r == level] for level in range(size)}
    semantics = Negation(tuple(range(size)), antonyms).semantics()  # a warning would be an error
    assert semantics.low[0] == 0.0
    assert semantics.high[-1] == 1.0
    for level in range(size):
        union_low = min(semantics.low[a] for a in antonyms[level])
        union_high = max(semantics.high[a] for a in antonyms[level])
        assert union_low <= 1 - semantics.high[level] + 1e-12
        assert 1 - semantics.low[level] <= union_high + 1e-12
