"""Where two people were at the same times, worked out by hand; `test_path_distance` has its definition."""

from __future__ import annotations

import pytest

from discreet.data.scales.dissimilarities.synchronous import Synchronous


def test_the_same_way_later_has_nothing_in_common():
    assert Synchronous(span=1)([0, 0, 0, 9, 5, 0], [10, 0, 0, 19, 5, 0]) == 1.0
    # At 5 the one was half way, 1 from the other, who was only there once: half of one of three points, and two alone.
    assert Synchronous(span=1)([0, 0, 0, 10, 4, 0], [5, 2, 1]) == pytest.approx((1 + 1 + 0.5) / 3)
