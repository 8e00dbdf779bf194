"""Operators against loss and risk on the same groups, and Figure 1 of P0."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from discreet.reproduction.public_files import DataFolder
from discreet.reproduction.subjects import operator_tradeoff
from discreet.reproduction.subjects.operator_tradeoff import OPERATORS, SIZES, Outcome, against_larger_groups

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def outcomes():
    return operator_tradeoff.study(DataFolder("nowhere"))


def test_the_mean_loses_least_of_all_operators_and_larger_groups_are_safer(outcomes):
    files = [found for found in outcomes.values() if found]
    assert len(files) == 2
    for found in files:
        for k in SIZES:
            assert min(OPERATORS, key=lambda label: found[label, k].loss) == "mean"
            assert all(found[label, k].risk <= 100 / k + 1e-9 for label in OPERATORS)
        for label in OPERATORS:
            losses = [found[label, k].loss for k in SIZES]
            assert losses == sorted(losses)


def test_with_as_much_loss_the_mean_is_found_least(outcomes):
    # What the page says: none of the cases that can be compared.
    assert [against_larger_groups(found) for found in outcomes.values() if found] == [(0, 8), (0, 8)]


def test_the_line_between_two_outcomes_is_what_others_are_held_against():
    mean = {("mean", k): Outcome(*one) for k, one in zip(SIZES, [(10, 40), (20, 20), (40, 10)], strict=True)}
    others = {("median", 3): Outcome(15, 29), ("median", 5): Outcome(30, 16), ("median", 10): Outcome(50, 1)}
    assert against_larger_groups({**mean, **others}) == (1, 2)  # 30 and 15 on the line; beyond it nothing is said


def test_a_file_that_is_absent_is_named(outcomes):
    tables = operator_tradeoff.tables(DataFolder("nowhere"), outcomes)
    assert [table.count("not run") for table in tables] == [0, 0, 30]
    assert [table.count("ours") for table in tables] == [30, 30, 0]
    assert "Beaten by no other in both figures: k = 3: mean" in tables[0].note


def test_figure_1_has_three_groups_of_three_or_five_and_four():
    fixed, variable = operator_tradeoff.group_figures()
    sizes = [sorted({point.group[-2] for point in figure.points}) for figure in (fixed, variable)]
    assert sizes == [["3"], ["4", "5"]]
    left = {point.group for point in variable.points if point.x < 4}
    assert len(left) == 1


def test_the_pictures_of_the_page_are_what_is_drawn():
    spec = importlib.util.spec_from_file_location("paper_pictures", DOCS / "paper_pictures.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for name, text in script.pictures().items():
        assert (DOCS / name).read_text(encoding="utf-8") == text
