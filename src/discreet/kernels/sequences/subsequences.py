"""Which sequences hold which events, in order or not."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray

__all__ = ["count_holders", "extend_prefix", "holds_known"]


@exact_kernel
def _holds(
    codes: CodeArray, start: int, stop: int, pattern: CodeArray, k0: int, k1: int, ordered: bool, need: IntArray
) -> bool:
    # Equal events of an unordered set stand side by side, so each run is counted once.
    if ordered:
        at = k0
        for p in range(start, stop):
            if at < k1 and codes[p] == pattern[at]:
                at += 1
        return at == k1
    missing = k1 - k0
    for q in range(k0, k1):
        need[pattern[q]] += 1
    for p in range(start, stop):
        if need[codes[p]] > 0:
            need[codes[p]] -= 1
            missing -= 1
    for q in range(k0, k1):
        need[pattern[q]] = 0
    return missing == 0


@exact_kernel
def holds_known(
    codes: CodeArray,  # IN (events,) int32
    offsets: IntArray,  # IN (n + 1,) int64
    which: IntArray,  # IN (m,) int64, a sequence
    known: CodeArray,  # IN (events of the sets,) int32
    known_offsets: IntArray,  # IN (q + 1,) int64
    sets: IntArray,  # IN (m,) int64, a set of known events
    ordered: bool,  # IN whether the events must happen in this order
    n_events: int,
) -> BoolArray:  # OUT (m,) bool
    """Say whether sequence ``which[i]`` holds the known events ``sets[i]``: O(length) each."""
    result = np.empty(which.size, dtype=np.bool_)
    need = np.zeros(n_events, dtype=np.int64)
    for i in range(which.size):
        heed_stop()
        s, q = which[i], sets[i]
        result[i] = _holds(
            codes, offsets[s], offsets[s + 1], known, known_offsets[q], known_offsets[q + 1], ordered, need
        )
    return result


@exact_kernel
def count_holders(
    codes: CodeArray,  # IN (events,) int32
    offsets: IntArray,  # IN (n + 1,) int64
    counts: IntArray,  # IN (n,) int64, records that a sequence stands for
    holders: IntArray,  # IN (…,) int64, the sequences that hold each event, event by event
    holder_starts: IntArray,  # IN (n_events + 1,) int64
    known: CodeArray,  # IN (events of the sets,) int32
    known_offsets: IntArray,  # IN (q + 1,) int64
    ordered: bool,  # IN whether the events must happen in this order
) -> IntArray:  # OUT (q,) int64
    """Count the records that hold each set of known events; only holders of its rarest event are looked at."""
    n_events = holder_starts.size - 1
    result = np.zeros(known_offsets.size - 1, dtype=np.int64)
    need = np.zeros(n_events, dtype=np.int64)
    everybody = counts.sum()
    for q in range(result.size):
        heed_stop()
        k0, k1 = known_offsets[q], known_offsets[q + 1]
        if k0 == k1:
            result[q] = everybody
            continue
        rarest = known[k0]
        for p in range(k0 + 1, k1):
            event = known[p]
            if holder_starts[event + 1] - holder_starts[event] < holder_starts[rarest + 1] - holder_starts[rarest]:
                rarest = event
        for h in range(holder_starts[rarest], holder_starts[rarest + 1]):
            s = holders[h]
            if _holds(codes, offsets[s], offsets[s + 1], known, k0, k1, ordered, need):
                result[q] += counts[s]
    return result


@exact_kernel
def extend_prefix(
    codes: CodeArray,  # IN (events,) int32
    offsets: IntArray,  # IN (n + 1,) int64
    counts: FloatArray,  # IN (n,) float64, records that a sequence stands for, or what they weigh
    which: IntArray,  # IN (m,) int64, the sequences that hold the prefix
    after: IntArray,  # IN (m,) int64, where in codes the rest of each begins
    support: FloatArray,  # OUT (n_events,) float64, records whose rest holds the event
) -> None:
    """Count for every event the records that hold the prefix and then the event."""
    last_record = np.full(support.size, -1, dtype=np.int64)
    for event in range(support.size):
        support[event] = 0.0
    for i in range(which.size):
        heed_stop()
        for p in range(after[i], offsets[which[i] + 1]):
            event = codes[p]
            if last_record[event] != i:
                last_record[event] = i
                support[event] += counts[which[i]]
