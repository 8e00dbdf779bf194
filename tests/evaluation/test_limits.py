from __future__ import annotations

import pytest

import discreet as dc
from discreet.errors import DiscreetError, ParameterError
from discreet.evaluation.intruders import assess_intruders
from discreet.evaluation.limits import choose, misses
from discreet.evaluation.thresholds import verify

LIMITS = {"risk_at_most": 20, "loss_at_most": 30, "smallest_group": 3}


def entry(label, risk, loss, group):
    figures = {"risk": risk, "loss": loss, "score": (risk + loss) / 2}
    return {"label": label, **figures, "threshold_smallest_group": group, "draw": figures}


def test_the_least_loss_among_those_that_meet_all():
    entries = [entry("safe", 1, 25, 9), entry("good", 19, 10, 3), entry("few", 10, 5, 2), entry("open", 60, 1, 3)]
    choice = choose(entries, LIMITS)
    assert (choice.entry["label"], choice.met) == ("good", True)
    assert choose(entries, {}).entry["label"] == "few"


def test_where_none_meets_the_nearest_is_named_with_what_it_misses():
    choice = choose([entry("far", 60, 1, 3), entry("near", 21, 10, 3)], LIMITS)
    assert (choice.entry["label"], choice.met) == ("near", False)
    assert choice.misses == ("risk 21.00 % (at most 20)",)


def test_a_draw_that_would_be_adopted_must_meet_them_too():
    lucky = entry("lucky", 19, 5, 3)
    lucky["draw"] = {"risk": 22, "loss": 5, "score": 13.5}
    assert choose([lucky, entry("sure", 15, 9, 3)], LIMITS).entry["label"] == "sure"


def test_a_limit_that_is_reached_exactly_is_met():
    assert misses({"risk": 20, "loss": 30, "threshold_smallest_group": 3}, LIMITS) == ()


@pytest.mark.parametrize(
    ("thresholds", "sentence"),
    [({"risk": 3}, "unknown threshold"), ({"risk_at_most": 101}, "between 0 and 100"),
     ({"smallest_group": "3"}, "must be a number"), ({"mdavv_at_most": 3}, "names no measure")],
)  # fmt: skip
def test_thresholds_that_cannot_be(thresholds, sentence):
    with pytest.raises(DiscreetError, match=sentence):
        dc.compare(dc.datasets.business(20), [dc.MDAV()], thresholds=thresholds)


def test_figures_of_a_study_are_those_that_a_release_is_verified_by():
    table = dc.datasets.business(80).select(["EMPLOYEES", "TURNOVER", "WAGES"])
    names = table.schema.keys
    intruders = [dc.Intruder("two", names[:2]), dc.Intruder("all", names)]
    thresholds = {"smallest_group": 3, "k-anonymity_at_most": 50}
    chain = dc.Chain([dc.MDAV(k=4), dc.Rounding(base=5.0)])
    study = dc.compare(table, [chain], scenarios=intruders, thresholds=thresholds, random_state=2, measures=[])
    (row,) = study.rows
    masked = chain.seeded(row["seed"]).mask(table)
    after = assess_intruders(table, masked, intruders, measures=["k-anonymity"])
    verdicts = {one.name: one.value for one in verify(after, {**thresholds, "risk_at_most": 50}, masked)}
    assert {name: row[f"threshold_{name}"] for name in thresholds} == {name: verdicts[name] for name in thresholds}
    assert row["risk"] == verdicts["risk_at_most"]
    assert study.choose({**thresholds, "risk_at_most": 50}).entry["label"] == chain.label()
    with pytest.raises(ParameterError, match="no figures for suda2"):
        study.choose({"suda2_at_most": 3})
