"""The farthest point of either path from the other, worked out by hand; `test_path_distance` has its definition."""

from __future__ import annotations

from discreet.data.scales.dissimilarities.hausdorff import Hausdorff


def test_the_order_and_the_times_of_places_do_not_count():
    assert Hausdorff(span=1)([0, 0, 0, 1, 5, 0], [7, 5, 0, 9, 0, 0]) == 0.0
    # Whoever is farther from the other decides: all of the short path lies on the long one.
    assert Hausdorff(span=1)([0, 0, 0], [0, 0, 0, 1, 3, 0]) == 0.75
    assert Hausdorff(span=1)([0, 0, 0, 1, 3, 0], [0, 0, 0]) == 0.75
