"""Pictures from tables whose bins, shares, correlations and steps can be counted by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.evaluation import pictures
from discreet.evaluation.pictures import flows, profile, relations, shares


def table(scale=None, role="key", **columns):
    return Microdata(
        pl.DataFrame(columns), Schema([Attribute(name, scale or Numeric(), role) for name in columns])
    )  # fmt: skip


def test_bins_reach_from_quantile_to_quantile_in_round_numbers_and_hold_everybody():
    x = np.arange(1.0, 1001.0)  # the 2 % and 98 % quantiles are 20.98 and 980.02
    (same,) = profile(table(x=x), table(x=x))
    assert (same.edges[0], same.edges[-1], len(same.edges)) == (21.0, 980.0, 25)
    # By hand: the first bin is [21, 60.958…), and holds 1 … 60.
    assert same.before[0] / 24 == pytest.approx(0.060)
    # Nobody is below 101 after: the first three bins, up to 140.875, are one.
    (one,) = profile(table(x=x), table(x=x + 100.0))
    assert len(one.edges) == 23
    widths = np.diff(one.edges) / (980.0 - 21.0)
    assert (one.before[0] * widths[0], one.after[0] * widths[0]) == pytest.approx((0.140, 0.040))
    assert (np.array(one.before) * widths).sum() == pytest.approx(1.0)
    assert (np.array(one.after) * widths).sum() == pytest.approx(1.0)
    assert (one.mean_before, one.mean_after) == (500.5, 600.5)
    # To be published, the ends are those of the release: 120.98 and 1080.02.
    (told,) = profile(table(x=x), table(x=x + 100.0), by_release=True)
    assert (told.edges[0], told.edges[-1]) == (120.0, 1100.0)


def test_bins_of_too_few_join_their_neighbours_and_the_last_one_takes_the_rest():
    x = np.repeat([0.0, 10.0, 24.0], [20, 3, 20])
    (one,) = profile(table(x=x), table(x=x))
    # The bin of 0 stands alone; the three at 10 wait for the twenty at the end.
    assert (one.edges[0], one.edges[-1], len(one.edges)) == (0.0, 24.0, 3)
    widths = np.diff(one.edges) / 24.0
    assert np.array(one.before) * widths == pytest.approx([20 / 43, 23 / 43])
    few = np.array([0.0, 24.0])
    (alone,) = profile(table(x=few), table(x=few))
    assert (len(alone.edges), alone.before) == (2, (1.0,))


def test_only_what_both_files_have_on_one_scale_is_drawn():
    both = table(x=[1.0, 2.0], y=[1.0, 2.0])
    assert [one.name for one in profile(both, table(y=[1.0, 2.0]))] == ["y"]
    assert profile(table(x=[1.0, 2.0], role="weight"), table(x=[1.0, 2.0])) == ()
    assert profile(both, table(Nominal(["a"]), x=["a", "a"])) == ()


def test_shares_show_twenty_levels_at_most_and_all_others_together():
    names = [f"l{j:02d}" for j in range(22)]
    values = [name for place, name in enumerate(names) for _ in range(60 - place)]
    (one,) = shares(table(Nominal(names), x=values), table(Nominal(names), x=values))
    assert one.levels == (*names[:20], "all others")
    n = len(values)
    assert one.before[0] == pytest.approx(100 * 60 / n)
    assert one.before[-1] == pytest.approx(100 * (40 + 39) / n)
    assert sum(one.after) == pytest.approx(100.0)


def test_a_level_must_be_frequent_in_both_files():
    scale = Nominal(["a", "b", "c"])
    before = table(scale, x=["a"] * 50 + ["b"] * 30 + ["c"] * 20)
    after = table(scale, x=["a"] * 50 + ["b"] * 46 + ["c"] * 4)
    (one,) = shares(before, after)
    # c is too rare after, and alone it would be the rest: b goes with it.
    assert (one.levels, one.before, one.after) == (("a", "all others"), (50.0, 50.0), (50.0, 50.0))


def test_correlations_say_where_they_changed_most():
    x = np.array([1.0, 2.0, 3.0, 4.0])
    before = table(x=x, y=x, z=[1.0, -1.0, -1.0, 1.0])  # 1 between x and y, 0 with z
    after = table(x=x, y=x[::-1].copy(), z=[1.0, -1.0, -1.0, 1.0])
    told = relations(before, after)
    assert told.before[0] == pytest.approx((1.0, 1.0, 0.0))
    assert told.change[0][1] == pytest.approx(-2.0)
    assert told.sentence == "Correlations changed by 0.667 on average, most between x and y: from 1.00 to -1.00."
    assert relations(before, before).sentence == "Correlations changed by 0.000 on average."
    assert relations(table(x=x), table(x=x)) is None


def test_of_many_numbers_the_first_24_are_shown():
    rng = np.random.default_rng(1)
    many = table(**{f"x{j:02d}": rng.normal(size=6) for j in range(25)})
    assert len(relations(many, many).names) == 24
    assert relations(many, many).sentence.endswith("These are the first 24 of 25 numbers.")
    some = table(**{f"x{j:02d}": rng.normal(size=6) for j in range(24)})
    assert relations(some, some).sentence == "Correlations changed by 0.000 on average."


def test_steps_are_shares_of_all_steps_and_those_of_few_records_none():
    scale = Sequence(["a", "b", "c"], delimiter=" ")
    before = table(scale, x=["a b"] * 6 + ["b a a"] * 2 + ["c"] * 2)
    (one,) = flows(before, before, smallest=3)
    # Ten steps: a→b six, b→a two and a→a two, by two records each; two hold c.
    assert one.events == ("a", "b")
    assert one.before == one.after == ((0.0, 60.0), (0.0, 0.0))
    (all_steps,) = flows(before, before, smallest=2)
    assert all_steps.events == ("a", "b", "c")
    assert all_steps.before == ((20.0, 60.0, 0.0), (20.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    other = table(Sequence(["a", "b"], delimiter=" "), x=["a b"] * 10)
    assert flows(before, other) == ()


# ------------------------------------------------------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    ("first", "second", "smallest", "joined"),
    [
        ([3, 3], [3, 3], 3, ([0, 1, 2], [3, 3], [3, 3])),
        ([3, 3], [3, 2], 3, ([0, 2], [6], [5])),
        ([1, 2, 3, 3], [3, 0, 3, 3], 3, ([0, 2, 3, 4], [3, 3, 3], [3, 3, 3])),
        ([3, 1, 1], [3, 1, 1], 3, ([0, 3], [5], [5])),
        ([1, 1], [1, 1], 3, ([0, 2], [2], [2])),
        ([2, 1, 4, 1], [5, 5, 5, 5], 3, ([0, 2, 4], [3, 5], [10, 10])),
    ],
)
def test_bins_that_are_too_small_are_joined(first, second, smallest, joined):
    edges = np.arange(len(first) + 1.0)
    found = pictures._joined(edges, np.array(first, dtype=float), np.array(second, dtype=float), smallest)
    assert tuple(one.tolist() for one in found) == joined


def test_heights_are_shares_by_width():
    assert pictures._heights(np.array([0.0, 1.0, 4.0]), np.array([1.0, 3.0])) == pytest.approx((1.0, 1.0))
    assert pictures._heights(np.array([0.0, 2.0, 4.0]), np.array([1.0, 3.0])) == pytest.approx((0.5, 1.5))
    assert pictures._counts(np.array([-5.0, 0.0, 1.0, 1.5, 99.0]), np.array([0.0, 1.0, 2.0])).tolist() == [2, 3]
    assert [pictures._rounded(value) for value in (1234.5, -0.04567, 0.0)] == [1200.0, -0.046, 0.0]


def numbers(**columns):
    kinds = dict.fromkeys(columns, pl.Float64)
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in columns])
    return dc.microdata(pl.DataFrame(columns, schema=kinds), schema)


def test_a_distribution_by_hand():
    # The 2 % and 98 % quantiles of 0 … 100 are 2 and 98; 3 … 103 in the release.
    before, after = numbers(x=np.arange(101.0)), numbers(x=np.arange(101.0) + 3)
    (one,) = pictures.profile(before, after, 1)
    assert (one.name, one.mean_before, one.mean_after) == ("x", 50.0, 53.0)
    assert (one.edges[0], one.edges[-1], len(one.edges)) == (2.0, 98.0, pictures._BINS + 1)
    assert sum(one.before) == pytest.approx(pictures._BINS)
    (published,) = pictures.profile(before, after, 1, by_release=True)
    assert (published.edges[0], published.edges[-1]) == (5.0, 100.0)
    (empty,) = pictures.profile(before, numbers(x=[None] * 101), 1)
    assert (empty.edges, empty.before, empty.after, empty.mean_before) == ((), (), (), 0.0)
    (still,) = pictures.profile(numbers(x=[5.0] * 30), numbers(x=[5.0] * 30), 1)
    assert (still.edges[0], still.edges[-1]) == (5.0, 10.0)
    (nought,) = pictures.profile(numbers(x=[0.0] * 30), numbers(x=[0.0] * 30), 1)
    assert (nought.edges[0], nought.edges[-1]) == (0.0, 1.0)


def words(levels, *values):
    schema = dc.Schema([dc.Attribute("c", dc.Nominal(levels), "key")])
    return dc.microdata(pl.DataFrame({"c": values}, schema={"c": pl.String}), schema)


@pytest.mark.parametrize(
    ("before", "after", "levels", "first", "second"),
    [
        ("aaabbb", "aaabbb", ("a", "b"), (50.0, 50.0), (50.0, 50.0)),
        ("aaabbbc", "aaabbbb", ("b", "all others"), (300 / 7, 400 / 7), (400 / 7, 300 / 7)),
        ("aaaaabbbccc", "aaaaabbbccc", ("a", "b", "c"), (500 / 11, 300 / 11, 300 / 11), (500 / 11, 300 / 11, 300 / 11)),
        ("bbbbaaaccd", "bbbbaaaccd", ("a", "b", "all others"), (30.0, 40.0, 30.0), (30.0, 40.0, 30.0)),
        ("aabb", "abab", ("all others",), (100.0,), (100.0,)),
    ],
)
def test_levels_of_few_records_are_taken_together(before, after, levels, first, second):
    (one,) = pictures.shares(words(tuple("abcd"), *before), words(tuple("abcd"), *after), 3)
    assert one.levels == levels
    assert (one.before, one.after) == (pytest.approx(first), pytest.approx(second))


def test_gaps_and_levels_of_one_file_are_among_the_others():
    (one,) = pictures.shares(words(("a", "b"), *"aaaa", None, None, None), words(("a", "z"), *"aaaazzz"), 3)
    assert (one.levels, one.before, one.after) == (
        ("a", "all others"), pytest.approx((400 / 7, 300 / 7)), pytest.approx((400 / 7, 300 / 7)),
    )  # fmt: skip


def test_the_twenty_most_frequent_levels_are_shown():
    levels = tuple(f"l{j:02}" for j in range(23))
    values = [level for j, level in enumerate(levels) for _ in range(3 + j)]
    (one,) = pictures.shares(words(levels, *values), words(levels, *values), 3)
    assert one.levels == (*levels[3:], "all others")
    assert one.before[-1] == pytest.approx(100 * (3 + 4 + 5) / len(values))


def test_correlations_are_told_with_the_pair_that_changed_most():
    x = np.array([1.0, 2.0, 3.0, 4.0])
    before = numbers(x=x, y=2 * x, z=[1.0, -1.0, -1.0, 1.0])
    after = numbers(x=x, y=-2 * x, z=[1.0, -1.0, -1.0, 1.0])
    found = pictures.relations(before, after)
    assert found.names == ("x", "y", "z")
    assert np.allclose(found.change, [[0, -2, 0], [-2, 0, 0], [0, 0, 0]])
    assert found.sentence == "Correlations changed by 0.667 on average, most between x and y: from 1.00 to -1.00."
    assert pictures.relations(before, before).sentence == "Correlations changed by 0.000 on average."
    assert pictures.relations(before.select(["x"]), after) is None
    rng = np.random.default_rng(0)
    many = numbers(**{f"x{j:02}": rng.normal(size=5) for j in range(25)})
    assert pictures.relations(many, many).sentence.endswith(" These are the first 24 of 25 numbers.")
    assert len(pictures.relations(many, many).names) == 24
