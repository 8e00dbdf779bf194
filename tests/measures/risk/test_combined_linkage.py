from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.battery import microdata

import discreet as dc
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage
from discreet.measures.risk.combined_linkage import CombinedLinkageRisk, combined_linkage
from discreet.measures.risk.linked import DistanceLinkageRisk


def released(n=120, seed=3):
    data = microdata(n)
    return data, dc.RankSwapping(p=10, random_state=seed).mask(data)


def test_it_counts_whom_one_of_both_finds():
    data, masked = released()
    keys = list(data.schema.of_scale("numeric", "ordinal", "nominal", among=data.schema.keys))
    expected = []
    for place in (0, 1):  # both directions
        linkers = DistanceLinkage(attributes=keys), ProbabilisticLinkage(attributes=keys, missing="agree")
        chances = [one.link_both(data, masked.microdata)[place].evaluate().probability for one in linkers]
        expected.append(100 * np.mean(np.maximum(*chances)))
    told = CombinedLinkageRisk().measure(data, masked)
    assert told.value == pytest.approx(max(expected))
    alone = [dc.measure(data, masked, name)[0].value for name in ("distance-linkage", "probabilistic-linkage")]
    assert told.value > max(alone)
    assert told.value <= sum(alone)


def test_an_assessment_puts_it_together_and_has_the_same_number(monkeypatch):
    data, masked = released()
    expected = dc.measure(data, masked, "combined-linkage")[0]

    def twice(*_):
        raise AssertionError("linked a second time")

    monkeypatch.setattr(CombinedLinkageRisk, "_measure", twice)
    together = dc.assess(data, masked.microdata)["combined-linkage"]
    assert (together.value, together.sentence) == (pytest.approx(expected.value), expected.sentence)
    assert not together.found


def test_gaps_do_not_part_the_two_roads(monkeypatch):
    rng = np.random.default_rng(3)
    x = [None if rng.random() < 0.3 else float(v) for v in rng.integers(0, 40, 80)]
    frame = pl.DataFrame({"x": x, "y": rng.choice(list("abc"), 80)})
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key"), dc.Attribute("y", dc.Nominal("abc"), "key")])
    data = dc.microdata(frame, schema)
    moved = dc.microdata(frame.with_columns(y=frame["y"].shuffle(seed=1)), schema)
    (alone,) = dc.measure(data, moved, "combined-linkage")
    assert dc.assess(data, moved)["combined-linkage"].value == pytest.approx(alone.value)


def test_an_unmasked_file_gives_away_what_its_keys_tell_apart():
    data = dc.microdata(
        pl.DataFrame({"a": [1, 1, 2, 3]}).cast(float), dc.Schema([dc.Attribute("a", dc.Numeric(), "key")])
    )
    assert CombinedLinkageRisk().measure(data, data).value == pytest.approx(75.0)


def test_linkages_of_other_records_are_not_put_together():
    data, masked = released()
    one, other = (DistanceLinkageRisk().measure(*pair) for pair in ((data, masked), released(80)))
    silent = replace(one, found={})
    assert combined_linkage([one, other]) is None
    assert combined_linkage([one, silent]) is None
    assert combined_linkage([one]) is None
    assert combined_linkage([one, one]).value == pytest.approx(one.value)
    assert combined_linkage([one, one]).details["percent_of_one_guess"] == pytest.approx(one.value)


def test_with_one_guess_nobody_finds_more_than_one_of_k():
    data = microdata(120)
    masked = dc.MixedMDAV(k=5, random_state=1).mask(data)
    told = CombinedLinkageRisk().measure(data, masked)
    assert told.details["percent_of_one_guess"] <= 20 + 1e-9
    assert told.details["percent_of_one_guess"] <= told.value
    found = dc.assess(data, masked)
    assert found.score.ingredients["combined linkage"] == pytest.approx(told.details["percent_of_one_guess"])
    assert found.score.risk >= told.details["percent_of_one_guess"]
