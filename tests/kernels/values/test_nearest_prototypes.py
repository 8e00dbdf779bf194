"""Records of levels and numbers by hand, and moves to large groups beside plain lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.kernels.values.nearest_prototypes import (
    accumulate_memberships,
    assign_records,
    greedy_start,
    measure_from,
    relocate_records,
)

NAN = np.nan


def levels(*rows: list[int]) -> np.ndarray:
    return np.array(rows, dtype=np.int32)


# Two attributes of levels, the last of each missing, and two of numbers.
TABLE = np.array([0.0, 1.0, 0.5, 1.0, 0.0, 0.5, 0.5, 0.5, 0.0, *[0.0, 2.0, 2.0, 0.0]])
STARTS, SIZES, ABSENT = np.array([0, 9]), np.array([3, 2]), np.array([8.0, 16.0])
GEOMETRY = (TABLE, STARTS, SIZES, ABSENT)
CODES = levels([0, 1, 2, 0], [0, 0, 1, 1])
NUMBERS = np.array([[1.0, 4.0, NAN, 1.0], [0.0, NAN, NAN, -3.0]])


def test_distances_add_up_over_levels_numbers_and_what_is_missing() -> None:
    expected = [
        [0.0, 1.0 + 3.0 + 16.0, 0.5 + 2.0 + 8.0 + 16.0, 2.0 + 3.0],
        [20.0, 0.0, 0.5 + 2.0 + 8.0, 1.0 + 2.0 + 3.0 + 16.0],
        [26.5, 10.5, 0.0, 0.5 + 8.0 + 16.0],
        [5.0, 22.0, 24.5, 0.0],
    ]
    for i in range(4):
        out = np.full(4, -1.0)
        measure_from(CODES, NUMBERS, i, CODES, NUMBERS, 4, *GEOMETRY, out)
        assert out.tolist() == expected[i]
        measure_from(CODES, NUMBERS, i, CODES, NUMBERS, 2, *GEOMETRY, out)
        assert out.tolist() == expected[i]
        few = np.full(4, -1.0)
        measure_from(CODES, NUMBERS, i, CODES, NUMBERS, 2, *GEOMETRY, few)
        assert few.tolist() == [*expected[i][:2], -1.0, -1.0]


def of_numbers(*values: float) -> tuple[np.ndarray, np.ndarray]:
    """Records of one number."""
    return np.empty((0, len(values)), dtype=np.int32), np.array([values], dtype=np.float64)


NONE = np.empty(0, dtype=np.int64)
PLAIN = (np.empty(0), NONE, NONE, np.array([100.0]))


@pytest.mark.parametrize(
    ("centres", "expected"),
    [
        ([0.0, 2.0, 2.0, 4.0], [0, 0, 1, 1, 3, 3]),  # 1 is between 0 and 2, and 3 between both twos and 4
        ([4.0, 2.0, 0.0], [2, 1, 1, 0, 0, 0]),
        ([7.0], [0] * 6),
    ],
)
def test_a_record_goes_to_its_nearest_centre_and_the_lowest_on_a_tie(centres: list[float], expected: list[int]) -> None:
    labels = np.full(6, -1)
    assign_records(
        *of_numbers(0.0, 1.0, 2.0, 3.0, 4.0, 9.0), *of_numbers(*centres), *PLAIN, np.empty(len(centres)), labels
    )
    assert labels.tolist() == expected


@pytest.mark.parametrize(
    ("values", "weights", "most", "seeds"),
    [
        ([0.0, 1.0, 5.0, 9.0], [1.0, 2.0, 2.0, 1.0], 3, [1, 2, 3]),  # distances 1, 4 · 2, 8; then 4 beside 1
        ([0.0, 4.0, -4.0], [1.0, 1.0, 1.0], 2, [0, 1]),
        ([0.0, 4.0, -4.0], [1.0, 1.0, 1.0], 3, [0, 1, 2]),
        ([0.0, 4.0, -4.0], [1.0, 1.0, 1.0], 1, [0]),
        ([3.0, 3.0, 3.0], [1.0, 5.0, 5.0], 3, [1]),  # everybody lies on the first
        ([3.0, 7.0, 3.0, 7.0], [1.0, 1.0, 5.0, 1.0], 4, [2, 1]),
        ([3.0, 7.0], [1.0, 0.0], 2, [0]),
        ([3.0], [1.0], 2, [0]),
    ],
)
def test_starts_are_heavy_and_far_from_those_taken(
    values: list[float], weights: list[float], most: int, seeds: list[int]
) -> None:
    found, n = np.full(most, -1), len(values)
    taken = greedy_start(*of_numbers(*values), np.array(weights), *PLAIN, np.empty(n), np.empty(n), found)
    assert found[:taken].tolist() == seeds
    assert found[taken:].tolist() == [-1] * (most - taken)


@pytest.mark.parametrize(
    ("record", "centres", "fuzziness", "memberships"),
    [
        (0, [1, 1], 2.0, [0.5, 0.5]),
        (0, [0, 1], 2.0, [1.0, 0.0]),  # on a centre
        (0, [0, 1, 0], 2.0, [0.5, 0.0, 0.5]),  # on two
        (2, [0, 1, 3], 2.0, [0.4, 0.4, 0.2]),  # at distances 1, 1 and 2
        (2, [0, 3], 1.5, [0.8, 0.2]),  # by squares
        (2, [0, 3], 1.001, [1.0, 0.0]),  # by the power of a thousand, which is no number any more of 1e±5
    ],
)
def test_memberships_fall_with_the_distance(
    record: int, centres: list[int], fuzziness: float, memberships: list[float]
) -> None:
    distances = np.array([[0, 1, 1, 3], [1, 0, 1, 3], [1, 1, 0, 2], [3, 3, 2, 0]], dtype=np.float64)
    for scale in (1.0, 1e-5, 1e5):
        geometry = (scale * distances.ravel(), np.array([0]), np.array([4]), np.empty(0))
        gathered = np.full((len(centres), 6), 7.0)
        nothing = np.empty((0, 1)), np.empty((0, len(centres)))
        accumulate_memberships(
            levels([record]), nothing[0], np.array([3.0]), levels(centres), nothing[1], *geometry, np.array([1]),
            fuzziness, np.empty(len(centres)), gathered,
        )  # fmt: skip
        expected = np.zeros((len(centres), 6))
        expected[:, 1 + record] = 3.0 * np.array(memberships) ** fuzziness
        assert gathered == pytest.approx(expected, abs=1e-9)


def plain_relocate(
    values: list[int], counts: list[int], centres: list[int], k: int, labels: list[int]
) -> tuple[list[int], int]:
    labels, moves = list(labels), 0
    while True:
        groups = range(len(centres))
        inside = [[i for i, label in enumerate(labels) if label == g] for g in groups]
        held = [sum(counts[i] for i in inside[g]) for g in groups]
        small = [g for g in groups if 0 < held[g] < k]
        if not small:
            return labels, moves
        group = min(small, key=lambda g: len(inside[g]))
        own, lacking = inside[group], k - held[group]
        far = [abs(value - centres[group]) for value in values]
        taken: list[int] = []
        left = list(held)
        while lacking > 0 and len(taken) < len(own):
            spare = [
                i
                for i, label in enumerate(labels)
                if label != group and i not in taken and left[label] - counts[i] >= k
            ]
            if not spare:
                break
            nearest = min(spare, key=lambda i: far[i])
            taken.append(nearest)
            left[labels[nearest]] -= counts[nearest]
            lacking -= counts[nearest]
        needed = []
        for i in taken if lacking <= 0 else []:
            if lacking + counts[i] <= 0:
                lacking += counts[i]
            else:
                needed.append(i)
        others = [g for g in groups if g != group and inside[g]]
        goals = {i: min(others, key=lambda g: abs(values[i] - centres[g]), default=-1) for i in own}
        filling = sum(counts[i] * far[i] for i in needed)
        dissolving = sum(counts[i] * abs(values[i] - centres[g]) for i, g in goals.items())
        if needed and (len(needed), filling) < (len(own), dissolving):
            goals = dict.fromkeys(needed, group)
        for i, g in goals.items():
            labels[i] = g
            moves += 1


@pytest.mark.parametrize("k", [3, 5, 7])
def test_moves_are_those_of_plain_lists(k: int) -> None:
    moved = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n, groups = int(rng.integers(2, 12)), int(rng.integers(1, 5))
        values, counts = rng.integers(0, 12, n).tolist(), rng.integers(1, 4, n).tolist()
        centres, labels = rng.integers(0, 12, groups).tolist(), rng.integers(0, groups, n).tolist()
        if sum(counts) < k:
            continue
        found = np.array(labels)
        moves = relocate_records(*of_numbers(*values), np.array(counts), *of_numbers(*centres), *PLAIN, k, found)
        assert (found.tolist(), moves) == plain_relocate(values, counts, centres, k, labels)
        moved += moves
    assert moved > 50


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    records, centre = of_numbers(1.0, 2.0), of_numbers(1.0)
    with stops():
        assign_records(*records, *centre, *PLAIN, np.empty(1), np.empty(2, dtype=np.int64))
    with stops():
        greedy_start(*records, np.ones(2), *PLAIN, np.empty(2), np.empty(2), np.empty(1, dtype=np.int64))
    with stops():
        relocate_records(*records, np.ones(2, dtype=np.int64), *centre, *PLAIN, 2, np.zeros(2, dtype=np.int64))
