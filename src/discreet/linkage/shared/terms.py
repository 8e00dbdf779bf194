"""What each attribute contributes to the distance of two records, prepared for the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.linkage.shared.coordinates import doubt
from discreet.typing import FloatArray, IntArray, LevelArray

__all__ = ["METRICS", "Terms"]

METRICS = ("euclidean", "mahalanobis", "manhattan", "max")


@dataclass(frozen=True, repr=False)
class Terms:
    """Two files as the search sees them: categories as codes with tables of terms, numbers as coordinates.

    Attributes
    ----------
    categories, numbers : tuple of str
    a_codes, b_codes : (n, categories) uint8 or int32, column by column in memory
    a_numbers, b_numbers : (n, numbers) float64
    tables : tuple of (levels of B, levels of A) float64, or of (steps,) float64
        By category, the term of two codes; of a category with many levels, whose codes are places, the term by how far
        two places are apart, which never falls.
    metric : int
        0 square root of a sum of squares, 1 sum, 2 largest.
    grain : (numbers,) float64
        How exactly a coordinate can be told, after rounding of the values that it comes from.
    """

    categories: tuple[str, ...]
    numbers: tuple[str, ...]
    a_codes: LevelArray
    b_codes: LevelArray
    a_numbers: FloatArray
    b_numbers: FloatArray
    tables: tuple[FloatArray, ...]
    metric: int
    grain: FloatArray = field(default_factory=lambda: np.zeros(0))

    def swapped(self) -> Terms:
        """Return the same terms with the files in each other's place: every distance stays what it was."""
        return Terms(
            self.categories,
            self.numbers,
            self.b_codes,
            self.a_codes,
            self.b_numbers,
            self.a_numbers,
            tuple(np.ascontiguousarray(table.T) for table in self.tables),
            self.metric,
            self.grain,
        )

    def scores(self, terms: FloatArray) -> FloatArray:
        """Turn sums of terms into distances."""
        return np.sqrt(terms) if self.metric == 0 else terms

    def slack(self, rows: IntArray | slice) -> FloatArray:
        """Return what rounding of coordinates explains of the distances of some records of B."""
        parts = doubt(self.b_numbers[rows], self.grain)
        if self.metric == 0:
            return np.asarray(np.sqrt((parts * parts).sum(axis=1)))
        return np.asarray(parts.sum(axis=1) if self.metric == 1 else parts.max(axis=1, initial=0.0))

    def between(self, p: int, b_codes: LevelArray, a_codes: LevelArray) -> FloatArray:
        """Return the terms of one category, of codes of B and codes of A that broadcast."""
        table = self.tables[p]
        if table.ndim == 2:
            return np.asarray(table[b_codes, a_codes])
        return np.asarray(table[np.abs(b_codes.astype(np.int64) - a_codes)])

    def sums(self, b_rows: IntArray, a_rows: IntArray) -> FloatArray:
        """Return the sums of terms of records of B and records of A, pair by pair, as the search adds them up."""
        total = np.zeros(b_rows.size)
        for p in range(len(self.tables)):
            term = self.between(p, self.b_codes[b_rows, p], self.a_codes[a_rows, p])
            total = np.maximum(total, term) if self.metric == 2 else total + term
        for p in range(self.a_numbers.shape[1]):
            gap = np.abs(self.a_numbers[a_rows, p] - self.b_numbers[b_rows, p])
            total = np.maximum(total, gap) if self.metric == 2 else total + (gap * gap if self.metric == 0 else gap)
        return total

    def flattened(self, dimensions: int, order: Sequence[int] | None = None) -> tuple[FloatArray, IntArray, IntArray]:
        """Return the tables of terms one after the other, where each starts, and how many codes of A it has.

        None, where terms follow from how far codes are apart.
        """
        tables = [self.tables[p] for p in (range(len(self.tables)) if order is None else order)]
        flat = np.concatenate([np.empty(0), *(t.ravel() for t in tables)])
        starts = np.full(dimensions + 1, flat.size, dtype=np.int64)
        starts[: len(tables)] = np.cumsum([0, *(t.size for t in tables)])[:-1]
        return flat, starts, np.array([t.shape[1] if t.ndim == 2 else 0 for t in tables], dtype=np.int64)

    def matrix(self, rows: slice | IntArray) -> FloatArray:
        """Return the sums of terms of some records of B (rows) to every record of A, a dense block."""
        total = np.zeros((len(self.b_codes[rows]), len(self.a_codes)))
        for p in range(len(self.tables)):
            term = self.between(p, self.b_codes[rows, p][:, None], self.a_codes[:, p][None, :])
            total = np.maximum(total, term) if self.metric == 2 else total + term
        for p in range(self.a_numbers.shape[1]):
            gap = np.abs(self.a_numbers[:, p][None, :] - self.b_numbers[rows, p][:, None])
            if self.metric == 2:
                total = np.maximum(total, gap)
            else:
                total += gap * gap if self.metric == 0 else gap
        return total
