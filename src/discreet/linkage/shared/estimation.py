"""How often attributes agree in matched and in other pairs: the m and u of Fellegi and Sunter, from pattern counts.

No estimator here looks at a pair. All work on the exact numbers of pairs by agreement pattern, in O(attributes ·
patterns) an iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.kernels.linking.anchoring import anchored_rates
from discreet.linkage.shared.agreement import Agreement
from discreet.linkage.shared.coarse_counts import CoarseCounts
from discreet.linkage.shared.pair_by_pair import PatternList
from discreet.linkage.shared.pattern_counts import PatternCounts
from discreet.typing import FloatArray, IntArray

__all__ = ["ESTIMATORS", "Model", "at_least", "estimate", "known_shares", "overall_shares", "starting_shares"]

ESTIMATORS = ("anchored", "em", "free", "known")

_LEAST = 1e-6
_SHRINKAGE = 5.0  # pairs that the common mean counts for against an attribute's own evidence
_START = 0.9

Counts = PatternCounts | PatternList


@dataclass(frozen=True, repr=False)
class Model:
    """Shares of agreement among matches (m) and other pairs (u), by attribute and state, and what follows from them.

    Attributes
    ----------
    names : tuple of str
    m, u : tuple of (states,) float64
        Each sums to one.
    prior : float
        The share of matches among all pairs.
    ignored : tuple of bool
        Attributes whose state 0 is a missing value, which says nothing.
    unmatched : tensor, optional
        The distribution of patterns among other pairs where attributes are not taken to be independent.
    """

    names: tuple[str, ...]
    m: tuple[FloatArray, ...]
    u: tuple[FloatArray, ...]
    prior: float
    ignored: tuple[bool, ...]
    unmatched: FloatArray | None = None

    def attribute_weights(self) -> tuple[FloatArray, ...]:
        """Return by attribute and state the binary logarithm of m/u."""
        result = []
        for m, u, ignored in zip(self.m, self.u, self.ignored, strict=True):
            weight = np.log2(np.maximum(m, _LEAST)) - np.log2(np.maximum(u, _LEAST))
            if ignored:
                weight[0] = 0.0
            result.append(weight)
        return tuple(result)

    def weights(self) -> FloatArray:
        """Return the weight of every pattern."""
        if self.unmatched is None:
            return _outer_sum(self.attribute_weights())
        matched = _outer_product(self.m)
        return np.log2(np.maximum(matched, _LEAST**2)) - np.log2(np.maximum(self.unmatched, 1e-15))

    def matched_patterns(self) -> FloatArray:
        """Return the distribution of patterns among matches."""
        return _outer_product(self.m)

    def unmatched_patterns(self) -> FloatArray:
        """Return the distribution of patterns among other pairs."""
        return _outer_product(self.u) if self.unmatched is None else self.unmatched

    def probabilities(self) -> FloatArray:
        """Return the probability of a match of every pattern."""
        odds = self.prior / (1.0 - self.prior) * np.exp2(np.clip(self.weights(), -500, 500))
        return odds / (1.0 + odds)


def _shaped(values: FloatArray, axis: int, ndim: int) -> FloatArray:
    return values.reshape([-1 if i == axis else 1 for i in range(ndim)])


def _outer_sum(parts: Sequence[FloatArray]) -> FloatArray:
    total = np.zeros([part.size for part in parts])
    for axis, part in enumerate(parts):
        total += _shaped(part, axis, len(parts))
    return total


def _outer_product(parts: Sequence[FloatArray]) -> FloatArray:
    total = np.ones([part.size for part in parts])
    for axis, part in enumerate(parts):
        total *= _shaped(part, axis, len(parts))
    return total


def overall_shares(counts: Counts | CoarseCounts) -> tuple[FloatArray, ...]:
    """Return by attribute the share of all pairs in every state."""
    pairs = [counts.by_state(j) for j in range(len(counts.shape))]
    return tuple(each / float(each.sum()) for each in pairs)


def known_shares(agreements: Sequence[Agreement], frequencies: IntArray | None = None) -> tuple[FloatArray, ...]:
    """Return by attribute the states of records i of A and i of B: the truth, where the files are in one order.

    `frequencies` say how many records every row stands for.
    """
    records = agreements[0].a.size if frequencies is None else int(frequencies.sum())
    return tuple(
        np.bincount(agreement.state(agreement.a, agreement.b), weights=frequencies, minlength=agreement.states)
        / records
        for agreement in agreements
    )


def estimate(
    counts: Counts | CoarseCounts,
    agreements: Sequence[Agreement],
    how: str,
    *,
    dependent: bool = False,
    frequencies: IntArray | None = None,
) -> Model:
    """Return m and u.

    Parameters
    ----------
    counts : PatternCounts, PatternList or CoarseCounts
        The last for ``"anchored"`` and ``"known"``, of independent attributes, which ask for no more.
    agreements : sequence of Agreement
    how : {"anchored", "em", "free", "known"}
        See :class:`~discreet.linkage.shared.probabilistic.ProbabilisticLinkage`.
    dependent : bool
        Whether to fit all two-way interactions among other pairs instead of independence; needs all patterns.
    frequencies : (n,) int64, optional
        How many records every row stands for, where the truth is used.
    """
    u = overall_shares(counts)
    matches = min(counts.n_a, counts.n_b)
    prior = matches / (float(counts.n_a) * counts.n_b)
    prior = min(prior, 0.5)
    ignored = tuple(agreement.ignores_missing for agreement in agreements)
    if how == "known":
        m = known_shares(agreements, frequencies)
    elif how == "anchored":
        m = _anchored(counts, u, ignored)
    elif isinstance(counts, CoarseCounts):
        raise TypeError("EM needs the pairs of every pattern.")
    elif how == "em":
        m = _em(counts, u, prior)
    else:
        m, u = _free_em(counts, u, prior)
    if how != "free":
        # A match cannot agree less often than any pair does; without this an attribute would count against itself.
        m = tuple(at_least(own, other) for own, other in zip(m, u, strict=True))
    model = Model(counts.names, m, u, prior, ignored)
    if dependent and isinstance(counts, PatternCounts):
        return replace(model, unmatched=_interactions(counts, model))
    return model


def at_least(m: FloatArray, u: FloatArray) -> FloatArray:
    """Raise m until agreeing so far or finer is at least as common among matches as among all pairs."""
    tail_m, tail_u = np.cumsum(m[::-1])[::-1], np.cumsum(u[::-1])[::-1]
    tail = np.minimum(np.maximum(tail_m, tail_u), 1.0)
    tail[0] = 1.0
    return np.append(tail[:-1] - tail[1:], tail[-1])


# ------------------------------------------------------------------------------------------------------------- EM


def _posterior(
    counts: Counts, pairs: FloatArray, m: Sequence[FloatArray], u: Sequence[FloatArray], prior: float
) -> FloatArray:
    matched, unmatched = prior * counts.product(m), (1.0 - prior) * counts.product(u)
    return np.asarray(pairs * matched / np.maximum(matched + unmatched, 1e-300), dtype=np.float64)


def _em(counts: Counts, u: tuple[FloatArray, ...], prior: float, steps: int = 500) -> tuple[FloatArray, ...]:
    """Return m by EM with u and the prior fixed and m at least u."""
    pairs = counts.between.astype(np.float64)
    m = tuple(at_least(starting_shares(share.size), share) for share in u)
    for _ in range(steps):
        posterior = _posterior(counts, pairs, m, u, prior)
        total = max(float(posterior.sum()), 1e-300)
        new = tuple(at_least(counts.margin(posterior, j) / total, u[j]) for j in range(len(u)))
        moved = max(float(np.abs(a - b).max()) for a, b in zip(m, new, strict=True))
        m = new
        if moved < 1e-7:
            break
    return m


def _free_em(
    counts: Counts, u: tuple[FloatArray, ...], prior: float, steps: int = 500
) -> tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]:
    """Return m and u by EM with both and the prior free."""
    pairs = counts.between.astype(np.float64)
    m = tuple(starting_shares(share.size) for share in u)
    for _ in range(steps):
        posterior = _posterior(counts, pairs, m, u, prior)
        total, rest = max(float(posterior.sum()), 1e-300), pairs - posterior
        new = tuple(counts.margin(posterior, j) / total for j in range(len(u)))
        u = tuple(counts.margin(rest, j) / max(float(rest.sum()), 1e-300) for j in range(len(u)))
        prior = min(max(total / float(pairs.sum()), 1e-12), 0.5)
        moved = max(float(np.abs(a - b).max()) for a, b in zip(m, new, strict=True))
        m = new
        if moved < 1e-7:
            break
    return m, u


def starting_shares(states: int) -> FloatArray:
    """Return the m that EM starts from: nine of ten matches agree, the others are in any other state."""
    return np.append(np.full(states - 1, (1.0 - _START) / (states - 1)), _START)


# ------------------------------------------------------------------------------------------------------- anchored


def _halves(tensor: FloatArray, j: int, size: int) -> tuple[FloatArray, FloatArray]:
    """Return views of a flat tensor of two states an attribute: where j does not agree, and where it does."""
    blocks = tensor.reshape(1 << j, 2, 1 << (size - 1 - j))
    return blocks[:, 0], blocks[:, 1]


def _at_least_sums(tensor: FloatArray, size: int) -> FloatArray:
    """Sum each pattern with all that agree on more (two states an attribute)."""
    result = tensor.copy()
    for j in range(size):
        apart, agreeing = _halves(result, j, size)
        apart += agreeing
    return result


def _anchored(
    counts: Counts | CoarseCounts, u: tuple[FloatArray, ...], ignored: tuple[bool, ...], steps: int = 300
) -> tuple[FloatArray, ...]:
    """Return m from how much less the files agree with each other than the first agrees with itself.

    If masking changes attributes independently, a pair of different people that agrees on j in the first file still
    agrees after masking with probability m_j, and so does a record with its own masked version; a pair that did not
    agree comes to agree with a small probability e_j. So the pattern counts within A, its n self-pairs included, pushed
    through these channels give those between A and B. The share of pairs agreeing on S that also agree on j is then
    known up to m_j. Sets S on which agreement is mostly that of true pairs count most: they are the anchors.
    """
    size = len(counts.shape)
    agree = [2 if missing else 1 for missing in ignored]
    pairs, within, own = counts.by_set(agree)
    own *= min(counts.n_a, counts.n_b) / counts.n_a
    total, matches = float(pairs.sum()), float(own.sum())
    within *= (total - matches) / max(float(within.sum()), 1.0)
    observed, self_own = _at_least_sums(pairs, size), _at_least_sums(own, size)
    before = np.array([_halves(within, j, size)[1].sum() + _halves(own, j, size)[1].sum() for j in range(size)]) / total
    after = np.array([_halves(pairs, j, size)[1].sum() for j in range(size)]) / total
    m = np.full(size, _START)
    anchored_rates(within.ravel(), self_own.ravel(), observed.ravel(), before, after, steps, _SHRINKAGE, m)
    return tuple(_spread_states(counts, m, u[j], j, agree) for j in range(size))


def _spread_states(
    counts: Counts | CoarseCounts, m: FloatArray, u: FloatArray, j: int, agree: Sequence[int]
) -> FloatArray:
    """Divide m and 1 − m over the states on either side, by the pairs that agree on everything else."""
    rest = float(np.prod(np.delete(m, j)))
    factor = (float(counts.n_a) * counts.n_b) / max(float(counts.n_a) * (counts.n_a - 1), 1.0)
    pairs, within = counts.agreeing_by_state(j, agree)
    pairs -= rest * factor * within
    evidence = np.maximum(pairs, 0.0) + 10.0 * u + 1e-9
    result = np.zeros(u.size)
    first = agree[j]
    # m speaks of records that have a value in A; what is missing is missing in matches as often as in any pair.
    present = 1.0 - u[0] if first == 2 else 1.0
    having = float(counts.own_by_state(j)[first:].sum()) / counts.n_a
    agreeing = min(having * float(m[j]), 0.999 * present)
    result[0] = 1.0 - present
    result[first - 1] += present - agreeing
    result[first:] = agreeing * evidence[first:] / evidence[first:].sum()
    return result


# ---------------------------------------------------------------------------------------------------- interactions


def _interactions(counts: PatternCounts, model: Model, rounds: int = 50) -> FloatArray:
    """Return the patterns of other pairs under a log-linear model with all two-way interactions.

    Iterative proportional fitting to the two-way margins of the pairs that are left once the expected matches are
    taken off.
    """
    pairs = counts.between.astype(np.float64)
    unmatched = np.maximum(pairs - model.prior * pairs.sum() * model.matched_patterns(), 0.0)
    unmatched /= unmatched.sum()
    fitted = _outer_product(model.u)
    axes = range(pairs.ndim)
    two_way = [(i, j) for i in axes for j in axes if i < j] or [(0, 0)]
    for _ in range(rounds):
        worst = 0.0
        for i, j in two_way:
            others = tuple(k for k in axes if k not in (i, j))
            target, current = unmatched.sum(axis=others, keepdims=True), fitted.sum(axis=others, keepdims=True)
            worst = max(worst, float(np.abs(target - current).max()))
            fitted = fitted * np.where(current > 0, target / np.maximum(current, 1e-300), 0.0)
        if worst < 1e-10:
            break
    return fitted
