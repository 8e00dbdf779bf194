"""P3, On the use of aggregation operators for location privacy: the seven sequences of Table 1."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.operators import Power
from discreet.reproduction.subjects import location_privacy
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


def test_tables_have_their_names_and_sizes():
    """Name, title, corner, columns, rows, and the first and the last row."""
    found = location_privacy.tables()
    assert [
        (one.name, one.title, one.corner, len(one.columns), len(one.rows), one.rows[0].label, one.rows[-1].label)
        for one in found
    ] == [
        ("Definition 4", "d_OSS-OWA of the sequences of Table 1", "Q", 13, 6, "Q1^0.4", "Q2^0.8"),
        ("Table 2", "Groups with k = 2", "Q", 1, 9, "Q1^0.4", "Q1^0.99"),
        ("Q1^1", "The tie at α = 1", "", 1, 4, "d(abmnc, stmn)", "groups, abmnc listed after mn"),
        ("Table 2, SSE", "Sums of squared distances to the prototype", "Q", 3, 6, "Q1^0.4", "Q2^0.8"),
    ]
