"""The contract of a dissimilarity: how far apart two sequences of events are.

``dissimilarity.compare(a, b)`` prepares two collections once; the :class:`Comparison` it returns then gives any rows,
any pairs, or the whole matrix. Every dissimilarity lies between 0 (the same sequence) and 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from discreet.data.scales.scale import Scale
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import DataError, ParameterError
from discreet.registry import Registry
from discreet.typing import FloatArray, IntArray

__all__ = [
    "DISSIMILARITIES",
    "Comparison",
    "Dissimilarity",
    "MeanComparison",
    "compare_all",
    "dissimilarity_named",
    "dissimilarity_names",
    "register_dissimilarity",
]

DISSIMILARITIES: Registry[Dissimilarity] = Registry("dissimilarity")

register_dissimilarity = DISSIMILARITIES.register
dissimilarity_names = DISSIMILARITIES.names
dissimilarity_named = DISSIMILARITIES.named


class Dissimilarity(ABC):
    """How far apart two sequences are, from 0 to 1.

    Subclasses write ``prepare`` (collections to what the kernel needs) and ``run``. `properties` lists what they
    claim beyond symmetry, positivity and d(s, s) = 0, and what the common battery tests: ``"definite"`` (0 for equal
    sequences only), ``"triangle"`` (the triangle inequality) and ``"mirrored"`` (d(s, r) is d(r, s) to the last bit, so
    that one of them need not be computed).
    """

    name: ClassVar[str]
    contents: ClassVar[frozenset[str]] = frozenset({"events"})
    """What the sequences may be made of that it compares: ``"events"``, ``"items"``, ``"series"`` and their like."""
    properties: ClassVar[frozenset[str]] = frozenset()
    together: ClassVar[int] = 10_000
    """How many sequences can be compared pair by pair in about a minute, for methods that do so block by block."""
    typed_parameter: ClassVar[str] = ""
    """The one parameter, a number, that can be typed after the name and a colon."""

    @classmethod
    def examples(cls) -> list[Self]:
        """Return a few instances with typical parameters, for the common battery of tests."""
        return [cls()]

    @abstractmethod
    def prepare(self, a: EncodedSequences, b: EncodedSequences) -> Any:
        """Return what ``run`` needs of two collections."""

    @abstractmethod
    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        """Compare the sequences `which` of a with the sequences `among` of b: row by row, or one by one if `paired`."""

    def square(self, prepared: Any, n: int) -> FloatArray | None:  # noqa: ARG002 - a subclass reads them
        """Return all pairs of a collection with itself, each two compared once; None where there is no such way."""
        return None

    def comparing(self, owner: str, scale: Scale) -> Dissimilarity:
        """Return the dissimilarity of what a scale holds, or say that it cannot compare it."""
        if not self.contents & scale.answers:
            raise ParameterError(
                f"{owner}: the distance {type(self).name!r} does not compare what the scale {scale.name!r} holds.",
                hint=f"Its own is {scale.own_distance!r}.",
            )
        return self.bound_to(scale)

    def bound_to(self, scale: Scale) -> Dissimilarity:  # noqa: ARG002 - a subclass reads it
        """Return the dissimilarity of what a scale encodes, where codes alone do not say how far apart things are."""
        return self

    def compare(self, a: EncodedSequences, b: EncodedSequences | None = None) -> Comparison:
        """Prepare the comparison of two collections, or of one with itself."""
        return Comparison(self, a, a if b is None else b)

    def __call__(self, s: Any, r: Any) -> float:
        """Return the dissimilarity of two sequences of codes."""
        first, second = EncodedSequences.of([s]), EncodedSequences.of([r])
        return float(self.compare(first, second).pairs()[0])


class Comparison:
    """Two prepared collections.

    Preparing is linear in the number of events (and sorts them by event for some dissimilarities); asking for rows
    costs only their pairs, so that a method which needs one row after the other never holds a matrix.
    """

    def __init__(self, dissimilarity: Dissimilarity, a: EncodedSequences, b: EncodedSequences) -> None:
        self.dissimilarity = dissimilarity
        self.shape = (len(a), len(b))
        self._same = a is b
        self._prepared = dissimilarity.prepare(a, b)

    @property
    def mirrored(self) -> bool:
        """Whether a collection is compared with itself, and both ways give the same to the last bit."""
        return self._same and "mirrored" in type(self.dissimilarity).properties

    def rows(self, which: Any, among: Any = None) -> FloatArray:
        """Return the dissimilarities of the sequences `which` of a to `among` (default: all) of b, one row each."""
        first = self._places(which, 0)
        second = np.arange(self.shape[1], dtype=np.int64) if among is None else self._places(among, 1)
        flat = self.dissimilarity.run(self._prepared, first, second, False)
        return flat.reshape(first.size, second.size)

    def pairs(self, which: Any = None, among: Any = None) -> FloatArray:
        """Return the dissimilarity of the i-th of `which` and the i-th of `among` (default: all, in order)."""
        first = np.arange(self.shape[0], dtype=np.int64) if which is None else self._places(which, 0)
        second = np.arange(self.shape[1], dtype=np.int64) if among is None else self._places(among, 1)
        if first.size != second.size:
            raise DataError(f"{first.size} sequences cannot be compared with {second.size} one by one.")
        return self.dissimilarity.run(self._prepared, first, second, True)

    def matrix(self) -> FloatArray:
        """Return all dissimilarities, shape (n_a, n_b): 8 · n_a · n_b bytes."""
        square = self.dissimilarity.square(self._prepared, self.shape[0]) if self._same else None
        return self.rows(np.arange(self.shape[0])) if square is None else square

    def _places(self, rows: Any, side: int) -> IntArray:
        places = np.ascontiguousarray(np.atleast_1d(rows), dtype=np.int64)
        if places.size and not (places.min() >= 0 and places.max() < self.shape[side]):
            raise DataError(f"Positions must lie between 0 and {self.shape[side] - 1}.")
        return places


class MeanComparison:
    """The mean of several comparisons of the same records: sequences on several attributes taken together."""

    def __init__(self, parts: list[Comparison]) -> None:
        self._parts = parts
        self.shape = parts[0].shape

    @property
    def mirrored(self) -> bool:
        """As :attr:`Comparison.mirrored`."""
        return all(part.mirrored for part in self._parts)

    def rows(self, which: Any, among: Any = None) -> FloatArray:
        """As :meth:`Comparison.rows`."""
        return np.asarray(np.mean([part.rows(which, among) for part in self._parts], axis=0))

    def pairs(self, which: Any = None, among: Any = None) -> FloatArray:
        """As :meth:`Comparison.pairs`."""
        return np.asarray(np.mean([part.pairs(which, among) for part in self._parts], axis=0))

    def matrix(self) -> FloatArray:
        """As :meth:`Comparison.matrix`."""
        return np.asarray(np.mean([part.matrix() for part in self._parts], axis=0))


def compare_all(
    distances: Sequence[Dissimilarity], a: list[EncodedSequences], b: list[EncodedSequences] | None = None
) -> Comparison | MeanComparison:
    """Compare records on one or several sequence attributes, each by its own distance; several count alike."""
    parts = [
        distance.compare(first, None if b is None else b[p])
        for p, (distance, first) in enumerate(zip(distances, a, strict=True))
    ]
    return parts[0] if len(parts) == 1 else MeanComparison(parts)


def n_events(a: EncodedSequences, b: EncodedSequences) -> int:
    """Return how many events a table by code needs for two collections."""
    return 1 + max(int(a.codes.max(initial=-1)), int(b.codes.max(initial=-1)))


def longest(*collections: EncodedSequences) -> int:
    """Return the length of the longest sequence, 0 where there is none."""
    return max((int(c.lengths.max(initial=0)) for c in collections), default=0)
