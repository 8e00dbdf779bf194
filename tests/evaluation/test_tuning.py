from __future__ import annotations

import sys
from typing import ClassVar

import pytest

import discreet as dc
from discreet.errors import DataError, DiscreetError, MissingExtraError, ParameterError
from discreet.evaluation.candidates import grid
from discreet.evaluation.experiment import Experiment
from discreet.evaluation.study import Study, compare
from discreet.evaluation.tuning import Tuned, _adopted, _checked, _features, _spread_out, _TuningSearch, tune
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


# ------------------------------------------------------------------------------------------------- what is tried when


def small():
    maskers = grid(dc.MDAV, k=[3, 5, 9], standardise=["zscore", "range"])
    return [*maskers, dc.PRAM(theta=0.2, random_state=1), dc.PRAM(theta=0.4, random_state=2)]


def large():
    return grid(dc.MDAV, k=range(2, 42)) + grid(dc.KModes, k=[3, 5, 7])


def told(search, batch, **values):
    for place in batch:
        search.tell(place, [{"error": None, "score": float(place), "risk": 0.0, "loss": float(place)} | values])


def test_candidates_as_rows_of_numbers():
    features, methods = _features(small())
    assert methods.tolist() == [0] * 6 + [1] * 2
    # Which method; k; how it is standardised, by appearance; theta. One below the least where there is no such thing.
    assert features.tolist() == [
        [1, 0, 3, 0, pytest.approx(-0.8)], [1, 0, 3, 1, pytest.approx(-0.8)], [1, 0, 5, 0, pytest.approx(-0.8)],
        [1, 0, 5, 1, pytest.approx(-0.8)], [1, 0, 9, 0, pytest.approx(-0.8)], [1, 0, 9, 1, pytest.approx(-0.8)],
        [0, 1, 2, -1, 0.2], [0, 1, 2, -1, 0.4],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("size", "order"),
    [(1, [0]), (2, [1, 0]), (3, [1, 0, 2]), (4, [2, 0, 1, 3]), (5, [2, 0, 4, 1, 3]), (6, [3, 0, 5, 1, 2, 4])],
)
def test_the_middle_first_and_then_as_far_as_can_be(size, order):
    assert _spread_out(size).tolist() == order


def test_short_lists_take_turns_and_the_budget_is_spent():
    search = _TuningSearch(small(), [1] * 8, 8, None, 0)
    # Six of one method at (0.5, 1.5, …)/√6, two of the other at (0.5, 1.5)/√2: the smaller key first.
    first = search.next()
    assert first == [3, 7, 0, 5, 6]  # three of each method, or six tenths of the budget
    told(search, first)
    later = []
    while batch := search.next():
        assert len(batch) == 1
        told(search, batch)
        later += batch
    assert later == [1, 2, 4]


@pytest.mark.parametrize(
    ("costs", "budget", "first", "whole"),
    [
        ([1] * 43, 20, 9, 3),  # three settings tried whole, and three of each method
        ([1] * 43, 60, 18, 3),  # three tenths of the budget
        ([2] * 40 + [1] * 3, 20, 9, 3),  # runs count: 3 + 6 × 2
        ([1] * 43, 4, 2, 0),  # six tenths of the budget; three would be more than a quarter
        ([1] * 43, 12, 9, 3),
        ([1] * 43, 11, 6, 0),
        ([1] * 43, 1, 1, 0),
    ],
)
def test_a_part_of_the_budget_is_spent_before_anything_is_learned(costs, budget, first, whole):
    search = _TuningSearch(large(), costs, budget, None, 0)
    batch = search.next()
    assert len(batch) == first
    assert len(set(batch)) == first
    assert (batch[:3] == [41, 40, 42]) == (whole == 3)
    assert search._left == budget - sum(costs[place] for place in batch)


def test_what_failed_is_worse_than_any_other_and_risks_above_the_ceiling_cost_four_times():
    search = _TuningSearch(small(), [1] * 8, 8, 20.0, 0)
    search.tell(0, [{"error": "no"}])
    search.tell(
        1, [{"error": None, "risk": 20.0, "loss": 7.0}, {"error": None, "risk": 24.0, "loss": 9.0}, {"error": "no"}]
    )
    search.tell(2, [{"error": None, "risk": 3.0, "loss": 7.0}])
    assert search._results == {0: float("inf"), 1: 8.0 + 4 * 2.0, 2: 7.0}
    free = _TuningSearch(small(), [1] * 8, 8, None, 0)
    free.tell(1, [{"error": None, "score": 3.0}, {"error": None, "score": 6.0}])
    assert free._results == {1: 4.5}


def test_a_model_tells_where_to_look_next():
    search = _TuningSearch(large(), [1] * 43, 40, None, 3)
    tried = []
    while batch := search.next():
        assert not set(batch) & set(tried)
        tried += batch
        # The score falls with k: the largest are the best.
        for place in batch:
            score = 100.0 - place if place < 40 else 90.0
            search.tell(place, [{"error": None, "score": score}] if place != 5 else [{"error": "no"}])
    assert len(tried) == 40
    assert set(range(34, 40)) <= set(tried)
    again = _TuningSearch(large(), [1] * 43, 40, None, 3)
    assert again.next() == tried[: len(again._tried.nonzero()[0])]


def test_where_almost_all_failed_the_rest_is_drawn_at_random():
    search = _TuningSearch(large(), [1] * 43, 20, None, 0)
    batch = search.next()
    for place in batch:
        search.tell(place, [{"error": "no"}])
    second = search.next()
    assert len(second) == 1  # eleven of the budget are left for twelve batches
    assert not set(second) & set(batch)


@pytest.mark.parametrize(
    ("candidates", "budget", "limit"),
    [(1, None, 24), (480, None, 24), (500, None, 25), (1000, None, 50), (3, 7, 7), (3, 1, 1)],
)
def test_a_budget_is_a_twentieth_of_the_grid_and_24_at_least(candidates, budget, limit):
    assert _checked([dc.MDAV() for _ in range(candidates)], budget, 1, None) == limit


@pytest.mark.parametrize(
    ("space", "budget", "repetitions", "random_state", "sentence"),
    [
        ([], None, 1, None, "space must be a list"), ("mdav", None, 1, None, "space must be a list"),
        ([dc.MDAV(), "mdav"], None, 1, None, "space must be a list"),
        ([dc.MDAV()] * 2, None, 1, None, "same masker twice"),
        ([dc.MDAV()], 0, 1, None, "budget must be"), ([dc.MDAV()], True, 1, None, "budget must be"),
        ([dc.MDAV()], 1.5, 1, None, "budget must be"), ([dc.MDAV()], 5, 0, None, "repetitions must be"),
        ([dc.MDAV()], 5, 1, -1, "random_state must be"), ([dc.MDAV()], 5, 1, "a", "random_state must be"),
    ],
)  # fmt: skip
def test_what_cannot_be_searched_is_refused(space, budget, repetitions, random_state, sentence):
    with pytest.raises(ParameterError, match=f"tune: .*{sentence}"):
        _checked(space, budget, repetitions, random_state)


def test_the_draw_that_was_measured_is_adopted():
    maskers = [dc.PRAM(theta=0.1), dc.PRAM(theta=0.3)]
    experiments = [
        Experiment(n, maskers[n // 2], ("a",), "s", n % 2, 100 + n, maskers[n // 2].label()) for n in range(4)
    ]
    rows = [
        {"experiment": e.number, "candidate": e.label, "seed": e.seed, "error": "no" if e.number == 0 else None}
        for e in experiments
    ]
    study = Study(tuple(rows))
    best = {"label": experiments[2].label, "draw": {"seed": 103}}
    adopted = _adopted(best, experiments, study)
    assert (adopted.theta, adopted.random_state) == (0.3, 103)
    first = _adopted({"label": experiments[1].label, "draw": {"seed": 101}}, experiments, study)
    assert (first.theta, first.random_state) == (0.1, 101)


def test_a_tuned_candidate_says_whether_it_meets_everything():
    best = {"label": "mdav(k=3)", "score": 12.344, "risk": 20.0, "loss": 4.688}
    tuned = Tuned(Study(({"experiment": 0},)), dc.MDAV(k=3), best, 7)
    assert repr(tuned) == "Tuned(mdav(k=3): score 12.34, risk 20.00, loss 4.69; 1 experiments for 7 candidates)"
    assert (tuned.met, tuned.experiments) == (True, 1)
    assert not Tuned(Study(()), dc.MDAV(k=3), best, 7, misses=("risk 20.00 % (at most 5)",)).met


class OneByOne:
    """Makes rows of what is planned, as a table of scores says; stops where it is told to."""

    scores: ClassVar[dict] = {}
    stop_after = None
    asked: ClassVar[list] = []

    def __init__(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run(self, planned, keep):
        for one in planned:
            if len(OneByOne.asked) == OneByOne.stop_after:
                raise KeyboardInterrupt
            OneByOne.asked.append(one.number)
            score = OneByOne.scores[one.masker.k]
            row = {"experiment": one.number, "candidate": one.label, "method": "mdav", "attribute_set": one.set_name,
                   "repetition": one.repetition, "seed": one.seed, "parameter_k": one.masker.k}  # fmt: skip
            failed = {"error": "no."} if score is None else {"error": None}
            keep([row | failed | ({} if score is None else {"score": score, "risk": 2 * score - 10, "loss": 10.0})])


@pytest.fixture
def one_by_one(monkeypatch):
    from discreet.evaluation import tuning

    monkeypatch.setattr(tuning, "Crew", OneByOne)
    monkeypatch.setattr(OneByOne, "asked", [])
    monkeypatch.setattr(OneByOne, "stop_after", None)
    monkeypatch.setattr(OneByOne, "scores", {3: 20.0, 4: 15.0, 5: 25.0, 6: None})
    return OneByOne


def few():
    return [dc.MDAV(k=k) for k in (3, 4, 5, 6)]


def test_all_of_few_are_tried_and_the_best_is_returned(table, one_by_one, tmp_path):
    store = tmp_path / "rows.jsonl"
    heard = []
    with listening(lambda *report: heard.append(report)):
        tuned = tune(table, few(), random_state=1, workers=1, store=store)
    assert (tuned.best["label"], tuned.masker.k, tuned.space, tuned.experiments) == ("mdav(k=4)", 4, 4, 4)
    assert (tuned.records, tuned.thresholds, tuned.misses, tuned.met) == (len(table), {}, (), True)
    assert tuned.study.complete
    assert [row["experiment"] for row in tuned.study.rows] == [0, 1, 2, 3]
    assert [report for report in heard if report[0] == "experiments"][-1] == ("experiments", 4, 24)
    assert len(store.read_text().splitlines()) == 5
    one_by_one.asked.clear()
    again = tune(table, few(), random_state=1, workers=1, store=store, resume=True)
    assert one_by_one.asked == []
    assert again.study.rows == tuned.study.rows
    with pytest.raises(DiscreetError, match="another study"):
        tune(table, few(), random_state=1, workers=1, store=store, resume=True, risk_at_most=50)
    with pytest.raises(DiscreetError, match="another study"):
        tune(table, few(), random_state=1, workers=1, store=store, resume=True, budget=5)


def test_a_ceiling_is_kept_or_the_search_fails(table, one_by_one):
    # Risks are 30, 20 and 40, and the losses equal.
    assert tune(table, few(), random_state=1, risk_at_most=25).best["label"] == "mdav(k=4)"
    assert tune(table, few(), random_state=1, risk_at_most=20).thresholds == {"risk_at_most": 20}
    with pytest.raises(DataError, match=r"No candidate has a risk of at most 19; the lowest is 20\.00"):
        tune(table, few(), random_state=1, risk_at_most=19)


def test_where_all_fail_it_is_said(table, one_by_one, monkeypatch):
    monkeypatch.setattr(one_by_one, "scores", dict.fromkeys((3, 4, 5, 6)))
    with pytest.raises(DataError, match="tune: all 4 experiments failed"):
        tune(table, few(), random_state=1)


def test_a_search_that_is_stopped_answers_with_what_is_finished(table, one_by_one, monkeypatch):
    monkeypatch.setattr(one_by_one, "stop_after", 2)
    tuned = tune(table, few(), random_state=1, risk_at_most=1)
    assert not tuned.study.complete
    assert tuned.experiments == 2
    assert not tuned.met
    assert tuned.misses == (f"risk {tuned.best['risk']:.2f} % (at most 1)",)
    one_by_one.asked.clear()
    met = tune(table, few(), random_state=1, risk_at_most=90)
    assert (met.met, met.study.complete) == (True, False)
    monkeypatch.setattr(one_by_one, "stop_after", 0)
    one_by_one.asked.clear()
    with pytest.raises(KeyboardInterrupt):
        tune(table, few(), random_state=1)
