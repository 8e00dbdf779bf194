"""What sequences are made of: events, lengths, and which event follows which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.data.block import Block
from discreet.data.scales import EncodedSequences, Sequence
from discreet.data.schema import Schema
from discreet.statistics.question import OfBothFiles
from discreet.typing import FloatArray, IntArray

__all__ = ["EventTally", "SequenceCounts", "SequenceParts", "owned_bigrams"]


@dataclass(frozen=True, repr=False)
class EventTally:
    """Different codes, ascending, and what each counts for."""

    codes: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, codes: IntArray, weights: FloatArray) -> EventTally:
        """Count codes."""
        different, place = np.unique(codes, return_inverse=True)
        return cls(different, np.bincount(place, weights=weights, minlength=different.size).astype(np.float64))

    def merge(self, later: EventTally, /) -> EventTally:
        return EventTally.of(np.concatenate([self.codes, later.codes]), np.concatenate([self.weights, later.weights]))


@dataclass(frozen=True, repr=False)
class SequenceParts:
    """By attribute, what the sequences of records that have one in both files are made of, before and after.

    Attributes
    ----------
    records : dict of str to int
        Those that have a sequence in both files.
    events, lengths, bigrams : dict of str to pair of EventTally
        Before, after; of bigrams the code is first · size + second, size that of the alphabet.
    sizes : dict of str to int
        The events that either file declares.
    """

    records: dict[str, int]
    events: dict[str, tuple[EventTally, EventTally]]
    lengths: dict[str, tuple[EventTally, EventTally]]
    bigrams: dict[str, tuple[EventTally, EventTally]]
    sizes: dict[str, int]

    def merge(self, later: SequenceParts, /) -> SequenceParts:
        records = {name: count + later.records[name] for name, count in self.records.items()}
        events, lengths, bigrams = (
            {name: (mine[name][0].merge(theirs[name][0]), mine[name][1].merge(theirs[name][1])) for name in mine}
            for mine, theirs in (
                (self.events, later.events),
                (self.lengths, later.lengths),
                (self.bigrams, later.bigrams),
            )
        )
        return SequenceParts(records, events, lengths, bigrams, self.sizes)


@dataclass(frozen=True)
class SequenceCounts(OfBothFiles):
    """Ask what sequences are made of; three losses conclude from it.

    Parameters
    ----------
    names : tuple of str
    alphabets : tuple of pair of tuples
        Of each attribute, the events of the original and of the release.
    weight : str, optional
        The survey weight, a column of the original.
    """

    names: tuple[str, ...]
    alphabets: tuple[tuple[tuple[object, ...], tuple[object, ...]], ...]
    weight: str | None = None

    @classmethod
    def asked(cls, names: tuple[str, ...], schemas: tuple[Schema, Schema], weight: str | None) -> SequenceCounts:
        """Ask of two files with these declarations."""
        alphabets = tuple((_alphabet(schemas[0], name), _alphabet(schemas[1], name)) for name in names)
        return cls(names, alphabets, weight)

    def summarise(self, block: Block, /) -> SequenceParts:
        held = None if self.weight is None else block.original.weights()
        weights: FloatArray = np.ones(len(block)) if held is None else held
        parts = SequenceParts({}, {}, {}, {}, {})
        for name, (first, second) in zip(self.names, self.alphabets, strict=True):
            before, after = block.original.encoded(name), block.release.encoded(name)
            there = np.flatnonzero(~(before.missing | after.missing))
            joined = {event: code for code, event in enumerate(dict.fromkeys((*first, *second)))}
            # Codes are positions in the alphabet: the release is read in that of the original, its new events after.
            codes = np.array([joined[event] for event in second], dtype=np.int64)
            after = EncodedSequences(codes[after.codes].astype(np.int32), after.offsets, after.missing)
            sides = [_parts(side.take(there), len(joined), weights[there]) for side in (before, after)]
            parts.records[name], parts.sizes[name] = int(there.size), len(joined)
            for place, tallies in enumerate((parts.events, parts.lengths, parts.bigrams)):
                tallies[name] = (sides[0][place], sides[1][place])
        return parts


def _alphabet(schema: Schema, name: str) -> tuple[object, ...]:
    scale = schema[name].scale
    return tuple(scale.alphabet) if isinstance(scale, Sequence) else ()


def _parts(sequences: EncodedSequences, size: int, weights: FloatArray) -> tuple[EventTally, EventTally, EventTally]:
    first, second, owner = owned_bigrams(sequences)
    lengths = np.asarray(sequences.lengths, dtype=np.int64)
    return (
        EventTally.of(sequences.codes.astype(np.int64), np.repeat(weights, lengths)),
        EventTally.of(lengths, weights),
        EventTally.of(first * size + second, weights[owner]),
    )


def owned_bigrams(sequences: EncodedSequences) -> tuple[IntArray, IntArray, IntArray]:
    """Return the first and second event of every two that follow each other, and the sequence they are in."""
    if sequences.codes.size < 2:
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing, nothing
    inner = np.ones(sequences.codes.size - 1, dtype=np.bool_)
    ends = sequences.offsets[1:-1]
    inner[ends[(ends > 0) & (ends < sequences.codes.size)] - 1] = False
    codes = sequences.codes.astype(np.int64)
    owner = np.repeat(np.arange(len(sequences)), sequences.lengths)
    return codes[:-1][inner], codes[1:][inner], owner[:-1][inner]
