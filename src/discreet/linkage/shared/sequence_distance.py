"""Record linkage by the dissimilarity of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from discreet.contracts.engine import Engine, InProcess
from discreet.contracts.estimator import register
from discreet.contracts.linker import Linker, Looking
from discreet.contracts.links import Links
from discreet.data.microdata import Microdata
from discreet.data.scales import EncodedSequences
from discreet.data.scales.dissimilarities import Comparison, Dissimilarity, MeanComparison, compare_all
from discreet.data.scales.sequence import distinct
from discreet.data.schema import Schema
from discreet.errors import MissingValueError
from discreet.linkage.nearest import Nearest, links_of, nearest_records
from discreet.linkage.nearest_so_far import NearestSoFar, TiedLevels, Tolerance
from discreet.linkage.record_classes import NOBODY, Classes
from discreet.operators.numbers.quantifiers import Quantifier
from discreet.operators.operator_text import DISTANCE, QUANTIFIER, as_dissimilarity
from discreet.parameters import Names, Optional
from discreet.parameters.declaration import parameter
from discreet.progress import report
from discreet.statistics.question import Inquiry
from discreet.typing import FloatArray, IntArray

__all__ = ["SequenceLinkage", "SequenceSearch"]

_PAIRS = 4_000_000
"""Dissimilarities that are held at a time."""


@register("sequence-distance")
class SequenceLinkage(Linker):
    """Link each record to the one with the nearest sequence, over all pairs.

    The intruder holds the true sequences and compares them by the distance that the data protector may have used.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default the keys that both files have, which must be sequences.
    distance : str or Dissimilarity
        How far apart two sequences are; ``discreet.data.scales.dissimilarities`` holds them, and ``"own"`` is the one
        of the scale.
    quantifier : str or Quantifier, optional
        The policy of ``"oss-owa"``, such as ``"power:2"``; None is the plain mean of event distances.

    Notes
    -----
    Exact. Equal sequences are one class in either file, so that a release of few prototypes is compared quickly:
    O(classes of a · classes of b) comparisons, in blocks; memory O(n + ties). Several attributes count alike. Ties go
    to the lowest position. Missing sequences are refused.

    References
    ----------
    Domingo-Ferrer and Torra (2002) for linkage by distance; Valls, Nin and Torra (P3) for the dissimilarity.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet import Attribute, Schema
    >>> import discreet as dc
    >>> schema = Schema([Attribute("visits", dc.Sequence("abcxy"), "key")])
    >>> a = pl.DataFrame({"visits": ["a b c", "a b", "x y"]})
    >>> links = SequenceLinkage().link(a, pl.DataFrame({"visits": ["a b c", "a b c", "x"]}), schema)
    >>> links.best.tolist()
    [0, 0, 2]
    """

    scales: ClassVar[frozenset[str]] = frozenset({"sequence"})
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    distance: str | Dissimilarity = parameter(DISTANCE, default="own")
    quantifier: str | Quantifier | None = parameter(QUANTIFIER, default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(quantifier="power:2"), cls(distance="levenshtein")]

    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        search = self.search(b.select(names))
        nearest, classes = search.nearest(a, engine)
        return links_of(nearest.records(search.classes.label), classes, names, type(self).name)

    def search(self, asked: Microdata, *, of_release: bool = True) -> SequenceSearch:
        """Look for records of the second file (`of_release`) in the first, or the other way round.

        The answer is a question to all blocks of that file. One block and everybody asked is :meth:`link`.
        """
        names = self._names(asked.schema, asked.schema)
        owner = type(self).__name__
        distances = tuple(
            as_dissimilarity(owner, self.distance, self.quantifier, asked.schema[name].scale) for name in names
        )
        return SequenceSearch(distances, asked, names, of_release)

    def looking(self, schemas: tuple[Schema, Schema]) -> Inquiry[Looking]:
        yield from ()  # nothing has to be known before
        return Looking(self._names(*schemas), self.search, refuses_gaps=True)


@dataclass(frozen=True, repr=False, eq=False)
class SequenceSearch:
    """A question: whose sequences are nearest to those of some records, among the records of the other file."""

    distances: tuple[Dissimilarity, ...]
    asked: Microdata
    names: tuple[str, ...]
    of_release: bool = True

    @property
    def original(self) -> tuple[str, ...]:
        """The columns of the original that are looked at."""
        return self.names if self.of_release else ()

    @property
    def released(self) -> tuple[str, ...]:
        """The columns of the release that are looked at."""
        return () if self.of_release else self.names

    def summarise(self, block: Any, /) -> NearestSoFar:
        """Return the nearest of a block of both files."""
        return self.among(block.original if self.of_release else block.release, block.rows)

    @cached_property
    def _sequences(self) -> list[EncodedSequences]:
        return _columns(self.asked, self.names)

    @cached_property
    def classes(self) -> Classes:
        """The distinct records among the asked ones."""
        return Classes(*distinct(self._sequences))

    def nearest(self, others: Microdata, engine: Engine) -> tuple[Nearest, Classes]:
        """Return for every distinct asked record the nearest of the others, and the classes of these."""
        columns = _columns(others, self.names)
        classes = Classes(*distinct(columns))
        first, second = (
            [column.take(one.first) for column in side]
            for side, one in ((columns, classes), (self._sequences, self.classes))
        )
        arrays, tied = _search(compare_all(self.distances, first, second), engine)
        return nearest_records(arrays, tied, np.arange(len(arrays[0])), classes), classes

    def among(self, block: Microdata, rows: IntArray, engine: Engine | None = None) -> NearestSoFar:
        """Return the nearest of some records of the other file.

        Parameters
        ----------
        rows : (n,) int64
            The positions of these records in their file.
        """
        nearest, _ = self.nearest(block, engine or InProcess())
        owner = np.arange(nearest.best.size)
        crowded = nearest.ties > 1
        levels = TiedLevels(
            owner,
            nearest.score,
            nearest.ties,
            rows[nearest.best],
            np.where(crowded, rows[nearest.second], NOBODY),
        )
        alone = ~crowded & (nearest.second >= 0)
        runner_up = np.where(alone, rows[nearest.second], -1)
        runner_up_sum = np.where(alone, nearest.second_score, np.inf)
        return NearestSoFar(rows.size, Tolerance(), levels, runner_up, runner_up_sum).of(self.classes.label)

    def own(self, truth: Microdata) -> FloatArray:
        """Return the dissimilarities of the asked records and of those that they are, in the same order."""
        return compare_all(self.distances, _columns(truth, self.names), self._sequences).pairs()


def _columns(data: Microdata, names: tuple[str, ...]) -> list[EncodedSequences]:
    columns = [data.encoded(name) for name in names]
    for name, column in zip(names, columns, strict=True):
        absent = int(column.missing.sum())
        if absent:
            raise MissingValueError(
                f"SequenceLinkage: column {name!r} has {absent} missing sequences of {len(column)}.",
                hint="Leave the column out of attributes, or drop those records.",
            )
    return columns


_Arrays = tuple[IntArray, FloatArray, IntArray, FloatArray, IntArray]


def _search(comparison: Comparison | MeanComparison, engine: Engine) -> tuple[_Arrays, list[IntArray]]:
    """Compare every class of b with all of a; return the answers, and the tied classes block by block."""
    n_a, n_b = comparison.shape
    height = max(1, _PAIRS // max(n_a, 1))
    blocks = [np.arange(start, min(start + height, n_b)) for start in range(0, n_b, height)]
    everyone = np.arange(n_a)
    compared = [0]

    def work(block: IntArray) -> tuple[_Arrays, IntArray]:
        answers = _nearest(comparison.rows(everyone, block).T)
        compared[0] += 1
        report("linking", compared[0], len(blocks))
        return answers

    parts = engine.map(work, blocks)
    best, score, second, second_score, counts = (
        np.concatenate(column) for column in zip(*(arrays for arrays, _ in parts), strict=True)
    )
    return (best, score, second, second_score, counts), [tied for _, tied in parts]


def _nearest(distances: FloatArray) -> tuple[_Arrays, IntArray]:
    """Return best, its distance, second, its distance, and how many are tied, a row a question; and the tied."""
    rows = np.arange(len(distances))
    best = distances.argmin(axis=1)
    score = distances[rows, best]
    owner, tied = np.nonzero(distances == score[:, None])
    rest = distances.copy()
    rest[rows, best] = np.inf
    second = rest.argmin(axis=1)
    second_score = rest[rows, second]
    second = np.where(np.isfinite(second_score), second, -1)
    return (best, score, second, second_score, np.bincount(owner, minlength=rows.size)), tied
