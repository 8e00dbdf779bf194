"""Certificates in words: every case of the sentence, and figures that say the same."""

from __future__ import annotations

import json

import pytest

from discreet.contracts.withholding_proof import RecodingCertificate, SuppressionCertificate


def suppression(value, bound, **more):
    fields = {"k": 3, "n_records": 100, "attributes": ("a", "b"), "method": "linear programme", "missing": "category",
              "cells": 12, **more}  # fmt: skip
    return SuppressionCertificate(value, bound, **fields)


OWN = "; a missing value counts as a value of its own"
EVERY = "; a missing value matches every value"
NEED = "keeps k = 3 and takes from no record more than it needs by itself"


@pytest.mark.parametrize(
    ("certificate", "gap", "sentence"),
    [
        (suppression(12, 12), 0, "12 values are missing, and no release that keeps k = 3 has fewer" + OWN),
        (suppression(9, 9, cells=9, priced=True), 0,
         "9 values are missing, and no release that keeps k = 3 costs less" + OWN),
        (suppression(1, 1, cells=1), 0, "1 value is missing, and no release that keeps k = 3 has fewer" + OWN),
        (suppression(12, 10), 20,
         "12 values are missing, which is at most 20.0 % more than any release needs that keeps k = 3" + OWN),
        (suppression(12.003, 10, priced=True), 20.03,
         "12 values are missing, which cost at most 20.1 % more than any release needs that keeps k = 3" + OWN),
        (suppression(12, 0), float("inf"),
         "12 values are missing, and no bound on a release that keeps k = 3 was found" + OWN),
        (suppression(12, 12, missing="wildcard"), 0,
         f"12 values are missing, and no release that {NEED} has fewer" + EVERY),
        (suppression(10, 12, missing="wildcard", beyond=4, cells=10), 0,
         f"10 values are missing, fewer than the 12 of any release that {NEED}: 4 records lose more" + EVERY),
        (suppression(12, 12, demands=("l = 2", "t = 0.1")), 0,
         "12 values are missing, and no release that keeps k = 3 has fewer" + OWN
         + "; the release also keeps l = 2, t = 0.1, which the bound does not ask for"),
    ],
)  # fmt: skip
def test_suppressed_values_in_words(certificate, gap, sentence):
    assert certificate.gap == pytest.approx(gap)
    assert certificate.sentence == sentence
    told = certificate.to_dict()
    assert told["sentence"] == sentence
    assert told["gap_percent"] == (None if gap == float("inf") else pytest.approx(gap))
    json.dumps(told)
    assert sentence[0].upper() + sentence[1:20] in certificate._repr_html_()


def test_figures_of_suppressed_values():
    assert suppression(12, 10).figures == "12 missing values cost 12, never below 10."
    assert suppression(9, 10).figures == "12 missing values cost 9; 10 is no bound on such releases."
    assert repr(suppression(12, 10)) == "SuppressionCertificate(k = 3: cost 12, at least 10 by linear programme)"
    assert repr(suppression(9, 10)) == "SuppressionCertificate(k = 3: cost 9, outside what is bounded)"
    assert suppression(12, 12).blank is None
    assert suppression(12, 12, missing="wildcard").blank == 4  # two records of two keys


def recoding(value, bound, **more):
    fields = {"objective": "loss", "n_records": 100, "attributes": ("a",), "suppressed": 3, "limit": 5, "nodes": 8,
              "finished": True, **more}  # fmt: skip
    return RecodingCertificate(value, bound, **fields)


HIDDEN = "; 3 suppressed records lose 6 values, where hiding single values at these steps takes at least 4"
ALLOWED = "with at most 5 of 100 records suppressed"


@pytest.mark.parametrize(
    ("certificate", "gap", "sentence"),
    [
        (recoding(2.0, 2.0), 0, f"no steps of the hierarchies give a lower loss {ALLOWED}"),
        (recoding(2.0, 2.1), 0, f"no steps of the hierarchies give a lower loss {ALLOWED}"),
        (recoding(2.5, 2.0), 25,
         f"the loss is at most 25.0 % above that of any steps of the hierarchies {ALLOWED}"),
        (recoding(2.0, 0.0), float("inf"), f"no bound on the least loss {ALLOWED} was found"),
        (recoding(2.0, 2.0, k=3, cells=6, fewest=4.0), 0,
         f"no steps of the hierarchies give a lower loss {ALLOWED}{HIDDEN}"),
        (recoding(2.0, 2.0, fewest=4.0), 0, f"no steps of the hierarchies give a lower loss {ALLOWED}"),
    ],
)  # fmt: skip
def test_steps_of_hierarchies_in_words(certificate, gap, sentence):
    assert certificate.gap == pytest.approx(gap)
    assert certificate.sentence == sentence
    told = certificate.to_dict()
    assert (told["sentence"], told["method"]) == (sentence, "lattice")
    assert told["gap_percent"] == (None if gap == float("inf") else pytest.approx(gap))
    json.dumps(told)
    assert sentence[0].upper() + sentence[1:20] in certificate._repr_html_()


def test_figures_of_steps():
    assert recoding(2.5, 2.0).figures == "Loss 2.5, never below 2."
    assert recoding(2.5, 2.0, finished=False).method == "part of the lattice"
    assert repr(recoding(2.5, 2.0)) == "RecodingCertificate(loss 2.5, at least 2 by lattice)"


def test_certificates_as_json_in_full():
    told = suppression(12, 10, cells=11, beyond=2, demands=("l = 2",), missing="wildcard", k=4, seconds=1.5).to_dict()
    sentence = told.pop("sentence")
    assert sentence.startswith("11 values are missing, which is at most 20.0 % more")
    assert told == {
        "k": 4, "n_records": 100, "attributes": ["a", "b"], "missing": "wildcard", "cells": 11, "cost": 12,
        "lower_bound": 10, "gap_percent": pytest.approx(20), "records_beyond_need": 2, "blank_records_would_take": 6,
        "also_kept": ["l = 2"], "method": "linear programme", "seconds": 1.5,
    }  # fmt: skip
    told = recoding(2.5, 2.0, k=3, cells=6, fewest=4.0, seconds=0.5).to_dict()
    told.pop("sentence")
    assert told == {
        "objective": "loss", "value": 2.5, "lower_bound": 2.0, "gap_percent": pytest.approx(25), "n_records": 100,
        "attributes": ["a"], "suppressed_records": 3, "suppression_limit": 5, "combinations_of_steps": 8, "k": 3,
        "suppressed_values": 6, "fewest_values_by_local_suppression": 4.0, "method": "lattice", "seconds": 0.5,
    }  # fmt: skip


def test_at_the_bound_or_without_records_that_lose_more_it_is_a_bound():
    assert suppression(10, 10).figures == "12 missing values cost 10, never below 10."
    assert repr(suppression(10, 10)) == "SuppressionCertificate(k = 3: cost 10, at least 10 by linear programme)"
    assert (
        suppression(10, 10, beyond=3).sentence
        == "12 values are missing, and no release that keeps k = 3 has fewer" + OWN
    )
    assert suppression(9, 10).sentence == "12 values are missing, and no release that keeps k = 3 has fewer" + OWN
