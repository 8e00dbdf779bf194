"""What an assessment says of itself: by name, by kind, as JSON, as a frame, and in a notebook."""

from __future__ import annotations

import json
import math

import pytest

from discreet.contracts.assessment import Assessment, Combination, Exposure, NotComputed, Score, Verdict
from discreet.contracts.measurement import Measurement

RISK = Measurement(
    "keys", "Kéys", "risk", 12.346, 0.0, 100.0, "%", "One in eight.", details={"n": 3}, reference="A 2001"
)
LOSS = Measurement("il1s", "IL1s", "loss", 3.0, 0.0, math.inf, "", "Little.", {"age": 1.256, "job": 4.0})
SCORE = Score("worst-case", 7.654, 3.0, 12.346, "So it is.", {"keys": 12.346})
GAP = NotComputed("suda2", "SUDA2", "risk", "too many keys.")
WHOLE = Assessment(80, ("age", "job"), (LOSS, RISK), SCORE, (GAP,), Score("worst-case", 50.0, 0.0, 100.0, ""), SCORE)


def test_by_name_and_by_kind():
    assert WHOLE["keys"] is RISK
    assert WHOLE["il1s"] is LOSS
    assert (WHOLE.of_kind("risk"), WHOLE.of_kind("loss")) == ((RISK,), (LOSS,))
    with pytest.raises(KeyError, match="nothing"):
        WHOLE["nothing"]


def test_json_has_all_of_it_and_no_infinity():
    fields = json.loads(WHOLE.to_json())
    assert "Kéys" in WHOLE.to_json()
    assert fields["known_to_the_intruder"] == ["age", "job"]
    assert fields["score"]["value"] == 7.654
    assert (fields["unmasked"]["value"], fields["papers_score"]["value"]) == (50.0, 7.654)
    assert fields["risks"][0] | {} == {
        "name": "keys", "title": "Kéys", "kind": "risk", "value": 12.346, "range": [0.0, 100.0], "unit": "%",
        "sentence": "One in eight.", "per_attribute": {}, "details": {"n": 3}, "reference": "A 2001",
    }  # fmt: skip
    assert fields["losses"][0]["range"] == [0.0, None]
    assert fields["losses"][0]["per_attribute"] == {"age": 1.256, "job": 4.0}
    assert fields["not_computed"] == [
        {"name": "suda2", "title": "SUDA2", "kind": "risk", "reason": "too many keys."}
    ]  # fmt: skip
    bare = Assessment(80, (), (), SCORE).to_dict()
    assert (bare["unmasked"], bare["papers_score"]) == (None, None)


def test_a_headline_says_by_whom_and_a_mean_does_not():
    plain = SCORE.to_dict()
    assert set(plain) == {"name", "value", "loss", "risk", "sentence", "ingredients"}
    headline = Score("worst-case", 1.0, 2.0, 3.0, "", intruder="press", linker="distance", known=("age",),
                     worst_column="job", incomplete=("x",), remarks=("y",)).to_dict()  # fmt: skip
    assert {key: headline[key] for key in set(headline) - set(plain)} == {
        "intruder": "press", "linker": "distance", "known": ["age"], "worst_column": "job", "incomplete": ["x"],
        "remarks": ["y"],
    }  # fmt: skip


def test_a_frame_has_a_row_a_measurement():
    frame = WHOLE.to_frame()
    assert frame.columns == ["kind", "name", "title", "value", "unit", "meaning"]
    assert frame.rows() == [
        ("loss", "il1s", "IL1s", 3.0, "", "Little."),
        ("risk", "keys", "Kéys", 12.346, "%", "One in eight."),
    ]


def test_what_is_shown_has_the_unmasked_file_beside_it():
    assert repr(WHOLE) == "Assessment(score 7.65: loss 3.00, risk 12.35; unmasked 50.00)"
    assert repr(Assessment(80, (), (), SCORE)) == "Assessment(score 7.65: loss 3.00, risk 12.35)"
    page = WHOLE._repr_html_()
    for words in ("Score 7.65 (the unmasked file: 50.00)", "12.35 %", "Not computed: too many keys.",
                  "The intruder is assumed to know: age, job."):  # fmt: skip
        assert words in page
    assert page.index("One in eight.") < page.index("Little.")  # risks first
    assert "the unmasked file" not in Assessment(80, (), (), SCORE)._repr_html_()


def test_one_measurement_in_a_notebook():
    page = LOSS._repr_html_()
    assert "IL1s: 3.00  (loss, low is good)" in page
    assert page.index("1.26") < page.index("4.00")
    assert "A 2001" in RISK._repr_html_()
    assert (LOSS.in_score, GAP.in_score) == (False, False)


def test_exposures_and_verdicts_as_json():
    exposure = Exposure(("age", "job"), 2, 80, (Combination(("age", "job"), 9, 4),), {"job": (5.0, 1.0)}, "Few.")
    assert exposure.to_dict() == {
        "keys": ["age", "job"], "deepest": 2, "n_records": 80,
        "combinations": [{"keys": ["age", "job"], "before": 9, "after": 4}],
        "by_key": {"job": {"before": 5.0, "after": 1.0}}, "sentence": "Few.",
    }  # fmt: skip
    assert Verdict("risk_at_most", 3.0, 5.0, True, "Met.").to_dict() == {
        "name": "risk_at_most", "value": 3.0, "limit": 5.0, "met": True, "sentence": "Met.",
    }  # fmt: skip
