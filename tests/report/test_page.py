from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import polars as pl
import pytest

import discreet as dc
from discreet.evaluation.profile import profile
from discreet.report.page import render_html, render_json

HOSTILE = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def parts():
    data = dc.datasets.business(200)
    masked = dc.MDAV(k=4).mask(data)
    return data, masked, dc.assess(data, masked)


@pytest.fixture(scope="module")
def page(parts):
    data, masked, assessment = parts
    return render_html(masked.provenance, assessment, profile(data, masked.microdata), data.schema)


class Checker(HTMLParser):
    VOID = frozenset({"meta", "br", "img", "hr", "input", "link"})

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.problems = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(tag)


def test_is_well_formed_and_self_contained(page):
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert checker.problems == []
    for tag, attributes in checker.tags:
        assert tag not in ("script", "link", "img", "iframe")
        for name in ("src", "href", "xlink:href"):
            assert not (attributes.get(name) or "").startswith(("http", "//"))
    assert "@import" not in page
    assert not re.search(r"url\(\s*['\"]?http", page)


def test_pictures_have_words_and_tables_behind_them(page):
    pictures = re.findall(r"<svg [^>]*>", page)
    assert len(pictures) == 2 + 13
    assert all('role="img"' in p and 'aria-label="' in p for p in pictures)
    assert page.count("<table>") >= 4
    assert '<html lang="en">' in page


def test_shows_the_numbers_of_the_assessment(page, parts):
    _, masked, assessment = parts
    for m in assessment.measurements:
        assert f"{m.value:.2f}" in page
        assert m.sentence in page.replace("&#39;", "'")
    assert f"{assessment.score.value:.1f}" in page
    assert str(masked.provenance.to_dict()["groups"]["count"]) in page


def test_no_record_value_is_in_it(page, parts):
    data, masked, _ = parts
    for name in ("TURNOVER", "ASSETS"):
        for table in (data, masked.microdata):
            for value in table.encoded(name)[:50]:
                shown = repr(float(value))
                if len(shown) >= 7:  # shorter ones may be a coordinate of a picture
                    assert shown not in page


def test_hostile_names_are_harmless():
    frame = pl.DataFrame({HOSTILE: [1.5, 2.5, 9.5, 8.5, 3.5, 4.5]})
    data = dc.microdata(frame)
    masked = dc.MDAV(k=2).mask(data)
    page = render_html(masked.provenance, dc.assess(data, masked), profile(data, masked.microdata), data.schema)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    for thing in (masked, masked.microdata, dc.assess(data, masked), data.schema):
        assert "<script" not in thing._repr_html_()


def test_json_holds_the_same_figures(parts):
    _, masked, assessment = parts
    read = json.loads(render_json(masked.provenance, assessment))
    assert read["assessment"]["score"]["value"] == assessment.score.value
    assert read["provenance"]["method"] == "mdav"
    assert read["assessment"]["known_to_the_intruder"] == list(assessment.known)
