"""One flag stops compiled loops; what is temporary goes; an event loop that listened before goes on hearing."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time

import numpy as np
import pytest

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
