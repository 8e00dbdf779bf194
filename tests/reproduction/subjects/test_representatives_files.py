"""Torra and Nin (2008), Tables V to VIII: what is made of the links that were counted."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace as Namespace

import numpy as np
import pytest
from scipy.stats import norm, t

from discreet.reproduction.subjects import representatives_files
from discreet.reproduction.subjects.representatives_files import EXECUTIONS, PRINTED, RECORDS, UNTABLED

ABSENT = Namespace(find=lambda _: None, needs=lambda name: f"needs {name}")
THERE = Namespace(find=Path)
LABELS = ["N1 DBRL", "N1 PRL", "N2 DBRL", "N2 PRL"]


def test_halves_of_the_same_records_are_drawn_and_it_is_known_who_is_who():
    first = np.arange(40.0).reshape(20, 2)
    a, b, truth = representatives_files.draw((first, 10 * first), 12, np.random.default_rng(3))
    assert a.shape == b.shape == (12, 2)
    assert len(np.unique(a[:, 0])) == 12, "nobody twice"
    assert np.array_equal(b, 10 * a[truth])
    assert not np.array_equal(truth, np.arange(12))
    assert (a[:, 1] == a[:, 0] + 1).all()


def test_the_executions_of_a_full_run_are_eight_times_as_many(monkeypatch):
    asked = []
    for name in ("_table", "_untabled", "_baselines"):
        monkeypatch.setattr(
            representatives_files, name, lambda *values, name=name: asked.append((name, *values[1:])) or name
        )
    assert representatives_files.tables(ABSENT) == ["_table"] * 4 + ["_untabled", "_baselines"]
    assert asked == [*(("_table", name, 25) for name in PRINTED), ("_untabled", 5), ("_baselines", 25)]
    asked.clear()
    representatives_files.tables(ABSENT, full=True)
    assert asked == [*(("_table", name, 200) for name in PRINTED), ("_untabled", 40), ("_baselines", 200)]


def test_every_method_and_family_links_every_draw(monkeypatch):
    parts = (np.random.default_rng(1).normal(size=(150, 2)), np.random.default_rng(2).normal(size=(150, 3)))
    asked = []

    class Links:
        def __init__(self, name):
            self.name = name

        def link(self, first, second):
            assert (len(first), len(second)) == (RECORDS, RECORDS)
            assert (list(first.names), list(second.names)) == (["a0", "a1"], ["b0", "b1", "b2"])
            return self

        def evaluate(self, truth):
            assert sorted(truth) == list(range(RECORDS))
            asked.append((self.name, int(truth[0])))
            return Namespace(expected=len(asked))

    monkeypatch.setattr(representatives_files, "linker", lambda *how: Links(how))
    monkeypatch.setattr(representatives_files, "StructuralLinkage", lambda: Links("structural"))
    links, structural = representatives_files.correct_links(parts, 2)
    families = representatives_files.FAMILIES
    one_run = [
        (family, scaling, how)
        for scaling, how in (("ranging", "DBRL"), ("ranging", "PRL"), ("standard", "DBRL"), ("standard", "PRL"))
        for family in families
    ]
    assert [name for name, _ in asked] == 2 * [*one_run, "structural"]
    assert links.tolist() == [
        np.arange(1, 25).reshape(4, 6).tolist(),
        np.arange(26, 50).reshape(4, 6).tolist(),
    ]
    assert structural.tolist() == [25, 50]
    again = representatives_files.draw(parts, RECORDS, np.random.default_rng(0))[2]
    assert asked[0][1] == again[0], "draws begin with a seed"
    assert representatives_files.correct_links(parts, 1)[0].shape == (1, 4, 6)


@pytest.mark.parametrize("how", ["DBRL", "PRL"])
def test_a_cell_has_the_spread_of_both_means(how):
    matches = np.array([18.0, 19.0, 20.0, 19.0])
    cell = representatives_files._cell(18.0, matches, how)
    spread = np.sqrt(2 / 3)  # squares of −1, 0, 1, 0 by three
    error = np.sqrt(spread**2 / 4 + spread**2 / 10)
    assert (cell.printed, cell.ours, cell.verdict) == ("18.0", "19.0 ± 0.4", "sampling")
    assert cell.difference == 1.0
    assert cell.error == pytest.approx(error)
    assert cell.z == pytest.approx(norm.isf(t.sf(1 / error, 3)))
    own = representatives_files._own(matches)
    assert (own.ours, own.printed) == ("19.0 ± 0.4", "")
    assert own.error == pytest.approx(spread / 2)


def found(printed, executions):
    """Links that are one more and one less than printed by turns, and links of ours."""
    turns = np.where(np.arange(executions) % 2, -1.0, 1.0)
    return np.asarray(printed)[None] + turns[:, None, None], 30 + turns


def test_a_table_stands_beside_the_printed_one(monkeypatch):
    monkeypatch.setattr(representatives_files, "halves", lambda data, name: (data, name))
    asked = []

    def counted(parts, executions):
        asked.append((parts, executions))
        return found(PRINTED["wdbc"], executions)

    monkeypatch.setattr(representatives_files, "correct_links", counted)
    table = representatives_files._table(THERE, "wdbc", 4)
    assert asked == [((THERE, "wdbc"), 4)]
    assert (table.name, table.title) == ("Table VIII", "Average number of re-identified records, wdbc")
    assert table.columns == ("OWA Q^e", "OWA Q^s", "OWA Q^t", "SI Q^e", "SI Q^s", "SI Q^t", "ours: structural")
    assert [row.label for row in table.rows] == LABELS
    for place, row in enumerate(table.rows):
        assert [cell.printed for cell in row.cells[:6]] == [f"{one:.1f}" for one in PRINTED["wdbc"][place]]
        assert [cell.ours for cell in row.cells[:6]] == [f"{one:.1f} ± 0.6" for one in PRINTED["wdbc"][place]]
        assert [cell is None for cell in row.cells[6:]] == [place > 0]
    assert table.rows[0].cells[6].ours == "30.0 ± 0.6"
    assert table.note == (
        f"Mean ± standard error over 4 executions of {RECORDS} records; {EXECUTIONS} are printed. z counts the spread "
        "of both. Most links in one execution: 19 by representatives, 31 by ours. " + representatives_files._ORDER
    )


def test_only_links_by_agreement_have_a_known_reason(monkeypatch):
    monkeypatch.setattr(representatives_files, "halves", lambda data, name: (data, name))
    monkeypatch.setattr(representatives_files, "correct_links", lambda _, n: found(np.full((4, 6), 90.0), n))
    table = representatives_files._table(THERE, "abalone", 40)
    known = [{"bounds" in cell.reason for cell in row.cells[:6]} for row in table.rows]
    assert known == [{False}, {True}, {False}, {True}]


def test_tables_of_absent_files_have_their_figures_and_what_is_needed():
    table = representatives_files._table(ABSENT, "abalone", 4)
    assert (table.name, table.title) == ("Table V", "Average number of re-identified records, abalone")
    assert len(table.columns) == 7
    for row, label, printed in zip(table.rows, LABELS, PRINTED["abalone"], strict=True):
        assert row.label == label
        assert [cell and (cell.printed, cell.reason, cell.verdict) for cell in row.cells] == [
            *((f"{one:.1f}", "needs abalone", "not run") for one in printed),
            None,
        ]


def test_files_without_a_table_are_summed_up(monkeypatch):
    present = Namespace(find=lambda name: None if name == "housing" else Path(name), needs=lambda name: f"needs {name}")
    monkeypatch.setattr(representatives_files, "halves", lambda _, name: name)
    # By method and family 1 … 24; a run finds one more, the next one less.
    monkeypatch.setattr(representatives_files, "correct_links", lambda _, n: found(np.arange(1.0, 25).reshape(4, 6), n))
    table = representatives_files._untabled(present, 2)
    labels = [f"{name} {label}" for name in UNTABLED if name != "housing" for label in LABELS]
    assert [row.label for row in table.rows] == [*labels[:8], "housing", *labels[8:]]
    absent = table.rows[8]
    assert [cell and (cell.printed, cell.reason) for cell in absent.cells] == [("", "needs housing")] * 6 + [None]
    assert [cell and cell.ours for cell in table.rows[0].cells] == [f"{i}.0 ± 1.0" for i in range(1, 7)] + [
        "30.0 ± 1.0"
    ]
    assert [cell and cell.ours for cell in table.rows[3].cells] == [f"{i}.0 ± 1.0" for i in range(19, 25)] + [None]
    ranges = "; ".join(f"{name} 1.0 to 24.0, at most 25 in one execution" for name in UNTABLED if name != "housing")
    assert table.note.endswith(f" housing gave poor results. Ours, 2 executions: {ranges}.")
    assert (table.name, len(table.columns)) == ("Section 4.4, other files", 7)
    none = representatives_files._untabled(ABSENT, 2)
    assert [row.label for row in none.rows] == list(UNTABLED)
    assert none.note.endswith("housing gave poor results.")


def test_rankings_of_the_census_are_held_against_the_one_run_that_is_printed(monkeypatch):
    parts = (np.random.default_rng(1).normal(size=(120, 2)), np.random.default_rng(2).normal(size=(120, 2)))
    monkeypatch.setattr(representatives_files, "halves", lambda _, name: {"census": parts}[name])
    counts = {"FirstComponentLinkage": iter([5.0, 7.0, 9.0]), "SumOfScoresLinkage": iter([2.0, 2.0, 2.0])}

    def ranking(name):
        def link(first, second):
            assert (len(first), len(second)) == (90, 90)
            assert (list(first.names), list(second.names)) == (["a0", "a1"], ["b0", "b1"])
            return Namespace(
                evaluate=lambda truth: Namespace(expected=next(counts[name]) if len(truth) == 90 else None)
            )

        return lambda: Namespace(link=link)

    for name in counts:
        monkeypatch.setattr(representatives_files, name, ranking(name))
    table = representatives_files._baselines(THERE, 3)
    assert [row.label for row in table.rows] == ["first principal component", "sum of z-scores"]
    first, second = (row.cells[0] for row in table.rows)
    assert (first.printed, first.ours, first.verdict) == ("5.0", "7.0 ± 1.2", "sampling")
    assert first.error == pytest.approx(np.sqrt(4 + 4 / 3))  # of one run, and of the mean of three
    assert first.z == pytest.approx(norm.isf(t.sf(2 / np.sqrt(4 + 4 / 3), 2)))
    assert (second.ours, second.verdict, second.z) == ("2.0 ± 0.0", "differs", -np.inf)
    assert (table.name, table.note) == ("Section 4.4", "One run is printed; ours is the mean of 3.")
    absent = representatives_files._baselines(ABSENT, 3)
    assert [(row.label, row.cells[0].printed, row.cells[0].reason) for row in absent.rows] == [
        ("first principal component", "5", "needs census"),
        ("sum of z-scores", "5", "needs census"),
    ]
    assert (absent.name, absent.title, absent.columns) == (table.name, table.title, table.columns)
