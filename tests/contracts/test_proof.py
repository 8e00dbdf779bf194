"""Certificates of groups: what is said of a loss and its bound."""

from __future__ import annotations

import re

import pytest

from discreet.contracts.proof import Certificate

NUMBERS = "the information loss of the numbers"
MANY = [f"groups that serve {names} as well may not reach it" for names in ("c, d, e and 1 more", "c, d, e", "c")]


def certificate(value, bound, beside=(), k=3):
    return Certificate(value, bound, k, 60, ("x", "y"), "fast", 1.5, beside)


@pytest.mark.parametrize(
    ("value", "bound", "beside", "gap", "sentence"),
    [
        (10.0, 10.0, (), 0.0, "the information loss is the least possible for k = 3"),
        (10.0, 11.0, (), 0.0, "the information loss is the least possible for k = 3"),
        (10.0, 10.0, ("c",), 0.0,
         f"the information loss of the numbers is the least possible for k = 3; {MANY[2]}"),
        (12.0, 10.0, (), 20.0, "the information loss is at most 20.0 % above the least possible for k = 3"),
        (10.123, 10.0, (), 1.23, "the information loss is at most 1.3 % above the least possible for k = 3"),
        (10.011, 10.0, (), 0.11, "the information loss is at most 0.2 % above the least possible for k = 3"),
        (10.00512, 10.0, (), 0.0512, "the information loss is at most 0.0512 % above the least possible for k = 3"),
        (10.000001, 10.0, (), 1e-5, "the information loss is at most 0.0001 % above the least possible for k = 3"),
        (10.0, 0.0, (), float("inf"), "no bound on the least possible information loss for k = 3 was found"),
        (10.0, 0.0, ("c",), float("inf"),
         f"no bound on the least possible information loss of the numbers for k = 3 was found; {MANY[2]}"),
        (10.0, 1e-12, (), float("inf"),
         "the information loss is at most 10.00 points of 100 above the least possible for k = 3"),
        (12.001, 10.0, tuple("cdef"), 20.01,
         f"{NUMBERS} is at most 2.01 points of 100 above the least possible for k = 3; {MANY[0]}"),
        (12.0, 10.0, tuple("cde"), 20.0,
         f"{NUMBERS} is at most 2.00 points of 100 above the least possible for k = 3; {MANY[1]}"),
    ],
)  # fmt: skip
def test_the_gap_in_words_is_rounded_up(value, bound, beside, gap, sentence):
    proof = certificate(value, bound, beside)
    assert proof.gap == pytest.approx(gap)
    assert proof.sentence == sentence


def test_a_certificate_shows_itself():
    proof = certificate(12.0, 10.0)
    assert proof.figures == "Information loss 12.0000 %, never below 10.0000 %."
    assert repr(proof) == "Certificate(k = 3: loss 12.0000 %, at least 10.0000 % by fast)"
    assert proof.to_dict() == {
        "k": 3, "n_records": 60, "attributes": ["x", "y"], "beside": [], "information_loss": 12.0, "lower_bound": 10.0,
        "gap_percent": pytest.approx(20.0), "method": "fast", "seconds": 1.5, "sentence": proof.sentence,
    }  # fmt: skip
    assert certificate(12.0, 0.0, ("c",)).to_dict()["gap_percent"] is None
    page = proof._repr_html_()
    assert "<b>The information loss is at most 20.0 % above the least possible for k = 3.</b>" in page
    assert re.findall(r"<t[hd][^>]*text-align:(left|right)[^>]*>([^<]*)</t[hd]>", page) == [
        ("right", "information loss"), ("right", "lower bound"), ("left", "method"), ("right", "records"),
        ("right", "12.0000 %"), ("right", "10.0000 %"), ("left", "fast"), ("right", "60"),
    ]  # fmt: skip
