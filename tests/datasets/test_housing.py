import sys

import numpy as np
import pytest
from scipy.stats import spearmanr
from scipy.stats.contingency import association, crosstab

from discreet.datasets.housing import BUILT_YEARS, LEVELS, NUMERIC, ORDINAL, STRATA, housing_columns
from discreet.errors import ParameterError

COUNTS = {
    "BUILT": 25,
    "DEGREE": 8,
    "GRADE1": 21,
    "METRO": 9,
    "SCH": 6,
    "SHP": 6,
    "TRAN1": 12,
    "WFUEL": 9,
    "WHYMOVE": 18,
    "WHYTOH": 13,
    "WHYTON": 13,
}
MOVES = ("WHYMOVE", "WHYTOH", "WHYTON")
SEEDS = (0, 1, 2)


@pytest.fixture(scope="module", params=SEEDS)
def survey(request):
    return housing_columns(1000, request.param)


@pytest.fixture(scope="module")
def large():
    return housing_columns(60_000, 11)


def codes_of(columns, name):
    position = {level: code for code, level in enumerate(LEVELS[name])}
    return np.array([position[value] for value in columns[name]])


def cell_sizes(columns, names):
    cells = np.array([codes_of(columns, name) for name in names])
    return np.unique(cells, axis=1, return_counts=True)[1]


def cramers_v(first, second):
    return association(crosstab(first.astype(str), second.astype(str)).count, method="cramer")


def test_levels_are_as_many_as_the_papers_count():
    assert {name: len(levels) for name, levels in LEVELS.items()} == COUNTS
    assert all(len(set(levels)) == len(levels) for levels in LEVELS.values())
    assert set(ORDINAL) == {"BUILT", "DEGREE", "GRADE1"}


def test_built_has_the_codes_of_the_paper_in_order_of_age():
    printed = [f"0{code}" for code in range(9, 0, -1)] + [str(year) for year in range(80, 94)]
    assert list(LEVELS["BUILT"][1:-1]) == printed
    first_years, last_years = zip(*BUILT_YEARS.values(), strict=True)
    assert first_years[1:] == last_years[:-1]
    assert BUILT_YEARS["08"] == (1920, 1930)
    assert BUILT_YEARS["01"] == (1979, 1980)
    assert BUILT_YEARS["93"] == (1993, 1994)


def test_degree_has_the_six_levels_of_the_paper_next_to_each_other():
    assert LEVELS["DEGREE"][-6:] == ("hot", "mixed", "mild", "cool", "cold", "coldest")


def test_columns_have_their_names_types_and_lengths(survey):
    assert list(survey) == ["HOUSEHOLD", "STRATUM", *COUNTS, *NUMERIC, "WEIGHT"]
    assert {values.shape for values in survey.values()} == {(1000,)}
    for name in (*COUNTS, "STRATUM"):
        assert survey[name].dtype == object
        assert all(isinstance(value, str) for value in survey[name])
    for name in (*NUMERIC, "WEIGHT"):
        assert survey[name].dtype == np.float64
        assert np.isfinite(survey[name]).all()
        assert (survey[name] > 0).all()
    assert np.unique(survey["HOUSEHOLD"]).size == 1000


def test_every_level_is_possible(large):
    for name, levels in LEVELS.items():
        assert set(large[name]) == set(levels), name
    assert set(large["STRATUM"]) == set(STRATA)


def test_a_thousand_records_show_most_levels(survey):
    seen = {name: np.unique(codes_of(survey, name)).size for name in COUNTS}
    assert all(seen[name] >= 0.85 * COUNTS[name] for name in COUNTS), seen


@pytest.mark.parametrize("name", COUNTS)
def test_marginals_are_skewed(large, name):
    shares = np.sort(np.bincount(codes_of(large, name), minlength=COUNTS[name]))[::-1] / 60_000
    assert shares[0] > 2 / COUNTS[name]
    assert shares[-1] < 0.5 / COUNTS[name]
    assert shares[-1] > 0.0003


def test_same_seed_same_records():
    first, second = housing_columns(300, 5), housing_columns(300, np.random.default_rng(5))
    assert all((first[name] == second[name]).all() for name in first)


def test_other_seed_other_records():
    first, second = housing_columns(300, 5), housing_columns(300, 6)
    same = {name: (first[name] == second[name]).mean() for name in first if name != "HOUSEHOLD"}
    assert max(same.values()) < 0.7, same


def test_a_generator_moves_on():
    rng = np.random.default_rng(5)
    assert (housing_columns(300, rng)["INCOME"] != housing_columns(300, rng)["INCOME"]).any()


def test_block_size_does_not_matter(monkeypatch):
    whole = housing_columns(500, 3)
    # The package's function of the same name hides the module from an ordinary import.
    monkeypatch.setattr(sys.modules["discreet.datasets.housing"], "_BLOCK", 7)
    blocks = housing_columns(500, 3)
    assert all((whole[name] == blocks[name]).all() for name in whole)


def test_all_keys_together_single_out_most_records_but_pairs_do_not(survey):
    every = cell_sizes(survey, list(COUNTS))
    assert (every == 1).sum() > 900
    for pair in (("SCH", "SHP"), ("METRO", "TRAN1"), ("DEGREE", "WFUEL")):
        sizes = cell_sizes(survey, pair)
        assert (sizes == 1).sum() < 60, pair
        assert sizes.max() > 60, pair


@pytest.mark.parametrize(
    ("names", "low", "high"),
    [
        (("DEGREE", "METRO", "SCH", "SHP"), 100, 450),
        (("BUILT", "DEGREE", "GRADE1"), 200, 550),
        (("BUILT", "GRADE1", "WHYMOVE"), 250, 650),
        (("TRAN1", "WFUEL", "WHYTOH", "WHYTON"), 150, 450),
    ],
)
def test_the_papers_sets_of_attributes_single_out_some_records(survey, names, low, high):
    assert low < (cell_sizes(survey, names) == 1).sum() < high


@pytest.mark.parametrize(
    ("first", "second", "floor"),
    [
        ("METRO", "SHP", 0.15),
        ("METRO", "TRAN1", 0.12),
        ("DEGREE", "WFUEL", 0.15),
        ("BUILT", "WFUEL", 0.15),
        ("SCH", "TRAN1", 0.15),
        ("STRATUM", "DEGREE", 0.40),
    ],
)
def test_categories_depend_on_each_other(large, first, second, floor):
    # Independent columns of this length stay below 0.03.
    assert cramers_v(large[first], large[second]) > floor


def test_reasons_depend_on_each_other_among_movers(large):
    moved = large["WHYMOVE"] != "no move"
    assert cramers_v(large["WHYTOH"][moved], large["WHYTON"][moved]) > 0.12
    assert cramers_v(large["WHYMOVE"][moved], large["WHYTON"][moved]) > 0.12


def test_a_household_gives_three_reasons_or_none(survey):
    stayed = np.array([survey[name] == "no move" for name in MOVES])
    assert (stayed[0] == stayed[1]).all()
    assert (stayed[0] == stayed[2]).all()
    assert 0.3 < stayed[0].mean() < 0.6


@pytest.mark.parametrize(("first", "second", "floor"), [(0, 1, 0.7), (0, 2, 0.55), (1, 2, 0.45)])
def test_amounts_rise_together(survey, first, second, floor):
    correlation = spearmanr(survey[NUMERIC[first]], survey[NUMERIC[second]]).statistic
    assert floor < correlation < 0.95


def test_amounts_depend_on_categories(large):
    assert spearmanr(large["INCOME"], codes_of(large, "GRADE1")).statistic > 0.35
    assert spearmanr(large["VALUE"], codes_of(large, "BUILT")).statistic > 0.15
    median = {level: np.median(large["VALUE"][large["METRO"] == level]) for level in LEVELS["METRO"]}
    assert median["outer suburb"] > 1.4 * median["village"]


@pytest.mark.parametrize("name", NUMERIC)
def test_amounts_have_heavy_tails(large, name):
    logs = np.log(large[name])
    deviations = (logs - logs.mean()) / logs.std()
    assert large[name].mean() > 1.1 * np.median(large[name])
    assert large[name].max() > 8 * np.median(large[name])
    if name != "RENT":
        assert large[name].max() > 30 * np.median(large[name])
        assert deviations.max() > 4.8  # a lognormal of this size passes 4.8 one time in twenty


def test_amounts_are_rounded_as_people_round(survey):
    assert (survey["INCOME"] % 10 == 0).all()
    assert (survey["VALUE"] % 500 == 0).all()
    assert (survey["RENT"] % 1 == 0).all()
    assert 0.3 < (survey["INCOME"] % 1000 == 0).mean() < 0.6
    assert 0.4 < (survey["RENT"] % 25 == 0).mean() < 0.8


def test_weights_differ_by_stratum(large):
    means = [large["WEIGHT"][large["STRATUM"] == stratum].mean() for stratum in STRATA]
    assert 200 < large["WEIGHT"].mean() < 900
    assert max(means) > 1.5 * min(means)


def test_one_record_is_enough():
    assert {values.shape for values in housing_columns(1, 0).values()} == {(1,)}


@pytest.mark.parametrize("n", [0, -3, 2.0, "5", None, True])
def test_n_is_checked(n):
    with pytest.raises(ParameterError, match=r"^housing: n must be an integer of at least 1; got "):
        housing_columns(n)


def test_seed_is_checked():
    with pytest.raises(ParameterError, match=r"^housing: random_state must be "):
        housing_columns(5, -1)
