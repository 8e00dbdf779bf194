from __future__ import annotations

import polars as pl

import discreet as dc
from discreet.report.risk_page import render_risk, size_chart


def risk():
    people = pl.DataFrame({"<b>sex": list("ffmmmm"), "job": list("abaabb")})
    return dc.risk(people, keys=["<b>sex", "job"], fraction=0.1)


def test_the_chart_says_in_words_what_it_shows():
    assert (
        'aria-label="Records by the size of the group that shares their keys: 2 in groups of 1; 4 in groups of 2."'
        in (size_chart(risk()))
    )


def test_every_figure_of_the_screen_is_on_the_page_and_names_are_escaped():
    page = render_risk(risk(), "<i>survey")
    assert "<i>survey" not in page
    assert "<b>sex" not in page
    assert "&lt;b&gt;sex" in page
    for title, rows in risk().sections:
        assert title in page
        for _, figure, _ in rows:
            assert figure in page
    assert "http://" not in page.replace("http://www.w3.org", "")
