"""What one figure says of itself: as JSON values and in a notebook."""

from __future__ import annotations

import re

import pytest

from discreet.contracts.measurement import Measurement


def measurement(**given):
    whole = {"unit": "%", "per_attribute": {"age": 1.254, "<b>": 20.0}, "details": {"n": 3}, "reference": "Paper (1)."}
    return Measurement("il1s", "Loss", "loss", 12.344, 0.0, 100.0, sentence="It moved.", **(whole | given))


def test_as_json_values_the_range_ends_in_null_where_it_has_no_end():
    told = {
        "name": "il1s",
        "title": "Loss",
        "kind": "loss",
        "value": 12.344,
        "range": [0.0, 100.0],
        "unit": "%",
        "sentence": "It moved.",
        "per_attribute": {"age": 1.254, "<b>": 20.0},
        "details": {"n": 3},
        "reference": "Paper (1).",
    }
    assert measurement().to_dict() == told
    endless = Measurement("a", "A", "risk", 1.0, 0.0, float("inf"), "", "So.").to_dict()
    assert (endless["range"], endless["per_attribute"], endless["details"]) == ([0.0, None], {}, {})
    assert endless["reference"] == ""


def cells(page):
    """Return side and text of every cell of a page's table, heads first."""
    return re.findall(r"<t[hd][^>]*text-align:(left|right)[^>]*>([^<]*)</t[hd]>", page)


def test_a_notebook_shows_title_sentence_reference_and_attributes():
    page = measurement()._repr_html_()
    assert "<b>Loss: 12.34 % (loss, low is good)</b>" in page
    assert re.findall("<li>(.*?)</li>", page) == ["It moved.", "Paper (1)."]
    assert cells(page) == [
        ("left", "attribute"), ("right", "%"),
        ("left", "age"), ("right", "1.25"),
        ("left", "&lt;b&gt;"), ("right", "20.00"),
    ]  # fmt: skip


@pytest.mark.parametrize(("given", "heads"), [({"unit": ""}, ["attribute", "value"]), ({"per_attribute": {}}, [])])
def test_a_figure_without_a_unit_or_without_attributes_is_shown_too(given, heads):
    page = measurement(reference="", **given)._repr_html_()
    assert [text for _, text in cells(page)][:2] == heads
    assert re.findall("<li>(.*?)</li>", page) == ["It moved."]


def test_a_measurement_is_in_no_score_and_found_nobody_unless_it_says_so():
    plain = Measurement("a", "A", "risk", 1.0, 0.0, 100.0, "%", "So.")
    assert (plain.in_score, plain.reference, dict(plain.found), dict(plain.details)) == (False, "", {}, {})
    assert plain == Measurement("a", "A", "risk", 1.0, 0.0, 100.0, "%", "So.", found={"release": None})
