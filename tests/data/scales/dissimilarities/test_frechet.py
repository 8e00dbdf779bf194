"""The shortest leash, worked out by hand; `test_path_distance` has its definition."""

from __future__ import annotations

import pytest

from discreet.data.scales.dissimilarities.frechet import Frechet


def test_the_order_of_places_counts_and_their_times_do_not():
    assert Frechet(span=1)([0, 0, 0, 1, 5, 0], [7, 0, 0, 9, 5, 0]) == 0.0
    assert Frechet(span=1)([0, 0, 0, 1, 5, 0], [0, 5, 0, 1, 0, 0]) == pytest.approx(5 / 6)
