from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, MissingValueError
from discreet.masking.perturbing.romm import ROMM


def numbers(n, p, seed=0):
    rng = np.random.default_rng(seed)
    mixed = rng.lognormal(0, 1, (n, p)) @ rng.normal(size=(p, p)) * 10.0 ** rng.integers(-2, 5, p)
    return pl.DataFrame(mixed, schema=[f"x{j}" for j in range(p)])


def schema(p, *more):
    return Schema([*(Attribute(f"x{j}", Numeric(), "key") for j in range(p)), *more])


@given(st.integers(8, 60), st.integers(1, 4), st.sampled_from([0.01, 0.5, 3.0, 1000.0]), st.integers(0, 99))
def test_means_and_covariances_stay(n, p, level, seed):
    frame = numbers(n, p, seed)
    masked = ROMM(level, decimals="exact", random_state=seed).mask(frame, schema(p)).to_native()
    before, after = frame.to_numpy(), masked.to_numpy()
    spread = before.std(axis=0)
    assert (np.abs(after.mean(axis=0) - before.mean(axis=0)) <= 1e-9 * (spread + np.abs(before.mean(axis=0)))).all()
    gap = np.cov(after.T) - np.cov(before.T)
    assert (np.abs(gap) <= 1e-9 * np.outer(spread, spread)).all()
    assert not np.isclose(after, before, rtol=1e-9, atol=0).any(), "no value stays"


@pytest.mark.parametrize("level", [0.1, 1.0, 4.0])
def test_the_level_is_what_it_says(level):
    frame = numbers(4000, 3, 1)
    after = ROMM(level, decimals="exact", random_state=1).mask(frame, schema(3)).to_native().to_numpy()
    for j in range(3):
        found = np.corrcoef(frame.to_numpy()[:, j], after[:, j])[0, 1]
        assert found == pytest.approx(1 / np.sqrt(1 + level**2), abs=0.04), "alike for every attribute"


def test_collinear_and_constant_attributes_stay_so():
    frame = numbers(50, 1).with_columns((2 * pl.col("x0") + 3).alias("x1"), pl.lit(7.25).alias("x2"))
    masked = ROMM(1.0, decimals="exact", random_state=2).mask(frame, schema(3))
    after = masked.to_native()
    assert np.allclose(after["x1"], 2 * after["x0"] + 3)
    assert (after["x2"] == 7.25).all()
    assert masked.provenance.details["directions"] == 1
    assert "x2 does not vary; nothing of it is hidden." in masked.provenance.notes


def test_moments_stay_in_every_stratum():
    frame = numbers(60, 2).with_columns(pl.Series("s", ["a", "b", "c"] * 20))
    declared = schema(2, Attribute("s", Nominal(("a", "b", "c")), "stratum"))
    after = ROMM(2.0, decimals="exact", strata=["s"], random_state=4).mask(frame, declared).to_native()
    for name in "abc":
        one, two = (table.filter(pl.col("s") == name).select("x0", "x1").to_numpy() for table in (frame, after))
        assert np.allclose(one.mean(axis=0), two.mean(axis=0))
        assert np.allclose(np.cov(one.T), np.cov(two.T))


def test_rounded_to_the_digits_of_the_data():
    frame = pl.DataFrame({"x0": np.random.default_rng(1).integers(0, 9000, 500)})
    after = ROMM(0.3, random_state=1).mask(frame, schema(1)).to_native()["x0"]
    assert after.dtype == pl.Int64
    assert abs(after.mean() - frame["x0"].mean()) < 0.1
    assert abs(after.std() / frame["x0"].std() - 1) < 1e-3


def test_bad_input_is_refused():
    with pytest.raises(DataError, match="the table has fewer than 7 records; with 4 attributes"):
        ROMM().mask(numbers(6, 4), schema(4))
    gaps = numbers(20, 2).with_columns(pl.when(pl.int_range(20) == 3).then(None).otherwise("x0").alias("x0"))
    with pytest.raises(MissingValueError, match="column 'x0' has 1 missing value of 20"):
        ROMM().mask(gaps, schema(2))
    still = numbers(20, 1).with_columns(pl.Series("s", ["a", "b"] * 10))
    still = still.with_columns(pl.when(pl.col("s") == "a").then(5.5).otherwise("x0").alias("x0"))
    with pytest.raises(DataError, match="'x0' does not vary in 1 of 2 strata"):
        ROMM(strata=["s"]).mask(still, schema(1, Attribute("s", Nominal(("a", "b")), "stratum")))


def test_an_intruder_without_the_draws_does_no_better_than_the_correlation():
    """He has the release and the exact source; what he can predict best is the regression on the masked value."""
    frame = numbers(3000, 2, 5)
    masked = ROMM(1.0, decimals="exact", random_state=9).mask(frame, schema(2)).to_native().to_numpy()
    before = frame.to_numpy()
    design = np.column_stack([np.ones(3000), masked])
    for j in range(2):
        fit = design @ np.linalg.lstsq(design, before[:, j], rcond=None)[0]
        explained = 1 - ((before[:, j] - fit) ** 2).sum() / ((before[:, j] - before[:, j].mean()) ** 2).sum()
        assert explained == pytest.approx(0.5, abs=0.04)
