"""Distances of distributions by hand, and exchanges beside plain lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.kernels.groups.t_close import distribution_distance, exchange_members


@pytest.mark.parametrize(
    ("counts", "shares", "ordered", "expected"),
    [
        # What has to cross from each place to the next: 3/4 and 1/2, over two gaps.
        ([2, 0, 0], [0.25, 0.25, 0.5], True, 0.625),
        ([2, 0, 0], [0.25, 0.25, 0.5], False, 0.75),
        ([0, 0, 4], [0.25, 0.25, 0.5], True, 0.375),
        ([0, 0, 4], [0.25, 0.25, 0.5], False, 0.5),
        ([1, 1, 2], [0.25, 0.25, 0.5], True, 0.0),
        ([1, 0, 1], [0.25, 0.5, 0.25], True, 0.25),
        ([1, 0, 1], [0.25, 0.5, 0.25], False, 0.5),
        ([2, 0], [0.0, 1.0], True, 1.0),
        ([2, 0], [0.0, 1.0], False, 1.0),
        ([3], [1.0], True, 0.0),
        ([3], [1.0], False, 0.0),
    ],
)
def test_a_distance_is_what_has_to_be_moved(
    counts: list[int], shares: list[float], ordered: bool, expected: float
) -> None:
    assert distribution_distance(np.array(counts), sum(counts), np.array(shares), ordered) == expected


def plain_exchange(
    members: list[int], candidates: list[int], codes: list[int], shares: list[float], ordered: bool, t: float
) -> list[int]:
    def distance(records: list[int]) -> float:
        held = [codes[record] for record in records]
        gaps = [held.count(value) / len(held) - share for value, share in enumerate(shares)]
        if not ordered:
            return sum(gap for gap in gaps if gap > 0)
        return sum(abs(sum(gaps[: value + 1])) for value in range(len(gaps) - 1)) / (len(gaps) - 1)

    members = list(members)
    for candidate in candidates:
        now = distance(members)
        if now <= t:
            break
        trials = [[*members[:i], candidate, *members[i + 1 :]] for i in range(len(members))]
        best = min(trials, key=distance)  # the first of those that are equally near
        if distance(best) < now:
            members = best
    return members


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("t", [0.0, 0.125, 0.1875])
def test_exchanges_are_those_of_plain_lists(ordered: bool, t: float) -> None:
    # Sixteen records, groups of four and five values: every distance is exact in binary.
    moved = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 5, 16)
        shares = np.bincount(codes, minlength=5) / 16
        records = rng.permutation(16)
        members = records[:4].copy()
        exchange_members(members, records[4:], codes, shares, ordered, t)
        expected = plain_exchange(
            records[:4].tolist(), records[4:].tolist(), codes.tolist(), shares.tolist(), ordered, t
        )
        assert members.tolist() == expected
        moved += members.tolist() != records[:4].tolist()
    assert moved > 3


def test_a_group_that_is_near_enough_and_one_without_candidates_stay() -> None:
    codes, shares = np.array([0, 0, 1, 1]), np.array([0.5, 0.5])
    for candidates, t in (([2, 3], 0.5), ([], 0.0)):
        members = np.array([0, 1])
        exchange_members(members, np.array(candidates, dtype=np.int64), codes, shares, True, t)
        assert members.tolist() == [0, 1]
    members = np.array([0, 1])
    exchange_members(members, np.array([3, 2]), codes, shares, True, 0.4999)
    assert members.tolist() == [3, 1]


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    codes = np.array([0, 0, 1, 1])
    with stops():
        exchange_members(np.array([0, 1]), np.array([2]), codes, np.array([0.5, 0.5]), True, 0.0)
