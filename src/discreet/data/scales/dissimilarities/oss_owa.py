"""d_OSS-OWA: event distances under a policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.data.scales.dissimilarities.dissimilarity import Dissimilarity, longest, n_events, register_dissimilarity
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import ParameterError
from discreet.kernels.sequences.oss_owa import ALL, PAIRED, TRIANGLE, mirror, oss_owa
from discreet.kernels.sequences.oss_owa_many import oss_owa_many
from discreet.typing import FloatArray, IntArray

__all__ = ["OSSOWA"]

_MANY = 8  # sequences that share the work of filing the others
_MOST_KINDS = 100_000


@register_dissimilarity("oss-owa")
@dataclass(frozen=True)
class OSSOWA(Dissimilarity):
    """Ordered weighted average of the distances of every event to the other sequence.

    An event with a partner at positions i and j costs ``|i − j| / (|s| + |r|)``, one without costs 1. The quantifier is
    the policy: one that rises early (α small) looks at the events that are not shared, so that sequences with the same
    events are close whatever their order; one that rises late (α large) looks at the events in place, so that a shared
    path makes sequences close whatever else they hold.

    Parameters
    ----------
    quantifier : callable, optional
        Non-decreasing on [0, 1], from an array of proportions to their heights, such as
        :class:`discreet.operators.numbers.quantifiers.Power`. None is the identity: the plain mean.

    Notes
    -----
    The occurrences of a repeated event are paired so that the total |i − j| is least. Where several pairings reach it,
    no two pairs cross and the lowest positions are taken; this keeps the distance symmetric. Two empty sequences are at
    distance 0, an empty one is at distance 1 from any other.

    A pair costs O(events of the second sequence), and O(a · (b − a + 1)) for an event that happens a and b > a times.
    The heights of the quantifier are kept for every total length that occurs: at most 8·L² bytes for a longest sequence
    of L events, and far less where few lengths occur. Zero for equal sequences; with a quantifier that is 0 on
    part of the interval also for unequal ones, and then, as always here, the triangle inequality may fail.

    References
    ----------
    Valls, Nin and Torra (P3), definitions 3 and 4.

    Examples
    --------
    >>> OSSOWA()([0, 1, 2], [0, 2, 3])  # unpaired: 1 and 3; pairs: 0 in place, 2 moved by one of six: (2 + 2/6) / 6
    0.38888888888888884
    >>> round(OSSOWA(lambda x: x**2)([0, 1, 2, 3, 4], [0, 1, 2, 5, 4]), 4)  # two of ten unpaired, the rest in place
    0.04
    """

    quantifier: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        if self.quantifier is not None and not callable(self.quantifier):
            raise ParameterError(
                f"OSSOWA: quantifier must be None or a function on [0, 1]; got {type(self.quantifier).__name__}."
            )

    @classmethod
    def examples(cls) -> list[OSSOWA]:
        return [cls(), cls(np.square), cls(np.sqrt)]

    def prepare(self, a: EncodedSequences, b: EncodedSequences) -> Any:
        (a_positions, *a_runs), (b_positions, *b_runs) = a.runs(), b.runs()
        totals = np.unique(np.add.outer(np.unique(a.lengths), np.unique(b.lengths)))
        heights, starts = self._heights(totals)
        most = max(int(np.diff(runs[1]).max(initial=0)) for runs in (a_runs, b_runs))
        positions = (np.concatenate([a_positions, b_positions]), a_positions.size)
        rest = (n_events(a, b), heights, starts, most, longest(a, b))
        return *positions, *a_runs, _marks(a), *b_runs, _marks(b), *rest

    def _heights(self, totals: IntArray) -> tuple[FloatArray, IntArray]:
        """Return Q((N − 2p)/N) − Q(0) for p = 0 … N // 2, a row for every N of `totals`, and where rows start."""
        totals = totals[totals > 0]
        sizes = totals // 2 + 1
        ends = np.cumsum(sizes)
        starts = np.zeros(int(totals.max(initial=0)) + 1, dtype=np.int64)
        starts[totals] = ends - sizes
        owner = np.repeat(totals, sizes)
        pairs = np.arange(owner.size) - np.repeat(ends - sizes, sizes)
        shares = (owner - 2 * pairs) / owner
        if self.quantifier is None or not shares.size:
            return np.append(shares, 0.0), starts
        values = np.asarray(self.quantifier(np.append(shares, 0.0)), dtype=np.float64)
        if values.shape != (shares.size + 1,) or not np.isfinite(values).all():
            raise ParameterError("OSSOWA: quantifier must return one finite number for each proportion.")
        return np.ascontiguousarray(values - values[-1]), starts

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        arguments = (*prepared, which, among, PAIRED if paired else ALL)
        if not paired and which.size >= _MANY and _fits(prepared):
            return oss_owa_many(*_without_marks(arguments))
        return oss_owa(*arguments)

    def square(self, prepared: Any, n: int) -> FloatArray:
        everyone = np.arange(n)
        arguments = (*prepared, everyone, everyone, TRIANGLE)
        many = n >= _MANY and _fits(prepared)
        matrix = (oss_owa_many(*_without_marks(arguments)) if many else oss_owa(*arguments)).reshape(n, n)
        mirror(matrix)
        return matrix


def _fits(prepared: Any) -> bool:
    """Say whether runs can be filed by event and length: few enough kinds, and shifts that a byte can count."""
    events, _, _, most, length = prepared[-5:]
    return bool(length <= 255 and events * (most + 1) <= _MOST_KINDS)


def _without_marks(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return *arguments[:5], *arguments[6:9], *arguments[10:]


def _marks(sequences: EncodedSequences) -> IntArray:
    """Return 64 bits a sequence, bit e mod 64 set for every event e: no common bit, no common event."""
    owner = np.repeat(np.arange(len(sequences)), sequences.lengths)
    marks = np.zeros(len(sequences), dtype=np.uint64)
    np.bitwise_or.at(marks, owner, np.left_shift(np.uint64(1), (sequences.codes % 64).astype(np.uint64)))
    return marks  # type: ignore[return-value]
