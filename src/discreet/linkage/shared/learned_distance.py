"""Distance-based linkage whose weights are learned from links that are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Self

import numpy as np

from discreet.contracts.engine import Engine
from discreet.contracts.estimator import register
from discreet.contracts.linker import Linker
from discreet.contracts.links import Links
from discreet.data.microdata import Microdata
from discreet.errors import DataError
from discreet.linkage.learned_weights import learn_weights
from discreet.linkage.shared.term_search import link_by_terms
from discreet.linkage.shared.terms import Terms
from discreet.linkage.shared.yardstick import prepare
from discreet.parameters import Choice, Flag, Integer, ListOf, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.typing import FloatArray, IntArray

__all__ = ["LearnedDistanceLinkage"]

_NEAREST = 30
_ROUNDS = 3
_NOTHING = 1e-6
"""The share of the largest weight below which an attribute is left out."""


@register("learned-distance")
class LearnedDistanceLinkage(Linker):
    """Link each record to the nearest one, by a distance whose weights are learned from known links.

    An upper bound on what an intruder could do who already knows some people in the release: he sees how far each
    attribute is to be trusted, numbers, ordered and unordered levels alike, and links everybody else by that.

    Parameters
    ----------
    known : list of [a, b]
        Positions in the two files of records that are known to belong together, at least two.
    attributes : list of str, optional
        What the intruder knows; by default the keys that both files have.
    metric : {"euclidean", "manhattan"}
        Whether squared differences add up, or differences.
    regularisation : float
        What learning pays for large weights.
    one_to_one : bool
        Whether every record of the first file is taken at most once: the assignment with the least sum of distances.

    Attributes
    ----------
    weights_ : dict of str to float
        After linking: what each attribute counts for, 1 on average; 0 where it misleads.

    Notes
    -----
    Wrong links of the known records are made few: a true record must be nearer than each of its 30 nearest rivals by a
    margin, violations cost their square (a convex quadratic programme in weights that are not negative), and the
    nearest rivals are looked for again under the new weights, three times. O(known · n_a · attributes) for learning,
    and the cost of :class:`~discreet.linkage.shared.distance.DistanceLinkage` for linking; ties and missing values as
    there. Known records are linked like all others: count those that were not known, by a truth of −1 for them in
    `evaluate`.

    References
    ----------
    Domingo-Ferrer and Torra (2002), future work; Abril, Navarro-Arribas and Torra (2012, 2014) on supervised distances
    as a worst case.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0], "y": [5.0, 1.0, 4.0, 2.0, 3.5]})
    >>> b = pl.DataFrame({"x": [1.1, 2.1, 2.9, 4.1, 4.9], "y": [1.0, 3.5, 2.0, 5.0, 4.0]})
    >>> linker = LearnedDistanceLinkage(known=[[0, 0], [1, 1], [2, 2]])
    >>> linker.link(a, b).best.tolist(), linker.weights_
    ([0, 1, 2, 3, 4], {'x': 2.0, 'y': 0.0})
    """

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    joins_levels: ClassVar[bool] = True
    leaves_out_emptied: ClassVar[bool] = True
    known: Sequence[Sequence[int]] = parameter(ListOf(ListOf(Integer(0))), default=((0, 0), (1, 1)), kw_only=False)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    metric: Literal["euclidean", "manhattan"] = parameter(Choice(("euclidean", "manhattan")), default="euclidean")
    regularisation: float = parameter(Number(0, open_low=True), default=0.01)
    one_to_one: bool = parameter(Flag(), default=False)

    @classmethod
    def examples(cls) -> list[Self]:
        some = [[i, i] for i in range(8)]
        return [cls(some), cls(some, metric="manhattan", one_to_one=True)]

    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        owner = type(self).__name__
        links = self._pairs(len(a), len(b))
        terms = prepare(owner, a, b, names, self.metric)
        learned = _learned(terms, links, self.regularisation)
        order = (*terms.categories, *terms.numbers)
        share = learned / learned.max()
        weights = {name: float(w) for name, w in zip(order, share, strict=True) if w > _NOTHING}
        mean = sum(weights.values()) / len(order)
        self.weights_: dict[str, float] = {name: weights.get(name, 0.0) / mean for name in names}
        compared = tuple(name for name in names if name in weights)
        weighted = prepare(owner, a, b, compared, self.metric, {name: self.weights_[name] for name in compared})
        return link_by_terms(type(self), weighted, names, engine, one_to_one=self.one_to_one)

    def _pairs(self, n_a: int, n_b: int) -> IntArray:
        if any(len(pair) != 2 for pair in self.known) or len(self.known) < 2:
            raise DataError("LearnedDistanceLinkage: known must be at least 2 pairs of positions, one in each file.")
        pairs = np.asarray(self.known, dtype=np.int64)
        if pairs[:, 0].max() >= n_a or pairs[:, 1].max() >= n_b:
            raise DataError(
                f"LearnedDistanceLinkage: known names positions beyond the {n_a} and {n_b} records of the files."
            )
        if any(np.unique(side).size < side.size for side in pairs.T):
            raise DataError("LearnedDistanceLinkage: known names a record twice.")
        return pairs


def _learned(terms: Terms, links: IntArray, regularisation: float) -> FloatArray:
    """Return a weight for every category and number; equal ones where nothing can be learned."""
    n_a, width = len(terms.a_codes), len(terms.tables) + terms.a_numbers.shape[1]
    weights = np.ones(width)
    everybody = np.arange(n_a, dtype=np.int64)
    for _ in range(_ROUNDS if n_a > 1 else 0):
        rivals = []
        for a, b in links:
            far = differences(terms, everybody, np.full(n_a, b)) @ weights
            far[a] = np.inf
            count = min(_NEAREST, n_a - 1)
            nearest = np.argsort(far, kind="stable")[:count]
            rivals.append((nearest, np.full(count, b)))
        found = learn_weights(lambda a, b: -differences(terms, a, b), links, rivals, regularisation, positive=True)
        if not found.any():
            break
        weights = found
    return weights


def differences(terms: Terms, a_rows: IntArray, b_rows: IntArray) -> FloatArray:
    """Return what every attribute contributes to the distance of pairs of records, (pairs, attributes)."""
    columns = [terms.between(p, terms.b_codes[b_rows, p], terms.a_codes[a_rows, p]) for p in range(len(terms.tables))]
    for p in range(terms.a_numbers.shape[1]):
        gap = np.abs(terms.a_numbers[a_rows, p] - terms.b_numbers[b_rows, p])
        columns.append(gap * gap if terms.metric == 0 else gap)
    return np.column_stack(columns)
