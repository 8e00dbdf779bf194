"""Blocks of records: the nearest and the farthest of those that are left are those of all distances, ties included."""

import numpy as np
import pytest

from discreet.kernels.centring import centred
from discreet.kernels.groups.shrinking_blocks import (
    WIDTH,
    build_blocks,
    delete_record,
    find_farthest,
    find_nearest,
    scratch_for,
)


def tables(n):
    rng = np.random.default_rng(n)
    yield "gaussian", rng.standard_normal((n, 10))
    yield "one column", rng.standard_normal((n, 1))
    yield "heavy tails", rng.standard_cauchy((n, 6))
    yield "grid", rng.integers(0, 3, (n, 4)).astype(float)
    yield "duplicates", np.repeat(rng.standard_normal((n // 4 + 1, 3)), 4, axis=0)[:n]
    yield "all alike", np.ones((n, 2))
    # Single precision tells nothing apart here unless it is seen from nearby.
    yield "far clusters", 1e-9 * rng.standard_normal((n, 3)) + rng.integers(0, 3, (n, 1))
    yield "tiny", np.vstack([np.ones((1, 2)), 1e-25 * rng.standard_normal((n - 1, 2))])
    # Squares of these are beyond single precision, or nothing in it.
    yield "huge", 1e100 * rng.standard_normal((n, 3))
    yield "one huge", np.vstack([np.full((1, 2), 1e60), rng.standard_normal((n - 1, 2))])
    yield "minute", 1e-100 * rng.standard_normal((n, 3))
    yield "many columns", rng.integers(0, 2, (n, 67)).astype(float)


@pytest.mark.parametrize("n", [1, 17, 300, 1500])
def test_extremes_are_those_of_all_distances(n):
    for name, values in tables(n):
        points = values if name in {"huge", "one huge", "minute"} else centred(values)
        rng = np.random.default_rng(7)
        left = np.sort(rng.permutation(n)[: max(1, n - n // 10)])
        blocks = build_blocks(points, left, points.mean(axis=0))
        scratch = scratch_for(blocks)
        for _ in range(40):
            i = int(rng.choice(left))
            squared = np.zeros(left.size)
            for column in (points[left] - points[i]).T:
                squared += column * column
            size = min(5, left.size)
            out, winners = np.empty(size), np.empty(size, dtype=np.int64)
            home = blocks.place[i] // WIDTH**2
            find_nearest(blocks, points[i], home, size, out, winners, scratch)
            nearest = np.argsort(squared, kind="stable")[:size]
            assert winners.tolist() == left[nearest].tolist(), name
            assert out.tolist() == squared[nearest].tolist(), name
            find_farthest(blocks, points[i], home, size, out, winners, scratch)
            farthest = np.argsort(-squared, kind="stable")[:size]
            assert winners.tolist() == left[farthest].tolist(), name
            assert (-out).tolist() == squared[farthest].tolist(), name
            if left.size > n // 3 + 1:
                # The outermost go first, as they do in the methods, and a few at random.
                for record in {*left[farthest[:3]].tolist(), i}:
                    delete_record(blocks, record)
                    left = left[left != record]
