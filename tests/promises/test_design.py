"""The design covers what it says: every masker with every choice, and every pair of choices."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from tests.promises import releases, tables

import discreet as dc

FACTORS = {
    "method": tuple(name for name, cls in dc.methods("masker").items() if cls.examples()),
    "format": tables.FORMATS,
    "reading": tuple(tables.READINGS),
    "weights": (False, True),
    "households": (False, True),
}


def test_every_pair_of_choices_meets_somewhere():
    met = {
        (a, getattr(case, a), b, getattr(case, b)) for case in releases.design() for a, b in combinations(FACTORS, 2)
    }
    wanted = {(a, x, b, y) for a, b in combinations(FACTORS, 2) for x, y in product(FACTORS[a], FACTORS[b])}
    assert wanted - met == set()


def test_every_example_of_every_masker_is_tried():
    tried = {(case.method, case.example) for case in releases.design()}
    assert tried == {(name, i) for name, cls in dc.methods("masker").items() for i in range(len(cls.examples()))}


def test_the_releases_that_are_always_tried_meet_every_choice():
    cases = [case for case in releases.design() if case.representative]
    for factor, choices in FACTORS.items():
        assert {getattr(case, factor) for case in cases} == set(choices)
    assert len(cases) == 2 * len(FACTORS["method"])


@pytest.mark.slow
def test_most_releases_are_written():
    refusals = {case: releases.released(case).refusal for case in releases.design()}
    maskers = dc.methods("masker")
    # Some have no rule for missing values, and say so; of the others a few need weights, or too many would leave.
    unruled = [words for case, words in refusals.items() if words and not maskers[case.method].handles_missing]
    assert all("missing values" in words for words in unruled)
    refused = {case.id: words for case, words in refusals.items() if words and maskers[case.method].handles_missing}
    assert len(refused) <= 4, refused


def test_surveys_are_what_they_say():
    for reading, codes in tables.READINGS.items():
        made = tables.survey(releases.N, seed=5, reading=reading)
        cells = {cell for name in tables.LACKING for cell in made.column(name)}
        assert set(codes) <= cells
        assert ("" in cells) == (reading != "none")
