"""A loop that is told to stop gives nothing back, as it stands and compiled."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from discreet.kernels import stop
from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop, teach_compiler
from discreet.stopping import FLAG, Stopped


@exact_kernel
def turns(count: int, left: np.ndarray) -> int:
    """Go round so many times, and write down how many are left."""
    total = 0
    for i in range(count):
        heed_stop()
        left[0] = count - i - 1
        total += 1
    return total


@pytest.fixture
def told_to_stop() -> Iterator[None]:
    FLAG.value = 1
    try:
        yield
    finally:
        FLAG.value = 0


@pytest.mark.parametrize("plain", [True, False])
def test_nobody_stops_a_loop_unasked(plain: bool) -> None:
    left = np.full(1, 9)
    assert (turns.py_func if plain else turns)(3, left) == 3
    assert left.tolist() == [0]


@pytest.mark.usefixtures("told_to_stop")
@pytest.mark.parametrize("plain", [True, False])
def test_a_loop_stops_before_its_next_turn(plain: bool) -> None:
    left = np.full(1, 9)
    with pytest.raises(Stopped):
        (turns.py_func if plain else turns)(3, left)
    assert left.tolist() == [9]
    assert (turns.py_func if plain else turns)(0, left) == 0  # who does not go round does not hear


@pytest.mark.parametrize("value", [1, -1, 2**40])
def test_any_flag_that_is_not_zero_stops(value: int) -> None:
    left = np.full(1, 9)
    FLAG.value = value
    try:
        with pytest.raises(Stopped):
            heed_stop()
        with pytest.raises(Stopped):
            turns(3, left)
    finally:
        FLAG.value = 0
    heed_stop()
    assert turns(2, left) == 2  # the next work is not stopped


def test_the_compiler_is_taught_once() -> None:
    teach_compiler()
    before = stop.teach_compiler.cache_info().misses
    teach_compiler()
    assert stop.teach_compiler.cache_info().misses == before == 1
