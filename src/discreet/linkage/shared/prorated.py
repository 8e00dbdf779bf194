"""Agreement in parts: numbers that differ a little agree in proportion to how little, pair by pair.

A pair is then between the states of an attribute: its share of agreement φ is 1 for equal numbers, 0 for numbers a
tolerance or more apart, and linear between. Its weight lies between those of disagreement and agreement by φ, and what
an EM step counts as agreeing is φ times the probability that the pair is a match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from discreet.contracts.engine import Engine
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical
from discreet.errors import DataError
from discreet.linkage.assignment import assign, check_size
from discreet.linkage.nearest import Nearest, nearest_records
from discreet.linkage.record_classes import Classes, classes_of_codes
from discreet.linkage.shared.agreement import Agreement, agreement_on, refuse_too_many
from discreet.linkage.shared.estimation import Model, at_least, starting_shares
from discreet.progress import report
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "MOST_PAIRS", "ProratedPairs", "assign_prorated", "best_prorated", "estimate_prorated", "prorated_pairs",
    "weight_shares",
]  # fmt: skip

MOST_PAIRS = 16_000_000
"""Every pair is weighed at every step of the estimation; beyond this many it is refused."""

_BLOCK = 1 << 18  # pairs whose shares are worked out together
_KEPT = 1 << 24  # shares that are kept from one step of the estimation to the next
_SCALE = float(1 << 30)  # weights are whole multiples of a billionth, so that ties do not hang on rounding
_LEAST = 1e-300
_FINE = 1000  # weights to a bit, where their distribution is counted

Shares = tuple[FloatArray, ...]


class _Block(NamedTuple):
    """Some records of B against all of A: a row an attribute, a column a pair."""

    agreement: FloatArray  # φ, 0 where a value is missing
    absent: BoolArray  # where a missing value says nothing
    pairs: FloatArray  # how many pairs of records each one stands for


@dataclass(frozen=True, repr=False)
class ProratedPairs:
    """All pairs of two files whose attributes agree in part.

    Attributes
    ----------
    names : tuple of str
    a, b : (attributes, distinct records) float64
        Codes, or numbers in units of the tolerance; NaN is a missing value that says nothing.
    ignored : tuple of bool
        Attributes that have such values.
    first, second : Classes
        The distinct records of A and of B.
    """

    names: tuple[str, ...]
    a: FloatArray
    b: FloatArray
    ignored: tuple[bool, ...]
    first: Classes
    second: Classes

    @property
    def n_a(self) -> int:
        """The number of records of A."""
        return int(self.first.size.sum())

    @property
    def n_b(self) -> int:
        """The number of records of B."""
        return int(self.second.size.sum())

    @property
    def between(self) -> FloatArray:
        """How many pairs of records every pair of distinct ones stands for, those of one record of B together."""
        return np.asarray(np.multiply.outer(self.second.size, self.first.size), dtype=np.float64).ravel()

    def total(self, weights: Sequence[FloatArray]) -> FloatArray:
        """Return the weight of every pair of distinct records, in the order of `between`."""
        return np.concatenate([_weighed(block, weights) for block in self.blocks()])

    def swapped(self) -> ProratedPairs:
        """Return the same pairs with the files in each other's place."""
        return replace(self, a=self.b, b=self.a, first=self.second, second=self.first)

    def rows(self) -> list[tuple[int, int]]:
        """Return the runs of distinct records of B that make a block each."""
        step, n = max(1, _BLOCK // self.first.first.size), self.second.first.size
        return [(low, min(low + step, n)) for low in range(0, n, step)]

    def block(self, low: int, high: int) -> _Block:
        """Return how some distinct records of B agree with all of A."""
        gaps = np.abs(self.a[:, None, :] - self.b[:, low:high, None]).reshape(len(self.names), -1)
        absent = np.isnan(gaps)
        pairs = np.multiply.outer(self.second.size[low:high], self.first.size).astype(np.float64).ravel()
        return _Block(np.maximum(0.0, 1.0 - np.where(absent, 1.0, gaps)), absent, pairs)

    def blocks(self) -> Iterator[_Block]:
        """Return all pairs, block by block."""
        return (self.block(low, high) for low, high in self.rows())

    def __repr__(self) -> str:
        return f"ProratedPairs({len(self.names)} attributes of {self.n_a} × {self.n_b} pairs)"


def prorated_pairs(
    owner: str, a: Microdata, b: Microdata, names: Sequence[str], tolerance: float, missing: str
) -> ProratedPairs:
    """Return the pairs of two files whose numbers agree in part, and refuse what takes too long.

    Parameters
    ----------
    tolerance : float
        The difference, in standard deviations of both files together, from which two numbers do not agree at all.
    missing : {"ignore", "disagree", "agree"}
        As in :func:`~discreet.linkage.shared.agreement.nested`; categories agree if they are equal.
    """
    refuse_too_many(owner, len(names))
    if len(a) * len(b) > MOST_PAIRS:
        raise DataError(
            f'{owner}: numbers="prorated" weighs every pair; files of {len(a)} and {len(b)} records have more than '
            f"{MOST_PAIRS} of them.",
            hint='Use numbers="classes", which counts pairs without looking at them, or smaller files.',
        )
    coded = [agreement_on(owner, a, b, name, missing="agree", bins=None) for name in names]
    first, second = (classes_of_codes([getattr(one, side) for one in coded]) for side in "ab")
    files: list[list[FloatArray]] = [[], []]
    ignored = []
    for agreement in coded:
        x, y = _measured(agreement, a, b, tolerance)
        absent = bool(np.isnan(x).any() or np.isnan(y).any())
        ignored.append(absent and missing == "ignore")
        if absent and missing != "ignore":
            # Beyond everybody's reach, and each other's where a missing value agrees with nobody.
            beyond = float(np.nanmax(np.concatenate([x, y]))) + 2.0
            x = np.where(np.isnan(x), beyond, x)
            y = np.where(np.isnan(y), beyond if missing == "agree" else beyond + 2.0, y)
        files[0].append(x[first.first])
        files[1].append(y[second.first])
    return ProratedPairs(tuple(names), np.stack(files[0]), np.stack(files[1]), tuple(ignored), first, second)


def _measured(agreement: Agreement, a: Microdata, b: Microdata, tolerance: float) -> tuple[FloatArray, FloatArray]:
    """Return an attribute in units in which values that are 1 apart do not agree, NaN where they are missing."""
    x, y = a.encoded(agreement.name), b.encoded(agreement.name)
    if isinstance(a.schema[agreement.name].scale, Categorical):
        sides = ((agreement.a, x), (agreement.b, y))
        first, second = (np.where(raw < 0, np.nan, codes.astype(np.float64)) for codes, raw in sides)
        return first, second
    both = np.concatenate([x, y]).astype(np.float64)
    spread, centre = float(np.nanstd(both)), float(np.nanmean(both))
    unit = tolerance * spread if spread > 0 else 1.0
    return (x - centre) / unit, (y - centre) / unit


def _weighed(block: _Block, weights: Sequence[FloatArray]) -> FloatArray:
    """Return the weight of every pair of a block, where `weights` says by attribute what each state is worth."""
    apart, slope = (np.array([w[-2] for w in weights]), np.array([w[-1] - w[-2] for w in weights]))
    result = slope @ block.agreement + apart.sum()
    for j, weight in enumerate(weights):
        if weight.size == 3:
            result += (weight[0] - weight[1]) * block.absent[j]
    return np.asarray(result)


def _margins(pairs: ProratedPairs, block: _Block, shares: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Return by attribute how much of `shares`, one a pair, agrees and how much is missing; and all of it."""
    gaps = zip(pairs.ignored, block.absent, strict=True)
    absent = np.array([float(shares[row].sum()) if ignored else 0.0 for ignored, row in gaps])
    return block.agreement @ shares, absent, float(shares.sum())


def _states(pairs: ProratedPairs, agreeing: FloatArray, absent: FloatArray, total: float) -> Shares:
    """Return by attribute the share of every state: missing where that says nothing, apart, agreeing."""
    total = max(total, _LEAST)
    result = []
    for ignored, own, gone in zip(pairs.ignored, agreeing / total, absent / total, strict=True):
        apart = max(1.0 - own - gone, 0.0)
        result.append(np.array([gone, apart, own] if ignored else [apart, own]))
    return tuple(result)


def estimate_prorated(pairs: ProratedPairs, how: str, engine: Engine, steps: int = 500) -> Model:
    """Return m and u by EM over all pairs, or from the truth.

    Parameters
    ----------
    pairs : ProratedPairs
    how : {"em", "free", "known"}
        See :class:`~discreet.linkage.shared.probabilistic.ProbabilisticLinkage`.
    engine : Engine
    steps : int
        The most steps of EM.

    Notes
    -----
    O(pairs · attributes) a step. Shares of agreement are kept where there are few of them, and otherwise worked out
    again in blocks: memory is linear in the files and at most some 300 MB for what is kept.
    """
    size = len(pairs.names)
    runs = pairs.rows()
    kept = None
    if size * pairs.first.first.size * pairs.second.first.size <= _KEPT:
        kept = list(pairs.blocks())

    def summed(log_ratio: Shares | None, prior: float) -> tuple[FloatArray, FloatArray, float]:
        def one(at: int) -> tuple[FloatArray, FloatArray, float]:
            block = pairs.block(*runs[at]) if kept is None else kept[at]
            shares = block.pairs
            if log_ratio is not None:
                odds = np.clip(_weighed(block, log_ratio) + np.log(prior / (1.0 - prior)), -700.0, 700.0)
                shares = shares / (1.0 + np.exp(-odds))
            return _margins(pairs, block, shares)

        parts = engine.map(one, range(len(runs)))
        agreeing, absent, total = zip(*parts, strict=True)
        return np.sum(agreeing, axis=0), np.sum(absent, axis=0), float(np.sum(total))

    all_agreeing, all_absent, everybody = summed(None, 0.5)
    u = _states(pairs, all_agreeing, all_absent, everybody)
    prior = min(min(pairs.n_a, pairs.n_b) / everybody, 0.5)
    if how == "known":
        m = tuple(at_least(own, other) for own, other in zip(_known(pairs), u, strict=True))
        return Model(pairs.names, m, u, prior, pairs.ignored)
    free = how == "free"
    m = tuple(starting_shares(other.size) for other in u)
    if not free:
        m = tuple(at_least(own, other) for own, other in zip(m, u, strict=True))
    share = prior
    for step in range(steps):
        agreeing, absent, matches = summed(_log_ratios(m, u), share)
        new = _states(pairs, agreeing, absent, matches)
        if free:
            u = _states(pairs, all_agreeing - agreeing, all_absent - absent, everybody - matches)
            share = min(max(matches / everybody, 1e-12), 0.5)
        else:
            new = tuple(at_least(own, other) for own, other in zip(new, u, strict=True))
        moved = max(float(np.abs(x - y).max()) for x, y in zip(m, new, strict=True))
        m = new
        if moved < 1e-7:
            break
        report("estimating how often matches agree", step + 1, steps)
    return Model(pairs.names, m, u, prior, pairs.ignored)


def _log_ratios(m: Shares, u: Shares) -> Shares:
    return tuple(np.log(np.maximum(x, _LEAST)) - np.log(np.maximum(y, _LEAST)) for x, y in zip(m, u, strict=True))


def _known(pairs: ProratedPairs) -> Shares:
    """Return the shares of agreement of records i of A and i of B: the truth, where the files are in one order."""
    gaps = np.abs(pairs.a[:, pairs.first.label] - pairs.b[:, pairs.second.label])
    absent = np.isnan(gaps)
    block = _Block(np.maximum(0.0, 1.0 - np.where(absent, 1.0, gaps)), absent, np.ones(gaps.shape[1]))
    return _states(pairs, *_margins(pairs, block, block.pairs))


def weight_shares(pairs: ProratedPairs, model: Model) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Return weights that occur, falling, what share of matches and of other pairs has them, and how exact they are.

    A pair counts as a match by the probability that the model gives it.
    """
    weights = model.attribute_weights()
    low = sum(float(w.min()) for w in weights)
    size = int(np.ceil((sum(float(w.max()) for w in weights) - low) * _FINE)) + 2
    matched, unmatched = np.zeros(size), np.zeros(size)
    for block in pairs.blocks():
        weight = _weighed(block, weights)
        odds = model.prior / (1.0 - model.prior) * np.exp2(np.clip(weight, -500, 500))
        at = np.round((weight - low) * _FINE).astype(np.int64)
        matched += np.bincount(at, weights=block.pairs * (odds / (1.0 + odds)), minlength=size)
        unmatched += np.bincount(at, weights=block.pairs / (1.0 + odds), minlength=size)
    occurring = np.flatnonzero(matched + unmatched > 0)[::-1]
    matched, unmatched = matched / max(matched.sum(), _LEAST), unmatched / max(unmatched.sum(), _LEAST)
    return low + occurring / _FINE, matched[occurring], unmatched[occurring], 0.5 / _FINE


def best_prorated(pairs: ProratedPairs, model: Model, engine: Engine) -> Nearest:
    """Return by record of B its heaviest and second-heaviest pair, minus their weights as distances."""
    weights = model.attribute_weights()
    n, width = pairs.second.first.size, pairs.first.first.size
    best, other, counts = (np.empty(n, dtype=np.int64) for _ in range(3))
    cost, other_cost = np.empty(n), np.empty(n)

    def one(run: tuple[int, int]) -> IntArray:
        rows = np.arange(run[1] - run[0])
        table = -np.round(_weighed(pairs.block(*run), weights) * _SCALE).reshape(rows.size, width) / _SCALE
        here = slice(*run)
        best[here] = leader = table.argmin(axis=1)
        cost[here] = least = table[rows, leader]
        is_tied = table == least[:, None]
        counts[here] = is_tied.sum(axis=1)
        tied = np.nonzero(is_tied)[1]
        table[rows, leader] = np.inf
        follower = table.argmin(axis=1)
        other_cost[here] = table[rows, follower]
        other[here] = np.where(np.isinf(other_cost[here]), -1, follower)
        return tied

    tied = engine.map(one, pairs.rows())
    nearest = nearest_records((best, cost, other, other_cost, counts), tied, np.arange(n, dtype=np.int64), pairs.first)
    return nearest.records(pairs.second.label)


def assign_prorated(owner: str, pairs: ProratedPairs, model: Model) -> tuple[IntArray, FloatArray]:
    """Return for every record of B the one of A that it is given, each at most once, and minus the weight."""
    check_size(owner, pairs.n_a, pairs.n_b)
    weights = model.attribute_weights()

    def costs(rows: IntArray) -> FloatArray:
        table = np.stack([_weighed(pairs.block(at, at + 1), weights) for at in pairs.second.label[rows].tolist()])
        return np.asarray(-table[:, pairs.first.label])

    return assign(owner, costs, pairs.n_a, pairs.n_b)
