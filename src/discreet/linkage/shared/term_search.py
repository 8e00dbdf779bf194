"""Nearest records by sums of terms: links of two whole files, or of some records that pass in blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discreet.contracts.engine import Engine, InProcess
from discreet.contracts.linker import Linker
from discreet.contracts.links import Links
from discreet.data.microdata import Microdata
from discreet.linkage.assignment import assign, check_size, links_from_assignment
from discreet.linkage.nearest import Nearest, gather, links_of
from discreet.linkage.nearest_so_far import NearestSoFar, TiedLevels, Tolerance
from discreet.linkage.record_classes import NOBODY, Classes, classes_of
from discreet.linkage.shared.category_search import search_categories
from discreet.linkage.shared.every_pair import search_every_pair, trees_save_nothing
from discreet.linkage.shared.number_search import search_numbers
from discreet.linkage.shared.terms import Terms
from discreet.linkage.shared.yardstick import Side, Yardstick
from discreet.typing import FloatArray, IntArray

__all__ = ["DistanceSearch", "Limits", "TiedClasses", "link_both_by_terms", "link_by_terms"]

Limits = tuple[FloatArray, FloatArray]
"""The least and the largest coordinate of A that every record of B can come from."""


_FEW_RECORDS = 4096  # that are searched in less time than threads take to pay


def link_by_terms(
    linker: type[Linker],
    terms: Terms,
    names: tuple[str, ...],
    engine: Engine,
    *,
    one_to_one: bool = False,
    limits: Limits | None = None,
    frequencies: IntArray | None = None,
    second: bool = True,
) -> Links:
    """Search the nearest records and put them into links.

    Parameters
    ----------
    limits : pair of (n_b, numbers) float64, optional
        The least and the largest coordinate of A that every record of B can come from.
    frequencies : (n_a,) int64, optional
        How many records every row of A stands for.
    second : bool
        Whether the second nearest are looked for.
    """
    if one_to_one:
        return _assigned(linker, terms, names, limits)
    # Records of B with different limits are different questions even where their values are equal.
    sought = terms.b_numbers if limits is None else np.concatenate([terms.b_numbers, *limits], axis=1)
    classes, questions = engine.map(
        lambda side: classes_of(*side), [(terms.a_codes, terms.a_numbers), (terms.b_codes, sought)]
    )
    classes = classes.standing_for(frequencies)
    nearest = _searched(terms, classes, questions, limits, engine, second=second)
    # By record, and no longer by class of B, which would take as much memory again.
    nearest = nearest.records(questions.label)
    return links_of(nearest, classes, names, linker.name, has_second=second)


def link_both_by_terms(
    linker: type[Linker], terms: Terms, names: tuple[str, ...], engine: Engine, *, second: bool = True
) -> tuple[Links, Links]:
    """Search the nearest records of either file in the other one: the release asked first, then the original."""
    few = max(len(terms.a_codes), len(terms.b_codes)) <= _FEW_RECORDS
    where = InProcess() if few else engine
    sides = [(terms.a_codes, terms.a_numbers), (terms.b_codes, terms.b_numbers)]
    a, b = where.map(lambda side: classes_of(*side), sides)
    if trees_save_nothing(terms, a, b):
        of_release, of_original = search_every_pair(terms, a, b)
        return (
            links_of(of_release.records(b.label), a, names, linker.name, has_second=second),
            links_of(of_original.records(a.label), b, names, linker.name, has_second=second),
        )

    def links(terms: Terms, a: Classes, b: Classes) -> Links:
        nearest = _searched(terms, a, b, None, where, second=second).records(b.label)
        return links_of(nearest, a, names, linker.name, has_second=second)

    # Each shares its questions among all cores; one after the other, so that never two trees are held.
    return links(terms, a, b), links(terms.swapped(), b, a)


def _searched(
    terms: Terms, a: Classes, b: Classes, limits: Limits | None, engine: Engine, *, second: bool = True
) -> Nearest:
    if terms.numbers:
        return search_numbers(terms, a, b, limits, engine, second=second)
    return search_categories(terms, a, b, engine, second=second)


def _assigned(linker: type[Linker], terms: Terms, names: tuple[str, ...], limits: Limits | None) -> Links:
    """Return the one-to-one links with the least sum of distances."""
    n_a, n_b = len(terms.a_codes), len(terms.b_codes)
    check_size(linker.__name__, n_a, n_b)

    def costs(rows: IntArray) -> FloatArray:
        table = terms.scores(terms.matrix(rows))
        if limits is not None:
            for p in range(len(terms.numbers)):
                x = terms.a_numbers[:, p][None, :]
                table[(x < limits[0][rows, p][:, None]) | (x > limits[1][rows, p][:, None])] = np.inf
        return table

    partner, score = assign(linker.__name__, costs, n_a, n_b)
    classes = classes_of(terms.a_codes, terms.a_numbers)
    return links_from_assignment(partner, score, classes, names, linker.name)


@dataclass(frozen=True, repr=False)
class TiedClasses:
    """Who shares the least distance in a block, as classes of equal records.

    Attributes
    ----------
    owner : (k,) int64
        The asked record, rising.
    sums : (k,) float64
        Its sum of terms with a class.
    group : (k,) int64
        The class.
    label : (n,) int64
        The class of every record of the block.
    """

    owner: IntArray
    sums: FloatArray
    group: IntArray
    label: IntArray


@dataclass(frozen=True, repr=False, eq=False)
class DistanceSearch:
    """A question: who is nearest to some records, among those of the other file, which may pass in blocks.

    Attributes
    ----------
    yardstick : Yardstick
        What distances are measured by.
    asked : Microdata
        The records that are looked for.
    of_release : bool
        Whether they are records of B, looked for in A, or the other way round.
    """

    yardstick: Yardstick
    asked: Microdata
    of_release: bool = True

    @cached_property
    def _asked_side(self) -> Side:
        return self.yardstick.side(self.asked, 1 if self.of_release else 0)

    def _terms(self, others: Microdata) -> Terms:
        """Return the terms in which the asked records stand in the place of B."""
        side = self.yardstick.side(others, 0 if self.of_release else 1)
        if self.of_release:
            return self.yardstick.terms(side, self._asked_side)
        return self.yardstick.terms(self._asked_side, side).swapped()

    @property
    def original(self) -> tuple[str, ...]:
        """The columns of the original that are looked at."""
        return self.yardstick.names if self.of_release else ()

    @property
    def released(self) -> tuple[str, ...]:
        """The columns of the release that are looked at."""
        return () if self.of_release else self.yardstick.names

    def summarise(self, block: Any, /) -> NearestSoFar:
        """Return the nearest of a block of both files."""
        return self.among(block.original if self.of_release else block.release, block.rows)

    def among(self, block: Microdata, rows: IntArray, engine: Engine | None = None) -> NearestSoFar:
        """Return the nearest of some records of the other file.

        Parameters
        ----------
        rows : (n,) int64
            The positions of these records in their file.
        """
        return self.tied_among(block, rows, engine)[0]

    def tied_among(
        self, block: Microdata, rows: IntArray, engine: Engine | None = None
    ) -> tuple[NearestSoFar, TiedClasses]:
        """Return the nearest of some records of the other file, and who they are: for what is read off them."""
        terms = self._terms(block)
        b = classes_of(terms.b_codes, terms.b_numbers)
        tolerance = Tolerance(terms.slack(b.first), terms.metric == 0)
        if not rows.size:
            nobody, far = np.full(b.first.size, -1), np.full(b.first.size, np.inf)
            nowhere = NearestSoFar(0, tolerance, _NO_LEVELS, nobody, far).of(b.label)
            return nowhere, TiedClasses(rows, np.empty(0), rows, rows)
        a = classes_of(terms.a_codes, terms.a_numbers)
        nearest = _searched(terms, a, b, None, engine or InProcess())
        lengths = np.where(nearest.row < 0, 0, np.diff(nearest.row_offsets)[nearest.row])
        tied = nearest.tied[gather(nearest.row_offsets[np.maximum(nearest.row, 0)], lengths)]
        owner = np.repeat(np.arange(b.first.size), lengths)
        sums = terms.sums(b.first[owner], a.first[tied])
        following = a.following[tied]
        classes = TiedLevels(
            owner,
            sums,
            a.size[tied],
            rows[a.first[tied]],
            np.where(following == NOBODY, NOBODY, rows[np.minimum(following, rows.size - 1)]),
        )
        # Where several are tied, those give the second place too.
        alone = (nearest.ties == 1) & (nearest.second >= 0)
        other = np.where(alone, nearest.second, 0)
        searched = NearestSoFar(
            rows.size,
            tolerance,
            classes.and_of(_NO_LEVELS),
            np.where(alone, rows[other], -1),
            np.where(alone, terms.sums(b.first, other), np.inf),
        )
        # By record, and no longer by class of those that were asked for.
        starts, counts = np.cumsum(lengths) - lengths, lengths[b.label]
        place = gather(starts[b.label], counts)
        own = np.repeat(np.arange(b.label.size), counts)
        return searched.of(b.label), TiedClasses(own, sums[place], tied[place], a.label)

    def own(self, truth: Microdata) -> FloatArray:
        """Return the sums of terms of the asked records and of those that they are, in the same order."""
        every = np.arange(len(self.asked))
        return self._terms(truth).sums(every, every)


_NO_LEVELS = TiedLevels(
    np.empty(0, dtype=np.int64), np.empty(0), *(np.empty(0, dtype=np.int64) for _ in range(3))
)  # fmt: skip
