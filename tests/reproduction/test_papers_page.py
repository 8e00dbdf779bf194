from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from discreet.reproduction.papers_figures import draw
from discreet.reproduction.papers_page import render_papers
from discreet.reproduction.printed import (
    Arrow,
    Curve,
    CurveFigure,
    GraphFigure,
    Interval,
    IntervalFigure,
    PaperComparison,
    Row,
    ScatterFigure,
    ScatterPoint,
    Section,
    Table,
)
from discreet.reproduction.verdicts import STAND_IN, beside, exact, not_run, sampled

FIGURES = (
    CurveFigure(
        "Curves", "Two <lines>", "x", "y", (Curve("one", ((0, 0), (1, 2))), Curve("two", ((0, 1), (1, 1)), True))
    ),
    CurveFigure("Flat", "A flat line", "x", "y", (Curve("one", ((0, 1), (0, 1))),), ((0.0, "zero"),)),
    IntervalFigure("Intervals", "An interval", "x", (Interval("hot", 0, 0.25, 0.125),)),
    ScatterFigure("Points", "A point", "x", "y", (ScatterPoint("a & b", "G", 1, 2), ScatterPoint("c", "H", 3, 2))),
    GraphFigure(
        "Graph", "A step", (("a", 0, 0), ("b", 1, 1)), (Arrow("a", "b", "0,1", 1), Arrow("a", "b", "2")), ("ab", "b")
    ),
)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.title)
def test_figures_are_sound_svg_with_words(figure):
    root = ET.fromstring(draw(figure))  # noqa: S314 - our own
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == figure.alt
    numbers = re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?|nan|inf", draw(figure))
    assert not {"nan", "inf"} & set(numbers)


def page(*cells, data=""):
    row = Row("a <row>", cells)
    wide = Table("Table 1", "Wide & <b>", tuple("abcd"), (row,), data=data, note="A <note>")
    slim = Table("Table 2", "Slim", ("x",), (Row("r", cells[:1]),), data=data)
    section = Section("p1b", "A <paper>", "Somebody", (wide, slim), FIGURES)
    return render_papers(PaperComparison((section,), full=False, seconds=12.0))


class Links(HTMLParser):
    """Collects what a page would load, and checks that tags close."""

    def __init__(self):
        super().__init__()
        self.loads, self.open = [], []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.loads += [values[name] for name in ("src", "href", "srcset", "data") if values.get(name)]
        if tag not in {"meta", "br", "link", "img"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):  # noqa: ARG002
        self.loads += [value for name, value in attrs if name in {"src", "href"}]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


def test_the_page_is_whole_and_loads_nothing():
    text = page(
        exact("1", 1.0), sampled(5, 5.6, 0.3), exact("1", 2.0, known="a <known> misprint"), not_run("3", "needs X")
    )
    reader = Links()
    reader.feed(text)
    assert not reader.open
    assert all(link.startswith("#") for link in reader.loads)
    assert "url(" not in text.replace("url(#", "")
    assert "@import" not in text
    assert "<script" not in text
    assert text.count("<svg") == len(FIGURES)
    assert "a &lt;known&gt; misprint" in text
    assert "<row>" not in text


def test_verdicts_are_shown():
    text = page(
        exact("1", 1.0), sampled(5, 5.6, 0.3), exact("1", 2.0, known="why"), not_run("3", "needs file X from Y")
    )
    for words in ("1 exact", "1 within sampling error", "1 differs", "1 not run", "z +2.0", "needs file X from Y"):
        assert words in text
    assert 'class="sheet failed"' not in text


def test_a_failure_is_loud():
    text = page(exact("1", 2.0), None, None, None)
    assert 'class="sheet failed"' in text
    assert "should be exact and is not" in text


def test_stand_in_data_are_named_on_every_line():
    text = page(*(beside("502", "43 to 99") for _ in range(4)), data=STAND_IN)
    assert text.count(f'<td class="data">{STAND_IN}</td>') == 2
