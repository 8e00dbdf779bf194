"""Structural linkage of large files: groups of records are matched first, then the records within them.

Both files are cut at the same share of their records, along the coordinate on which they differ most, again and again:
cells of a few hundred records hold much the same people, and in a cell the best assignment is cheap. What the match of
all cells shows of the correlations rates pairs anew and gives better coordinates for the next cut. Cuts fall elsewhere
each time, so that nobody stays on the wrong side of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from discreet.linkage.nearest import Nearest
from discreet.linkage.unshared.canonical import Whitened, canonical_pairs, solve
from discreet.linkage.unshared.hub_search import assign_candidates
from discreet.linkage.unshared.near_representatives import NearRepresentatives
from discreet.linkage.unshared.unshared import one_each
from discreet.progress import report
from discreet.typing import FloatArray, IntArray

__all__ = ["Ratings", "candidate_links", "cells", "groups_first", "match_cells"]

_SMALL = 64
# Where much is noise, a record and its own part at many cuts: fewer of them find more, and cost more.
_LARGE, _LARGEST = 384, 768
_ROUNDS = 6
_LAST_ROUNDS = 8
_CUTS = 6
_CANDIDATES = 6
# Above this many records one match alone is improved, with cells that are less large, and representatives count in its
# links only.
_LONG = 20_000
_TEMPERATURE = 0.2  # nats a record
_WEIGHED = 8  # cells in which it is seen how sharp representatives are
_MIDDLE = 0.1  # a cut leaves between 40 and 60 % on either side


Cell = tuple[IntArray, IntArray]
"""Records of the first and of the second file that were brought together."""


class Ratings(NamedTuple):
    """What every pair of records is worth, as ``first[i] · second[j] − own_first[i] − own_second[j]``."""

    first: FloatArray
    second: FloatArray
    own_first: FloatArray
    own_second: FloatArray
    near: NearRepresentatives | None = None
    """What is said of pairs besides, among records that were brought together."""

    def table(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return the ratings of some records with some."""
        products = self.first[rows] @ self.second[columns].T
        ratings = np.asarray(products - self.own_first[rows][:, None] - self.own_second[columns])
        return ratings if self.near is None else ratings + self.near.table(rows, columns)


def by_distance(files: Whitened) -> Ratings:
    """Rate pairs by their squared distance, in halves of what is usual in a column."""
    x, y = files
    spread = np.maximum(x.std(axis=0), 1e-12).mean()
    first, second = x / spread, y / spread
    return Ratings(first, second, 0.5 * (first**2).sum(axis=1), 0.5 * (second**2).sum(axis=1))


def by_correlation(files: Sequence[Whitened], rows: IntArray, columns: IntArray) -> tuple[Ratings, float]:
    """Rate pairs by the correlations that a match shows, as :func:`~discreet.linkage.unshared.canonical.gains` does."""
    parts: list[Ratings] = []
    likelihood = 0.0
    for x, y in files:
        first, second, shrunk, one = canonical_pairs(x, y, rows, columns)
        weight = shrunk / (1.0 - shrunk**2) / len(files)
        alone = 0.5 * weight * shrunk
        root = np.sqrt(weight)
        parts.append(Ratings(first * root, second * root, first**2 @ alone, second**2 @ alone))
        likelihood += one / len(files)
    ratings = Ratings(
        np.hstack([part.first for part in parts]),
        np.hstack([part.second for part in parts]),
        np.sum([part.own_first for part in parts], axis=0),
        np.sum([part.own_second for part in parts], axis=0),
    )
    return ratings, likelihood


def cells(ratings: Ratings, size: int, rng: np.random.Generator) -> Iterator[tuple[IntArray, IntArray]]:
    """Cut both files alike until no cell holds more than `size` records of either; every record is in one cell."""
    pending = [(np.arange(len(ratings.first)), np.arange(len(ratings.second)))]
    while pending:
        rows, columns = pending.pop()
        if max(rows.size, columns.size) <= size or min(rows.size, columns.size) < 2:
            yield rows, columns
            continue
        along = int(ratings.first[rows].std(axis=0).argmax())
        share = 0.5 + rng.uniform(-_MIDDLE, _MIDDLE)
        halves = []
        for positions, values in ((rows, ratings.first), (columns, ratings.second)):
            cut = min(max(round(share * positions.size), 1), positions.size - 1)
            order = np.argpartition(values[positions, along], cut)
            halves.append((positions[order[:cut]], positions[order[cut:]]))
        pending += [(halves[0][side], halves[1][side]) for side in (0, 1)]


def match_cells(ratings: Ratings, size: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return the pairs of the best assignment within every cell."""
    pairs = []
    for rows, columns in cells(ratings, size, rng):
        r, c = solve(ratings.table(rows, columns))
        pairs.append((rows[r], columns[c]))
    rows, columns = (np.concatenate(side) for side in zip(*pairs, strict=True))
    order = np.argsort(rows)
    return rows[order], columns[order]


def _large(ratings: Ratings) -> int:
    """Return how many records a large cell holds: fewer in files where many cells must be matched."""
    return _LARGE if len(ratings.first) > _LONG else _LARGEST


def groups_first(
    starts: Sequence[Whitened],
    stages: Sequence[Sequence[Whitened]],
    rng: np.random.Generator,
    weigh: Callable[[Sequence[Cell]], NearRepresentatives] | None = None,
) -> tuple[Ratings, float]:
    """Return how to rate pairs under the best match that was found, and what it is worth, in nats a record.

    Parameters
    ----------
    starts : sequence of Whitened
        Coordinates in which a record of one file is near its own in the other: representatives, or matched attributes.
    stages : sequence of sequence of Whitened
        The files as uncorrelated columns, from the leading components to all of them; none where a match must not be
        improved by its own correlations.
    weigh : callable, optional
        Says, from a few cells, how much representatives count pair by pair once groups are large.

    Notes
    -----
    O(n · cell · columns) a round, some six rounds a start with small cells, and at most eight more with larger ones: of
    every start, or of the best alone in files of more than 20,000 records.
    """
    total = len(starts) + 1
    report("matching groups", 0, total)
    if not stages:
        report("matching groups", total, total)
        return by_distance(Whitened(*(np.hstack([one[side] for one in starts]) for side in (0, 1)))), 0.0
    trials: list[tuple[float, Ratings]] = []
    for done, start in enumerate(starts, start=1):
        pairs = match_cells(by_distance(start), _SMALL, rng)
        for files in stages[:-1]:
            ratings, likelihood = _improved(files, pairs, _SMALL, _ROUNDS // 2, rng)
            pairs = match_cells(ratings, _SMALL, rng)
        ratings, likelihood = _improved(stages[-1], pairs, _SMALL, _ROUNDS // 2, rng)
        trials.append((likelihood, ratings))
        report("matching groups", done, total)
    trials.sort(key=lambda trial: -trial[0])
    best = trials[0][1]
    size = _large(best)
    near = None if weigh is None else weigh(list(islice(cells(best, size, rng), _WEIGHED)))
    finals = []
    is_long = len(best.first) > _LONG
    between = None if is_long else near
    for _, trial in trials[:1] if is_long else trials:
        pairs = match_cells(trial._replace(near=between), size, rng)
        ratings, likelihood = _improved(stages[-1], pairs, size, _LAST_ROUNDS, rng, between)
        finals.append((likelihood / len(ratings.first), ratings))
    report("matching groups", total, total)
    return _averaged(finals)._replace(near=near), max(likelihood for likelihood, _ in finals)


def _averaged(matches: Sequence[tuple[float, Ratings]]) -> Ratings:
    """Return the mean of ratings under several matches, each weighed by what it is worth, in nats a record."""
    worth = np.array([likelihood for likelihood, _ in matches])
    weights = np.exp((worth - worth.max()) / _TEMPERATURE)
    weights /= weights.sum()
    parts = [ratings for _, ratings in matches]
    return Ratings(
        np.hstack([np.sqrt(weight) * part.first for weight, part in zip(weights, parts, strict=True)]),
        np.hstack([np.sqrt(weight) * part.second for weight, part in zip(weights, parts, strict=True)]),
        np.sum([weight * part.own_first for weight, part in zip(weights, parts, strict=True)], axis=0),
        np.sum([weight * part.own_second for weight, part in zip(weights, parts, strict=True)], axis=0),
    )


def _improved(
    files: Sequence[Whitened],
    pairs: tuple[IntArray, IntArray],
    size: int,
    rounds: int,
    rng: np.random.Generator,
    near: NearRepresentatives | None = None,
) -> tuple[Ratings, float]:
    """Alternate between correlations and assignment; what it is worth is that of the last match."""
    ratings, likelihood = by_correlation(files, *pairs)
    for _ in range(rounds):
        ratings = ratings._replace(near=near)
        better = match_cells(ratings, size, rng)
        if all(np.array_equal(one, other) for one, other in zip(better, pairs, strict=True)):
            break
        pairs = better
        ratings, likelihood = by_correlation(files, *pairs)
    return ratings._replace(near=near), likelihood


def candidate_links(
    ratings: Ratings, order_x: IntArray, order_y: IntArray, one_to_one: bool, rng: np.random.Generator
) -> Nearest:
    """Link every record of the second file to its best candidate over several cuts, or to one that nobody else takes.

    Parameters
    ----------
    ratings : Ratings
    order_x, order_y : (n,) int64
        The position in its file of every record that is rated.
    one_to_one : bool
    """
    n_x, n_y = len(order_x), len(order_y)
    rows, columns, values = _candidates(ratings, rng)
    listed = np.lexsort([-values, columns])
    place = np.searchsorted(columns[listed], np.arange(n_y))
    top = listed[np.minimum(place, listed.size - 1)]
    runner_up = listed[np.minimum(place + 1, listed.size - 1)]
    has_second = columns[runner_up] == np.arange(n_y)
    best, score = rows[top].copy(), values[top].copy()
    second, second_score = np.where(has_second, rows[runner_up], -1), np.where(has_second, values[runner_up], -np.inf)
    if one_to_one:
        partner, cost = assign_candidates(columns, rows, -values, n_y, n_x, rng)
        moved = partner != best
        second, second_score = np.where(moved, best, second), np.where(moved, -cost, second_score)
        best, score = partner, -cost
    result = [np.full(n_y, -1, dtype=np.int64) for _ in range(2)]
    for target, source in zip(result, (best, second), strict=True):
        target[order_y] = np.where(source < 0, -1, order_x[np.maximum(source, 0)])
    scores = [np.empty(n_y) for _ in range(2)]
    scores[0][order_y], scores[1][order_y] = score, np.minimum(second_score, score)
    return one_each(result[0], result[1], scores[0], scores[1])


def _candidates(ratings: Ratings, rng: np.random.Generator) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the best few pairs of every record of either file in the cells of several cuts, each pair once."""
    n_y = len(ratings.second)
    keys, values = [], []
    for cut in range(_CUTS):
        report("looking within groups", cut, _CUTS)
        for rows, columns in cells(ratings, _large(ratings), rng):
            table = ratings.table(rows, columns)
            for side, across in ((table, False), (table.T, True)):
                width = min(_CANDIDATES, side.shape[1])
                near = np.argpartition(-side, width - 1, axis=1)[:, :width]
                at = np.repeat(np.arange(len(side)), width)
                r, c = (near.ravel(), at) if across else (at, near.ravel())
                keys.append(rows[r] * n_y + columns[c])
                values.append(table[r, c])
    report("looking within groups", _CUTS, _CUTS)
    pairs, first = np.unique(np.concatenate(keys), return_index=True)
    return pairs // n_y, pairs % n_y, np.concatenate(values)[first]
