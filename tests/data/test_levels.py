from __future__ import annotations

import numpy as np

from discreet.data.levels import join_levels
from discreet.data.scales import Nominal, Ordinal


def test_equal_levels_are_one_list_with_a_place_for_the_missing_value():
    joined = join_levels(Ordinal(["a", "b", "c"]), Ordinal(["a", "b", "c"]))
    assert (joined.declared, joined.size, joined.places) == (3, 4, None)
    codes = np.array([2, -1, 0], dtype=np.int8)
    assert joined.before(codes).tolist() == joined.after(codes).tolist() == [2, 3, 0]
    assert codes.tolist() == [2, -1, 0]  # left as they are


def test_levels_of_the_release_find_their_namesakes_and_new_ones_follow():
    joined = join_levels(Nominal(["a", "b"]), Nominal(["b", "c", "d"]))
    assert (joined.declared, joined.size) == (2, 5)
    # a b c d and the missing value
    assert joined.before(np.array([0, 1, -1])).tolist() == [0, 1, 4]
    assert joined.after(np.array([0, 1, 2, -1])).tolist() == [1, 2, 3, 4]


def test_levels_that_are_written_the_same_are_the_same():
    joined = join_levels(Nominal([1, 2]), Nominal(["2", "1"]))
    assert (joined.size, joined.places) == (3, (1, 0))
