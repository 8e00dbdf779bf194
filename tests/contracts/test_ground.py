"""A table in memory: parts that meet, and what a block of an engine becomes."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts import ground
from discreet.contracts.engine import InProcess
from discreet.contracts.ground import Memory, Stored, as_microdata, ground_of
from discreet.contracts.plan import PART, Stage
from discreet.contracts.strata import ByStratum, Strata
from discreet.data.encoded_rows import ROW
from discreet.engines.streaming import StreamingEngine
from discreet.errors import ParameterError
from discreet.io.stored_parquet import ParquetSource
from discreet.statistics.different import COUNT, TOTAL, Different

SCHEMA = dc.Schema(
    [
        dc.Attribute("x", dc.Numeric(), "key"),
        dc.Attribute("c", dc.Nominal(("a", "b")), "key"),
        dc.Attribute("w", dc.Numeric(), "weight"),
    ]
)


def people():
    frame = pl.DataFrame({"x": [5.0, 1.0, 5.0, 2.0, 1.0], "c": list("abaab"), "w": [1.0, 2.0, 4.0, 8.0, 16.0]})
    return dc.Microdata(frame, SCHEMA)


def test_records_meet_by_part_and_come_back_in_their_order():
    seen = []

    def work(part):
        seen.append((part[ROW].tolist(), sorted(part)))
        return {ROW: part[ROW][::-1], "mean": np.full(len(part[ROW]), part["x"].mean())}

    one = Stage(lambda records: records["c"].astype(np.int64), 2, work, {ROW: "int", "mean": "float"})
    met = Memory(people(), InProcess()).meet(["x", "c"], None, {}, [one])
    assert seen == [([0, 2, 3], [ROW, "c", "x"]), ([1, 4], [ROW, "c", "x"])]
    assert met[ROW].tolist() == [0, 1, 2, 3, 4]
    assert met["mean"].tolist() == [4.0, 1.0, 4.0, 4.0, 1.0]
    doubled = Memory(people(), InProcess()).meet(["x", "c"], lambda all_: {**all_, "x": 2 * all_["x"]}, {}, [one])
    assert doubled["mean"].tolist() == [8.0, 2.0, 8.0, 8.0, 2.0]
    again = Stage(
        lambda records: (records["mean"] > 3).astype(np.int64),
        2,
        lambda part: {ROW: part[ROW], "n": part["mean"] + len(part[ROW])},
        {ROW: "int", "n": "float"},
    )
    assert Memory(people(), InProcess()).meet(["x", "c"], None, {}, [one, again])["n"].tolist() == [7, 3, 7, 7, 3]


def test_a_part_is_handed_over_in_order_and_without_its_number():
    ordered = ground._Ordered(lambda block: {name: column.tolist() for name, column in block.items()})
    block = {ROW: np.array([4, 1, 3]), "x": np.array([40, 10, 30]), PART: np.array([0, 0, 0])}
    assert ordered(block) == {ROW: [1, 3, 4], "x": [10, 30, 40]}


def test_records_are_placed_after_what_comes_first():
    block = {ROW: np.array([0, 1]), "x": np.array([3, 4])}
    placed = ground._Placed(lambda all_: {**all_, "y": all_["x"] + 1}, lambda all_: all_["y"] % 2)(block)
    assert {name: column.tolist() for name, column in placed.items()} == {
        ROW: [0, 1],
        "x": [3, 4],
        "y": [4, 5],
        PART: [0, 1],
    }
    assert ground._Placed(None, lambda all_: all_["x"])(block)[PART].tolist() == [3, 4]


class Sum:
    """A question whose answer is the sum of a column."""

    original = ("x",)

    def summarise(self, block):
        return float(block.original.numeric(("x",)).sum()), block.rows.tolist()


def test_a_block_without_records_answers_nothing():
    ask = ground._Summarise((Sum(), Sum()), SCHEMA.select(["x"]))
    found = ask({ROW: np.array([7, 9]), "x": np.array([1.5, 2.0])})
    assert found[ROW].tolist() == [7]
    assert [pickle.loads(one) for one in found[ground._STATISTICS]] == [[(3.5, [7, 9])] * 2]  # noqa: S301
    nothing = ask({ROW: np.array([], dtype=np.int64), "x": np.array([])})
    assert [len(column) for column in nothing.values()] == [0, 0]


def test_sequences_come_as_bytes_and_a_missing_one_as_a_mark():
    schema = dc.Schema(
        [dc.Attribute("s", dc.Sequence(["p", "q"]), "key"), dc.Attribute("c", dc.Nominal(("a", "b")), "key")]
    )
    keys = np.empty(3, dtype=object)
    keys[:] = [np.array([1, 0], dtype=np.int32).tobytes(), b"?", b""]
    table = as_microdata(schema, {ROW: np.arange(3), "s": keys, "c": np.array([1, -1, 0], dtype=np.int32)})
    assert table.missing("s").tolist() == [False, True, False]
    assert table.encoded("s").codes.tolist()[:2] == [1, 0]
    assert table.encoded("c").tolist() == [1, -1, 0]


def test_where_a_masker_is_run():
    assert isinstance(ground_of(people(), None), Memory)
    assert len(ground_of(people(), None)) == 5
    with pytest.raises(ParameterError, match="engine must be one for tables in files"):
        ground_of("files", InProcess())


def test_different_records_of_files_are_those_in_memory(tmp_path):
    people().to_polars().write_parquet(tmp_path / "people.parquet")
    stored = Stored(ParquetSource(tmp_path / "people.parquet", SCHEMA), StreamingEngine(1))
    strata = Strata(("c",), ((0,), (1,)), (3, 2))
    plain, by_stratum = stored.ask([Different(("x",), "w"), ByStratum(Different(("x",), "w"), strata, (0, 1))])
    found = sorted(zip(*(plain.columns[name].tolist() for name in ("x", COUNT, TOTAL)), strict=True))
    assert found == [(1.0, 2, 18.0), (2.0, 1, 8.0), (5.0, 2, 5.0)]
    each = {
        number: sorted(zip(*(one.columns[name].tolist() for name in ("x", COUNT, TOTAL)), strict=True))
        for number, one in by_stratum.by_number.items()
    }
    assert each == {0: [(2.0, 1, 8.0), (5.0, 2, 5.0)], 1: [(1.0, 2, 18.0)]}
