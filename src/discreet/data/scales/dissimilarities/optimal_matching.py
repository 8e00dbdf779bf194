"""Optimal matching with substitution costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from discreet.data.scales.dissimilarities.dissimilarity import Dissimilarity, longest, n_events, register_dissimilarity
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import DataError, ParameterError
from discreet.kernels.sequences.sequence_distances import optimal_matching
from discreet.parameters import Number, check_parameters
from discreet.typing import FloatArray, IntArray

__all__ = ["OptimalMatching", "transition_costs"]


@register_dissimilarity("optimal-matching")
@dataclass(frozen=True)
class OptimalMatching(Dissimilarity):
    """Cheapest way from one sequence to the other, divided by the cost of deleting the one and inserting the other.

    The measure of life-course research: events that follow each other often can be made cheap to exchange
    (`transition_costs`).

    Parameters
    ----------
    indel : float
        The cost of an insertion or a deletion.
    substitution : float or (events, events) array
        The cost of exchanging one event for another: one number for all, or a symmetric matrix by code with a zero
        diagonal. With 2 (and indel 1) the distance is that of the longest common subsequence.

    Notes
    -----
    O(length²) a pair. A substitution that costs more than two indels is never used.

    References
    ----------
    Abbott and Forrest (1986); Studer and Ritschard (2016), What matters in differences between life trajectories.

    Examples
    --------
    >>> OptimalMatching(substitution=1.0)([0, 1, 2], [0, 1, 3])  # one substitution; six indels would be the most
    0.16666666666666666
    """

    indel: float = 1.0
    substitution: Any = field(default=2.0)

    properties: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        check_parameters("OptimalMatching", {"indel": self.indel}, {"indel": Number(0, open_low=True)})
        try:
            costs = np.atleast_2d(np.asarray(self.substitution, dtype=np.float64))
        except (TypeError, ValueError):
            raise ParameterError("OptimalMatching: substitution must be a number or a matrix.") from None
        if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or not np.isfinite(costs).all() or (costs < 0).any():
            raise ParameterError(
                "OptimalMatching: substitution must be a number or a square matrix, finite and not negative; "
                f"got shape {np.shape(self.substitution)}."
            )
        if costs.shape[0] > 1 and (np.diag(costs).any() or not np.array_equal(costs, costs.T)):
            raise ParameterError("OptimalMatching: substitution must be symmetric with a zero diagonal.")
        object.__setattr__(self, "_costs", np.ascontiguousarray(costs))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OptimalMatching):
            return NotImplemented
        return self.indel == other.indel and np.array_equal(self.substitution, other.substitution)

    def __hash__(self) -> int:
        return hash((self.indel, np.asarray(self.substitution, dtype=np.float64).tobytes()))

    def __repr__(self) -> str:
        matrix = np.shape(self.substitution)
        costs = f"{matrix[0]} × {matrix[1]} costs" if len(matrix) == 2 else repr(self.substitution)
        return f"OptimalMatching(indel={self.indel!r}, substitution={costs})"

    @classmethod
    def examples(cls) -> list[OptimalMatching]:
        ladder = np.abs(np.subtract.outer(np.arange(6), np.arange(6))) / 2.0
        return [cls(), cls(1.0, 1.0), cls(0.7, ladder)]

    def prepare(self, a: EncodedSequences, b: EncodedSequences) -> Any:
        costs: FloatArray = self._costs  # type: ignore[attr-defined]
        if costs.shape[0] > 1 and n_events(a, b) > costs.shape[0]:
            raise DataError(
                f"OptimalMatching: substitution has {costs.shape[0]} rows; the sequences use {n_events(a, b)} events."
            )
        return a.codes, a.offsets, b.codes, b.offsets, longest(b), costs

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        a_codes, a_offsets, b_codes, b_offsets, most, costs = prepared
        return optimal_matching(
            a_codes, a_offsets, b_codes, b_offsets, which, among, paired, most, float(self.indel), costs
        )


def transition_costs(sequences: EncodedSequences, n_codes: int | None = None) -> FloatArray:
    """Return substitution costs ``2 − p(y | x) − p(x | y)`` from how often events follow each other; the diagonal is 0.

    Parameters
    ----------
    sequences : EncodedSequences
    n_codes : int, optional
        The size of the alphabet; by default one more than the largest code.

    Notes
    -----
    O(events + n_codes²). An event that nothing follows has probabilities 0.

    Examples
    --------
    >>> transition_costs(EncodedSequences.of([[0, 1, 0, 1]]))  # 1 always follows 0, 0 always follows 1
    array([[0., 0.],
           [0., 0.]])
    """
    size = n_events(sequences, sequences) if n_codes is None else n_codes
    if n_events(sequences, sequences) > size:
        raise ParameterError(
            f"transition_costs: n_codes must be at least {n_events(sequences, sequences)}; got {size}."
        )
    inner = np.ones(max(sequences.codes.size - 1, 0), dtype=np.bool_)
    ends = sequences.offsets[1:-1]
    inner[ends[(ends > 0) & (ends < sequences.codes.size)] - 1] = False
    before, after = sequences.codes[:-1][inner].astype(np.int64), sequences.codes[1:][inner]
    counts = np.bincount(before * size + after, minlength=size * size).reshape(size, size)
    rates = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    costs: FloatArray = np.maximum(2.0 - rates - rates.T, 0.0)
    np.fill_diagonal(costs, 0.0)
    return costs
