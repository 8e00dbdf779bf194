"""Risks of query logs by hand: rare terms at their threshold, and logs that known terms single out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.measures.risk.query_risks import KnownTerms, RareTerms

TERMS = ["rome", "rain", "map", "lilburn", "otis", "xylem"]


def measured(measure, before, after, further=None):
    attributes = [dc.Attribute("asked", dc.QueryLog(TERMS), "key")]
    columns, others = {"asked": before}, {"asked": after}
    if further:
        attributes.append(dc.Attribute("later", dc.QueryLog(TERMS), "key"))
        columns["later"], others["later"] = further
    return measure.measure(pl.DataFrame(columns), pl.DataFrame(others), dc.Schema(attributes))


def test_a_term_is_rare_below_so_many_people():
    before = ["rome map", "rome map | map", "rome", "rain"]
    # rome three, map two, rain one; map twice by one person is one person.
    for least, rare in [(2, 1), (3, 2), (4, 3)]:
        found = measured(RareTerms(least=least), before, before)
        assert found.value == pytest.approx(100 * rare / 3)
        assert found.details["rare"] == {"asked": {"before": rare, "after": rare}}
    assert RareTerms().least == 3


def test_rare_is_counted_in_the_original_among_released_terms():
    before = ["rome", "rome", "rome", "lilburn", "otis"]
    after = ["rome", "rome | lilburn", "lilburn", "lilburn", "rome"]
    found = measured(RareTerms(), before, after)
    assert found.value == 50.0
    assert found.details["rare"] == {"asked": {"before": 2, "after": 1}}
    assert found.sentence == (
        "Of 2 released terms of asked, 1 were asked for by fewer than 3 people; before masking it was 2 of 3."
    )
    assert measured(RareTerms(), before, [""] * 5).value == 0.0


def test_the_worst_log_counts():
    common, rare = ["rome"] * 3, ["rome", "rain", "map"]
    found = measured(RareTerms(), common, common, further=(rare, rare))
    assert found.value == 100.0
    assert found.per_attribute == {"asked": 0.0, "later": 100.0}
    assert "terms of later" in found.sentence


@pytest.mark.parametrize("known", [1, 2, 3])
def test_known_terms_single_out(known):
    rng = np.random.default_rng(known)
    before = [set(rng.choice(TERMS, rng.integers(1, 5), replace=False).tolist()) for _ in range(9)]
    after = [set(sorted(one)[: len(one) - i % 2]) | {"rome"} for i, one in enumerate(before)]

    def singled(i):
        for terms in combinations(sorted(before[i]), min(known, len(before[i]))):
            if [j for j, other in enumerate(after) if set(terms) <= other] == [i]:
                return True
        return False

    rows = [" | ".join(sorted(one)) for one in before]
    released = [" ".join(sorted(one, reverse=True)) for one in after]
    expected = 100 * sum(singled(i) for i in range(9)) / 9
    for ordered in (False, True):
        found = measured(KnownTerms(known=known, draws=30, ordered=ordered), rows, released)
        assert found.value == pytest.approx(expected)


def test_what_is_asked_by_default():
    assert (KnownTerms().ordered, KnownTerms.keys_only, RareTerms.keys_only) == (False, True, True)
    assert KnownTerms.pieces == "terms"


def test_what_is_not_told_is_no_term():
    assert measured(KnownTerms(known=1), ["rome", "rain"], ["*", "*"]).value == 0.0
    assert measured(KnownTerms(known=1), ["rome", "rain"], ["rome", "*"]).value == 50.0
