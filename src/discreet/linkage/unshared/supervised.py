"""Supervised linkage: the worst case of an intruder who already knows some of the true links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Self

import numpy as np

from discreet.contracts.engine import Engine
from discreet.contracts.estimator import register
from discreet.errors import DataError
from discreet.linkage.assignment import best_assignment
from discreet.linkage.learned_weights import drawn_rivals, learn_weights
from discreet.linkage.nearest import Nearest
from discreet.linkage.unshared.canonical import solve, whiten
from discreet.linkage.unshared.normalisation import impute, normalise
from discreet.linkage.unshared.representatives import family, representatives
from discreet.linkage.unshared.structural import ALIKE, improve_starts, representative_evidence, views_of
from discreet.linkage.unshared.unshared import UnsharedLinker, one_each
from discreet.parameters import Choice, Flag, Integer, ListOf, Number
from discreet.parameters.declaration import parameter
from discreet.typing import FloatArray, IntArray

__all__ = ["SupervisedLinkage"]

MOST_PAIRS = 4_000_000

_RIDGE = 0.01


@register("supervised")
class SupervisedLinkage(UnsharedLinker):
    """Learn the distance between two files without common attributes from links that are known.

    An upper bound on what an intruder could do: with some true links at hand he learns how the attributes of one file
    predict those of the other, and links everybody else. Known links are kept as they are.

    Parameters
    ----------
    known : list of [a, b]
        Positions in the two files of records that are known to belong together, at least two.
    distance : {"bilinear", "weighted", "choquet"}
        "bilinear" learns a weight for every pair of attributes (a Mahalanobis distance across the files). "weighted"
        learns one weight for every representative of records. "choquet" aggregates the differences of representatives
        by a Choquet integral with a fuzzy measure that has a weight for every one and every two of them.
    regularisation : float
        What learning pays for large weights.
    improve : bool
        Whether the learned links are the start of a search for the match under which the files explain each other best,
        the known links held fast: see :class:`discreet.linkage.unshared.structural.StructuralLinkage`. Only where every
        record is taken once and the files are about as long as each other.
    one_to_one : bool
        Whether a record of the first file is taken at most once.
    attributes_a, attributes_b : list of str, optional
        By default the numeric keys of each file.
    by : list of str, optional
        Ordinal or nominal attributes of both files that a pair must agree on; learning and linking stay in the block.
    random_state : int, optional
        Draws the rivals that learning compares a known link with.

    Notes
    -----
    A convex quadratic programme: a known link must be nearer than every rival by a margin, violations cost their
    square, and weights are not negative (except "bilinear"). Every 2-additive Choquet integral is a combination with
    such weights of the values, their minima and maxima in pairs. O(known · rivals · weights) a step of learning and
    O(n_a · n_b · weights) for linking; refused above four million pairs. Count only links that were not known: give
    `evaluate` a truth of −1 for the others.

    References
    ----------
    Abril, Navarro-Arribas and Torra (2012, 2014) on supervised distances as a worst case; Grabisch (1997) on
    2-additive measures.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"u": [1.0, 2.0, 3.0, 4.0, 5.0, 6.5]})
    >>> b = pl.DataFrame({"v": [60.0, 50.0, 40.0, 30.0, 20.0, 5.0]})
    >>> SupervisedLinkage(known=[[0, 0], [5, 5], [2, 2]]).link(a, b).best.tolist()
    [0, 1, 2, 3, 4, 5]
    """

    known: Sequence[Sequence[int]] = parameter(ListOf(ListOf(Integer(0))), default=((0, 0), (1, 1)), kw_only=False)
    distance: Literal["bilinear", "weighted", "choquet"] = parameter(
        Choice(("bilinear", "weighted", "choquet")), default="bilinear"
    )
    regularisation: float = parameter(Number(0, open_low=True), default=0.1)
    improve: bool = parameter(Flag(), default=True)
    one_to_one: bool = parameter(Flag(), default=True)
    higher_is_better: ClassVar[bool] = True

    @classmethod
    def examples(cls) -> list[Self]:
        some = [[i, i] for i in range(10)]
        return [
            cls(some),
            cls(some, distance="weighted", improve=False),
            cls(some, distance="choquet", one_to_one=False),
        ]

    def _match_block(
        self,
        x: FloatArray,
        y: FloatArray,
        at: int,
        rows: tuple[IntArray, IntArray],
        rng: np.random.Generator,
        engine: Engine,
    ) -> Nearest:
        pairs = self._pairs(len(x), len(y))
        # Positions in the files become positions in the block; links between blocks are of no use here.
        place_a, place_b = (np.full(len(side), -1, dtype=np.int64) for side in (x, y))
        place_a[rows[0]], place_b[rows[1]] = np.arange(rows[0].size), np.arange(rows[1].size)
        local = np.column_stack([place_a[pairs[:, 0]], place_b[pairs[:, 1]]])
        self._known_here = local[(local >= 0).all(axis=1)]
        return super()._match_block(x, y, at, rows, rng, engine)

    def _pairs(self, n_a: int, n_b: int) -> IntArray:
        if any(len(pair) != 2 for pair in self.known):
            raise DataError("SupervisedLinkage: known must be pairs of positions, one in each file.")
        pairs = np.asarray(self.known, dtype=np.int64).reshape(-1, 2)
        if pairs[:, 0].max() >= n_a or pairs[:, 1].max() >= n_b:
            raise DataError(
                f"SupervisedLinkage: known names positions beyond the {n_a} and {n_b} records of the files."
            )
        if any(np.unique(side).size < side.size for side in pairs.T):
            raise DataError("SupervisedLinkage: known names a record twice.")
        return pairs

    def _match(self, x: FloatArray, y: FloatArray, rng: np.random.Generator, engine: Engine) -> Nearest:  # noqa: ARG002
        links = self._known_here
        if len(links) < 2:
            raise DataError(f"SupervisedLinkage: {len(links)} known links (in a block); learning needs at least 2.")
        if len(x) * len(y) > MOST_PAIRS:
            raise DataError(
                f"SupervisedLinkage: files of {len(x)} and {len(y)} records have too many pairs.",
                hint="Use blocks (by).",
            )
        features = _Features(x, y, self.distance)
        rivals = drawn_rivals(links, len(x), len(y), rng)
        weights = learn_weights(features.of, links, rivals, self.regularisation, positive=self.distance != "bilinear")
        table = features.table(weights)
        if self.improve and self.one_to_one and min(table.shape) >= ALIKE * max(table.shape):
            table = _improved(x, y, table, links)
        return _best_links(table, links, self.one_to_one, rng)


class _Features:
    """What is learned from: for a pair of records a vector whose weighted sum says how well they fit."""

    def __init__(self, x: FloatArray, y: FloatArray, distance: str) -> None:
        self.distance = distance
        if distance == "bilinear":
            self.x = whiten(impute(normalise(x, "rank_gauss")), _RIDGE)
            self.y = whiten(impute(normalise(y, "rank_gauss")), _RIDGE)
        else:
            self.x, self.y = (
                representatives(impute(normalise(side, "rank_gauss")), family("owa:threshold")) for side in (x, y)
            )
            # Files of few attributes have equal order statistics: one of each is enough.
            different = _different_columns(self.x, self.y)
            self.x, self.y = self.x[:, different], self.y[:, different]

    def of(self, a: IntArray, b: IntArray) -> FloatArray:
        """Return the (m, weights) features of m pairs; the larger their weighted sum, the better the fit."""
        left, right = self.x[a], self.y[b]
        if self.distance == "bilinear":
            return (left[:, :, None] * right[:, None, :]).reshape(a.size, -1)
        gaps = np.abs(left - right)
        if self.distance == "weighted":
            return -(gaps**2)
        first, second = np.triu_indices(gaps.shape[1], 1)
        return -np.hstack(
            [gaps, np.minimum(gaps[:, first], gaps[:, second]), np.maximum(gaps[:, first], gaps[:, second])]
        )

    def table(self, weights: FloatArray) -> FloatArray:
        """Return the fit of all pairs, (n_b, n_a)."""
        if self.distance == "bilinear":
            return np.asarray(self.y @ (self.x @ weights.reshape(self.x.shape[1], -1)).T)
        everybody = np.arange(len(self.x))
        rows = [self.of(everybody, np.full(len(self.x), j)) @ weights for j in range(len(self.y))]
        return np.stack(rows)


def _different_columns(x: FloatArray, y: FloatArray) -> IntArray:
    both = np.vstack([x, y])
    different: list[int] = []
    for column in range(both.shape[1]):
        if not any(np.array_equal(both[:, column], both[:, other]) for other in different):
            different.append(column)
    return np.asarray(different, dtype=np.int64)


def _improved(x: FloatArray, y: FloatArray, table: FloatArray, links: IntArray) -> FloatArray:
    """Return how pairs fit under the best match that the learned links lead to, (n_b, n_a)."""
    views = views_of(x, y)
    evidence, starts = representative_evidence(views)
    # Representatives count as far as they rate known links above others; where they rate them below, not at all.
    above = [(evidence[a] < evidence[a, b]).mean() for a, b in links]
    evidence = max(2.0 * float(np.mean(above)) - 1.0, 0.0) * evidence
    # Dearer than all that could be gained elsewhere: no known link is ever given up.
    bonus = 1e4 + 10.0 * float(np.abs(evidence).max())
    fast = np.zeros_like(evidence)
    fast[links[:, 0]] = -bonus
    fast[:, links[:, 1]] = -bonus
    fast[links[:, 0], links[:, 1]] = bonus
    learned = solve(table.T / max(float(np.abs(table).max()), 1e-12) + fast)
    best = improve_starts(views, [learned, *(solve(_with_pairs(pairs, fast)) for pairs in starts)], evidence + fast)[0]
    return np.ascontiguousarray((best.table - fast).T)


def _with_pairs(pairs: tuple[IntArray, IntArray], fast: FloatArray) -> FloatArray:
    """Return a table whose best match is these pairs as far as known links let them be."""
    table = fast.copy()
    table[pairs] += 1.0
    return table


def _best_links(table: FloatArray, links: IntArray, one_to_one: bool, rng: np.random.Generator) -> Nearest:
    n_b, n_a = table.shape
    worth = table.copy()
    # Known links are settled: nobody else competes for their records where each is taken once.
    if one_to_one:
        worth[:, links[:, 0]] = -np.inf
    worth[links[:, 1], links[:, 0]] = table.max() + 1.0
    if one_to_one:
        best = best_assignment(-worth)
    else:
        # Among equals one is drawn: the order of the file must not decide.
        order = rng.permutation(n_a)
        best = order[worth[:, order].argmax(axis=1)]
        best[links[:, 1]] = links[:, 0]
    at = np.arange(n_b)
    score = np.where(best < 0, -np.inf, table[at, np.maximum(best, 0)])
    rest = table.copy()
    rest[at, np.maximum(best, 0)] = -np.inf
    second = rest.argmax(axis=1)
    second_score = np.minimum(rest[at, second], score)
    return one_each(best, np.where(np.isneginf(second_score), -1, second), score, second_score)
