"""Blocks cut at medians, and groups that stay in them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from discreet.kernels.groups.mdav import mdav_of_points
from discreet.kernels.groups.partitioned import _blocks, block_mdav, partitioned_mdav


@pytest.mark.parametrize(
    ("points", "size", "expected"),
    [
        ([[0], [1], [2]], 3, [[0, 1, 2]]),
        ([[0], [1], [2], [3]], 3, [[2, 3], [0, 1]]),
        ([[4], [3], [2], [1], [0]], 2, [[0, 1], [2], [3, 4]]),  # two of five below, then one of three
        ([[0, 0], [1, 10], [2, 0], [3, 10]], 2, [[1, 3], [0, 2]]),  # the second column is wider
        ([[0, 0], [10, 1], [0, 10], [10, 11]], 2, [[2, 3], [0, 1]]),
        ([[0, 0], [10, 1], [1, 10], [11, 9]], 2, [[1, 3], [0, 2]]),  # 11 and 10
        ([[7]], 1, [[0]]),
    ],
)
def test_records_are_cut_at_medians_of_the_widest_column(
    points: list[list[float]], size: int, expected: list[list[int]]
) -> None:
    assert [block.tolist() for block in _blocks(np.array(points, dtype=np.float64), size)] == expected


def test_groups_stay_in_their_blocks() -> None:
    points = np.concatenate([np.arange(-9.0, 0.0), 100 + np.arange(8.0)])[:, None] / 128
    with ThreadPoolExecutor(1) as workers:
        labels = block_mdav(points, 2, workers, 9)
        upper, lower = mdav_of_points(points[8:], 2), mdav_of_points(points[:8], 2)
        assert labels[8:].tolist() == upper.tolist()
        assert labels[:8].tolist() == (upper.max() + 1 + lower).tolist()
        # A block holds four times k at least, however small it should be.
        whole = mdav_of_points(points[:8], 2).tolist()
        assert block_mdav(points[:8], 2, workers, 1).tolist() == whole
        assert len(set(block_mdav(points[:9], 2, workers, 1).tolist())) == 4


@pytest.mark.parametrize(("n", "k", "sizes"), [(1, 1, [1]), (3, 2, [3]), (4, 2, [2, 2]), (5, 1, [1] * 5), (5, 3, [5])])
def test_few_records_and_groups_of_one(n: int, k: int, sizes: list[int]) -> None:
    with ThreadPoolExecutor(1) as workers:
        labels = partitioned_mdav(np.arange(float(n))[:, None], k, seed=1, workers=workers, block=4, passes=2)
    assert np.bincount(labels).tolist() == sizes


def test_repairs_cross_the_borders_of_blocks() -> None:
    # The border falls into the second of four clusters, whose last record is grouped with the third.
    values = np.array([0.0, 0.1, 0.2, 4.8, 4.9, 5.0, 5.1, 5.2, 9.0, 9.1, 9.2, 14.0, 14.1, 14.2])[:, None]
    clusters = [[0, 1, 2], [3, 4, 5, 6, 7], [8, 9, 10], [11, 12, 13]]
    with ThreadPoolExecutor(1) as workers:
        broken = partitioned_mdav(values, 3, seed=1, workers=workers, block=1, passes=0)
        whole = partitioned_mdav(values, 3, seed=1, workers=workers, block=1)
    assert broken[7] == broken[8] != broken[6]
    assert sorted(np.flatnonzero(whole == group).tolist() for group in range(4)) == clusters
