from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2

from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError
from discreet.masking.recoding.multivariate_coding import MultivariateTopCoding
from discreet.statistics.minimum_covariance import robust_shape


def cloud(n=500, far=12, p=3, seed=0):
    """Correlated normal numbers on different scales, some of them far beside the others."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p)) @ np.linalg.cholesky(0.7 + 0.3 * np.eye(p)).T
    values[:far] += rng.normal(size=(far, p)) * 6
    return values * 10.0 ** np.arange(-1, p - 1) + 3.0


def frame(values):
    return pl.DataFrame(values, schema=[f"x{j}" for j in range(values.shape[1])])


def schema(p=3, *more):
    return Schema([*(Attribute(f"x{j}", Numeric(), "key") for j in range(p)), *more])


@pytest.mark.parametrize("quantile", [0.9, 0.975, 0.999])
def test_whoever_is_outside_comes_to_lie_on_the_ellipsoid(quantile):
    values = cloud()
    masked = MultivariateTopCoding(quantile, decimals="exact").mask(frame(values), schema())
    after = masked.to_native().to_numpy()
    units = np.array([0.1, 1.0, 10.0])
    shape = robust_shape(values / units)
    before, now = shape.distances(values / units), shape.distances(after / units)
    most = np.sqrt(chi2.ppf(quantile, 3))
    outside = before > most
    assert masked.provenance.details == {"coded": int(outside.sum()), "robust": True}
    assert 10 <= outside.sum() < 80
    assert np.allclose(now[outside], most, rtol=0.02), "how far they were is not told"
    assert (after[~outside] == values[~outside]).all()
    away, pulled = values[outside] - shape.centre * units, after[outside] - shape.centre * units
    cosine = ((away / units) * (pulled / units)).sum(axis=1)
    cosine /= np.linalg.norm(away / units, axis=1) * np.linalg.norm(pulled / units, axis=1)
    assert (cosine > 0.999).all(), "the direction stays"


def test_outliers_do_not_stretch_the_ellipsoid():
    """A tenth far away in one direction: plain covariances would leave most of them where they are."""
    values = cloud(500, 0)
    values[:50] += 40 * np.array([0.1, -1.0, 10.0])
    masked = MultivariateTopCoding(0.999, decimals="exact").mask(frame(values), schema())
    moved = (masked.to_native().to_numpy() != values).any(axis=1)
    assert moved[:50].all()
    assert moved[50:].sum() < 10


def test_gaps_stay_and_the_rest_of_a_record_is_measured():
    values = cloud()
    table = frame(values).with_columns(pl.when(pl.int_range(500) % 5 == 0).then(None).otherwise("x1").alias("x1"))
    after = MultivariateTopCoding(0.975, decimals="exact").mask(table, schema()).to_native()
    assert (after["x1"].is_null() == table["x1"].is_null()).all()
    assert after["x0"][0] != table["x0"][0]
    units = np.array([0.1, 1.0, 10.0])
    complete = (values / units)[np.arange(500) % 5 != 0]
    shape = robust_shape(complete)
    away = (after.row(0)[0] / 0.1 - shape.centre[0], after.row(0)[2] / 10.0 - shape.centre[2])
    distance = np.sqrt(away @ np.linalg.inv(shape.covariance[np.ix_([0, 2], [0, 2])]) @ np.array(away))
    assert distance == pytest.approx(np.sqrt(chi2.ppf(0.975, 2)), rel=0.02)


def test_every_stratum_has_its_own_ellipsoid():
    values = cloud(600, 0)
    values[300:] += 500 * np.array([0.1, 1.0, 10.0])
    table = frame(values).with_columns(pl.Series("s", ["a"] * 300 + ["b"] * 300))
    declared = schema(3, Attribute("s", Nominal(("a", "b")), "stratum"))
    masked = MultivariateTopCoding(0.9999, strata=["s"], decimals="exact").mask(table, declared)
    assert sum(one["coded"] for one in masked.provenance.details["by_stratum"]) < 8


def test_bad_input_is_refused():
    with pytest.raises(DataError, match="the table has 12 records with all of 3 attributes; it takes 20"):
        MultivariateTopCoding().mask(frame(cloud(12, 0)), schema())
    values = cloud()
    values[:, 2] = values[:, 0] + values[:, 1]
    with pytest.raises(DataError, match="the 3 attributes are collinear"):
        MultivariateTopCoding().mask(frame(values), schema())
    values[:, 2] = 4.5
    with pytest.raises(DataError, match="'x2' does not vary"):
        MultivariateTopCoding().mask(frame(values), schema())
