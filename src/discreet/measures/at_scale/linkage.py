"""Linkage of tables larger than memory: distances of a sample to everybody, and agreement patterns of all pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from discreet.base import MASKED, Block, Source, TableEngine
from discreet.errors import DataError, MissingValueError, ParameterError
from discreet.kernels.nearest_list import SUMMING
from discreet.linkage.terms import doubt, grain_of, level_table
from discreet.measures.risk.directions import DIRECTIONS
from discreet.measures.risk.distance_linkage import DistanceLinkageRisk
from discreet.results import Linked, Measurement
from discreet.scales import Categorical
from discreet.schema import Schema
from discreet.typing import BoolArray, FloatArray, Json

__all__ = ["agreement_patterns", "distance_linkage"]

# Squares of smaller distances vanish.
_SMALLEST = 1e-150
# Records that questions are compared with before all are.
_SOME = 50_000
# Beyond, a tree of points saves nothing; and how many questions are compared at a time.
_TREE_DIMENSIONS, _QUESTIONS = 12, 64


@dataclass(frozen=True)
class _Space:
    """Records as points whose distances are those of the linkage: numbers in standard deviations, levels 0 to 1."""

    schema: Schema
    names: tuple[str, ...]
    middle: Mapping[str, float]
    spread: Mapping[str, float]

    def points(self, block: Block, suffix: str = "") -> FloatArray:
        columns = []
        for name in self.names:
            column, scale = block[name + suffix], self.schema[name].scale
            if not isinstance(scale, Categorical):
                columns.append(((column - self.middle[name]) / self.spread[name])[:, None])
            elif scale.ordered:
                columns.append((column / len(scale))[:, None])
            else:
                columns.append((column[:, None] == np.arange(-1, len(scale))[None, :]) * np.sqrt(0.5))
        return np.ascontiguousarray(np.concatenate(columns, axis=1).astype(np.float64))

    def slack(self, points: FloatArray, reach: FloatArray) -> FloatArray:
        """Return how far distances from points may be apart and still be equal, by the rule of the search in memory."""
        grain = np.zeros(points.shape[1])
        column = 0
        for name in self.names:
            scale = self.schema[name].scale
            if not isinstance(scale, Categorical):
                grain[column] = grain_of(np.asarray(self.middle[name]), np.asarray(self.spread[name]))
            column += 1 if not isinstance(scale, Categorical) or scale.ordered else len(scale) + 1
        parts = doubt(points, grain)
        return np.where(reach > 0.0, np.sqrt((parts * parts).sum(axis=1)) + 0.5 * SUMMING * reach, 0.0)


@dataclass(frozen=True)
class _Moments:
    """Counts, sums and squares from a point near the middle."""

    middle: Mapping[str, float]
    names: tuple[str, ...]
    codes: tuple[str, ...]

    def __call__(self, block: Block) -> Block:
        result = {}
        for name in self.names:
            x, y = block[name] - self.middle[name], block[name + MASKED]
            absent = np.isnan(x).sum() + np.isnan(y).sum()
            result[name] = np.array([x.size, np.nansum(x), np.nansum(x * x), absent])
        for name in self.codes:
            result[name] = np.array(
                [len(block[name]), 0, 0, (block[name] < 0).sum() + (block[name + MASKED] < 0).sum()]
            )
        return result


@dataclass(frozen=True)
class _Search:
    """Of every question: how many records of the original are nearer than the true one, and how many as near."""

    space: _Space
    asked: FloatArray
    reach: FloatArray

    def __call__(self, block: Block) -> Block:
        points = self.space.points(block)
        slack = self.space.slack(self.asked, self.reach)
        if points.shape[1] > _TREE_DIMENSIONS:
            return self._compared(points, slack)
        tree = cKDTree(points)
        nearest = np.empty(self.reach.size)
        for i, point in enumerate(self.asked):
            # No farther than the true record: what lies beyond does not matter.
            nearest[i] = tree.query(point, distance_upper_bound=max(self.reach[i] + slack[i], _SMALLEST))[0]
        beaten = nearest < self.reach - slack
        ties = np.zeros(self.reach.size, dtype=np.int64)
        level = np.flatnonzero(~beaten & np.isfinite(nearest))
        if level.size:
            ties[level] = tree.query_ball_point(self.asked[level], (self.reach + slack)[level], return_length=True)
        return {"beaten": beaten.astype(np.int64), "ties": ties}

    def _compared(self, points: FloatArray, slack: FloatArray) -> Block:
        """Compare everybody with everybody by products of matrices; what is too near to call, once more exactly."""
        squares, own = (points**2).sum(axis=1), (self.asked**2).sum(axis=1)
        doubt = 1e-12 * (squares.max(initial=0.0) + own.max(initial=0.0))
        beaten, ties = np.zeros(self.reach.size, dtype=np.int64), np.zeros(self.reach.size, dtype=np.int64)
        for low in range(0, self.reach.size, _QUESTIONS):
            part = slice(low, low + _QUESTIONS)
            squared = squares[None, :] - 2.0 * (self.asked[part] @ points.T) + own[part, None]
            nearest = np.maximum(self.reach[part] - slack[part], 0.0) ** 2
            beaten[part] = (squared < (nearest - doubt)[:, None]).any(axis=1)
            for row in np.flatnonzero(beaten[part] == 0):
                i = low + row
                near = points[squared[row] <= (self.reach[i] + slack[i]) ** 2 + doubt]
                distances = np.sqrt(((near - self.asked[i]) ** 2).sum(axis=1))
                beaten[i] = (distances < self.reach[i] - slack[i]).any()
                ties[i] = 0 if beaten[i] else (distances <= self.reach[i] + slack[i]).sum()
        return {"beaten": beaten, "ties": ties}


def distance_linkage(
    original: Source,
    masked: Source,
    engine: TableEngine,
    *,
    sample: int = 2_000,
    seed: int = 0,
    among: Sequence[str] | None = None,
) -> list[Measurement]:
    """Return the share of records that are re-identified by their nearest original, from a sample of the release.

    The intruder uses every key, or those `among` some.

    Every record of the sample is compared with the whole original, and its person with the whole release; the worse of
    the two directions counts. A link is wrong as soon as somebody is nearer than the true record, and shared where
    others are as near. With `sample` at least the number of records the result is
    exact; below, `details` holds the 95 % Wilson interval, which is what the sentence states.

    Notes
    -----
    O(sample · log(batch)) for every batch of the original, more where masking moved records far. Keys with a missing
    value, with levels that masking changed, or on a scale with a meaning of its own are not compared; `details` says
    which. Without any key left, nothing is returned.
    """
    measure = DistanceLinkageRisk()
    n = len(original)
    known = tuple(name for name in original.schema.keys if among is None or name in among)
    keys = [name for name in known if name in masked.schema and _embeds(original, masked, name)]
    sampled = engine.sample(engine.open(original, keys), 10_000, n, seed) if keys else {}
    numbers = original.schema.of_scale("numeric", among=keys)
    middle = {name: float(np.nanmean(sampled[name])) for name in numbers if not np.isnan(sampled[name]).all()}
    keys = [name for name in keys if name in middle or name not in numbers]
    if not keys:
        return []
    rows = engine.pair(original, masked, keys)
    codes = tuple(name for name in keys if name not in numbers)
    moments = engine.fold(rows, _Moments(middle, tuple(middle), codes))
    whole = tuple(name for name in keys if moments[name][3] == 0 or not _needs_all(original, name))
    if not whole:
        raise MissingValueError("Distance-based linkage: every key has missing values.")
    gaps = any(moments[name][3] > 0 for name in whole)
    spread = {}
    for name in middle:
        count, total, squares, _ = moments[name]
        deviation = float(np.sqrt(max(squares / count - (total / count) ** 2, 0.0)))
        spread[name] = deviation if deviation > 0 else 1.0
    space = _Space(original.schema, whole, middle, spread)
    questions = engine.sample(rows, sample, n, seed + 1)
    released, true = space.points(questions, MASKED), space.points(questions)
    reach = np.sqrt(((released - true) ** 2).sum(axis=1))
    # Of every released record whose it is, among the original; of every person which record is theirs, in the release.
    linked = {
        "release": _asked(engine, original, n, whole, _Search(space, released, reach), seed + 2),
        "original": _asked(engine, masked, n, whole, _Search(space, true, reach), seed + 2),
    }
    direction = max(DIRECTIONS, key=lambda name: linked[name].rate)
    m = reach.size
    of = f"all {n} records" if m == n else f"a sample of {m} of {n} records"
    low, high = linked[direction].interval()
    bound = "" if m == n else f" The rate is between {100 * low:.1f} and {100 * high:.1f} % with 95 % confidence."
    left_out = [name for name in known if name not in whole]
    remarks = f"{bound} Compared: {of}, each with everybody."
    if gaps:
        remarks += " A missing cell counts as a value of its own."
    if left_out:
        verb = "was" if len(left_out) == 1 else "were"
        without = f"Of {len(known)} keys {', '.join(left_out)} {verb} left out"
        remarks += f" {without}: they have gaps, or no distances of points; who uses them too may find more."
    details: Json = {
        "known": list(whole),
        "not_compared": left_out,
        "complete": not left_out,
        "exact": m == n,
    }
    keys_known = "1 true key" if len(whole) == 1 else f"{len(whole)} true keys"
    return [measure.told(f"An intruder who knows {keys_known} of everybody", linked, direction, details, remarks)]


def _asked(
    engine: TableEngine, candidates: Source, n: int, names: tuple[str, ...], search: _Search, seed: int
) -> Linked:
    """Return how often the true record is the nearest of all candidates, ties shared."""
    rows = engine.open(candidates, names)
    # Most wrong links are shown to be wrong by some of the records; only the others are compared with all.
    right = search(engine.sample(rows, _SOME, n, seed))["beaten"] == 0
    ties = np.zeros(right.size, dtype=np.int64)
    if right.any():
        found = engine.fold(rows, _Search(search.space, search.asked[right], search.reach[right]))
        ties[right] = found["ties"]
        right[right] = found["beaten"] == 0
    chance = np.where(right, 1.0 / np.maximum(ties, 1), 0.0)
    alone = right & (ties == 1)
    return Linked(float(chance.sum()), int(right.sum()), int(alone.sum()), right.size, right.size / n, chance)


def _embeds(original: Source, masked: Source, name: str) -> bool:
    """Say whether points can have the distances of an attribute."""
    first, second = original.schema[name].scale, masked.schema[name].scale
    if first.kind == "sequence" or first != second:
        return False
    if not isinstance(first, Categorical) or not isinstance(second, Categorical):
        return True
    codes = np.arange(len(first), dtype=np.int64)
    apart = np.abs(codes[:, None] - codes) / len(first) if first.ordered else (codes[:, None] != codes).astype(float)
    return bool(np.allclose(level_table(first, second)[:-1, :-1], apart))


def _needs_all(original: Source, name: str) -> bool:
    """Say whether a missing value has no place among the points: it has one on an unordered scale."""
    scale = original.schema[name].scale
    return not isinstance(scale, Categorical) or scale.ordered


def agreement_patterns(a: Source, b: Source, names: Sequence[str], engine: TableEngine) -> dict[tuple[bool, ...], int]:
    """Count, over all pairs of records of two tables, on which attributes they agree.

    Pairs that agree at least on a set of attributes are counted from the counts of its combinations in both tables
    (grouping sets), Σ f_a · f_b; those that agree on no others follow by inclusion and exclusion. A missing value
    agrees with nothing.

    Parameters
    ----------
    a, b : Source
        Two tables with the attributes `names` on the same scales.
    names : sequence of str
        At most 12; all their sets are counted.

    Returns
    -------
    dict of tuple of bool to int
        By pattern, in the order of `names`; the counts sum to n_a · n_b.
    """
    chosen = tuple(names)
    if not 1 <= len(chosen) <= 12:
        raise ParameterError(f"agreement_patterns: names must be 1 to 12 attributes; got {len(chosen)}.")
    for name in chosen:
        if a.schema[name].scale != b.schema[name].scale:
            raise DataError(f"Attribute {name!r} has different scales or levels in the two tables.")
    sets = [s for size in range(1, len(chosen) + 1) for s in combinations(chosen, size)]
    first = engine.count_sets(engine.open(a, chosen), sets)
    second = engine.count_sets(engine.open(b, chosen), sets)
    at_least = {
        tuple(name in s for name in chosen): _agreeing(s, x, y) for s, x, y in zip(sets, first, second, strict=True)
    }
    at_least[(False,) * len(chosen)] = len(a) * len(b)
    result = {}
    for pattern in at_least:
        total = 0
        for other, count in at_least.items():
            if all(o or not p for o, p in zip(other, pattern, strict=True)):
                total += (-1) ** (sum(other) - sum(pattern)) * count
        result[pattern] = total
    return result


def _agreeing(names: Sequence[str], first: Block, second: Block) -> int:
    tables = []
    for found in (first, second):
        present = np.ones(len(found["#count"]), dtype=np.bool_)
        for name in names:
            present &= _present(found[name])
        tables.append({name: column[present] for name, column in found.items()})
    rows = np.concatenate([np.stack([t[name].astype(np.float64) for name in names], axis=1) for t in tables])
    _, place = np.unique(rows, axis=0, return_inverse=True)
    place = place.ravel()
    size = int(place.max(initial=-1)) + 1
    counts: list[Any] = []
    for table, part in zip(tables, (place[: len(tables[0]["#count"])], place[len(tables[0]["#count"]) :]), strict=True):
        whole = np.zeros(size, dtype=np.int64)
        np.add.at(whole, part, table["#count"])
        counts.append(whole)
    # Python's own integers: products of two large tables do not fit into 64 bits.
    return sum(int(x) * int(y) for x, y in zip(*counts, strict=True) if x and y)


def _present(column: Any) -> BoolArray:
    return np.asarray(column >= 0 if column.dtype.kind == "i" else ~np.isnan(column))
