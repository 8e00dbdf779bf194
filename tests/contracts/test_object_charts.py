"""Pictures of results: figures of many records, in bins of ten or more, and nothing of one record."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.contracts.assessment import Assessment, Score
from discreet.contracts.chart import Chart
from discreet.contracts.file_risk import GroupSizes
from discreet.contracts.links import AttributeEvidence
from discreet.contracts.measurement import Measurement
from discreet.contracts.object_charts import (
    SMALLEST,
    LinkOutcome,
    assessment_chart,
    changed_chart,
    evidence_chart,
    precision_chart,
    safe_edges,
    score_chart,
    sizes_chart,
    threshold_chart,
)
from discreet.datasets import business
from discreet.drawing import AFTER, BEFORE, CHANCE, GRID, INK, RISK
from discreet.errors import ParameterError


def labels(chart):
    return re.findall(r'aria-label="([^"]*)"', chart.svg)


@given(st.lists(st.integers(-5, 5).map(float), max_size=120), st.integers(1, 12), st.integers(1, 30))
def test_no_bin_holds_fewer_than_it_must(values, smallest, bins):
    scores = np.array(values)
    edges = safe_edges(scores, smallest, bins)
    if edges.size:
        counts = np.histogram(np.clip(scores, edges[0], edges[-1]), edges)[0]
        assert counts.min() >= smallest
        assert counts.sum() == scores.size
        assert (scores <= edges[0]).sum() >= smallest
        assert (scores >= edges[-1]).sum() >= smallest


def test_bars_of_scores_say_how_many():
    scores = np.concatenate([np.full(30, 1.0), np.full(30, 2.0), [77.25]])
    chart = score_chart(scores, safe_edges(scores), "distance")
    told = [int(m[1]) for m in (re.search(r"records: (\d+)", label) for label in labels(chart)) if m]
    assert sum(told) == 61
    assert min(told) >= SMALLEST
    assert "77.25" not in chart.svg  # the one record that is far off has no mark, and no end of an axis
    assert "Across: distance, from 1 to 2." in labels(chart)
    assert "no bin of 10" in score_chart(scores[:5], safe_edges(scores[:5]), "distance").text


@pytest.fixture(scope="module")
def results():
    original = business(120)
    masked = dc.protect(original, "mdav", k=4)
    return original, masked, dc.attack(original, masked, "probabilistic")


@pytest.mark.parametrize("kind", ["weights", "waterfall", "threshold", "precision-recall"])
def test_links_are_drawn_in_four_ways(results, kind):
    chart = results[2].plot(kind)
    assert isinstance(chart, Chart)
    assert labels(chart)[0] == chart.text
    assert len(labels(chart)) > 4


def test_a_waterfall_adds_up_to_the_weight_of_full_agreement(results):
    links = results[2]
    total = sum(one.agreement for one in links.evidence)
    assert [one.name for one in links.evidence] == list(links.attributes)
    assert all(one.disagreement <= one.agreement for one in links.evidence)
    (sum_told,) = [label for label in labels(links.plot("waterfall")) if label.startswith("sum")]
    assert float(sum_told.removeprefix("sum: ").replace("−", "-")) == pytest.approx(total, abs=0.01)
    with pytest.raises(ParameterError, match="model"):
        dc.attack(*results[:2], "distance").plot("waterfall")


def test_precision_and_recall_are_those_of_the_links(results):
    original, masked, links = results
    told = [label.replace("−", "-") for label in labels(links.plot("precision-recall"))]
    figures = [re.findall(r": (-?[\d.]+)", label) for label in told if "recall (%):" in label]
    assert len(figures) > 2
    right, linked = links.evaluate().probability, links.score
    for recall, precision, threshold in figures:
        passing = linked >= float(threshold) - 5e-4
        assert float(precision) == pytest.approx(100 * right[passing].mean(), abs=1.0)
        assert float(recall) == pytest.approx(100 * right[passing].sum() / len(original), abs=1.0)
    with pytest.raises(ParameterError, match="must be one of"):
        links.plot("pie")
    part = dc.attack(original, masked.microdata.take(np.arange(60)), "distance")
    assert "linked" in part.plot("threshold").text
    with pytest.raises(ParameterError, match="truth"):
        part.plot("precision-recall")


def test_an_assessment_and_a_release_draw_their_figures(results):
    original, masked, _ = results
    assessment = dc.assess(original, masked)
    told = labels(assessment.plot())
    for m in assessment.measurements:
        if m.unit == "%":
            assert any(f"by: {m.title}" in label for label in told)
    changed = labels(masked.plot())
    for name, count in masked.provenance.changed.items():
        assert f"cells changed (%): {round(100 * count / 120)}; attribute: {name}" in changed


def test_sizes_are_told_before_and_after():
    before = (GroupSizes(1, 1, 7, 7), GroupSizes(2, 0, 1, 3))
    after = (GroupSizes(1, 1, 0, 0), GroupSizes(2, 0, 2, 10))
    told = labels(sizes_chart(before, after))
    assert "records: 7; in groups of: 1; file: before" in told
    assert "records: 10; in groups of: 2+; file: after" in told
    assert "Up: records, from 0 to 10." in told


def test_names_are_escaped_and_nothing_masked_is_still_a_picture():
    chart = changed_chart({"<b>": 5}, 10)
    assert "<b>" not in chart.svg
    assert changed_chart({}, 0).svg.startswith("<svg")


def test_objects_show_a_picture_first_and_no_value(results):
    secret = 918273645.5
    frame = pl.DataFrame({"x": [*np.arange(60.0).tolist(), secret], "y": [*np.arange(60.0).tolist(), 7.0]})
    table = dc.survey(frame, keys=["x", "y"], numeric=["x", "y"])
    release = table.protect("mdav", k=3)
    study = dc.compare(results[0], dc.grid(dc.MDAV, k=[3, 6]), measures=["il1s", "distance-linkage"], workers=1)
    links = release.attack()
    for thing in (release, release.masked, release.assess(), links, table.risk(), study):
        page = thing._repr_html_()
        assert "<svg" in page
        assert "<table" not in page.split("<svg")[0]
        assert "918273" not in page
    assert repr(study.plot()).startswith("Chart(Risk and loss")
    assert str(study.plot()) == study.plot().svg


# ---------------------------------------------------------------------------------------------- every mark of a picture

MARK = re.compile(r"<(rect|path|circle|text) ([^>]*?)/?>(?:<title>[^<]*</title>)?([^<]*)")
COLOURS = {INK: "ink", BEFORE: "grey", AFTER: "green", RISK: "red", CHANCE: "blue", GRID: "grid"}
SHOWN = ("d", "x", "y", "width", "height", "cx", "cy", "r", "text-anchor", "stroke-width")


def marks(chart):
    """Return size and marks of a picture, one line each, without the lines of grids and the numbers at them."""
    found, tick = [" × ".join(re.search(r'width="(\d+)" height="(\d+)"', chart.svg).groups())], False
    for kind, attributes, text in MARK.findall(chart.svg):
        given = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
        colour = COLOURS[given["stroke"] if given["fill"] == "none" else given["fill"]]
        skipped, tick = tick and kind == "text", colour == "grid"
        if tick or skipped:
            continue
        where = [given[name].replace(".00", "") for name in SHOWN if name in given]
        words = [kind, *where, colour, given.get("stroke-dasharray", ""), text or given.get("aria-label", "")]
        found.append(" ".join(word for word in words if word))
    return found


def figure(kind, title, value, unit="%", **details):
    return Measurement(title, title, kind, value, 0.0, 100.0, unit, "", details=details)


def drawn(*measurements):
    return assessment_chart(Assessment(9, (), measurements, Score("worst-case", 12.375, 1.0, 2.0, "")))


TOO_FEW = "Too few records, or too few different ones, for a picture of the {}: no bin of 10 can be made."
ONE, TWO = (GroupSizes(1, 1, 7, 7), GroupSizes(2, 0, 1, 3)), (GroupSizes(1, 1, 0, 0), GroupSizes(2, 0, 2, 10))
SOME = [LinkOutcome(1.0, 0.2, 0.9), LinkOutcome(3.0, 0.5, None), LinkOutcome(2.0, 1.0, 0.25)]
PICTURES = {
    "risks and losses": (
        lambda: drawn(
            figure("risk", "R", 25.0, interval_percent=[20, 30], chance_percent=5),
            figure("loss", "L", 140.0),
            figure("loss", "M", 3.0, unit=""),
        ),
        [
            "460 × 168",
            "path M20.40,26L440.40,26 1 grey",
            "text 230.40 60 middle ink risk (%)",
            "text 13.40 20 end ink R",
            "rect 20.40 10 105 12 red risk (%): 25; by: R",
            "path M104.40,16L146.40,16 2 ink",
            "path M41.40,7L41.40,25 2 blue",
            "path M20.40,26L440.40,26 1 grey",
            "text 230.40 60 middle ink loss (%)",
            "text 13.40 20 end ink L",
            "rect 20.40 10 420 12 green loss (%): 140; by: L",
        ],
    ),
    "nothing in percent": (
        lambda: drawn(figure("loss", "M", 3.0, unit="")),
        [
            "10 × 10",
        ],
    ),
    "no risk": (
        lambda: drawn(figure("risk", "R", 0.0)),
        [
            "460 × 76",
            "path M20.40,26L440.40,26 1 grey",
            "text 230.40 60 middle ink risk (%)",
            "text 13.40 20 end ink R",
            "rect 20.40 10 0 12 red risk (%): 0; by: R",
        ],
    ),
    "cells changed": (
        lambda: changed_chart({"age": 1, "town": 3}, 8),
        [
            "420 × 96",
            "path M39.96,46L399.96,46 1 grey",
            "text 219.96 80 middle ink cells changed (%)",
            "text 32.96 20 end ink age",
            "text 32.96 40 end ink town",
            "rect 39.96 10 43.20 12 green cells changed (%): 12; attribute: age",
            "rect 39.96 30 136.80 12 green cells changed (%): 38; attribute: town",
        ],
    ),
    "no records": (
        lambda: changed_chart({"age": 0}, 0),
        [
            "413 × 76",
            "path M32.88,26L392.88,26 1 grey",
            "text 212.88 60 middle ink cells changed (%)",
            "text 25.88 20 end ink age",
            "rect 32.88 10 0 12 green cells changed (%): 0; attribute: age",
        ],
    ),
    "no attributes": (
        lambda: changed_chart({}, 5),
        [
            "392 × 76",
            "path M12,26L372,26 1 grey",
            "text 192 60 middle ink cells changed (%)",
        ],
    ),
    "sizes of one file": (
        lambda: sizes_chart(ONE),
        [
            "634 × 260",
            "path M64,26L64,216 1 grey",
            "text 20 121 middle ink records",
            "text 204 233 middle ink 1",
            "rect 106 26 196 190 red records: 7; in groups of: 1; file: file",
            "text 484 233 middle ink 2+",
            "rect 386 134.57 196 81.43 red records: 3; in groups of: 2+; file: file",
            "text 344 252 middle ink records with the same keys",
        ],
    ),
    "sizes before and after": (
        lambda: sizes_chart(ONE, TWO),
        [
            "634 × 260",
            "path M64,26L64,216 1 grey",
            "text 20 121 middle ink records",
            "rect 64 5 12 10 grey",
            "text 82 14 start ink before",
            "rect 133.04 5 12 10 green",
            "text 151.04 14 start ink after",
            "text 204 233 middle ink 1",
            "rect 106 83 98 133 grey records: 7; in groups of: 1; file: before",
            "rect 204 216 98 0 green records: 0; in groups of: 1; file: after",
            "text 484 233 middle ink 2+",
            "rect 386 159 98 57 grey records: 3; in groups of: 2+; file: before",
            "rect 484 26 98 190 green records: 10; in groups of: 2+; file: after",
            "text 344 252 middle ink records with the same keys",
        ],
    ),
    "scores": (
        lambda: score_chart(
            np.array([0.0, 0.0, 1.0, 1.0, 1.0, 3.0, 4.0, 9.0, np.nan]), np.array([0.0, 1.0, 3.0, 4.0]), "distance"
        ),
        [
            "600 × 256",
            "path M64,212L584,212 1 grey",
            "text 324 246 middle ink distance",
            "path M64,12L64,212 1 grey",
            "text 20 112 middle ink records a unit of width",
            "rect 64 78.67 130 133.33 blue distance: 0 to 1; records: 2",
            "rect 194 112 260 100 blue distance: 1 to 3; records: 3",
            "rect 454 12 130 200 blue distance: 3 to 4; records: 3",
        ],
    ),
    "too few scores": (
        lambda: score_chart(np.array([0.0]), np.array([1.0]), "score"),
        [
            "556 × 34",
            f"text 8 22 start ink {TOO_FEW.format('score')}",
        ],
    ),
    "evidence": (
        lambda: evidence_chart([AttributeEvidence("a", 4.0, -2.0), AttributeEvidence("b", -1.0, -7.0)]),
        [
            "515 × 122",
            "path M75.36,72L495.36,72 1 grey",
            "text 285.36 106 middle ink match weight (log₂)",
            "text 68.36 21 end ink a",
            "text 68.36 43 end ink b",
            "text 68.36 65 end ink all together",
            "rect 258.09 10 218.18 14 green agreement: 4; disagreement: −2; on: a",
            "path M258.09,17L149,17 2 red",
            "rect 421.72 32 54.55 14 green agreement: −1; disagreement: −7; on: b",
            "path M476.27,39L94.45,39 2 red",
            "rect 258.09 54 163.64 14 ink sum: 3",
        ],
    ),
    "no evidence": (
        lambda: evidence_chart([]),
        [
            "515 × 78",
            "path M75.36,28L495.36,28 1 grey",
            "text 285.36 62 middle ink match weight (log₂)",
            "text 68.36 21 end ink all together",
            "rect 285.36 10 0 14 ink sum: 0",
        ],
    ),
    "thresholds": (
        lambda: threshold_chart(SOME, "distance"),
        [
            "600 × 274",
            "path M64,230L584,230 1 grey",
            "text 324 264 middle ink threshold on the distance",
            "path M64,30L64,230 1 grey",
            "text 20 130 middle ink %",
            "rect 64 6 12 10 grey",
            "text 82 15 start ink records linked",
            "rect 184.64 6 12 10 red",
            "text 202.64 15 start ink links that are right",
            "path M64,190L584,130L324,30 2 grey 4 3 records linked",
            "path M64,50L324,180 2 red links that are right",
            "circle 64 50 3 red distance: 1; linked (%): 20; right (%): 90",
            "circle 584 130 3 grey distance: 3; linked (%): 50",
            "circle 324 180 3 red distance: 2; linked (%): 100; right (%): 25",
        ],
    ),
    "thresholds without truth": (
        lambda: threshold_chart([LinkOutcome(1.0, 0.2, None), LinkOutcome(3.0, 0.5, None)], "distance"),
        [
            "600 × 274",
            "path M64,230L584,230 1 grey",
            "text 324 264 middle ink threshold on the distance",
            "path M64,30L64,230 1 grey",
            "text 20 130 middle ink %",
            "rect 64 6 12 10 grey",
            "text 82 15 start ink records linked",
            "rect 184.64 6 12 10 red",
            "text 202.64 15 start ink links that are right",
            "path M64,190L584,130 2 grey 4 3 records linked",
            "circle 64 190 3 grey distance: 1; linked (%): 20",
            "circle 584 130 3 grey distance: 3; linked (%): 50",
        ],
    ),
    "precision": (
        lambda: precision_chart([SOME[0], SOME[1], LinkOutcome(3.0, 1.0, 0.5)], 0.4),
        [
            "400 × 316",
            "path M64,272L384,272 1 grey",
            "text 224 306 middle ink recall (%)",
            "path M64,12L64,272 1 grey",
            "text 20 142 middle ink precision (%)",
            "path M208,38L384,142 2 blue",
            "circle 208 38 3 blue recall (%): 45; precision (%): 90; threshold: 1",
            "circle 384 142 3 blue recall (%): 100; precision (%): 50; threshold: 3",
        ],
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_mark_stands_where_its_figure_is(name):
    draw, expected = PICTURES[name]
    assert marks(draw()) == expected


def test_pictures_say_in_words_what_they_show():
    assert drawn().text == (
        "Score 12.38: risks and losses of the release in percent, with the 95 % interval (line) and what guessing "
        "reaches (blue tick)."
    )
    assert sizes_chart(ONE, TWO).text == (
        "Records by the size of the group that shares their keys; before: 7 in groups of 1, 3 in groups of 2+; after: "
        "10 in groups of 2+."
    )
    assert threshold_chart(SOME[:1], "distance").text == TOO_FEW.format("distance")
    assert precision_chart(SOME[:2], 1.0).text == TOO_FEW.format("score")
    assert precision_chart(SOME, 0.0).text == TOO_FEW.format("score")
    assert len(labels(threshold_chart(SOME[:2], "distance"))) > 4
    whole = labels(precision_chart([SOME[0], LinkOutcome(2.0, 1.0, 0.25)], 0.5))
    assert whole[-2:] == [
        "recall (%): 36; precision (%): 90; threshold: 1",
        "recall (%): 50; precision (%): 25; threshold: 2",
    ]


@pytest.mark.parametrize(
    ("values", "smallest", "bins", "edges"),
    [
        ([1.0, 2.0, 3.0, 4.0], 2, 2, [2.0, 2.5, 3.0]),
        ([1.0, 2.0, 3.0, 4.0, 5.0], 2, 1, [2.0, 4.0]),
        ([1.0, 1.0, 2.0, 2.0], 2, 1, [1.0, 2.0]),
        ([1.0, 1.0, 2.0], 2, 1, []),
        ([1.0, 1.0, 1.0, 1.0], 2, 3, []),
        ([0.0, 1.0, 2.0, 3.0, 4.0, np.nan, np.inf], 1, 4, [0.0, 1.0, 2.0, 3.0, 4.0]),
        ([0.0, 0.0, 3.0, 3.0, 4.0, 4.0], 2, 4, [0.0, 1.0, 4.0]),
    ],
)
def test_edges_by_hand(values, smallest, bins, edges):
    assert safe_edges(np.array(values), smallest, bins).tolist() == edges
