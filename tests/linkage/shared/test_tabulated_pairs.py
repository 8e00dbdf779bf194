"""Pairs counted in blocks, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import linkage as twin

from discreet.engines.memory import MemoryEngine
from discreet.linkage.shared import tabulated_pairs
from discreet.linkage.shared.agreement import equality, nested
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.linkage.shared.tabulated_pairs import own_patterns, tabulate_pairs
from discreet.progress import listening


@pytest.mark.parametrize("pairs", [1, 100, 1 << 25])
@pytest.mark.parametrize("missing", ["disagree", "agree"])
def test_blocks_add_up_to_the_counts_of_looking_at_every_pair(pairs, missing, monkeypatch):
    monkeypatch.setattr(tabulated_pairs, "_PAIRS", pairs)
    monkeypatch.setattr(tabulated_pairs, "_PARTS", 3)
    rng = np.random.default_rng(4)
    agreements = [
        nested(f"v{j}", rng.integers(-1, 4, 40), rng.integers(-1, 4, 30), [np.arange(4) // 2], missing)
        for j in range(3)
    ]
    files = PackedFiles.of(agreements)
    assert files.first.first.size < 40  # so that some records stand for several
    shape = tuple(agreement.states for agreement in agreements)
    between, within = tabulate_pairs(files, shape, MemoryEngine(workers=2))
    of_others, own = twin.within_counts(agreements)
    assert np.array_equal(between, twin.pattern_counts(agreements))
    assert np.array_equal(own_patterns(files, shape), own)
    assert np.array_equal(within, of_others + own)


def test_what_is_compared_is_told_part_by_part(monkeypatch):
    monkeypatch.setattr(tabulated_pairs, "_PAIRS", 40)
    monkeypatch.setattr(tabulated_pairs, "_PARTS", 2)
    files = PackedFiles.of([equality("v", np.arange(10), np.arange(5, 25))])
    told = []
    with listening(lambda *report: told.append(report)):
        between, within = tabulate_pairs(files, (2,), MemoryEngine(workers=1))
    assert (between.tolist(), within.tolist()) == ([195, 5], [90, 10])
    # Four records against ten at a time: the second file has five such blocks, the first has three.
    assert told == [
        *[("comparing the files", done, 5) for done in (2, 4, 5)],
        *[("comparing the first file", done, 3) for done in (2, 3)],
    ]
