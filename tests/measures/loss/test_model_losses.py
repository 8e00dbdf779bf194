from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import scipy.stats
from sklearn.linear_model import LogisticRegression
from tests.battery import microdata

import discreet as dc
from discreet.engines.streaming import StreamingEngine
from discreet.errors import DataError, ParameterError
from discreet.measures.loss.propensity import PropensityLoss
from discreet.measures.loss.regression import RegressionLoss


def frame(seed, n=80, slope=2.0, noise=1.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pl.DataFrame({"x": x, "y": slope * x + noise * rng.normal(size=n) + 0.25})


@pytest.mark.parametrize("seed", range(4))
def test_overlap_of_one_slope_equals_the_definition(seed):
    a = frame(seed)
    b = a.with_columns(y=pl.Series(a["y"] + np.random.default_rng(seed + 9).normal(size=80) * 1.5))
    intervals = []
    for file in (a, b):
        fit = scipy.stats.linregress(file["x"], file["y"])
        intervals.append((fit.slope - 1.959963984540054 * fit.stderr, fit.slope + 1.959963984540054 * fit.stderr))
    common = max(min(i[1] for i in intervals) - max(i[0] for i in intervals), 0)
    expected = 100 * (1 - np.mean([common / (high - low) for low, high in intervals]))
    result = RegressionLoss("y", ["x"]).measure(a, b)
    assert result.value == pytest.approx(expected)
    assert result.details["coefficients"][0]["before"] == pytest.approx(scipy.stats.linregress(a["x"], a["y"]).slope)


def test_several_predictors_equal_least_squares():
    data = microdata(60)
    result = RegressionLoss("income", ["size", "fuel", "age"]).measure(data, data)
    assert result.value == 0
    columns = [np.ones(60)]
    for name in ("size", "fuel"):
        codes = data.encoded(name)
        counts = np.bincount(codes)
        columns += [codes == level for level in np.flatnonzero(counts) if level != counts.argmax()]
    columns.append(data.encoded("age"))
    solution, *_ = np.linalg.lstsq(np.stack(columns, axis=1).astype(float), data.encoded("income"), rcond=None)
    found = [c["before"] for c in result.details["coefficients"]]
    assert found == pytest.approx(solution[1:].tolist())


def test_a_level_that_has_gone_has_no_overlap():
    data = microdata(60)
    fuel = data.to_arrow().column("fuel").to_pylist()
    table = data.to_arrow()
    constant = table.set_column(table.column_names.index("fuel"), "fuel", [[fuel[0]] * 60])
    result = RegressionLoss("income", ["fuel"]).measure(data, constant)
    assert result.value == 100
    assert all(c["after"] is None for c in result.details["coefficients"])


def test_the_loss_grows_with_noise():
    values = []
    for strength in (0.1, 1.0, 5.0):
        found = []
        for seed in range(7):
            a = frame(seed, n=200)
            noise = np.random.default_rng(seed + 50).normal(size=200) * strength
            found.append(RegressionLoss("y", ["x"]).measure(a, a.with_columns(x=pl.Series(a["x"] + noise))).value)
        values.append(np.median(found))
    assert values == sorted(values)
    assert values[-1] > 80


def test_a_model_must_be_named():
    a = frame(0)
    for outcome, predictors in ((None, None), ("y", None), ("y", ["y"])):
        with pytest.raises(ParameterError, match="outcome and predictors must name"):
            RegressionLoss(outcome, predictors).measure(a, a)
    with pytest.raises(ParameterError, match="'fuel' must be a released numeric attribute"):
        RegressionLoss("fuel", ["age"]).measure(microdata(), microdata())
    with pytest.raises(ParameterError, match="'visits' must be a released attribute with one value"):
        RegressionLoss("age", ["visits"]).measure(microdata(), microdata())
    flat = a.with_columns(x=pl.lit(1.5))
    with pytest.raises(DataError, match="no coefficient that can be estimated"):
        RegressionLoss("y", ["x"]).measure(flat, flat)


@pytest.mark.parametrize("seed", range(3))
def test_propensity_equals_a_logistic_regression(seed):
    a = frame(seed, n=150)
    rng = np.random.default_rng(seed)
    b = pl.DataFrame({"x": a["x"] * 1.3 + 0.2 * rng.normal(size=150), "y": a["y"]})
    stacked = np.concatenate([a.to_numpy(), b.to_numpy()])
    z = (stacked - stacked.mean(0)) / stacked.std(0)
    terms = np.column_stack([z, z**2, z[:, 0] * z[:, 1]])
    model = LogisticRegression(C=1e3, tol=1e-10, max_iter=5000).fit(terms, np.repeat([0, 1], 150))
    chance = model.predict_proba(terms)[:, 1]
    result = PropensityLoss().measure(a, b)
    assert result.value == pytest.approx(400 * np.mean((chance - 0.5) ** 2), rel=0.01)
    assert result.details["terms"] == 5
    assert result.details["expected_of_samples"] == pytest.approx(25 * 5 / 150)


def test_propensity_grows_with_the_mask_and_survives_missing_values():
    values = []
    for strength in (0.1, 0.5, 2.0):
        found = []
        for seed in range(5):
            a = frame(seed, n=200)
            push = np.random.default_rng(seed + 50).exponential(size=200) * strength
            found.append(PropensityLoss().measure(a, a.with_columns(x=pl.Series(a["x"] + push))).value)
        values.append(np.median(found))
    assert values == sorted(values)
    a = frame(0)
    gone = a.with_columns(x=pl.when(pl.int_range(80) < 40).then(None).otherwise(pl.col("x")))
    assert PropensityLoss().measure(a, gone).value > 20
    assert PropensityLoss().measure(gone, gone).value == pytest.approx(0, abs=1e-12)


def test_a_model_that_fits_to_the_last_digits_says_the_same_in_blocks(tmp_path):
    rng = np.random.default_rng(7)
    x = rng.normal(size=200) + 1e4
    a = pl.DataFrame({"x": x, "y": 3.0 * x + 1e-5 * rng.normal(size=200)})
    b = a.with_columns(y=pl.Series(3.0 * x + 1e-5 * rng.normal(size=200)))
    here = RegressionLoss("y", ["x"]).measure(a, b)
    stored = []
    for name, frame in (("a", a), ("b", b)):
        frame.write_parquet(tmp_path / f"{name}.parquet")
        stored.append(dc.scan(tmp_path / f"{name}.parquet"))
    there = RegressionLoss("y", ["x"]).measure(*stored, engine=StreamingEngine(2, batch=1))
    fits = [scipy.stats.linregress(file["x"], file["y"]) for file in (a, b)]
    assert here.details["coefficients"][0]["before"] == pytest.approx(fits[0].slope, rel=1e-12)
    # An interval is a hundred thousandth of a slope here: moments alone would not tell it.
    reach = 1.959963984540054
    intervals = [(one.slope - reach * one.stderr, one.slope + reach * one.stderr) for one in fits]
    common = max(min(i[1] for i in intervals) - max(i[0] for i in intervals), 0)
    expected = 100 * (1 - np.mean([common / (high - low) for low, high in intervals]))
    assert here.value == pytest.approx(expected, rel=1e-3)
    assert there.value == pytest.approx(here.value, rel=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_logistic_model_is_the_one_of_greatest_likelihood(weighted):
    data = microdata(300)
    result = RegressionLoss("owner", ["age", "income"], family="logistic", weighted=weighted).measure(data, data)
    assert result.value == 0
    table = data.to_polars()
    columns = np.column_stack([table["age"], table["income"]]).astype(float)
    middle, scale = columns.mean(axis=0), columns.std(axis=0)
    weights = (table["weight"] / table["weight"].mean()).to_numpy() if weighted else np.ones(300)
    usual = bool(table["owner"].sum() > 150)
    reference = LogisticRegression(C=1e12, tol=1e-12, max_iter=5000)
    reference.fit((columns - middle) / scale, table["owner"].to_numpy() != usual, sample_weight=weights)
    found = [row["before"] for row in result.details["coefficients"]]
    assert found == pytest.approx(reference.coef_[0] / scale, rel=1e-4)


def test_logistic_intervals_that_meet_nowhere_and_levels_on_their_own():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    sick = rng.random(400) < 1 / (1 + np.exp(-2 * x))
    a = pl.DataFrame({"x": x, "sick": np.where(sick, 1.5, 0.0)})
    b = a.with_columns(x=-pl.col("x"))
    assert RegressionLoss("sick", ["x"], family="logistic").measure(a, b).value == 100
    slope = RegressionLoss("sick", ["x"], family="logistic").measure(a, a).details["coefficients"][0]["before"]
    assert slope == pytest.approx(2, abs=0.5)
    told = RegressionLoss("sick", ["x"], family="logistic").measure(a, a.with_columns(x=pl.lit(1.5)))
    assert told.value == 100
    assert told.details["coefficients"][0]["after"] is None


def test_an_outcome_told_without_exception_stays_finite():
    a = pl.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "y": [0.0, 0.0, 1.5, 1.5]})
    assert RegressionLoss("y", ["x"], family="logistic").measure(a, a).value == 0
