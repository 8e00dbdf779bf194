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
from discreet.linkage.unshared.representatives import family, representatives
from discreet.linkage.unshared.variables import (
    VariableMatch,
    _correlations,
    _inverse,
    _marginal_costs,
    associations,
    match_columns,
    match_variables,
    quadratic_matching,
)
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


def test_distributions_are_compared_by_cramer_and_von_mises():
    x = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 7.0]])
    y = np.array([[1.0], [4.0]])
    # Shares up to 1, 2, 3, 1 and 4 differ by 1/3 − 1/2, 2/3 − 1/2, 1 − 1/2, 1/3 − 1/2 and 0.
    gaps = np.array([-1 / 6, 1 / 6, 1 / 2, -1 / 6, 0])
    # Of 5 and 7, without the gap, against 1 and 4: 1/2 − 1, 0, −1/2 and −1.
    others = np.array([-1 / 2, 0, -1 / 2, -1])
    expected = [[3 * 3 * 2 / 5 * (gaps**2).mean()], [3 * 2 * 2 / 4 * (others**2).mean()]]
    assert _marginal_costs(x, y) == pytest.approx(np.array(expected))


def test_correlations_leave_pairs_out_that_are_not_whole():
    whole = np.array([[1.0, 2.0, 5.0], [2.0, 1.0, 5.0], [4.0, 4.0, 5.0], [3.0, 0.0, 5.0]])
    expected = np.corrcoef(whole[:, :2].T)[0, 1]
    found = _correlations(whole)
    assert found[0, 1] == found[1, 0] == pytest.approx(expected)
    # A column that does not vary is uncorrelated, also with itself.
    assert found[2].tolist() == [0, 0, 0]
    holes = np.vstack([whole, [[9.0, np.nan, 5.0]]])
    part = _correlations(holes)
    assert part[0, 1] == part[1, 0] == pytest.approx(expected)
    assert np.diag(part).tolist() == [1, 1, 1]
    assert part[0, 2] == 0
    # Two records say nothing about a pair, three do.
    few = np.array([[1.0, 1.0], [2.0, 2.0], [5.0, np.nan]])
    assert _correlations(few)[0, 1] == 0
    assert _correlations(np.vstack([few, [[7.0, 8.0]]]))[0, 1] > 0.9


def test_associations_are_of_values_and_of_distances_from_the_median():
    values = np.array([[1.0, 9.0], [2.0, 4.0], [3.0, 1.0], [4.0, 0.0], [5.0, -1.0]])
    first, second = associations(values)
    assert first[0, 1] == pytest.approx(np.arctanh(-0.999))
    # Distances from 3 and from 1: 2, 1, 0, 1, 2 and 8, 3, 0, 1, 2, whose ranks correlate.
    ranks = np.corrcoef([[4.5, 2.5, 1, 2.5, 4.5], [5, 4, 1, 2, 3]])[0, 1]
    assert second[0, 1] == pytest.approx(np.arctanh(0.999 * ranks))
    assert np.diag(first).tolist() == np.diag(second).tolist() == [0, 0]


@pytest.mark.parametrize("method", ["both", "marginal", "association", "owa"])
def test_the_cost_of_a_match_is_what_was_minimised(method):
    rng = np.random.default_rng(4)
    x, y = rng.gamma([1.0, 4.0, 9.0], size=(30, 3)), rng.gamma([9.0, 1.0], size=(20, 2))
    image, cost = match_columns(x, y, method, 5, np.random.default_rng(0))
    matched = np.flatnonzero(image >= 0)
    assert sorted(image[matched].tolist()) == [0, 1]
    if method == "owa":
        first, second = (representatives(side.T, family("owa:power")) for side in (x, y))
        own = np.sqrt(((first[:, None] - second[None]) ** 2).sum(axis=2))
    else:
        own = 5.0 * _marginal_costs(x, y)
    expected = own[matched, image[matched]].sum() if method != "association" else 0.0
    if method in ("both", "association"):
        # Differences of associations in units of chance, every pair of variables once.
        precision = np.sqrt(0.5 / (1 / 27 + 1 / 17))
        for one, other in zip(associations(x), associations(y), strict=True):
            gaps = one[np.ix_(matched, matched)] - other[np.ix_(image[matched], image[matched])]
            expected += precision**2 * (gaps**2).sum() / 2
    assert cost == pytest.approx(expected)


def test_a_match_read_backwards():
    back, signs = _inverse(np.array([2, 0]), np.array([-1, 1]), 4)
    assert (back.tolist(), signs.tolist()) == ([1, -1, 0, -1], [1, 1, -1, 1])
    match = VariableMatch(("a", "b"), ("x",), np.array([-1, 0]), 1.5)
    assert match.pairs == (("b", "x"),)
    assert (match.correct(), match.correct([("b", "x"), ("a", "x")])) == (0, 1)


def test_matches_come_cheapest_first_each_once():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(30, 4)) @ rng.normal(size=(4, 4))
    first = np.corrcoef(values.T)[None]
    second = np.corrcoef((values @ np.diag([1, -1, 1, 1]))[:, [2, 0, 3, 1]].T)[None]
    found = quadratic_matching(first, second, np.zeros((2, 4, 4)), False, 12, rng)
    costs = [cost for _, _, cost in found]
    assert costs == sorted(costs)
    assert len({(*image.tolist(), *signs.tolist()) for image, signs, _ in found}) == len(found)
    for image, signs, cost in found:
        assert signs.tolist() == [1, 1, 1, 1]
        assert cost == pytest.approx(((first[0] - second[0][np.ix_(image, image)]) ** 2).sum() / 2)
    turned = quadratic_matching(first, second, np.zeros((2, 4, 4)), True, 12, rng)[0]
    assert turned[2] == pytest.approx(0, abs=1e-9)
    assert turned[0].tolist() == [1, 3, 0, 2]
    # Without any start but the own costs, these alone decide where to begin, with the sign that is cheaper.
    own = np.ones((2, 4, 4))
    own[1, np.arange(4), [1, 3, 0, 2]] = 0.0
    begun = quadratic_matching(np.zeros((1, 4, 4)), np.zeros((1, 4, 4)), own, True, 0, rng)
    assert len(begun) == 1
    assert (begun[0][0].tolist(), begun[0][1].tolist(), begun[0][2]) == ([1, 3, 0, 2], [-1] * 4, pytest.approx(0))


def test_what_is_wrong_is_said_of_the_file_and_the_column_that_it_is_wrong_with():
    good = problems.table(np.arange(12.0).reshape(6, 2), "a")
    words = Microdata(pl.DataFrame({"w": ["x", "y"]}), Schema([Attribute("w", Nominal("xy"), "key")]))
    with pytest.raises(SchemaError, match="the first file has no numeric key"):
        match_variables(words, good)
    # Two values are enough, and the first column that has fewer is named.
    gaps = np.array([[1.0, np.nan, np.nan], [2.0, 5.0, np.nan], [np.nan, np.nan, 3.0]])
    with pytest.raises(DataError, match="column 'b1' of the second file has fewer than 2 values"):
        match_variables(good, problems.table(gaps, "b"))
    assert len(match_variables(good, problems.table(gaps[:, :1], "b")).pairs) == 1
    with pytest.raises(TypeError, match="match_variables: schema must be a Schema"):
        match_variables(good, good, schema={"a0": "numeric"})
    for parameters, name in (
        ({"restarts": -1}, "restarts"),
        ({"attributes_a": 3}, "attributes_a"),
        ({"attributes_b": 3}, "attributes_b"),
        ({"random_state": "x"}, "random_state"),
    ):
        with pytest.raises(ParameterError, match=f"match_variables: {name} must be"):
            match_variables(good, good, **parameters)
