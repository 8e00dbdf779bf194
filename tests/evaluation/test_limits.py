from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts.assessment import NotComputed
from discreet.contracts.intruder import Intruder
from discreet.contracts.masked import Masked, Provenance
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.evaluation import limits
from discreet.evaluation.intruders import assess_intruders
from discreet.evaluation.limits import GROUP, check_constraints, choose, excess, limited_figures, misses, penalty
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


@pytest.mark.parametrize(
    ("figures", "limits", "missed", "points", "sentences"),
    [
        ({"risk": 22.0}, {"risk_at_most": 20}, {"risk_at_most": (22.0, 20.0, 8.0)}, 8.0,
         ("risk 22.00 % (at most 20)",)),
        ({"loss": 30.5}, {"loss_at_most": 30}, {"loss_at_most": (30.5, 30.0, 2.0)}, 2.0,
         ("loss 30.50 % (at most 30)",)),
        ({"risk": 20}, {"risk_at_most": 20}, {}, 0, ()),
        ({"threshold_smallest_group": 1}, {"smallest_group": 4}, {"smallest_group": (1, 4.0, 18.75)}, 18.75,
         ("smallest group 1 (at least 4)",)),
        ({"threshold_smallest_group": 5}, {"smallest_group": 4}, {}, 0, ()),
        ({"threshold_suda2_at_most": 3.0}, {"suda2_at_most": 2}, {"suda2_at_most": (3.0, 2.0, 12.5)}, 12.5,
         ("suda2 3.00 (at most 2)",)),
        # However far off, a figure counts for four times its limit at most.
        ({"threshold_suda2_at_most": 300.0}, {"suda2_at_most": 2}, {"suda2_at_most": (300.0, 2.0, 100.0)}, 100.0,
         ("suda2 300.00 (at most 2)",)),
        ({"threshold_suda2_at_most": 1.0}, {"suda2_at_most": 0}, {"suda2_at_most": (1.0, 0.0, 100.0)}, 100.0,
         ("suda2 1.00 (at most 0)",)),
        ({}, {"risk_at_most": 20, "smallest_group": 3, "suda2_at_most": 1}, {}, 0, ()),
        ({"risk": 21.0, "loss": 31.0}, {"risk_at_most": 20, "loss_at_most": 30},
         {"risk_at_most": (21.0, 20.0, 4.0), "loss_at_most": (31.0, 30.0, 4.0)}, 8.0,
         ("risk 21.00 % (at most 20)", "loss 31.00 % (at most 30)")),
    ],
)  # fmt: skip
def test_what_is_missed_is_told_in_points_and_in_words(figures, limits, missed, points, sentences):
    assert excess(figures, limits) == missed
    assert penalty(figures, limits) == points
    assert misses(figures, limits) == sentences


@pytest.mark.parametrize(
    ("entries", "limits", "label"),
    [
        # Without limits by score, then risk, then name.
        ([entry("a", 30, 10, 3), entry("b", 10, 29, 3)], {}, "b"),
        ([entry("a", 30, 10, 3), entry("b", 10, 30, 3)], {}, "b"),
        ([entry("b", 30, 10, 3), entry("a", 30, 10, 3)], {}, "a"),
        # With limits by what is missed, then loss, then risk, then name.
        ([entry("a", 19, 9, 3), entry("b", 1, 10, 3)], LIMITS, "a"),
        ([entry("a", 19, 9, 3), entry("b", 18, 9, 3)], LIMITS, "b"),
        ([entry("b", 19, 9, 3), entry("a", 19, 9, 3)], LIMITS, "a"),
        ([entry("a", 22, 9, 3), entry("b", 21, 29, 3)], LIMITS, "b"),
    ],
)
def test_ties_are_broken_in_a_stated_order(entries, limits, label):
    assert choose(entries, limits).entry["label"] == label


def test_what_is_missed_is_told_of_the_mean_or_of_the_draw_whichever_is_worse():
    worse = entry("a", 21, 9, 3) | {"draw": {"risk": 25.0, "loss": 9.0, "score": 17.0}}
    assert choose([worse], LIMITS).misses == ("risk 25.00 % (at most 20)",)
    better = entry("a", 21, 9, 3) | {"draw": {"risk": 20.0, "loss": 9.0, "score": 17.0}}
    assert choose([better], LIMITS).misses == ("risk 21.00 % (at most 20)",)


@pytest.mark.parametrize("limit", [True, None, "5"])
def test_a_limit_is_a_number(limit):
    with pytest.raises(ParameterError, match="suda2_at_most must be a number"):
        check_constraints("compare", {"suda2_at_most": limit})


def test_limits_of_risk_and_loss_are_percentages():
    check_constraints("x", {"risk_at_most": 0, "loss_at_most": 100, "suda2_at_most": 1000, "smallest_group": 5.0})
    for limit in (-0.5, 100.5):
        with pytest.raises(ParameterError, match="x: loss_at_most must be a number between 0 and 100"):
            check_constraints("x", {"loss_at_most": limit})


def three(names=("a", "b")):
    schema = dc.Schema([dc.Attribute(name, dc.Nominal(("p", "q")), "key") for name in names])
    frame = pl.DataFrame({"a": list("ppqqq"), "b": list("pqqqq")}).select(names)
    return dc.Microdata(frame, schema)


def test_figures_are_of_the_intruder_for_whom_they_are_worst():
    table, who = three(), [Intruder("first", ("a",)), Intruder("both", ("a", "b")), Intruder("second", ("b",))]
    names = ["risk_at_most", "smallest_group", "loss_at_most", "k-anonymity_at_most"]
    found = limited_figures(names, table, table, table, who, MemoryEngine(1))
    assert list(found) == ["threshold_smallest_group", "threshold_k-anonymity_at_most"]
    assert found["threshold_smallest_group"] == 1.0
    single = [limited_figures(names, table, table, table, [one], MemoryEngine(1)) for one in who]
    assert [one["threshold_smallest_group"] for one in single] == [2.0, 1.0, 1.0]
    assert found["threshold_k-anonymity_at_most"] == max(one["threshold_k-anonymity_at_most"] for one in single)
    assert len({one["threshold_k-anonymity_at_most"] for one in single}) > 1
    assert limited_figures(["risk_at_most"], table, table, table, who, MemoryEngine(1)) == {}


def test_groups_of_the_masking_stand_in_where_nothing_can_be_counted(monkeypatch):
    table, who = three(), [Intruder("both", ("a", "b"))]
    monkeypatch.setattr(limits, "applicable", lambda *_: ([], []))
    labels = np.array([0, 0, 1, 1, 1])
    masked = Masked(table, Provenance("m", {}, ("a",), 5, labels=labels))
    assert limited_figures([GROUP], table, masked, table, who, MemoryEngine(1)) == {f"threshold_{GROUP}": 2.0}
    for name, release in (
        (GROUP, table),
        ("k-anonymity_at_most", masked),
        (GROUP, Masked(table, Provenance("m", {}, ("a",), 5))),
    ):
        with pytest.raises(DataError, match=f"{name} cannot be verified: it does not apply to what any intruder knows"):
            limited_figures([name], table, release, table, who, MemoryEngine(1))


def test_a_limit_that_cannot_be_measured_says_why(monkeypatch):
    absent = NotComputed("k-anonymity", "K", "risk", "too many keys.")
    monkeypatch.setattr(limits, "take_measures", lambda *_, **__: ([], [absent]))
    with pytest.raises(DataError, match="smallest_group cannot be verified: too many keys"):
        limited_figures([GROUP], three(), three(), three(), [Intruder("both", ("a", "b"))], MemoryEngine(1))
