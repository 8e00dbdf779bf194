"""What a written file shows of a cell: the same number exactly where nobody can tell two cells apart."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.scales import Date, DateTime, Nominal, Numeric, Sequence
from discreet.data.scales.written import absent_of, cell_keys, numbered, says_all


@pytest.mark.parametrize(
    ("column", "scale", "expected"),
    [
        (pa.array(["a"]), Nominal(("a",)), True),
        (pa.array(["1"]), Nominal((1, 2)), False),  # "1" and " 1" are one level
        (pa.array([1]), Nominal((1, 2)), True),
        (pa.array([1.5]), Numeric(), True),
        (pa.array(["1.5"]), Numeric(), False),
        (pa.array([1.5]).cast(pa.decimal128(5, 2)), Numeric(), False),
        (pa.array(["2004-05-06"]), Date(), False),
        (pa.array([20040506]), Date(), True),
        (pa.array([1000], pa.timestamp("ns")), DateTime(), True),
        (pa.array([1001], pa.timestamp("ns")), DateTime(), False),
        (pa.array([1], pa.timestamp("us")), DateTime(), True),
    ],
)
def test_where_the_encoded_value_tells_all(column, scale, expected):
    assert says_all(column, scale) is expected


def keys(column, scale, missing=(), **others):
    column = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(column)
    return cell_keys(column, scale, scale.encode(column, missing), **others).tolist()


def test_levels_by_code_and_numbers_by_bits():
    assert keys(["b", "a", "b"], Nominal(("a", "b"))) == [1, 0, 1]
    found = keys([0.0, -0.0, 2.5, 2.5, 1.0], Numeric())
    assert found[0] == found[1] == 0
    assert found[2] == found[3]
    assert len(set(found)) == 3


def test_text_is_told_apart_as_it_is_written():
    found = keys(["1", "1.0", " 1", "1", "2"], Numeric())
    assert found[0] == found[3]
    assert len(set(found)) == 4
    remembered = pa.array(["1.50", "1.5", None])
    found = keys([1.5, 1.5, 2.0], Numeric(), text=remembered)
    assert found[0] != found[1]
    assert found[2] == -1
    chunks = pa.chunked_array([["1.50"], ["1.5", None]])
    assert keys([1.5, 1.5, 2.0], Numeric(), text=chunks) == found
    # A text that means a value is not the same as that which means none.
    assert keys(["5", "-9"], Numeric(), ("-9",))[1] != keys(["5", "-9"], Numeric())[1]


def test_missing_cells_that_a_file_tells_apart():
    found = keys([5, -8, -9, None, -8], Numeric(), (-8, -9))
    assert found[1] == found[4]
    assert found[3] == -1
    assert len(set(found)) == 4
    tags = pa.array([None, None, None, ".a", None])
    tagged = keys([5, -8, -9, None, -8], Numeric(), (-8, -9), tags=tags)
    assert tagged[:3] == found[:3]
    assert tagged[3] not in (-1, *found)


def test_sequences_by_their_events():
    scale = Sequence(("a", "b"))
    found = keys(pa.array([["a", "b"], ["b", "a"], ["a", "b"], None]), scale)
    assert found[0] == found[2] != found[1]
    assert found[3] == -1


def test_absent_cells():
    assert absent_of(np.array([0, -1, 2], dtype=np.int32)).tolist() == [False, True, False]
    assert absent_of(np.array([0.0, np.nan])).tolist() == [False, True]
    assert absent_of(Sequence(("a",)).encode(pa.array([["a"], None]))).tolist() == [False, True]


def test_numbers_for_what_cells_show():
    none = np.zeros(4, dtype=bool)
    assert numbered(np.array([3, 0, 3, 1]), none).tolist() == [3, 0, 3, 1]  # few small numbers are numbered already
    assert numbered(np.array([65_535, 0, 0, 0]), none).tolist() == [65_535, 0, 0, 0]
    assert numbered(np.array([65_536, 0, 7, 7]), none).tolist() == [2, 0, 1, 1]
    assert numbered(np.array([-5, 9, 9, -5]), none).tolist() == [0, 1, 1, 0]
    absent = np.array([False, True, True, True])
    assert numbered(np.array([2, -1, -1, -1]), absent).tolist() == [2, -1, -1, -1]
    kinds = numbered(np.array([2, 90, -1, -70]), absent).tolist()
    assert kinds == [2, -3, -1, -2]  # an empty cell is −1, whatever else is missing
    assert numbered(np.array([2, 90, 90, -70]), absent).tolist() == [2, -3, -3, -2]
