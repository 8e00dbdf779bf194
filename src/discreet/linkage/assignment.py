"""One-to-one links: every record of A is taken at most once."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from discreet.contracts.links import Links
from discreet.errors import DataError, DiscreetWarning
from discreet.linkage.record_classes import Classes
from discreet.progress import report
from discreet.typing import FloatArray, IntArray

__all__ = ["MOST_RECORDS", "assign", "best_assignment", "check_size", "links_from_assignment"]

MOST_RECORDS = 50_000
"""Every pair is looked at, though never held; beyond this many records of either file it is refused."""

_DENSE_PAIRS = 25_000_000
_BLOCK_PAIRS = 8_000_000
_CANDIDATES = 32
_ROUNDS = 4
_SWEEPS = 2000


def check_size(owner: str, n_a: int, n_b: int) -> None:
    """Refuse files whose pairs would be too many to look at."""
    if max(n_a, n_b) > MOST_RECORDS:
        raise DataError(
            f"{owner}: one-to-one links look at all pairs; files of {n_a} and {n_b} records are too large.",
            hint=f"Up to {MOST_RECORDS} records of each; without one_to_one any size will do.",
        )


def assign(owner: str, costs: Callable[[IntArray], FloatArray], n_a: int, n_b: int) -> tuple[IntArray, FloatArray]:
    """Return for every record of B the record of A it is assigned, −1 for none, and the cost, with the least sum.

    Parameters
    ----------
    owner : str
        Who asks, for warnings.
    costs : function of (m,) int64 to (m, n_a) float64
        The costs of some records of B; impossible pairs are infinite.

    Notes
    -----
    Up to 25 million pairs the full table is solved. Beyond, lists of candidates are: the nearest of every record of B
    and A. Prices of the solution prove it to be that of all pairs where nobody pays more than the last of the own list
    costs; the others' lists are made longer, up to 2,048, and a warning says for how many that was not enough. Where B
    has more records than A, so that some go without, nothing can be proved so, and everybody is warned of.
    """
    if n_a * n_b <= _DENSE_PAIRS:
        table = costs(np.arange(n_b))
        partner = best_assignment(table)
        return partner, np.where(partner < 0, np.inf, table[np.arange(n_b), np.maximum(partner, 0)])
    rng = np.random.default_rng(0)
    lists = _Lists(costs, n_a, n_b, rng)
    width, waiting = _CANDIDATES, np.arange(n_b)
    for _ in range(_ROUNDS):
        lists.extend(waiting, width)
        partner, score, prices = lists.solve()
        # Whoever is not on a list costs at least as much as the last who is.
        slack = 1e-9 * (1.0 + np.abs(lists.last))
        waiting = np.flatnonzero(prices > np.where(np.isfinite(lists.last), lists.last + slack, np.inf))
        if not waiting.size:
            break
        width *= 4
    else:
        warnings.warn(
            f"{owner}: the one-to-one links are the best among the {width // 4} nearest of every record; "
            f"for {waiting.size} of {n_b} records others might do better.",
            DiscreetWarning,
            stacklevel=2,
        )
    return partner, score


class _Lists:
    """Candidates of every record of B, and the assignment with the least sum among them."""

    def __init__(self, costs: Callable[[IntArray], FloatArray], n_a: int, n_b: int, rng: np.random.Generator) -> None:
        self.costs, self.n_a, self.n_b, self.rng = costs, n_a, n_b, rng
        self.keys, self.values = np.empty(0, dtype=np.int64), np.empty(0)
        self.last = np.full(n_b, -np.inf)
        self.column_keys = np.full((n_a, _CANDIDATES), -1, dtype=np.int64)
        self.column_values = np.full((n_a, _CANDIDATES), np.inf)

    def extend(self, rows: IntArray, width: int) -> None:
        """Look at all pairs of some records of B and keep the `width` nearest; the first time those of A too."""
        step = max(1, _BLOCK_PAIRS // self.n_a)
        first = not self.keys.size
        keys, values = [self.keys], [self.values]
        for low in range(0, rows.size, step):
            some = rows[low : low + step]
            table = self.costs(some)
            # Equal costs are taken at random, so that equal records do not all ask for the same ones.
            spread = float(np.ptp(table[np.isfinite(table)])) if np.isfinite(table).any() else 1.0
            shaken = table + 1e-10 * max(spread, 1e-300) * self.rng.random(table.shape)
            k = min(width, self.n_a)
            nearest = np.argpartition(shaken, k - 1, axis=1)[:, :k]
            own = np.take_along_axis(table, nearest, axis=1)
            self.last[some] = own.max(axis=1) if k < self.n_a else np.inf
            keys.append((some[:, None] * self.n_a + nearest)[np.isfinite(own)])
            values.append(own[np.isfinite(own)])
            if first:
                self._keep_columns(some, table, shaken)
            report("listing candidates", min(low + step, rows.size), rows.size)
        if first:
            finite = np.isfinite(self.column_values)
            keys.append(self.column_keys[finite])
            values.append(self.column_values[finite])
        self.keys, index = np.unique(np.concatenate(keys), return_index=True)
        self.values = np.concatenate(values)[index]

    def _keep_columns(self, rows: IntArray, table: FloatArray, shaken: FloatArray) -> None:
        few = min(_CANDIDATES, rows.size)
        nearest = np.argpartition(shaken, few - 1, axis=0)[:few].T
        own = np.take_along_axis(table.T, nearest, axis=1)
        both = np.concatenate([self.column_values, own], axis=1)
        keys = np.concatenate([self.column_keys, rows[nearest] * self.n_a + np.arange(self.n_a)[:, None]], axis=1)
        best = np.argpartition(both, _CANDIDATES - 1, axis=1)[:, :_CANDIDATES]
        self.column_values = np.take_along_axis(both, best, axis=1)
        self.column_keys = np.take_along_axis(keys, best, axis=1)

    def solve(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return whom every record of B gets (−1 for nobody), at what cost, and at what price at most."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import min_weight_full_bipartite_matching

        rows, columns = self.keys // self.n_a, self.keys % self.n_a
        low = float(self.values.min(initial=0.0))
        # The solver takes zeros for absent pairs and wants every row served: a seat of its own is dearer than anybody.
        shifted = self.values - low + 1.0
        seat = 4.0 * float(shifted.max(initial=1.0)) * min(self.n_b, 1000)
        order_b, order_a = self.rng.permutation(self.n_b), self.rng.permutation(self.n_a)
        entries = (
            np.concatenate([order_b[rows], np.arange(self.n_b)]),
            np.concatenate([order_a[columns], self.n_a + np.arange(self.n_b)]),
        )
        costs = np.concatenate([shifted, np.full(self.n_b, seat)])
        table = csr_array((costs, entries), shape=(self.n_b, self.n_a + self.n_b))
        _, seats = min_weight_full_bipartite_matching(table)
        back = np.argsort(order_a)
        mine = np.asarray(seats, dtype=np.int64)[order_b]
        partner = np.where(mine < self.n_a, back[np.minimum(mine, self.n_a - 1)], -1)
        served = np.flatnonzero(partner >= 0)
        score = np.full(self.n_b, np.inf)
        score[served] = self.values[np.searchsorted(self.keys, served * self.n_a + partner[served])]
        return partner, score, self._prices(partner, score, rows, columns)

    def _prices(self, links: IntArray, score: FloatArray, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return what every record of B pays: its cost, and what its partner is worth to others (dual values)."""
        worth = np.zeros(self.n_a)  # never positive, zero for those who are left over
        linked = links >= 0
        partner = np.maximum(links, 0)
        edges = np.flatnonzero(linked[rows])
        edges = edges[np.argsort(columns[edges], kind="stable")]
        rows, values = rows[edges], self.values[edges]
        listed, starts = np.unique(columns[edges], return_index=True)
        for _ in range(_SWEEPS if listed.size else 0):
            pays = score - worth[partner]
            lower = np.minimum(worth[listed], np.minimum.reduceat(values - pays[rows], starts))
            moved = float(np.abs(lower - worth[listed]).max())
            worth[listed] = lower
            if moved <= 1e-12 * max(1.0, float(np.abs(lower).max())):
                return np.where(linked, score - worth[partner], np.inf)
        return np.full(self.n_b, np.inf)  # prices that still fall prove nothing


def best_assignment(costs: FloatArray) -> IntArray:
    """Return for every row the column it is assigned, −1 for none, with the least sum; impossible pairs are infinite.

    Rows and columns are shuffled first, by a fixed seed: among assignments of equal cost the solver prefers the one
    near the diagonal, which in a comparison of a file with its masked version is the truth.
    """
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(costs.shape[0]), rng.permutation(costs.shape[1])
    shuffled = costs[np.ix_(rows, columns)]
    impossible = ~np.isfinite(shuffled)
    largest = float(np.abs(shuffled[~impossible]).max(initial=1.0))
    shuffled[impossible] = 4.0 * largest * max(costs.shape)
    r, c = linear_sum_assignment(shuffled)
    possible = ~impossible[r, c]
    result = np.full(costs.shape[0], -1, dtype=np.int64)
    result[rows[r[possible]]] = columns[c[possible]]
    return result


def links_from_assignment(
    partner: IntArray, score: FloatArray, classes: Classes, names: tuple[str, ...], method: str, *, higher: bool = False
) -> Links:
    """Return links without ties; a record's link is right for whoever shares its class with the truth.

    Within a class of equal records nobody can tell who is who: the link counts as a tie of the class.
    """
    n_b = partner.size
    linked = partner >= 0
    own = np.where(linked, classes.label[np.maximum(partner, 0)], 0)
    return Links(
        n_a=classes.label.size,
        n_b=n_b,
        best=partner,
        second=np.full(n_b, -1, dtype=np.int64),
        score=score,
        second_score=np.full(n_b, -np.inf if higher else np.inf),
        ties=np.where(linked, classes.size[own], 0),
        tied_offsets=np.concatenate([[0], np.cumsum(linked)]).astype(np.int64),
        tied=own[linked],
        classes=classes.label,
        attributes=names,
        method=method,
        higher_is_better=higher,
    )
