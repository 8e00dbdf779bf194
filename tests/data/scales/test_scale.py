"""Columns as one plain array, levels of one type, codes that stand for nothing."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.scales import Nominal, Ordinal
from discreet.data.scales.scale import as_arrow, hide_missing, is_text, is_whole, level_type, to_level_type
from discreet.data.scales.semantics import IntervalSemantics
from discreet.errors import DataError, SchemaError


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, None], [1, None]),
        (np.array([1.5, np.nan]), [1.5, None]),
        (pa.array([1.5, float("nan"), None]), [1.5, None, None]),
        (pa.chunked_array([[1], [2, None]]), [1, 2, None]),
        (pa.chunked_array([[1]]), [1]),
        (pa.chunked_array([], pa.int64()), []),
        (pa.array(["a", "b", "a"]).dictionary_encode(), ["a", "b", "a"]),
    ],
)
def test_one_plain_array(values, expected):
    column = as_arrow(values)
    assert isinstance(column, pa.Array)
    assert column.to_pylist() == expected


@pytest.mark.parametrize(
    ("levels", "kind"),
    [
        ((True, False), pa.bool_()), (("a", "b"), pa.string()), ((1, 2), pa.int64()), ((1, 2.5), pa.float64()),
        ((-(2**63), 2**63 - 1), pa.int64()),
    ],
)  # fmt: skip
def test_the_type_of_levels(levels, kind):
    assert level_type(levels) == kind


@pytest.mark.parametrize("levels", [(1, "a"), (True, 1), (1.5, True), (None,)])
def test_levels_of_several_types_are_refused(levels):
    with pytest.raises(SchemaError, match="all text, all numbers, or all truth values"):
        level_type(levels)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
def test_numbers_of_more_than_64_bits_are_refused(number):
    with pytest.raises(SchemaError, match="at most 64 bits"):
        level_type((1, number))


@pytest.mark.parametrize(
    ("values", "target", "expected"),
    [
        (["1", " 2 ", "+3", "1.0", "x", None], pa.int64(), [1, 2, 3, None, None, None]),
        (["9223372036854775807", "-9223372036854775808", "9223372036854775808", "7" * 30, "+2", None], pa.int64(),
         [2**63 - 1, -(2**63), None, None, 2, None]),
        (["1", "2.5", ".5", "1e3", "1.", "e", "1,5"], pa.float64(), [1, 2.5, 0.5, 1000, 1, None, None]),
        (["True", "FALSE", "yes"], pa.bool_(), [True, False, None]),
        (["a"], pa.string(), ["a"]),
        ([1.0, 2.5, None], pa.int64(), [1, None, None]),
        ([1.0, 2.0, None], pa.string(), ["1", "2", None]),
        ([1.0, 2.5], pa.string(), ["1", "2.5"]),
        ([1, 2], pa.string(), ["1", "2"]),
        ([True], pa.float64(), [1.0]),
        ([2.0**53, 2.0**53 - 1], pa.int64(), [None, 2**53 - 1]),
        ([[1]], pa.string(), [None]),
        ([b"\xff"], pa.float64(), [None]),
    ],
)  # fmt: skip
def test_values_in_the_type_of_levels(values, target, expected):
    column = to_level_type(pa.array(values), target)
    assert column.type == target
    assert column.to_pylist() == expected


def test_a_number_too_long_for_levels_is_refused_by_count():
    with pytest.raises(DataError, match="1 of 2 values are not among the 2 declared levels") as caught:
        Nominal((3, 4)).encode(["99999999999999999999", "+4"])
    assert "999" not in str(caught.value)


def test_whole_numbers_are_those_whose_neighbours_are_told_apart():
    whole = is_whole(pa.array([1.0, -2.0, 0.5, 2.0**53, -(2.0**53), 2.0**53 - 1, None]))
    assert whole.to_pylist() == [True, True, False, False, False, True, None]


def test_text_of_every_kind():
    assert all(is_text(pa.array(["a"], kind)) for kind in (pa.string(), pa.large_string(), pa.string_view()))
    assert not is_text(pa.array([1]))
    assert not is_text(pa.array([b"a"]))


@pytest.mark.parametrize(
    ("values", "missing", "expected"),
    [
        ([1, -9, None], (-9,), [1, None, None]),
        (["1", "-9", " -9"], (-9,), ["1", None, None]),
        ([1, -9], ("-9",), [1, None]),
        ([1.5, -9.0], ("-9", 1.5), [None, None]),
        (["a", "?", "."], ("?", "."), ["a", None, None]),
        (["a"], (), ["a"]),
        ([["a"]], ("a",), [["a"]]),
    ],
)
def test_codes_that_stand_for_nothing(values, missing, expected):
    assert hide_missing(pa.array(values), missing).to_pylist() == expected


@pytest.mark.parametrize("scale", [Nominal, Ordinal])
def test_levels_are_checked(scale):
    name = scale.__name__
    for levels, message in [
        (5, f"{name}: levels must be a list"),
        ([["a"]], f"{name}: levels must be text or numbers"),
        ([], f"{name}: levels must name at least one category"),
        (["a", "b", "a", "a"], f"{name}: 2 levels are listed twice"),
    ]:
        with pytest.raises((SchemaError, TypeError), match=message):
            scale(levels)
    assert scale(np.array([1, 2])).levels == (1, 2)
    assert type(scale(np.array([1, 2])).levels[0]) is int
    assert len(scale(["a", "b"])) == 2


def test_codes_and_levels():
    scale = Nominal(("a", "b"))
    assert scale.encode(["b", None, "?"], missing=("?",)).tolist() == [1, -1, -1]
    with pytest.raises(DataError, match="2 of 4 values are not among the 2 declared levels"):
        scale.encode(["a", "x", "y", None])
    assert scale.decode([1, -1, 0]).to_pylist() == ["b", None, "a"]
    assert scale.decode([]).to_pylist() == []
    for codes in ([2], [-2]):
        with pytest.raises(DataError, match="Codes must lie between −1 and 1"):
            scale.decode(codes)


def test_distances_of_levels_and_of_missing_values():
    scale = Ordinal(("a", "b", "c", "d"))
    assert scale.distance([0, 0, 3], [1, 3, 3]).tolist() == [0.25, 0.75, 0]
    assert scale.distance([-1, -1, 2], [-1, 0, -1]).tolist() == [0, 0.75, 0.75]
    assert scale.distance([[0], [2]], [0, 1]).tolist() == [[0, 0.25], [0.5, 0.25]]
    assert scale.distance_matrix()[1].tolist() == [0.25, 0, 0.25, 0.5]
    assert Nominal(("a",)).distance([0], [-1]).tolist() == [0]


@pytest.mark.parametrize("levels", [1, 2, 3, 7, 49, 200])
def test_the_largest_distance_is_that_of_all_pairs(levels):
    rng = np.random.default_rng(levels)
    bounds = np.sort(rng.normal(size=levels + 1) * 10.0 ** rng.integers(-3, 9))
    # A level outside the partition may be wider than others, and its centre is not where it stands in the order.
    low, high = [*bounds[:-1], bounds[0]], [*bounds[1:], bounds[-1]]
    meaning = IntervalSemantics(low, high, [True] * levels + [False])
    names = tuple(range(levels))
    for scale in (Nominal(names), Ordinal(names), Ordinal((*names, levels), meaning)):
        assert scale.largest_distance == scale.distance_matrix().max()
        assert scale.distance([0, -1, -1], [-1, 0, -1]).tolist() == [scale.largest_distance] * 2 + [0.0]


@pytest.mark.parametrize("kind", [Nominal, Ordinal])
def test_a_missing_value_among_many_levels_needs_no_table_of_them(kind):
    scale = kind(tuple(range(6_000)))
    tracemalloc.start()
    try:
        distances = scale.distance([5, -1, 5_999], [-1, -1, 0])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert distances.tolist() == [scale.largest_distance, 0.0, scale.largest_distance]
    assert peak < 6_000**2 / 10
