"""Prototypes of groups of sequences, by hand and beside scoring with lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.reference import sequences as reference

from discreet.data.scales import EncodedSequences
from discreet.kernels.sequences.sequence_prototypes import score_elements


def prototypes(
    groups: list[list[list[int]]], weights: list[list[int]], lengths: list[int], longest: int, n_events: int
) -> list[list[int]]:
    encoded = EncodedSequences.of([sequence for group in groups for sequence in group])
    starts_of_groups, starts = np.cumsum([0, *map(len, groups)]), np.cumsum([0, *lengths])
    found = np.full(starts[-1], -9, dtype=np.int32)
    counts = np.concatenate([np.array(of_group, dtype=np.int64) for of_group in weights])
    score_elements(encoded.codes, encoded.offsets, counts, starts_of_groups, n_events, longest, starts, found)
    return [part.tolist() for part in np.split(found, starts[1:-1])]


@pytest.mark.parametrize(
    ("group", "weights", "longest", "expected"),
    [
        ([[2, 0, 1]], [1], 3, [2, 0, 1]),
        ([[2, 2, 2]], [1], 1, [2, 2, 2]),
        ([[1], [0]], [1, 1], 1, [0]),  # as many for both: the lower code
        ([[1], [0]], [2, 1], 1, [1]),
        ([[0, 1], [1, 0]], [1, 1], 1, [0, 1]),  # 1 + 1/2 for both; then 1 of the first, and 0 of the second
        ([[0, 1], [1, 0]], [1, 2], 1, [1, 0]),
        ([[0, 1], [0, 2], [0, 2]], [1, 1, 1], 1, [0, 2]),
        # At the second place 1 stands in both at distances 0 and 1, and 2 in one: 3/2 against 1.
        ([[0, 1], [0, 2, 1]], [1, 1], 1, [0, 1]),
        # 1 has 3 + 4/2 against 4 of 3; then 2 has 3 against 4/2 of 3.
        ([[0, 1, 2], [0, 3, 1], [0, 3, 1]], [3, 2, 2], 1, [0, 1, 2]),
    ],
)
def test_the_event_of_highest_score_is_appended(
    group: list[list[int]], weights: list[int], longest: int, expected: list[int]
) -> None:
    assert prototypes([group], [weights], [len(expected)], longest, 4) == [expected]


@pytest.mark.parametrize("longest", [1, 2, 3, 6])
@pytest.mark.parametrize("n_events", [1, 2, 3, 5])
def test_prototypes_are_those_of_lists(longest: int, n_events: int) -> None:
    rng = np.random.default_rng(10 * longest + n_events)
    groups, weights = [], []
    for _ in range(25):
        size = int(rng.integers(1, 6))
        groups.append([rng.integers(0, n_events, rng.integers(0, 9)).tolist() for _ in range(size)])
        groups[-1][0] = groups[-1][0] or [0]
        weights.append(rng.integers(1, 4, size).tolist())
    expected = [reference.oesp(group, of_group, longest) for group, of_group in zip(groups, weights, strict=True)]
    assert prototypes(groups, weights, [len(one) for one in expected], longest, n_events) == expected


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    with stops():
        prototypes([[[0]]], [[1]], [1], 1, 1)
