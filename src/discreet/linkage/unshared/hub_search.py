"""Searching the representatives of two files: nearest records, correction of hubs, one-to-one assignment."""

from __future__ import annotations

import numpy as np

from discreet.contracts.engine import Engine, InProcess
from discreet.kernels.linking.nearest_list import SUMMING
from discreet.kernels.linking.power_distance import (
    nearest_by_power,
    nearest_many_by_power,
    power_distances,
    tied_by_power,
)
from discreet.linkage.assignment import best_assignment
from discreet.linkage.nearest import Nearest
from discreet.linkage.shared.coordinates import doubt
from discreet.linkage.unshared.unshared import one_each
from discreet.progress import report
from discreet.typing import FloatArray, IntArray

__all__ = ["DENSE_PAIRS", "METRICS", "assign_candidates", "distances", "hubness_corrected", "one_to_one", "search"]

METRICS = {"euclidean": 0, "manhattan": 1, "root": 2}
"""Euclidean distance; sum of differences; sum of their square roots (L½), which forgives a few large ones."""

DENSE_PAIRS = 9_000_000
"""Up to this many pairs an assignment uses the full table; beyond it, lists of candidates."""

_BLOCK = 512
_CANDIDATES = 40


def distances(x: FloatArray, y: FloatArray, metric: str) -> FloatArray:
    """Return the (n_y, n_x) table of distances."""
    table = np.empty((len(y), len(x)))
    power_distances(x, y, METRICS[metric], table)
    return np.sqrt(table) if metric == "euclidean" else table


def hubness_corrected(table: FloatArray, k: int) -> FloatArray:
    """Return distances less the mean distance of both records to their `k` nearest neighbours in the other file (CSLS).

    A record that is near to everybody (a hub) loses, one that is far from everybody gains.

    References
    ----------
    Conneau et al. (2018), Word translation without parallel data, equation 2.

    Examples
    --------
    >>> hubness_corrected(np.array([[1.0, 3.0], [1.0, 5.0]]), 1).tolist()
    [[0.0, 2.0], [0.0, 6.0]]
    """
    near_x = np.partition(table, min(k, len(table)) - 1, axis=0)[:k].mean(axis=0)
    near_y = np.partition(table, min(k, table.shape[1]) - 1, axis=1)[:, :k].mean(axis=1)
    return np.asarray(2.0 * table - near_x[None, :] - near_y[:, None])


def search(x: FloatArray, y: FloatArray, metric: str, hubness: int, engine: Engine) -> Nearest:
    """Return the nearest records of `x` for every record of `y`, over all pairs, equal records of `x` as one class.

    O(n_x · n_y · width) time; memory linear, with `hubness` a block of distances more.
    """
    classes, members, counts = _distinct(x)
    own = np.ascontiguousarray(x[members])
    if hubness:
        best, second, score, second_score, offsets, tied = _search_corrected(own, counts, y, metric, hubness, engine)
    else:
        best, second, score, second_score, offsets, tied = _search_plain(own, y, metric, engine)
    owner = np.repeat(np.arange(len(y)), np.diff(offsets))
    ties = np.bincount(owner, weights=counts[tied], minlength=len(y)).astype(np.int64)
    # A class of several records is its own second nearest.
    crowded = counts[best] > 1
    mate = np.full(members.size, -1, dtype=np.int64)
    later = np.flatnonzero(np.arange(classes.size) != members[classes])
    mate[classes[later][::-1]] = later[::-1]
    other = np.where(second < 0, -1, members[np.maximum(second, 0)])
    return Nearest(
        best=members[best],
        second=np.where(crowded, mate[best], other),
        score=score,
        second_score=np.where(crowded, score, second_score),
        ties=ties,
        row=np.arange(len(y), dtype=np.int64),
        row_offsets=offsets,
        tied=tied,
        classes=classes,
    )


def _distinct(x: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the class of every record, and first member and size of every class, in order of appearance."""
    _, first, inverse, counts = np.unique(x, axis=0, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    return place[inverse.ravel()], first[order].astype(np.int64), counts[order].astype(np.int64)


def _slices(n: int) -> list[tuple[int, int]]:
    return [(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK)]


def _slack(y: FloatArray, metric: str) -> FloatArray:
    """Return by record what rounding of coordinates explains of a distance; of roots, only their sum is rounded."""
    parts = doubt(y, np.zeros(y.shape[1]))
    if metric == "euclidean":
        return np.asarray(np.sqrt((parts * parts).sum(axis=1)))
    return np.asarray(parts.sum(axis=1) if metric == "manhattan" else np.zeros(len(y)))


def _search_plain(
    x: FloatArray, y: FloatArray, metric: str, engine: Engine
) -> tuple[IntArray, IntArray, FloatArray, FloatArray, IntArray, IntArray]:
    n, power = len(y), METRICS[metric]
    best, second, ties = (np.empty(n, dtype=np.int64) for _ in range(3))
    score, second_score, limit = (np.empty(n) for _ in range(3))
    slack = _slack(y, metric)
    slices = _slices(n)
    compared = [0]

    def first_pass(block: tuple[int, int]) -> None:
        nearest_by_power(x, y, power, *block, slack, best, score, second, second_score, limit, ties)
        compared[0] += 1
        report("comparing records", compared[0], len(slices))

    engine.map(first_pass, slices)
    offsets = np.concatenate([[0], np.cumsum(ties)]).astype(np.int64)
    tied = np.empty(int(offsets[-1]), dtype=np.int64)
    engine.map(lambda block: tied_by_power(x, y, power, limit, ties, best, offsets, *block, tied), slices)
    if metric == "euclidean":
        score, second_score = np.sqrt(score), np.sqrt(second_score)
    return best, second, score, second_score, offsets, tied


def _search_corrected(
    x: FloatArray, counts: IntArray, y: FloatArray, metric: str, k: int, engine: Engine
) -> tuple[IntArray, IntArray, FloatArray, FloatArray, IntArray, IntArray]:
    def mean_distance(of: FloatArray, to: FloatArray) -> FloatArray:
        width = min(k, len(to))
        nearest, scores = np.empty((len(of), width), dtype=np.int64), np.empty((len(of), width))
        engine.map(
            lambda block: nearest_many_by_power(to, of, METRICS[metric], *block, nearest, scores), _slices(len(of))
        )
        mean: FloatArray = (np.sqrt(scores) if metric == "euclidean" else scores).mean(axis=1)
        return mean

    near_x = mean_distance(x, y)
    near_y = mean_distance(y, np.repeat(x, np.minimum(counts, k), axis=0))
    slack = _slack(y, metric)

    def block_search(block: tuple[int, int]) -> tuple[IntArray, FloatArray, IntArray, FloatArray, IntArray, IntArray]:
        start, stop = block
        table = 2.0 * distances(x, y[start:stop], metric) - near_x[None, :] - near_y[start:stop, None]
        rows = np.arange(stop - start)
        score = table.min(axis=1)
        # What rounding alone makes different is equal.
        tied = score + SUMMING * (np.abs(score) + near_x.max() + near_y[start:stop]) + 2.0 * slack[start:stop]
        table = np.where(table <= tied[:, None], score[:, None], table)
        best = table.argmin(axis=1)
        row, column = np.nonzero(table == score[:, None])
        lengths = np.bincount(row, minlength=rows.size)
        table[rows, best] = np.inf
        second = table.argmin(axis=1)
        second_score = table[rows, second]
        second = np.where(np.isinf(second_score), -1, second)
        return best, score, second, second_score, lengths, column

    parts = list(zip(*engine.map(block_search, _slices(len(y))), strict=True))
    best, score, second, second_score, lengths, tied = (np.concatenate(part) for part in parts)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return best.astype(np.int64), second.astype(np.int64), score, second_score, offsets, tied.astype(np.int64)


def one_to_one(
    x: FloatArray,
    y: FloatArray,
    metric: str,
    hubness: int,
    rng: np.random.Generator,
    engine: Engine | None = None,
) -> Nearest:
    """Return the one-to-one links with the least sum of distances.

    Up to 9 million pairs the optimum of the full table, O(n³); beyond, the optimum over lists of the nearest
    candidates of every record of either file, and records that no list can serve are linked to who is left, at random.
    Both files are shuffled first, so that ties do not follow the order of the files.
    """
    order_x, order_y = rng.permutation(len(x)), rng.permutation(len(y))
    shuffled_x, shuffled_y = np.ascontiguousarray(x[order_x]), np.ascontiguousarray(y[order_y])
    if shuffled_x.shape[0] * shuffled_y.shape[0] <= DENSE_PAIRS:
        table = distances(shuffled_x, shuffled_y, metric)
        if hubness:
            table = hubness_corrected(table, hubness)
        partner = best_assignment(table)
        score = np.where(partner < 0, np.inf, table[np.arange(len(shuffled_y)), partner])
        rest = table.copy()
        rest[np.arange(len(shuffled_y))[partner >= 0], partner[partner >= 0]] = np.inf
        second = rest.argmin(axis=1)
        second_score = rest[np.arange(len(shuffled_y)), second]
        second = np.where(np.isfinite(second_score), second, -1)
    else:
        partner, score, second, second_score = _sparse(
            shuffled_x, shuffled_y, metric, hubness, rng, engine or InProcess()
        )
    # A better candidate that the assignment gave to somebody else stays visible as second, never as best.
    best = np.full(len(y), -1, dtype=np.int64)
    other = np.full(len(y), -1, dtype=np.int64)
    scores, others = np.full(len(y), np.inf), np.full(len(y), np.inf)
    best[order_y] = np.where(partner < 0, -1, order_x[np.maximum(partner, 0)])
    other[order_y] = np.where(second < 0, -1, order_x[np.maximum(second, 0)])
    scores[order_y], others[order_y] = score, second_score
    return one_each(best, other, scores, others)


def _sparse(
    x: FloatArray, y: FloatArray, metric: str, hubness: int, rng: np.random.Generator, engine: Engine
) -> tuple[IntArray, FloatArray, IntArray, FloatArray]:
    def lists(of: FloatArray, to: FloatArray) -> tuple[IntArray, FloatArray]:
        width = min(_CANDIDATES, len(to))
        nearest, scores = np.empty((len(of), width), dtype=np.int64), np.empty((len(of), width))
        engine.map(
            lambda block: nearest_many_by_power(to, of, METRICS[metric], *block, nearest, scores), _slices(len(of))
        )
        return nearest, np.sqrt(scores) if metric == "euclidean" else scores

    from_y, cost_y = lists(y, x)
    from_x, cost_x = lists(x, y)
    if hubness:
        near_x, near_y = cost_x[:, :hubness].mean(axis=1), cost_y[:, :hubness].mean(axis=1)
        cost_y = 2.0 * cost_y - near_y[:, None] - near_x[from_y]
        cost_x = 2.0 * cost_x - near_x[:, None] - near_y[from_x]
    rows = np.concatenate([np.repeat(np.arange(len(y)), from_y.shape[1]), from_x.ravel()])
    columns = np.concatenate([from_y.ravel(), np.repeat(np.arange(len(x)), from_x.shape[1])])
    costs = np.concatenate([cost_y.ravel(), cost_x.ravel()])
    partner, score = assign_candidates(rows, columns, costs, len(y), len(x), rng)
    second, second_score = from_y[:, 0].copy(), cost_y[:, 0].copy()
    same = second == partner
    if from_y.shape[1] > 1:
        second[same], second_score[same] = from_y[same, 1], cost_y[same, 1]
    return partner, score, second, second_score


def assign_candidates(
    rows: IntArray, columns: IntArray, costs: FloatArray, n_rows: int, n_columns: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Return for every row the column it is assigned among its candidates, and the cost, with the least sum.

    As many rows as can be are served, the others get columns that are left over, at random (cost infinite), or −1
    where none is left. Shortest augmenting paths on the candidates alone; memory is that of the lists.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    # One entry a pair: a pair may be in the lists of both its records.
    key, first = np.unique(rows * n_columns + columns, return_index=True)
    pair_rows, pair_columns, pair_costs = key // n_columns, key % n_columns, costs[first]
    low, high = float(pair_costs.min()), float(pair_costs.max())
    # The solver takes zeros for absent pairs, and wants every row served: a seat of its own is dearer than any pairing.
    shifted = pair_costs - low + max(1e-3 * (high - low), 1e-9)
    seat = 4.0 * float(shifted.max()) * min(n_rows, 1000)
    table = csr_array(
        (
            np.concatenate([shifted, np.full(n_rows, seat)]),
            (
                np.concatenate([pair_rows, np.arange(n_rows)]),
                np.concatenate([pair_columns, n_columns + np.arange(n_rows)]),
            ),
        ),
        shape=(n_rows, n_columns + n_rows),
    )
    served, seats = min_weight_full_bipartite_matching(table)
    partner = np.full(n_rows, -1, dtype=np.int64)
    partner[served] = seats
    partner[partner >= n_columns] = -1
    linked = np.flatnonzero(partner >= 0)
    score = np.full(n_rows, np.inf)
    score[linked] = pair_costs[np.searchsorted(key, linked * n_columns + partner[linked])]
    spare = rng.permutation(np.setdiff1d(np.arange(n_columns), partner[linked]))
    waiting = rng.permutation(np.flatnonzero(partner < 0))[: spare.size]
    partner[waiting] = spare[: waiting.size]
    return partner, score
