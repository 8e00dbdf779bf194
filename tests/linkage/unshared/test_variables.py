from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.linkage.unshared import problems
from tests.reference import representatives as reference

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError, SchemaError
from discreet.linkage.unshared.variables import associations, match_columns, match_variables, quadratic_matching
from discreet.reproduction.public_files import DataFolder
from discreet.reproduction.subjects.variable_links import correct, values


def scaled(data_dir, name):
    """P1d's files: everything but the class on [0, 1], constant columns left out."""
    return values(DataFolder(data_dir), name.removesuffix(".csv"))


# P1d, Table IV: 0 of 4, 6 of 8 and 10 of 33, on one split each. The means over 100 splits are in the benchmark.
@pytest.mark.parametrize(
    ("name", "count", "least", "splits"),
    [("iris.csv", 4, 4, 8), ("abalone.csv", 8, 8, 4), ("ionosphere.csv", 33, 31, 6)],
)
def test_variables_of_table_iv_are_found(data_dir, name, count, least, splits):
    values = scaled(data_dir, name)
    assert values.shape[1] == count
    rng = np.random.default_rng(0)
    assert np.mean([correct(values, "both", rng) for _ in range(splits)]) >= least


def test_the_papers_method_on_table_iv(data_dir):
    rng = np.random.default_rng(1)
    values = scaled(data_dir, "abalone.csv")
    assert np.mean([correct(values, "owa", rng) for _ in range(5)]) >= 6


@given(seed=st.integers(0, 10_000), p=st.integers(1, 4), more=st.integers(0, 1), flips=st.booleans())
def test_quadratic_matching_finds_the_least_cost(seed, p, more, flips):
    rng = np.random.default_rng(seed)
    first, second = (np.corrcoef(rng.normal(size=(8, k)).T).reshape(1, k, k) for k in (p, p + more))
    own = rng.random((2, p, p + more))
    found = quadratic_matching(first, second, own, flips, 30, rng)
    image, signs, cost = found[0]
    lowest = reference.best_quadratic(first[0], second[0], own.tolist(), (1, -1) if flips else (1,))
    assert cost == pytest.approx(lowest)
    assert np.unique(image).size == p
    assert set(signs.tolist()) <= ({1, -1} if flips else {1})
    assert [one[2] for one in found] == sorted(one[2] for one in found)


def test_signs_are_turned_back_and_the_longer_set_may_come_first():
    rng = np.random.default_rng(0)
    values = rng.gamma(1.0, size=(400, 5)) @ rng.normal(size=(5, 5))
    order, turned = np.array([3, 0, 4]), np.array([1.0, -1.0, -1.0])
    own = np.zeros((2, 5, 3))
    first, second = np.corrcoef(values.T)[None], np.corrcoef((values[:, order] * turned).T)[None]
    image, signs, cost = quadratic_matching(first, second, own, True, 30, rng)[0]
    assert cost == pytest.approx(0, abs=1e-9)
    assert image.tolist() == [1, -1, -1, 0, 2]
    known = signs[order]
    assert (known * known[0] == turned * turned[0]).all()


def test_associations_leave_missing_values_out():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    values = np.column_stack([x, np.exp(x), rng.normal(size=300), np.ones(300)])
    holes = values.copy()
    holes[::7, 0] = np.nan
    assert associations(values).shape == (2, 4, 4)
    full, part = associations(values)[0], associations(holes)[0]
    assert full[0, 1] == pytest.approx(np.arctanh(0.999))
    assert part[0, 1] == pytest.approx(full[0, 1], abs=0.1)  # ranks are those of the whole column
    assert part == pytest.approx(full, abs=0.1)
    assert (np.diag(full) == 0).all()
    assert full[3, :3] == pytest.approx(np.zeros(3))


def test_the_second_layer_sees_what_correlations_do_not():
    # Two pairs of uncorrelated columns of one distribution; only within a pair do extremes come together.
    rng = np.random.default_rng(0)
    size = rng.gamma(0.3, size=(600, 2))
    values = rng.normal(size=(600, 4)) * np.repeat(size, 2, axis=1)
    order = np.array([1, 2, 0, 3])
    image, _ = match_columns(values[:300], values[300:][:, order], "association", 20, rng)
    partner = {0: 1, 1: 0, 2: 3, 3: 2}
    found = order[image]
    assert partner[int(found[0])] == found[1]


def test_names_and_counts():
    rng = np.random.default_rng(0)
    values = rng.gamma([1.0, 5.0, 20.0], size=(200, 3))
    a = pl.DataFrame(values[:100], schema=["x", "y", "z"])
    b = pl.DataFrame(values[100:, [2, 0]], schema=["z", "x"])
    match = match_variables(a, b)
    assert match.pairs == (("x", "x"), ("z", "z"))
    assert match.image.tolist() == [1, -1, 0]
    assert match.correct() == 2
    assert match.correct([("x", "z")]) == 0
    assert repr(match) == "VariableMatch(2 of 3 variables matched)"
    for method in ("marginal", "owa"):
        assert match_variables(a, b, method=method).correct() == 2
    assert match_variables(a, b, attributes_a=["z"]).pairs == (("z", "z"),)


def test_bad_input():
    good = problems.table(np.arange(12.0).reshape(6, 2), "a")
    with pytest.raises(ParameterError, match="match_variables: method must be one of"):
        match_variables(good, good, method="names")
    words = Microdata(pl.DataFrame({"w": ["x", "y"]}), Schema([Attribute("w", Nominal("xy"), "key")]))
    with pytest.raises(SchemaError, match="the second file has no numeric key"):
        match_variables(good, words)
    with pytest.raises(DataError, match="column 'a0' of the first file has fewer than 2 values"):
        match_variables(problems.table(np.array([[1.0], [np.nan]]), "a"), good)
