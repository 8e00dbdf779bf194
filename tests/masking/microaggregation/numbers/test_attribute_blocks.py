"""Attributes that share groups: so many at a time, named ones, or those that go together."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.contracts.engine import InProcess
from discreet.contracts.masker import MaskingJob
from discreet.data.microdata import table_of_numbers
from discreet.errors import ParameterError
from discreet.masking.microaggregation.numbers.attribute_blocks import attribute_blocks
from discreet.typing import FloatArray


def job(**columns: FloatArray) -> MaskingJob:
    table = table_of_numbers(columns)
    return MaskingJob(table, tuple(columns), np.random.default_rng(0), InProcess())


FIVE = job(**{name: np.arange(4.0) for name in "abcde"})


def test_blocks_by_number_by_name_or_one() -> None:
    assert attribute_blocks("M", FIVE, None, "schema") == [tuple("abcde")]
    assert attribute_blocks("M", FIVE, 2, "schema") == [("a", "b"), ("c", "d"), ("e",)]
    assert attribute_blocks("M", FIVE, 1, "correlation") == [(name,) for name in "abcde"]
    assert attribute_blocks("M", FIVE, 5, "correlation") == [tuple("abcde")]
    named = [["e", "a"], ["b", "c", "d"]]
    assert attribute_blocks("M", FIVE, named, "schema") == [("e", "a"), ("b", "c", "d")]
    for wrong in ([["a", "b"]], [["a", "b", "c", "d", "e", "e"]], [["a", "b", "c", "d", "x"]]):
        with pytest.raises(ParameterError, match="each of the 5 masked attributes once"):
            attribute_blocks("M", FIVE, wrong, "schema")


def test_the_most_correlated_by_rank_go_together() -> None:
    rng = np.random.default_rng(3)
    one, two = rng.normal(size=60), rng.normal(size=60)
    gaps = -one + 0.01 * rng.normal(size=60)
    gaps[:4] = np.nan
    columns = job(a=one, b=two, c=gaps, d=np.exp(9 * two), e=np.ones(60))
    # c falls as a rises, d is a function of b that no straight line is; what is left is alone.
    assert attribute_blocks("M", columns, 2, "correlation") == [("a", "c"), ("b", "d"), ("e",)]
    assert attribute_blocks("M", columns, 2, "schema") == [("a", "b"), ("c", "d"), ("e",)]


def test_a_third_goes_with_both_that_are_there_and_the_first_of_equals_is_taken() -> None:
    rng = np.random.default_rng(4)
    one, two = rng.normal(size=80), rng.normal(size=80)
    # b is a; c goes with the pair a little less than d, in their mean.
    columns = job(a=one, b=one, c=one + 2 * two, d=one + two, e=two)
    assert attribute_blocks("M", columns, 3, "correlation") == [("a", "b", "d"), ("c", "e")]
    equal = job(a=one, b=two, c=one, d=one)
    assert attribute_blocks("M", equal, 2, "correlation") == [("a", "c"), ("b", "d")]
