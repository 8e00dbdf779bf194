from __future__ import annotations

import json
import subprocess
import sys

import pytest

import discreet as dc
from discreet.errors import DataError, FileError, ParameterError, UnknownNameError
from discreet.evaluation.candidates import grid
from discreet.evaluation.experiment import Scoring, plan
from discreet.evaluation.study import (
    Study,
    check_sets,
    compare,
    fingerprint,
    measures_for,
    scoring_of,
    unmasked_files,
)
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.microaggregation.numbers.univariate import IndividualRanking
from discreet.masking.microaggregation.records.kmodes import KModes
from discreet.masking.perturbing.pram import PRAM
from discreet.masking.perturbing.swapping import RankSwapping
from discreet.masking.recoding.coding import TopCoding
from discreet.progress import listening

COLUMNS = ["COMPANY", "EMPLOYEES", "TURNOVER", "WAGES", "ASSETS", "DEBT"]
MEASURES = ["il1s", "distance-linkage"]
CANDIDATES = grid(MDAV, k=[2, 4, 8]) + grid(IndividualRanking, k=[3, 9])


@pytest.fixture(scope="module")
def table():
    """Few columns: patterns of agreement double with each, and every experiment is attacked by them."""
    return dc.datasets.business(80).select(COLUMNS)


@pytest.fixture(scope="module")
def study(table):
    return compare(table, CANDIDATES, measures=MEASURES)


def without_time(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def test_grid_makes_every_combination():
    assert [m.k for m in grid(MDAV, k=range(2, 5), standardise=["zscore", "range"])] == [2, 2, 3, 3, 4, 4]
    with pytest.raises(ParameterError, match="no parameter 'p'"):
        grid(MDAV, p=[1])


def test_one_row_an_experiment_with_everything_in_it(study):
    frame = study.to_frame()
    assert frame.height == len(study) == len(CANDIDATES)
    wanted = {
        "method",
        "parameter_k",
        "attribute_set",
        "seed",
        "measure_il1s",
        "loss",
        "risk",
        "score",
        "seconds",
        "error",
    }
    assert wanted <= set(frame.columns)
    assert study.complete
    assert study.failures == ()


def test_rows_are_what_assess_gives(study, table):
    masked = MDAV(k=4).mask(table)
    verdict = dc.assess(table, masked, measures=MEASURES)
    row = next(r for r in study.rows if r["method"] == "mdav" and r["parameter_k"] == 4)
    assert row["score"] == pytest.approx(verdict.score.value)
    assert row["measure_il1s"] == pytest.approx(verdict["il1s"].value)


def test_workers_do_not_matter(table, study):
    many = CANDIDATES * 10
    one, two = (compare(table, many, measures=MEASURES, random_state=3, workers=w) for w in (1, 2))
    assert without_time(one.rows) == without_time(two.rows)


def test_ranking_front_and_ceilings(study):
    ranking = study.ranking()
    assert [e["score"] for e in ranking] == sorted(e["score"] for e in ranking)
    front = study.front()
    for a in front:
        assert not any(b["risk"] <= a["risk"] and b["loss"] < a["loss"] for b in ranking)
    assert [e["risk"] for e in front] == sorted(e["risk"] for e in front)
    ceiling = sorted(e["risk"] for e in ranking)[1]
    best = study.best(risk_at_most=ceiling)
    assert best["risk"] <= ceiling
    assert best["loss"] == min(e["loss"] for e in ranking if e["risk"] <= ceiling)
    assert study.best(loss_at_most=100)["risk"] == min(e["risk"] for e in ranking)
    assert study.best() == ranking[0]
    with pytest.raises(DataError, match="No candidate has a risk of at most 0.001"):
        study.best(risk_at_most=0.001)
    with pytest.raises(ParameterError, match="not both"):
        study.best(risk_at_most=1, loss_at_most=1)


def test_attribute_sets(table):
    sets = {"size": ["TURNOVER", "ASSETS"], "people": ["EMPLOYEES", "WAGES"]}
    study = compare(table, grid(MDAV, k=[3]), attribute_sets=sets, measures=MEASURES)
    assert [row["attribute_set"] for row in study.rows] == ["size", "people"]
    assert study.rows[0]["risk"] != study.rows[1]["risk"]
    assert len(study.ranking("size")) == 1


def test_keys_outside_a_set_are_left_out(table):
    """An experiment on a set is that on a file which has these keys alone."""
    keys = ["TURNOVER", "ASSETS"]
    study = compare(table, grid(MDAV, k=[3]), attribute_sets={"size": keys}, measures=MEASURES)
    alone = compare(table.select([name for name in table.names if name in keys]), grid(MDAV, k=[3]), measures=MEASURES)
    for name in ("score", "risk", "loss", "measure_il1s"):
        assert study.rows[0][name] == alone.rows[0][name]
    for wrong in ({"a": []}, {"a": "TURNOVER"}, {"a": [table.schema.of_role("identifier")[0]]}):
        with pytest.raises(ParameterError, match="attribute set 'a'"):
            compare(table, grid(MDAV, k=[3]), attribute_sets=wrong)


def test_shared_work_changes_nothing():
    """All experiments of a set use one table and what it keeps; each alone on a fresh table gives the same."""
    measures = ["dist", "ctbil", "ebil", "distance-linkage", "probabilistic-linkage"]
    data = dc.datasets.housing(150)
    sets = {"o": ["BUILT", "DEGREE", "GRADE1"], "m": ["DEGREE", "METRO", "SCH", "SHP"]}
    candidates = [
        KModes(3, n_vars=2, start="random"), KModes(5, prototype="random"), KModes(5, weighted=False), RankSwapping(8),
        TopCoding(2), PRAM(0.5),
    ]  # fmt: skip
    study = compare(data, candidates, attribute_sets=sets, measures=measures, workers=1)
    assert study.failures == ()
    for row in study.rows:
        left_out = set(data.schema.keys) - set(sets[row["attribute_set"]])
        fresh = dc.datasets.housing(150)
        fresh = fresh.select(name for name in fresh.names if name not in left_out)
        masker = candidates[row["experiment"] % len(candidates)].clone()
        if "random_state" in masker.get_params():
            masker.set_params(random_state=int(row["seed"]))
        verdict = dc.assess(fresh, masker.mask(fresh), measures=measures)
        assert verdict.score.value == row["score"]
        for name in measures:
            assert verdict[name].value == row[f"measure_{name}"]


def test_spread_over_seeds():
    rows = []
    for number, (label, one_set, repetition, score) in enumerate(
        [("a", "s", 0, 10.0), ("a", "s", 1, 12.0), ("a", "t", 0, 30.0), ("a", "t", 1, 32.0), ("b", "s", 0, 11.5),
         ("b", "t", 0, 31.5), ("c", "s", 0, 1.0)]
    ):  # fmt: skip
        rows.append(
            {"experiment": number, "method": label, "candidate": label, "attribute_set": one_set, "seed": 1,
             "repetition": repetition, "score": score, "risk": score, "loss": score, "error": None}
        )  # fmt: skip
    rows.append({"experiment": 7, "method": "c", "candidate": "c", "attribute_set": "t", "repetition": 0, "error": "!"})
    study = Study(tuple(rows))
    a, b, c = study.ranking()
    assert (a["label"], a["score"], a["score_low"], a["score_high"]) == ("a", 21.0, 20.0, 22.0)  # sets are no noise
    assert a["score_deviation"] == pytest.approx(2**0.5)
    assert (b["score"], b["score_low"], b["score_deviation"]) == (21.5, 21.5, 0.0)
    assert b["like_best"]  # 21.5 lies between 20 and 22
    assert c["label"] == "c"  # failed on a set: behind those that did not, whatever its score
    assert study.best()["label"] == "a"
    assert study.ranking("s")[0]["label"] == "c"
    assert study.attribute_sets == ("s", "t")
    with pytest.raises(UnknownNameError, match="no attribute set named 'x'"):
        study.ranking("x")


def test_one_failing_experiment_is_a_row(table):
    study = compare(table, [MDAV(k=3), MDAV(k=500), MDAV(k=1)], measures=MEASURES)
    assert [row["error"] is None for row in study.rows] == [True, False, False]
    assert "k must be at most the number of records" in study.failures[0]["error"]
    assert len(study.ranking()) == 1


def test_a_stopped_study_goes_on(table, tmp_path):
    path = tmp_path / "rows.jsonl"
    seen = 0

    def stop_after_two(_label, done, _total):
        nonlocal seen
        seen = done
        if done == 2:
            raise KeyboardInterrupt

    with listening(stop_after_two):
        first = compare(table, CANDIDATES, measures=MEASURES, store=path)
    assert not first.complete
    assert len(first) == 2
    with path.open("ab") as file:
        file.write(b'{"experiment": 3, "meth')  # what a killed process leaves behind
    second = compare(table, CANDIDATES, measures=MEASURES, store=path, resume=True)
    assert second.complete
    seed = int(json.loads(path.read_text().splitlines()[0])["seed"])  # drawn by the first run, kept for the second
    again = compare(table, CANDIDATES, measures=MEASURES, random_state=seed)
    assert without_time(second.rows) == without_time(again.rows)
    assert [r["seconds"] for r in second.rows[:2]] == [r["seconds"] for r in first.rows]
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_an_interrupt_keeps_what_several_processes_have_finished(table, tmp_path):
    path, many = tmp_path / "rows.jsonl", CANDIDATES * 12
    stopped = []

    def stop_once(_label, done, _total):
        if done >= 10 and not stopped:
            stopped.append(done)
            raise KeyboardInterrupt

    with listening(stop_once):
        first = compare(table, many, measures=MEASURES, workers=2, store=path)
    assert not first.complete
    assert stopped[0] <= len(first) < len(many)
    assert len(path.read_text().splitlines()) == len(first) + 1
    second = compare(table, many, measures=MEASURES, workers=2, store=path, resume=True)
    assert second.complete
    assert len({row["score"] for row in second.rows}) == len(CANDIDATES)


SCRIPT = """
import sys, time
import discreet as dc
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.progress import listening

def wait(_label, done, _total):
    if done >= 20:
        print("working", flush=True)
        time.sleep(3600)  # until it is killed

if __name__ == "__main__":
    candidates = dc.grid(MDAV, k=list(range(2, 42)) * 2)
    with listening(wait):
        table = dc.datasets.business(80).select(sys.argv[2].split())
        dc.compare(table, candidates, measures=["il1s", "distance-linkage"], workers=2,
                   store=sys.argv[1], resume=True)
"""


def test_a_killed_study_goes_on(table, tmp_path):
    """Killed without a chance to tidy up: rows that were written stay, no process is left, and the study goes on."""
    script, path = tmp_path / "study.py", tmp_path / "rows.jsonl"
    script.write_text(SCRIPT)
    # Whoever holds the other end of the pipe is alive: it is closed when the workers have gone with the study.
    killed = subprocess.Popen([sys.executable, script, path, " ".join(COLUMNS)], stdout=subprocess.PIPE, text=True)
    assert killed.stdout.readline().strip() == "working"
    killed.kill()
    killed.wait()
    assert killed.stdout.read() == "", "workers outlive the study"
    killed.stdout.close()
    before = path.read_bytes().count(b"\n") - 1
    candidates = grid(MDAV, k=list(range(2, 42)) * 2)
    study = compare(table, candidates, measures=MEASURES, workers=2, store=path, resume=True)
    assert 20 <= before < 80
    assert study.complete
    assert len(study) == 80
    assert [row["experiment"] for row in study.rows] == list(range(80))
    assert len({row["score"] for row in study.rows}) == 40


def test_a_store_of_another_study_is_refused(table, tmp_path):
    path = tmp_path / "rows.jsonl"
    compare(table, grid(MDAV, k=[2]), measures=MEASURES, store=path)
    with pytest.raises(FileError, match="holds an earlier study"):
        compare(table, grid(MDAV, k=[2]), measures=MEASURES, store=path)
    with pytest.raises(FileError, match="belongs to another study"):
        compare(table, grid(MDAV, k=[3]), measures=MEASURES, store=path, resume=True)


def test_bad_input(table):
    for candidates in ([], ["mdav"]):
        with pytest.raises(ParameterError, match="candidates must be a list of maskers"):
            compare(table, candidates)
    with pytest.raises(ParameterError, match="repetitions must be"):
        compare(table, [MDAV()], repetitions=0)


def test_shows_itself(study):
    assert repr(study).startswith("Study(")
    assert "mdav(k=2" in study._repr_html_()
    assert "not complete" in repr(Study(study.rows, complete=False))
    assert "failed" not in repr(study)
    rows = [dict(study.rows[0], error="it could not be done"), *study.rows[1:]]
    assert repr(Study(rows)) == f"Study({len(rows)} experiments, 1 failed)"


def test_a_seed_of_a_candidate_is_refused_because_the_study_would_draw_another(table):
    seeded = [MDAV(k=3), MDAV(k=3, search="blocks", random_state=5)]
    with pytest.raises(ParameterError, match="1 of 2 candidates has a random_state, the first a mdav"):
        compare(table, seeded, measures=MEASURES, random_state=1, workers=1)
    assert len(compare(table, seeded[:1], measures=MEASURES, random_state=1, workers=1)) == 1


# ---------------------------------------------------------------------------------------------------- rows made by hand


def row(number, label, score, *, risk=10.0, loss=5.0, of="s", repetition=0, error=None, **more):
    return {
        "experiment": number, "method": label[0], "candidate": label, "attribute_set": of, "repetition": repetition,
        "seed": 100 + number, "parameter_label": label, "score": score, "risk": risk, "loss": loss, "error": error,
    } | more  # fmt: skip


def test_an_entry_has_means_ranges_and_the_most_usual_draw():
    rows = (
        row(0, "a", 10.0, threshold_smallest_group=4, threshold_suda2_at_most=1.0),
        row(1, "a", 14.0, repetition=1, threshold_smallest_group=3, threshold_suda2_at_most=2.0),
        row(2, "a", 13.0, risk=40.0, repetition=2, threshold_smallest_group=5, threshold_suda2_at_most=0.5),
    )
    (entry,) = Study(rows).ranking()
    assert entry == {
        "method": "a", "label": "a", "experiments": 3, "attribute_sets": 1,
        "score": pytest.approx(37 / 3), "score_low": 10.0, "score_high": 14.0,
        "score_deviation": pytest.approx((((10 - 37 / 3) ** 2 + (14 - 37 / 3) ** 2 + (13 - 37 / 3) ** 2) / 2) ** 0.5),
        "risk": 20.0, "risk_low": 10.0, "risk_high": 40.0, "risk_deviation": pytest.approx(300**0.5),
        "loss": 5.0, "loss_low": 5.0, "loss_high": 5.0, "loss_deviation": 0.0,
        "threshold_smallest_group": 3, "threshold_suda2_at_most": 2.0, "like_best": True,
        "draw": {"seed": 102, "score": 13.0, "risk": 40.0, "loss": 5.0},
    }  # fmt: skip
    single = Study(rows[:1]).ranking()[0]
    assert (single["score_deviation"], single["draw"]["seed"]) == (0.0, 100)
    tied = Study((row(0, "a", 10.0), row(1, "a", 14.0, repetition=1))).ranking()[0]
    assert tied["draw"]["seed"] == 100, "the first of two that are as usual"


def test_means_over_sets_are_of_sets_and_ranges_of_whole_repetitions():
    rows = (
        row(0, "a", 10.0), row(1, "a", 20.0, repetition=1),
        row(2, "a", 40.0, of="t"), row(3, "a", 0.0, of="t", repetition=1, error="no"),
    )  # fmt: skip
    (entry,) = Study(rows).ranking()
    # Set s has a mean of 15, set t of 40; only the first repetition was run on both.
    assert (entry["score"], entry["experiments"], entry["attribute_sets"]) == (27.5, 3, 2)
    assert (entry["score_low"], entry["score_high"], entry["score_deviation"]) == (25.0, 27.5, 0.0)
    assert Study(rows).ranking("t")[0]["score"] == 40.0
    with pytest.raises(UnknownNameError, match="attribute set"):
        Study(rows).ranking("u")


def test_who_failed_on_a_set_comes_last_and_is_never_the_best():
    rows = (
        row(0, "a", 1.0), row(1, "b", 9.0), row(2, "c", 9.0), row(3, "d", 8.0, error="no"),
        row(4, "a", 1.0, of="t", error="no"), row(5, "b", 9.0, of="t"), row(6, "c", 9.0, of="t"),
    )  # fmt: skip
    study = Study(rows)
    assert [entry["label"] for entry in study.ranking()] == ["b", "c", "a"]
    assert [entry["like_best"] for entry in study.ranking()] == [True, True, True]
    assert study.best()["label"] == "b"
    assert [entry["label"] for entry in study.front()] == ["b"]
    assert (len(study), study.attribute_sets, [one["candidate"] for one in study.failures]) == (
        7,
        ("s", "t"),
        ["d", "a"],
    )
    assert repr(study) == "Study(7 experiments, 2 failed)"
    assert repr(Study(rows[:2], complete=False)) == "Study(2 experiments, not complete)"


def test_ranges_that_overlap_may_be_chance():
    rows = (row(0, "a", 10.0), row(1, "a", 12.0, repetition=1), row(2, "b", 12.0), row(3, "c", 12.5))
    assert [(entry["label"], entry["like_best"]) for entry in Study(rows).ranking()] == [
        ("a", True), ("b", True), ("c", False),
    ]  # fmt: skip


def test_the_front_and_the_best_under_a_ceiling():
    points = {"a": (10.0, 50.0), "b": (20.0, 30.0), "c": (20.0, 40.0), "d": (30.0, 30.0), "e": (40.0, 20.0)}
    study = Study(tuple(row(n, label, (r + x) / 2, risk=r, loss=x) for n, (label, (r, x)) in enumerate(points.items())))
    assert [entry["label"] for entry in study.front()] == ["a", "b", "e"]
    assert study.best()["label"] == "b"
    assert study.best(risk_at_most=20)["label"] == "b"
    assert study.best(risk_at_most=19.9)["label"] == "a"
    assert study.best(loss_at_most=30)["label"] == "b"
    assert study.best(loss_at_most=29.9)["label"] == "e"
    with pytest.raises(DataError, match=r"No candidate has a risk of at most 9; the lowest is 10\.00"):
        study.best(risk_at_most=9)
    with pytest.raises(ParameterError, match="not both"):
        study.best(risk_at_most=9, loss_at_most=9)
    assert study.choose({"risk_at_most": 20}).entry["label"] == "b"
    page = study._repr_html_()
    assert page.count("●") == 3
    twins = Study((row(0, "b", 5.0, risk=5.0), row(1, "a", 5.0, risk=5.0), row(2, "c", 5.0, risk=4.0)))
    assert twins.best()["label"] == "c"


def test_studies_of_other_data_plans_or_scores_have_another_name(table):
    keys = {"all": table.schema.keys}
    one = plan([MDAV(k=3)], keys, 1, 1)
    name = fingerprint(table, one, [], None)
    assert name == fingerprint(table, plan([MDAV(k=3)], keys, 1, 1), [], Scoring())
    assert len(name) == 64
    others = {
        fingerprint(table.take(range(len(table) - 1)), one, []),
        fingerprint(table, plan([MDAV(k=4)], keys, 1, 1), []),
        fingerprint(table, plan([MDAV(k=3)], keys, 1, 2), []),
        fingerprint(table, plan([MDAV(k=3)], {"other": table.schema.keys}, 1, 1), []),
        fingerprint(table, one, measures_for(["il1s"], table.schema)),
        fingerprint(table, one, [], Scoring("mean")),
    }
    assert len(others | {name}) == 7


def test_measures_of_a_study_are_those_that_apply_or_those_asked_for(table):
    names = {one.name for one in measures_for(None, table.schema)}
    assert {"il1s", "distance-linkage"} <= names
    assert "ctbil" not in names
    assert [one.name for one in measures_for("il1s", table.schema)] == ["il1s"]
    mine = dc.IL1s()
    assert measures_for(mine, table.schema) == [mine]
    assert [one.name for one in measures_for([mine, "means"], table.schema)] == ["il1s", "means"]


def test_how_a_study_is_scored():
    limits = {"risk_at_most": 1, "smallest_group": 3, "loss_at_most": 2, "suda2_at_most": 4}
    found = scoring_of("x", "mean", [dc.Intruder("he", ("a",))], None, limits)
    assert found == Scoring("mean", (dc.Intruder("he", ("a",)),), True, ("smallest_group", "suda2_at_most"))
    assert scoring_of("x", "worst-case", (), []) == Scoring("worst-case", (), False, ())
    with pytest.raises(ParameterError, match="x: score must be one of worst-case, mean; got 'best'"):
        scoring_of("x", "best", (), None)


def test_unmasked_files_stand_beside_the_worst_case_alone(table):
    sets = {"one": table.schema.keys[:1], "all": table.schema.keys}
    found = unmasked_files(table, sets, Scoring())
    assert list(found) == ["one", "all"]
    assert found["one"]["risk"] <= found["all"]["risk"]
    assert unmasked_files(table, sets, Scoring("mean")) == {}


@pytest.mark.parametrize("keys", [[], "AGE"])
def test_a_set_is_a_list_of_keys(table, keys):
    with pytest.raises(ParameterError, match="x: the attribute set 's' must be a list of keys"):
        check_sets("x", {"s": keys}, table.schema)


def test_a_set_holds_keys_only(table):
    check_sets("x", {"s": table.schema.keys}, table.schema)
    stranger = next(name for name in table.names if name not in table.schema.keys)
    with pytest.raises(ParameterError, match=f"x: '{stranger}' of the attribute set 's' is no key"):
        check_sets("x", {"s": [table.schema.keys[0], stranger]}, table.schema)
