"""Pairs of distinct records looked at one by one and counted by pattern, on all cores."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from discreet.contracts.engine import Engine
from discreet.kernels.linking.all_pairs import tabulate_patterns, tabulate_within
from discreet.linkage.shared.packed_records import PackedFiles, rows_of_classes
from discreet.progress import report
from discreet.typing import IntArray

__all__ = ["own_patterns", "tabulate_pairs"]

_PAIRS = 1 << 25  # to a block: less than a second of work
_PARTS = 16  # blocks whose counts are held together


def tabulate_pairs(files: PackedFiles, shape: tuple[int, ...], engine: Engine) -> tuple[IntArray, IntArray]:
    """Count the pairs of every pattern between the files, and within the first with every record's own.

    O(distinct of A · (distinct of A + distinct of B) · attributes) time; memory linear in records and patterns.
    """
    first, second = files.classes
    sizes, strides = (files.first.size, files.second.size), files.strides
    n_a, n_b = first.shape[1], second.shape[1]
    theirs, ours = rows_of_classes(second), rows_of_classes(first)

    def count_between(low: int, high: int, table: IntArray) -> None:
        tabulate_patterns(first, sizes[0], theirs[low:high], sizes[1][low:high], strides, table)

    def count_within(low: int, high: int, table: IntArray) -> None:
        block, rest = np.ascontiguousarray(first[:, low:high]), np.ascontiguousarray(first[:, high:])
        tabulate_within(block, sizes[0][low:high], ours[low:high], strides, table)
        # A pair has the same pattern from either side: with what follows it is looked at once, and counts twice.
        tabulate_patterns(rest, sizes[0][high:], ours[low:high], 2 * sizes[0][low:high], strides, table)

    patterns = math.prod(shape)
    between = _added_up(count_between, n_b, n_a, patterns, engine, "comparing the files")
    within = _added_up(count_within, n_a, n_a, patterns, engine, "comparing the first file")
    return between.reshape(shape), within.reshape(shape)


def _added_up(
    count: Callable[[int, int, Any], None], n: int, others: int, patterns: int, engine: Engine, what: str
) -> IntArray:
    rows = max(1, _PAIRS // max(others, 1))
    blocks = [(low, min(low + rows, n)) for low in range(0, n, rows)]

    def counted(block: tuple[int, int]) -> IntArray:
        table = np.zeros(patterns, dtype=np.int64)
        count(*block, table)
        return table

    total = np.zeros(patterns, dtype=np.int64)
    for low in range(0, len(blocks), _PARTS):
        for part in engine.map(counted, blocks[low : low + _PARTS]):
            total += part
        report(what, min(low + _PARTS, len(blocks)), len(blocks))
    return total


def own_patterns(files: PackedFiles, shape: tuple[int, ...]) -> IntArray:
    """Count records by the pattern of the pair with themselves: as fine as their values can agree at all."""
    at = np.zeros(files.first.first.size, dtype=np.int64)
    for agreement, codes in zip(files.agreements, files.codes[0], strict=True):
        finest = np.sum([classes >= 0 for classes in agreement.classes], axis=0)
        at = at * agreement.states + finest[codes]
    # Sums of whole numbers far below 2^53 are exact.
    own = np.bincount(at, weights=files.first.size, minlength=math.prod(shape))
    return own.astype(np.int64).reshape(shape)
