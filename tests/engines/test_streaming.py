from __future__ import annotations

import threading

import pytest

from discreet.contracts.engine import InProcess
from discreet.engines.streaming import StreamingEngine
from discreet.errors import ParameterError
from discreet.progress import listening, report


@pytest.mark.parametrize(
    "engine", [InProcess(), StreamingEngine(), StreamingEngine(workers=1), StreamingEngine(workers=3)]
)
def test_results_come_in_the_order_of_the_blocks(engine):
    assert engine.map(lambda x: x * x, range(50)) == [x * x for x in range(50)]
    assert engine.map(lambda x: x, []) == []


def test_several_threads_are_used():
    # Passes only if two blocks are under way at once; a machine that is busy may take long to begin the second.
    barrier = threading.Barrier(2, timeout=120)
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
