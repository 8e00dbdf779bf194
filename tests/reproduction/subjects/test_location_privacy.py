"""P3, On the use of aggregation operators for location privacy: the seven sequences of Table 1."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.operators import Power
from discreet.reproduction.subjects.location_privacy import LARGE, MATRICES, MEDIUM, PAIRS, TABLE_2, matrix, partition

# For Q1^2 the rule of the paper gives the partition of large α; see the last test.
PARTITIONS = {label: pair for label, pair in TABLE_2.items() if label != "Q1^2"}


@pytest.mark.parametrize("label", MATRICES)
def test_matrix_of_the_seven_sequences(label):
    expected = np.ones((7, 7)) - np.eye(7)
    for (i, j), value in zip(PAIRS, MATRICES[label].split(), strict=True):
        expected[i, j] = expected[j, i] = float(value)
    np.testing.assert_allclose(matrix(TABLE_2[label][0]), expected, atol=1e-4)


@pytest.mark.parametrize("linkage", ["single", "complete", "average"])
@pytest.mark.parametrize("label", PARTITIONS)
def test_partitions_of_table_2(label, linkage):
    quantifier, printed = PARTITIONS[label]
    assert sorted(partition(quantifier, linkage)) == sorted(printed)


def test_deviation_the_medium_partition_of_power_2_appears_below_alpha_1():
    assert sorted(partition(Power(2))) == sorted(LARGE)
    for alpha in (0.85, 0.9, 0.99):
        assert sorted(partition(Power(alpha))) == sorted(MEDIUM), alpha
