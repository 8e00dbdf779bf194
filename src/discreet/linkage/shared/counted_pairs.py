"""All pairs of two files, counted by what they agree on: what every estimator and every search starts from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.contracts.engine import Engine
from discreet.linkage.record_classes import Classes, classes_of_codes
from discreet.linkage.shared.agreement import Agreement
from discreet.linkage.shared.coarse_counts import CoarseCounts, count_coarsely
from discreet.linkage.shared.estimation import Counts
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.linkage.shared.pair_by_pair import compare_patterns
from discreet.linkage.shared.pattern_counts import MOST_PATTERNS, count_patterns
from discreet.typing import BoolArray, IntArray

__all__ = ["CountedPairs", "Frequencies", "count_pairs", "pairs_are_compared"]

Frequencies = tuple[IntArray | None, IntArray | None]
"""How many records every row of A and of B stands for; None: one."""

_SMALL = 50_000_000  # pairs of files so small that nothing needs to be saved


@dataclass(frozen=True, repr=False)
class CountedPairs:
    """Two files, attribute by attribute, their distinct records, and how many pairs agree on what.

    Attributes
    ----------
    agreements : tuple of Agreement
    first, second : Classes
        The distinct records of A and of B.
    counts : PatternCounts, PatternList or CoarseCounts
    frequencies : pair of (n,) int64 or None
        How many records every row of A and of B stands for.
    files : PackedFiles, optional
        None where pairs are looked at, rather than counted pattern by pattern.
    """

    agreements: tuple[Agreement, ...]
    first: Classes
    second: Classes
    counts: Counts | CoarseCounts
    frequencies: Frequencies = (None, None)
    files: PackedFiles | None = None

    @property
    def occurring(self) -> BoolArray | None:
        """The patterns of which there is, or may be, a pair; None where that is not known."""
        if self.files is None or self.first.size.min() < 1 or self.second.size.min() < 1:
            return None  # a row that stands for nobody is in no count
        if isinstance(self.counts, CoarseCounts):
            return self.counts.occurring
        return np.asarray(self.counts.between > 0, dtype=np.bool_)

    def swapped(self) -> CountedPairs:
        """Return the same pairs with the files in each other's place."""
        return replace(
            self,
            agreements=tuple(agreement.swapped() for agreement in self.agreements),
            first=self.second,
            second=self.first,
            frequencies=self.frequencies[::-1],
            files=None if self.files is None else self.files.swapped(),
        )


def pairs_are_compared(agreements: Sequence[Agreement], n_a: int, n_b: int, *, dependent: bool = False) -> bool:
    """Say whether pairs have to be looked at, or whether that is quicker than counting pattern by pattern."""
    patterns = math.prod(agreement.states for agreement in agreements)
    if patterns > MOST_PATTERNS or not all(agreement.has_classes for agreement in agreements):
        return True
    # Beyond, there are fewer pairs than rows in the group-bys.
    return not dependent and n_a * (n_a + n_b) > _SMALL and patterns > 2 * n_a


def count_pairs(
    agreements: Sequence[Agreement],
    engine: Engine,
    frequencies: Frequencies = (None, None),
    *,
    compared: bool,
    coarsely: bool = False,
) -> CountedPairs:
    """Find the distinct records of both files and count their pairs, one by one (`compared`) or by pattern.

    Who asks only which attributes agree (`coarsely`) is not told every pattern.
    """
    if not compared:
        files = PackedFiles.of(agreements, frequencies)
        finer = any(agreement.states > 2 for agreement in agreements)
        coarsely = coarsely and finer and not any(agreement.ignores_missing for agreement in agreements)
        counts = count_coarsely(files, engine) if coarsely else count_patterns(files, engine)
        return CountedPairs(files.agreements, files.first, files.second, counts, frequencies, files)
    sides = [agreement.a for agreement in agreements], [agreement.b for agreement in agreements]
    first, second = (classes_of_codes(codes).standing_for(some) for codes, some in zip(sides, frequencies, strict=True))
    listed = compare_patterns(agreements, first, second, engine)
    return CountedPairs(tuple(agreements), first, second, listed, frequencies)
