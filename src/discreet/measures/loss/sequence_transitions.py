"""What became of the transitions from one event to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from discreet.base import Measure, Pair, register
from discreet.measures.sequences import SequencePair, in_percent, owned_bigrams, sequence_pair, total_variation
from discreet.parameters import Constraint, Flag, Names, Optional
from discreet.results import Measurement
from discreet.typing import FloatArray, IntArray

__all__ = ["Transitions"]


@register("sequence-transitions")
class Transitions(Measure):
    """Share of transitions that would have to be another one for their frequencies to be the original ones, in percent.

    A transition is two events that follow each other. Zero if the flow from place to place is what it was; 100 if no
    transition of the release happened before.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every sequence that is released.
    weighted : bool
        Count records by their survey weights.

    Notes
    -----
    ``100 · ½ Σ_xy |p(xy) − p'(xy)|`` over bigrams, over attributes the mean. The detail has the difference of the
    transition matrices, ``Σ_x p(x) · ½ Σ_y |p(y | x) − p'(y | x)|``, in percent; an event that nothing follows any more
    counts 1. A record whose sequence is missing in either file is left out. O(events · log).

    References
    ----------
    Levin and Peres (2017), Markov chains and mixing times, for the total variation distance.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet import Attribute, Schema
    >>> import discreet as dc
    >>> schema = Schema([Attribute("visits", dc.Sequence("abc"), "key")])
    >>> a, b = pl.DataFrame({"visits": ["a b c", "a b"]}), pl.DataFrame({"visits": ["a b c", "b a"]})
    >>> round(Transitions().measure(a, b, schema).value, 2)  # a→b twice and b→c became a→b, b→c and b→a
    33.33
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Change of transitions"
    scales: ClassVar[frozenset[str]] = frozenset({"sequence"})
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · ½ Σ |p(xy) − p′(xy)|"
    reference: ClassVar[str] = "Levin and Peres 2017"

    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names()), "weighted": Flag()}

    def __init__(self, *, attributes: Sequence[str] | None = None, weighted: bool = False) -> None:
        self.attributes = attributes
        self.weighted = weighted

    def _measure(self, pair: Pair) -> Measurement:
        owner = type(self).__name__
        both = {name: sequence_pair(owner, pair, name, weighted=self.weighted) for name in pair.names}
        value, per_attribute = in_percent({name: _joint(b) for name, b in both.items()})
        matrix, by_attribute = in_percent({name: _conditional(b) for name, b in both.items()})
        sentence = (
            f"{value:.1f} % of the steps from one event to the next would have to be others for the flow to be the "
            "original one."
        )
        details = {"transition_matrix_percent": matrix, "transition_matrix_by_attribute": by_attribute}
        return self.result(value, sentence, per_attribute, details)


def _joint(both: SequencePair) -> float:
    (before, before_weights), (after, after_weights) = _cells(both)
    return total_variation(before, after, before_weights, after_weights)


def _conditional(both: SequencePair) -> float:
    """Return the mean distance of the rows of the two transition matrices, weighted by the original rows."""
    sides = _cells(both)
    before, after = (cells for cells, _ in sides)
    if not before.size or not after.size:
        return float(before.size != after.size)
    cells = np.unique(np.concatenate([before, after]))
    row = cells // both.n_events
    rows, rates = [], []
    for side, weights in sides:
        rows.append(np.bincount(side // both.n_events, weights=weights, minlength=both.n_events))
        sums = np.bincount(np.searchsorted(cells, side), weights=weights, minlength=cells.size)
        rates.append(sums / np.where(rows[-1][row] > 0, rows[-1][row], 1.0))
    distance = 0.5 * np.bincount(row, weights=np.abs(rates[0] - rates[1]), minlength=both.n_events)
    # A row that the release lacks has nothing to be compared with: half its own sum is there, and it counts 1.
    distance[rows[1] == 0] *= 2.0
    return float((rows[0] / rows[0].sum()) @ distance)


def _cells(both: SequencePair) -> list[tuple[IntArray, FloatArray | None]]:
    """Return the bigrams of both files as cells of the transition matrix, and what each counts for."""
    result = []
    for side in (both.before, both.after):
        first, second, owner = owned_bigrams(side)
        result.append((first * both.n_events + second, None if both.weights is None else both.weights[owner]))
    return result
