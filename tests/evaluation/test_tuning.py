from __future__ import annotations

import sys

import pytest

import discreet as dc
from discreet.errors import DataError, MissingExtraError, ParameterError
from discreet.evaluation.candidates import grid
from discreet.evaluation.study import compare
from discreet.evaluation.tuning import tune
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.microaggregation.numbers.univariate import IndividualRanking
from discreet.masking.perturbing.noise import AdditiveNoise
from discreet.progress import listening

MEASURES = ["il1s", "distance-linkage"]


def space():
    return (
        grid(MDAV, k=range(2, 42), standardise=["zscore", "range"])
        + grid(IndividualRanking, k=range(2, 42))
        + grid(AdditiveNoise, level=[s / 20 for s in range(1, 81)])
    )


@pytest.fixture(scope="module")
def table():
    """Few columns: patterns of agreement double with each, and every experiment is attacked by them."""
    return dc.datasets.business(60).select(["COMPANY", "EMPLOYEES", "TURNOVER", "WAGES", "ASSETS", "DEBT"])


@pytest.fixture(scope="module")
def whole(table):
    return compare(table, space(), measures=MEASURES, random_state=0, workers=1)


@pytest.mark.parametrize("seed", [0, 1])
def test_it_comes_near_the_best_of_the_grid(table, whole, seed):
    # The study's own seed fixes the rows; the search may draw as it likes.
    tuned = tune(table, space(), budget=30, measures=MEASURES, random_state=0 if seed == 0 else 7, workers=1)
    assert tuned.experiments == 30
    assert tuned.space == len(whole) == 200
    assert tuned.best["score"] <= 1.05 * whole.best()["score"] + (0 if seed == 0 else 0.5)
    assert tuned.masker.label() == tuned.best["label"]


def test_its_rows_are_those_of_the_grid(table, whole):
    tuned = tune(table, space(), budget=25, measures=MEASURES, random_state=0, workers=1)
    for row in tuned.study.rows:
        same = whole.rows[row["experiment"]]
        assert {n: v for n, v in row.items() if n != "seconds"} == {n: v for n, v in same.items() if n != "seconds"}


def test_a_ceiling_on_risk(table, whole):
    tuned = tune(table, space(), risk_at_most=20, budget=40, measures=MEASURES, random_state=0, workers=1)
    assert tuned.best["risk"] <= 20
    assert tuned.best["loss"] <= 1.25 * whole.best(risk_at_most=20)["loss"]
    with pytest.raises(DataError, match="No candidate has a risk of at most 0"):
        tune(table, grid(MDAV, k=[2, 3, 4]), risk_at_most=0, measures=MEASURES)


def test_workers_do_not_matter_and_nothing_is_run_twice(table):
    one, two = (tune(table, space(), budget=50, measures=MEASURES, random_state=0, workers=w) for w in (1, 2))
    assert [row["experiment"] for row in one.study.rows] == [row["experiment"] for row in two.study.rows]
    assert len({row["experiment"] for row in one.study.rows}) == 50
    everything = tune(table, space()[:10], budget=500, measures=MEASURES)
    assert everything.experiments == 10


def test_a_stopped_search_goes_on(table, tmp_path):
    path = tmp_path / "rows.jsonl"

    def stop(_label, done, _total):
        if done == 7:
            raise KeyboardInterrupt

    with listening(stop):
        first = tune(table, space(), budget=16, measures=MEASURES, random_state=0, workers=1, store=path)
    assert not first.study.complete
    second = tune(table, space(), budget=16, measures=MEASURES, random_state=0, workers=1, store=path, resume=True)
    straight = tune(table, space(), budget=16, measures=MEASURES, random_state=0, workers=1)
    assert second.study.complete
    assert [r["experiment"] for r in second.study.rows] == [r["experiment"] for r in straight.study.rows]
    kept = {r["experiment"]: r["seconds"] for r in first.study.rows}
    assert all(r["seconds"] == kept[r["experiment"]] for r in second.study.rows if r["experiment"] in kept)


def test_repetitions_count_against_the_budget_and_failures_are_rows(table):
    tuned = tune(table, grid(AdditiveNoise, level=[0.1, 0.2, 0.3, 0.4]), repetitions=3, budget=9, measures=MEASURES)
    assert tuned.experiments == 9
    assert tuned.best["experiments"] == 3
    mixed = tune(table, [MDAV(k=500), MDAV(k=3), MDAV(k=900)], measures=MEASURES)
    assert mixed.masker.k == 3
    assert len(mixed.study.failures) == 2
    with pytest.raises(DataError, match="all 2 experiments failed"):
        tune(table, [MDAV(k=500), MDAV(k=900)], measures=MEASURES)


def test_bad_input(table):
    for wrong in ([], ["mdav"], MDAV()):
        with pytest.raises(ParameterError, match="space must be a list of maskers"):
            tune(table, wrong)
    one = MDAV()
    with pytest.raises(ParameterError, match="the same masker twice"):
        tune(table, [one, one])
    for name, value in (("budget", 0), ("repetitions", 1.5), ("random_state", -1), ("risk_at_most", 120)):
        with pytest.raises(ParameterError, match=f"tune: {name} must be"):
            tune(table, [MDAV()], **{name: value})
    with pytest.raises(ParameterError, match="is no key"):
        tune(table, [MDAV()], attributes=[table.schema.of_role("identifier")[0]])


def test_it_shows_itself(table):
    tuned = tune(table, grid(MDAV, k=[2, 3]), measures=MEASURES)
    assert repr(tuned).startswith("Tuned(mdav(k=")
    assert "for 2 candidates" in repr(tuned)


def test_without_the_extra_it_is_refused_before_any_work_and_not_needed_where_all_is_tried(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    few = grid(MDAV, k=range(2, 6))
    with pytest.raises(MissingExtraError, match="more candidates than are tried") as caught:
        tune(table, few, budget=3, measures=MEASURES, random_state=1)
    assert "discreet[learn]" in str(caught.value)
    assert tune(table, few, budget=4, measures=MEASURES, random_state=1).experiments == 4
