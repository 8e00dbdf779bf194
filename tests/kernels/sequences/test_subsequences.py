"""Who holds which events, in order or not, against looking at every sequence."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import sequences as reference

from discreet.data.scales import EncodedSequences
from discreet.kernels.sequences.sequence_prototypes import score_elements
from discreet.kernels.sequences.subsequences import count_holders, extend_prefix, holds_known

EVENTS = 4
RNG = np.random.default_rng(8)
LISTS = [[], *(RNG.integers(0, EVENTS, RNG.integers(1, 7)).tolist() for _ in range(11))]
SETS = [[], [2], [1, 1], [0, 3], [3, 0], [2, 2, 1], [0, 1, 2, 3]]
DATA = EncodedSequences.of(LISTS)
COUNTS = RNG.integers(1, 5, len(LISTS))


def known(ordered: bool) -> EncodedSequences:
    return EncodedSequences.of(SETS if ordered else [sorted(one) for one in SETS])


@pytest.mark.parametrize("ordered", [True, False])
def test_holders_of_known_events(ordered: bool) -> None:
    twin = reference.is_subsequence if ordered else reference.contains_all
    sets = known(ordered)
    which = np.repeat(np.arange(len(LISTS)), len(SETS))
    asked = np.tile(np.arange(len(SETS)), len(LISTS))
    found = holds_known(DATA.codes, DATA.offsets, which, sets.codes, sets.offsets, asked, ordered, EVENTS)
    expected = [twin(SETS[q], LISTS[s]) for s, q in zip(which, asked, strict=True)]
    assert found.tolist() == expected
    lists = [[s for s, one in enumerate(LISTS) if event in one] for event in range(EVENTS)]
    holders = np.array([s for one in lists for s in one], dtype=np.int64)
    starts = np.cumsum([0, *map(len, lists)])
    counted = count_holders(DATA.codes, DATA.offsets, COUNTS, holders, starts, sets.codes, sets.offsets, ordered)
    assert counted.tolist() == [sum(COUNTS[s] for s, one in enumerate(LISTS) if twin(q, one)) for q in SETS]


def test_what_follows_a_prefix_is_counted_once_a_record() -> None:
    # After the first 1 of every sequence that has one.
    which = np.array([s for s, one in enumerate(LISTS) if 1 in one])
    after = np.array([DATA.offsets[s] + LISTS[s].index(1) + 1 for s in which])
    support = np.full(EVENTS, 7.0)
    extend_prefix(DATA.codes, DATA.offsets, COUNTS.astype(np.float64), which, after, support)
    rests = {s: LISTS[s][LISTS[s].index(1) + 1 :] for s in which.tolist()}
    assert support.tolist() == [sum(float(COUNTS[s]) for s, rest in rests.items() if e in rest) for e in range(EVENTS)]


@pytest.mark.parametrize("longest", [1, 2, 4])
def test_prototypes_are_those_of_scoring_in_fractions(longest: int) -> None:
    groups = [LISTS[1:5], LISTS[5:6], LISTS[6:]]
    members = [s for group in groups for s in group]
    weights = COUNTS[1:]
    encoded = EncodedSequences.of(members)
    starts_of_groups = np.cumsum([0, *map(len, groups)])
    lengths = [
        reference.prototype_length(group, weights[first : first + len(group)].tolist())
        for group, first in zip(groups, starts_of_groups, strict=False)
    ]
    starts = np.cumsum([0, *lengths])
    found = np.full(starts[-1], -9, dtype=np.int32)
    score_elements(encoded.codes, encoded.offsets, weights, starts_of_groups, EVENTS, longest, starts, found)
    expected = [
        event
        for group, first in zip(groups, starts_of_groups, strict=False)
        for event in reference.oesp(group, weights[first : first + len(group)].tolist(), longest)
    ]
    assert found.tolist() == expected
