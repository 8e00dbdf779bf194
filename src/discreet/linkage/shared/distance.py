"""Distance-based record linkage: every released record belongs to the nearest original."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import partial
from typing import ClassVar, Literal, Self

import numpy as np

from discreet.contracts.engine import Engine
from discreet.contracts.estimator import register
from discreet.contracts.linker import Linker, Looking
from discreet.contracts.links import Links
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.linkage.shared.coordinates import BothSpreads, Spread, SpreadOf
from discreet.linkage.shared.term_search import DistanceSearch, link_both_by_terms, link_by_terms
from discreet.linkage.shared.terms import METRICS
from discreet.linkage.shared.yardstick import Yardstick, prepare, yardstick
from discreet.parameters import ByName, Choice, Flag, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Inquiry

__all__ = ["DistanceLinkage"]


@register("distance")
class DistanceLinkage(Linker):
    """Link each record to the nearest one over all pairs.

    The squared distance is a sum over attributes: numbers differ by their difference in standard deviations of the
    first file, ordered levels by their positions divided by the number of levels, unordered ones by 0 or 1. Every
    attribute counts alike unless weights say otherwise.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default the keys that both files have.
    metric : {"euclidean", "mahalanobis", "manhattan", "max"}
        The root of the sum of squared differences, the same on uncorrelated directions of the numbers, the sum of
        differences, or the largest difference.
    weights : mapping of str to float, optional
        What an attribute counts for; 1 where it is not named.
    one_to_one : bool
        Whether every record of the first file is taken at most once: the assignment with the least sum of distances.

    Notes
    -----
    Exact: the result is that of comparing all pairs. Categories alone are searched by branch and bound in a prefix tree
    of distinct records, files with numbers in a k-d tree; both are far below n_a · n_b in time where records are not
    too far from their nearest, and O(n) in memory, however many levels there are; levels with a meaning of their own,
    and ordered ones that were merged, need a table of each with each. An assignment looks at all pairs and is limited
    to 50,000 records. The records of the first file that are equal on the attributes are one class, so a tie among them
    costs nothing. Ties go to the lowest position. Records are tied with the nearest one where they are farther by no
    more than rounding of numbers, coordinates and sums explains: the mean of two values is equally far from both,
    though not to the last bit. A record that is met exactly is tied with its equals alone. A missing category is a
    category of its own; missing numbers are refused, and an attribute of which the second file has no value at all is
    left out. Under ``"mahalanobis"`` a direction in which the first file does not vary is left out. In both directions
    (``link_both``) distances are the same, in standard deviations of the first file; every record of either file is
    asked for the nearest of the other.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Distance-based and probabilistic record linkage for categorical data.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"size": [1.0, 2.0, 9.0]})
    >>> links = DistanceLinkage().link(a, pl.DataFrame({"size": [1.1, 1.5, 8.0]}))
    >>> links.best.tolist(), links.ties.tolist()
    ([0, 0, 2], [1, 2, 1])
    """

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    joins_levels: ClassVar[bool] = True
    leaves_out_emptied: ClassVar[bool] = True
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    metric: Literal["euclidean", "mahalanobis", "manhattan", "max"] = parameter(Choice(METRICS), default="euclidean")
    weights: Mapping[str, float] | None = parameter(Optional(ByName(Number(0, open_low=True))), default=None)
    one_to_one: bool = parameter(Flag(), default=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(metric="mahalanobis"), cls(metric="manhattan"), cls(metric="max"), cls(one_to_one=True)]

    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        terms = prepare(type(self).__name__, a, b, names, self.metric, self.weights)
        return link_by_terms(type(self), terms, names, engine, one_to_one=self.one_to_one)

    def _link_both(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> tuple[Links, Links]:
        # One table of distances, in standard deviations of what the intruder holds, read by rows and by columns.
        terms = prepare(type(self).__name__, a, b, names, self.metric, self.weights)
        if not self.one_to_one:
            return link_both_by_terms(type(self), terms, names, engine)
        release = link_by_terms(type(self), terms, names, engine, one_to_one=True)
        return release, link_by_terms(type(self), terms.swapped(), names, engine, one_to_one=True)

    def _link_best(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        if self.one_to_one:
            return self._link(a, b, names, engine)
        terms = prepare(type(self).__name__, a, b, names, self.metric, self.weights)
        return link_by_terms(type(self), terms, names, engine, second=False)

    def _link_best_both(
        self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine
    ) -> tuple[Links, Links]:
        if self.one_to_one:
            return self._link_both(a, b, names, engine)
        terms = prepare(type(self).__name__, a, b, names, self.metric, self.weights)
        return link_both_by_terms(type(self), terms, names, engine, second=False)

    def inquire(
        self, schemas: tuple[Schema, Schema], *, flag_gaps: bool = False
    ) -> Generator[SpreadOf, BothSpreads, Yardstick]:
        """Ask what has to be known of two files of the same records, and return what distances are measured by.

        Parameters
        ----------
        schemas : pair of Schema
            Of A and of B.
        flag_gaps : bool
            Whether a missing number is read as the mean of the first file, with a category that says so, or refused.
        """
        names = self._names(*schemas)
        numbers = schemas[0].of_scale("numeric", among=names)
        nothing = Spread.of(np.empty((0, 0)))
        # Levels are compared by their declarations: without a number, no record has to be looked at.
        spreads = (yield SpreadOf(numbers)) if numbers else BothSpreads(nothing, nothing)
        kept = [place for place, gaps in enumerate(spreads.second.absent) if gaps < spreads.second.records]
        if len(kept) < len(numbers) and (kept or len(names) > len(numbers)):  # as where all records are at hand
            emptied = {name for place, name in enumerate(numbers) if place not in kept}
            names = tuple(name for name in names if name not in emptied)
            spreads = BothSpreads(spreads.first.of_columns(kept), spreads.second.of_columns(kept))
        return yardstick(type(self).__name__, schemas, spreads, names, self.metric, self.weights, flag_gaps=flag_gaps)

    def search(self, plan: Yardstick, asked: Microdata, *, of_release: bool = True) -> DistanceSearch:
        """Look for records of the second file (`of_release`) in the first, or the other way round.

        The answer is a question to all blocks of that file. One block and everybody asked is :meth:`link`, to the last
        tie.
        """
        return DistanceSearch(plan, asked, of_release)

    def looking(self, schemas: tuple[Schema, Schema]) -> Inquiry[Looking] | None:
        # An assignment looks at all pairs.
        return None if self.one_to_one else self._looking(schemas)

    def _looking(self, schemas: tuple[Schema, Schema]) -> Inquiry[Looking]:
        plan = yield from self.inquire(schemas)
        names = tuple(name for name in self._names(*schemas) if name in plan.names)
        return Looking(names, partial(self.search, plan))
