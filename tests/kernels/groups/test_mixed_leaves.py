"""Leaves hold every record once, in bundles neither crowded nor nearly empty, and their ranges enclose them."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.groups.mixed_leaves import WIDTH, build_leaves, take_record

LEVELS = 5


def leaves_of(n, q, p, seed=0, remaining=None):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, LEVELS, (q, n)).astype(np.int32)
    numbers = rng.normal(size=(p, n))
    numbers[:, ::7] = np.nan
    apart = np.abs(np.subtract.outer(np.arange(LEVELS), np.arange(LEVELS))) / (LEVELS - 1)
    table = np.concatenate([apart.ravel()] * q) if q else np.zeros(0)
    starts = LEVELS * LEVELS * np.arange(q, dtype=np.int64)
    sizes, places = np.full(q, LEVELS, dtype=np.int64), LEVELS * np.arange(q + 1, dtype=np.int64)
    some = np.arange(n) if remaining is None else remaining
    return build_leaves(codes, numbers, table, starts, sizes, places, some), numbers


@pytest.mark.parametrize(
    ("n", "bundles"), [(1, 1), (16, 1), (256, 1), (257, 2), (512, 2), (600, 4), (1024, 4), (1025, 5)]
)
def test_numbers_are_halved_until_a_bundle_can_hold_them(n, bundles):
    leaves, _ = leaves_of(n, 0, 2)
    assert leaves.bundle_alive.size == bundles
    assert leaves.bundle_alive.sum() == n
    assert leaves.bundle_alive.max() <= WIDTH * WIDTH
    assert leaves.bundle_alive.min() >= min(n, WIDTH * WIDTH // 2)


@pytest.mark.parametrize(("q", "p"), [(2, 0), (0, 2), (3, 2)])
def test_every_record_is_in_one_place_and_within_the_ranges_of_its_leaf(q, p):
    remaining = np.sort(np.random.default_rng(5).choice(900, 700, replace=False))
    leaves, numbers = leaves_of(900, q, p, seed=1, remaining=remaining)
    held = leaves.records.ravel()
    assert sorted(held[held >= 0].tolist()) == remaining.tolist()
    assert np.array_equal(held[leaves.place[remaining]], remaining)
    assert np.array_equal((leaves.records >= 0).sum(axis=1), leaves.alive.ravel())
    assert np.array_equal(leaves.alive.sum(axis=1), leaves.bundle_alive)
    if p and not q:
        assert (leaves.alive[leaves.bundle_alive >= WIDTH] == 0).sum() <= leaves.alive.size // 2
    for i in remaining.tolist():
        leaf = leaves.place[i] // WIDTH
        b, c = leaf // WIDTH, leaf % WIDTH
        for a in range(p):
            if np.isnan(numbers[a, i]):
                assert leaves.lacks[b, a, c]
                assert leaves.bundle_lacks[a, b]
            else:
                assert leaves.bundle_low[a, b] <= leaves.low[b, a, c] <= numbers[a, i]
                assert numbers[a, i] <= leaves.high[b, a, c] <= leaves.bundle_high[a, b]


def test_a_record_that_is_taken_is_nowhere():
    leaves, _ = leaves_of(100, 2, 1)
    place = leaves.place[40]
    take_record(leaves, 40)
    assert leaves.records.ravel()[place] == -1
    assert leaves.bundle_alive.sum() == 99
    assert leaves.alive.sum() == 99
