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
    nice_limit,
    put_beside,
    shortened,
    text_width,
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
