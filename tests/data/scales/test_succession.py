"""What scales of sequences share: pieces of a text, where lists begin, columns of positions, lists told apart."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.scales.succession import Succession, check_columns, is_list, offsets_of, shown
from discreet.errors import DataError, SchemaError

SCALE = dc.Sequence(["a", "b"], delimiter="-")


def test_pieces_of_delimited_text():
    texts = pa.array(["a-b", "", None, "-a--b-", "  ", "-", "b"])
    assert SCALE._pieces(texts).to_pylist() == [["a", "b"], [], None, ["a", "b"], ["  "], [], ["b"]]
    # Where empty pieces count, a text without anything is still a record without anything.
    kept = SCALE._pieces(texts, keep_empty=True).to_pylist()
    assert kept == [["a", "b"], [], None, ["", "a", "", "b", ""], [], ["", ""], ["b"]]


def test_pieces_of_nothing_and_of_numbers():
    assert SCALE._pieces(pa.array([], pa.string())).to_pylist() == []
    assert SCALE._pieces(pa.array([None, None], pa.float64())).to_pylist() == [None, None]
    assert SCALE._pieces(pa.array([None, None], pa.float64()), keep_empty=True).to_pylist() == [None, None]
    with pytest.raises(DataError, match="A sequence must be text or a list") as told:
        SCALE._pieces(pa.array([None, 7.5]))
    assert "7.5" not in str(told.value)


def test_where_lists_begin():
    ends = offsets_of([2, 0, 1], [False, True, False])
    assert ends.type == pa.int32()
    assert ends.to_pylist() == [0, None, 2, 3]
    assert pa.ListArray.from_arrays(ends, pa.array(["x", "y", "z"])).to_pylist() == [["x", "y"], None, ["z"]]
    assert offsets_of([], []).to_pylist() == [0]


@pytest.mark.parametrize(("column", "lists"), [
    (pa.array([["a"]]), True), (pa.array([["a"]], pa.large_list(pa.string())), True), (pa.array(["a"]), False),
    (pa.array([1.0]), False), (pa.array([None]), False),
])  # fmt: skip
def test_what_holds_lists(column, lists):
    assert is_list(column) is lists


def test_columns_of_positions():
    assert check_columns(["m1", "m2"]) == ("m1", "m2")
    assert check_columns(()) == ()
    for wrong in ("m1", ["m1", ""], ["m1", 3]):
        with pytest.raises(SchemaError, match="columns must list names of columns"):
            check_columns(wrong)
    with pytest.raises(SchemaError, match="2 columns are listed twice"):
        check_columns(["m1", "m2", "m1", "m1"])


def test_lists_that_differ_are_shown_differently():
    lists = [["a", "b"], ["ab"], [], [""], ["", ""], [None], ["a", None], ["a"], None]
    texts = shown(pa.array(lists, pa.list_(pa.string()))).to_pylist()
    assert texts[-1] is None
    assert len(set(texts)) == len(lists)
    assert shown(pa.array([[1.5], [1.25, 2.0]])).to_pylist() == ["1.5\x1f", "1.25\x1f2\x1f"]
    # A part of a longer column is shown as it is.
    part = pa.array([["x"], ["a", "b"], None, ["c"]])[1:]
    assert shown(part).to_pylist() == ["a\x1fb\x1f", None, "c\x1f"]


def test_what_cannot_be_read_off_is_guessed_open():
    guessed = dc.TimeSeries.guessed(pa.array(["1 2", "x y"]))
    assert guessed == dc.TimeSeries()
    assert dc.TimeSeries.guessed(pa.array(["1;2", "x"]), ";").delimiter == ";"
    assert dc.TimeSeries.guessed(pa.array(["1 2", "3 5"])).step == 1.0


def test_records_are_compared_by_the_distance_of_their_scale():
    scale = dc.TimeSeries(step=1, span=10)
    a, b = scale.encode(["0 5", "1 1"]), scale.encode(["6 13", "1 1"])
    assert scale.distance(a, b) == pytest.approx([0.5**0.5, 0.0])
    with pytest.raises(DataError, match="TimeSeries: 2 records cannot be compared with 1 one by one"):
        scale.distance(a, scale.encode(["1 1"]))


def test_what_it_says_of_itself():
    assert (Succession.kind, Succession.ordered, Succession.own_fields, Succession.columns) == (
        "sequence",
        False,
        (),
        (),
    )


def test_a_scale_without_times_has_no_moments():
    codes = np.array([0, 1], dtype=np.int32)
    assert Succession.moments(SCALE, codes, 2, 5, np.random.default_rng(0)) == []
    with pytest.raises(NotImplementedError):
        Succession.far_from(SCALE, codes, np.array([0]), SCALE.encode(["a"]))
    with pytest.raises(NotImplementedError):
        Succession.position_scale(SCALE, pa.array(["a"]))
