"""A table and its release, brought side by side."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.pairing import aligned
from discreet.errors import DataError

SCHEMA = dc.Schema(
    [
        dc.Attribute("id", dc.Numeric(), "identifier"),
        dc.Attribute("x", dc.Numeric(), "key"),
        dc.Attribute("c", dc.Nominal(("a", "b")), "key"),
    ]
)
FRAME = pl.DataFrame({"id": [1, 2, 3], "x": [1.5, 2.5, 3.5], "c": ["a", "b", "a"]})


@pytest.fixture
def table():
    return dc.microdata(FRAME, SCHEMA)


def test_a_plain_frame_is_read_with_the_schema_of_the_original(table):
    before, after = aligned(table, FRAME.drop("id"))
    assert before is table
    assert after.schema.names == ("x", "c")
    assert after.schema["c"] == SCHEMA["c"]
    # Columns without names are taken in their order.
    bare = np.array([[1.0, 1.5], [2.0, 2.5]])
    numbers = dc.microdata(FRAME.select("id", "x")[:2], SCHEMA.select(["id", "x"]))
    assert aligned(numbers, bare)[1].column("x").to_pylist() == [1.5, 2.5]


def test_records_of_a_sample_are_compared_with_those_they_came_from(table):
    rows = np.array([2, 0])
    masked = Masked(table.take(rows), Provenance("sampling", {}, ("x",), 3, rows=rows))
    before, after = aligned(table, masked)
    assert before.column("id").to_pylist() == after.column("id").to_pylist() == [3, 1]
    # Whoever is in that order already stays there.
    assert aligned(table.take(rows), masked)[0].column("id").to_pylist() == [3, 1]


def test_what_is_absent_must_be_an_identifier_or_known_to_be_removed(table):
    with pytest.raises(DataError, match="lacks 1 columns of the original, the first 'c'"):
        aligned(table, table.select(["x"]))
    removed = Masked(table.select(["x"]), Provenance("m", {}, ("x",), 3, removed=("c",)))
    assert aligned(table, removed)[1].names == ("x",)


def test_as_many_records_and_at_least_one(table, tmp_path):
    with pytest.raises(DataError, match="The original has 3 records and the masked table 2"):
        aligned(table, table.take(np.arange(2)))
    with pytest.raises(DataError, match="no records"):
        aligned(table.take(np.arange(0)), table.take(np.arange(0)))
    dc.write(table, tmp_path / "a.parquet")
    stored = dc.scan(tmp_path / "a.parquet", SCHEMA)
    assert aligned(stored, stored) == (stored, stored)
    before, after = aligned(table, stored)
    assert (before, after) == (table, stored)
    with pytest.raises(DataError, match="The original has 3 records and the masked table 2"):
        aligned(stored, table.take(np.arange(2)))


def test_a_release_with_levels_of_its_own_is_compared_on_those_of_both(table):
    own = dc.Schema([dc.Attribute("x", dc.Numeric(), "key"), dc.Attribute("c", dc.Nominal(("b", "a")), "key")])
    release = dc.microdata(FRAME.drop("id"), own)
    before, after = aligned(table, release)
    assert before.encoded("c").tolist() == after.encoded("c").tolist() == [0, 1, 0]
    assert after.column("c").to_pylist() == ["a", "b", "a"]
