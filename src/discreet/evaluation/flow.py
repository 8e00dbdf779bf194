"""Steps from event to event before and after masking, coarse enough to show nobody."""

from __future__ import annotations

import numpy as np

from discreet.measures.sequences import owned_bigrams
from discreet.microdata import Microdata
from discreet.results import Flow
from discreet.scales import EncodedSequences, Sequence
from discreet.typing import FloatArray, IntArray

__all__ = ["flows"]

_SMALLEST = 5
_EVENTS = 12


def flows(original: Microdata, masked: Microdata, smallest: int = _SMALLEST) -> tuple[Flow, ...]:
    """Return the steps of every sequence attribute that both tables have and masking may have changed.

    Notes
    -----
    The twelve events that most records of the original hold, in that order. A step that fewer than `smallest` records
    make in either table is shown as if none did, and an event that fewer hold is not shown.
    """
    roles = original.schema.of_role("key", "confidential")
    names = [n for n in original.schema.of_scale("sequence", among=roles) if n in masked.schema]
    return tuple(_flow(name, original, masked, smallest) for name in names if _same_scale(name, original, masked))


def _same_scale(name: str, original: Microdata, masked: Microdata) -> bool:
    return original.schema[name].scale == masked.schema[name].scale


def _flow(name: str, original: Microdata, masked: Microdata, smallest: int) -> Flow:
    scale = original.schema[name].scale
    alphabet = scale.alphabet if isinstance(scale, Sequence) else ()
    before, after = original.encoded(name), masked.encoded(name)
    held = _records_by_cell(_owner(before), before.codes.astype(np.int64), len(alphabet))
    shown = np.argsort(-held, kind="stable")[:_EVENTS]
    shown = shown[held[shown] >= smallest]
    shares, records = zip(*(_steps(side, shown, len(alphabet)) for side in (before, after)), strict=True)
    enough = np.minimum(*records) >= smallest
    first, second = (np.where(enough, share, 0.0) for share in shares)
    return Flow(name, tuple(str(alphabet[event]) for event in shown), _rows(first), _rows(second))


def _owner(sequences: EncodedSequences) -> IntArray:
    return np.repeat(np.arange(len(sequences)), sequences.lengths)


def _records_by_cell(owner: IntArray, cells: IntArray, size: int) -> IntArray:
    """Count the records that have each cell at least once."""
    pairs = np.unique(owner * max(size, 1) + cells)
    return np.bincount(pairs % max(size, 1), minlength=size)


def _steps(sequences: EncodedSequences, shown: IntArray, n_events: int) -> tuple[FloatArray, IntArray]:
    """Return the shares of all steps in percent, and the records that make each, among the events shown."""
    first, second, owner = owned_bigrams(sequences)
    place = np.full(n_events, -1, dtype=np.int64)
    place[shown] = np.arange(shown.size)
    kept = (place[first] >= 0) & (place[second] >= 0)
    cells = place[first[kept]] * shown.size + place[second[kept]]
    size = shown.size**2
    counts = np.bincount(cells, minlength=size) * 100.0 / max(first.size, 1)
    records = _records_by_cell(owner[kept], cells, size)
    return counts.reshape(shown.size, shown.size), records.reshape(shown.size, shown.size)


def _rows(matrix: FloatArray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in matrix)
