"""Hierarchies from few words: what fits a scale, and leaves that do not tell what occurs."""

from __future__ import annotations

import pyarrow as pa
import pytest

import discreet as dc
from discreet.errors import ParameterError
from discreet.masking.recoding.hierarchy_of_column import lists_values

SCHEMA = dc.Schema(
    [
        dc.Attribute("age", dc.Numeric(), "key"),
        dc.Attribute("wage", dc.Numeric(), "key"),
        dc.Attribute("size", dc.Ordinal(["s", "m", "l"]), "key"),
        dc.Attribute("zip", dc.Nominal(["101", "102", "205"]), "key"),
        dc.Attribute("born", dc.Date(), "key"),
    ]
)
TABLE = dc.Microdata(
    pa.table(
        {
            "age": [18, 40, 77, 93],
            "wage": [1.5, 2.25, 9.0, None],
            "size": ["s", "m", "l", "l"],
            "zip": ["101", "102", "205", "205"],
            "born": ["1990-01-05", "1991-02-03", "2000-12-31", None],
        }
    ),
    SCHEMA,
)


@pytest.mark.parametrize(
    ("column", "by", "steps", "row"),
    [
        ("age", None, "10; 50", ("77", "70–79", "50–99", "*")),
        ("age", "intervals", "", ("77", "75–79", "70–79", "60–79", "40–79", "*")),
        ("wage", None, "<2,5+", ("2.25", "2–<5", "*")),
        ("size", None, "", ("m", "s–m", "*")),
        ("zip", "prefix", "2; 1", ("101", "10*", "1**", "*")),
        ("zip", None, "2", ("101", "other", "*")),
        ("zip", "cooccurrence", "2", None),
        ("born", None, "", ("2000-12-31", "2000-12", "2000-Q4", "2000", "*")),
        ("born", "dates", "year; decade", ("2000-12-31", "2000", "2000s", "*")),
    ],
)
def test_what_fits_a_scale(column, by, steps, row):
    tree = dc.build_hierarchy(TABLE, column, by, steps)
    assert row is None or tree.rows[row[0]] == row


def test_leaves_of_whole_numbers_do_not_tell_which_occur():
    tree = dc.build_hierarchy(TABLE, "age", steps="5")
    assert list(tree.rows) == [str(age) for age in range(10, 100)]
    assert not lists_values(TABLE, "age", tree)
    assert lists_values(TABLE, "wage", dc.build_hierarchy(TABLE, "wage", steps="1"))
    assert lists_values(TABLE, "zip", dc.build_hierarchy(TABLE, "zip", "prefix"))


def test_what_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match="'born' is date; a hierarchy by intervals is for one that is numeric"):
        dc.build_hierarchy(TABLE, "born", "intervals")
    with pytest.raises(ParameterError, match="steps must be whole numbers here"):
        dc.build_hierarchy(TABLE, "size", "order", "two")
