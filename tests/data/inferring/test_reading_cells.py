"""Cells that hold many numbers: readings or places in the order of time, or something else."""

from __future__ import annotations

import pyarrow as pa
import pytest

from discreet.data.inferring.reading_cells import holds_points, holds_readings


def readings(mark=";", length=6, cells=10, decimals=6, word="3"):
    """Cells of numbers, so many of which have decimals; the last number of the last cell is given as a text."""
    rows = [[f"{i}.5" if j < decimals else str(i + j) for j in range(length)] for i in range(cells)]
    rows[-1][-1] = word
    return pa.array([mark.join(row) for row in rows])


@pytest.mark.parametrize("mark", [";", "; ", ",", ", ", "|", " | ", " "])
def test_readings_have_one_mark_between_them(mark):
    assert holds_readings(readings(mark)) == mark


@pytest.mark.parametrize(
    ("cells", "believed"),
    [
        ({}, True),
        ({"cells": 9}, False),
        ({"length": 5}, False),
        ({"length": 7}, True),
        ({"decimals": 0}, False),  # whole numbers alone may be codes
        ({"decimals": 1, "length": 20}, False),  # one in twenty is not enough
        ({"decimals": 1, "length": 19}, True),
        ({"word": "-3.25"}, True),
        ({"word": "+3"}, True),
        ({"word": ""}, True),  # a gap is an empty place
        ({"word": "", "mark": " "}, False),
        ({"word": "03"}, False),
        ({"word": "x"}, False),
        ({"word": "3."}, False),
    ],
)
def test_what_looks_like_a_series_of_readings(cells, believed):
    mark = cells.get("mark", ";")
    assert holds_readings(readings(**cells)) == (mark if believed else "")


def test_one_short_cell_is_enough_to_doubt():
    assert holds_readings(pa.array([*readings().to_pylist(), "1.5;2.5;3.5;4.5;5.5"])) == ""
    assert holds_readings(pa.array([";;;;;"] * 10)) == ""


def points(mark=";", cells=10, several=10, point="{},48.25,16.5"):
    rows = [[point.format(i), point.format(i + 60)][: 2 if i < several else 1] for i in range(cells)]
    return pa.array([mark.join(row) for row in rows])


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        ({}, ";"),
        ({"mark": "|"}, "|"),
        ({"mark": " ; "}, ";"),
        ({"mark": ","}, ""),
        ({"cells": 9}, ""),
        ({"several": 6}, ";"),
        ({"several": 5}, ""),  # half of them are not most
        ({"point": "2020-01-01 10:{},-48.25, +16"}, ";"),
        ({"point": "{},48,16"}, ""),  # no decimals: codes
        ({"point": "{},48.25"}, ""),
        ({"point": "{},48.25,16.5,7"}, ""),
        ({"point": "{},north,16.5"}, ""),
        ({"point": "morning{},48.25,16.5"}, ";"),
    ],
)
def test_what_looks_like_a_trajectory(cells, mark):
    assert holds_points(points(**cells)) == mark


def test_half_of_the_points_with_decimals_are_not_most():
    whole, fine = "{0},48,16;{0},48,17", "{0},48.5,16;{0},48.5,17"
    for count, mark in ((10, ""), (11, ";")):
        cells = [fine.format(i) for i in range(count)] + [whole.format(i) for i in range(20 - count)]
        assert holds_points(pa.array(cells)) == mark
    assert holds_points(pa.array(["1,48.25,16.5;2,48.25,16.5"] * 10 + ["1,48.25,16.5;noon"])) == ""
