"""The post-randomisation method (PRAM)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker
from discreet.contracts.plan import Plan, Scope
from discreet.data.block import Block
from discreet.data.keyed_draws import Draws
from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.kernels.values.randomise import randomise_levels
from discreet.parameters import ByName, Choice, Constraint, Flag, Integer, Names, Number, Optional, Seed
from discreet.parameters.declaration import parameter
from discreet.statistics.level_totals import LevelTotals, Totals
from discreet.statistics.question import Inquiry, Need
from discreet.typing import BoolArray, CodeArray, FloatArray, RandomState

__all__ = ["PRAM", "evened", "frequency_matrix", "invariant_matrix", "uniform_matrix"]

_TOLERANCE = 1e-9
# Larger matrices are left out of the record; their diagonal stays in it.
_SHOWN = 100


class _TransitionMatrix(Constraint):
    """A square table of numbers; whether its rows are probabilities is said with more care at the door."""

    def accepts(self, value: Any) -> bool:
        try:
            table = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return False
        return table.ndim == 2 and table.shape[0] == table.shape[1]

    def describe(self) -> str:
        return "a square matrix"


@dataclass(frozen=True, kw_only=True)
class _PramPlan(Plan):
    """By attribute, the matrix that its levels are drawn from."""

    draws: Draws
    matrices: Mapping[str, FloatArray]


@register("pram")
class PRAM(Masker):
    """Every value drawn anew from the row of a Markov matrix that belongs to it.

    Keeps the expected number of records at every level (the frequency matrix and every invariant matrix) and lets
    analysts correct for the known matrix; makes single values untrue and weakens relations between attributes.

    Parameters
    ----------
    theta : float
        How much is changed, between 0 and 1. With the frequency matrix the rarest level is left with probability θ and
        a level of frequency T with probability θ · min T / T (the papers' p is 10 θ); with the uniform matrix, every
        level is left with probability θ.
    design : {"frequency", "uniform"}
        Which matrix.
    matrix : dict of str to (levels, levels) array, optional
        Your own matrices, by attribute, instead; rows and columns in the order of the declared levels.
    neighbours : int, optional
        Change a level only into one that is at most so many levels away, in the order in which they are declared, those
        that do not occur left out; by default into any. Matrices of your own are left as they are.
    invariant : bool
        Turn the matrix into one that keeps expected counts, by a second draw backwards (the frequency matrix keeps them
        as it is).
    weighted : bool
        Frequencies with the survey weights, where the schema has them.
    strata : list of str, optional
        Frequencies and draws within these; no level is ever put into a stratum that did not have it, not even by your
        own matrix, whose rows are then shared out again among the levels the stratum has.
    attributes : list of str, optional
        What to mask; by default every categorical key.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    Levels that do not occur are never drawn by the designed matrices. With `neighbours` the frequency matrix moves as
    many records up as down between every two of them, so that it keeps expected counts as well, and levels at the ends
    are left less often; `invariant` then lowers probabilities until all flows are equal (Metropolis), because a second
    draw would lead beyond the neighbours. Missing values stay missing. O(n log levels).
    The matrices, or their diagonals where they have more than 100 levels, are part of the provenance: without them a
    release cannot be analysed; with them :func:`~discreet.correct_table` estimates the true counts.

    References
    ----------
    Kooiman, Willenborg and Gouweleeuw (1998), PRAM: a method for disclosure limitation of microdata; Torra (2004),
    section 4.1; Domingo-Ferrer and Torra (2002).

    Examples
    --------
    Three levels that occur 4, 2 and 2 times: θ · 2/4 is shared among two others, θ · 2/2 as well.

    >>> frequency_matrix(np.array([4.0, 2.0, 2.0]), 0.4).tolist()
    [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]

    To neighbours only, a quarter of the rarest goes each way; the first level has one neighbour:

    >>> frequency_matrix(np.array([4.0, 2.0, 2.0]), 0.5, neighbours=1).tolist()
    [[0.875, 0.125, 0.0], [0.25, 0.5, 0.25], [0.0, 0.25, 0.75]]
    """

    iso_20889: ClassVar[str] = "randomisation"
    need: ClassVar[Need] = Need.RECORD
    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    handles_missing: ClassVar[bool] = True
    later: ClassVar[frozenset[str]] = frozenset({"neighbours"})
    theta: float = parameter(Number(0, 1, open_low=True, open_high=True), default=0.2, kw_only=False)
    design: Literal["frequency", "uniform"] = parameter(Choice(("frequency", "uniform")), default="frequency")
    matrix: Mapping[str, Any] | None = parameter(Optional(ByName(_TransitionMatrix())), default=None)
    neighbours: int | None = parameter(Optional(Integer(1)), default=None)
    invariant: bool = parameter(Flag(), default=False)
    weighted: bool = parameter(Flag(), default=True)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    random_state: RandomState = parameter(Seed(), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(0.5), cls(0.3, design="uniform", invariant=True), cls(0.6, neighbours=1)]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        for name, matrix in (self.matrix or {}).items():
            if name not in names:
                raise ParameterError(f"PRAM: matrix is given for {name!r}, which is not masked.")
            _check_stochastic(name, np.asarray(matrix, dtype=np.float64), len(cast("Categorical", schema[name].scale)))
        return names

    def inquire(self, scope: Scope) -> Inquiry[_PramPlan]:
        totals: Totals = yield LevelTotals.of_schema(scope.schema, scope.names, scope.weight)
        matrices = {name: self._matrix(name, totals.of(name)) for name in scope.names}
        return _PramPlan(
            draws=scope.draws,
            matrices=matrices,
            transitions={name: _possible(matrix) for name, matrix in matrices.items()},
            details={
                "kept": {name: np.diagonal(matrix).tolist() for name, matrix in matrices.items()},
                "matrices": {name: matrix.tolist() for name, matrix in matrices.items() if len(matrix) <= _SHOWN},
            },
        )

    def apply(self, plan: _PramPlan, block: Block) -> dict[str, Any]:
        draws = plan.draws.uniforms(block.rows, len(plan.matrices))
        return {
            name: redrawn(block.original.encoded(name), matrix, draws[:, place])
            for place, (name, matrix) in enumerate(plan.matrices.items())
        }

    def _matrix(self, name: str, counts: FloatArray) -> FloatArray:
        own = (self.matrix or {}).get(name)
        if own is not None:
            matrix = np.array(own, dtype=np.float64)
            if self.strata is not None:
                matrix = _within(matrix, counts > 0)
        elif self.design == "frequency":
            matrix = frequency_matrix(counts, self.theta, neighbours=self.neighbours)
        else:
            matrix = uniform_matrix(counts, self.theta, neighbours=self.neighbours)
        if self.invariant and own is None and self.neighbours is not None:
            return evened(matrix, counts)
        return invariant_matrix(matrix, counts) if self.invariant else matrix


def frequency_matrix(counts: FloatArray, theta: float, *, neighbours: int | None = None) -> FloatArray:
    """Return the papers' matrix: rare levels are left often, frequent ones seldom, and expected counts are kept."""
    occurs = counts > 0
    if occurs.sum() < 2:
        return np.eye(counts.size)
    if neighbours is not None:
        reach = _reach(occurs, neighbours)
        # As much flows up as down between two levels; the level with the most neighbours loses θ of the rarest.
        flow = theta * counts[occurs].min() / reach.sum(axis=1).max()
        return _staying(np.where(reach, flow / np.where(occurs, counts, 1.0)[:, None], 0.0))
    leave = np.zeros(counts.size)
    leave[occurs] = theta * counts[occurs].min() / counts[occurs]
    return _leaving(leave, occurs)


def uniform_matrix(counts: FloatArray, theta: float, *, neighbours: int | None = None) -> FloatArray:
    """Return the matrix in which every level that occurs is left with probability θ for any other, or any neighbour."""
    occurs = counts > 0
    if occurs.sum() < 2:
        return np.eye(counts.size)
    if neighbours is not None:
        reach = _reach(occurs, neighbours)
        return _staying(theta * reach / np.maximum(reach.sum(axis=1, keepdims=True), 1))
    return _leaving(np.where(occurs, theta, 0.0), occurs)


def _reach(occurs: BoolArray, neighbours: int) -> BoolArray:
    """Say which other levels are so near, among those that occur."""
    place = np.cumsum(occurs)
    apart = np.abs(place[:, None] - place[None, :])
    near = (apart <= neighbours) & occurs[:, None] & occurs[None, :]
    np.fill_diagonal(near, val=False)
    return np.asarray(near)


def _staying(matrix: FloatArray) -> FloatArray:
    """Return a matrix of leaving with the probabilities of staying on its diagonal."""
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, 1.0 - matrix.sum(axis=1))
    return matrix


def evened(matrix: FloatArray, counts: FloatArray) -> FloatArray:
    """Return a matrix that keeps counts and reaches nothing that P does not: of two flows, both get the smaller."""
    flows = matrix * counts[:, None]
    flows = np.minimum(flows, flows.T)
    return _staying(flows / np.where(counts > 0, counts, 1.0)[:, None])


def _leaving(leave: FloatArray, occurs: BoolArray) -> FloatArray:
    matrix = np.asarray(np.outer(leave, occurs) / (occurs.sum() - 1), dtype=np.float64)
    np.fill_diagonal(matrix, 1.0 - leave)
    return matrix


def invariant_matrix(matrix: FloatArray, counts: FloatArray) -> FloatArray:
    """Return a matrix R made of P with counts · R = counts: a draw by P, then one backwards by Bayes' rule."""
    joint = matrix * counts[:, None]
    totals = joint.sum(axis=0)
    back = np.eye(counts.size)
    reached = totals > 0
    back[reached] = (joint[:, reached] / totals[reached]).T
    result = matrix @ back
    result[counts == 0] = np.eye(counts.size)[counts == 0]
    return np.asarray(result / result.sum(axis=1, keepdims=True))


def redrawn(codes: CodeArray, matrix: FloatArray, draws: FloatArray) -> CodeArray:
    """Return codes drawn anew from the rows of a stochastic matrix, by one draw in [0, 1) a record."""
    cumulated = np.cumsum(matrix, axis=1)
    # Whatever rounding says of the sum, the last level with a probability above 0 takes every draw that is left.
    last = matrix.shape[1] - 1 - np.argmax(matrix[:, ::-1] > 0, axis=1)
    cumulated[np.arange(matrix.shape[1])[None, :] >= last[:, None]] = 2.0
    out = np.empty_like(codes)
    # Compiled once: what a table lends out cannot be written to, which would be another type of array.
    randomise_levels(np.require(codes, requirements="W"), cumulated, draws, out)
    return out


def _within(matrix: FloatArray, occurs: BoolArray) -> FloatArray:
    """Share every row out among the levels that occur; a row that reaches none of them keeps its level."""
    inside = np.where(occurs[None, :], matrix, 0.0)
    totals = inside.sum(axis=1, keepdims=True)
    return np.where(totals > 0, inside / np.where(totals > 0, totals, 1.0), np.eye(occurs.size))


def _possible(matrix: FloatArray) -> BoolArray:
    possible = np.eye(len(matrix) + 1, dtype=np.bool_)
    possible[:-1, :-1] = matrix > 0
    return possible


def _check_stochastic(name: str, matrix: FloatArray, size: int) -> None:
    if len(matrix) != size:
        raise ParameterError(f"PRAM: matrix of {name!r} must have {size} rows, one a level; got {len(matrix)}.")
    bad = np.flatnonzero(~np.isfinite(matrix).all(axis=1) | (matrix < 0).any(axis=1))
    if bad.size:
        raise ParameterError(
            f"PRAM: matrix of {name!r} must hold probabilities; {bad.size} rows do not, the first row {int(bad[0])}."
        )
    sums = matrix.sum(axis=1)
    off = np.flatnonzero(np.abs(sums - 1.0) > _TOLERANCE)
    if off.size:
        raise ParameterError(
            f"PRAM: every row of the matrix of {name!r} must sum to 1; {off.size} do not, "
            f"the first row {int(off[0])} with {sums[off[0]]:.9g}.",
            hint="Row i holds the probabilities of what level i becomes.",
        )
