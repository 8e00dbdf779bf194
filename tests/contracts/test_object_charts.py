"""Pictures of results: figures of many records, in bins of ten or more, and nothing of one record."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.contracts.chart import Chart
from discreet.contracts.file_risk import GroupSizes
from discreet.contracts.object_charts import SMALLEST, changed_chart, safe_edges, score_chart, sizes_chart
from discreet.datasets import business
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
