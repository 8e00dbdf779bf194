"""Blocks of records: to Arrow and back, joined by position, and counted again and again."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.data.encoded_rows import WRITTEN
from discreet.engines.blocks import (
    COUNT,
    TOTAL,
    columns_of,
    counted,
    encoded,
    from_arrow,
    joined,
    stored,
    summed,
    to_arrow,
)
from discreet.errors import DataError

COLUMNS = {"x": "float", "c": "code", "n": "int", "t": "bytes"}


def block(n, seed=0):
    rng = np.random.default_rng(seed)
    texts = np.empty(n, dtype=object)
    texts[:] = [bytes(rng.integers(0, 3, rng.integers(0, 3)).tolist()) for _ in range(n)]
    return {"x": rng.integers(0, 3, n) / 2, "c": rng.integers(-1, 2, n, dtype=np.int32), "n": rng.integers(0, 9, n),
            "t": texts}  # fmt: skip


def test_arrow_and_back():
    one = block(20)
    back = from_arrow(to_arrow(one, COLUMNS))
    assert list(back) == list(COLUMNS)
    for name, column in one.items():
        assert back[name].dtype == column.dtype
        assert back[name].tolist() == column.tolist()
    with pytest.raises(DataError, match="gave no column 'z'"):
        to_arrow(one, {**COLUMNS, "z": "int"})


def test_nothing_joined_has_every_column_and_its_type():
    nothing = joined([], COLUMNS)
    assert {name: (len(column), column.dtype) for name, column in nothing.items()} == {
        name: (0, column.dtype) for name, column in block(1).items()
    }


def test_blocks_are_joined_in_the_order_of_their_records():
    first, second = ({"#row": np.array(rows), "x": np.array(rows) * 1.5} for rows in ([4, 1], [0, 3]))
    whole = joined([first, second], {"#row": "int", "x": "float"})
    assert whole["#row"].tolist() == [0, 1, 3, 4]
    assert whole["x"].tolist() == [0.0, 1.5, 4.5, 6.0]
    apart = joined([{"x": np.array([4.0])}, {"x": np.array([1.0])}], {"x": "float"})
    assert apart["x"].tolist() == [4.0, 1.0], "without positions they stay as they come"


def test_sums_by_name():
    sums = summed([{"a": [1, 2]}, {"b": [5]}, {"a": np.array([3, 4])}])
    assert {name: array.tolist() for name, array in sums.items()} == {"a": [4, 6], "b": [5]}


@pytest.mark.parametrize("keys", [["x"], ["c", "t"], ["x", "c", "t"], []])
@pytest.mark.parametrize("weight", [None, "n"])
def test_counted_is_what_a_slow_count_counts_also_in_parts(keys, weight):
    one = block(60)
    expected: dict = {}
    for i in range(60):
        entry = expected.setdefault(tuple(one[name][i] for name in keys), [0, 0.0])
        entry[0] += 1
        entry[1] += 1.0 if weight is None else float(one[weight][i])

    def entries(result):
        rows = zip(*(result[name].tolist() for name in (*keys, COUNT, TOTAL)), strict=True)
        return {row[: len(keys)]: list(row[len(keys) :]) for row in rows}

    whole = counted(one, keys, weight)
    assert entries(whole) == expected
    assert list(entries(whole)) == sorted(expected)
    parts = [counted({name: column[place] for name, column in one.items()}, keys, weight)
             for place in (slice(0, 17), slice(17, 60))]  # fmt: skip
    again = {name: np.concatenate([part[name] for part in parts]) for name in (*keys, COUNT, TOTAL)}
    assert entries(counted(again, keys, weight)) == expected


def test_zero_has_one_sign_and_nan_is_one_value():
    result = counted({"x": np.array([0.0, -0.0, np.nan, np.nan])}, ["x"], None)
    assert sorted(result[COUNT].tolist()) == [2, 2]


def test_attributes_that_stand_in_files_once_each():
    assert stored(["b", f"a{WRITTEN}", "a", f"b{WRITTEN}"]) == ("b", "a")


def test_attributes_of_a_table_become_a_block_with_positions_codes_and_bytes():
    schema = dc.Schema(
        [
            dc.Attribute("x", dc.Numeric(), "key"),
            dc.Attribute("c", dc.Nominal(("a", "b")), "key"),
            dc.Attribute("s", dc.Sequence(["p", "q"]), "key"),
        ]
    )
    frame = pl.DataFrame({"x": [1.5, None], "c": ["b", None], "s": ["p q", "q"]})
    table = dc.Microdata(frame, schema)
    assert columns_of(schema, ["s", "c", "x", f"x{WRITTEN}"]) == {
        "#row": "int", "s": "bytes", "c": "code", "x": "float", f"x{WRITTEN}": "int",
    }  # fmt: skip
    one = encoded(table, ["c", "x", f"c{WRITTEN}"], [7, 9])
    assert list(one) == ["#row", "c", "x", f"c{WRITTEN}"]
    assert (one["#row"].tolist(), one["#row"].dtype) == ([7, 9], np.int64)
    assert one["c"].tolist() == [1, -1]
    assert one["x"][0] == 1.5
    assert np.isnan(one["x"][1])
    assert one[f"c{WRITTEN}"].tolist() == table.cell_keys("c").tolist()
    texts = encoded(table, ["s"], [0, 1])["s"]
    assert (texts.dtype, list(texts)) == (object, list(table.encoded("s").keys()))
