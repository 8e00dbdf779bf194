from __future__ import annotations

import pytest

from discreet.data.scales.gap_flag import GapFlag, flagged_by


def test_a_flag_is_no_or_yes():
    assert GapFlag().levels == ("no", "yes")
    assert GapFlag().encode(["yes", "no", None]).tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    ("flag", "number"),
    [("age is missing", "age"), ("age is missing??", "age"), ("age", "age"), ("is missing", "is missing")],
)
def test_the_number_that_a_flag_speaks_of(flag, number):
    assert flagged_by(flag) == number
