from __future__ import annotations

import threading
from contextlib import closing

import numpy as np
import polars as pl
import pytest

from discreet.contracts.engine import InProcess, TablePair
from discreet.data.encoded_rows import MASKED, ROW
from discreet.data.microdata import table_of_numbers
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.engines import streaming
from discreet.engines.streaming import StreamingEngine, _side_by_side
from discreet.errors import ParameterError
from discreet.evaluation.assessing import protect
from discreet.io.stored_parquet import ParquetSource
from discreet.masking.perturbing.swapping import RankSwapping
from discreet.progress import listening, report


@pytest.mark.parametrize(
    "engine", [InProcess(), StreamingEngine(), StreamingEngine(workers=1), StreamingEngine(workers=3)]
)
def test_results_come_in_the_order_of_the_blocks(engine):
    assert engine.map(lambda x: x * x, range(50)) == [x * x for x in range(50)]
    assert engine.map(lambda x: x, []) == []


def test_several_threads_are_used():
    # Passes only if two blocks are under way at once; a machine that is busy may take long to begin the second.
    barrier = threading.Barrier(2, timeout=600)
    assert len(StreamingEngine(workers=2).map(lambda _: barrier.wait(), range(2))) == 2


def test_an_error_in_a_block_comes_out():
    def fail(x):
        if x == 3:
            raise RuntimeError("block 3")
        return x

    with pytest.raises(RuntimeError, match="block 3"):
        StreamingEngine(workers=2).map(fail, range(10))


def test_progress_of_blocks_reaches_the_listener():
    heard = []
    with listening(lambda label, done, total: heard.append((label, done, total))):
        StreamingEngine(workers=2).map(lambda x: report("work", x, 4), range(4))
    assert sorted(heard) == [("work", i, 4) for i in range(4)]


def test_workers_are_checked():
    with pytest.raises(ParameterError, match="workers must be None or an integer of at least 1; got 0"):
        StreamingEngine(workers=0)


def test_who_goes_away_in_the_middle_waits_for_nobody():
    # The collector of garbage closes what an error left behind, in any thread, under any lock: it must never wait.
    begun, closed, closed_meanwhile = threading.Event(), threading.Event(), []

    def work(number):
        if number:
            begun.set()
            closed_meanwhile.append(closed.wait(60))
        return number

    flow = StreamingEngine(workers=2)._flow(work, range(9))
    assert next(flow) == 0
    assert begun.wait(60)
    flow.close()
    closed.set()
    assert all(closed_meanwhile)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("who", ["function", "reader", "nobody"])
def test_who_gives_the_items_is_closed_before_an_error_is_seen(workers, who):
    ended = []

    def items():
        try:
            yield from range(9)
        finally:
            ended.append("items")

    def work(number):
        if who == "function" and number == 3:
            raise RuntimeError("block 3")
        return number

    def total(numbers):
        if who == "reader":
            raise RuntimeError(f"block {next(iter(numbers))}")
        return {"sum": sum(numbers)}

    flow = StreamingEngine(workers)._flow(work, _side_by_side(items(), items()) if who == "nobody" else items())
    if who == "nobody":
        assert list(flow) == [(number, number) for number in range(9)]
        assert ended == ["items", "items"]
        return
    with pytest.raises(RuntimeError, match="block") as caught, closing(flow):
        total(flow)
    assert ended == ["items"], caught


@pytest.mark.parametrize("workers", [1, 2])
def test_no_temporary_file_outlives_an_error_further_on(tmp_path, workers):
    from tests.engines.table_bodies import Fail, Part, written

    spill = tmp_path / "spill"
    spill.mkdir()
    engine = StreamingEngine(workers, batch=100, folder=str(spill))
    source = written(tmp_path / "in")
    columns = {"#row": "int", "wage": "float", "part": "int"}
    parts = engine.split(engine.apply(engine.open(source, ["wage"]), Part(), columns), "part", 7, lambda b: b, columns)

    class FullDisk:
        def write(self, tables):
            next(iter(tables))
            raise OSError("no room")

    for action in (
        lambda: engine.collect(engine.apply(parts, Fail(), columns)),
        lambda: engine.fold(engine.apply(parts, Fail(), columns), lambda b: b),
        lambda: engine.collect(engine.split(engine.apply(parts, Fail(), columns), "part", 3, lambda b: b, columns)),
        lambda: engine.write(source, FullDisk(), lambda table, _rows, _values: table, parts),
    ):
        with pytest.raises((ValueError, OSError), match="secret|no room") as caught:
            action()
        assert list(spill.iterdir()) == [], caught  # while the error holds on to everybody it met


def test_a_pass_reads_the_columns_that_it_asks_for(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    columns = {f"x{j}": rng.normal(size=300) for j in range(5)}
    pl.DataFrame(columns).write_parquet(tmp_path / "five.parquet")
    schema = table_of_numbers(columns).schema
    read, whole = [], ParquetSource.batches

    def batches(self, size, names=None):
        read.append(None if names is None else tuple(names))
        return whole(self, size, names)

    monkeypatch.setattr(ParquetSource, "batches", batches)
    source, output = ParquetSource(tmp_path / "five.parquet", schema), tmp_path / "masked.parquet"
    protect(source, RankSwapping(attributes=["x1", "x3"], random_state=1), output=output, block_size=100)
    # All columns are read where they are written, and nowhere else.
    assert read.count(None) == 1
    assert {names for names in read if names is not None} == {("x1", "x3")}
    released = pl.read_parquet(output)
    assert released.select("x0", "x2", "x4").equals(pl.DataFrame(columns).select("x0", "x2", "x4"))


def test_records_of_which_nothing_is_asked_are_counted(tmp_path):
    pl.DataFrame({"x": np.arange(7.0)}).write_parquet(tmp_path / "one.parquet")
    source = ParquetSource(tmp_path / "one.parquet", table_of_numbers({"x": np.zeros(2)}).schema)
    engine = StreamingEngine(workers=1, batch=3)
    assert engine.collect(engine.open(source, []))[ROW].tolist() == list(range(7))


# ------------------------------------------------------------------------------------------------------- part by part


def two_columns(tmp_path, x, c, name="a"):
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("c", Nominal(("p", "q")), "key")])
    folder = tmp_path / f"{name}.parquet"
    pl.DataFrame({"x": x, "c": c}, schema={"x": pl.Float64, "c": pl.String}).write_parquet(folder)
    return ParquetSource(folder, schema)


def plain(blocks):
    return [{name: column.tolist() for name, column in block.items()} for block in blocks]


@pytest.fixture
def seven(tmp_path):
    return two_columns(tmp_path, [3.0, 1.0, 3.0, None, -0.0, 0.0, None], ["p", "q", "p", None, "q", "q", None])


def test_a_table_is_opened_batch_by_batch_with_positions(seven):
    rows = StreamingEngine(workers=1, batch=3).open(seven, ["c"])
    assert plain(rows.batches()) == [
        {"#row": [0, 1, 2], "c": [0, 1, 0]}, {"#row": [3, 4, 5], "c": [-1, 1, 1]}, {"#row": [6], "c": [-1]},
    ]  # fmt: skip
    assert (rows.most, dict(rows.columns)) == (7, {"#row": "int", "c": "code"})
    assert repr(rows) == "Rows(at most 7 records of 2 columns)"
    heard = []
    with listening(lambda *report: heard.append(report)):
        list(rows.batches())
    assert heard == [("reading", 0, 7), ("reading", 3, 7), ("reading", 6, 7)]


def test_a_file_and_its_release_lie_side_by_side(seven, tmp_path):
    released = two_columns(tmp_path, [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0], list("qqqqqqq"), "b")
    engine = StreamingEngine(workers=1, batch=4)
    rows = engine.pair(seven, released, ["x", "c"])
    kinds = {"#row": "int", "x": "float", "c": "code", f"x{MASKED}": "float", f"c{MASKED}": "code"}
    assert (dict(rows.columns), rows.most) == (kinds, 7)
    whole = engine.collect(rows)
    assert whole["#row"].tolist() == list(range(7))
    assert whole["c"].tolist() == [0, 1, 0, -1, 1, 1, -1]
    assert whole[f"c{MASKED}"].tolist() == [1] * 7
    assert whole[f"x{MASKED}"].tolist() == [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0]
    pl.DataFrame({"x": [1.0] * 7}).write_parquet(tmp_path / "c.parquet")
    alone = ParquetSource(tmp_path / "c.parquet", released.schema.select(["x"]))
    assert list(engine.collect(engine.pair(seven, alone, ["c", "x"]))) == ["#row", "c", "x", f"x{MASKED}"]
    assert list(engine.collect(engine.pair(seven, alone, ["c"]))) == ["#row", "c"]


@pytest.mark.parametrize("buckets", [1, 2, 128])
@pytest.mark.parametrize("workers", [1, 2])
def test_records_of_a_part_come_together_and_parts_in_their_order(monkeypatch, tmp_path, buckets, workers):
    monkeypatch.setattr(streaming, "_BUCKETS", buckets)
    source = two_columns(tmp_path, [float(i) for i in range(10)], ["p"] * 10)
    engine = StreamingEngine(workers, batch=4)
    columns = {"#row": "int", "x": "float", "part": "int"}
    placed = engine.apply(engine.open(source, ["x"]), lambda b: {**b, "part": b["#row"] * 7 % 5}, columns)
    heard = []
    with listening(lambda *report: heard.append(report)):
        parts = list(engine.split(placed, "part", 5, lambda b: b, columns).batches())
    assert [block["#row"].tolist() for block in parts] == [[0, 5], [3, 8], [1, 6], [4, 9], [2, 7]]
    assert all(len(set(block["part"].tolist())) == 1 for block in parts)
    assert [report for report in heard if report[0] == "blocks"] == [("blocks", part, 5) for part in range(5)]
    few = engine.apply(placed, lambda b: {**b, "part": b["part"] * 0 + 3}, columns)
    (only,) = engine.split(few, "part", 5, lambda b: {**b, "x": b["x"] + 1}, columns).batches()
    assert only["x"].tolist() == [float(i) for i in range(1, 11)]


@pytest.mark.parametrize("together", [1, 3, 100])
@pytest.mark.parametrize("weight", [None, "x"])
def test_combinations_are_counted_over_all_batches_and_parts(monkeypatch, tmp_path, together, weight):
    monkeypatch.setattr(streaming, "_TOGETHER", together)
    source = two_columns(tmp_path, [3.0, 1.0, 3.0, 2.0, 2.0, 2.0, 3.0], ["p", "q", "p", None, "q", "q", None])
    engine = StreamingEngine(workers=1, batch=2)
    counts = engine.collect(engine.count(engine.open(source, ["c", "x"]), ["c"], weight))
    found = sorted(zip(counts["c"].tolist(), counts["#count"].tolist(), counts["#total"].tolist(), strict=True))
    totals = [(-1, 2, 5.0), (0, 2, 6.0), (1, 3, 5.0)] if weight else [(-1, 2, 2.0), (0, 2, 2.0), (1, 3, 3.0)]
    assert found == totals
    assert list(counts) == ["c", "#count", "#total"]


def test_no_number_and_zeros_of_both_signs_are_one_value(seven):
    engine = StreamingEngine(workers=1, batch=1)
    counts = engine.collect(engine.count(engine.open(seven, ["x"]), ["x"]))
    assert sorted(counts["#count"].tolist()) == [1, 2, 2, 2]


@pytest.mark.parametrize("batch", [1, 2, 40])
def test_several_sets_are_counted_in_one_pass_however_many_batches(tmp_path, batch):
    n = 40
    source = two_columns(tmp_path, [float(i % 3) for i in range(n)], ["pq"[i % 2] for i in range(n)])
    engine = StreamingEngine(workers=1, batch=batch)
    of_x, of_both, of_c = engine.count_sets(engine.open(source, ["x", "c"]), [["x"], ["x", "c"], ["c"]])
    assert (of_x["x"].tolist(), of_x["#count"].tolist()) == ([0, 1, 2], [14, 13, 13])
    assert of_x["#total"].tolist() == [14.0, 13.0, 13.0]
    assert list(zip(of_both["x"].tolist(), of_both["c"].tolist(), of_both["#count"].tolist(), strict=True)) == [
        (0, 0, 7), (0, 1, 7), (1, 0, 6), (1, 1, 7), (2, 0, 7), (2, 1, 6),
    ]  # fmt: skip
    assert (of_c["c"].tolist(), of_c["#count"].tolist()) == ([0, 1], [20, 20])
    (heavy,) = engine.count_sets(engine.open(source, ["x", "c"]), [["c"]], "x")
    assert heavy["#total"].tolist() == [sum(i % 3 for i in range(c, n, 2)) for c in (0, 1)]


def test_columns_of_several_parts_are_put_beside_each_other(tmp_path):
    source = two_columns(tmp_path, [float(i) for i in range(5)], list("pqpqp"))
    engine = StreamingEngine(workers=1, batch=2)
    columns = {"#row": "int", "x": "float", "part": "int"}
    placed = engine.apply(engine.open(source, ["x"]), lambda b: {**b, "part": b["#row"] % 2}, columns)
    mixed = engine.split(placed, "part", 2, lambda b: b, columns)
    beside = engine.beside([mixed, engine.open(source, ["c"])], {"#row": "int", "x": "float", "c": "code"})
    assert plain(beside.batches()) == [
        {"#row": [0, 1], "x": [0.0, 1.0], "c": [0, 1]},
        {"#row": [2, 3], "x": [2.0, 3.0], "c": [0, 1]},
        {"#row": [4], "x": [4.0], "c": [0]},
    ]
    assert beside.most == 5


def test_tables_are_written_in_order_with_or_without_new_values(tmp_path):
    source = two_columns(tmp_path, [float(i) for i in range(5)], list("pqpqp"))
    engine = StreamingEngine(workers=2, batch=2)

    class Kept:
        def write(self, tables):
            self.tables = [table.column("x").to_pylist() for table in tables]

    seen = []

    def release(table, rows, values):
        seen.append((rows.tolist(), {name: column.tolist() for name, column in values.items()}))
        return table

    target = Kept()
    engine.write(source, target, release)
    assert target.tables == [[0.0, 1.0], [2.0, 3.0], [4.0]]
    assert sorted(seen) == [([0, 1], {}), ([2, 3], {}), ([4], {})]
    seen.clear()
    columns = {"#row": "int", "x": "float", "part": "int"}
    placed = engine.apply(engine.open(source, ["x"]), lambda b: {**b, "part": b["#row"] % 3}, columns)
    engine.write(source, target, release, engine.split(placed, "part", 3, lambda b: b, columns))
    assert target.tables == [[0.0, 1.0], [2.0, 3.0], [4.0]]
    assert sorted((rows, values["#row"], values["x"]) for rows, values in seen) == [
        ([0, 1], [0, 1], [0.0, 1.0]), ([2, 3], [2, 3], [2.0, 3.0]), ([4], [4], [4.0]),
    ]  # fmt: skip


def test_tables_in_memory_are_cut_like_those_in_files(seven):
    engine = StreamingEngine(workers=1, batch=3)
    memory = seven.in_memory(["x", "c"])
    heard = []
    with listening(lambda *report: heard.append(report)):
        blocks = list(engine._paired_blocks(TablePair(memory, seven), ("c",), ("c",)))
    assert [block.rows.tolist() for block in blocks] == [[0, 1, 2], [3, 4, 5], [6]]
    assert heard == [("reading", 0, 7), ("reading", 3, 7), ("reading", 6, 7)]
    for names in ((("c",), ()), ((), ("c",))):
        (one, *_rest) = engine._paired_blocks(TablePair(seven, memory), *names)
        assert len(one.rows) == 3
    for block in blocks:
        before, after = (side.encoded("c").tolist() for side in (block.original, block.released))
        assert before == after


def test_equal_keys_have_one_number_and_others_another():
    texts = np.empty(4, dtype=object)
    texts[:] = [b"a", b"b", b"a", b"c"]
    block = {
        "#count": np.ones(4), "x": np.array([0.0, np.nan, -0.0, -np.nan]),
        "c": np.array([1, -1, 1, 2], dtype=np.int32), "t": texts,
    }  # fmt: skip
    three = [[0, 2], [1], [3]]
    for names, equal in ((["x"], [[0, 2], [1, 3]]), (["c"], three), (["t"], three), (["x", "c"], three)):
        numbers = streaming._hashed(block, names).tolist()
        assert len(set(numbers)) == len(equal)
        assert all(len({numbers[i] for i in places}) == 1 for places in equal)
    both = [streaming._hashed(block, names).tolist() for names in (["x", "c"], ["c", "x"])]
    assert both[0] != both[1], "which key has which value counts"
    many = streaming._hashed({"#count": np.ones(1000), "n": np.arange(1000)}, ["n"])
    assert len(set((many % np.uint64(10)).tolist())) == 10
