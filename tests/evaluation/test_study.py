from __future__ import annotations

import json

import pytest

import discreet as dc
from discreet.errors import DataError, FileError, ParameterError
from discreet.evaluation.candidates import grid
from discreet.evaluation.study import Study, compare
from discreet.masking.microaggregation.mdav import MDAV
from discreet.masking.microaggregation.univariate import IndividualRanking
from discreet.progress import listening

MEASURES = ["il1s", "distance-linkage"]
CANDIDATES = grid(MDAV, k=[2, 4, 8]) + grid(IndividualRanking, k=[3, 9])


@pytest.fixture(scope="module")
def table():
    return dc.datasets.business(80)


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
    one, two = (compare(table, many, measures=MEASURES, workers=w) for w in (1, 2))
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
    assert without_time(second.rows) == without_time(compare(table, CANDIDATES, measures=MEASURES).rows)
    assert [r["seconds"] for r in second.rows[:2]] == [r["seconds"] for r in first.rows]
    assert all(json.loads(line) for line in path.read_text().splitlines())


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
