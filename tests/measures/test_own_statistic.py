"""Figures in words: how they are read, and what they are made of, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import CUTS, answer, blocks, joined, table

from discreet.errors import ParameterError
from discreet.measures import own_statistic
from discreet.measures.own_statistic import AGGREGATES, GroupSums, PublishedFigure, SumsOfGroups


def read(text):
    figure = PublishedFigure(text, "Test")
    inner = [(kind, None if formula is None else formula.text) for kind, formula in figure.inner]
    where = None if figure.where is None else figure.where.text
    return inner, figure.whole.text, figure.groups, where, figure.names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("count()", ([("count", None)], "figure_0", (), None, ())),
        ("mean(x)", ([("mean", "x")], "figure_0", (), None, ("x",))),
        (
            "sum(x) / count() by s, t where y >= 1",
            ([("sum", "x"), ("count", None)], "figure_0 / figure_1", ("s", "t"), "y >= 1", ("x", "y")),
        ),
        # The other way round, with a single sign of equality, and words that stand in quotes.
        (
            "share(s = 'by where') where t = 'a' by  `my s`",
            ([("share", "s == 'by where'")], "figure_0", ("my s",), "t = 'a'", ("s", "t")),
        ),
        (
            "2 * sd(x + y) - var(`net pay`)",
            ([("sd", "x + y"), ("var", "`net pay`")], "2 * figure_0 - figure_1", (), None, ("x", "y", "net pay")),
        ),
        ("share(x <= 3)", ([("share", "x <= 3")], "figure_0", (), None, ("x",))),
        ("mean(x=3)", ([("mean", "x == 3")], "figure_0", (), None, ("x",))),
        ("abs(mean(x))", ([("mean", "x")], "abs(figure_0)", (), None, ("x",))),
    ],
)
def test_a_figure_is_read(text, expected):
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "x", "", "3", "mean()", "mean(x, y)", "count(x)", "mean(**x)", "mean(x, **y)", "mean(x",
        "mean(x) + y", "mean(x) by s by t",
        "mean(x) where y > 1 where y < 3", "mean(x) by s where y > 1 by t", "figure_0 + mean(x) + figure_1",
    ],
)  # fmt: skip
def test_what_is_no_figure_is_refused_and_quoted(text):
    with pytest.raises(ParameterError) as caught:
        PublishedFigure(text, "Test")
    assert caught.value.message == f"Test: {text!r} is no statistic."
    assert "mean(income) by region" in caught.value.hint


@pytest.mark.parametrize(("length", "shown"), [(80, "y" * 80), (81, "y" * 77 + "...")])
def test_a_long_text_is_quoted_in_part(length, shown):
    with pytest.raises(ParameterError) as caught:
        PublishedFigure("y" * length, "Test")
    assert caught.value.message == f"Test: {shown!r} is no statistic."


def test_figures_from_sums():
    # Two groups, the second of which is empty: weight 4, mean 2.5, squares 9.
    sums = np.array([[[4.0, 0.0], [2.5, 0.0], [9.0, 0.0]]])
    expected = {"count": 4, "sum": 10, "mean": 2.5, "share": 2.5, "var": 2.25, "sd": 1.5}
    assert tuple(expected) == AGGREGATES
    for kind, value in expected.items():
        found = PublishedFigure(f"{kind}({'' if kind == 'count' else 'x'})", "Test").figures(sums)
        assert found[0] == value
        assert found[1] == 0 if kind in ("count", "sum") else np.isnan(found[1])
    both = PublishedFigure("sum(x) / count()", "Test").figures(np.concatenate([sums, 2 * sums]))
    assert both[0] == 10 / 8


def asked(text, *, weight=None):
    figure = PublishedFigure(text, "Test")
    return SumsOfGroups(figure, tuple(joined(name) for name in figure.groups), weight)


# x before 1 2 3 – 5 6 and after 1 2 4 4 – 6; y before 1 0 2 1 2 0 and after 1 1 2 1 2 0; s before a b a – b a and after
# a c a a – a; t before b b a a b a and after b b a b b a; weights 1 2 1 2 1 3.


@pytest.mark.parametrize("cut", CUTS)
def test_sums_of_groups_by_hand(cut):
    question = asked("mean(x) by s")
    assert (question.names, question.original, question.released) == (("x", "s"), ("x", "s"), ("x", "s"))
    found = answer(question, blocks(cut))
    assert found.sums.shape == (2, 1, 3, 4)
    # a, b, c and the missing value: 1 3 6 and 2 5 before; 1 4 4 6 and 2 after, of c.
    assert found.sums[0, 0, 0].tolist() == [3, 2, 0, 0]
    assert found.sums[0, 0, 1] == pytest.approx([10 / 3, 3.5, 0, 0])
    assert found.sums[0, 0, 2] == pytest.approx([38 / 3, 4.5, 0, 0])
    assert found.sums[1, 0, 0].tolist() == [4, 0, 1, 0]
    assert found.sums[1, 0, 1] == pytest.approx([3.75, 0, 2, 0])
    assert found.sums[1, 0, 2] == pytest.approx([12.75, 0, 0, 0])
    assert found.records.tolist() == [[3, 2, 0, 1], [4, 0, 1, 1]]


@pytest.mark.parametrize("cut", CUTS)
def test_weights_conditions_and_several_columns(cut):
    question = asked("sum(x * y) / count() by s, t where y > 0", weight="w")
    assert question.original == ("x", "y", "s", "t", "w")
    found = answer(question, blocks(cut))
    # Before: ab 1, aa 6, –a (no x), bb 10; after: ab 1, cb 2, aa 8, ab 4, –b (no x).
    first = {(0, 1): (1, 1), (0, 0): (1, 6), (1, 1): (1, 10)}
    second = {(0, 1): (3, 3), (2, 1): (2, 2), (0, 0): (1, 8)}
    for side, cells in enumerate((first, second)):
        weight, mean = found.sums[side, 0, 0].reshape(4, 4), found.sums[side, 0, 1].reshape(4, 4)
        assert {(i, j): (weight[i, j], mean[i, j]) for i, j in np.argwhere(weight).tolist()} == cells
    counted = found.sums[0, 1, 0].reshape(4, 4)
    assert {(i, j): counted[i, j] for i, j in np.argwhere(counted).tolist()} == {
        (0, 1): 1, (0, 0): 1, (3, 0): 2, (1, 1): 1,
    }  # fmt: skip
    assert found.records.sum(axis=1).tolist() == [4, 5]
    assert answer(asked("count()", weight="w"), blocks(cut)).sums[:, 0, 0].tolist() == [[10], [10]]
    assert answer(asked("count()"), blocks(cut)).sums[:, 0, 0].tolist() == [[6], [6]]


@pytest.mark.parametrize("cut", CUTS)
def test_a_condition_that_cannot_be_told_does_not_hold(cut):
    found = answer(asked("count() where x < 4"), blocks(cut))
    assert found.records.tolist() == [[3], [2]]
    shares = answer(asked("share(x < 4)"), blocks(cut))
    assert shares.sums[0, 0].ravel() == pytest.approx([5, 3 / 5, 5 * 0.24])
    assert shares.sums[1, 0].ravel() == pytest.approx([5, 2 / 5, 5 * 0.24])
    assert shares.records.tolist() == [[6], [6]]


def test_a_part_without_records_adds_nothing():
    none = GroupSums(np.zeros((2, 1, 3, 1)), np.zeros((2, 1), dtype=np.int64))
    some = GroupSums(np.array([[[[2.0], [5.0], [8.0]]]] * 2), np.array([[2], [3]]))
    for both in (none.merge(some), some.merge(none)):
        assert both.sums.tolist() == some.sums.tolist()
        assert both.records.tolist() == [[2], [3]]
    assert not none.merge(none).sums.any()
    # Means 5 and 8 of weight 2 and 4: 7, and squares 8 + 1 + 2 · 4/6 · 3².
    other = GroupSums(np.array([[[[4.0], [8.0], [1.0]]]] * 2), np.array([[4], [4]]))
    assert some.merge(other).sums[0, 0].ravel() == pytest.approx([6, 7, 21])
    assert some.merge(other).records.tolist() == [[6], [7]]


def test_as_many_groups_as_are_compared_and_not_one_more(monkeypatch):
    monkeypatch.setattr(own_statistic, "_MOST_GROUPS", 16)
    assert answer(asked("count() by s, t"), blocks((6,))).records.shape == (2, 16)
    monkeypatch.setattr(own_statistic, "_MOST_GROUPS", 15)
    with pytest.raises(ParameterError) as caught:
        answer(asked("count() by s, t"), blocks((6,)))
    assert caught.value.message == "Test: 2 columns after by make 16 groups, and up to 15 are compared."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mean(x) where y", "Test: what follows where must be a condition."),
        ("mean('a')", "Test: \"'a'\" has no number."),
    ],
)
def test_what_is_no_condition_or_no_number_is_refused(text, message):
    with pytest.raises(ParameterError) as caught:
        answer(asked(text), blocks((6,)))
    assert caught.value.message == message


def test_numbers_that_are_not_finite_are_left_out():
    data = table(x=[1.0, 2.0, 4.0], y=[1.0, 0.0, 2.0])
    found = answer(asked("mean(x / y)"), blocks((3,), data, data))
    assert found.sums[0, 0].ravel().tolist() == [2, 1.5, 0.5]
