"""What each attribute contributes to the distance of two records, prepared for the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.data.scales import Categorical, Ordinal
from discreet.linkage.shared.coordinates import doubt
from discreet.typing import BoolArray, FloatArray, IntArray, LevelArray

__all__ = ["METRICS", "Terms", "as_seen", "level_table"]

METRICS = ("euclidean", "mahalanobis", "manhattan", "max")


@dataclass(frozen=True, repr=False)
class Terms:
    """Two files as the search sees them: categories as codes with tables of terms, numbers as coordinates.

    Attributes
    ----------
    categories, numbers : tuple of str
    a_codes, b_codes : (n, categories) uint8 or int32, column by column in memory
    a_numbers, b_numbers : (n, numbers) float64
    tables : tuple of (levels of B, levels of A) float64
        By category, the term of two codes.
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

    def sums(self, b_rows: IntArray, a_rows: IntArray) -> FloatArray:
        """Return the sums of terms of records of B and records of A, pair by pair, as the search adds them up."""
        total = np.zeros(b_rows.size)
        for p, table in enumerate(self.tables):
            term = table[self.b_codes[b_rows, p], self.a_codes[a_rows, p]]
            total = np.maximum(total, term) if self.metric == 2 else total + term
        for p in range(self.a_numbers.shape[1]):
            gap = np.abs(self.a_numbers[a_rows, p] - self.b_numbers[b_rows, p])
            total = np.maximum(total, gap) if self.metric == 2 else total + (gap * gap if self.metric == 0 else gap)
        return total

    def flattened(self, dimensions: int, order: Sequence[int] | None = None) -> tuple[FloatArray, IntArray, IntArray]:
        """Return the tables of terms one after the other, where each starts, and how many codes of A it has."""
        tables = [self.tables[p] for p in (range(len(self.tables)) if order is None else order)]
        flat = np.concatenate([np.empty(0), *(t.ravel() for t in tables)])
        starts = np.full(dimensions + 1, flat.size, dtype=np.int64)
        starts[: len(tables)] = np.cumsum([0, *(t.size for t in tables)])[:-1]
        return flat, starts, np.array([t.shape[1] for t in tables], dtype=np.int64)

    def matrix(self, rows: slice | IntArray) -> FloatArray:
        """Return the sums of terms of some records of B (rows) to every record of A, a dense block."""
        total = np.zeros((len(self.b_codes[rows]), len(self.a_codes)))
        for p, table in enumerate(self.tables):
            term = table[self.b_codes[rows, p][:, None], self.a_codes[:, p][None, :]]
            total = np.maximum(total, term) if self.metric == 2 else total + term
        for p in range(self.a_numbers.shape[1]):
            gap = np.abs(self.a_numbers[:, p][None, :] - self.b_numbers[rows, p][:, None])
            if self.metric == 2:
                total = np.maximum(total, gap)
            else:
                total += gap * gap if self.metric == 0 else gap
        return total


def as_seen(allowed: BoolArray, shape: tuple[int, ...]) -> BoolArray:
    """Fit a transition matrix to a table that has a row and a column for the missing value."""
    if allowed.shape == shape:
        return allowed
    result = np.zeros(shape, dtype=np.bool_)
    result[: allowed.shape[0], : allowed.shape[1]] = allowed
    # A matrix that does not speak of missing values: one stays missing, and any value may have been suppressed.
    result[:, -1] = True
    return result


def level_table(a: Categorical, b: Categorical) -> FloatArray:
    """Return the distance of every level of `a` to every level of `b`, the missing value last in both.

    Distances beyond 1, which an ordinal scale with a meaning of its own may have, are divided by the largest, so that
    every attribute counts alike. Levels are recognised by name. A level that only `b` has is, on an ordered scale,
    where the levels of `a` are that it stands for: those that `b` lacks between its neighbours. On an unordered scale
    it is different from everything.
    """
    codes = np.append(np.arange(len(a), dtype=np.int32), np.int32(-1))
    own = a.distance(codes[:, None], codes[None, :])
    if own.max(initial=0.0) > 1.0:
        own = own / own.max()
    if a.levels == b.levels:
        return own
    position = {level: i for i, level in enumerate(a.levels)}
    counterpart = [position.get(level, -1) for level in b.levels]
    result = np.full((len(a) + 1, len(b) + 1), own[:, -1:])
    result[-1, -1] = own[-1, -1]
    for j, i in enumerate(counterpart):
        if i >= 0:
            result[:, j] = own[:, i]
        elif isinstance(a, Ordinal) and isinstance(b, Ordinal):
            before = max([k for k in counterpart[:j] if k >= 0], default=-1)
            after = min([k for k in counterpart[j + 1 :] if k >= 0], default=len(a))
            stands_for = [k for k in range(before + 1, after) if k not in counterpart]
            if stands_for:
                result[:, j] = own[:, stands_for].mean(axis=1)
                result[stands_for, j] = 0.0
            else:
                result[:-1, j] = own[:-1, :-1].max(initial=1.0)
        else:
            result[:-1, j] = 1.0
    return result
