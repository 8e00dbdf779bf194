from __future__ import annotations

import numpy as np
import pytest

from discreet.data.scales.semantics import IntervalSemantics
from discreet.errors import ParameterError
from discreet.operators import (
    RAGE,
    Defuzzifier,
    MeanSelection,
    MedianSelection,
    MostPossible,
    PluralitySelection,
    RandomSelection,
)

SETS = np.array([[0.0, 0.5, 0.25, 0.25], [1.0, 0.0, 0.0, 1.0]])


def test_centre_of_area_and_mean_of_maxima():
    area = Defuzzifier([MeanSelection([10, 20, 30, 40])])
    assert area.defuzzify(SETS).tolist() == [27.5, 25.0]
    maxima = MostPossible() | MeanSelection([10, 20, 30, 40], weighted=False)
    assert maxima.defuzzify(SETS).tolist() == [20.0, 25.0]


def test_a_semantics_brings_the_mean_back_to_a_level():
    semantics = IntervalSemantics((0, 10, 20, 30), (10, 20, 30, 40))
    # Centres 5, 15, 25, 35: means 22.5 and 20, which lies on the boundary.
    assert Defuzzifier([MeanSelection(semantics)]).defuzzify(SETS).tolist() == [2, 2]


def test_medians_on_a_share_that_is_met_exactly():
    assert MedianSelection().select(SETS, np.empty(2)).tolist() == [2, 3]
    assert MedianSelection(side="lower").select(SETS, np.empty(2)).tolist() == [1, 0]
    assert MedianSelection(0.0, side="lower").select(SETS, np.empty(2)).tolist() == [1, 0]


def test_plurality_takes_the_lowest_of_equals():
    assert PluralitySelection().select(SETS, np.empty(2)).tolist() == [1, 0]


def test_draws_choose_levels_with_membership():
    nearly_one = 1 - 2**-53
    assert RAGE().select(SETS, np.array([0.0, 0.0])).tolist() == [1, 0]
    assert RAGE().select(SETS, np.array([nearly_one, nearly_one])).tolist() == [3, 3]
    assert RAGE().select(SETS, np.array([0.49, 0.51])).tolist() == [1, 3]
    # Three and two levels above 0, all equally likely.
    assert RandomSelection().select(SETS, np.array([0.34, 0.49])).tolist() == [2, 0]


def test_numbers_must_fit_the_levels():
    with pytest.raises(ParameterError, match="one for each of 4 levels"):
        Defuzzifier([MeanSelection([1, 2])]).defuzzify(SETS)
