"""Worked examples of Domingo-Ferrer and Torra (2002), Median based aggregation operators for prototype construction."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal
from fractions import Fraction

import numpy as np
import pytest

from discreet.operators import (
    ConvexHull,
    ConvexWeightedMedian,
    CWOWMedian,
    OrdinalMedian,
    Plurality,
    WeightedMedian,
    WOWTransformation,
)
from discreet.reproduction.subjects.cwow_median import EXAMPLE_2, EXAMPLE_3, VALUES
from discreet.reproduction.subjects.cwow_median import TABLE_3 as PRINTED_3
from discreet.reproduction.subjects.median_monotonicity import compare_table

TABLE_3 = [(float(Fraction(alpha)), weights, int(level[2:])) for alpha, (weights, level) in PRINTED_3.items()]
ACC = [2, 3, 1, 0, 2, 1, 0]


def test_table_3_frequencies():
    assert np.bincount(VALUES, minlength=7).tolist() == ACC
    assert ConvexHull()(ACC).tolist() == [2, 3, 2, 2, 2, 1, 0]


@pytest.mark.parametrize(("alpha", "printed", "result"), TABLE_3)
def test_table_3_weights_are_the_printed_ones_cut_to_four_decimals(alpha, printed, result):
    bent = (ConvexHull() | WOWTransformation(alpha))(ACC)
    # A hair is added so that a value such as 0.25, off by its last bit, is not cut below itself.
    cut = [Decimal(value + 1e-12).quantize(Decimal("0.0001"), ROUND_DOWN) for value in bent.tolist()]
    assert cut == [Decimal(word) for word in printed.split()]


@pytest.mark.parametrize(("alpha", "printed", "result"), TABLE_3)
def test_table_3_results(alpha, printed, result):
    assert CWOWMedian(alpha)(VALUES) == result


def test_table_3_medians():
    # The paper prints l_4 in the first row; nine values have their fifth at l_1.
    assert OrdinalMedian()(VALUES) == WeightedMedian()(VALUES) == 1
    assert ConvexWeightedMedian()(VALUES) == 2


def test_table_4_a_raised_value_lowers_the_convex_median():
    raised = [2, *EXAMPLE_2[1:]]
    assert (WeightedMedian()(EXAMPLE_2), WeightedMedian()(raised)) == (3, 3)
    assert (CWOWMedian()(EXAMPLE_2), CWOWMedian()(raised)) == (3, 2)
    assert ConvexHull()(np.bincount(raised)).tolist() == [5, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1]


def test_example_3_a_long_scale_makes_the_fall_long():
    raised = [*EXAMPLE_3[:1000], 250, *EXAMPLE_3[1001:]]
    assert (CWOWMedian()(EXAMPLE_3), CWOWMedian()(raised)) == (498, 373)


def test_plurality_of_section_3():
    assert Plurality()([0, 0, 3, 4]) == 0
    assert Plurality()([4, 0, 3, 4]) == 4


@pytest.mark.parametrize("table", [5, 13, 17])
def test_monotonicity_tables_agree_statistically(table):
    comparison = compare_table(table, draws=4_000, seed=7)
    assert comparison.comparable == 11 * 13
    # Of 143 cells, fewer than one is expected beyond 3 standard errors by chance.
    assert comparison.beyond(3.0) <= 3
    assert comparison.beyond(5.0) == 0
    assert abs(comparison.pooled_z) < 3.5


def test_table_13_is_not_the_scenario_of_its_caption():
    from discreet.reproduction.subjects.median_monotonicity import simulate_violations
    from discreet.reproduction.subjects.printed_monotonicity import PRINTED

    printed = np.array(PRINTED[13].counts)[8, 1:10]
    rows = {scenario: simulate_violations(scenario, 3, levels=(10,))[0, 1:10] for scenario in (1, 2)}
    error = np.sqrt(2 * printed)
    assert (np.abs(printed - rows[1]) < 4 * error).all()
    assert (np.abs(printed - rows[2]) > 4 * error).any()
