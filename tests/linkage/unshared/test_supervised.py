from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.linkage.unshared import problems

from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.linkage.learned_weights import drawn_rivals, learn_weights
from discreet.linkage.unshared.supervised import SupervisedLinkage, _Features


def split(data_dir, name, n, known, seed=0):
    """A problem of P2, the first `known` records of the second file being known, and the truth about the others."""
    a, b, truth = problems.draw(problems.load(data_dir, name), n, np.random.default_rng(seed))
    pairs = [[int(truth[j]), j] for j in range(known)]
    rest = truth.copy()
    rest[:known] = -1
    return a, b, pairs, rest


def test_known_links_teach_the_others(data_dir):
    a, b, known, rest = split(data_dir, "wdbc", 150, 75)
    learned = SupervisedLinkage(known, improve=False).link(a, b).evaluate(rest)
    assert learned.expected > 50  # of 75
    improved = SupervisedLinkage(known).link(a, b).evaluate(rest)
    assert improved.expected > 70


@pytest.mark.parametrize("distance", ["weighted", "choquet"])
def test_learned_weights_of_representatives_beat_chance(data_dir, distance):
    a, b, known, rest = split(data_dir, "wdbc", 100, 50)
    linked = SupervisedLinkage(known, distance=distance, improve=False).link(a, b).evaluate(rest)
    assert linked.expected > 6  # of 50; guessing finds half a link, or one among those who are left


def test_more_known_links_are_no_worse(data_dir):
    found = []
    for known in (15, 100):
        a, b, pairs, _ = split(data_dir, "wdbc", 150, known, seed=1)
        truth = split(data_dir, "wdbc", 150, 100, seed=1)[3]
        found.append(SupervisedLinkage(pairs, improve=False).link(a, b).evaluate(truth).expected)
    assert found[1] > found[0]


@pytest.mark.parametrize("one_to_one", [True, False])
@pytest.mark.parametrize("n", [20, 30])
def test_known_links_are_kept(one_to_one, n):
    rng = np.random.default_rng(0)
    a, b = problems.table(rng.normal(size=(n, 3)), "a"), problems.table(rng.normal(size=(20, 2)), "b")
    known = [[5, 0], [7, 3], [2, 19]]
    for distance in ("bilinear", "weighted", "choquet"):
        links = SupervisedLinkage(known, distance=distance, one_to_one=one_to_one).link(a, b)
        assert links.best[[0, 3, 19]].tolist() == [5, 7, 2]
        if one_to_one:
            assert np.unique(links.best).size == 20
        assert (links.second != links.best).all()


def test_learning_is_the_optimum_of_its_programme():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 2))
    features = _Features(x, x + rng.normal(size=(40, 2)) / 5, "choquet")
    known = np.column_stack([np.arange(20), np.arange(20)])
    rivals = drawn_rivals(known, 40, 40, np.random.default_rng(1))
    weights = learn_weights(features.of, known, rivals, 0.1, positive=True)
    assert (weights >= 0).all()
    assert weights.max() > 0
    table = features.table(weights)
    everybody = np.arange(40)
    assert table[everybody, everybody] == pytest.approx(features.of(everybody, everybody) @ weights)
    # Known links are nearer than the average rival.
    assert table[everybody, everybody].mean() > table.mean()


def test_a_choquet_integral_of_differences():
    features = _Features(np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 0.0]]), np.array([[1.0], [2.0], [5.0]]), "choquet")
    values = -features.of(np.array([0]), np.array([1]))[0]
    k = features.x.shape[1]
    gaps = np.abs(features.x[0] - features.y[1])
    assert values[:k] == pytest.approx(gaps)
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    assert values[k:] == pytest.approx(
        [min(gaps[i], gaps[j]) for i, j in pairs] + [max(gaps[i], gaps[j]) for i, j in pairs]
    )


def test_blocks_use_their_own_known_links():
    rng = np.random.default_rng(0)
    x = rng.gamma(2.0, size=40)
    towns = np.repeat(["u", "v"], 20)
    schema = Schema(
        [Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key"), Attribute("town", Nominal("uv"), "key")]
    )
    a, b = pl.DataFrame({"x": x, "town": towns}), pl.DataFrame({"y": -x, "town": towns})
    known = [[i, i] for i in (0, 5, 10, 15, 20, 25, 30, 35)]
    links = SupervisedLinkage(known, by=["town"]).link(a, b, schema)
    assert links.evaluate().expected > 30
    with pytest.raises(DataError, match="0 known links \\(in a block\\)"):
        SupervisedLinkage(known[:4], by=["town"]).link(a, b, schema)


def test_bad_input():
    rng = np.random.default_rng(0)
    a, b = problems.table(rng.normal(size=(10, 2)), "a"), problems.table(rng.normal(size=(10, 2)), "b")
    for known, message in [
        ([[0, 0], [1, 10]], "positions beyond the 10 and 10 records"),
        ([[0, 0], [0, 1]], "known names a record twice"),
        ([[0, 0, 0], [1, 1, 1]], "known must be pairs of positions"),
        ([[0, 0]], "1 known links \\(in a block\\); learning needs at least 2"),
    ]:
        with pytest.raises(DataError, match=message):
            SupervisedLinkage(known).link(a, b)
    with pytest.raises(ParameterError, match="SupervisedLinkage: known must be a list"):
        SupervisedLinkage("0,0").link(a, b)
    with pytest.raises(ParameterError, match="SupervisedLinkage: regularisation must be a number above 0"):
        SupervisedLinkage([[0, 0], [1, 1]], regularisation=0).link(a, b)


def test_records_are_not_passed_over_for_having_the_number_of_a_known_one():
    """More records in the first file than in the second: whoever is dear needlessly would be left out."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(40, 4))
    truth = rng.permutation(40)[:30]
    known = [[int(truth[j]), j] for j in range(12)]
    assert set(range(12)) & set(truth[12:].tolist()), (
        "numbers of known records of the one file are others' in the other"
    )
    a, b = problems.table(values, "a"), problems.table(values[truth] @ rng.normal(size=(4, 4)), "b")
    assert SupervisedLinkage(known).link(a, b).best.tolist() == truth.tolist()
