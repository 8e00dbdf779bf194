"""What every run of a masker asks first, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import CUTS, answer, before, blocks, table

from discreet.data.keyed_draws import fingerprint
from discreet.statistics.census import Census, Extent, Extents, Reach, still_somewhere


@pytest.mark.parametrize("cut", CUTS)
def test_gaps_unfit_weights_and_how_fine_numbers_are(cut):
    question = Census(("x", "s", "t"), "w", ("x", "y"), ("y", "s"))
    assert (question.original, question.released) == (("x", "s", "t", "y", "w"), ())
    data = table(
        x=[1.0, 2.0, 3.25, None, 5.0, 6.5],
        y=[10.0, 0.0, 20.0, 10.0, 20.0, 0.0],
        s=["a", "b", "a", None, "b", None],
        t=["b", "b", "a", "a", "b", "a"],
        w=[1.0, 0.0, -2.0, None, 1.0, 0.5],
    )
    counted = answer(question, blocks(cut, data, data))
    assert counted.missing == {"x": 1, "s": 2, "t": 0}
    assert counted.unfit_weights == 3  # nought, less than nought, and none
    assert {name: (scale.double, scale.low, scale.high) for name, scale in counted.fineness.items()} == {
        "x": (2, 1.0, 6.5),
        "y": (0, 0.0, 20.0),
    }
    marks, other = (
        fingerprint({name: one.encoded(name) for name in ("y", "s")}, np.arange(6)) for one in (data, before())
    )
    assert np.array_equal(counted.marks, marks)
    assert not np.array_equal(counted.marks, other)


def test_a_census_without_a_weight():
    question = Census(("x",), None, (), ("t",))
    assert question.original == ("x", "t")
    counted = answer(question, blocks((2, 4)))
    assert (counted.missing, counted.unfit_weights, counted.fineness) == ({"x": 1}, 0, {})


@pytest.mark.parametrize("cut", CUTS)
def test_between_what_columns_lie(cut):
    question = Extents(("x", "s", "none"))
    assert (question.original, question.released) == (("x", "s", "none"), ())
    data = table(x=[3.0, 2.0, None, -1.0, 0.5, 0.0], s=["b", None, "b", "b", None, "b"], none=[np.nan] * 6)
    found = answer(question, blocks(cut, data, data)).columns
    assert found["x"] == Reach(5, -1.0, 3.0)
    assert found["s"] == Reach(4, 1.0, 1.0)
    assert found["none"] == Reach(0, np.inf, -np.inf)
    assert [found[name].varies for name in ("x", "s", "none")] == [True, False, False]
    first = answer(Extents(("s",)), blocks((6,))).columns["s"]
    assert (first, first.varies) == (Reach(5, 0.0, 1.0), True)


def reaches(*columns):
    return [Extent({"x": Reach(*reach), "y": Reach(2, 0.0, 1.0)}) for reach in columns]


NONE = (0, np.inf, -np.inf)


@pytest.mark.parametrize(
    ("columns", "still"),
    [
        ([(3, 1.0, 2.0), (2, 5.0, 5.0)], [("x", 1)]),
        ([(3, 4.0, 4.0), (2, 5.0, 5.0)], [("x", 2)]),
        ([(3, 5.0, 5.0), (2, 5.0, 5.0)], []),  # it does not vary at all, which is said elsewhere
        ([(3, 1.0, 2.0), NONE], []),
        ([(1, 1.0, 1.0), NONE, (1, 2.0, 2.0)], [("x", 2)]),
        ([NONE, NONE], []),
        ([(2, 5.0, 5.0)], []),
        ([(3, 1.0, 2.0), (3, 1.0, 2.0)], []),
    ],
)
def test_columns_that_vary_in_the_table_and_not_in_some_strata(columns, still):
    assert list(still_somewhere(reaches(*columns), ("x", "y"))) == still
    assert list(still_somewhere(reaches(*columns), ("y",))) == []
