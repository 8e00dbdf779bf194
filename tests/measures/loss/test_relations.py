"""Orders, covariances and shapes of few records, told whole."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import MissingValueError, SchemaError
from discreet.measures.loss.relations import (
    CorrelationDifference,
    CovarianceDifference,
    EigenvalueDifference,
    RankLoss,
    _ranks,
)

PLAIN = Schema([Attribute(name, Numeric(), "key") for name in "xy"])
WEIGHTED = Schema([*PLAIN, Attribute("w", Numeric(), "weight")])


def frame(x, y=None, w=None):
    columns = {"x": x, "y": x if y is None else y} | ({} if w is None else {"w": w})
    return pl.DataFrame({name: pl.Series(values, dtype=pl.Float64) for name, values in columns.items()})


def test_equal_numbers_share_their_rank():
    assert _ranks(np.array([5.0, 1.0, 9.0]), np.array([2, 1, 3])).tolist() == [2.5, 1.0, 5.0]
    assert _ranks(np.array([5.0, 1.0, 5.0]), np.array([2, 1, 3])).tolist() == [4.0, 1.0, 4.0]


def test_an_order_by_hand_with_weights_and_without():
    before, after = [10.0, 20.0, 30.0], [10.0, 90.0, 30.0]
    plain = RankLoss().measure(frame(before), frame(after, before), PLAIN)
    assert plain.per_attribute == pytest.approx({"x": 50, "y": 0})
    assert plain.sentence == ("The rank correlation of original and released numbers is 0.750 on average, lowest in x.")
    weights = [2.0, 1.0, 1.0]
    weighted = RankLoss(weighted=True, attributes=["x"]).measure(
        frame(before, w=weights), frame(after, w=weights), WEIGHTED
    )
    assert weighted.value == pytest.approx(100 * 4 / 11)  # ranks 1 2 3 and 1 3 2 have 7/16 of 11/16 in common
    kept = RankLoss().measure(frame(before), frame([1.0, 2.0, 3.0]), PLAIN)
    assert (kept.value, kept.sentence) == (0, "Numbers kept their order.")
    turned = RankLoss().measure(frame(before), frame([3.0, 2.0, 1.0]), PLAIN)
    assert turned.value == pytest.approx(200)


def test_a_column_without_a_number_in_both_files_is_named():
    with pytest.raises(MissingValueError, match="RankLoss: column 'y' has no record with a value in both files"):
        RankLoss().measure(frame([1.0, 2.0], [1.0, None]), frame([1.0, 2.0], [None, 1.0]), PLAIN)


@pytest.mark.parametrize("measure", [RankLoss, CovarianceDifference, CorrelationDifference, EigenvalueDifference])
def test_weights_are_asked_for_by_name(measure):
    with pytest.raises(SchemaError, match=f"{measure.__name__}: weighted is True, and the schema names no weight"):
        measure(weighted=True).measure(frame([1.0, 2.0]), frame([1.0, 2.0]), PLAIN)


def test_shapes_are_told_whole():
    before, apart = frame([1.0, 2.0, 3.0, 4.0]), frame([1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 1.0, 3.0])
    robust = EigenvalueDifference(robust=True)
    result = robust.measure(before, apart, PLAIN)
    assert result.value == pytest.approx(100)
    assert result.sentence == "The eigenvalues of the rank correlations changed by 100.0 % of their sum."
    assert result.details["before"] == pytest.approx([2, 0], abs=1e-9)
    assert result.details["after"] == pytest.approx([1, 1])
    assert result.details["robust"] is True
    turned = frame([1.0, 2.0, 3.0, 4.0], [90.0, 3.0, 2.0, 1.0])
    assert robust.measure(before, turned, PLAIN).sentence == "The eigenvalues of the rank correlations did not change."
    plain = EigenvalueDifference().measure(before, apart, PLAIN)
    assert plain.sentence == "The eigenvalues of the covariances changed by 100.0 % of their sum."
    assert plain.details["robust"] is False
    same = EigenvalueDifference().measure(before, before, PLAIN)
    assert (same.value, same.sentence) == (0, "The eigenvalues of the covariances did not change.")
    wider = EigenvalueDifference().measure(before, frame([2.0, 4.0, 6.0, 8.0]), PLAIN)
    assert wider.value == pytest.approx(300)


def test_weights_count_in_shapes():
    w = [1.0, 1.0, 2.0]
    before, after = frame([1.0, 2.0, 3.0], w=w), frame([1.0, 2.0, 3.0], [1.0, 3.0, 2.0], w=w)
    names = ["x", "y"]
    found = EigenvalueDifference(robust=True, weighted=True, attributes=names).measure(before, after, WEIGHTED)
    # Ranks 1 2 3 3 and 1 3 2 2: means 9/4 and 2, squares 23/4 and 18/4, products 19/4.
    r = (19 / 4 - 18 / 4) / np.sqrt((23 / 4 - 81 / 16) * (18 / 4 - 4))
    assert found.details["after"] == pytest.approx([1 + r, 1 - r])


def test_a_constant_is_left_at_unit_one():
    before, after = frame([1.0, 3.0], [5.0, 5.0]), frame([1.0, 3.0], [5.0, 9.0])
    result = CovarianceDifference().measure(before, after, PLAIN)
    assert result.value == pytest.approx(200)  # 0 became 2, of S = 1 and 1
    assert result.per_attribute == pytest.approx({"x": 200, "y": 200})
    assert result.sentence == ("Covariances changed by 200.0 % of what full dependence would be, most those of x.")
    assert CovarianceDifference().measure(before, before, PLAIN).sentence == "No covariance changed."
    told = CorrelationDifference().measure(before, after, PLAIN)
    assert told.sentence == "Correlations changed by 1.000 on average, most those of x."
    assert told.details == {"largest": pytest.approx(1.0)}
    assert CorrelationDifference().measure(before, before, PLAIN).sentence == "No correlation changed."
