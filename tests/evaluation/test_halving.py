"""Successive halving: who is judged on how many records, and that nothing is stated of a sample."""

from __future__ import annotations

import time

import pytest

import discreet as dc
from discreet.errors import DataError, DiscreetError
from discreet.evaluation import halved_tuning, halving, tuning
from discreet.evaluation.halving import Deadline, keep_best, objective, plan_rungs, sample_rows, spread_over_families
from discreet.stopping import Stopped, is_stopped

LIMITS = {"risk_at_most": 35, "smallest_group": 3}
QUICK = {"measures": [], "random_state": 1, "workers": 1}


@pytest.fixture(scope="module")
def table():
    return dc.datasets.business(120).select(["EMPLOYEES", "TURNOVER", "WAGES"])


def space():
    return dc.chains(
        [dc.TopCoding(share=0.05), None],
        [*dc.grid("mdav", k=[2, 3, 4, 8, 12]), dc.RankSwapping(p=5), dc.AdditiveNoise(level=0.2)],
    )


@pytest.fixture
def small_samples(monkeypatch):
    monkeypatch.setattr(halving, "LEAST_RECORDS", 25)


def listed(study):
    return [{n: v for n, v in row.items() if n not in ("seconds", "records")} for row in study.rows]


# ------------------------------------------------------------------------------------------------------------ the plan


@pytest.mark.parametrize("candidates", [1, 7, 60, 1000])
@pytest.mark.parametrize("records", [10, 2_000, 30_000, 1_000_000])
@pytest.mark.parametrize("budget", [1, 5, 24, 300])
def test_a_plan_keeps_the_budget_and_ends_on_the_whole_file(candidates, records, budget):
    rungs = plan_rungs(candidates, records, budget)
    assert rungs[-1].records == records
    assert [rung.whole for rung in rungs] == [False] * (len(rungs) - 1) + [True]
    assert rungs[0].candidates <= candidates
    assert all(rung.candidates >= 1 for rung in rungs)
    assert all(rung.records >= halving.LEAST_RECORDS for rung in rungs[:-1])
    # Parts of records are rounded up, by one record a rung.
    spent = sum(rung.candidates * rung.records / records for rung in rungs)
    assert spent <= budget + sum(rung.candidates for rung in rungs) / records + 1e-9 + (len(rungs) - 1)
    if candidates <= budget:
        assert len(rungs) == 1
        assert rungs[0].candidates == candidates


def test_a_larger_sample_has_every_record_of_a_smaller_one():
    small, large = (set(sample_rows(100, size, 3).tolist()) for size in (10, 40))
    assert len(small) == 10
    assert small < large
    assert small != set(sample_rows(100, 10, 4).tolist())


def test_families_share_the_beginning_and_the_places_that_are_kept():
    families = ["mdav"] * 8 + ["pram"] * 2
    assert {families[place] for place in spread_over_families(families, 0)[:2]} == {"mdav", "pram"}
    assert sorted(spread_over_families(families, 0)) == list(range(10))
    values = {place: float(place) for place in range(10)}
    assert keep_best(values, families, 4) == [0, 1, 2, 8]
    assert keep_best(values | {8: float("inf"), 9: float("inf")}, families, 4) == [0, 1, 2, 3]


def test_who_failed_comes_last_and_who_misses_a_limit_after_who_does_not():
    row = {"error": None, "risk": 30.0, "loss": 10.0, "score": 20.0, "threshold_smallest_group": 3}
    assert objective(row, {}) == 20
    assert objective(row, LIMITS) == 10
    assert objective(row | {"threshold_smallest_group": 1}, LIMITS) > 20
    assert objective({"error": "x"}, LIMITS) == float("inf")


# ----------------------------------------------------------------------------------------------------------- the search


def test_whom_the_bounds_rule_out_is_not_the_best(table):
    everything = dc.compare(table, space(), thresholds=LIMITS, **QUICK)
    tuned = dc.tune(table, space(), thresholds=LIMITS, budget=100, **QUICK)
    truth = everything.choose(LIMITS)
    assert tuned.best["label"] == truth.entry["label"]
    assert (tuned.best["risk"], tuned.best["loss"]) == (truth.entry["risk"], truth.entry["loss"])
    assert tuned.met
    assert len(tuned.tried) == len(space())
    ruled_out = [one for one in tuned.tried if one["outcome"].startswith("ruled out")]
    assert ruled_out
    rows = {row["candidate"]: row for row in everything.rows}
    for one in ruled_out:  # what is said of them is true
        assert one["risk"] is None
        assert one["loss"] == rows[one["candidate"]]["loss"]
        assert one["risk_at_least"] <= rows[one["candidate"]]["risk"]


def test_without_thresholds_the_best_score(table):
    everything = dc.compare(table, space(), **QUICK)
    tuned = dc.tune(table, space(), budget=100, **QUICK)
    assert tuned.best["label"] == everything.best()["label"]
    assert tuned.best["score"] == everything.best()["score"]


def test_samples_choose_and_figures_are_of_all_records(table, small_samples):
    everything = {row["candidate"]: row for row in dc.compare(table, space(), thresholds=LIMITS, **QUICK).rows}
    tuned = dc.tune(table, space(), thresholds=LIMITS, budget=7, **QUICK)
    assert [(rung.records, rung.whole) for rung in tuned.rungs] == [(30, False), (120, True)]
    assert tuned.rungs[0].candidates == 14
    assert tuned.rungs[1].candidates == 3
    assert tuned.records == 120
    for row in tuned.study.rows:
        assert row["records"] == 120
        assert (row["risk"], row["loss"]) == (
            everything[row["candidate"]]["risk"],
            everything[row["candidate"]]["loss"],
        )
    assert sum(one["records"] == 30 for one in tuned.tried) == 11
    masked = tuned.masker.mask(table)
    assert dc.assess(table, masked).score.risk == tuned.best["draw"]["risk"]


def test_the_same_seed_and_any_number_of_workers_give_the_same(table, small_samples):
    one, two = (
        dc.tune(table, space() * 1, thresholds=LIMITS, budget=7, measures=[], random_state=1, workers=workers)
        for workers in (1, 2)
    )
    assert listed(one.study) == listed(two.study)
    assert [one["candidate"] for one in one.tried] == [two["candidate"] for two in two.tried]


def test_where_nobody_meets_the_limits_the_nearest_is_told_whole(table):
    tuned = dc.tune(table, space(), thresholds={"smallest_group": 50}, **QUICK)
    assert not tuned.met
    assert tuned.misses == ("smallest group 12 (at least 50)",)
    assert tuned.best["label"].endswith("mdav(k=12)")
    assert tuned.best["risk"] > 0


def test_a_time_is_a_budget_that_ends_the_search(table, small_samples, monkeypatch):
    now = iter(range(10_000))
    monkeypatch.setattr(tuning, "Deadline", lambda seconds: Deadline(seconds, lambda: float(next(now))))
    tuned = dc.tune(table, space(), thresholds=LIMITS, budget="10s", **QUICK)
    assert [rung.records for rung in tuned.rungs] == [30, 120]
    assert 1 <= tuned.rungs[0].candidates < len(space())
    assert tuned.rungs[1].candidates >= 1
    assert tuned.study.rows[0]["records"] == 120


def test_a_stopped_search_tells_the_best_so_far_and_goes_on(table, small_samples, tmp_path):
    path = tmp_path / "rows.jsonl"
    options = {"thresholds": LIMITS, "budget": 7, **QUICK, "store": path}

    def stop_on(words, count):
        def stop(label, done, _total):
            if words in label and done == count:
                raise KeyboardInterrupt

        return stop

    with dc.progress.listening(stop_on("30 records", 3)):
        first = dc.tune(table, space(), **options)
    assert not first.study.complete
    assert first.records == 30  # and so it is said
    with dc.progress.listening(stop_on("all 120 records", 1)):
        second = dc.tune(table, space(), **options, resume=True)
    assert not second.study.complete
    third = dc.tune(table, space(), **options, resume=True)
    whole = dc.tune(table, space(), **{**options, "store": None})
    assert listed(third.study) == listed(whole.study)
    assert third.best["label"] == whole.best["label"]


def test_what_fails_everywhere_is_said_and_what_cannot_be_a_budget_too(table):
    with pytest.raises(DataError, match="all 1 candidates failed.*Step 1"):
        dc.tune(table, [dc.Chain([dc.MDAV(k=500)])], **QUICK)
    for budget in ("soon", "0s", "-5m", ""):
        with pytest.raises(DiscreetError, match="a time must look like"):
            dc.tune(table, space(), budget=budget, **QUICK)


def test_a_search_among_single_maskers_knows_the_intruders(table):
    names = table.schema.keys
    weak = [dc.Intruder("one key", names[:1])]
    options = {"budget": 2, "random_state": 0, "workers": 1}
    one = dc.tune(table, dc.grid("mdav", k=[3, 5]), scenarios=weak, **options)
    study = dc.compare(table, dc.grid("mdav", k=[3, 5]), scenarios=weak, random_state=0, workers=1)
    assert [row["intruder"] for row in one.study.rows] == ["one key"] * 2
    assert [row["risk"] for row in one.study.rows] == [row["risk"] for row in study.rows]


def test_the_end_of_the_time_ends_an_experiment_that_has_begun_and_keeps_what_is_finished(table, monkeypatch):
    begun, ended = [], []

    class Endless(dc.AdditiveNoise):
        def inquire(self, scope):
            if not begun:  # one of them is finished, whichever comes first
                begun.append(True)
                return (yield from super().inquire(scope))
            while not is_stopped():
                time.sleep(0.01)
            ended.append(True)
            raise Stopped

    candidates = [Endless(0.1, random_state=1), Endless(0.2, random_state=1), Endless(0.3, random_state=1)]
    # The search believes that no time passes, so that nothing but the flag can end it.
    monkeypatch.setattr(tuning, "Deadline", lambda _: Deadline(0.05, clock=lambda: 0.0))
    tuned = dc.tune(table, candidates, budget="1s", **QUICK)
    assert ended == [True]
    assert len(tuned.study) == 1
    assert not is_stopped()


def test_the_interrupt_that_follows_a_stop_is_taken_in_and_what_is_finished_stays(table, monkeypatch):
    begun, absorbed = [], []

    class Interrupted(dc.AdditiveNoise):
        def inquire(self, scope):
            begun.append(True)
            if len(begun) > 1:
                raise Stopped
            return (yield from super().inquire(scope))

    monkeypatch.setattr(halved_tuning, "absorb_interrupt", lambda: absorbed.append(True))
    tuned = dc.tune(table, [Interrupted(0.1, random_state=1), Interrupted(0.2, random_state=1)], budget="9h", **QUICK)
    assert absorbed == [True]
    assert len(tuned.study) == 1
