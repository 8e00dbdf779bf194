"""One flag stops compiled loops; what is temporary goes; an event loop that listened before goes on hearing."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from tests.stand_ins import instead

from discreet import stopping
from discreet.kernels.groups.ward import ward
from discreet.stopping import FLAG, Stopped, is_stopped, putting_in_place, stoppable


def interrupt_soon():
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_ctrl_c_stops_a_compiled_loop_in_the_main_thread():
    ward(np.random.default_rng(0).normal(size=(30, 2)), 3)  # compiled before
    with pytest.raises(KeyboardInterrupt), stoppable():
        interrupt_soon()
        ward(np.random.default_rng(0).normal(size=(400_000, 2)), 3)
    assert not is_stopped()
    assert ward(np.random.default_rng(0).normal(size=(30, 2)), 3).size == 30, "the next work is not stopped"


def test_a_kernel_that_is_told_to_stop_gives_nothing_back():
    with stoppable():
        FLAG.value = 1
        with pytest.raises(Stopped):
            ward(np.random.default_rng(0).normal(size=(30, 2)), 3)


def test_who_listened_before_goes_on_hearing():
    theirs, ours = socket.socketpair()
    ours.setblocking(False)
    earlier = signal.set_wakeup_fd(ours.fileno())
    try:
        with pytest.raises(KeyboardInterrupt), stoppable():
            interrupt_soon()
            time.sleep(600)
        assert signal.SIGINT in theirs.recv(8)
        assert signal.set_wakeup_fd(ours.fileno()) == ours.fileno()
    finally:
        signal.set_wakeup_fd(earlier)
        theirs.close()
        ours.close()


def test_an_interrupt_waits_while_files_are_put_in_place():
    done = []
    with pytest.raises(KeyboardInterrupt), putting_in_place():
        signal.raise_signal(signal.SIGINT)
        done.append(True)
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class HeardError(Exception):
    """A handler was called."""


def hear(*_):
    raise HeardError


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("last", [False, True])
def test_a_signal_comes_after_the_names_and_too_late_after_the_last(number, last):
    named = []
    with stopping.ended_by_signals({}):
        before = signal.signal(number, hear)
        try:
            for _ in range(2):
                with contextlib.nullcontext() if last else pytest.raises(HeardError), putting_in_place(last=last):
                    signal.raise_signal(number)
                    named.append("file")
            with contextlib.nullcontext() if last else pytest.raises(HeardError):
                signal.raise_signal(number)
        finally:
            signal.signal(number, before)
    assert len(named) == 2, "all files or none"


def test_leftovers_are_removed(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "values").touch()
    (tmp_path / "file").touch()
    for name in ("folder", "file", "absent"):
        stopping.remember_leftover(tmp_path / name)
    stopping.remove_leftovers()
    assert not list(tmp_path.iterdir())


def test_long_kernels_heed_the_flag():
    """A kernel with a loop in a loop reads the flag, or is named here because its work is linear in its input."""
    import ast
    from pathlib import Path

    import discreet.kernels as room

    without = set()
    for path in Path(room.__path__[0]).rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.name: ast.unparse(node) for node in tree.body if isinstance(node, ast.FunctionDef)}
        if not any("heed_stop()" in text for text in names.values()):
            decorators = [one for node in tree.body for one in getattr(node, "decorator_list", ())]
            without |= {path.stem} if any("kernel" in ast.dump(one) for one in decorators) else set()
    assert without == {
        "aggregate_numeric", "aggregate_ordinal", "cell_index", "chacha", "decimals", "distinct", "draws",
        "fingerprint", "fuzzy_sets", "grouping", "logistic", "nearest_list", "pool", "population", "randomise",
        "tied_rows",
        "class_rules", "judged", "rolled",  # one node of a lattice; the walk over nodes heeds the flag at each
        "mixed_standings",  # one question of mixed MDAV, which heeds the flag at each group
    }  # fmt: skip


def test_a_time_that_is_over_stops_a_compiled_loop_once_there_is_something_to_keep():
    ward(np.random.default_rng(0).normal(size=(30, 2)), 3)  # compiled before
    asked = []

    def ready():
        asked.append(True)
        return len(asked) > 1

    with stoppable():
        with pytest.raises(Stopped), stopping.stopped_after(0.0, ready):
            while True:
                ward(np.random.default_rng(0).normal(size=(3000, 2)), 3)
        assert len(asked) > 1
        assert not is_stopped(), "the next work is not stopped"
    with stopping.stopped_after(1e6, lambda: True):
        assert not is_stopped()


def test_signals_leave_and_interrupts_wait_for_the_compiler():
    earlier = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with stopping.ended_by_signals({signal.SIGINT: "Interrupted.", signal.SIGTERM: "Ended."}):
        leave, interrupt = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
        with pytest.raises(SystemExit) as told:
            leave(signal.SIGTERM, None)
        assert told.value.code == 128 + 15
        ours = SimpleNamespace(f_globals={"__name__": "discreet.cli"}, f_back=None)
        nameless = SimpleNamespace(f_globals={}, f_back=ours)
        for frame in (None, ours, nameless):
            with pytest.raises(KeyboardInterrupt):
                interrupt(signal.SIGINT, frame)
        assert not stopping.is_stopped()
        for name in ("numba.core.compiler", "llvmlite"):
            compiler = SimpleNamespace(f_globals={"__name__": name}, f_back=ours)
            try:
                assert interrupt(signal.SIGINT, SimpleNamespace(f_globals={"__name__": "x"}, f_back=compiler)) is None
                assert stopping.is_stopped()
            finally:
                stopping.FLAG.value = 0
    assert {number: signal.getsignal(number) for number in earlier} == earlier


def test_a_handler_of_somebody_elses_is_kept():
    def own(number, frame):
        pass

    earlier = signal.signal(signal.SIGINT, own)
    try:
        with stopping.ended_by_signals({signal.SIGINT: "Interrupted."}):
            assert signal.getsignal(signal.SIGINT) is own
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, earlier)


def test_the_first_signal_is_given_a_moment_and_the_second_none(monkeypatch):
    begun = []

    class Thread:
        def __init__(self, *, target, args, name, daemon):
            begun.append((target, args, name, daemon))

        def start(self):
            begun.append("started")

    monkeypatch.setattr(stopping, "threading", instead(stopping.threading, Thread=Thread))
    ending = stopping._Ending({2: "Interrupted.", 15: "Ended."})
    ending(10)
    assert begun == [], "nothing is said of it"
    ending(2)
    ending(15)
    assert begun == [
        (ending._end, (2, stopping._GRACE), "discreet-end", True), "started",
        (ending._end, (15, 0.0), "discreet-end", True), "started",
    ]  # fmt: skip
    monkeypatch.setattr(stopping, "_ignored", True)
    ending(2)
    assert len(begun) == 4


@pytest.mark.parametrize(("terminal", "cursor"), [(False, b""), (True, b"\x1b[?25h")])
def test_it_is_said_why_and_the_process_ends(monkeypatch, terminal, cursor):
    done = []
    monkeypatch.setattr(stopping, "time", instead(stopping.time, sleep=done.append))
    monkeypatch.setattr(stopping, "os", instead(stopping.os, isatty=lambda number: terminal and number == 2))
    monkeypatch.setattr(stopping, "os", instead(stopping.os, write=lambda *values: done.append(values)))
    monkeypatch.setattr(stopping, "end_now", done.append)
    stopping._Ending({2: "Interrupted."})._end(2, 0.5)
    assert done == [0.5, (2, cursor + b"Interrupted.\n"), 130]
    monkeypatch.setattr(stopping, "_ignored", True)
    stopping._Ending({2: "Interrupted."})._end(2, 0.25)
    assert done[3:] == [0.25], "files are in place by now"


@pytest.mark.parametrize("closed", [False, True])
def test_nothing_is_left_behind_and_nobody_waited_for(monkeypatch, closed):
    done = []

    def flush(name):
        done.append(name)
        if closed:
            raise ValueError("closed")

    monkeypatch.setattr(stopping, "remove_leftovers", lambda: done.append("removed"))
    monkeypatch.setattr(stopping.sys, "stdout", SimpleNamespace(flush=lambda: flush("out")))
    monkeypatch.setattr(stopping.sys, "stderr", SimpleNamespace(flush=lambda: flush("err")))
    monkeypatch.setattr(stopping, "os", instead(stopping.os, _exit=done.append))
    stopping.end_now(7)
    assert done == ["removed", "removed", "out", "err", 7]


def test_a_watch_begins_with_nobody_to_tell():
    watch = stopping._Watch()
    assert (watch.depth, watch.outer, watch.told, watch.pid) == (0, -1, None, 0)


def test_a_flag_of_earlier_is_taken_down_by_the_outermost_block_alone():
    FLAG.value = 1
    with stoppable():
        assert not is_stopped(), "what was stopped before is over"
        FLAG.value = 1
        with stoppable():
            assert is_stopped(), "an inner block is stopped with the one around it"
        assert is_stopped()
    assert FLAG.value == 0


def test_where_signals_cannot_wake_nobody_else_is_told(monkeypatch):
    def refused(*_, **__):
        raise ValueError("not the main interpreter")

    monkeypatch.setattr(stopping._watch, "outer", 5)
    monkeypatch.setattr(stopping.signal, "set_wakeup_fd", refused)
    with stopping.stoppable():
        assert (stopping._watch.outer, stopping._watch.depth) == (-1, 1)
        with stopping.stoppable():
            assert stopping._watch.depth == 2
    assert stopping._watch.depth == 0
