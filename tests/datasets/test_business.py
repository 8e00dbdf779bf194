import numpy as np
import pytest
from scipy.stats import spearmanr

from discreet.datasets.business import AMOUNTS, business_columns
from discreet.errors import ParameterError

OFTEN_ZERO = ("STOCKS", "DEBT", "INVESTMENT", "EXPORTS", "RESEARCH")
NEVER_ZERO = ("TURNOVER", "ASSETS", "EQUITY")


@pytest.fixture(scope="module", params=(0, 1, 2))
def accounts(request):
    return business_columns(1000, request.param)


def table_of(columns):
    return np.column_stack([columns[name] for name in AMOUNTS])


def test_columns_have_their_names_types_and_lengths(accounts):
    assert len(AMOUNTS) == len(set(AMOUNTS)) == 13
    assert list(accounts) == ["COMPANY", *AMOUNTS]
    assert np.unique(accounts["COMPANY"]).size == 1000
    for name in AMOUNTS:
        assert accounts[name].dtype == np.float64
        assert accounts[name].shape == (1000,)
        assert np.isfinite(accounts[name]).all()
        assert (accounts[name] >= 0).all()


def test_amounts_are_rounded(accounts):
    assert (accounts["EMPLOYEES"] % 1 == 0).all()
    for name in AMOUNTS:
        assert (np.round(accounts[name], 1) == accounts[name]).all()


def test_same_seed_same_records():
    first, second = business_columns(200, 5), business_columns(200, np.random.default_rng(5))
    assert all((first[name] == second[name]).all() for name in first)


def test_other_seed_other_records():
    assert (business_columns(200, 5)["TURNOVER"] != business_columns(200, 6)["TURNOVER"]).mean() > 0.95


@pytest.mark.parametrize("name", AMOUNTS)
def test_amounts_have_heavy_tails_over_orders_of_magnitude(accounts, name):
    positive = accounts[name][accounts[name] > 0]
    assert positive.max() > 30 * np.median(positive)
    assert positive.mean() > 1.8 * np.median(positive)
    if name in NEVER_ZERO:
        assert positive.max() > 10_000 * positive.min()


@pytest.mark.parametrize("name", AMOUNTS)
def test_zeros_are_where_accounts_have_them(accounts, name):
    share = (accounts[name] == 0).mean()
    if name in OFTEN_ZERO:
        assert 0.1 < share < 0.9
    elif name in NEVER_ZERO:
        assert share == 0
    else:
        assert share < 0.2


def test_zeros_are_commoner_among_small_companies(accounts):
    small = accounts["TURNOVER"] < np.median(accounts["TURNOVER"])
    for name in ("DEBT", "INVESTMENT", "EXPORTS"):
        zero = accounts[name] == 0
        assert zero[small].mean() > 1.2 * zero[~small].mean()


def test_who_employs_nobody_pays_no_wages(accounts):
    alone = accounts["EMPLOYEES"] == 0
    assert alone.any()
    assert (accounts["WAGES"][alone] == 0).all()
    assert (accounts["CHARGES"][alone] == 0).all()
    assert (accounts["WAGES"][~alone] > 0).mean() > 0.99


def test_accounts_hang_together(accounts):
    assert (accounts["EXPORTS"] <= accounts["TURNOVER"]).all()
    assert (accounts["ASSETS"] > accounts["EQUITY"] + accounts["DEBT"]).mean() > 0.85
    assert (accounts["TURNOVER"] > accounts["PURCHASES"]).mean() > 0.85


def test_amounts_rise_together_and_none_is_another(accounts):
    correlations = spearmanr(table_of(accounts)).statistic
    pairs = correlations[np.triu_indices(13, 1)]
    assert pairs.min() > 0.05
    assert np.median(pairs) > 0.5
    assert pairs.max() < 0.998


def test_no_amount_is_a_linear_combination_of_the_others():
    # On many records, since a single giant among few looks like collinearity.
    inverse = np.linalg.inv(np.corrcoef(table_of(business_columns(20_000, 0)), rowvar=False))
    explained = 1 - 1 / np.diag(inverse)
    assert explained.max() < 0.999
    assert np.median(explained) > 0.5


def test_some_companies_are_outliers_for_their_size():
    accounts = business_columns(20_000, 0)
    ratio = np.log(accounts["ASSETS"] / accounts["TURNOVER"])
    middle = np.median(ratio)
    spread = 1.4826 * np.median(np.abs(ratio - middle))
    far = np.abs(ratio - middle) > 3.5 * spread
    # A normal ratio would put 0.0005 of the companies that far.
    assert 0.001 < far.mean() < 0.02


def test_one_record_is_enough():
    assert {values.shape for values in business_columns(1, 0).values()} == {(1,)}


@pytest.mark.parametrize("n", [0, -3, 2.0, "5", None, True])
def test_n_is_checked(n):
    with pytest.raises(ParameterError, match=r"^business: n must be an integer of at least 1; got "):
        business_columns(n)
