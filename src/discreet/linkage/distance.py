"""Distance-based record linkage: every released record belongs to the nearest original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from discreet.base import Engine, Linker, register
from discreet.errors import DataError, MissingValueError
from discreet.kernels.nearest import nearest_two, tied_with_nearest
from discreet.microdata import Microdata
from discreet.parameters import Constraint, Names, Optional
from discreet.progress import report
from discreet.results import Links
from discreet.scales import Categorical
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["DistanceLinkage"]

_BLOCK = 1024


@register("distance")
class DistanceLinkage(Linker):
    """Link each record to the nearest one over all pairs.

    The squared distance is a sum over attributes: numbers differ by their difference in standard deviations of the
    first file, ordered levels by their positions divided by the number of levels, unordered ones by 0 or 1. Every
    attribute counts alike.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default the keys that both files have.

    Notes
    -----
    Exact: all pairs are compared, O(n_a · n_b · attributes), in blocks; memory is linear. The records of the first file
    that are equal on the attributes are one class, so a tie among them costs nothing. Ties go to the lowest position. A
    missing category is a category of its own; missing numbers are refused.

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
    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names())}

    def __init__(self, *, attributes: Sequence[str] | None = None) -> None:
        self.attributes = attributes

    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        a_numbers, b_numbers = _standardised_together(a, b, a.schema.of_scale("numeric", among=names))
        categorical = a.schema.of_scale("ordinal", "nominal", among=names)
        a_codes, b_codes, table = _codes_and_table(a, b, categorical)
        classes, members, counts = _distinct(a_numbers, a_codes)
        found = _search(a_numbers[members], a_codes[members], b_numbers, b_codes, table, engine)
        return _links(found, classes, members, counts, names, len(b), type(self).name)


def _standardised_together(a: Microdata, b: Microdata, names: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    first, second = a.numeric(names), b.numeric(names)
    for j, name in enumerate(names):
        absent = int(np.isnan(first[:, j]).sum() + np.isnan(second[:, j]).sum())
        if absent:
            raise MissingValueError(
                f"DistanceLinkage: column {name!r} has {absent} missing values in the two files.",
                hint="Leave the column out of attributes.",
            )
    # The intruder standardises with what he holds; his middle is taken off both, which changes no difference.
    middle = first.mean(axis=0) if len(first) else 0.0
    spread = (first - middle).std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    return np.ascontiguousarray((first - middle) / spread), np.ascontiguousarray((second - middle) / spread)


def _codes_and_table(a: Microdata, b: Microdata, names: tuple[str, ...]) -> tuple[CodeArray, CodeArray, FloatArray]:
    scales = [a.schema[name].scale for name in names]
    most = max((len(scale) for scale in scales if isinstance(scale, Categorical)), default=0)
    table = np.zeros((len(names), most + 1, most + 1))
    sizes = []
    for p, scale in enumerate(scales):
        if not isinstance(scale, Categorical):
            raise DataError(f"DistanceLinkage: attribute {names[p]!r} has no levels.")
        levels = np.append(np.arange(len(scale), dtype=np.int32), np.int32(-1))
        table[p, : levels.size, : levels.size] = scale.distance(levels[:, None], levels[None, :]) ** 2
        sizes.append(len(scale))

    def shifted(codes: CodeArray) -> CodeArray:
        # The missing value becomes the level after the last.
        return np.ascontiguousarray(np.where(codes < 0, np.asarray(sizes, dtype=np.int32), codes), dtype=np.int32)

    return shifted(a.codes(names)), shifted(b.codes(names)), table


def _distinct(numbers: FloatArray, codes: CodeArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the class of every record, and the first member and size of every class, in order of appearance."""
    order = np.lexsort([*numbers.T, *codes.T]) if numbers.shape[1] + codes.shape[1] else np.arange(len(numbers))
    new = np.ones(order.size, dtype=np.bool_)
    same_numbers = (numbers[order[1:]] == numbers[order[:-1]]).all(axis=1)
    new[1:] = ~(same_numbers & (codes[order[1:]] == codes[order[:-1]]).all(axis=1))
    sorted_class = np.cumsum(new) - 1
    raw = np.empty(order.size, dtype=np.int64)
    raw[order] = sorted_class
    first = order[np.flatnonzero(new)]  # lexsort is stable, so the first of a run has the lowest position
    rank = np.empty(first.size, dtype=np.int64)
    by_position = np.argsort(first)
    rank[by_position] = np.arange(first.size)
    classes = rank[raw]
    return classes, first[by_position].astype(np.int64), np.bincount(classes).astype(np.int64)


def _search(
    a_numbers: FloatArray,
    a_codes: CodeArray,
    b_numbers: FloatArray,
    b_codes: CodeArray,
    table: FloatArray,
    engine: Engine,
) -> dict[str, Any]:
    n = len(b_numbers)
    best, second, ties = (np.empty(n, dtype=np.int64) for _ in range(3))
    score, second_score = np.empty(n), np.empty(n)
    blocks = [(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK)]
    done = [0]

    def first_pass(block: tuple[int, int]) -> None:
        nearest_two(a_numbers, a_codes, b_numbers, b_codes, table, *block, best, score, second, second_score, ties)
        done[0] += 1
        report("linking", done[0], len(blocks))

    engine.map(first_pass, blocks)
    offsets = np.concatenate([[0], np.cumsum(ties)]).astype(np.int64)
    tied = np.empty(int(offsets[-1]), dtype=np.int64)

    def second_pass(block: tuple[int, int]) -> None:
        tied_with_nearest(a_numbers, a_codes, b_numbers, b_codes, table, score, ties, best, offsets, *block, tied)

    engine.map(second_pass, blocks)
    return {
        "best": best,
        "second": second,
        "score": score,
        "second_score": second_score,
        "offsets": offsets,
        "tied": tied,
    }


def _links(
    found: dict[str, Any],
    classes: IntArray,
    members: IntArray,
    counts: IntArray,
    names: tuple[str, ...],
    n_b: int,
    method: str,
) -> Links:
    """Turn classes back into records: a class of several records is its own second nearest."""
    owner = np.repeat(np.arange(n_b), np.diff(found["offsets"]))
    ties = np.bincount(owner, weights=counts[found["tied"]], minlength=n_b).astype(np.int64)
    crowded = counts[found["best"]] > 1
    next_member = np.full(members.size, -1, dtype=np.int64)
    position = np.arange(classes.size)
    later = position != members[classes]
    # Written from the back, so that the lowest position after the first stays.
    next_member[classes[later][::-1]] = position[later][::-1]
    none = found["second"] < 0
    second = np.where(none, -1, members[np.where(none, 0, found["second"])])
    second_score = np.sqrt(found["second_score"])
    score = np.sqrt(found["score"])
    # Between a class-mate at the same distance and another class at the same distance, the lower position comes first.
    other = np.where((found["second_score"] == found["score"]) & ~none, second, np.iinfo(np.int64).max)
    mate = np.where(crowded, next_member[found["best"]], np.iinfo(np.int64).max)
    second = np.where(crowded, np.minimum(mate, other), second)
    return Links(
        n_a=classes.size,
        n_b=n_b,
        best=members[found["best"]],
        second=second.astype(np.int64),
        score=score,
        second_score=np.where(crowded, score, second_score),
        ties=ties,
        tied_offsets=found["offsets"],
        tied=found["tied"],
        classes=classes,
        attributes=names,
        method=method,
    )
