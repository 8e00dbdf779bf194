"""Random numbers that belong to records: they follow a record wherever it stands in the file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.contracts.measure import Pair
from discreet.typing import FloatArray

__all__ = ["record_draws"]

_STEP = np.uint64(0x9E3779B97F4A7C15)


def record_draws(pair: Pair, names: Sequence[str], seed: int, stream: int = 0) -> FloatArray:
    """Return a number in [0, 1) for every record that depends on its values, the seed and the stream alone.

    Records that are equal before and after masking are numbered and get different numbers; which of them gets which
    makes no difference.
    """
    state = np.full(len(pair.original), _mixed(np.array([seed % 2**64], np.uint64) + _STEP)[0], dtype=np.uint64)
    for name in names:
        for table in (pair.original, pair.masked):
            values = np.ascontiguousarray(table.encoded(name).astype(np.float64)) + 0.0
            state = _mixed(state ^ values.view(np.uint64))
    order = np.argsort(state, kind="stable")
    position = np.arange(state.size)
    begins = np.append(True, np.diff(state[order]) != 0)
    number = np.empty(state.size, dtype=np.uint64)
    number[order] = position - np.maximum.accumulate(np.where(begins, position, 0))
    state = _mixed(state ^ _mixed(number + _STEP) ^ np.uint64(stream))
    return np.asarray((state >> np.uint64(11)).astype(np.float64) * 2.0**-53)


def _mixed(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the output function of SplitMix64."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(state ^ (state >> np.uint64(31)))
