"""What is known of columns of numbers before they are measured."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.linkage.shared.coordinates import Spread


@pytest.mark.parametrize("n", [0, 1, 511, 512, 513, 2000])
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_extremes_are_those_of_the_values_that_are_there(n, share):
    rng = np.random.default_rng(n)
    numbers = rng.normal(size=(n, 3))
    numbers[rng.random((n, 3)) < share] = np.nan
    spread = Spread.of(numbers)
    for column, low, high, absent in zip(numbers.T, spread.low, spread.high, spread.absent, strict=True):
        values = column[~np.isnan(column)]
        assert (low, high) == (values.min(initial=np.inf), values.max(initial=-np.inf))
        assert absent == n - values.size
    assert spread.absent.dtype == np.int64
