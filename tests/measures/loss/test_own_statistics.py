from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.battery import microdata
from tests.measures.test_battery import shuffled

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.measures.loss.own_statistics import OwnStatistics
from discreet.measures.own_statistic import PublishedFigure
from discreet.statistics.question import Need

BEFORE = microdata(80)
AFTER = shuffled(BEFORE, ["income", "age", "fuel", "owner"])


def by_hand(figure, groups, keep=lambda frame: frame):
    """The mean relative difference of a figure of groups."""
    sides = []
    for data in (BEFORE, AFTER):
        frame = keep(data.to_polars())
        sides.append({key: figure(part) for key, part in frame.group_by(groups)} if groups else {(): figure(frame)})
    gaps = [
        min(abs(a - sides[1].get(key, np.inf)) / abs(a), 1) if a else float(sides[1].get(key) != 0)
        for key, a in sides[0].items()
    ]
    return 100 * np.mean(gaps)


def weighted(values, part):
    return float((values * part["weight"]).sum() / part["weight"].sum())


CASES = {
    "mean(income)": (False, lambda f: f["income"].mean(), [], None),
    "mean(income) by fuel": (False, lambda f: f["income"].mean(), ["fuel"], None),
    "sum(income) / sum(wealth) by region, owner": (
        False, lambda f: f["income"].sum() / f["wealth"].sum(), ["region", "owner"], None),
    "sd(age) by size where age >= 30": (
        False, lambda f: f["age"].std(ddof=0), ["size"], lambda f: f.filter(pl.col("age") >= 30)),
    "share(fuel = 'gas') by region": (False, lambda f: (f["fuel"] == "gas").mean(), ["region"], None),
    "mean(income / wealth) by fuel": (True, lambda f: weighted(f["income"] / f["wealth"], f), ["fuel"], None),
    "count() where fuel in ('gas', 'sun')": (
        True, lambda f: f["weight"].sum(), [], lambda f: f.filter(pl.col("fuel").is_in(["gas", "sun"]))),
}  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_figures_equal_those_of_polars(text):
    use, figure, groups, keep = CASES[text]
    expected = by_hand(figure, groups, keep or (lambda frame: frame))
    assert OwnStatistics([text], weighted=use).measure(BEFORE, AFTER).value == pytest.approx(expected)


def test_published_figures_take_the_place_of_the_original():
    mean = AFTER.to_polars()["income"].mean()
    value = OwnStatistics(["mean(income)"], published={"mean(income)": mean * 2}).measure(BEFORE, AFTER).value
    assert value == pytest.approx(50)
    with pytest.raises(ParameterError, match="published"):
        OwnStatistics(["mean(income) by fuel"], published={"mean(income)": 3.0}).measure(BEFORE, AFTER)


def test_a_function_of_ones_own():
    measure = OwnStatistics(function=lambda frame: {"median": frame["income"].median(), "n": frame.height})
    assert measure.measure(BEFORE, AFTER).value == 0
    doubled = BEFORE.to_polars().with_columns(pl.col("income") * 1.5)
    assert measure.measure(BEFORE, doubled).value == pytest.approx(25)

    def spills(frame):
        raise ValueError(str(frame["income"][0]))

    with pytest.raises(DataError, match="failed with ValueError") as caught:
        OwnStatistics(function=spills).measure(BEFORE, AFTER)
    assert str(BEFORE.to_polars()["income"][0]) not in str(caught.value)


def test_figures_of_few_records_are_not_shown():
    shown = OwnStatistics(["mean(income)"]).measure(BEFORE, AFTER).details["statistics"][0]
    assert shown["before"] == pytest.approx(BEFORE.to_polars()["income"].mean())
    oldest = int(BEFORE.to_polars()["age"].max())
    hidden = OwnStatistics([f"mean(income) where age >= {oldest}"]).measure(BEFORE, AFTER).details["statistics"][0]
    assert "before" not in hidden


@pytest.mark.parametrize(
    "text",
    [
        "income", "mean(income", "mean()", "mean(income, age)", "mean(income) by fuel by owner", "mean(nobody)",
        "mean(income) by age", "mean(income) where age", "__import__('os').system('x')", "mean(visits)", "mean(fuel)",
        "mean(income) + age", "mean(mean(income))", "mean(income).real", "mean(`in come`)", "",
    ],
)  # fmt: skip
def test_what_is_no_statistic_is_refused(text):
    with pytest.raises(DiscreetError):
        OwnStatistics([text]).measure(BEFORE, AFTER)


def test_names_that_are_no_words_stand_in_backticks():
    figure = PublishedFigure("mean(`net pay`) by `my region` where `net pay` > 3", "Test")
    assert (figure.names, figure.groups) == (("net pay",), ("my region",))


HOMES = Schema(
    [
        Attribute("home", Nominal(("own", "rent", "none")), "key"),
        Attribute("pay", Numeric(), "key"),
        Attribute("away", Numeric(), "key"),
        Attribute("way", Sequence(("a", "b")), "key"),
        Attribute("w", Numeric(), "weight"),
    ]
)


def homes(home, pay, schema=HOMES):
    n = len(home)
    columns = {"home": home, "pay": pay, "away": [0.0] * n, "way": ["a b"] * n, "w": [1.0] * n}
    return Microdata(pl.DataFrame({a.name: columns[a.name] for a in schema}, strict=False), schema)


FIRST = homes(["own"] * 4 + ["rent"] * 4 + [None] * 2, [1.0, 3.0, 2.0, 2.0, 4.0, 4.0, 4.0, 4.0, 0.0, 0.0])
SECOND = homes(["own"] * 3 + ["none"] + ["rent"] * 4 + [None] * 2, [1.0, 3.0, 2.0, 9.0, 5.0, 5.0, 5.0, 5.0, 1.0, 0.0])


def test_figures_are_told_whole():
    result = OwnStatistics(["mean(pay) by home", "mean(pay)", "count()"]).measure(FIRST, SECOND)
    # By home: 2 and 2, 4 and 5, 0 and ½ (which counts 1); what only the release has is not compared. 2.4 became 3.6.
    assert result.value == pytest.approx(100 * (0 + 0.25 + 1 + 0.5 + 0) / 5)
    assert result.sentence == "3 of 5 figures changed, by 35.00 % on average over all, and by 100.0 % at most."
    assert result.details["changed"] == 3
    assert result.details["largest"] == 100
    groups, mean, count = result.details["statistics"]
    assert groups == {"statistic": "mean(pay) by home", "figures": 3, "difference": pytest.approx(125 / 3)}
    assert mean == {
        "statistic": "mean(pay)", "figures": 1, "difference": pytest.approx(50), "before": pytest.approx(2.4),
        "after": pytest.approx(3.6),
    }  # fmt: skip
    assert count == {"statistic": "count()", "figures": 1, "difference": 0, "before": 10, "after": 10}
    same = OwnStatistics(["mean(pay) by home"]).measure(FIRST, FIRST)
    assert (same.value, same.sentence) == (0, "None of 3 figures changed.")


@pytest.mark.parametrize(("records", "shown"), [(10, True), (9, False)])
def test_a_figure_of_ten_records_is_shown(records, shown):
    rows = np.arange(records)
    (row,) = OwnStatistics(["mean(pay)"]).measure(FIRST.take(rows), SECOND.take(rows)).details["statistics"]
    assert ("before" in row, "after" in row) == (shown, shown)


def test_figures_that_the_release_does_not_have_or_that_were_nought():
    result = OwnStatistics(["mean(pay) where pay > 8", "mean(pay) where pay < 0.5", "sum(away)"]).measure(FIRST, SECOND)
    # Nobody of the original has more than 8, and the third was and is 0.
    assert [row["figures"] for row in result.details["statistics"]] == [0, 1, 1]
    assert [row["difference"] for row in result.details["statistics"]] == [0, 0, 0]
    gone = OwnStatistics(["mean(pay) where pay = 4"]).measure(FIRST, SECOND)
    assert gone.value == 100
    with pytest.raises(DataError, match="none of the figures can be computed from the original"):
        OwnStatistics(["mean(pay) where pay > 8"]).measure(FIRST, SECOND)


def test_published_figures_are_shown_like_those_of_the_original():
    (row,) = OwnStatistics(["mean(pay)"], published={"mean(pay)": 4.8}).measure(FIRST, SECOND).details["statistics"]
    assert (row["before"], row["after"], row["difference"]) == (4.8, pytest.approx(3.6), pytest.approx(25))
    nobody = OwnStatistics(["mean(pay) where pay > 8"], published={"mean(pay) where pay > 8": 3.0})
    assert nobody.measure(FIRST, SECOND).value == 100, "9 is three times as much, and no figure counts more than 1"


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (OwnStatistics(), "OwnStatistics: statistics must say which figures are compared."),
        (OwnStatistics(["mean(pay) by away"]), "OwnStatistics: 'away' after by must be categorical."),
        (
            OwnStatistics(["mean(pay) where way = 'a'"]),
            "OwnStatistics: 'way' must be a released attribute with one value, on the scale it had.",
        ),
        (
            OwnStatistics(["mean(pay)"], published={"mean(away)": 3.0}),
            "OwnStatistics: published names figures that are no statistics without by.",
        ),
        (OwnStatistics(["mean(pay)"], function=lambda _: float("nan")),
         "OwnStatistics: the function must return a number, or a dict of numbers."),
        (OwnStatistics(function=lambda _: {}),
         "OwnStatistics: the function must return a number, or a dict of numbers."),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_said(measure, message):
    with pytest.raises(DiscreetError) as caught:
        measure.measure(FIRST, SECOND)
    assert caught.value.message == message


def test_a_number_that_became_a_level_is_not_compared():
    bands = Schema([Attribute("pay", Nominal(("low", "high")), "key") if a.name == "pay" else a for a in HOMES])
    banded = homes(["own"] * 10, ["low"] * 10, bands)
    with pytest.raises(ParameterError, match="'pay' must be a released attribute with one value"):
        OwnStatistics(["mean(pay) by home"]).measure(FIRST, banded)


def test_a_function_beside_figures():
    def figures(frame):
        return {"most": frame["pay"].max()} | ({"four": 4.0} if frame["pay"][4] == 4 else {})

    result = OwnStatistics(["mean(pay)"], function=figures).measure(FIRST, SECOND)
    # 2.4 became 3.6; 4 became 9, more than twice as much; and the release has no figure of the name of the third.
    assert result.value == pytest.approx(100 * (0.5 + 1 + 1) / 3)
    assert result.details["statistics"][1] == {"statistic": "function", "figures": 2}
    alone = OwnStatistics(function=lambda frame: frame["pay"].sum())
    assert alone.measure(FIRST, SECOND).value == pytest.approx(50)
    assert alone.columns_for(HOMES) == ("home", "pay", "away")
    assert OwnStatistics(["mean(pay)"], function=figures).columns_for(HOMES) == ("home", "pay", "away")
    assert OwnStatistics(["mean(pay) by home"]).columns_for(HOMES) == ("home", "pay")
    assert (alone.need, OwnStatistics(["mean(pay)"]).need) == (Need.ALL, Need.RECORD)
