"""Nearest records of two small files of many categories, in both directions, from one look at every pair."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import PlainTwin
from discreet.kernels.linking.all_distances import nearest_both_ways
from discreet.linkage.nearest import Nearest
from discreet.linkage.record_classes import Classes
from discreet.linkage.shared.answers import SearchAnswers
from discreet.linkage.shared.plain_search import search_plainly, work_of
from discreet.linkage.shared.terms import Terms
from discreet.typing import FloatArray, IntArray, LevelArray, SingleArray

__all__ = ["search_every_pair", "trees_save_nothing"]

_FEW_PAIRS = 1 << 23
_CATEGORIES = 4  # from which on branches of a tree are seldom far from all of a small file
_TOGETHER = 256  # combinations of levels whose terms are summed beforehand, and which a byte can tell apart
_MOST_ROUGH = 1e15  # beyond, squares may not fit single precision
_TWIN = PlainTwin(2e8, nearest_both_ways)


def trees_save_nothing(terms: Terms, a: Classes, b: Classes) -> bool:
    """Say whether looking at all pairs is quicker than two searches in trees, and possible."""
    if terms.metric == 2 or len(terms.tables) < _CATEGORIES or a.first.size * b.first.size > _FEW_PAIRS:
        return False
    if any(table.ndim == 1 or max(table.shape) > _TOGETHER for table in terms.tables):
        return False
    entries = (np.where(np.isfinite(table), table, 0.0) for table in terms.tables)
    sides = (terms.a_numbers, terms.b_numbers, *entries)
    return all(float(np.abs(numbers).max(initial=0.0)) <= _MOST_ROUGH for numbers in sides)


def search_every_pair(terms: Terms, a: Classes, b: Classes) -> tuple[Nearest, Nearest]:
    """Return for every distinct record of B its nearest of A, and for every one of A its nearest of B."""
    if _TWIN.takes(2.0 * work_of(terms, a, b)):
        return search_plainly(terms, a, b), search_plainly(terms.swapped(), b, a)
    a_codes, b_codes = terms.a_codes[a.first], terms.b_codes[b.first]
    a_numbers, b_numbers = (
        np.ascontiguousarray(numbers[side.first]) for numbers, side in ((terms.a_numbers, a), (terms.b_numbers, b))
    )
    flat, starts, sizes = terms.flattened(len(terms.tables))
    joint, joint_starts, joint_codes = _joined(terms, a.first, b.first)
    back = terms.swapped()
    of_release, of_original = SearchAnswers(b.first.size), SearchAnswers(a.first.size)
    tied, a_tied = nearest_both_ways(
        np.ascontiguousarray(a_codes), np.ascontiguousarray(b_codes), a_numbers, b_numbers,
        np.ascontiguousarray(a_numbers.T), flat, starts, sizes, joint, joint_starts, joint_codes, terms.metric == 0,
        a.size > 1, b.size > 1, back.slack(a.first), terms.slack(b.first), *of_release.arrays, *of_original.arrays,
    )  # fmt: skip
    return (
        of_release.nearest([tied], np.arange(b.first.size), a, terms),
        of_original.nearest([a_tied], np.arange(a.first.size), b, terms),
    )


def _joined(terms: Terms, a_rows: IntArray, b_rows: IntArray) -> tuple[SingleArray, IntArray, LevelArray]:
    """Sum the terms of several categories beforehand.

    Returns the sums, group after group; by record of B and group where its row starts; by group the codes of A.
    """
    tables, a_codes, b_codes = [], [], []
    joint: FloatArray = np.zeros((1, 1))
    a_code, b_code = np.zeros(a_rows.size, dtype=np.int64), np.zeros(b_rows.size, dtype=np.int64)

    def close() -> None:
        tables.append(joint)
        a_codes.append(a_code)
        b_codes.append(b_code)

    for p, table in enumerate(terms.tables):
        if max(np.multiply(joint.shape, table.shape)) > _TOGETHER:
            close()
            joint, a_code, b_code = np.zeros((1, 1)), np.zeros_like(a_code), np.zeros_like(b_code)
        sums = joint[:, None, :, None] + table[None, :, None, :]
        joint = sums.reshape(np.multiply(joint.shape, table.shape))
        a_code = a_code * table.shape[1] + terms.a_codes[a_rows, p]
        b_code = b_code * table.shape[0] + terms.b_codes[b_rows, p]
    close()
    ends = np.cumsum([0, *(table.size for table in tables)])
    starts = [end + code * table.shape[1] for end, code, table in zip(ends, b_codes, tables, strict=False)]
    flat = np.concatenate([table.ravel() for table in tables]).astype(np.float32)
    return flat, np.stack(starts, axis=1).astype(np.int64), np.stack(a_codes).astype(np.uint8)
