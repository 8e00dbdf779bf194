from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.grouping import counting_order


@pytest.mark.parametrize(("n", "groups"), [(0, 3), (1, 1), (500, 7), (500, 2000)])
def test_positions_are_sorted_by_label_and_keep_their_order(n: int, groups: int) -> None:
    labels = np.random.default_rng(n).integers(0, groups, n)
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=groups))[:-1]]).astype(np.int64)
    order = np.empty(n, dtype=np.int64)
    counting_order(labels, starts, order)
    assert np.array_equal(order, np.argsort(labels, kind="stable"))
