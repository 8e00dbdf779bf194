from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.battery import microdata

import discreet as dc
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.perturbing.rounding import Rounding, _multiples

SCHEMA = Schema([Attribute("x", Numeric(), "key")])


def rounded(values, base, **parameters):
    return Rounding(base, **parameters).mask(pa.table({"x": values}), SCHEMA).microdata.encoded("x")


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30), st.sampled_from([0.1, 0.25, 3.0, 10.0, 1000.0]))
def test_released_numbers_are_near_multiples(values, base):
    for how in ("nearest", "random"):
        after = rounded(values, base, how=how, random_state=0)
        steps = after / base
        assert np.allclose(steps, np.round(steps), atol=1e-6)
        assert (np.abs(after - values) <= base * (0.5 if how == "nearest" else 1.0) + 1e-6).all()


def test_random_rounding_is_unbiased():
    after = rounded(np.full(40_000, 7.5), 10.0, how="random", random_state=1)
    assert set(after) == {0.0, 10.0}
    assert after.mean() == pytest.approx(7.5, abs=0.1)
    assert set(rounded([20.0, 30.0], 10.0, how="random")) == {20.0, 30.0}


def test_decimals_are_clean():
    assert rounded([0.26, 0.31, 1.04], 0.1).tolist() == [0.3, 0.3, 1.0]


def test_a_base_for_each_attribute():
    masked = Rounding({"age": 10}).mask(microdata())
    assert masked.provenance.attributes == ("age",)
    assert (masked.microdata.encoded("age") % 10 == 0).all()
    with pytest.raises(ParameterError, match="base names 'fuel', which is not masked"):
        Rounding({"fuel": 10}).mask(microdata())
    with pytest.raises(ParameterError, match="base must be a number above 0"):
        Rounding(0).mask(microdata())


@pytest.mark.parametrize(
    ("base", "scale", "decimals"),
    [(0.05, 5e3, 2), (0.1, 5e3, 1), (0.001, 50.0, 3), (10.0, 1e13, 0), (5.0, 1e15, 0), (0.25, 1e6, 2)],
)
@pytest.mark.parametrize("how", ["nearest", "random"])
def test_what_is_written_is_a_multiple_with_no_more_decimals_than_the_base(base, scale, decimals, how, tmp_path):
    """As text: 4054.350000000001 is no multiple of 0.05."""
    values = np.round(np.random.default_rng(4).uniform(0, scale, 200), 3 if scale < 1e10 else 0)
    table = dc.microdata(pa.table({"x": values}), SCHEMA)
    dc.write(Rounding(base, how=how, random_state=3).mask(table), tmp_path / "r.csv")
    for text in (tmp_path / "r.csv").read_text(encoding="utf-8").split()[1:]:
        number = Decimal(text)
        assert number % Decimal(str(base)) == 0
        assert -number.normalize().as_tuple().exponent <= decimals


def test_random_steps_by_hand():
    both = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])
    original = dc.Microdata(pa.table({"x": [12.5, 12.5, -2.5, None], "y": [1.0, 1.5, 1.5, 1.5]}), both)
    drawn = np.array([[0.25, 0.0], [0.24, 0.5], [0.7, 0.49], [0.0, 0.9]])
    draws = SimpleNamespace(uniforms=lambda rows, count: drawn[rows, :count])
    plan, block = SimpleNamespace(draws=draws, names=("x", "y")), SimpleNamespace(rows=np.arange(4), original=original)
    moved = Rounding({"x": 10.0, "y": 1}, how="random").apply(plan, block)
    # Up where the draw lies below what is over a multiple: a quarter of x, or three quarters below zero.
    assert moved["x"].tolist()[:3] == [10.0, 20.0, 0.0]
    assert np.isnan(moved["x"][3])
    assert moved["y"].tolist() == [1.0, 1.0, 2.0, 1.0]
    nearest = Rounding(10.0).apply(plan, block)
    assert nearest["x"].tolist()[:3] == [10.0, 10.0, 0.0]


def test_numbers_that_are_chosen_are_the_bases():
    assert Rounding(5).chosen_numbers("x") == (5.0,)
    assert Rounding({"x": 2, "y": 7}).chosen_numbers("y") == (7.0,)


def test_multiples_that_have_no_decimals_to_keep_are_left():
    assert _multiples(np.array([3.0, 2.0**53]), 0.1).tolist() == [0.3, 2.0**53 * 0.1]
    assert _multiples(np.array([3.0]), 1e-15).tolist() == [3e-15]
    assert _multiples(np.array([3.0]), 1e-16).tolist() == [3.0 * 1e-16]
    assert _multiples(np.array([7.0]), 25.0).tolist() == [175.0]
