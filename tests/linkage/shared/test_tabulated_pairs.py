"""Pairs counted in blocks, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import linkage as twin

from discreet.engines.memory import MemoryEngine
from discreet.linkage.shared import tabulated_pairs
from discreet.linkage.shared.agreement import nested
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.linkage.shared.tabulated_pairs import own_patterns, tabulate_pairs


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
