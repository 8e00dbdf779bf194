"""What every engine does: inquiries answered together, tables read once, samples the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts import engine as module
from discreet.contracts.engine import InProcess, InThreads, TablePair, on_threads
from discreet.data.encoded_rows import ROW
from discreet.data.table import StoredTable
from discreet.errors import DataError

SCHEMA = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in "xyz"])


def table(n=6):
    return dc.microdata(pl.DataFrame({name: np.arange(float(n)) * (j + 1) for j, name in enumerate("xyz")}), SCHEMA)


@pytest.fixture
def stored(tmp_path):
    dc.write(table(), tmp_path / "a.parquet")
    return dc.scan(tmp_path / "a.parquet", SCHEMA)


@dataclass(frozen=True)
class Total:
    """The sum of a column of the original, or what is wrong with it."""

    name: str
    released: tuple[str, ...] = ()

    @property
    def original(self):
        return (self.name,)

    def summarise(self, block):
        if self.name == "z":
            raise DataError("not z.")
        return float(block.original.encoded(self.name).sum())


def asking(*names):
    """Ask for one total after the other, and go on where one cannot be had."""
    answers = []
    for name in names:
        try:
            answers.append((yield Total(name)))
        except DataError as error:
            answers.append(str(error))
    return answers


def refusing():
    raise DataError("nothing to ask.")
    yield


@pytest.mark.parametrize("few", [0, 10**9])
@pytest.mark.parametrize("engine", [InProcess(), InThreads(), dc.MemoryEngine(workers=2)])
def test_inquiries_are_answered_together_and_in_their_order(monkeypatch, few, engine):
    monkeypatch.setattr(module, "_FEW", few)
    asked = []
    whole = Total.summarise

    def summarise(self, block):
        asked.append(self.name)
        return whole(self, block)

    monkeypatch.setattr(Total, "summarise", summarise)
    inquiries = {"b": asking("x", "y"), "a": asking("x"), "c": asking(), "d": refusing(), "e": asking("z", "y")}
    answers = engine.answer(TablePair(table(), table()), inquiries)
    assert list(answers) == ["b", "a", "c", "d", "e"]
    assert (answers["b"], answers["a"], answers["c"]) == ([15.0, 30.0], [15.0], [])
    assert isinstance(answers["d"], DataError)
    assert answers["d"].message == "nothing to ask."
    assert [str(one).split(".")[0] for one in answers["e"]] == ["not z", "30"]
    # Equal questions are asked once a round.
    assert sorted(asked) == ["x", "y", "z"]


def test_a_pair_of_tables_says_what_it_is(stored):
    assert repr(TablePair(table(), table())) == "TablePair(6 records)"
    for pair in (TablePair(stored, table()), TablePair(table(), stored)):
        assert repr(pair) == "TablePair(6 records in files)"
        assert pair.stored
    assert not TablePair(table(), table()).stored
    assert len(TablePair(stored, stored)) == 6


def test_tables_in_memory_are_handed_over_and_files_read_as_far_as_asked(stored, monkeypatch):
    memory = table()
    pair = TablePair(memory, memory)
    block = pair.whole([Total("x")])
    assert block is pair.whole([Total("y")])
    assert block.original is memory
    assert block.rows.tolist() == list(range(6))
    mixed = TablePair(stored, memory)
    read, whole = [], type(stored).in_memory

    def in_memory(self, names):
        read.append(sorted(names))
        return whole(self, names)

    monkeypatch.setattr(type(stored), "in_memory", in_memory)
    first = mixed.whole([Total("x")])
    assert (first.original.names, first.release) == (("x",), memory)
    assert mixed.whole([Total("x")]) is first
    assert set(mixed.whole([Total("y")]).original.names) == {"x", "y"}
    assert set(mixed.whole([Total("x")]).original.names) == {"x", "y"}
    assert read == [["x"], ["x", "y"]]
    assert issubclass(type(stored), StoredTable)


@pytest.mark.parametrize("workers", [None, 1, 2, 9])
def test_items_on_threads_come_back_in_their_order(workers):
    assert on_threads(lambda x: x * x, [3, 1, 2], workers) == [9, 1, 4]
    assert on_threads(lambda x: x, [], workers) == []


def test_a_sample_has_the_records_with_the_smallest_draws(tmp_path):
    dc.write(table(200), tmp_path / "a.parquet")
    source = dc.scan(tmp_path / "a.parquet", SCHEMA)
    draws = module._sample_draws(5, np.arange(200))
    for batch in (7, 1000):
        engine = dc.StreamingEngine(workers=1, batch=batch)
        rows = engine.open(source, ["x"])
        for n in (1, 10, 199):
            sample = engine.sample(rows, n, 200, 5)
            assert sample[ROW].tolist() == sorted(np.argsort(draws)[:n].tolist())
            assert sample["x"].tolist() == sample[ROW].tolist()
        for n in (200, 300):
            assert engine.sample(rows, n, 200, 5)[ROW].tolist() == list(range(200))
        other = engine.sample(rows, 10, 200, 6)[ROW].tolist()
        assert other != engine.sample(rows, 10, 200, 5)[ROW].tolist()
