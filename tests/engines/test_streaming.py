from __future__ import annotations

import threading
from contextlib import closing

import numpy as np
import polars as pl
import pytest

from discreet.contracts.engine import InProcess
from discreet.data.encoded_rows import ROW
from discreet.data.microdata import table_of_numbers
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
