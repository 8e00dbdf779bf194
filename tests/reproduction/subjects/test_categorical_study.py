"""Torra (2004): the plan has the paper's size, and its tables and conclusions come out of rows as they should."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace as Namespace

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


# ------------------------------------------------------------------------------- tables of rows made by hand

OTHERS = {
    "bottom-coding": (50, 50, 50, 50, 50),
    "top-coding": (51, 51, 51, 51, 51),
    "global-recoding": (52, 52, 52, 52, 52),
    "rank-swapping": (11, 60, 31.5, 6, 70),
    "pram": (55, 19, 56, 57, 35),
}
MICRO = (10, 20, 30, 5, 40)
"""Scores of the best on p, z, m, o and g; the next is a quarter higher, and of microaggregations there are five."""


def made():
    """Rows of a study, the last first; what failed is the best of all."""
    rows = []

    def add(method, name, score, **parameters):
        rows.append({
            "experiment": len(rows), "error": None, "method": method, "attribute_set": name, "score": score,
            "candidate": f"{method} {len(rows)}", "risk": score + 1, "loss": score + 2,
            **{f"parameter_{key}": value for key, value in parameters.items()},
        })  # fmt: skip

    for at, name in enumerate("pzmog"):
        for place in range(5):
            add(
                "kmodes", name, MICRO[at] + 0.1 * place,
                prototype=["random", "random", "random", "median", "mode"][place],
                convex=place < 2, n_vars={"o": 2, "g": 8}.get(name, 9), k=9 if name == "p" else 8,
                alpha=(0.6, 0.6, 1.6, 1.6, 2.0)[place],
            )  # fmt: skip
        for method, scores in OTHERS.items():
            for place in range(2):
                parameter = {"theta": 0.3 + 0.4 * place} if method == "pram" else {"p": 3.0 + place}
                add(method, name, scores[at] + 0.25 * place, **parameter)
    rows.append({"experiment": len(rows), "error": "k", "method": "kmodes", "attribute_set": "p", "score": 0.0})
    return rows[::-1]


RANKED = categorical_study._ranked(made())
FIRST = {"p": 8, "z": 17, "m": 22, "o": 1, "g": 31}
"""Where the best microaggregation of each set stands among all 75."""


def test_ranks_are_of_all_that_worked_and_ties_go_to_the_lower_number():
    assert [row["rank"] for row in RANKED] == list(range(1, 76))
    assert all(row["error"] is None for row in RANKED)
    assert [row["score"] for row in RANKED] == sorted(row["score"] for row in RANKED)
    tied = [(row["method"], row["attribute_set"]) for row in RANKED if row["score"] == 50]
    assert tied == [("bottom-coding", name) for name in "pzmog"]
    assert {name: categorical_study._of(RANKED, "kmodes", name)[0]["rank"] for name in "pzmog"} == FIRST


def test_table_2_is_the_five_best_of_every_set():
    table = categorical_study._table_2(RANKED)
    assert table.title == "The five best microaggregations of every set; ranks among 75 experiments"
    found = {row.label: [cell.ours for cell in row.cells] for row in table.rows}
    letters = [["F", "T", "T"], ["F", "T", "T"], ["F", "T", "F"], ["F", "F", "F"], ["T", "–", "F"]]
    expected = {}
    for at, name in enumerate("pzmog"):
        for place in range(5):
            n_vars, k = {"o": "2", "g": "8"}.get(name, "9"), "9" if name == "p" else "8"
            alpha, score = ("0.6", "0.6", "1.6", "1.6", "2.0")[place], f"{MICRO[at] + 0.1 * place:.2f}"
            expected[f"{name} {place + 1}"] = [*letters[place], n_vars, k, alpha, str(FIRST[name] + place), score]
    assert found == expected
    printed = [tuple(cell.printed for cell in row.cells[:7]) for row in table.rows]
    assert printed == [line for name in "pzmog" for line in categorical_study.TABLE_2[name]]
    assert (table.name, table.corner, table.data) == ("Table 2", "set", categorical_study.STAND_IN)
    assert len(table.columns) == 8


def test_table_3_is_the_two_best_of_every_other_method():
    table = categorical_study._table_3(RANKED)
    ranks = {
        "B": ((36, 37, 38, 39, 40), (41, 42, 43, 44, 45)),
        "T": ((46, 47, 48, 49, 50), (51, 52, 53, 54, 55)),
        "G": ((56, 57, 58, 59, 60), (61, 62, 63, 64, 65)),
        "R": ((13, 72, 27, 6, 74), (14, 73, 28, 7, 75)),
        "P": ((66, 15, 68, 70, 29), (67, 16, 69, 71, 30)),
    }
    best = {**dict.fromkeys("BTGR", ("3", "4")), "P": ("3", "7")}
    found = [(row.label, [cell.ours for cell in row.cells]) for row in table.rows]
    assert found == [
        (letter, [text for rank in ranks[letter][place] for text in (best[letter][place], str(rank))])
        for letter in "BTGRP"
        for place in range(2)
    ]
    printed = [[int(cell.printed) for cell in row.cells] for row in table.rows]
    assert printed == [list(categorical_study.TABLE_3[letter][place]) for letter in "BTGRP" for place in range(2)]
    assert table.columns == (
        "P(p)",
        "Rank(p)",
        "P(z)",
        "Rank(z)",
        "P(m)",
        "Rank(m)",
        "P(o)",
        "Rank(o)",
        "P(g)",
        "Rank(g)",
    )
    assert (table.name, table.corner) == ("Table 3", "method")


CONCLUSIONS = {
    "Microaggregation is best on p": "holds: 10.00 against 11.00 (rank-swapping)",
    "Microaggregation is best on z": "does not hold: 20.00 against 19.00 (pram)",
    "Microaggregation is best on m": "holds: 30.00 against 31.50 (rank-swapping)",
    "Microaggregation is best on o": "holds: 5.00 against 6.00 (rank-swapping)",
    "PRAM is best on g": "holds: pram 35.0, kmodes 40.0, bottom-coding 50.0, top-coding 51.0, global-recoding 52.0, "
    "rank-swapping 70.0",
    "Rank swapping is second best on p": "holds: place 2 of 6",
    "Rank swapping is second best on m": "holds: place 2 of 6",
    "Rank swapping is second best on o": "holds: place 2 of 6",
    "Rank swapping is third or worse on z": "holds: place 6 of 6",
    "Rank swapping is third or worse on g": "holds: place 6 of 6",
    "Best five: Mode? = F (24 of 25)": "holds: 20 of 25",
    "Best five: Random? = T (23 of 25)": "holds: 15 of 25",
    "Best five: Convex? = F (15 of 25)": "holds: 15 of 25",
    "Best five: a large NVar, the whole set at once (25 of 25)": "holds: 20 of 25",
    "Best five: most frequent NVar = 9": "holds: most frequent: 9, 15 times",
    "Best five: most frequent K = 9": "does not hold: most frequent: 8, 20 times",
    "Best five: most frequent α = 0.6": "holds: most frequent: 0.6, 1.6, 10 times",
    "Over all sets, the best of o rank first, those of g last": "holds: o 1, p 8, z 17, m 22, g 31",
}


def test_every_conclusion_is_checked_with_its_figures():
    table = categorical_study._conclusions(RANKED)
    assert {row.label: row.cells[0].ours for row in table.rows} == CONCLUSIONS
    assert {row.cells[0].printed for row in table.rows} == {"holds"}
    assert (table.name, table.columns, table.corner) == ("Conclusions", ("verdict",), "conclusion")


@pytest.mark.parametrize(
    ("change", "label", "verdict"),
    [
        # As good is not better; the second best of others does not count.
        ({("kmodes", "p"): 1.0}, "Microaggregation is best on p", "does not hold: 11.00 against 11.00 (rank-swapping)"),
        ({("rank-swapping", "z"): -40.5}, "Rank swapping is third or worse on z",
         "does not hold: place 2 of 6"),
        ({("rank-swapping", "z"): -39.5}, "Rank swapping is third or worse on z", "holds: place 3 of 6"),
        ({("rank-swapping", "p"): 39.5}, "Rank swapping is second best on p", "does not hold: place 3 of 6"),
        ({("rank-swapping", "p"): -5.0}, "Rank swapping is second best on p", "does not hold: place 1 of 6"),
        ({("pram", "g"): 15.5}, "PRAM is best on g",
         CONCLUSIONS["PRAM is best on g"].replace("holds: pram 35.0, kmodes", "does not hold: kmodes")
         .replace("bottom-coding 50.0", "bottom-coding 50.0, pram 50.5")),
        ({("kmodes", "p"): -9.0}, "Over all sets, the best of o rank first, those of g last",
         "does not hold: p 1, o 6, z 17, m 22, g 31"),
        ({("kmodes", "m"): 15.0}, "Over all sets, the best of o rank first, those of g last",
         "does not hold: o 1, p 8, z 17, g 26, m 31"),
    ],
)  # fmt: skip
def test_a_conclusion_falls_where_its_rows_do(change, label, verdict):
    rows = [{**row, "score": row["score"] + change.get((row["method"], row["attribute_set"]), 0)} for row in made()]
    table = categorical_study._conclusions(categorical_study._ranked(rows))
    assert {row.label: row.cells[0].ours for row in table.rows}[label] == verdict


def test_half_of_the_best_is_not_most_of_them():
    # Twelve of 24 are no majority: one set has four microaggregations only.
    rows = [row for row in RANKED if (row["method"], row["attribute_set"], row["score"]) != ("kmodes", "g", 40.4)]
    changed, count = [], 0
    for row in rows:
        convex = row.get("parameter_convex")
        if row["method"] == "kmodes":
            count += 1
            convex = count > 12
        changed.append({**row, "parameter_convex": convex})
    found = {row.label: row.cells[0].ours for row in categorical_study._conclusions(changed).rows}
    assert found["Best five: Convex? = F (15 of 25)"] == "does not hold: 12 of 24"


@pytest.mark.parametrize(
    ("most", "begin"), [(74, "The best of 4,860"), (75, "From a sample of 75 experiments; --full")]
)
def test_a_sample_is_called_one(monkeypatch, most, begin):
    monkeypatch.setattr(categorical_study, "_SAMPLE", most)
    note = categorical_study._conclusions(RANKED).note
    assert note.startswith(begin)
    assert note.endswith("The next table has means over seeds.")


def test_ours_stand_beside_the_best_of_the_paper():
    own = {"method": "balanced-kmodes", "experiments": 1, "score": 9.5, "score_low": 1, "score_high": 2}
    worse = {**own, "score": 19.5}
    swapped = {"method": "rank-swapping", "experiments": 5, "score": 12.346, "score_low": 11, "score_high": 13}
    ours = Namespace(ranking=lambda name: [swapped, {**own, "score": 9.5 + "pzmog".index(name)}, worse])
    table = categorical_study._best(RANKED, ours)
    assert [[row.label, *(cell.ours for cell in row.cells)] for row in table.rows] == [
        ["p", "10.00", "9.50", "12.35 (11.00–13.00)", "50.00 bottom-coding"],
        ["z", "20.00", "10.50", "12.35 (11.00–13.00)", "19.00 pram"],
        ["m", "30.00", "11.50", "12.35 (11.00–13.00)", "50.00 bottom-coding"],
        ["o", "5.00", "12.50", "12.35 (11.00–13.00)", "50.00 bottom-coding"],
        ["g", "40.00", "13.50", "12.35 (11.00–13.00)", "35.00 pram"],
    ]
    assert (table.name, table.corner, len(table.columns)) == ("Ours", "set", 4)


def test_the_two_best_of_every_method_and_set_are_drawn(monkeypatch):
    (figure,) = categorical_study.figures(Namespace(rows=made()))
    methods = ["kmodes", "bottom-coding", "top-coding", "global-recoding", "rank-swapping", "pram"]
    assert [point.group for point in figure.points] == [method for _ in "pzmog" for method in methods for _ in range(2)]
    assert [(point.label, point.x, point.y) for point in figure.points[:3]] == [
        ("kmodes 0, set p", 11, 12),
        ("kmodes 1, set p", pytest.approx(11.1), pytest.approx(12.1)),
        ("bottom-coding 5, set p", 51, 52),
    ]
    monkeypatch.setattr(categorical_study, "run", lambda: Namespace(rows=made()))
    assert categorical_study.figures() == [figure]


def test_tables_run_what_they_are_not_given(monkeypatch):
    asked = []
    own = {"method": "balanced-kmodes", "experiments": 1, "score": 9.5}
    ours = Namespace(ranking=lambda _: [own, {**own, "method": "rank-swapping"}])
    study = Namespace(rows=made())
    monkeypatch.setattr(categorical_study, "run", lambda *values, **options: asked.append((values, options)) or study)
    monkeypatch.setattr(categorical_study, "run_ours", lambda **options: asked.append(options) or ours)
    found = categorical_study.tables(full=True, store="rows.csv", resume=True)
    assert [table.name for table in found] == ["Table 2", "Table 3", "Conclusions", "Ours"]
    assert asked == [((True,), {"store": "rows.csv", "resume": True}), {"full": True}]
    assert categorical_study.tables(study=study, ours=ours) == found
    assert len(asked) == 2


def test_the_study_is_run_on_every_set_with_the_papers_mean(monkeypatch):
    asked = []
    monkeypatch.setattr(categorical_study, "survey", lambda: "survey")
    monkeypatch.setattr(categorical_study, "measures", lambda: "measures")
    monkeypatch.setattr(
        categorical_study,
        "compare",
        lambda *values, **options: asked.append((values, options)) or Study((), score="mean"),
    )
    categorical_study.run(random_state=3, workers=2, store="rows.csv", resume=True)
    ((data, plan), options) = asked.pop()
    assert (data, len(plan)) == ("survey", 97)
    assert options == {
        "attribute_sets": categorical_study.SETS, "measures": "measures", "score": "mean", "random_state": 3,
        "workers": 2, "store": "rows.csv", "resume": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("full", "ks", "ps"), [(False, [4, 8], [5, 9]), (True, [3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 5, 6, 7, 8, 9])]
)
def test_our_own_are_run_once_and_rank_swapping_with_five_seeds(monkeypatch, full, ks, ps):
    asked = []

    def compare(data, plan, **options):
        asked.append((data, [(one.name, getattr(one, "k", None) or one.p) for one in plan], options))
        return Namespace(complete=len(asked) != 4, rows=[{"run": len(asked)}])

    monkeypatch.setattr(categorical_study, "survey", lambda: "survey")
    monkeypatch.setattr(categorical_study, "measures", lambda: "measures")
    monkeypatch.setattr(categorical_study, "compare", compare)
    study = categorical_study.run_ours(full=full, random_state=3, workers=2)
    assert (study.rows, study.score) == (({"run": 1}, {"run": 2}), "mean")
    same = {"attribute_sets": categorical_study.SETS, "measures": "measures", "score": "mean", "random_state": 3,
            "workers": 2}  # fmt: skip
    assert asked == [
        ("survey", [("balanced-kmodes", k) for k in ks], {**same, "repetitions": 1}),
        ("survey", [("rank-swapping", p) for p in ps], {**same, "repetitions": 5}),
    ]
    with pytest.raises(KeyboardInterrupt):  # the second half of it was stopped
        categorical_study.run_ours(full=full)


def test_a_sample_of_the_parameters_is_spread_over_them():
    plan = categorical_study.candidates(full=False)
    assert Counter(masker.name for masker in plan) == {
        "kmodes": 72, "top-coding": 5, "bottom-coding": 5, "global-recoding": 5, "rank-swapping": 5, "pram": 5,
    }  # fmt: skip
    micro = {(one.prototype, one.convex, one.n_vars, one.k, one.alpha) for one in plan if one.name == "kmodes"}
    assert micro == {
        (prototype, convex, n_vars, k, alpha)
        for prototype in ("median", "random", "mode")
        for convex in (True, False)
        for n_vars in (4, 9)
        for k in (3, 6, 9)
        for alpha in (0.6, 1.6)
    }
    assert [(one.name, one.p) for one in plan[72:76]] == [
        ("bottom-coding", 1), ("top-coding", 1), ("global-recoding", 1), ("rank-swapping", 1),
    ]  # fmt: skip
    assert [one.theta for one in plan if one.name == "pram"] == [0.1, 0.3, 0.5, 0.7, 0.9]
    assert not any(one.weighted for one in plan if one.name in {"kmodes", "global-recoding", "pram"})
    assert not any(one.semantics for one in plan if one.name == "kmodes")


def test_the_survey_has_the_eleven_attributes_of_table_1():
    data = categorical_study.survey(50)
    assert set(data.names) == {name for names in categorical_study.SETS.values() for name in names}
    assert len(data) == 50


def test_the_score_is_of_the_papers_losses_and_both_linkages():
    found = categorical_study.measures()
    assert [one.name for one in found] == [
        "dist", "ctbil", "actbil", "ebil", "il", "distance-linkage", "probabilistic-linkage",
    ]  # fmt: skip
    by_distance, by_agreement = found[-2:]
    assert (by_distance.direction, by_distance.metric) == ("release", "manhattan")
    assert (by_agreement.direction, by_agreement.worst_case) == ("release", False)
