"""What the distances of two files are measured by, fixed before the first record is compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.errors import DataError, MissingValueError
from discreet.linkage.shared.coordinates import BothSpreads, Coordinates, Spread
from discreet.linkage.shared.level_terms import LevelSteps, as_seen, level_steps, level_table, unchanged_steps
from discreet.linkage.shared.terms import Terms
from discreet.typing import BoolArray, CodeArray, FloatArray, LevelArray

__all__ = ["Side", "Yardstick", "prepare", "yardstick"]

_FEW_CELLS = 1 << 20
"""Pairs of levels up to which a table of them is made; beyond, only where their distances are no steps."""
_MOST_CELLS = 100_000_000
"""Beyond so many, none is made at all."""


class Side(NamedTuple):
    """Records of one file: categories as codes, numbers as coordinates."""

    codes: LevelArray
    points: FloatArray


@dataclass(frozen=True, repr=False)
class Yardstick:
    """What the distances of two files are measured by: small, the same for every block of either file.

    Attributes
    ----------
    categories, numbers : tuple of str
    tables : tuple of (levels of B, levels of A) float64, or of (steps,) float64
        By category, then by gap, the term of two codes, or by how far two places are apart.
    coordinates : Coordinates
        Of the numbers.
    metric : int
        As in `Terms`.
    levels : tuple of pair of int
        By category, the number of levels in A and in B.
    places : tuple of pair of (levels + 1,) int32, or None
        By category, where the levels of A and of B lie, if terms go by their places.
    gaps : tuple of str
        Numbers of which some are missing: a gap is the mean, and a category says where it is.
    """

    categories: tuple[str, ...]
    numbers: tuple[str, ...]
    tables: tuple[FloatArray, ...]
    coordinates: Coordinates
    metric: int
    levels: tuple[tuple[int, int], ...]
    places: tuple[tuple[CodeArray, CodeArray] | None, ...]
    gaps: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that distances are made of."""
        return (*self.categories, *self.numbers)

    def side(self, data: Microdata, which: int) -> Side:
        """Return records of the first (0) or the second file (1) as codes and coordinates."""
        codes = [
            # A missing value is −1, and the last place is its own.
            _present(data.encoded(name), levels[which]) if places is None else places[which][data.encoded(name)]
            for name, levels, places in zip(self.categories, self.levels, self.places, strict=True)
        ]
        flags = [np.isnan(data.encoded(name)).astype(np.uint8) for name in self.gaps]
        numbers = data.numeric(self.numbers)
        if self.gaps:
            numbers = np.where(np.isnan(numbers), self.coordinates.middle, numbers)
        return Side(_stacked([*codes, *flags], len(data)), self.coordinates.of(numbers))

    def reading_gaps(self, names: tuple[str, ...], middle: FloatArray) -> Yardstick:
        """Return the same for files in which some numbers have gaps, which are read as the `middle` of their column.

        It must have been made of the spreads of files whose gaps are filled so. A category says where a gap is.
        """
        if not names:
            return self
        tables = (*self.tables, *[1.0 - np.eye(2)] * len(names))
        return replace(self, tables=tables, gaps=names, coordinates=replace(self.coordinates, middle=middle))

    def terms(self, a: Side, b: Side) -> Terms:
        """Return records of both files as the search sees them."""
        names = (*self.categories, *(f"{name} is missing" for name in self.gaps))
        metric, grain = self.metric, self.coordinates.grain
        return Terms(names, self.numbers, a.codes, b.codes, a.points, b.points, self.tables, metric, grain)


def yardstick(
    owner: str,
    schemas: tuple[Schema, Schema],
    spreads: BothSpreads,
    names: tuple[str, ...],
    metric: str = "euclidean",
    weights: Mapping[str, float] | None = None,
    possible: Mapping[str, BoolArray] | None = None,
    *,
    unchanged: Collection[str] = (),
    flag_gaps: bool = False,
) -> Yardstick:
    """Standardise numbers, tabulate categories, and say what is impossible.

    Parameters
    ----------
    owner : str
        Who asks, for error messages.
    schemas : pair of Schema
        Of A and of B.
    spreads : BothSpreads
        Of the numbers among `names`, in the order of the schema of A.
    possible : mapping of name to (levels of A, levels of B) bool
        What the masking can turn a level into; everything else becomes infinitely far.
    unchanged : collection of name
        Categories with the same levels in both files that the masking left alone: others are infinitely far.
    flag_gaps : bool
        Whether a missing number is read as the mean of the first file, with a category that says so, or refused.
    """
    numbers = schemas[0].of_scale("numeric", among=names)
    categories = schemas[0].of_scale("ordinal", "nominal", among=names)
    kind = {"euclidean": 0, "mahalanobis": 0, "manhattan": 1, "max": 2}[metric]
    factor = {name: float((weights or {}).get(name, 1.0)) for name in names}
    first, second = spreads.first, spreads.second
    absent = first.absent + second.absent
    gaps = tuple(name for name, count in zip(numbers, absent, strict=True) if count)
    if gaps and not (flag_gaps and metric != "mahalanobis"):
        raise MissingValueError(
            f"{owner}: column {gaps[0]!r} has {absent[numbers.index(gaps[0])]} missing values in the two files.",
            hint="Leave the column out of attributes.",
        )
    if gaps:
        first, second = first.filled(), second.filled()
    by = np.array([np.sqrt(factor[name]) if kind == 0 else factor[name] for name in numbers])
    possible = possible or {}
    scales = {name: _scales(owner, schemas, name) for name in categories}
    steps = {name: None if name in possible else _steps(*scales[name], name in unchanged) for name in categories}
    cells = sum(_pairs(*scales[name]) for name in categories if steps[name] is None) + 4 * len(gaps)
    if cells > _MOST_CELLS:
        raise DataError(
            f"{owner}: the categories have too many levels to compare each with each ({cells} pairs of levels).",
            hint="Leave the attribute with the most levels out of attributes.",
        )
    tables = []
    for name in categories:
        line = steps[name]
        term = level_table(*scales[name]) if line is None else line.distances
        if kind == 0:
            term *= term
        term *= factor[name]
        if line is None and (name in possible or name in unchanged):
            allowed = possible[name] if name in possible else np.eye(len(term), dtype=np.bool_)
            term[~as_seen(allowed, term.shape)] = np.inf
        tables.append(np.ascontiguousarray(term.T))
    tables += [1.0 - np.eye(2)] * len(gaps)
    return Yardstick(
        categories,
        numbers,
        tuple(tables),
        Coordinates.after(first, second, by, whiten=metric == "mahalanobis"),
        kind,
        tuple((len(one), len(other)) for one, other in scales.values()),
        tuple(None if line is None else (line.a_places, line.b_places) for line in steps.values()),
        gaps,
    )


def _scales(owner: str, schemas: tuple[Schema, Schema], name: str) -> tuple[Categorical, Categorical]:
    first, second = schemas[0][name].scale, schemas[1][name].scale
    if not isinstance(first, Categorical) or not isinstance(second, Categorical):
        raise DataError(f"{owner}: attribute {name!r} has no levels.")
    return first, second


def _pairs(first: Categorical, second: Categorical) -> int:
    return (len(first) + 1) * (len(second) + 1)


def _steps(first: Categorical, second: Categorical, unchanged: bool) -> LevelSteps | None:
    """Return the levels of a category as places, where they are too many for a table and lie on a line."""
    if _pairs(first, second) <= _FEW_CELLS:
        return None
    return unchanged_steps(len(first)) if unchanged else level_steps(first, second)


def prepare(
    owner: str,
    a: Microdata,
    b: Microdata,
    names: tuple[str, ...],
    metric: str = "euclidean",
    weights: Mapping[str, float] | None = None,
    possible: Mapping[str, BoolArray] | None = None,
    *,
    unchanged: Collection[str] = (),
) -> Terms:
    """Return two whole files as the search sees them; the parameters are those of `yardstick`."""
    numbers = a.schema.of_scale("numeric", among=names)
    spreads = BothSpreads(Spread.of(a.numeric(numbers)), Spread.of(b.numeric(numbers)))
    measured = yardstick(owner, (a.schema, b.schema), spreads, names, metric, weights, possible, unchanged=unchanged)
    return measured.terms(measured.side(a, 0), measured.side(b, 1))


def _stacked(columns: Sequence[LevelArray], n: int) -> LevelArray:
    """Return columns side by side, each in one piece of memory: what is done with them goes column by column."""
    if not columns:
        return np.empty((n, 0), dtype=np.int32)
    widest = max((column.dtype for column in columns), key=lambda dtype: dtype.itemsize)
    result = np.empty((len(columns), n), dtype=widest)
    for place, column in enumerate(columns):
        result[place] = column
    return result.T


def _present(codes: CodeArray, missing: int) -> LevelArray:
    # Few levels need few bytes: a million records of ten attributes take 10 MB, not 40.
    return np.where(codes < 0, np.int32(missing), codes).astype(np.uint8 if missing < 256 else np.int32)
