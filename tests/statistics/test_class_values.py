"""Values within classes of equal keys, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import CUTS, after, answer, blocks, table

from discreet.errors import DataError
from discreet.statistics import value_counts
from discreet.statistics.class_values import Classified, ClassRecords, ClassValues


@pytest.mark.parametrize("cut", CUTS)
def test_values_by_class(cut):
    question = ClassValues(("t",), ("s", "x"))
    assert (question.original, question.released) == ((), ("t", "s", "x"))
    records = answer(question, blocks(cut))
    assert records.gaps is False
    assert int(records.counts.sum()) == 6
    found = records.classified(("s", "x"), after().schema)
    assert (found.groups, found.n, found.gaps) == (2, 6, False)
    (s, s_size), (x, x_size) = found.codes["s"], found.codes["x"]
    assert (s_size, x_size) == (4, 5)  # b c a and missing; 1 2 4 6 and missing
    rows = sorted(zip(found.labels.tolist(), s.tolist(), x.tolist(), found.counts.tolist(), strict=True))
    classes = {label: sorted(row[1:] for row in rows if row[0] == label) for label in (0, 1)}
    # Class of b: a1 c2 a4 ––, class of a: a4 a6; which is first follows from their numbers.
    assert sorted(classes.values()) == sorted([[(1, 1, 1), (2, 0, 1), (2, 2, 1), (3, 4, 1)], [(2, 2, 1), (2, 3, 1)]])


@pytest.mark.parametrize("cut", CUTS)
def test_gaps_of_keys_are_told_and_equal_records_are_one(cut):
    records = answer(ClassValues(("s",), ("t",)), blocks(cut))
    assert records.gaps is True
    # ab cb aa ab –b aa
    assert sorted(records.counts.tolist()) == [1, 1, 2, 2]


def test_one_nought_and_one_way_to_be_missing():
    other_nan = np.array([0x7FF8000000000001], dtype=np.int64).view(np.float64)[0]
    values = np.array([[0.0], [-0.0], [np.nan], [other_nan]])
    records = ClassRecords.of(np.zeros((4, 1), dtype=np.int64), values, np.array([1, 2, 4, 8]), gaps=True)
    assert sorted(records.counts.tolist()) == [3, 12]
    assert records.gaps is True


def test_records_of_classes_that_are_known():
    found = Classified.of(np.array([0, 0, 1, 1, 1, 2]), table(x=[1.0, 2.0, None, 2.0, 1.0, 5.0]), ("x",))
    assert (found.groups, found.n, found.gaps) == (3, 6, False)
    codes, size = found.codes["x"]
    assert (codes.tolist(), size) == ([0, 1, 3, 1, 0, 2], 4)


def test_too_many_records_are_refused(monkeypatch):
    monkeypatch.setattr(value_counts, "MOST_DIFFERENT", 2)
    with pytest.raises(DataError, match="There are 3 different records"):
        answer(ClassValues(("y",), ("y",)), blocks((6,)))
