from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.operators import MeanHierarchy, QuasiWeightedMean

POSITIVE = st.floats(0.1, 50)


@given(st.lists(POSITIVE, min_size=3, max_size=3))
def test_it_is_the_means_written_out(values):
    a, b, c = values
    layers = [
        [QuasiWeightedMean("log", [0.2, 0.3, 0.5]), QuasiWeightedMean("power:2", [0.6, 0.2, 0.2])],
        [QuasiWeightedMean("power:-1", [0.5, 0.5]), QuasiWeightedMean("power:1", [0.9, 0.1])],
        [QuasiWeightedMean("power:1", [0.25, 0.75])],
    ]
    geometric = a**0.2 * b**0.3 * c**0.5
    quadratic = (0.6 * a * a + 0.2 * b * b + 0.2 * c * c) ** 0.5
    harmonic = 1 / (0.5 / geometric + 0.5 / quadratic)
    expected = 0.25 * harmonic + 0.75 * (0.9 * geometric + 0.1 * quadratic)
    assert MeanHierarchy(layers)(values) == pytest.approx(expected, rel=1e-9)


def test_many_collections_at_once():
    operator = MeanHierarchy()
    values = np.array([1.0, 7.0, 2.0, 2.0, 3.0, 4.0])
    one_by_one = [operator(values[at : at + 2]) for at in (0, 2, 4)]
    assert operator.batch(values, np.array([0, 2, 4, 6])).tolist() == one_by_one


@pytest.mark.parametrize(
    "layers",
    [
        [],
        [[QuasiWeightedMean("log", [0.5, 0.5]), QuasiWeightedMean("log", [0.5, 0.5])]],
        [[QuasiWeightedMean("log")]],
        [[QuasiWeightedMean("log", [0.5, 0.5])], [QuasiWeightedMean("log", [0.5, 0.5])]],
    ],
)
def test_layers_that_do_not_fit(layers):
    with pytest.raises(ParameterError, match="MeanHierarchy"):
        MeanHierarchy(layers)
