"""Which columns are taken for survey weights, by name, by numbers and by what stands beside them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from discreet.data.inferring.looking import Look
from discreet.data.inferring.sampling_weights import is_weight


def weighs(name, values=(1.5, 2.5, 7.25), *, beside=(), label=""):
    column = pa.array(list(values))
    return is_weight(Look(name, column, column, label), [name, *beside]) is not None


@pytest.mark.parametrize("name", ["weight", "w", "wi", "WEIGHT", "sampling_weight", "final weight", "hh_weight"])
def test_a_name_that_says_so(name):
    assert weighs(name)


@pytest.mark.parametrize("name", ["income", "height", "x", "shell weight", "birth_weight"])
def test_a_name_that_does_not_or_says_whose(name):
    assert not weighs(name)


def test_weights_are_positive_numbers():
    assert not weighs("weight", [1.5, 0.0, 2.0])
    assert not weighs("weight", [1.5, -1.0, 2.0])
    assert not weighs("weight", ["heavy", "light", "light"])


def test_a_weight_beside_a_height_is_that_of_a_body():
    assert weighs("weight", beside=["income"])
    assert not weighs("weight", beside=["height"])
    assert weighs("sampling_weight", beside=["height"])


def test_one_letter_is_a_weight_only_where_no_label_says_otherwise():
    assert not weighs("w", label="wind in knots")


def test_how_sure():
    column = pa.array([1.5, 2.5])
    short, spoken = (is_weight(Look(name, column, column), [name]) for name in ("w", "weight"))
    assert (short.confidence, spoken.confidence) == (0.85, 0.95)
    assert short.role == spoken.role == "weight"
