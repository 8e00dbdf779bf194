"""The different records with counts and totals, by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.statistics.small import CUTS, answer, blocks

from discreet.data.microdata import Microdata
from discreet.data.scales import Sequence
from discreet.data.schema import Attribute, Schema
from discreet.statistics.different import COUNT, TOTAL, Different, DifferentRecords, comparable, counted


@pytest.mark.parametrize("cut", CUTS)
def test_different_records_in_order_missing_ones_first(cut):
    question = Different(("s", "y"))
    assert (question.original, question.released) == (("s", "y"), ())
    columns = answer(question, blocks(cut)).ordered()
    # a1 b0 a2 –1 b2 a0
    assert columns["s"].tolist() == [-1, 0, 0, 0, 1, 1]
    assert columns["y"].tolist() == [1, 0, 1, 2, 0, 2]
    assert columns[COUNT].tolist() == columns[TOTAL].tolist() == [1] * 6
    question = Different(("y",), "w")
    assert question.original == ("y", "w")
    columns = answer(question, blocks(cut)).ordered()
    assert columns["y"].tolist() == [0, 1, 2]
    assert columns[COUNT].tolist() == [2, 2, 2]
    assert columns[TOTAL].tolist() == [5, 3, 2]
    columns = answer(Different(("x",), "w"), blocks(cut)).ordered()
    assert np.isnan(columns["x"][0])
    assert columns["x"][1:].tolist() == [1, 2, 3, 5, 6]
    assert columns[TOTAL].tolist() == [2, 1, 2, 1, 1, 3]


@pytest.mark.parametrize("cut", [(3,), (1, 2)])
def test_sequences_are_told_apart(cut):
    schema = Schema([Attribute("q", Sequence(("a", "b")), "key")])
    table = Microdata(pa.table({"q": [["a", "b"], ["b"], ["a", "b"]]}), schema)
    columns = answer(Different(("q",)), blocks(cut, table, table)).ordered()
    assert sorted(columns[COUNT].tolist()) == [1, 2]


def test_totals_have_twelve_digits():
    exact = [0.0, 0.1 + 0.2, 123456789012345.0, -1 / 3, 1e-300, 5e300]
    ones = np.ones(6, dtype=np.int64)
    columns = {"x": np.arange(6.0), COUNT: ones, TOTAL: np.array(exact)}
    totals = DifferentRecords(("x",), columns).ordered()[TOTAL].tolist()
    assert totals[:4] == [0.0, 0.3, 123456789012000.0, -0.333333333333]
    assert totals[4] == pytest.approx(1e-300, rel=1e-9)
    assert totals[5] == pytest.approx(5e300)


def test_the_first_of_equal_records_stands_for_them():
    columns = {"x": np.array([0.0, -0.0, 2.0]), COUNT: np.array([1, 2, 4]), TOTAL: np.array([0.5, 1.0, 8.0])}
    records = counted(("x",), columns)
    assert records.columns[COUNT].tolist() == [3, 4]
    assert records.columns[TOTAL].tolist() == [1.5, 8]
    none = counted((), columns)
    assert none.columns[COUNT].tolist() == [7]


def test_missing_values_can_be_compared():
    assert comparable(np.array([1.5, np.nan])).tolist() == [1.5, -np.inf]
    assert comparable(np.array([2, -1])).tolist() == [2, -1]
