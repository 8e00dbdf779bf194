"""Torra (2004): the plan has the paper's size, and its tables and conclusions come out of rows as they should."""

from __future__ import annotations

from collections import Counter

import pytest

from discreet.errors import ParameterError
from discreet.evaluation.study import Study, compare
from discreet.masking.microaggregation.records.kmodes import KModes
from discreet.reproduction.subjects import categorical_study


def test_the_whole_study_has_24525_experiments():
    plan = categorical_study.candidates()
    assert len(plan) * len(categorical_study.SETS) == 24_525
    assert Counter(masker.name for masker in plan) == {
        "kmodes": 4860, "top-coding": 9, "bottom-coding": 9, "global-recoding": 9, "rank-swapping": 9, "pram": 9,
    }  # fmt: skip
    micro = [masker for masker in plan if masker.name == "kmodes"]
    assert {masker.k for masker in micro} == {masker.n_vars for masker in micro} == set(range(1, 10))
    assert sorted({masker.alpha for masker in micro}) == [0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0]
    assert all(masker.max_iter == 5 and masker.start == "random" for masker in micro)


def test_printed_tables_are_whole():
    printed = [line for lines in categorical_study.TABLE_2.values() for line in lines]
    assert len(printed) == 25
    # What the paper counts in its own table.
    assert sum(line[0] == "F" for line in printed) == 24
    assert sum(line[1] == "T" for line in printed) == 23
    assert sum(line[2] == "F" for line in printed) == 15
    assert all(len(line) == 10 for lines in categorical_study.TABLE_3.values() for line in lines)


def test_groups_of_one_are_for_the_papers_grid_alone():
    data = categorical_study.survey(60)
    categorical_study.PaperMicroaggregation(1, start="random", random_state=0).mask(data)
    with pytest.raises(ParameterError, match="k must be an integer of at least 2"):
        KModes(1).mask(data)


@pytest.fixture(scope="module")
def studies():
    few = [masker for masker in categorical_study.candidates(full=False) if masker.name != "kmodes" or masker.convex]
    data, measures = categorical_study.survey(120), categorical_study.measures()
    study = compare(data, few, attribute_sets=categorical_study.SETS, measures=measures, workers=1)
    ours = [masker for masker in few if masker.name == "rank-swapping"][:1]
    ours += [categorical_study.BalancedKModes(4, semantics=False)]
    return study, compare(
        data, ours, attribute_sets=categorical_study.SETS, measures=measures, repetitions=2, workers=1
    )


def test_tables_in_the_papers_layout(studies):
    study, ours = studies
    assert study.failures == ()
    second, third, conclusions, best = categorical_study.tables(study=study, ours=ours)
    assert len(second.rows) == 25
    assert [row.label for row in third.rows] == ["B", "B", "T", "T", "G", "G", "R", "R", "P", "P"]
    ranks = sorted(row["score"] for row in study.rows)
    cell = second.rows[0].cells[6]
    assert cell.printed == "1220"
    best_of_p = min(row["score"] for row in study.rows if row["attribute_set"] == "p" and row["method"] == "kmodes")
    assert int(cell.ours) == ranks.index(best_of_p) + 1
    assert second.rows[0].cells[7].ours == f"{best_of_p:.2f}"
    assert all(row.cells[0].ours.startswith(("holds: ", "does not hold: ")) for row in conclusions.rows)
    assert [row.label for row in best.rows] == ["p", "z", "m", "o", "g"]
    assert "–" in best.rows[0].cells[2].ours
    assert len(categorical_study.figures(study)[0].points) == 60


def test_a_conclusion_follows_from_the_rows(studies):
    """Rows in which PRAM is best on g make that conclusion hold, and nothing else about g."""
    study, ours = studies
    rows = [
        {**row, "score": 0.5} if (row["method"], row["attribute_set"]) == ("pram", "g") else row for row in study.rows
    ]
    found = {
        row.label: row.cells[0].ours for row in categorical_study.tables(study=Study(tuple(rows)), ours=ours)[2].rows
    }
    assert found["PRAM is best on g"].startswith("holds")
    usual = {row.label: row.cells[0].ours for row in categorical_study.tables(study=study, ours=ours)[2].rows}
    assert usual["PRAM is best on g"].startswith("does not hold")
    assert found["Microaggregation is best on p"] == usual["Microaggregation is best on p"]
