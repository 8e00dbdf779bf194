"""What each attribute contributes to the distance of two records, prepared for the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.errors import DataError, MissingValueError
from discreet.linkage.pattern_links import Classes
from discreet.linkage.patterns import Words, distinct_rows
from discreet.microdata import Microdata
from discreet.scales import Categorical, Ordinal
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray, LevelArray

__all__ = ["METRICS", "Terms", "as_seen", "classes_of", "doubt", "grain_of", "level_table", "packed", "prepare"]

METRICS = ("euclidean", "mahalanobis", "manhattan", "max")

_MOST_CELLS = 100_000_000
_UNIT = 2.0**-52


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


def prepare(
    owner: str,
    a: Microdata,
    b: Microdata,
    names: tuple[str, ...],
    metric: str = "euclidean",
    weights: Mapping[str, float] | None = None,
    possible: Mapping[str, BoolArray] | None = None,
) -> Terms:
    """Standardise numbers, tabulate categories, and say what is impossible.

    Parameters
    ----------
    owner : str
        Who asks, for error messages.
    possible : mapping of name to (levels of A, levels of B) bool
        What the masking can turn a level into; everything else becomes infinitely far.
    """
    numbers = a.schema.of_scale("numeric", among=names)
    categories = a.schema.of_scale("ordinal", "nominal", among=names)
    kind = {"euclidean": 0, "mahalanobis": 0, "manhattan": 1, "max": 2}[metric]
    factor = {name: float((weights or {}).get(name, 1.0)) for name in names}
    first, second, grain = _standardised(owner, a, b, numbers, whiten=metric == "mahalanobis")
    scale = np.array([np.sqrt(factor[name]) if kind == 0 else factor[name] for name in numbers])
    tables, a_codes, b_codes = [], [], []
    for name in categories:
        distances, a_code, b_code = _coded(owner, a, b, name)
        term = factor[name] * (distances**2 if kind == 0 else distances)
        allowed = (possible or {}).get(name)
        if allowed is not None:
            term = np.where(as_seen(allowed, term.shape), term, np.inf)
        tables.append(term)
        a_codes.append(a_code)
        b_codes.append(b_code)
    if sum(t.size for t in tables) > _MOST_CELLS:
        raise DataError(
            f"{owner}: the categories have too many levels to compare each with each "
            f"({sum(t.size for t in tables)} pairs of levels).",
            hint="Leave the attribute with the most levels out of attributes.",
        )
    return Terms(
        categories,
        numbers,
        _stacked(a_codes, len(a)),
        _stacked(b_codes, len(b)),
        np.ascontiguousarray(first * scale),
        np.ascontiguousarray(second * scale),
        tuple(np.ascontiguousarray(t.T) for t in tables),
        kind,
        grain * scale,
    )


def _stacked(columns: Sequence[LevelArray], n: int) -> LevelArray:
    """Return columns side by side, each in one piece of memory: what is done with them goes column by column."""
    if not columns:
        return np.empty((n, 0), dtype=np.int32)
    widest = max((column.dtype for column in columns), key=lambda dtype: dtype.itemsize)
    result = np.empty((len(columns), n), dtype=widest)
    for place, column in enumerate(columns):
        result[place] = column
    return result.T


def as_seen(allowed: BoolArray, shape: tuple[int, ...]) -> BoolArray:
    """Fit a transition matrix to a table that has a row and a column for the missing value."""
    if allowed.shape == shape:
        return allowed
    result = np.zeros(shape, dtype=np.bool_)
    result[: allowed.shape[0], : allowed.shape[1]] = allowed
    # A matrix that does not speak of missing values: one stays missing, and any value may have been suppressed.
    result[:, -1] = True
    return result


def _standardised(
    owner: str, a: Microdata, b: Microdata, names: tuple[str, ...], *, whiten: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    first, second = a.numeric(names), b.numeric(names)
    for j, name in enumerate(names):
        absent = int(np.isnan(first[:, j]).sum() + np.isnan(second[:, j]).sum())
        if absent:
            raise MissingValueError(
                f"{owner}: column {name!r} has {absent} missing values in the two files.",
                hint="Leave the column out of attributes.",
            )
    if not names:
        return first, second, np.zeros(0)
    # The intruder standardises with what he holds; his middle is taken off both, which changes no difference.
    middle = first.mean(axis=0)
    first, second = first - middle, second - middle
    spread = first.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    first, second = first / spread, second / spread
    grain = grain_of(middle, spread)
    if whiten:
        covariance = np.atleast_2d(first.T @ first / len(first))
        values, vectors = np.linalg.eigh(covariance)
        # A direction in which the file does not vary has no distance.
        root = np.where(values > 1e-12 * values.max(), 1.0 / np.sqrt(np.maximum(values, 1e-300)), 0.0)
        # A direction mixes the columns, and what rounding did to the largest of each.
        largest = np.maximum(np.abs(first).max(axis=0), np.abs(second).max(axis=0))
        grain = doubt(largest, grain) @ np.abs(vectors * root)
        first, second = first @ (vectors * root), second @ (vectors * root)
    return first, second, grain


def grain_of(middle: FloatArray, spread: FloatArray) -> FloatArray:
    """Return by column what rounding of the numbers themselves, which lie about `middle`, does to coordinates.

    A released mean is off by half a unit in the last place: nearer to one original by it, and farther from another.
    """
    return np.asarray(2.0 * _UNIT * np.abs(middle) / spread)


def doubt(coordinates: FloatArray, grain: FloatArray) -> FloatArray:
    """Return by coordinate how far two differences from it may be apart by rounding alone.

    Centring, scaling and weighing round three coordinates, which lie within the distance of each other; what grows
    with the distance itself is in the rounding of the sum.
    """
    return np.asarray(grain + 9.0 * _UNIT * np.abs(coordinates))


def _coded(owner: str, a: Microdata, b: Microdata, name: str) -> tuple[FloatArray, LevelArray, LevelArray]:
    """Return the distances of the levels of A (rows) to those of B; the missing value comes after the last."""
    first, second = a.schema[name].scale, b.schema[name].scale
    if not isinstance(first, Categorical) or not isinstance(second, Categorical):
        raise DataError(f"{owner}: attribute {name!r} has no levels.")
    return level_table(first, second), _present(a.encoded(name), len(first)), _present(b.encoded(name), len(second))


def _present(codes: CodeArray, missing: int) -> LevelArray:
    # Few levels need few bytes: a million records of ten attributes take 10 MB, not 40.
    return np.where(codes < 0, np.int32(missing), codes).astype(np.uint8 if missing < 256 else np.int32)


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
    known = [position.get(level, -1) for level in b.levels]
    result = np.full((len(a) + 1, len(b) + 1), own[:, -1:])
    result[-1, -1] = own[-1, -1]
    for j, i in enumerate(known):
        if i >= 0:
            result[:, j] = own[:, i]
        elif isinstance(a, Ordinal) and isinstance(b, Ordinal):
            before = max([k for k in known[:j] if k >= 0], default=-1)
            after = min([k for k in known[j + 1 :] if k >= 0], default=len(a))
            stands_for = [k for k in range(before + 1, after) if k not in known]
            if stands_for:
                result[:, j] = own[:, stands_for].mean(axis=1)
                result[stands_for, j] = 0.0
            else:
                result[:-1, j] = own[:-1, :-1].max(initial=1.0)
        else:
            result[:-1, j] = 1.0
    return result


def classes_of(codes: LevelArray, numbers: FloatArray) -> Classes:
    """Return the distinct records of a file, in order of appearance."""
    # Adding zero turns −0.0 into 0.0; after that equal numbers have equal bits.
    words = [*packed(codes), *(numbers + 0.0).view(np.uint64).T]
    if not words:
        words = [np.zeros(len(codes), dtype=np.uint64)]
    return Classes(*distinct_rows(np.ascontiguousarray(np.stack(words, axis=1))))


def packed(codes: LevelArray) -> list[Words]:
    """Return codes side by side in as few 64-bit words as they need, the first column in the highest bits."""
    words: list[Words] = []
    used = 64
    for column in codes.T:
        width = max(1, int(column.max(initial=0)).bit_length())
        used += width
        if used > 64:
            words.append(np.zeros(len(codes), dtype=np.uint64))
            used = width
        words[-1] <<= np.uint64(width)
        words[-1] |= column.astype(np.uint64)
    return words
