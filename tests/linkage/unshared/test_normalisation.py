from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import representatives as reference

from discreet.linkage.unshared.normalisation import NORMALISATIONS, impute, normalise

COLUMNS = st.lists(
    st.lists(st.floats(-1e6, 1e6).map(lambda v: round(v, 3)), min_size=6, max_size=6, unique=True),
    min_size=1,
    max_size=4,
)


@given(columns=COLUMNS)
def test_papers_normalisations_by_definition(columns):
    values = np.array(columns).T
    assert normalise(values, "ranging") == pytest.approx(np.array(reference.ranging(values.tolist())))
    assert normalise(values, "standard") == pytest.approx(np.array(reference.standard(values.tolist())), abs=1e-9)


def test_ranks_and_their_normal_scores():
    values = np.array([[10.0], [30.0], [20.0], [20.0]])
    assert normalise(values, "rank").ravel() == pytest.approx([1 / 8, 7 / 8, 1 / 2, 1 / 2])
    scores = normalise(values, "rank_gauss").ravel()
    assert scores == pytest.approx([-1.1503494, 1.1503494, 0, 0], abs=1e-6)


@pytest.mark.parametrize("how", NORMALISATIONS)
def test_missing_values_stay_and_constant_columns_go(how):
    values = np.array([[1.0, 5.0, np.nan], [2.0, 5.0, 3.0], [np.nan, 5.0, 3.0], [4.0, 5.0, np.nan]])
    result = normalise(values, how)
    assert result.shape == (4, 1)
    assert np.isnan(result[:, 0]).tolist() == [False, False, True, False]
    assert normalise(values[:, 1:], how).shape == (4, 0)


@pytest.mark.parametrize("how", NORMALISATIONS)
def test_units_do_not_matter(how):
    values = np.random.default_rng(0).gamma(2.0, size=(30, 3))
    assert normalise(values * 1000 + 7e6, how) == pytest.approx(normalise(values, how), abs=1e-6)


def test_imputation_uses_the_other_attributes():
    rng = np.random.default_rng(1)
    hidden = rng.normal(size=200)
    values = np.column_stack([hidden, hidden + rng.normal(size=200) / 20, rng.normal(size=200)])
    holes = values.copy()
    holes[:20, 1] = np.nan
    filled = impute(normalise(holes, "standard"))
    assert np.corrcoef(filled[:20, 1], hidden[:20])[0, 1] > 0.95
    assert filled.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    assert filled.std(axis=0) == pytest.approx(np.ones(3))
    assert np.isfinite(impute(np.array([[np.nan, np.nan], [1.0, 2.0], [2.0, 1.0]]))).all()


def test_a_gap_is_what_the_other_attributes_predict():
    # Two columns that are equal where both are known.
    values = np.array([[1.0, 1.0], [-1.0, -1.0], [2.0, 2.0], [-2.0, -2.0], [1.5, np.nan], [np.nan, np.nan]])
    filled = impute(values)
    assert filled.mean(axis=0) == pytest.approx([0, 0], abs=1e-12)
    assert filled.std(axis=0) == pytest.approx([1, 1])
    # Nearly as large as its own, but for a little ridge, and between the known neighbours of the column.
    assert filled[0, 1] < filled[4, 1] < filled[2, 1]
    assert filled[4, 1] == pytest.approx(filled[4, 0], rel=0.1)
    # Who has no value at all is the mean of the others.
    assert filled[5] == pytest.approx(filled[:5].mean(axis=0), abs=0.01)


def test_without_gaps_columns_are_standardised_and_constant_ones_become_zero():
    values = np.array([[1.0, 4.0], [3.0, 4.0], [8.0, 4.0]])
    filled = impute(values)
    assert filled[:, 0] == pytest.approx((values[:, 0] - 4) / np.sqrt(26 / 3))
    assert filled[:, 1].tolist() == [0, 0, 0]
    assert values[0, 0] == 1.0


def test_two_values_are_enough_and_one_is_not():
    column = np.array([[np.nan], [2.0], [6.0]])
    assert normalise(column, "standard")[1:, 0].tolist() == [-1.0, 1.0]
    assert normalise(column, "ranging")[1:, 0].tolist() == [0.0, 1.0]
    assert normalise(column[:2], "standard").shape == (2, 0)
