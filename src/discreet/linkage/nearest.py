"""Whom a search takes the records of B for in A, and the links that cross rooms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.contracts.links import Linked, Links
from discreet.kernels.linking.tied_rows import copy_rows, find_ends, name_records
from discreet.linkage.record_classes import Classes
from discreet.typing import FloatArray, IntArray

__all__ = ["Nearest", "evaluate_rows", "gather", "joined", "links_of", "nearest_records", "nobody_second"]

_SPARE = 1_000_000


@dataclass(frozen=True, repr=False)
class Nearest:
    """Of every record of B, or every distinct one, the best and second-best record of A.

    Attributes
    ----------
    best, second : (n_b,) int64
        Positions in A, −1 for nobody.
    score, second_score : (n_b,) float64
    ties : (n_b,) int64
        Records of A that share the best score.
    row : (n_b,) int64
        Which row of tied classes is a record's, −1 for none; records with the same ties may share one.
    row_offsets, tied : (rows + 1,), (m,) int64
        The classes of A that share the best score, row by row.
    classes : (n_a,) int64, optional
        The class of every record of A, where it is the search that says which of them are equal.
    """

    best: IntArray
    second: IntArray
    score: FloatArray
    second_score: FloatArray
    ties: IntArray
    row: IntArray
    row_offsets: IntArray
    tied: IntArray
    classes: IntArray | None = None

    def class_of_records(self, n_a: int) -> IntArray:
        """Return the class of every record of A; each is its own where the search told all of them apart."""
        return np.arange(n_a, dtype=np.int64) if self.classes is None else self.classes

    def records(self, label: IntArray) -> Nearest:
        """Return the same for records, given the class of each."""
        return Nearest(
            self.best[label],
            self.second[label],
            self.score[label],
            self.second_score[label],
            self.ties[label],
            self.row[label],
            self.row_offsets,
            self.tied,
            self.classes,
        )


def nearest_records(
    arrays: tuple[IntArray, FloatArray, IntArray, FloatArray, IntArray],
    tied: Sequence[IntArray],
    order: IntArray,
    a: Classes,
) -> Nearest:
    """Turn classes of A into records: a class of several records is its own second nearest.

    Parameters
    ----------
    arrays : best class, its distance, second class, its distance, number of tied classes
        Become part of what is returned; they are not for use afterwards.
    tied : sequence of int64
        The tied classes of the queries in `order`, one after the other.
    """
    best, score, second, second_score, counts = arrays
    tied_classes = np.concatenate([np.empty(0, dtype=np.int64), *tied])
    row_offsets = np.zeros(order.size + 1, dtype=np.int64)
    np.cumsum(counts[order], out=row_offsets[1:])
    row, ties = np.empty(order.size, dtype=np.int64), np.empty(order.size, dtype=np.int64)
    row[order] = np.arange(order.size)
    name_records(a.first, a.following, a.size, row_offsets, tied_classes, best, score, second, second_score, row, ties)
    return Nearest(best, second, score, second_score, ties, row, row_offsets, tied_classes)


def joined(parts: Sequence[Nearest]) -> Nearest:
    """Put what was searched for one block of B after another together."""
    row_shift = np.cumsum([0, *(part.row_offsets.size - 1 for part in parts)])
    tied_shift = np.cumsum([0, *(part.tied.size for part in parts)])
    offsets = [part.row_offsets[:-1] + shift for part, shift in zip(parts, tied_shift, strict=False)]

    def along(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    return Nearest(
        along("best"),
        along("second"),
        along("score"),
        along("second_score"),
        along("ties"),
        np.concatenate([np.where(p.row < 0, -1, p.row + s) for p, s in zip(parts, row_shift, strict=False)]),
        np.concatenate([*offsets, tied_shift[-1:]]),
        along("tied"),
    )


def links_of(
    nearest: Nearest,
    a: Classes,
    names: tuple[str, ...],
    method: str,
    *,
    higher_is_better: bool = False,
    has_second: bool = True,
) -> Links:
    """Return links; ties get a row a record unless that would cost much, then records with equal ties share one.

    Second-best candidates that were not looked for (`has_second`) are nobody, also where one was met on the way.
    """
    n_b = nearest.best.size
    second, second_score = nearest.second, nearest.second_score
    if not has_second:
        second, second_score = nobody_second(n_b, higher_is_better=higher_is_better)
    offsets, tied = np.empty(n_b + 1, dtype=np.int64), nearest.tied
    total = find_ends(nearest.row, nearest.row_offsets, offsets)
    shared = total > 4 * n_b + _SPARE
    if shared:
        offsets = nearest.row_offsets
    else:
        tied = np.empty(total, dtype=np.int64)
        copy_rows(nearest.row, nearest.row_offsets, nearest.tied, offsets, tied)
    return Links(
        n_a=a.label.size,
        n_b=n_b,
        best=nearest.best,
        second=second,
        score=nearest.score,
        second_score=second_score,
        ties=nearest.ties,
        tied_offsets=offsets,
        tied=tied,
        classes=a.label,
        attributes=names,
        method=method,
        higher_is_better=higher_is_better,
        rows=nearest.row if shared else None,
        has_second=has_second,
    )


def nobody_second(n: int, *, higher_is_better: bool) -> tuple[IntArray, FloatArray]:
    """Return second-best candidates that were not looked for, and their scores, one number each in memory."""
    score = -np.inf if higher_is_better else np.inf
    return np.broadcast_to(np.int64(-1), n), np.broadcast_to(np.float64(score), n)


def evaluate_rows(links: Links, frequencies: IntArray) -> Linked:
    """Compare the links of rows, each of which stands for so many records of either file, with the truth.

    The truth is that a record of a row of B is one of the same row of A.
    """
    rows = links.evaluate()
    right = rows.probability > 0
    n = int(frequencies.sum())
    return Linked(
        expected=float(rows.probability @ frequencies),
        optimistic=int(frequencies[right].sum()),
        pessimistic=int(frequencies[right & (links.ties == 1)].sum()),
        n=n,
        chance=1.0,
        probability=rows.probability,
    )


def gather(starts: IntArray, lengths: IntArray) -> IntArray:
    """Return the positions ``start … start + length − 1`` of every run, one run after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if ends.size else 0
    return np.asarray(np.arange(total) + np.repeat(starts - (ends - lengths), lengths), dtype=np.int64)
