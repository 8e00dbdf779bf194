"""Pairs counted by the set of attributes that agree are those of all patterns, added up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.linkage.shared.test_pattern_counts import random_agreements
from tests.reference import linkage as twin

from discreet.contracts.engine import InProcess
from discreet.linkage.shared import coarse_counts, pattern_counts, plain_pairs
from discreet.linkage.shared.coarse_counts import CoarseCounts, count_coarsely
from discreet.linkage.shared.counted_pairs import count_pairs
from discreet.linkage.shared.estimation import estimate
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.linkage.shared.pattern_counts import PatternCounts, count_patterns


def assert_same(coarse, full):
    agree = [1] * len(full.shape)
    assert (coarse.n_a, coarse.n_b, coarse.names, coarse.shape) == (full.n_a, full.n_b, full.names, full.shape)
    for ours, theirs in zip(coarse.by_set(agree), full.by_set(agree), strict=True):
        assert ours.tolist() == theirs.tolist()
    for j in range(len(full.shape)):
        assert coarse.by_state(j).tolist() == full.by_state(j).tolist()
        assert coarse.own_by_state(j).tolist() == full.own_by_state(j).tolist()
        for ours, theirs in zip(coarse.agreeing_by_state(j, agree), full.agreeing_by_state(j, agree), strict=True):
            assert ours.tolist() == theirs.tolist()
    assert coarse.occurring[full.between > 0].all()


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10**6), n_a=st.integers(1, 40), n_b=st.integers(1, 40), attributes=st.integers(1, 5),
    levels=st.integers(1, 7), absent=st.sampled_from([0.0, 0.3]), missing=st.sampled_from(["agree", "disagree"]),
    weighted=st.booleans(),
)  # fmt: skip
def test_sets_and_states_are_those_of_all_patterns(seed, n_a, n_b, attributes, levels, absent, missing, weighted):
    agreements = random_agreements(
        seed, n_a, n_b, attributes, missing=missing, absent=absent, levels=levels, coarse=True
    )
    rng = np.random.default_rng(seed)
    frequencies = (rng.integers(1, 5, n_a), rng.integers(1, 5, n_b)) if weighted else (None, None)
    files = PackedFiles.of(agreements, frequencies)
    assert_same(count_coarsely(files, InProcess()), count_patterns(files, InProcess()))


def test_against_a_look_at_every_pair(monkeypatch):
    monkeypatch.setattr(pattern_counts, "are_few", lambda *_: False)
    monkeypatch.setattr(plain_pairs, "are_few", lambda *_: False)
    monkeypatch.setattr(pattern_counts, "_PAIRS_A_ROW", 0)
    agreements = random_agreements(4, 60, 50, 4, absent=0.1, missing="agree", levels=4, coarse=True)
    between = twin.pattern_counts(agreements)
    within, own = twin.within_counts(agreements)
    names = tuple(agreement.name for agreement in agreements)
    full = PatternCounts(between, within, own, 60, 50, names)
    coarse = count_coarsely(PackedFiles.of(agreements), InProcess())
    assert_same(coarse, full)
    # Some state of some attribute does not occur, and no pattern with it can.
    assert coarse.occurring.sum() <= coarse.occurring.size
    assert coarse.sets.between.shape == (2, 2, 2, 2)


@pytest.mark.parametrize("how", ["anchored", "known"])
def test_models_are_the_same_to_the_last_bit(how):
    agreements = random_agreements(6, 300, 300, 4, absent=0.1, missing="agree", levels=8, coarse=True)
    coarse = count_pairs(agreements, InProcess(), compared=False, coarsely=True)
    full = count_pairs(agreements, InProcess(), compared=False)
    assert isinstance(coarse.counts, CoarseCounts)
    assert isinstance(full.counts, PatternCounts)
    ours, theirs = (estimate(pairs.counts, pairs.agreements, how) for pairs in (coarse, full))
    for name in ("m", "u"):
        for one, other in zip(getattr(ours, name), getattr(theirs, name), strict=True):
            assert one.tolist() == other.tolist()
    assert ours.prior == theirs.prior
    assert np.array_equal(ours.weights(), theirs.weights())


def test_every_pattern_is_counted_where_that_is_no_more_or_where_missing_values_are_ignored():
    plain = random_agreements(1, 40, 40, 3, levels=4)
    ignoring = random_agreements(1, 40, 40, 3, absent=0.3, missing="ignore", coarse=True)
    for agreements in (plain, ignoring):
        assert isinstance(count_pairs(agreements, InProcess(), compared=False, coarsely=True).counts, PatternCounts)


def test_em_is_told_that_it_needs_every_pattern():
    agreements = random_agreements(1, 40, 40, 3, coarse=True)
    counts = count_pairs(agreements, InProcess(), compared=False, coarsely=True).counts
    with pytest.raises(TypeError, match="every pattern"):
        estimate(counts, agreements, "em")


def test_a_value_that_agrees_with_nobody_is_in_no_group():
    agreements = random_agreements(2, 50, 50, 2, absent=0.5, missing="disagree", levels=3, coarse=True)
    files = PackedFiles.of(agreements)
    coarse = PackedFiles.of(
        [type(one)(one.name, one.a, one.b, one.classes[:1]) for one in files.agreements], (None, None)
    )
    assert coarse.first.label.size == 50
    meeting = coarse_counts._meeting(files, PackedFiles.of(
        [type(one)(one.name, a, b, one.classes[:1]) for one, a, b in zip(files.agreements, *files.codes, strict=True)],
        (files.first.size, files.second.size),
    ))  # fmt: skip
    for agreement, codes in zip(files.agreements, meeting.codes, strict=True):
        assert (agreement.classes[0][codes] >= 0).all()


def test_counts_of_sets_say_how_many_there_are():
    coarse = count_coarsely(PackedFiles.of(random_agreements(1, 40, 30, 3, coarse=True)), InProcess())
    assert repr(coarse) == "CoarseCounts(8 sets of 40 × 30 pairs)"
