"""Who runs the experiments of a study: how many there are, and what comes of an interrupt or a death."""

from __future__ import annotations

from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from tests.stand_ins import instead

from discreet.errors import DiscreetError
from discreet.evaluation import crew as module
from discreet.evaluation.crew import Crew
from discreet.stopping import Stopped


class Toy:
    """An experiment whose row is its name."""

    def __init__(self, name):
        self.name = name

    def path(self):
        return (self.name,)


@pytest.fixture
def toys(monkeypatch):
    monkeypatch.setattr(module, "Originals", lambda table: table)
    monkeypatch.setattr(module, "run", lambda experiment, *_shared: {"row": experiment.name})
    monkeypatch.setattr(module, "in_prefix_order", lambda paths: paths)
    monkeypatch.setattr(
        module, "cut_along_prefixes", lambda paths, size: [paths[i : i + size] for i in range(0, len(paths), size)]
    )


@pytest.mark.parametrize(
    ("workers", "expected", "size"), [(4, 23, 1), (4, 48, 2), (4, 1000, 4), (1, 1000, 1), (None, 0, 1)]
)
def test_how_many_there_are(toys, workers, expected, size):
    assert Crew("table", [], workers, expected).size == size


def test_by_default_one_a_core(toys, monkeypatch):
    monkeypatch.setattr(module, "os", instead(module.os, cpu_count=lambda: 3))
    assert Crew("table", [], None, 1000).size == 3
    monkeypatch.setattr(module, "os", instead(module.os, cpu_count=lambda: None))
    assert Crew("table", [], None, 1000).size == 1


def test_a_process_runs_what_it_is_sent_on_what_it_was_handed_once(toys, monkeypatch):
    asked = []
    monkeypatch.setattr(module, "run", lambda experiment, *shared: asked.append(shared) or {"row": experiment.name})
    monkeypatch.setattr(module, "_shared", ("table", ["measure"], "scoring"))
    assert module._run_chunk([Toy("a"), Toy("b")]) == [{"row": "a"}, {"row": "b"}]
    assert asked == [("table", ["measure"], "scoring")] * 2


def test_alone_rows_come_one_by_one_until_the_flag(toys, monkeypatch):
    rows = []
    with Crew("table", [], 1, 2) as crew:
        crew.run([Toy("a"), Toy("b")], rows.append)
        assert rows == [[{"row": "a"}], [{"row": "b"}]]
        monkeypatch.setattr(module, "is_stopped", lambda: True)
        with pytest.raises(Stopped):
            crew.run([Toy("c"), Toy("d")], rows.append)
    assert rows[2:] == [[{"row": "c"}]]


class Pool:
    """A pool that does its work when it is handed over."""

    def __init__(self, outcome=None):
        self.chunks, self.outcome = [], outcome

    def submit(self, _work, chunk):
        self.chunks.append([one.name for one in chunk])
        future = Future()
        error = self.outcome(len(self.chunks)) if self.outcome else None
        if error is None:
            future.set_result([{"row": one.name} for one in chunk])
        elif error is not False:
            future.set_exception(error)
        return future


def crew_with(pool, size=2):
    crew = Crew("table", [], size, 24 * size)
    crew._pool, crew._here = pool, SimpleNamespace(close=lambda: pool.chunks.append("dismissed"))
    return crew


@pytest.mark.parametrize(("count", "size"), [(3, 1), (16, 1), (64, 4), (1000, 16)])
def test_experiments_are_handed_over_in_chunks(toys, count, size):
    pool, rows = Pool(), []
    crew_with(pool).run([Toy(str(i)) for i in range(count)], rows.extend)
    assert max(map(len, pool.chunks)) == size
    assert sorted(int(row["row"]) for row in rows) == list(range(count))


def test_a_process_that_was_ended_is_told(toys):
    pool = Pool(lambda number: BrokenProcessPool() if number == 1 else False)
    with pytest.raises(DiscreetError, match="A process of the study was ended from outside"):
        crew_with(pool).run([Toy("a"), Toy("b")], list)


def test_an_interrupt_keeps_what_is_finished(toys):
    rows = []

    def keep(new):
        rows.extend(new)
        if len(rows) == 1:
            raise KeyboardInterrupt

    pool = Pool(lambda number: False if number == 2 else None)  # the second never ends
    with pytest.raises(KeyboardInterrupt):
        crew_with(pool).run([Toy("a"), Toy("b"), Toy("c")], keep)
    assert sorted(row["row"] for row in rows) == ["a", "c"]
    assert pool.chunks[-1] == "dismissed"


class Hired:
    """A pool that remembers how it was made and how it ended."""

    def __init__(self, size, **given):
        self.size, self.given, self.ended = size, given, None

    def shutdown(self, **how):
        self.ended = how


class Ends:
    """Pipes whose ends know whether they were closed."""

    def __init__(self):
        self.closed = []

    def get_context(self, way):
        assert way == "spawn"
        return self

    def Pipe(self, *, duplex):  # noqa: N802
        assert duplex is False
        return "theirs", SimpleNamespace(close=lambda: self.closed.append("ours"))


@pytest.mark.parametrize("error", [None, ValueError])
def test_processes_are_handed_the_table_and_leave_with_the_block(toys, monkeypatch, error):
    ends = Ends()
    monkeypatch.setattr(module, "multiprocessing", ends)
    monkeypatch.setattr(module, "ProcessPoolExecutor", Hired)
    crew = Crew("table", ["measure"], 2, 48, "scoring")
    with nullcontext() if error is None else pytest.raises(error), crew:
        pool = crew._pool
        assert pool.size == 2
        assert pool.given["initializer"] is module._prepare
        assert pool.given["initargs"] == ("table", ["measure"], "scoring", "theirs")
        if error is not None:
            raise error
    assert pool.ended == {"wait": True, "cancel_futures": True}
    assert ends.closed == ["ours"]


def test_one_process_needs_no_pool(toys, monkeypatch):
    monkeypatch.setattr(module, "ProcessPoolExecutor", None)
    with Crew("table", [], 1, 1000) as crew:
        assert crew._pool is None


def test_a_process_is_prepared_once_and_leaves_interrupts_to_the_first(toys, monkeypatch):
    heard, begun, left = [], [], []
    signals = instead(module.signal, signal=lambda *given: heard.append(given))
    monkeypatch.setattr(module, "signal", signals)
    monkeypatch.setattr(module, "_shared", None)
    parent = SimpleNamespace(sentinel=7)
    waiting = SimpleNamespace(wait=left.append)
    monkeypatch.setattr(module, "multiprocessing", SimpleNamespace(parent_process=lambda: parent, connection=waiting))
    monkeypatch.setattr(
        module, "threading", SimpleNamespace(Thread=lambda **given: SimpleNamespace(start=lambda: begun.append(given)))
    )
    module._prepare("table", ["measure"], "scoring", "theirs")
    assert module._shared == ("table", ["measure"], "scoring")
    assert heard == [(signals.SIGINT, signals.SIG_IGN)]
    assert begun == [{"target": module._leave_with, "args": (parent, "theirs"), "daemon": True}]
    monkeypatch.setattr(module, "os", instead(module.os, _exit=left.append))
    module._leave_with(parent, "theirs")
    assert left == [[7, "theirs"], 1]
