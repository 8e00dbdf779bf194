"""What measures see of sequences before and after masking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.contracts.measure import PairScope
from discreet.data.microdata import Microdata
from discreet.data.scales import EncodedSequences, Sequence, Succession
from discreet.errors import MissingValueError
from discreet.measures.number_pairs import weight_asked
from discreet.statistics.different_pairs import DifferentPairs
from discreet.statistics.question import Together
from discreet.typing import FloatArray, IntArray

__all__ = ["SequencePair", "different_sequences", "in_percent", "sequence_pair", "total_variation"]


@dataclass(frozen=True, repr=False)
class SequencePair:
    """The sequences of an attribute before and after, of the records that have both, and the size of the alphabet.

    `weights` is what each record counts for; None where all count alike.
    """

    before: EncodedSequences
    after: EncodedSequences
    n_events: int
    weights: FloatArray | None = None


def different_sequences(owner: str, scope: PairScope, *, weighted: bool = False) -> Together:
    """Ask for the different sequences of every attribute, with what became of each."""
    weight = weight_asked(owner, scope, weighted)
    return Together(tuple(DifferentPairs((name,), (name,), weight) for name in scope.names))


def sequence_pair(
    owner: str, original: Microdata, release: Microdata, name: str, weights: FloatArray | None = None
) -> SequencePair:
    """Return the sequences of records that are missing in neither file.

    Parameters
    ----------
    weights : (n,) float64, optional
        What every record counts for, where they do not count alike.
    """
    before, after = original.encoded(name), release.encoded(name)
    both = np.flatnonzero(~(before.missing | after.missing))
    if not both.size and owner:
        raise MissingValueError(f"{owner}: column {name!r} has no record with a sequence in both files.")
    weights = None if weights is None else weights[both]
    scale, released = original.schema[name].scale, release.schema[name].scale
    if isinstance(scale, Succession):
        after = scale.translated(released, after)
    alphabets = [one.alphabet for one in (scale, released) if isinstance(one, Sequence)]
    n_events = len(set().union(*alphabets))
    return SequencePair(before.take(both), after.take(both), n_events, weights)


def total_variation(
    before: IntArray,
    after: IntArray,
    before_weights: FloatArray | None = None,
    after_weights: FloatArray | None = None,
) -> float:
    """Return half the sum of the differences of two distributions of cells; nothing and something differ by 1."""
    if not before.size or not after.size:
        return float(before.size != after.size)
    cells = np.unique(np.concatenate([before, after]))
    shares = []
    for side, weights in ((before, before_weights), (after, after_weights)):
        sums = np.bincount(np.searchsorted(cells, side), weights=weights, minlength=cells.size)
        shares.append(sums / (side.size if weights is None else weights.sum()))
    return float(0.5 * np.abs(shares[0] - shares[1]).sum())


def in_percent(shares: dict[str, float]) -> tuple[float, dict[str, float]]:
    """Return the mean of shares by attribute, and the shares, in percent."""
    percent = {name: 100.0 * share for name, share in shares.items()}
    return float(np.mean(list(percent.values()))), percent
