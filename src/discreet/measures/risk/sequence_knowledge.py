"""An intruder who knows a few events of a person."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import ClassVar, NamedTuple, Self
from zlib import crc32

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.scales import EncodedSequences
from discreet.data.scales.sequence import distinct
from discreet.kernels.sequences.subsequences import count_holders, holds_known
from discreet.measures.sequence_pairs import SequencePair, different_sequences, sequence_pair
from discreet.parameters import Flag, Integer, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.progress import track
from discreet.statistics.question import Answers, Need, Together
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["KnownEvents", "PieceAttack"]


class PieceAttack(NamedTuple):
    """By record: whether it is singled out, and the intruder's best chance of having found it."""

    unique: BoolArray
    chance: FloatArray


class _Knowledge(NamedTuple):
    """What the intruder may know of each distinct original sequence."""

    owner: IntArray
    sets: IntArray
    events: EncodedSequences


@register("sequence-knowledge")
class KnownEvents(Measure):
    """Share of records that a few known events single out in the release, in percent.

    An intruder knows some events of a person, in their order or not, and looks for released sequences that hold them.
    A record counts if there is a set of so many of its own events that exactly one released record holds, and that
    record is its own: the worst case over what may be known.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder has glimpses of; by default every key that is a sequence. The largest share counts.
    known : int
        How many events the intruder knows; of a shorter sequence, all of it.
    ordered : bool
        Whether their order is known as well.
    draws : int
        How many sets of events are tried for each sequence: all of them where there are no more, a sample otherwise.
    random_state : int
        Where the samples come from. A sequence's sample depends on the sequence and this number alone.

    Notes
    -----
    ``100 · |{i : some known set of i has i as its only holder}| / n``. The detail has the same share for the unmasked
    file, and the mean over records of the intruder's best chance, 1 / holders where the own record is among them. In a
    release in which every sequence appears k times, nobody is singled out and no chance is above 1/k.
    O(draws · sequences · holders of the rarest event). Records with a missing sequence are left out.

    References
    ----------
    De Montjoye et al. (2013), Unique in the crowd; Pellungrini et al. (2018), A data mining approach to assess privacy
    risk in human mobility data: the location and the location-sequence attack.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet import Attribute, Schema
    >>> import discreet as dc
    >>> schema = Schema([Attribute("visits", dc.Sequence("abc"), "key")])
    >>> a = pl.DataFrame({"visits": ["a b", "b a", "a c", "c"]})
    >>> [KnownEvents(known=2, ordered=o).measure(a, a, schema).value for o in (True, False)]  # a with c; a…b, b…a
    [75.0, 25.0]
    """

    kind: ClassVar[str] = "risk"
    need: ClassVar[Need] = Need.DISTINCT
    title: ClassVar[str] = "Singled out by a few known events"
    scales: ClassVar[frozenset[str]] = frozenset({"events", "items"})
    keys_only: ClassVar[bool] = True
    pieces: ClassVar[str] = "events"
    """What an intruder knows, as sentences call it."""
    formula: ClassVar[str] = "100 · records with a known set that only they hold / n"
    reference: ClassVar[str] = "De Montjoye et al. 2013; Pellungrini et al. 2018"
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    known: int = parameter(Integer(1), default=3)
    ordered: bool = parameter(Flag(), default=True)
    draws: int = parameter(Integer(1), default=20)
    random_state: int = parameter(Integer(0), default=0)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(known=2, ordered=False), cls(known=4, draws=3)]

    def question(self, scope: PairScope) -> Together:
        return different_sequences(type(self).__name__, scope)

    def conclude(self, statistics: Answers, scope: PairScope) -> Measurement:
        shares: dict[str, float] = {}
        details: dict[str, dict[str, float]] = {}
        longest = 0
        for name, rows in zip(scope.names, statistics.statistics, strict=True):
            longest = max(longest, int(rows.original.encoded(name).lengths.max(initial=0)))
            both = sequence_pair(type(self).__name__, rows.original, rows.release, name, rows.weights)
            records = np.ones(len(both.before)) if both.weights is None else both.weights
            after = self._attack(both, records)
            before = self._attack(SequencePair(both.before, both.before, both.n_events), records)
            shares[name] = 100.0 * float(np.average(after.unique, weights=records))
            details[name] = {
                "unique": int(records[after.unique].sum()),
                "records": int(records.sum()),
                "unique_before_percent": 100.0 * float(np.average(before.unique, weights=records)),
                "mean_chance_percent": 100.0 * float(np.average(after.chance, weights=records)),
                "mean_chance_before_percent": 100.0 * float(np.average(before.chance, weights=records)),
            }
        worst = max(shares, key=lambda name: shares[name])
        order = "in their order" if self.ordered else "in any order"
        sentence = (
            f"Knowing {self.known} {self.pieces} of a person, {order}, singles out {details[worst]['unique']} of "
            f"{details[worst]['records']} records in the release ({shares[worst]:.1f} %); before masking it was "
            f"{details[worst]['unique_before_percent']:.1f} %."
        )
        if math.comb(longest, min(self.known, longest)) > self.draws:  # some sequence has more sets than are tried
            sentence += (
                f" Of longer sequences a sample of {self.draws} sets of {self.pieces} was tried: with all sets it "
                "may be more."
            )
        return self.result(shares[worst], sentence, shares, {"by_attribute": details})

    def _attack(self, both: SequencePair, records: FloatArray) -> PieceAttack:
        classes, first, _ = distinct([both.before])
        released, released_first, _ = distinct([both.after])
        counts = np.bincount(released, weights=records).astype(np.int64)
        knowledge = self._knowledge(both.before.take(first))
        targets = both.after.take(released_first)
        holders = _holders(targets, counts, knowledge.events, both.n_events, self.ordered)
        # Records with the same original and the same release fare alike.
        pairs, place = np.unique(classes * counts.size + released, return_inverse=True)
        starts = np.searchsorted(knowledge.owner, np.arange(first.size + 1))
        mine = pairs // counts.size
        sizes = starts[mine + 1] - starts[mine]
        owner = np.repeat(np.arange(pairs.size), sizes)
        where = np.arange(owner.size) - np.repeat(np.cumsum(sizes) - sizes, sizes) + starts[mine][owner]
        sets = knowledge.sets[where]
        held_by_own = holds_known(
            targets.codes,
            targets.offsets,
            (pairs % counts.size)[owner],
            knowledge.events.codes,
            knowledge.events.offsets,
            sets,
            self.ordered,
            both.n_events,
        )
        chance = np.where(held_by_own, 1.0 / np.maximum(holders[sets], 1), 0.0)
        best = np.zeros(pairs.size)
        np.maximum.at(best, owner, chance)
        return PieceAttack((best == 1.0)[place.ravel()], best[place.ravel()])

    def _knowledge(self, sequences: EncodedSequences) -> _Knowledge:
        """Return sets of events for every sequence, equal sets once."""
        pieces: dict[tuple[int, ...], int] = {}
        owner, sets = [], []
        for i, key in enumerate(track(sequences.keys(), "known events", len(sequences))):
            codes = sequences.codes[sequences.offsets[i] : sequences.offsets[i + 1]]
            for places in self._places(codes.size, key):
                events = codes[places].tolist()
                part = tuple(events if self.ordered else sorted(events))
                owner.append(i)
                sets.append(pieces.setdefault(part, len(pieces)))
        return _Knowledge(np.array(owner, dtype=np.int64), np.array(sets, dtype=np.int64), EncodedSequences.of(pieces))

    def _places(self, length: int, key: bytes) -> list[list[int]]:
        size = min(self.known, length)
        if math.comb(length, size) <= self.draws:
            return [list(places) for places in combinations(range(length), size)]
        rng = np.random.default_rng([self.random_state, crc32(key), length])
        return [np.sort(rng.choice(length, size, replace=False)).tolist() for _ in range(self.draws)]


def _holders(
    targets: EncodedSequences, counts: IntArray, pieces: EncodedSequences, n_events: int, ordered: bool
) -> IntArray:
    """Return how many released records hold each known set."""
    owner = np.repeat(np.arange(len(targets)), targets.lengths)
    cells = np.unique(targets.codes.astype(np.int64) * len(targets) + owner)
    starts = np.searchsorted(cells, np.arange(n_events + 1) * len(targets))
    return count_holders(
        targets.codes,
        targets.offsets,
        counts,
        cells % max(len(targets), 1),
        starts.astype(np.int64),
        pieces.codes,
        pieces.offsets,
        ordered,
    )
