"""Maskers in pipelines, searches and scikit-learn's own checks."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import discreet as dc
from discreet import catalogue
from discreet.errors import DataError, ParameterError

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.linear_model import LinearRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import Pipeline  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

ONE_TABLE = "transform on other records is refused: groups and draws belong to one table"
IN_OUR_WORDS = "one record is refused in our words (1 records), not in scikit-learn's"
EXCEPTIONS = {"check_fit2d_1sample": IN_OUR_WORDS}
"""Of every masker."""
OF_ONE_TABLE = EXCEPTIONS | {
    "check_estimators_nan_inf": "missing values are refused in our words, with their count",
    **dict.fromkeys(
        (
            "check_estimators_dtypes", "check_dtype_object", "check_estimators_pickle",
            "check_f_contiguous_array_estimator", "check_transformer_data_not_an_array", "check_transformer_general",
            "check_transformer_preserve_dtypes", "check_dict_unchanged", "check_fit_idempotent",
        ),
        ONE_TABLE,
    ),
}  # fmt: skip
"""Of those that form groups or draw, besides."""


def frame(n=60):
    rng = np.random.default_rng(5)
    return pd.DataFrame({"size": rng.lognormal(size=n), "wage": rng.normal(50, 9, n), "age": rng.uniform(18, 80, n)})


@pytest.mark.parametrize(
    ("masker", "exceptions"),
    [(dc.TopCoding(share=0.1), EXCEPTIONS), (dc.MDAV(k=3), OF_ONE_TABLE), (dc.AdditiveNoise(), OF_ONE_TABLE)],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks(masker, exceptions):
    results = check_estimator(masker, expected_failed_checks=exceptions, on_fail=None, on_skip=None)
    assert len(results) > 30
    assert [one["check_name"] for one in results if one["status"] == "failed"] == []


RECORD_BY_RECORD = {
    name: masker
    for name, cls in sorted(catalogue.maskers().items())
    for masker in cls.examples()[:1]
    if "numeric" in cls.scales and not hasattr(masker, "random_state") and masker.need.name in {"RECORD", "ORDER"}
}


@pytest.mark.parametrize("name", sorted(set(RECORD_BY_RECORD) & {"top-coding", "bottom-coding", "banding"}))
def test_what_is_learned_from_a_table_releases_it_as_masking_does(name):
    table = frame()
    masker = RECORD_BY_RECORD[name].clone()
    released = masker.fit_transform(table)
    assert masker.fit(table).transform(table).equals(released)
    assert not released.equals(table)


def test_other_records_are_coded_at_the_threshold_of_the_first():
    first = pd.DataFrame({"wage": [float(wage) for wage in range(1, 101)]})
    masker = dc.TopCoding(share=0.1).fit(first)
    threshold = masker.transform(first)["wage"].max()
    other = pd.DataFrame({"wage": [1.0, 40.0, 5000.0, 99.0]})
    assert masker.transform(other)["wage"].tolist() == [1.0, 40.0, threshold, threshold]
    assert pickle.loads(pickle.dumps(masker)).transform(other).equals(masker.transform(other))  # noqa: S301 - our own


@pytest.mark.parametrize(
    ("masker", "why"),
    [(dc.MDAV(k=3), "have to meet"), (dc.AdditiveNoise(), "it draws"), (dc.RankSwapping(5), "it draws|have to meet")],
    ids=lambda one: type(one).__name__,
)
def test_a_table_as_a_whole_is_not_applied_to_others(masker, why):
    with pytest.raises(DataError, match=why):
        masker.fit(frame()).transform(frame())


def test_nothing_fitted_is_said_so():
    with pytest.raises(ValueError, match="nothing was fitted yet"):
        dc.TopCoding(share=0.1).transform(frame())
    with pytest.raises(ValueError, match="nothing was fitted yet"):
        dc.TopCoding(share=0.1).get_feature_names_out()


def test_pipelines_and_column_transformers():
    table = frame()
    piped = Pipeline([("mask", dc.MDAV(k=3)), ("model", LinearRegression())])
    assert piped.fit(table, table["wage"]).named_steps["mask"].n_features_in_ == 3
    parts = ColumnTransformer([("mask", dc.MDAV(k=4), ["size", "wage"])], remainder="passthrough")
    released = parts.set_output(transform="pandas").fit_transform(table)
    assert list(released) == ["mask__size", "mask__wage", "remainder__age"]
    assert released["mask__size"].value_counts().min() >= 4
    assert released["remainder__age"].tolist() == table["age"].tolist()


def test_clones_and_outputs():
    masker = dc.TopCoding(share=0.2).set_output(transform="polars")
    assert isinstance(clone(masker).fit_transform(frame()), pl.DataFrame)
    assert isinstance(dc.TopCoding(share=0.2).fit_transform(frame()), pd.DataFrame)
    assert clone(dc.MDAV(k=7)).k == 7
    with pytest.raises(ParameterError, match="transform must be one of"):
        masker.set_output(transform="table")


def test_names_of_what_is_released():
    table = frame().assign(person_id=[f"P{i:04d}" for i in range(60)])
    masker = dc.TopCoding(share=0.1)
    released = masker.fit_transform(table)
    assert "person_id" not in released
    assert list(masker.get_feature_names_out()) == list(released)
    with pytest.raises(ParameterError, match="input_features"):
        masker.get_feature_names_out(["other"])


def test_a_search_maximises_privacy_and_utility():
    table = frame(80)
    every = np.arange(80)
    search = GridSearchCV(
        dc.MDAV(), {"k": [2, 40]}, scoring=dc.privacy_utility, cv=[(every, every)], refit=False, error_score="raise"
    ).fit(table)
    by_hand = [-dc.assess(table, dc.MDAV(k=k).mask(table)).score.value for k in (2, 40)]
    assert search.cv_results_["mean_test_score"].tolist() == pytest.approx(by_hand)
    assert search.best_params_["k"] == (2, 40)[int(np.argmax(by_hand))]
    with pytest.raises(ParameterError, match="privacy_utility"):
        dc.privacy_utility(LinearRegression(), table)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.ones((3, 2)) * 1j, "Complex"),
        (np.ones(4), "Reshape your data"),
        (np.ones((4, 0)), r"0 feature\(s\)"),
        (np.ones((0, 4)), r"0 sample\(s\)"),
        (np.array([[1.0, np.inf]]), "infinity"),
    ],
)
def test_arrays_that_are_no_tables(given, message):
    with pytest.raises(DataError, match=message):
        dc.TopCoding(share=0.1).fit(given)


def test_a_table_of_other_columns_is_refused():
    masker = dc.TopCoding(share=0.1).fit(np.random.default_rng(0).normal(size=(30, 3)))
    with pytest.raises(DataError, match="X has 2 features, but TopCoding is expecting 3"):
        masker.transform(np.ones((4, 2)))
