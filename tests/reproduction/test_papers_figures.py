"""Figures read back from their ink: what lies where on the axes must be what was to be drawn."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from discreet.reproduction.papers_figures import draw
from discreet.reproduction.printed import (
    Arrow,
    Curve,
    CurveFigure,
    GraphFigure,
    Interval,
    IntervalFigure,
    ScatterFigure,
    ScatterPoint,
)

LINE, SOFT = "#d5dade", "#5b6770"


def elements(figure, tag):
    root = ET.fromstring(draw(figure))  # noqa: S314 - our own
    return [one for one in root.iter() if one.tag.endswith("}" + tag)]


def scales(figure):
    """From the lines of the grid and the words beside them, what a place on either axis stands for."""
    grid = [one.attrib for one in elements(figure, "line") if one.get("stroke") == LINE]
    words = [(float(one.get("x")), float(one.get("y")), one.text, one.get("text-anchor"))
             for one in elements(figure, "text") if one.get("fill") == SOFT]  # fmt: skip
    upright = sorted({float(one["x1"]) for one in grid if one["x1"] == one["x2"]})
    level = sorted({float(one["y1"]) for one in grid if one["y1"] == one["y2"]}, reverse=True)
    below = [text for x, _, text, anchor in sorted(words) if anchor == "middle"]
    beside = [text for _, y, text, anchor in sorted(words, key=lambda word: -word[1]) if anchor == "end"]
    assert len(upright) == len(below)
    assert len(level) == len(beside)
    return dict(zip(below, upright, strict=True)), dict(zip(beside, level, strict=True))


def value_at(ticks, place):
    """Straight through the first and the last tick."""
    (first, start), *_, (last, stop) = ((float(text), at) for text, at in ticks.items())
    return first + (last - first) * (place - start) / (stop - start)


CURVES = CurveFigure(
    "Curves", "Lines", "share", "weight",
    (Curve("mean", ((0.0, 10.0), (0.5, 20.0), (1.0, 55.0)), dashed=True), Curve("max", ((0.0, 0.0), (1.0, 90.0))),
     Curve("min", ((0.0, 5.0), (1.0, 5.0)))),
)  # fmt: skip


def test_points_of_curves_lie_where_the_axes_say():
    across, up = scales(CURVES)
    assert list(across) == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
    assert list(up) == ["0", "20", "40", "60", "80", "100"]
    for line, curve in zip(elements(CURVES, "polyline"), CURVES.curves, strict=True):
        places = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
        for (x, y), (px, py) in zip(curve.points, places, strict=True):
            assert value_at(across, px) == pytest.approx(x, abs=0.001)
            assert value_at(up, py) == pytest.approx(y, abs=0.1)


def test_a_dashed_curve_has_the_colour_of_the_solid_one_that_follows():
    mean, most, least = elements(CURVES, "polyline")
    assert mean.get("stroke") == most.get("stroke") != least.get("stroke")
    assert [line.get("stroke-dasharray") for line in (mean, most, least)] == ["5 4", None, None]
    keys = [one for one in elements(CURVES, "line") if one.get("stroke") != LINE]
    assert [one.get("stroke") for one in keys] == [one.get("stroke") for one in (mean, most, least)]
    assert [one.get("stroke-dasharray") for one in keys] == ["5 4", None, None]
    # Names stand beside their keys, one below the other.
    names = [one for one in elements(CURVES, "text") if one.text in {"mean", "max", "min"}]
    heights = [float(one.get("y")) for one in names]
    assert heights == sorted(heights)
    assert [float(one.get("y1")) + 4 for one in keys] == heights


def test_many_curves_shade_from_green_to_violet():
    many = CurveFigure("a", "b", "x", "y", tuple(Curve(str(j), ((0, 0), (1, j))) for j in range(9)))
    colours = [line.get("stroke") for line in elements(many, "polyline")]
    assert len(set(colours)) == 9
    assert [colours[0], colours[4], colours[-1]] == ["#0b6e4f", "#2f5d8a", "#6a3d8f"]
    eight = CurveFigure("a", "b", "x", "y", many.curves[:8])
    assert "#b3341f" in {line.get("stroke") for line in elements(eight, "polyline")}


def test_named_ticks_stand_where_they_are_said_to():
    named = CurveFigure(
        "a", "b", "x", "y", (Curve("c", ((0, 1), (4, 1))),), ((0.0, "none"), (1.0, "some"), (4.0, "all"))
    )
    across, up = scales(named)
    assert list(across) == ["none", "some", "all"]
    assert across["some"] - across["none"] == pytest.approx((across["all"] - across["none"]) / 4)
    assert list(up) == ["1"]  # a flat line has one height


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.0, 5.0, ["0", "1", "2", "3", "4", "5"]),
        (0.0, 5.1, ["0", "2", "4", "6"]),
        (-3.0, 12.0, ["-5", "0", "5", "10", "15"]),
        (0.03, 0.07, ["0.03", "0.04", "0.05", "0.06", "0.07"]),
        (100.0, 900.0, ["0", "200", "400", "600", "800", "1000"]),
    ],
)
def test_ticks_are_round_and_hold_both_ends(low, high, words):
    figure = ScatterFigure("a", "b", "x", "y", (ScatterPoint("p", "g", low, 0.0), ScatterPoint("q", "g", high, 1.0)))
    assert list(scales(figure)[0]) == words


def test_points_of_a_study_lie_where_the_axes_say_with_their_names():
    points = (ScatterPoint("k = 3", "MDAV", 10.0, 40.0), ScatterPoint("k = 5", "MDAV", 30.0, 20.0),
              ScatterPoint("p <2", "swap", 50.0, 0.0))  # fmt: skip
    figure = ScatterFigure("a", "b", "risk", "loss", points)
    across, up = scales(figure)
    marks = elements(figure, "path")
    places = [tuple(map(float, re.findall(r"-?[\d.]+", one.get("transform")))) for one in marks]
    for (x, y), point, mark in zip(places, points, marks, strict=False):
        assert (value_at(across, x), value_at(up, y)) == pytest.approx((point.x, point.y), abs=0.2)
        assert mark[0].text == f"{point.label}: {point.x:g}, {point.y:g}"
    # The key: a mark without a name for every group, opaque, in its colour and shape.
    assert [one.get("d") for one in marks[3:]] == [marks[0].get("d"), marks[2].get("d")]
    assert marks[0].get("d") != marks[2].get("d")
    assert [one.get("fill-opacity") for one in marks] == ["0.6"] * 3 + ["1"] * 2
    assert len(marks[3]) == 0


@pytest.mark.parametrize(("n", "named"), [(600, True), (601, False)])
def test_a_crowd_of_points_has_no_names(n, named):
    crowd = ScatterFigure("a", "b", "x", "y", tuple(ScatterPoint("p", "g", j, j) for j in range(n)))
    assert ("<title>p: 3, 3</title>" in draw(crowd)) is named


def test_intervals_lie_on_eighths_with_their_centres():
    figure = IntervalFigure("a", "b", "meaning", (Interval("cold", 0.0, 0.25, 0.125), Interval("hot", 0.5, 1.0, 0.7)))
    eighths = sorted({float(one.get("x1")) for one in elements(figure, "line")})
    assert len(eighths) == 9
    words = [one.text for one in elements(figure, "text")]
    assert words[:9] == [f"{tick}/8" for tick in range(9)]
    assert words[-1] == "meaning; dots are centres"

    def share(x):
        return (x - eighths[0]) / (eighths[-1] - eighths[0])

    for box, dot, one in zip(elements(figure, "rect"), elements(figure, "circle"), figure.intervals, strict=True):
        left = float(box.get("x"))
        assert share(left) == pytest.approx(one.low, abs=0.001)
        assert share(left + float(box.get("width"))) == pytest.approx(one.high, abs=0.001)
        assert share(float(dot.get("cx"))) == pytest.approx(one.centre, abs=0.001)
        # The dot is in the middle of its box.
        assert float(dot.get("cy")) == float(box.get("y")) + float(box.get("height")) / 2
    heights = [float(box.get("y")) for box in elements(figure, "rect")]
    assert heights[1] >= heights[0] + 22  # they do not cover each other


def test_arrows_leave_and_reach_the_rims_of_their_places():
    steps = (Arrow("a", "b", "1", 0), Arrow("a", "b", "2", 1), Arrow("b", "a", "3", 1))
    figure = GraphFigure("g", "h", (("a", 0.0, 0.5), ("b", 1.0, 0.5)), steps, ("first", "second"))
    (ax, ay), (bx, by) = ((float(one.get("cx")), float(one.get("cy"))) for one in elements(figure, "circle"))
    assert (ax, bx, ay) == (28.0, 432.0, by)
    paths = [one for one in elements(figure, "path") if one.get("marker-end")]
    curves = [[float(number) for number in re.findall(r"-?[\d.]+", one.get("d"))] for one in paths]
    bends = []
    for (sx, sy, cx, cy, ex, ey), step in zip(curves, steps, strict=True):
        start, end = ((ax, ay), (bx, by)) if step.origin == "a" else ((bx, by), (ax, ay))
        assert ((sx - start[0]) ** 2 + (sy - start[1]) ** 2) ** 0.5 == pytest.approx(14, abs=0.1)
        assert ((ex - end[0]) ** 2 + (ey - end[1]) ** 2) ** 0.5 == pytest.approx(16, abs=0.1)
        assert cx == pytest.approx((ax + bx) / 2)
        assert min(ax, bx) < sx < max(ax, bx)
        bends.append(cy - ay)
    # To the left of its own direction (upwards on the way to the right), and each further one more.
    assert bends == pytest.approx([-16, -36, 16])
    assert [one.get("marker-end") for one in paths] == ["url(#arrow0)", "url(#arrow1)", "url(#arrow1)"]
    assert paths[0].get("stroke") != paths[1].get("stroke") == paths[2].get("stroke")
    labels = {one.text: float(one.get("y")) - 4 - ay for one in elements(figure, "text")}
    assert [labels[step.label] for step in steps] == pytest.approx([0.72 * bend for bend in bends], abs=0.1)


def test_the_key_of_a_graph_has_the_dashes_of_its_groups():
    figure = GraphFigure("g", "h", (("a", 0, 0), ("b", 1, 1)), (Arrow("a", "b", "1", 1),), ("first", "second"))
    first, second = elements(figure, "line")
    (arrow,) = (one for one in elements(figure, "path") if one.get("marker-end"))
    assert (second.get("stroke"), second.get("stroke-dasharray")) == (
        arrow.get("stroke"),
        arrow.get("stroke-dasharray"),
    )
    assert first.get("stroke-dasharray") == ""
    assert draw(figure).count('viewBox="0 0 460 336"') == 1  # room for two lines below
    (_, ay), (_, by) = ((one.get("cx"), float(one.get("cy"))) for one in elements(figure, "circle"))
    assert ay - by == 250.0  # upwards
