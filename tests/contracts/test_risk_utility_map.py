"""The map of a study: where points, bars, the front and the unmasked file are drawn, and what they say."""

from __future__ import annotations

import re

import pytest

from discreet.contracts.risk_utility_map import MAP_TEXT, map_svg
from discreet.drawing import PALETTE


def entry(method, risk, loss, spread=0.0, **more):
    return {
        "method": method, "label": f"{method}(k=3)", "risk": risk, "loss": loss, "risk_low": risk - spread,
        "risk_high": risk + spread, "loss_low": loss - spread, "loss_high": loss + spread, "score": (risk + loss) / 2,
        "score_low": 1.234, "score_high": 5.678, **more,
    }  # fmt: skip


ONE, TWO = entry("mdav", 10.0, 40.0), entry("pram", 50.0, 20.0, experiments=3)
UNMASKED = {"risk": 90.0, "loss": 0.0, "score": 45.0}


def dots(svg):
    return [tuple(map(float, place)) for place in re.findall(r'<circle[^>]*cx="([^"]+)" cy="([^"]+)"', svg)]


def across(value, low, high):
    room = 0.05 * (high - low)
    return 64 + 640 * (value - low + room) / (high - low + 2 * room)


def up(value, low, high):
    room = 0.05 * (high - low)
    return 476 - 420 * (value - low + room) / (high - low + 2 * room)


def test_points_stand_at_risk_and_loss_with_a_legend():
    svg = map_svg([ONE, TWO], [])
    found = dots(svg)
    assert found[0] == pytest.approx((across(10, 10, 50), up(40, 20, 40)), abs=0.01)
    assert found[1] == pytest.approx((across(50, 10, 50), up(20, 20, 40)), abs=0.01)
    assert found[2:] == [(722, 66), (722, 86)]
    assert PALETTE[0] in svg
    assert PALETTE[1] in svg
    assert ">mdav</text>" in svg
    assert MAP_TEXT in svg
    assert 'width="900" height="540"' in svg
    assert "stroke-dasharray" not in svg
    assert ">unmasked file</text>" not in svg


def test_what_a_point_says():
    svg = map_svg([ONE, TWO], [])
    assert "candidate: mdav(k=3); score: 25; over seeds: one run; risk: 10; loss: 40" in svg
    assert "candidate: pram(k=3); score: 35; over seeds: 1.23 – 5.68; risk: 50; loss: 20" in svg


def test_the_unmasked_file_is_a_cross_within_the_picture():
    svg = map_svg([ONE, TWO], [], UNMASKED)
    assert "candidate: unmasked file; score: 45; risk: 90; loss: 0" in svg
    assert dots(svg)[0] == pytest.approx((across(10, 10, 90), up(40, 0, 40)), abs=0.01)
    x, y = (float(n) for n in re.search(r'<text x="([^"]+)" y="([^"]+)"[^>]*>unmasked file<', svg).groups())
    assert (x, y) == pytest.approx((across(90, 10, 90) - 10, up(0, 0, 40) - 7), abs=0.01)


def test_bars_reach_from_the_lowest_to_the_highest_mean():
    svg = map_svg([entry("mdav", 20.0, 30.0, spread=10.0)], [])
    bars = re.findall(r'<path d="M([^"]+)" fill="none" stroke="[^"]+" stroke-width="2"/>', svg)
    ends = [[tuple(map(float, point.split(","))) for point in bar.split("L")] for bar in bars]
    assert ends[0][0] == pytest.approx((across(10, 10, 30), up(30, 20, 40)), abs=0.01)
    assert ends[0][1] == pytest.approx((across(30, 10, 30), up(30, 20, 40)), abs=0.01)
    assert ends[1][0] == pytest.approx((across(20, 10, 30), up(20, 20, 40)), abs=0.01)
    assert ends[1][1] == pytest.approx((across(20, 10, 30), up(40, 20, 40)), abs=0.01)


def test_the_front_goes_right_and_then_down():
    svg = map_svg([ONE, TWO], [ONE, TWO])
    path = re.search(r'aria-label="The front, 2 candidates." d="M([^"]+)"[^>]*stroke-dasharray="4 3"', svg)[1]
    corners = [tuple(map(float, point.split(","))) for point in path.split("L")]
    left, right, high, low = across(10, 10, 50), across(50, 10, 50), up(40, 20, 40), up(20, 20, 40)
    assert [pytest.approx(corner, abs=0.01) for corner in [(left, high), (right, high), (right, low)]] == corners


def test_a_study_of_nothing_one_place_and_many_methods_is_drawn():
    assert "<svg" in map_svg([], [])
    assert dots(map_svg([entry("mdav", 5.0, 5.0)], []))[0] == (384, 266)
    many = [entry(f"m{i}", float(i), 1.0) for i in range(30)]
    assert 'height="690"' in map_svg(many, [])
    assert map_svg(many, []).count(f'fill="{PALETTE[0]}"') == 6  # three methods: a point and its legend each
