from __future__ import annotations

import numpy as np
import pytest
from tests.linkage.shared.test_pattern_search import additive, random_agreements

from discreet.contracts.engine import InProcess
from discreet.kernels.jit import PlainTwin
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.linkage.shared.pattern_counts import count_patterns
from discreet.linkage.shared.pattern_search import best_by_pattern, best_in_both_directions


@pytest.mark.plain_code
@pytest.mark.parametrize("absent", [0.0, 0.3])
@pytest.mark.parametrize(("n_a", "n_b"), [(50, 60), (90, 20), (1, 5), (5, 1)])
def test_pairs_are_counted_and_linked_as_by_kernels(monkeypatch, n_a, n_b, absent):
    agreements = random_agreements(8, n_a, n_b, 3, absent=absent, missing="disagree", coarse=True)
    rng = np.random.default_rng(3)
    weights = [additive(agreements, rng, equal=False), rng.normal(size=[agreement.states for agreement in agreements])]

    def work():
        files = PackedFiles.of(agreements)
        counts = count_patterns(files, InProcess())
        both = best_in_both_directions(files, weights, InProcess(), occurring=counts.between > 0)
        return counts, [*both, (best_by_pattern(files, weights[0], InProcess()),)]

    counts, answers = work()
    monkeypatch.setattr(PlainTwin, "takes", lambda _twin, _work: False)
    compiled_counts, compiled_answers = work()
    for name in ("between", "within", "own"):
        assert np.array_equal(getattr(counts, name), getattr(compiled_counts, name)), name
    for ours, theirs in zip(answers, compiled_answers, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            for name in ("best", "second", "score", "second_score", "ties"):
                assert np.array_equal(getattr(one, name), getattr(other, name)), name
            for j in range(one.best.size):
                mine, yours = (f.tied[f.row_offsets[f.row[j]] : f.row_offsets[f.row[j] + 1]] for f in (one, other))
                assert mine.tolist() == sorted(yours.tolist())
