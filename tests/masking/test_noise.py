from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from discreet.masking.noise import AdditiveNoise, CorrelatedNoise, MultiplicativeNoise
from discreet.microdata import Microdata
from discreet.scales import Nominal, Numeric
from discreet.schema import Attribute, Schema

SCHEMA = Schema([Attribute(name, Numeric(), "key") for name in "ab"])
KINDS = (AdditiveNoise, CorrelatedNoise, MultiplicativeNoise)


def line(n=20_000, offset=0.0, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(10, 2, n)
    return Microdata(pa.table({"a": a + offset, "b": 3 * a + rng.normal(0, 3, n) + offset}), SCHEMA)


def block(data):
    return data.numeric(["a", "b"])


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_additive_noise_has_the_stated_size_whatever_the_offset(offset):
    data = line(offset=offset)
    noise = block(AdditiveNoise(0.3, random_state=1).mask(data).microdata) - block(data)
    assert np.allclose(noise.std(axis=0), 0.3 * block(data).std(axis=0), rtol=0.03)
    assert abs(np.corrcoef(noise.T)[0, 1]) < 0.03


def test_correlated_noise_keeps_correlations():
    data = line()
    after = block(CorrelatedNoise(0.8, random_state=1).mask(data).microdata)
    before = np.cov(block(data).T)
    assert np.allclose(np.cov(after.T), (1 + 0.8**2) * before, rtol=0.04)
    restored = block(CorrelatedNoise(0.8, restore=True, random_state=1).mask(data).microdata)
    assert np.allclose(np.cov(restored.T), before, rtol=0.04)


def test_multiplicative_noise_keeps_signs_zeros_and_means():
    values = np.concatenate([np.zeros(10), -np.ones(10), np.full(50_000, 4.0)])
    data = Microdata(pa.table({"a": values, "b": values}), SCHEMA)
    after = block(MultiplicativeNoise(0.2, decimals="exact", random_state=1).mask(data).microdata)[:, 0]
    assert np.array_equal(np.sign(after), np.sign(values))
    assert after[20:].mean() == pytest.approx(4.0, rel=0.01)
    assert after[20:].std() / 4 == pytest.approx(0.2, rel=0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_restored_moments_are_exact(kind):
    data = line(500)
    after = block(kind(0.5, restore=True, random_state=1).mask(data).microdata)
    assert np.allclose(after.mean(axis=0), block(data).mean(axis=0))
    assert np.allclose(after.std(axis=0), block(data).std(axis=0))


@pytest.mark.parametrize("kind", KINDS)
def test_missing_values_and_constants_stay(kind):
    table = pa.table({"a": pa.array([1.0, None, 3.0, 4.0]), "b": [5.0] * 4})
    after = kind(0.5, random_state=0).mask(table, SCHEMA).microdata
    assert after.missing("a").tolist() == [False, True, False, False]
    if kind is not MultiplicativeNoise:
        assert np.allclose(after.encoded("b"), 5.0)


def test_standard_deviations_are_those_of_the_stratum():
    values = np.concatenate([np.full(500, 7.0), np.random.default_rng(0).normal(0, 1, 500)])
    table = pa.table({"a": values, "b": values, "s": ["x"] * 500 + ["y"] * 500})
    schema = Schema([*SCHEMA, Attribute("s", Nominal(("x", "y")), "stratum")])
    after = AdditiveNoise(0.5, strata=["s"], random_state=0).mask(table, schema).microdata.encoded("a")
    assert np.array_equal(after[:500], values[:500])
    assert (after[500:] != values[500:]).all()
