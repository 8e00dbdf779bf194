from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.battery import microdata
from tests.measures.test_battery import shuffled

from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.measures.loss.own_statistics import OwnStatistics
from discreet.measures.own_statistic import PublishedFigure

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
