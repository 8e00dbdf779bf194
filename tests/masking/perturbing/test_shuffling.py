from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import spearmanr
from tests.battery import SCHEMA, microdata, sample, with_nulls

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.perturbing.shuffling import Shuffling

NUMBERS = Schema(
    [Attribute("a", Numeric(), "key"), Attribute("b", Numeric(), "key"), Attribute("s", Numeric(), "other")]
)


def related(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    s = rng.normal(size=n)
    a = np.exp(s + rng.normal(size=n))
    return Microdata(pa.table({"a": a, "b": a + rng.lognormal(size=n), "s": s}), NUMBERS)


def test_marginals_are_exact_and_rank_relations_stay():
    data = related()
    after = Shuffling(["s"], random_state=1).mask(data).microdata
    for name in "ab":
        assert np.array_equal(np.sort(after.encoded(name)), np.sort(data.encoded(name)))
    for one, two in (("a", "b"), ("a", "s"), ("b", "s")):
        before = spearmanr(data.encoded(one), data.encoded(two)).statistic
        assert spearmanr(after.encoded(one), after.encoded(two)).statistic == pytest.approx(before, abs=0.05)


def test_without_predictors_a_record_has_nothing_of_its_own_left():
    data = related()
    after = Shuffling(random_state=1).mask(data).microdata
    assert abs(spearmanr(data.encoded("a"), after.encoded("a")).statistic) < 0.06
    assert spearmanr(after.encoded("a"), after.encoded("b")).statistic > 0.6


def test_missing_values_stay_where_they_are():
    data = Microdata(with_nulls(sample(), "income", [3, 17]), SCHEMA)
    after = Shuffling(random_state=0).mask(data).microdata
    assert np.flatnonzero(after.missing("income")).tolist() == [3, 17]


def test_predictors_are_not_masked():
    with pytest.raises(ParameterError, match="predictors must not be masked; 1 of them would be"):
        Shuffling(["age"], attributes=["age", "income"]).mask(microdata())
    with pytest.raises(ParameterError, match="predictors must be numeric, ordinal or nominal; 'visits' is sequence"):
        Shuffling(["visits"]).mask(microdata())
    assert "age" not in Shuffling(["age"]).mask(microdata()).provenance.attributes


@pytest.mark.parametrize("size", [1, 2, 4])
def test_too_few_values_to_hide_one_among_are_refused(size):
    column = [10.0, 20.0, 30.0, 40.0][:size] + [None] * 6
    other = np.arange(float(len(column)))
    table = pa.table({"a": column, "b": other, "s": other})
    with pytest.raises(DataError, match=f"'a' has {size} values; it takes 5"):
        Shuffling(random_state=1).mask(table, NUMBERS)
    schema = Schema([*NUMBERS, Attribute("g", Nominal(("x", "y")), "stratum")])
    groups = pa.table(
        {"a": np.arange(20.0), "b": np.ones(20), "s": np.ones(20), "g": ["x"] * size + ["y"] * (20 - size)}
    )
    with pytest.raises(DataError, match="'a' has values, but fewer than 5, in 1 of 2 strata"):
        Shuffling(strata=["g"], random_state=1).mask(groups, schema)


def test_what_does_not_vary_is_said():
    table = pa.table({"a": np.arange(9.0), "b": np.ones(9), "s": np.ones(9)})
    notes = Shuffling(random_state=1).mask(table, NUMBERS).provenance.notes
    assert "b does not vary; nothing of it is hidden there." in notes


TRADES = ("farm", "shop", "bank", "none")
BY_TRADE = Schema([Attribute("a", Numeric(), "key"), Attribute("trade", Nominal(TRADES), "other")])


def by_trade(n=3000, seed=0, rare=0):
    """Wages that differ between trades as no order of them says."""
    rng = np.random.default_rng(seed)
    trade = rng.integers(0, 3, n)
    trade[:rare] = 3
    wages = np.array([2.0, 0.0, 3.0, 30.0])[trade] + rng.normal(size=n)
    return Microdata(pa.table({"a": wages, "trade": np.array(TRADES)[trade]}), BY_TRADE)


def test_means_by_level_of_a_nominal_predictor_stay():
    data = by_trade()
    codes, before = data.encoded("trade"), data.encoded("a")
    after = Shuffling(["trade"], random_state=1).mask(data).microdata.encoded("a")
    assert np.array_equal(np.sort(after), np.sort(before))
    alone = Shuffling(random_state=1).mask(data).microdata.encoded("a")
    for code in range(3):
        inside = codes == code
        assert after[inside].mean() == pytest.approx(before[inside].mean(), abs=0.12)
        assert abs(spearmanr(before[inside], after[inside]).statistic) < 0.08, "a record's own value is not told"
    assert abs(alone[codes == 1].mean() - before[codes == 1].mean()) > 1


def test_a_level_of_few_records_does_not_tell_what_they_had():
    """Two of a trade of their own, with by far the highest wages: as a level they would keep them."""
    kept = 0
    for seed in range(20):
        data = by_trade(200, seed, rare=2)
        after = Shuffling(["trade"], random_state=seed).mask(data).microdata.encoded("a")
        kept += int((after[:2] > 20).sum())
    assert kept <= 4
    wide = by_trade(200, 0, rare=30)
    after = Shuffling(["trade"], random_state=1).mask(wide).microdata.encoded("a")
    assert (after[:30] > 20).mean() > 0.8, "thirty are enough for a level"


def test_predictors_that_fit_every_record_are_refused():
    many = Schema([Attribute("a", Numeric(), "key"), *(Attribute(f"p{j}", Numeric(), "other") for j in range(6))])
    rng = np.random.default_rng(1)
    table = pa.table({name: rng.normal(size=20) for name in many.names})
    with pytest.raises(DataError, match="predictors of 6 numbers and levels are too many for 20 records"):
        Shuffling([f"p{j}" for j in range(6)]).mask(Microdata(table, many))


def test_missing_levels_of_a_predictor_count_as_a_level():
    data = by_trade(400)
    holes = Microdata(with_nulls(data.to_arrow(), "trade", list(range(0, 400, 10))), BY_TRADE)
    after = Shuffling(["trade"], random_state=3).mask(holes).microdata
    assert np.array_equal(np.sort(after.encoded("a")), np.sort(data.encoded("a")))
