"""Pictures as a screen reader reads them out: every mark says what it stands for, and every figure is in one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from discreet.contracts.assessment import Assessment, Exposure, Score
from discreet.contracts.before_after import Correlations, Distribution, Flow, Shares
from discreet.contracts.measurement import Measurement
from discreet.report import charts

RECORDED = Path(__file__).with_name("charts.json")


def measurement(name, kind, value, **more):
    return Measurement(name, f"Re-identified by {name}", kind, value, 0.0, 100.0, "%", "So it is.", **more)


def assessment(*measurements, ingredients=(), papers=None):
    score = Score("worst-case", 0.0, 0.0, 0.0, "", dict.fromkeys(ingredients, 1.0))
    mean = None if papers is None else Score("mean", 0.0, 0.0, 0.0, "", dict.fromkeys(papers, 1.0))
    return Assessment(10, ("age",), measurements, score, papers=mean)


def read_out(svg):
    """What a screen reader says of a picture: the whole first, then mark by mark."""
    assert svg.startswith("<svg role=")
    return re.findall(r'aria-label="([^"]*)"', svg)


LINKED = measurement("distance", "risk", 30.0, details={"chance_percent": 5.0, "interval_percent": (20.0, 45.0)})
PLAIN = measurement("keys", "risk", 7.0)


def test_every_risk_is_a_bar_with_its_interval_and_the_level_of_guessing():
    whole, *marks = read_out(charts.risk_chart(assessment(LINKED, PLAIN, measurement("il1s", "loss", 3.0))))
    assert whole.startswith("Every risk of the release in percent")
    axes, bars, lines, ticks = marks[:2], marks[2:4], marks[4:6], marks[6:]
    assert axes == ["Across: risk (%), from 0 to 100.", "Down: Re-identified by distance, Re-identified by keys."]
    assert bars == [
        f"risk (%): {value}; measure: Re-identified by {name}" for name, value in [("distance", 30), ("keys", 7)]
    ]
    # A risk without an interval has the line of one point.
    assert lines == [
        "low: 20; measure: Re-identified by distance; high: 45",
        "low: 7; measure: Re-identified by keys; high: 7",
    ]
    assert ticks == ["chance: 5; measure: Re-identified by distance"]


def test_linkage_tells_before_and_after_intruder_by_intruder():
    earlier = measurement("distance", "risk", 60.0, details={"chance_percent": 4.0})
    scenarios = {"neighbour": [(None, LINKED), (None, PLAIN)], "journalist": [(earlier, LINKED)]}
    whole, *marks = read_out(charts.linkage_chart(scenarios))
    assert "before (circle) and after (diamond)" in whole
    assert "Down: neighbour: distance, journalist: distance." in marks
    assert [mark for mark in marks if mark.startswith("low")] == [
        "low: 20; attack: neighbour: distance; high: 45; file: after",
        "low: 60; attack: journalist: distance; high: 60; file: before",
        "low: 20; attack: journalist: distance; high: 45; file: after",
    ]
    assert [mark for mark in marks if mark.startswith("records")] == [
        "records re-identified (%): 30; attack: neighbour: distance; file: after",
        "records re-identified (%): 60; attack: journalist: distance; file: before",
        "records re-identified (%): 30; attack: journalist: distance; file: after",
    ]
    assert [mark.split(";")[0] for mark in marks if mark.startswith("chance")] == [
        "chance: 5",
        "chance: 4",
        "chance: 5",
    ]


def test_one_intruder_alone_is_not_named_and_no_linkage_is_no_picture():
    marks = read_out(charts.linkage_chart({"all keys": [(None, LINKED)]}))
    assert "records re-identified (%): 30; attack: Re-identified by distance; file: after" in marks
    assert charts.linkage_chart({"all keys": [(None, PLAIN)]}) == charts.linkage_chart({}) == ""


def test_keys_are_in_the_order_of_the_exposure_with_both_figures():
    exposure = Exposure(("age", "job"), 2, 10, (), {"job": (5.0, 1.0), "age": (3.0, 2.0)}, "")
    marks = read_out(charts.key_chart(exposure))
    assert "Down: job, age." in marks
    points = [re.sub(r"^expected .*?: ", "", mark) for mark in marks if mark.startswith("expected")]
    assert points == ["5; key: job; file: before", "1; key: job; file: after",
                      "3; key: age; file: before", "2; key: age; file: after"]  # fmt: skip
    assert charts.key_chart(Exposure((), 0, 10, (), {}, "")) == ""


def test_losses_that_make_a_score_are_drawn_and_those_of_nothing_are_not():
    losses = [
        measurement("cells", "loss", 3.0, per_attribute={"age": 1.0, "job": 5.0}),
        measurement("moments", "loss", 9.0, per_attribute={"age": 9.0}),
        measurement("nothing", "loss", 0.0, per_attribute={"age": 0.0}),
        measurement("beside", "loss", 2.0, per_attribute={"age": 2.0}),
    ]
    whole, *marks = read_out(
        charts.loss_chart(assessment(*losses, ingredients=["cells", "nothing"], papers=["moments"]))
    )
    assert whole.endswith("attribute by attribute: Re-identified by cells; Re-identified by moments.")
    assert [mark for mark in marks if mark.startswith("%")] == [
        "%: 1; attribute: age", "%: 5; attribute: job", "%: 9; attribute: age",
    ]  # fmt: skip
    assert "Across: %, from 0 to 5." in marks
    assert charts.loss_chart(assessment(*losses, ingredients=["nothing"])) == ""


def test_a_distribution_is_two_outlines_that_end_where_the_bins_do():
    bins = Distribution("age", (10.0, 20.0, 40.0), (50.0, 25.0), (20.0, 40.0), 1.0, 2.0)
    svg = charts.distribution_chart(bins)
    assert read_out(svg)[0] == "Distribution of age before (dashed) and after (solid) masking."
    assert "Across: values, from 10 to 40." in read_out(svg)
    assert "Up: density, from 0 to 50." in read_out(svg)
    assert "value: 10; density: 50; file: before" in read_out(svg)
    assert "value: 10; density: 20; file: after" in read_out(svg)
    # Each outline is a staircase of two bins: across, down or up, across.
    (before, after) = re.findall(r'aria-label="value[^>]* d="([^"]*)"', svg)
    stairs = [
        [tuple(map(float, point.split(","))) for point in re.findall(r"[\d.]+,[\d.]+", path)]
        for path in (before, after)
    ]
    for points, (first, second) in zip(stairs, (bins.before, bins.after), strict=True):
        across = sorted({x for x, _ in points})
        assert (across[1] - across[0]) * 2 == pytest.approx(across[2] - across[1], abs=0.01)  # bins of 10 and of 20
        heights = [24 + 140 * (1 - share / 50) for share in (first, second)]  # downwards, from the legend
        assert [y for _, y in points] == pytest.approx([*[heights[0]] * 2, *[heights[1]] * 2], abs=0.01)


def test_shares_are_pairs_of_bars_level_by_level():
    marks = read_out(charts.shares_chart(Shares("job", ("clerk", "smith"), (60.0, 40.0), (70.0, 30.0))))
    assert [mark.removeprefix("% of records: ") for mark in marks if mark.startswith("%")] == [
        "60; level: clerk; file: before", "40; level: smith; file: before",
        "70; level: clerk; file: after", "30; level: smith; file: after",
    ]  # fmt: skip


def test_correlations_are_three_maps_with_a_finer_scale_of_change():
    table = Correlations(
        ("x", "y"),
        ((1.0, 0.5), (0.4, 1.0)),
        ((1.0, 0.25), (0.2, 1.0)),
        ((0.0, -0.25), (-0.2, 0.0)),
        "They changed.",
    )
    whole, *marks = read_out(charts.correlation_chart(table))
    assert whole == "Heat maps of the correlations of 2 attributes before, after, and their change."
    cells = [mark.split("value: ")[1] for mark in marks if mark.startswith("column")]
    assert cells == ["1", "0.5", "0.4", "1", "1", "0.25", "0.2", "1", "0", "−0.25", "−0.2", "0"]
    assert [mark for mark in marks if mark.startswith("column")][1] == "column: y; row: x; value: 0.5"
    legends = [re.findall(r"−?\d+(?:\.\d+)?", mark) for mark in marks if mark.startswith("Colours")]
    assert legends == [["−1", "1"], ["−1", "1"], ["−0.5", "0.5"]]
    # The names of rows stand beside the first map alone.
    assert sum(mark.startswith("Down") for mark in marks) == 1
    assert sum(mark.startswith("Across") for mark in marks) == 3


@pytest.mark.parametrize(("names", "cell"), [(4, 44), (5, 34), (6, 34), (7, 20), (13, 20), (14, 12)])
def test_cells_of_a_map_shrink_with_the_number_of_attributes(names, cell):
    ones = tuple((1.0,) * names for _ in range(names))
    svg = charts.correlation_chart(Correlations(tuple(f"a{j}" for j in range(names)), ones, ones, ones, ""))
    widths = set(re.findall(r'aria-label="column: [^>]*? width="([\d.]+)"', svg))
    assert widths == {f"{cell:.2f}"}


def test_flows_show_no_step_that_nobody_took():
    flow = Flow("days", ("home", "work"), ((0.0, 40.0), (60.0, 0.0)), ((0.0, 100.0), (0.0, 0.0)))
    marks = read_out(charts.flow_chart(flow))
    assert [mark for mark in marks if mark.startswith("to:")] == [
        "to: work; from: home; % of steps: 40",
        "to: home; from: work; % of steps: 60",
        "to: work; from: home; % of steps: 100",
    ]
    assert [mark.split(":")[0] for mark in marks if "downwards" in mark] == ["before", "after"]


def drawn():
    """One picture of each kind."""
    earlier = measurement("distance", "risk", 60.0, details={"chance_percent": 4.0})
    losses = [measurement(name, "loss", 3.0, per_attribute={"age": 1.0, "job": 5.0}) for name in ("cells", "moments")]
    squares = ((1.0, 0.5), (-0.25, 1.0)), ((1.0, 0.25), (0.0, 1.0)), ((0.0, -0.25), (0.2, 0.0))
    return {
        "risk": charts.risk_chart(assessment(LINKED, PLAIN)),
        "linkage": charts.linkage_chart({"neighbour": [(None, LINKED)], "journalist": [(earlier, LINKED)]}),
        "key": charts.key_chart(Exposure(("age", "job"), 2, 10, (), {"job": (5.0, 1.0), "age": (3.0, 2.0)}, "")),
        "loss": charts.loss_chart(assessment(*losses, ingredients=["cells", "moments"])),
        "distribution": charts.distribution_chart(
            Distribution("age", (10.0, 20.0, 40.0), (50.0, 25.0), (20.0, 40.0), 1.0, 2.0)
        ),
        "shares": charts.shares_chart(Shares("job", ("clerk", "smith"), (60.0, 40.0), (70.0, 30.0))),
        "correlation": charts.correlation_chart(Correlations(("x", "long name"), *squares, "")),
        "flow": charts.flow_chart(
            Flow("days", ("home", "work"), ((0.0, 40.0), (60.0, 0.0)), ((0.0, 99.0), (0.0, 1.0)))
        ),
    }


@pytest.mark.parametrize("name", ["risk", "linkage", "key", "loss", "distribution", "shares", "correlation", "flow"])
def test_pictures_stay_where_they_are_drawn(name):
    """Delete what is recorded and run the test: it records what is drawn today, and fails once."""
    marks = drawn()[name].replace("><", ">\n<").splitlines()
    if not RECORDED.exists():
        every = {kind: svg.replace("><", ">\n<").splitlines() for kind, svg in drawn().items()}
        RECORDED.write_text(json.dumps(every, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        pytest.fail("Recorded; look at the pictures, and run again.")
    assert marks == json.loads(RECORDED.read_text(encoding="utf-8"))[name]
