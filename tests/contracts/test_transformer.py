"""Maskers in pipelines, searches and scikit-learn's own checks."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import discreet as dc
from discreet import catalogue
from discreet.contracts.transformer import _as_table, _untouched
from discreet.errors import DataError, DiscreetWarning, ParameterError

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.linear_model import LinearRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import Pipeline, make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
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
    return pd.DataFrame({"size": rng.lognormal(size=n), "height": rng.normal(50, 9, n), "age": rng.uniform(18, 80, n)})


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
    first = pd.DataFrame({"height": [float(height) for height in range(1, 101)]})
    masker = dc.TopCoding(share=0.1).fit(first)
    threshold = masker.transform(first)["height"].max()
    other = pd.DataFrame({"height": [1.0, 40.0, 5000.0, 99.0]})
    assert masker.transform(other)["height"].tolist() == [1.0, 40.0, threshold, threshold]
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
    assert piped.fit(table, table["height"]).named_steps["mask"].n_features_in_ == 3
    parts = ColumnTransformer([("mask", dc.MDAV(k=4), ["size", "height"])], remainder="passthrough")
    released = parts.set_output(transform="pandas").fit_transform(table)
    assert list(released) == ["mask__size", "mask__height", "remainder__age"]
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


def test_columns_of_a_frame_with_an_index_of_its_own_stand_side_by_side_in_a_column_transformer():
    people = pd.DataFrame(
        {"age": range(20, 60), "height": range(1000, 5000, 100), "left": range(40)}, index=range(900, 940)
    )
    parts = [("keys", dc.MDAV(k=4), ["age", "height"])]
    both = ColumnTransformer(parts, remainder="passthrough", verbose_feature_names_out=False)
    released = both.set_output(transform="pandas").fit_transform(people)
    assert released.shape == (40, 3)
    assert released["left"].tolist() == people["left"].tolist()
    assert released.index.tolist() == people.index.tolist()
    # By itself, a release has an index that says nothing; so has one whose records were put into another order.
    assert dc.MDAV(k=4).fit_transform(people[["age", "height"]]).index.tolist() == list(range(40))
    shuffled = dc.RecordOrder(random_state=1).set_output(transform="pandas").fit_transform(people)
    assert shuffled.index.tolist() == list(range(40))


def grid_scores(estimator, name, table, ks=(3, 9)):
    every = np.arange(len(table))
    search = GridSearchCV(
        estimator, {name: list(ks)}, scoring=dc.privacy_utility, cv=[(every, every)], refit=False, error_score="raise"
    )
    return search.fit(table).cv_results_["mean_test_score"].tolist()


def test_a_search_scores_the_maskers_of_a_pipeline():
    table = frame()
    alone = grid_scores(dc.MDAV(), "k", table)
    assert grid_scores(make_pipeline(dc.MDAV()), "mdav__k", table) == alone
    assert grid_scores(make_pipeline("passthrough", dc.MDAV(), StandardScaler()), "mdav__k", table) == alone
    # What prepares the table is no part of the loss; an earlier masker is.
    scaled = StandardScaler().fit_transform(table)
    prepared = grid_scores(make_pipeline(StandardScaler(), dc.MDAV()), "mdav__k", table)
    assert prepared == [dc.privacy_utility(dc.MDAV(k=k), scaled) for k in (3, 9)]
    coding = dc.TopCoding(share=0.2)
    two = dc.privacy_utility(make_pipeline(coding, dc.MDAV(k=3)), table)
    assert two == -dc.assess(table, dc.Chain([coding, dc.MDAV(k=3)], seed=1).mask(table)).score.value
    with pytest.raises(ParameterError, match="none of the 1 steps of the pipeline is a masker"):
        dc.privacy_utility(make_pipeline(StandardScaler()), table)
    with pytest.raises(ParameterError, match="StandardScaler stands between two maskers"):
        dc.privacy_utility(make_pipeline(coding, StandardScaler(), dc.MDAV(k=3)), table)


@pytest.mark.parametrize("release", ["label", "midpoint"])
@pytest.mark.parametrize(("bands", "factor"), [("nice:10", 1.5), ("nice:10", -1.0), ("0,50,100", 1.5)])
def test_numbers_beyond_the_fitted_bands_are_counted_and_refused(bands, factor, release):
    first = pd.DataFrame({"height": np.linspace(1, 99, 40)})
    masker = dc.Banding(bands, release=release).fit(first)
    assert masker.transform(first.head(3))["height"].notna().all()
    with pytest.raises(
        DataError, match=r"Banding: \d+ of 40 numbers of column 'height' lie beyond the bands.*open ends"
    ):
        masker.transform(first * factor)
    assert dc.Banding("<20,50,80+", release=release).fit(first).transform(first * factor)["height"].notna().all()


@pytest.mark.parametrize("to", ["month", "quarter", "year"])
@pytest.mark.parametrize("year", [2018, 2019, 2021])
def test_dates_beyond_the_fitted_labels_are_refused_and_never_missing(to, year):
    first = pd.DataFrame({"visit": pd.date_range("2020-01-01", periods=30)})
    other = pd.DataFrame({"visit": pd.date_range(f"{year}-12-01", periods=4)})
    with pytest.raises(DataError, match="DateCoarsening: 4 of 4 dates of column 'visit' lie before the first or after"):
        dc.DateCoarsening(to).fit(first).transform(other)
    assert dc.DateCoarsening(to, release="first").fit(first).transform(other)["visit"].notna().all()
    gaps = first.head(3).assign(visit=[pd.NaT, *first["visit"][:2]])
    assert dc.DateCoarsening(to).fit(first).transform(gaps)["visit"].isna().tolist() == [True, False, False]


def test_the_global_output_of_scikit_learn_holds_unless_a_masker_says_otherwise():
    numbers = frame().to_numpy()
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(dc.MDAV(k=3).fit_transform(numbers), pd.DataFrame)
        assert isinstance(dc.TopCoding(share=0.1).fit(numbers).transform(numbers), pd.DataFrame)
        own = dc.MDAV(k=3).set_output(transform="default")
        assert isinstance(own.fit_transform(numbers), np.ndarray)
        parts = ColumnTransformer([("mask", dc.MDAV(k=4), ["size", "height"])], remainder="passthrough")
        assert list(parts.fit_transform(frame())) == ["mask__size", "mask__height", "remainder__age"]
    with sklearn.config_context(transform_output="polars"):
        assert isinstance(dc.MDAV(k=3).fit_transform(frame()), pl.DataFrame)
    assert isinstance(dc.MDAV(k=3).fit_transform(numbers), np.ndarray)


def test_chains_and_units_are_cloned():
    per_house = dc.PerUnit(dc.MDAV(k=3, attributes=["rent"]), unit="house")
    step = dc.release.Step("top-coding", {"share": 0.1})
    chain = dc.Chain([step, per_house, dc.MDAV(k=4)], seed=7, folder="hierarchies")
    copy = clone(chain)
    assert (copy.seed, copy.folder, copy.description()) == (7, "hierarchies", chain.description())
    assert copy.steps[2] is not chain.steps[2]
    assert clone(per_house).get_params()["masker__k"] == 3
    assert chain.get_params()["step_3__k"] == 4
    table = frame()
    plain = dc.Chain([dc.TopCoding(share=0.05), dc.MDAV(k=4)], seed=1)
    assert clone(plain).mask(table).to_native().equals(plain.mask(table).to_native())


def test_a_column_that_is_released_as_it_is_because_of_a_guess_is_named():
    people = pd.DataFrame({"age": np.arange(40.0) % 17, "wage": np.arange(40.0) ** 2})
    for call in (dc.MDAV(k=4).fit_transform, dc.MDAV(k=4).fit, dc.Chain([dc.MDAV(k=4)], seed=1).fit_transform):
        with pytest.warns(DiscreetWarning, match=r"1 of 2 columns are released as they are: 'wage'"):
            call(people)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both = dc.MDAV(k=4, attributes=["age", "wage"]).fit_transform(people)
        assert not both["wage"].equals(people["wage"])
        dc.MDAV(k=4).fit_transform(people, schema=dc.microdata(people).schema)
        dc.MDAV(k=4).fit_transform(dc.microdata(people))
        dc.MDAV(k=4).fit_transform(people[["wage"]])


def test_a_step_that_is_told_its_columns_does_not_silence_the_guess_of_another():
    places = np.arange(40.0)
    people = pd.DataFrame({"age": places % 17, "wage": places**2, "income": places**3 % 101})
    chain = dc.Chain([dc.TopCoding(share=0.1, attributes=["age"]), dc.MDAV(k=4)], seed=1)
    with pytest.warns(DiscreetWarning, match=r"2 of 3 columns are released as they are: 'wage', 'income'\."):
        released = chain.fit_transform(people)
    assert list(released["wage"]) == list(people["wage"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dc.Chain([dc.MDAV(k=4, attributes=["age"])], seed=1).fit_transform(people)


def test_the_columns_that_a_method_passes_over_are_counted_and_named():
    places = np.arange(40.0)
    people = pd.DataFrame({"age": places % 17, "wage": places**2, "sex": ["f", "m"] * 20, "job": ["a", "b"] * 20})
    with pytest.warns(DiscreetWarning, match=r"3 of 4 columns are released as they are: 'wage', 'sex', 'job'\."):
        released = dc.MDAV(k=4).fit_transform(people)
    assert all(list(released[name]) == list(people[name]) for name in ("wage", "sex", "job"))
    many = pd.DataFrame({"age": places % 17} | {f"wage_{i}": places**2 + i for i in range(12)})
    with pytest.warns(DiscreetWarning, match=r"12 of 13 columns .*'wage_0', .*'wage_9', …\."):
        dc.MDAV(k=4).fit_transform(many)


# ------------------------------------------------------------------------------------------------------- piece by piece


class Sparse:
    """What looks like a sparse matrix."""

    nnz = 3

    def toarray(self):
        return np.ones((2, 2))


class Tensor:
    """What becomes an array when asked."""

    def __array__(self, dtype=None, copy=None):
        return np.arange(4.0).reshape(2, 2)


def test_what_can_be_an_array_becomes_one_and_frames_stay():
    assert _as_table("X", Tensor()).tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert _as_table("X", [[1, 2], (3, 4)]).tolist() == [[1, 2], [3, 4]]
    for same in ([], [1, 2], [[1], "a"], "text", frame(), np.zeros(2, dtype=[("a", float)])):
        assert _as_table("X", same) is same
    for given, sentence in (
        (Sparse(), "X: sparse data was passed, and dense data is required."),
        (np.ones((2, 2, 2)), "X: an array must have two dimensions, records and attributes; got 3."),
        (np.ones((4, 0)), "X: 0 feature(s) (shape=(4, 0)) while a minimum of 1 is required."),
        (np.array([[1.0, np.inf, np.inf], [1.0, 2.0, np.inf]]), "X: Input contains infinity in 2 of 3 columns."),
    ):
        with pytest.raises(DataError) as told:
            _as_table("X", given)
        assert sentence in str(told.value)


def schema_of(**roles):
    return dc.Schema([dc.Attribute(name, dc.Numeric(), role) for name, role in roles.items()])


def test_columns_that_no_masker_changes_are_those_that_one_could():
    schema = schema_of(x="key", y="other", z="confidential", i="identifier")
    assert _untouched([dc.MDAV(k=3)], schema) == ["y", "z"]
    assert _untouched([dc.MDAV(k=3, attributes=["x"])], schema) == []
    assert _untouched([dc.MDAV(k=3, attributes=["x"]), dc.MDAV(k=3)], schema) == ["y", "z"]
    assert _untouched([dc.MDAV(k=3), dc.MDAV(k=3, attributes=["y", "z"])], schema) == []
    assert _untouched([dc.MDAV(k=3), dc.MDAV(k=3, attributes=["z"])], schema) == ["y"]
    assert _untouched([dc.MDAV(k=3), dc.RecordOrder()], schema) == []
    assert _untouched([dc.MDAV(k=3)], schema_of(x="other")) == [], "said where it masks"
    assert _untouched([dc.MDAV(k=3)], schema_of(x="key")) == []


def test_columns_that_stay_are_counted_and_the_first_are_named():
    schema = schema_of(x="key", **dict.fromkeys("abcdefghijkl", "other"), s="confidential")
    table = dc.Microdata(pl.DataFrame({name: [1.0, 2.0] for name in schema.names}), schema)
    masker = dc.MDAV(k=2)
    with pytest.warns(DiscreetWarning) as told:
        masker._tell_what_stays(table, None, None)
    sentence = str(told[0].message)
    assert sentence.startswith("MDAV: 13 of 14 columns are released as they are: 'a', 'b', ")
    assert ", …. Nobody declared their role (guessed: confidential, other) or their scale." in sentence
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        masker._tell_what_stays(table, None, schema)
        masker._tell_what_stays(table, table, None)


def test_an_array_comes_back_as_an_array_and_a_table_as_what_it_was():
    numbers = np.random.default_rng(2).normal(size=(30, 2))
    masker = dc.TopCoding(share=0.1)
    released = masker.fit_transform(numbers)
    assert isinstance(released, np.ndarray)
    assert released.shape == (30, 2)
    assert (released <= numbers).all()
    assert masker.transform(numbers).tolist() == released.tolist()
    schema = schema_of(x="key")
    table = dc.Microdata(pl.DataFrame({"x": numbers[:, 0]}), schema)
    assert isinstance(dc.TopCoding(share=0.1).fit_transform(table), dc.Microdata)
    given = pd.DataFrame({"x": numbers[:, 0]}, index=range(100, 130))
    kept = dc.TopCoding(share=0.1).set_output(transform="pandas")
    assert kept.fit_transform(given).index.tolist() == list(range(100, 130))
    assert kept.set_output() is kept
    assert isinstance(kept.set_output(transform="default").fit_transform(numbers), np.ndarray)


def test_tags_say_what_a_masker_takes_and_whether_it_draws():
    one, two = dc.MDAV(k=3).__sklearn_tags__(), dc.PRAM().__sklearn_tags__()
    assert (one.input_tags.categorical, one.input_tags.string, one.non_deterministic) == (
        False,
        False,
        hasattr(dc.MDAV(), "random_state"),
    )
    assert (two.input_tags.categorical, two.input_tags.string, two.non_deterministic) == (True, True, True)
    assert (one.input_tags.allow_nan, two.input_tags.allow_nan) == (False, True)
    assert (one.target_tags.required, one.estimator_type) == (False, None)
