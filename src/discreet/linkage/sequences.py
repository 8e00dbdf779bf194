"""Record linkage by the dissimilarity of sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple, Self

import numpy as np

from discreet.base import Engine, Linker, register
from discreet.errors import MissingValueError
from discreet.microdata import Microdata
from discreet.operators.quantifiers import Quantifier
from discreet.operators.sequence_reading import DISTANCE, QUANTIFIER, as_dissimilarity
from discreet.parameters import Constraint, Names, Optional
from discreet.progress import report
from discreet.results import Links
from discreet.scales import EncodedSequences
from discreet.scales.dissimilarities import Comparison, Dissimilarity, MeanComparison, compare_all
from discreet.scales.sequence import distinct
from discreet.typing import FloatArray, IntArray

__all__ = ["SequenceLinkage"]

_PAIRS = 4_000_000
"""Dissimilarities that are held at a time."""


class _Nearest(NamedTuple):
    """Of a block of released classes: the two nearest original classes, their distances, and all at the least one."""

    best: IntArray
    second: IntArray
    score: FloatArray
    second_score: FloatArray
    offsets: IntArray
    tied: IntArray


@register("sequence-distance")
class SequenceLinkage(Linker):
    """Link each record to the one with the nearest sequence, over all pairs.

    The intruder holds the true sequences and compares them by the distance that the data protector may have used.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default the keys that both files have, which must be sequences.
    distance : str or Dissimilarity
        How far apart two sequences are; ``discreet.scales.dissimilarities`` holds them.
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
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "attributes": Optional(Names()),
        "distance": DISTANCE,
        "quantifier": QUANTIFIER,
    }

    def __init__(
        self,
        *,
        attributes: Sequence[str] | None = None,
        distance: str | Dissimilarity = "oss-owa",
        quantifier: str | Quantifier | None = None,
    ) -> None:
        self.attributes = attributes
        self.distance = distance
        self.quantifier = quantifier

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(quantifier="power:2"), cls(distance="levenshtein")]

    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        distance = as_dissimilarity(type(self).__name__, self.distance, self.quantifier)
        first, second = _columns(a, names), _columns(b, names)
        classes, members, counts = distinct(first)
        b_classes, b_members, _ = distinct(second)
        comparison = compare_all(distance, [c.take(members) for c in first], [c.take(b_members) for c in second])
        found = _search(comparison, engine)
        return _links(found, classes, members, counts, b_classes, names, type(self).name)


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


def _search(comparison: Comparison | MeanComparison, engine: Engine) -> _Nearest:
    """Compare every class of b with all of a."""
    n_a, n_b = comparison.shape
    height = max(1, _PAIRS // max(n_a, 1))
    blocks = [np.arange(start, min(start + height, n_b)) for start in range(0, n_b, height)]
    everyone = np.arange(n_a)
    done = [0]

    def work(block: IntArray) -> _Nearest:
        found = _nearest(comparison.rows(everyone, block).T)
        done[0] += 1
        report("linking", done[0], len(blocks))
        return found

    parts = engine.map(work, blocks)
    best, second, score, second_score = (
        np.concatenate(column) for column in zip(*(part[:4] for part in parts), strict=True)
    )
    sizes = np.concatenate([np.diff(part.offsets) for part in parts])
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return _Nearest(best, second, score, second_score, offsets, np.concatenate([part.tied for part in parts]))


def _nearest(distances: FloatArray) -> _Nearest:
    best = distances.argmin(axis=1)
    score = distances[np.arange(len(distances)), best]
    owner, tied = np.nonzero(distances == score[:, None])
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(distances)))]).astype(np.int64)
    rest = distances.copy()
    rest[np.arange(len(distances)), best] = np.inf
    second = rest.argmin(axis=1)
    second_score = rest[np.arange(len(distances)), second]
    return _Nearest(best, np.where(np.isfinite(second_score), second, -1), score, second_score, offsets, tied)


def _links(
    found: _Nearest,
    classes: IntArray,
    members: IntArray,
    counts: IntArray,
    b_classes: IntArray,
    names: tuple[str, ...],
    method: str,
) -> Links:
    """Turn classes back into records: a class of several records is its own second nearest."""
    next_member = np.full(members.size, -1, dtype=np.int64)
    position = np.arange(classes.size)
    later = position != members[classes]
    # Written from the back, so that the lowest position after the first stays.
    next_member[classes[later][::-1]] = position[later][::-1]
    beyond = np.iinfo(np.int64).max
    crowded = counts[found.best] > 1
    other = np.where(found.second >= 0, members[found.second], -1)
    mate = np.where(crowded, next_member[found.best], beyond)
    equal = np.where((found.second >= 0) & (found.second_score == found.score), other, beyond)
    second = np.where(crowded, np.minimum(mate, equal), other)
    tied_records = np.add.reduceat(counts[found.tied], found.offsets[:-1])
    # Records of b share the ties of their class.
    sizes = np.diff(found.offsets)[b_classes]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    where = np.arange(offsets[-1]) + np.repeat(found.offsets[b_classes] - offsets[:-1], sizes)
    return Links(
        n_a=classes.size,
        n_b=b_classes.size,
        best=members[found.best][b_classes],
        second=second[b_classes].astype(np.int64),
        score=found.score[b_classes],
        second_score=np.where(crowded, found.score, found.second_score)[b_classes],
        ties=tied_records[b_classes].astype(np.int64),
        tied_offsets=offsets,
        tied=found.tied[where].astype(np.int64),
        classes=classes,
        attributes=names,
        method=method,
    )
