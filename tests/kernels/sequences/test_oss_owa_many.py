"""Many sequences compared at once are at the distances of the definition, whatever block they fall into."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.reference import sequences as reference

from discreet.data.scales import EncodedSequences
from discreet.data.scales.dissimilarities import OSSOWA
from discreet.kernels.sequences.oss_owa import ALL, TRIANGLE
from discreet.kernels.sequences.oss_owa_many import oss_owa_many


def drawn(seed: int, n: int, longest: int, events: int) -> list[list[int]]:
    """Return sequences, the first two empty and alone."""
    rng = np.random.default_rng(seed)
    return [[], [1], *(rng.integers(0, events, rng.integers(1, longest + 1)).tolist() for _ in range(n - 2))][:n]


def distances(
    left: list[list[int]], right: list[list[int]], which: list[int], among: list[int], mode: int
) -> np.ndarray:
    measure = OSSOWA(np.square)
    prepared = measure.prepare(EncodedSequences.of(left), EncodedSequences.of(right))
    positions, b_start, *a_runs, _, b_events, b_starts, b_runs, _, n_events, heights, starts, most, longest = prepared
    found = oss_owa_many(
        positions, b_start, *a_runs, b_events, b_starts, b_runs, n_events, heights, starts, most, longest,
        np.array(which), np.array(among), mode,
    )  # fmt: skip
    return np.asarray(found.reshape(len(which), len(among)))


@pytest.mark.parametrize(("events", "longest"), [(2, 7), (4, 7), (9, 4)])
def test_all_with_all(events: int, longest: int) -> None:
    left, right = drawn(1, 9, longest, events), drawn(2, 11, longest + 1, events)
    which, among = [3, 0, 8, 1, 2, 7], [10, 1, 0, 4, 2, 9, 8]
    found = distances(left, right, which, among, ALL)
    expected = [[reference.oss_owa(left[i], right[j], np.square) for j in among] for i in which]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 12])
def test_every_two_once(n: int) -> None:
    sequences = drawn(3, n, 6, 3)
    found = distances(sequences, sequences, list(range(n)), list(range(n)), TRIANGLE)
    for i in range(n):
        for j in range(i + 1, n):
            assert found[i, j] == pytest.approx(reference.oss_owa(sequences[i], sequences[j], np.square), abs=1e-12)


@pytest.mark.parametrize(("mode", "n"), [(TRIANGLE, 300), (ALL, 2100)])
def test_what_falls_into_a_later_block_is_compared_as_the_first(mode: int, n: int) -> None:
    # The same few again and again, so that what is expected is known from the first of them.
    some = drawn(4, 7, 5, 3)
    sequences = [some[i % 7] for i in range(n)]
    which = list(range(n)) if mode == TRIANGLE else list(range(9))
    found = distances(sequences, sequences, which, list(range(n)), mode)
    table = np.array([[reference.oss_owa(s, r, np.square) for r in some] for s in some])
    expected = table[np.ix_(np.array(which) % 7, np.arange(n) % 7)]
    above = np.ones(expected.shape, dtype=bool) if mode == ALL else np.triu(np.ones(expected.shape, dtype=bool), 1)
    np.testing.assert_allclose(found[above], expected[above], atol=1e-12)


def test_of_pairings_that_cost_the_same_the_one_with_the_lowest_positions_counts() -> None:
    # At 2 and 3 here, at 0, 3 and 4 there: moved by 2 and 0, or by 1 and 1.
    left, right = [[1, 2, 0, 0]], [[0, 1, 2, 0, 0]]
    expected = reference.oss_owa(left[0], right[0], np.square)
    for one, other in ((left, right), (right, left)):
        assert distances(one, other, [0], [0], ALL)[0, 0] == pytest.approx(expected, rel=1e-12)
    shifts = sorted([2 / 9, 2 / 9, 0, 0, 1, 1 / 9, 1 / 9, 1 / 9, 1 / 9], reverse=True)
    by_hand = sum(((i / 9) ** 2 - ((i - 1) / 9) ** 2) * v for i, v in enumerate(shifts, start=1))
    assert expected == pytest.approx(by_hand)


def test_a_byte_counts_the_longest_shifts() -> None:
    # 255 events of one kind, and one that moves from the first place to the last.
    left, right = [[0] + [1] * 254], [[1] * 254 + [0]]
    found = distances(left, right, [0], [0], ALL)
    values = sorted([254 / 510] * 2 + [1 / 510] * 508, reverse=True)
    expected = sum(((i / 510) ** 2 - ((i - 1) / 510) ** 2) * v for i, v in enumerate(values, start=1))
    assert found[0, 0] == pytest.approx(expected, rel=1e-12)


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    with stops():
        distances([[0, 1]], [[1, 0]], [0], [0], ALL)
