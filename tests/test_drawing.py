"""SVGs that share a page: read out in words, harmless whatever a column is called, and where they say they are."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.drawing import (
    AFTER,
    BEFORE,
    CHANCE,
    INK,
    PALETTE,
    RISK,
    Canvas,
    LinearScale,
    Plot,
    blended,
    legend_of_files,
    nice_limit,
    put_beside,
    short_number,
    shortened,
    spelled,
    text_width,
    told,
)


def brightness(colour):
    """The relative luminance of WCAG 2.1."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def drawn(name):
    canvas = Canvas(200, 100)
    canvas.rect(1, 2, 3, 4, AFTER, label=name)
    canvas.line([(0, 0), (5, 5)], label=name)
    canvas.dot(1, 1, RISK, "diamond", name)
    canvas.text(0, 0, name)
    Plot(canvas, 10, 10, 100, 50).rows([name], 80)
    canvas.say(name)
    return canvas.svg(name)


@given(st.text())
def test_no_name_does_harm(name):
    svg = drawn(name)
    root = ET.fromstring(svg)  # noqa: S314 - our own text, and that it is well formed is the point
    kinds = {element.tag.rsplit("}", 1)[1] for element in root.iter()}
    assert kinds <= {"svg", "rect", "path", "text", "title", "g"}
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", svg)


def test_the_words_are_the_pictures_label_and_each_marks():
    svg = drawn('of "a" <b> \\1\x1b')
    assert svg.startswith('<svg role="img" aria-label="of &quot;a&quot; &lt;b&gt; \\1')
    assert svg.count("<title>of ") == 3
    assert " id=" not in svg  # so that two pictures on a page cannot take each other's parts


def test_a_picture_is_drawn_on_nothing_so_that_every_page_shows_through():
    assert not re.search(r'fill="(?:white|#fff)', drawn("a"))


def test_every_colour_stands_out_from_white_by_four_and_a_half_to_one():
    for colour in (INK, BEFORE, AFTER, RISK, CHANCE, *PALETTE):
        assert 1.05 / (brightness(colour) + 0.05) >= 4.5


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.integers(2, 8))
def test_ticks_are_round_ordered_and_inside(low, extent, number):
    scale = LinearScale(low, low + extent, 0, 100)
    ticks = scale.ticks(number)
    assert ticks == sorted(set(ticks))
    assert len(ticks) <= number + 2
    assert all(-0.01 <= scale(tick) <= 100.01 for tick in ticks) or extent < 1e-9 * abs(low)


def test_ticks_by_hand():
    assert LinearScale(0, 100, 0, 1).ticks() == [0, 20, 40, 60, 80, 100]
    assert LinearScale(-0.3, 0.3, 0, 1).ticks(4) == [-0.2, 0.0, 0.2]
    assert LinearScale(7, 7, 0, 10)(7) == 5


@pytest.mark.parametrize(("value", "limit"), [(7.0, 7.0), (7.1, 8.0), (5.0, 5.0), (0.013, 0.014), (101.0, 120.0)])
def test_limits_are_round_and_no_less(value, limit):
    assert nice_limit(value) == pytest.approx(limit)


def test_what_is_too_wide_is_cut_and_says_so():
    assert shortened("short", 100) == "short"
    cut = shortened("a name of a column that goes on and on", 80)
    assert cut.endswith("…")
    assert text_width(cut) <= 80


def test_colours_between_two():
    assert blended(0.5, "#000000", "#ffffff") == "#808080"
    assert blended(-1, "#102030", "#ffffff") == "#102030"


def test_panels_stand_row_by_row_and_do_not_overlap():
    whole = put_beside([Canvas(50, 20), Canvas(30, 40), Canvas(60, 10)], 2, gap=5)
    assert (whole.width, whole.height) == (60 + 5 + 30, 40 + 5 + 10)
    assert re.findall(r"translate\(([\d.]+) ([\d.]+)\)", whole.svg("")) == [
        ("0.00", "0.00"), ("65.00", "0.00"), ("0.00", "45.00"),
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------ marks, where they are


def parts(draw):
    """Return what is drawn, without the picture around it."""
    canvas = Canvas(200, 100)
    draw(canvas)
    return re.sub(r"^<svg[^>]*>|</svg>$", "", canvas.svg("x"))


CORNERS = [(-3, -1), (-1, -1), (-1, -3), (1, -3), (1, -1), (3, -1), (3, 1), (1, 1), (1, 3), (-1, 3), (-1, 1), (-3, 1)]
CROSS = "L".join(f"{x:.2f},{y:.2f}" for x, y in CORNERS)
TURNED = ' transform="rotate(-90 1.00 2.00)"'
PLACE = 'x="1.00" y="2.00" width="3.00" height="4.00" fill="red"'


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (lambda c: c.rect(1, 2, 3, -4, "red"), '<rect x="1.00" y="2.00" width="3.00" height="0.00" fill="red"/>'),
        (lambda c: c.rect(1, 2, -3, 4, "red", edge="blue"),
         '<rect x="1.00" y="2.00" width="0.00" height="4.00" fill="red" stroke="blue"/>'),
        (lambda c: c.line([(1, 2), (3, 4)], "red", 2, "4 3"),
         '<path d="M1.00,2.00L3.00,4.00" fill="none" stroke="red" stroke-width="2" stroke-dasharray="4 3"/>'),
        (lambda c: c.dot(1, 2, "red"), '<circle cx="1.00" cy="2.00" r="4.5" fill="red"/>'),
        (lambda c: c.dot(10, 20, "red", "diamond", radius=8),
         '<path d="M10.00,10.00L20.00,20.00L10.00,30.00L0.00,20.00Z" fill="red"/>'),
        (lambda c: c.dot(0, 0, "red", "cross", radius=2.4), f'<path d="M{CROSS}Z" fill="red"/>'),
        (lambda c: c.text(1, 2, "a", "end", 9, turned=True, colour="red"),
         f'<text x="1.00" y="2.00" text-anchor="end" font-size="9" fill="red"{TURNED}>a</text>'),
        (lambda c: c.text(1, 2, "a"),
         f'<text x="1.00" y="2.00" text-anchor="start" font-size="12" fill="{INK}">a</text>'),
        (lambda c: c.rect(1, 2, 3, 4, "red", "it"),
         f'<rect role="img" aria-label="it" {PLACE}><title>it</title></rect>'),
    ],
)  # fmt: skip
def test_a_mark_is_where_it_says(draw, expected):
    assert parts(draw) == expected


def test_axes_rows_and_legend_are_where_they_say():
    def texts(draw):
        found = re.findall(r'<text x="([^"]+)" y="([^"]+)" text-anchor="([^"]+)"[^>]*>([^<]*)</text>', parts(draw))
        return [(float(x), float(y), anchor, text) for x, y, anchor, text in found]

    def lines(draw):
        return re.findall(r'd="M([^"]+)"', parts(draw))

    def bottom(canvas, **options):
        plot = Plot(canvas, 10, 20, 100, 50)
        plot.bottom_axis(plot.across(0, 2), "risk", ticks=2, **options)

    def left(canvas, **options):
        plot = Plot(canvas, 10, 20, 100, 50)
        plot.left_axis(plot.upwards(0, 2), "loss", ticks=2, **options)

    assert texts(bottom) == [(10, 87, "middle", "0"), (60, 87, "middle", "1"), (110, 87, "middle", "2"),
                             (60, 104, "middle", "risk")]  # fmt: skip
    assert lines(bottom) == ["10.00,20.00L10.00,74.00", "60.00,20.00L60.00,74.00", "110.00,20.00L110.00,74.00",
                             "10.00,70.00L110.00,70.00"]  # fmt: skip
    assert lines(lambda c: bottom(c, grid=False))[0] == "10.00,70.00L10.00,74.00"
    assert texts(left) == [(3, 74, "end", "0"), (3, 49, "end", "1"), (3, 24, "end", "2"), (-34, 45, "middle", "loss")]
    assert lines(left) == ["6.00,70.00L110.00,70.00", "6.00,45.00L110.00,45.00", "6.00,20.00L110.00,20.00",
                           "10.00,20.00L10.00,70.00"]  # fmt: skip
    assert lines(lambda c: left(c, grid=False))[0] == "6.00,70.00L10.00,70.00"
    assert 'aria-label="Across: risk, from 0 to 2."' in parts(bottom)
    assert 'aria-label="Up: loss, from 0 to 2."' in parts(left)

    def rows(canvas):
        assert Plot(canvas, 10, 20, 100, 50).rows(["a", "b"], 80, grid=True) == [32.5, 57.5]

    assert texts(rows) == [(3, 36.5, "end", "a"), (3, 61.5, "end", "b")]
    assert lines(rows) == ["10.00,32.50L110.00,32.50", "10.00,57.50L110.00,57.50"]
    assert Plot(Canvas(9, 9), 0, 0, 9, 9).rows([], 80) == []
    second = 5 + 34 + text_width("before")
    assert texts(lambda c: legend_of_files(c, 5, 30)) == [(23, 30, "start", "before"),
                                                          (round(second + 18, 2), 30, "start", "after")]  # fmt: skip
    assert '<rect x="5.00" y="21.00" width="12.00" height="10.00"' in parts(lambda c: legend_of_files(c, 5, 30))
    assert '<circle cx="11.00" cy="26.00"' in parts(lambda c: legend_of_files(c, 5, 30, shapes=True))


def test_panels_side_by_side_and_below_each_other():
    panels = [Canvas(100, 50), Canvas(60, 70), Canvas(120, 40)]
    whole = put_beside(panels, 2, gap=10)
    assert (whole.width, whole.height) == (120 + 10 + 60, 70 + 10 + 40)
    places = re.findall(r"translate\(([\d.]+) ([\d.]+)\)", whole.svg("x"))
    assert places == [("0.00", "0.00"), ("130.00", "0.00"), ("0.00", "80.00")]
    alone = put_beside([Canvas(100, 50)], 3)
    assert (alone.width, alone.height) == (100, 50)


@pytest.mark.parametrize(
    ("value", "ticks", "limit"),
    [(10, 10, 10), (10.1, 10, 12), (0.93, 10, 1.0), (37, 10, 40), (49, 10, 50), (95, 5, 100), (1e-3, 10, 1e-3)],
)
def test_round_limits(value, ticks, limit):
    assert nice_limit(value, ticks) == pytest.approx(limit)


def test_scales_numbers_and_colours():
    assert LinearScale(0, 10, 100, 200)(2.5) == 125
    assert LinearScale(3, 3, 100, 200)(3) == 150
    assert LinearScale(0, 10, 0, 1).ticks() == [0, 2, 4, 6, 8, 10]
    assert LinearScale(-1, 1, 0, 1).ticks(4) == [-1, -0.5, 0, 0.5, 1]
    assert LinearScale(5, 5, 0, 1).ticks() == [5]
    assert blended(0.5, "#000000", "#ff8002") == "#804001"
    assert blended(-1, "#102030", "#ffffff") == "#102030"
    assert blended(2, "#102030", "#ffffff") == "#ffffff"
    assert text_width("aAi m", 10) == pytest.approx(10 * (0.58 + 0.7 + 0.3 + 0.3 + 0.87))
    assert text_width("漢") == 12
    assert shortened("abc", text_width("abc")) == "abc"
    assert shortened("abcdef", text_width("ab…")) == "ab…"
    assert shortened("ab cdef", text_width("ab …")) == "ab…"
    assert shortened("abc", 1) == "…"
    assert [short_number(value) for value in (999.0, 1e3, 1e6, 1e9, 1e12, -2500.0)] == [
        "999", "1k", "1M", "1G", "1T", "−2.5k",
    ]  # fmt: skip
    assert told({"a": 1.5, "b": "x\x00"}) == f"a: 1.5; b: {spelled('x' + chr(0))}"
