from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.datasets.budgets import BUDGET_LEVELS, EXPENDITURES, HOUSEHOLD_COLUMNS, INCOMES, budgets_columns


@pytest.fixture(scope="module")
def persons():
    return pl.DataFrame(budgets_columns(5000, 7))


def test_members_of_a_household_share_what_is_the_household_s(persons):
    different = persons.group_by("IDH").agg(pl.col(name).n_unique() for name in HOUSEHOLD_COLUMNS)
    assert different.select(HOUSEHOLD_COLUMNS).max().row(0) == (1,) * len(HOUSEHOLD_COLUMNS)


def test_totals_are_sums_and_sizes_are_counts(persons):
    assert (persons["TANHHEXP"] == persons.select(EXPENDITURES).sum_horizontal()).all()
    assert (persons["INCTOTGROSSHH"] == persons.select(INCOMES).sum_horizontal()).all()
    counted = persons.with_columns(n=pl.len().over("IDH"), last=pl.col("IDP").max().over("IDH"))
    assert (counted["HHSIZE"] == counted["n"]).all()
    assert (counted["HHSIZE"] == counted["last"]).all()
    assert np.allclose(persons["WGTPOP"], (persons["WGTHH"] * persons["HHSIZE"]), atol=0.06)


def test_lives_are_possible(persons):
    assert (persons.filter(pl.col("IDP") == 1)["REL"] == "head").all()
    assert persons.filter(pl.col("REL") == "head")["AGEYRS"].min() >= 16
    assert persons.filter(pl.col("ATSCHOOL") == "yes")["AGEYRS"].is_between(6, 19).all()
    assert persons.filter(pl.col("INDUSTRY1") != "none")["AGEYRS"].min() >= 14
    assert persons.filter(pl.col("AGEYRS") < 14)["MARITAL"].unique().to_list() == ["never married"]
    assert (persons.filter(pl.col("OWNAGLAND") == "none")["LANDSIZEHA"] == 0).all()


def test_every_level_is_known_and_few_stand_out(persons):
    for name, levels in BUDGET_LEVELS.items():
        assert set(persons[name]) <= set(levels)
    homes = persons.unique("IDH")
    assert 0 < (homes["LANDSIZEHA"] > 40).mean() < 0.03
    assert 0 < (homes["HHSIZE"] > 13).mean() < 0.06
    assert 4.5 < homes["HHSIZE"].mean() < 6


@pytest.mark.parametrize("n", [1, 2, 37])
def test_any_number_of_persons_can_be_had(n):
    assert len(dc.datasets.budgets(n)) == n


def test_a_seed_brings_the_sample_back():
    first, again, other = (dc.datasets.budgets(80, seed).to_native() for seed in (1, 1, 2))
    assert first == again
    assert first != other
