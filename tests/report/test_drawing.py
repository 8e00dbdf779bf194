"""SVGs that share a page: names of their own, read out in words, harmless whatever a column is called."""

from __future__ import annotations

import re

from discreet.report.drawing import AFTER, BEFORE, CHANCE, INK, RISK, draw, of_rows, spoken

PICTURE = '<svg width="3"><clipPath id="clip0"/><g id="a"/><g clip-path="url(#clip0)" font-family="Arial"/></svg>'


def brightness(colour):
    """The relative luminance of WCAG 2.1."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_parts_are_named_after_what_the_picture_says():
    first, again, other = spoken(PICTURE, "Ages."), spoken(PICTURE, "Ages."), spoken(PICTURE, "Jobs.")
    names = [re.findall(r'\bid="([^"]+)"', svg) for svg in (first, other)]
    assert first == again
    assert len({*names[0], *names[1]}) == 4
    for svg, (clip, _) in zip((first, other), names, strict=True):
        assert f"url(#{clip})" in svg
        assert "clip0" not in svg


def test_the_words_are_the_pictures_label_and_can_do_no_harm():
    svg = spoken(PICTURE, 'of "a" <b> \\1\x1b')
    assert svg.startswith('<svg role="img" aria-label="of &quot;a&quot; &lt;b&gt; \\1')
    assert "\x1b" not in svg
    assert svg.count('role="img"') == 1


def test_fonts_are_those_that_a_reader_has():
    assert 'font-family="Arial, Helvetica' in spoken(PICTURE, "a")
    assert 'font-family="Arial, Helvetica' in spoken(PICTURE.replace("Arial", "sans-serif"), "a")


def test_texts_in_rows_are_made_printable_and_numbers_stay():
    rows = [{"name": "a\x1b[31m", "value": 2.5}]
    (row,) = of_rows(rows).data.values
    assert row["value"] == 2.5
    assert "\x1b" not in row["name"]


def test_a_picture_is_drawn_on_nothing_so_that_every_page_shows_through():
    svg = draw(of_rows([{"a": 1.0}]).mark_bar().encode(x="a:Q"), "One bar.")
    assert svg.startswith('<svg role="img" aria-label="One bar." ')
    assert not re.search(r'fill="(?:white|#fff)', svg)


def test_every_colour_stands_out_from_white_by_four_and_a_half_to_one():
    for colour in (INK, BEFORE, AFTER, RISK, CHANCE):
        assert 1.05 / (brightness(colour) + 0.05) >= 4.5
