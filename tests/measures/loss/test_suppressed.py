"""Values that are gone, told by hand."""

from __future__ import annotations

import pytest
from tests.statistics.small import before, table

from discreet.errors import SchemaError
from discreet.measures.loss.suppressed import SuppressionShare


def after():
    """A release in which the fifth record lacks a number and a word."""
    return table(
        ("b", "c", "a"),
        x=[1.0, 2.0, 4.0, 4.0, None, 6.0],
        y=[1.0, 1.0, 2.0, 1.0, 2.0, 0.0],
        s=["a", "c", "a", "a", None, "a"],
        t=["b", "b", "a", "b", "b", "a"],
        w=[1.0] * 6,
    )


def test_what_is_gone_is_told_whole():
    result = SuppressionShare().measure(before(), after())
    # Of five numbers and five words one each; a column without gaps loses nothing, the weight is not looked at.
    assert result.per_attribute == {"x": 20, "y": 0, "s": 20, "t": 0}
    assert (result.value, result.details) == (10, {"suppressed": 2})
    assert result.sentence == "2 values are suppressed (10.00 % on average), most in x."


def test_one_value_is_one():
    result = SuppressionShare(attributes=["y", "s"]).measure(before(), after())
    assert result.sentence == "1 value is suppressed (10.00 % on average), most in s."
    assert result.details == {"suppressed": 1}
    assert SuppressionShare().measure(before(), before()).sentence == "No value is suppressed."


def test_weights_count_and_nothing_of_nothing_is_gone():
    # The fifth record weighs 1 of the 8 that had a value.
    assert SuppressionShare(attributes=["x"], weighted=True).measure(before(), after()).value == 12.5
    none, some = table(x=[None, None], y=[1.0, 2.0]), table(x=[None, 3.0], y=[None, None])
    assert SuppressionShare().measure(none, some).per_attribute == {"x": 0, "y": 100}
    with pytest.raises(SchemaError, match="SuppressionShare: weighted is True, and the schema names no weight"):
        SuppressionShare(weighted=True).measure(none, some)
