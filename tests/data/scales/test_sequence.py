"""Sequences of events: codes and offsets, text and lists, one alphabet in terms of another."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.scales import ItemSet, Nominal, Numeric, Sequence
from discreet.errors import DataError, SchemaError

SCALE = Sequence(("a", "b", "c"), ";")


def parts(encoded):
    return encoded.codes.tolist(), encoded.offsets.tolist(), encoded.missing.tolist()


@pytest.mark.parametrize("cells", [["b;a", "", None, "c"], [["b", "a"], [], None, ["c"]]])
def test_codes_offsets_and_back(cells):
    encoded = SCALE.encode(pa.array(cells))
    assert parts(encoded) == ([1, 0, 2], [0, 2, 2, 2, 3], [False, False, True, False])
    assert encoded.codes.dtype == np.int32
    assert SCALE.decode(encoded).to_pylist() == [["b", "a"], [], None, ["c"]]
    assert SCALE.to_text(SCALE.decode(encoded)).to_pylist() == ["b;a", "", None, "c"]


def test_missing_codes_and_events_that_are_not_declared():
    assert parts(SCALE.encode(["a", "?"], ("?",))) == ([0], [0, 1, 1], [False, True])
    with pytest.raises(DataError, match="2 of 3 events are not in the declared alphabet of 3 events"):
        SCALE.encode(["a;y", "z"])
    numbers = Sequence((1, 2))
    assert parts(numbers.encode(["2 1"])) == ([1, 0], [0, 2], [False])
    assert numbers.decode(numbers.encode(["2 1"])).to_pylist() == [[2, 1]]


def test_events_that_hold_the_delimiter_cannot_be_written():
    clashing = Sequence(("a b", "c", "d e"))
    with pytest.raises(SchemaError, match="Sequence: 2 events hold the delimiter"):
        clashing.to_text(pa.array([["c"]]))


def test_the_edit_distance_by_the_longer_length():
    a, b = SCALE.encode(["a;b;c", "", "a"]), SCALE.encode(["a;c", "", "b"])
    assert SCALE.distance(a, b) == pytest.approx([1 / 3, 0.0, 1.0])
    with pytest.raises(DataError, match="Sequence: 3 sequences cannot be compared with 1 one by one"):
        SCALE.distance(a, SCALE.encode(["a"]))


@pytest.mark.parametrize(
    ("cells", "missing", "fields", "scale"),
    [
        (["b;a", "c"], (), {}, SCALE),
        (["b;a", "c"], ("c",), {}, Sequence(("a", "b"), ";")),
        (["b;a"], (), {"delimiter": "|"}, Sequence(("b;a",), "|")),
        ([""], (), {}, Sequence(("",))),
        ([["b", "a"]], (), {"columns": ["m1", "m2"]}, Sequence(("a", "b"), columns=("m1", "m2"))),
    ],
)
def test_an_alphabet_that_is_read_off(cells, missing, fields, scale):
    found = Sequence.read_off(pa.array(cells), missing, fields)
    assert (found, found.columns) == (scale, scale.columns)


def test_what_occurs_and_what_it_is_a_part_of():
    assert SCALE.occurring(np.array([2, 0])) == Sequence(("a", "c"), ";")
    assert SCALE.occurring(np.array([], dtype=np.int64)) == Sequence(("",), ";")
    assert Sequence(("c", "a"), ";").is_part_of(SCALE)
    assert Sequence(("",), ";").is_part_of(SCALE)
    assert not Sequence(("a", "z"), ";").is_part_of(SCALE)
    assert not Sequence(("a",), "|").is_part_of(SCALE)
    assert not SCALE.is_part_of(Numeric())


def test_codes_of_another_alphabet():
    other = Sequence(("z", "c", "a"), ";")
    encoded = other.encode(["z;c", None, "a"])
    assert parts(SCALE.translated(other, encoded)) == ([3, 2, 0], [0, 2, 2, 3], [False, True, False])
    assert SCALE.translated(SCALE, encoded) is encoded
    assert SCALE.translated(Numeric(), encoded) is encoded


def test_a_position_a_size_and_a_declaration():
    assert SCALE.position_scale(pa.array(["b", None, "a", "b"])) == Nominal(["a", "b"])
    assert SCALE.position_scale(pa.array([None], pa.string())) == Nominal(["(no value)"])
    assert SCALE.size == 3
    assert SCALE.to_dict() == {"alphabet": ["a", "b", "c"], "delimiter": ";"}
    wide = Sequence(("a",), columns=("m1", "m2"))
    assert wide.to_dict() == {"alphabet": ["a"], "delimiter": " ", "columns": ["m1", "m2"]}
    for scale in (SCALE, wide):
        again = Sequence.from_dict(scale.to_dict())
        assert (again, again.columns) == (scale, scale.columns)
    assert Sequence.from_dict({"alphabet": ["a"]}) == Sequence(("a",), " ")
    assert ItemSet(("a", "b", "c"), ";") != SCALE


@pytest.mark.parametrize("delimiter", ["", 3, None])
def test_a_delimiter_is_a_text(delimiter):
    with pytest.raises(SchemaError, match="delimiter must be text, and not empty"):
        Sequence(("a",), delimiter)
