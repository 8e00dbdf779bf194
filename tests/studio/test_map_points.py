"""A study on the map: places that the ticks of both axes explain, the front as a line, the unmasked file beside it."""

from __future__ import annotations

import pytest

from discreet.studio.map_points import study_map


def row(number, label, method, risk, loss, **more):
    return {
        "experiment": number, "method": method, "candidate": label, "attribute_set": "all", "repetition": 0, "seed": 5,
        "risk": risk, "loss": loss, "score": max(risk, loss), "seconds": 0.1, "error": None, **more,
    }  # fmt: skip


ROWS = [
    row(0, "MDAV(k=3)", "mdav", 40.0, 5.0, parameter_k=3),
    row(1, "MDAV(k=9)", "mdav", 10.0, 20.0, parameter_k=9),
    row(2, "Noise()", "additive-noise", 45.0, 25.0),
    {"experiment": 3, "method": "pram", "candidate": "PRAM()", "attribute_set": "all", "error": "No categories."},
]
UNMASKED = {"risk": 90.0, "loss": 0.0, "score": 45.0}


def value_at(ticks, place):
    (first, low), *_, (last, high) = ticks
    return float(low) + (float(high) - float(low)) * (place - first) / (last - first)


def test_points_lie_where_the_ticks_say():
    shown = study_map(ROWS, 9, UNMASKED)
    assert (shown.risks[0], shown.losses[0]) == ((0.0, "0"), (360.0, "0"))
    assert (shown.risks[-1][0], shown.losses[-1][0]) == (640.0, 0.0)
    for point in (*shown.points, shown.unmasked):
        assert value_at(shown.risks, point.x) == pytest.approx(point.risk, abs=0.1)
        assert value_at(shown.losses, point.y) == pytest.approx(point.loss, abs=0.1)


def test_points_are_named_numbered_and_of_their_family():
    points = study_map(ROWS, 9).points
    assert [(p.number, p.label, p.method, p.family) for p in points] == [
        (0, "MDAV(k=3)", "mdav", 0), (1, "MDAV(k=9)", "mdav", 0), (2, "Noise()", "additive-noise", 1),
    ]  # fmt: skip
    assert [(p.risk, p.loss, p.score) for p in points] == [(40.0, 5.0, 40.0), (10.0, 20.0, 20.0), (45.0, 25.0, 45.0)]


def test_the_front_is_a_line_from_least_risk_to_most():
    shown = study_map(ROWS, 9)
    assert [p.front for p in shown.points] == [True, True, False]
    (three, nine, _) = shown.points
    assert shown.line == ((nine.x, nine.y), (three.x, three.y))


def test_failures_and_how_much_is_done():
    shown = study_map(ROWS, 9)
    assert shown.failures == (("PRAM()", "No categories."),)
    assert (shown.done, shown.total, shown.unmasked) == (4, 9, None)
    beside = study_map(ROWS, 9, UNMASKED).unmasked
    assert (beside.number, beside.label, beside.method, beside.front) == (-1, "the unmasked file", "unmasked", False)
    assert (beside.risk, beside.loss, beside.score) == (90.0, 0.0, 45.0)


@pytest.mark.parametrize(
    ("most", "words"),
    [
        (90.0, ["0", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100"]),
        (99.9, ["0", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100"]),
        (25.0, ["0", "5", "10", "15", "20", "25", "30"]),
        (3.0, ["0", "1", "2", "3", "4"]),
        (1.0, ["0", "0.25", "0.5", "0.75", "1", "1.25"]),
        (250.0, ["0", "50", "100", "150", "200", "250", "300"]),
        (0.0, ["0", "0.25", "0.5", "0.75", "1", "1.25"]),
    ],
)
def test_ticks_are_round_and_end_above_the_largest_but_never_above_100_percent(most, words):
    shown = study_map([row(0, "MDAV()", "mdav", most, 1.0)], 1)
    assert [text for _, text in shown.risks] == words


def test_a_study_without_rows_is_an_empty_map():
    shown = study_map([], 3)
    assert (shown.points, shown.line, shown.done, shown.total) == ((), (), 0, 3)
    assert shown.risks[0] == (0.0, "0")
