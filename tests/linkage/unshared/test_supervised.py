from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.linkage.unshared import problems

from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.linkage.learned_weights import drawn_rivals, learn_weights
from discreet.linkage.unshared import supervised
from discreet.linkage.unshared.canonical import Match
from discreet.linkage.unshared.supervised import SupervisedLinkage, _best_links, _different_columns, _Features


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


def test_two_known_links_are_enough_to_learn_from_and_one_is_not():
    rng = np.random.default_rng(0)
    a, b = problems.table(rng.normal(size=(10, 2)), "a"), problems.table(rng.normal(size=(10, 2)), "b")
    links = SupervisedLinkage([[3, 4], [5, 6]]).link(a, b)
    assert links.best[[4, 6]].tolist() == [3, 5]
    # Positions count from 0: the last record of either file may be named, nobody after it.
    assert SupervisedLinkage([[3, 9], [9, 6]]).link(a, b).best[[9, 6]].tolist() == [3, 9]
    for known in ([[3, 4], [10, 6]], [[3, 10], [9, 6]]):
        with pytest.raises(DataError, match="known names positions beyond the 10 and 10 records"):
            SupervisedLinkage(known).link(a, b)
    with pytest.raises(DataError, match="known names a record twice"):
        SupervisedLinkage([[0, 1], [2, 1]]).link(a, b)


TABLE = np.array([[5.0, 4.0, 9.0], [6.0, 7.0, 8.0], [1.0, 2.0, 0.0]])
"""How well records of the second file (rows) fit those of the first."""


def test_known_links_are_settled_before_the_others_choose():
    known = np.array([[0, 2], [2, 1]])
    free = _best_links(TABLE, known, False, np.random.default_rng(0))
    assert (free.best.tolist(), free.second.tolist()) == ([2, 2, 0], [0, 1, 1])
    assert free.score.tolist() == [9.0, 8.0, 1.0]
    # A second that would fit better than a known link is worth no more than it.
    assert free.second_score.tolist() == [5.0, 7.0, 1.0]
    once = _best_links(TABLE, known, True, np.random.default_rng(0))
    assert (once.best.tolist(), once.second.tolist()) == ([1, 2, 0], [2, 1, 1])
    assert (once.score.tolist(), once.second_score.tolist()) == ([4.0, 8.0, 1.0], [4.0, 7.0, 1.0])


def test_who_is_left_over_has_no_link_and_a_single_candidate_no_second():
    once = _best_links(TABLE[:, :2], np.array([[0, 1], [1, 0]]), True, np.random.default_rng(0))
    assert once.best.tolist() == [1, 0, -1]
    assert once.score.tolist() == [4.0, 6.0, -np.inf]
    assert once.second.tolist() == [0, 1, -1]
    alone = _best_links(TABLE[:, :1], np.array([[0, 1]]), False, np.random.default_rng(0))
    assert (alone.best.tolist(), alone.second.tolist()) == ([0, 0, 0], [-1, -1, -1])


def test_among_equals_one_is_drawn():
    equal = np.zeros((200, 3))
    drawn = _best_links(equal, np.array([[0, 0]]), False, np.random.default_rng(1)).best[1:]
    assert len(set(drawn.tolist())) == 1, "of the same table, all see the same one first"
    firsts = {int(_best_links(equal, np.array([[0, 0]]), False, np.random.default_rng(s)).best[1]) for s in range(20)}
    assert firsts == {0, 1, 2}


def test_columns_that_are_equal_in_both_files_are_kept_once():
    x = np.array([[1.0, 1.0, 2.0, 1.0], [3.0, 3.0, 4.0, 3.0]])
    y = np.array([[5.0, 5.0, 6.0, 0.0]])
    assert _different_columns(x, y).tolist() == [0, 2, 3]
    assert _different_columns(x, y[:, [0, 0, 0, 0]]).tolist() == [0, 2]


def test_features_are_products_or_minus_squared_differences():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 2)), rng.normal(size=(30, 3))
    bilinear = _Features(x, y, "bilinear")
    weights = rng.normal(size=6)
    pairs = np.array([0, 5, 2]), np.array([4, 0, 1])
    both = list(zip(*pairs, strict=True))
    expected = [[bilinear.x[i, p] * bilinear.y[j, q] for p in range(2) for q in range(3)] for i, j in both]
    assert bilinear.of(*pairs) == pytest.approx(np.array(expected))
    weighted = _Features(x, y, "weighted")
    assert weighted.of(*pairs) == pytest.approx(-((weighted.x[pairs[0]] - weighted.y[pairs[1]]) ** 2))
    for features, own in ((bilinear, weights), (weighted, rng.random(weighted.x.shape[1]))):
        table = features.table(own)
        assert table.shape == (30, 40)
        assert table[pairs[1], pairs[0]] == pytest.approx(features.of(*pairs) @ own)


def test_files_of_other_lengths_are_told_apart_in_what_is_refused(monkeypatch):
    rng = np.random.default_rng(0)
    a, b = problems.table(rng.normal(size=(10, 2)), "a"), problems.table(rng.normal(size=(8, 2)), "b")
    with pytest.raises(DataError, match="positions beyond the 10 and 8 records of the files"):
        SupervisedLinkage([[0, 0], [1, 8]]).link(a, b)
    known = [[0, 0], [9, 7]]
    monkeypatch.setattr(supervised, "MOST_PAIRS", 80)
    assert SupervisedLinkage(known).link(a, b).best[[0, 7]].tolist() == [0, 9]
    monkeypatch.setattr(supervised, "MOST_PAIRS", 79)
    with pytest.raises(DataError, match="files of 10 and 8 records have too many pairs"):
        SupervisedLinkage(known).link(a, b)


@pytest.mark.parametrize(
    ("n_b", "parameters", "improved"),
    [
        (9, {}, True),
        (8, {}, False),  # fewer than three quarters
        (9, {"improve": False}, False),
        (9, {"one_to_one": False}, False),
    ],
)
def test_a_match_is_improved_where_files_are_alike_and_everybody_is_taken_once(monkeypatch, n_b, parameters, improved):
    asked = []
    monkeypatch.setattr(
        supervised, "_improved", lambda x, y, table, links: asked.append((x.shape, y.shape, links.tolist())) or table
    )
    rng = np.random.default_rng(0)
    a, b = problems.table(rng.normal(size=(12, 2)), "a"), problems.table(rng.normal(size=(n_b, 3)), "b")
    SupervisedLinkage([[11, 0], [1, 7]], **parameters).link(a, b)
    assert asked == ([((12, 2), (9, 3), [[11, 0], [1, 7]])] if improved else [])


def test_known_links_are_never_given_up_and_representatives_count_as_far_as_they_rate_them_above_others(monkeypatch):
    evidence = np.array([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0], [7.0, 6.0, 8.0]])
    start = np.array([0, 1, 2]), np.array([2, 1, 0])
    told = {}

    def improve_starts(views, starts, fit):
        told.update(views=views, starts=starts, fit=fit)
        return [Match(*starts[0], 1.0, fit + 0.5), Match(*starts[1], 0.0, fit)]

    monkeypatch.setattr(supervised, "views_of", lambda x, y: (x, y))
    monkeypatch.setattr(supervised, "representative_evidence", lambda _: (evidence, [start]))
    monkeypatch.setattr(supervised, "improve_starts", improve_starts)
    # Of rows 0 and 2 the known entries 1 and 7 stand above none of three and above one: a share of 1/6, no better
    # than chance. Entries 3 and 8 stand above two each: 2 · 2/3 − 1 is a third.
    for links, share in ((np.array([[0, 1], [2, 0]]), 0.0), (np.array([[0, 0], [2, 2]]), 1 / 3)):
        table = np.array([[0.0, 9.0, 1.0], [4.0, 0.0, 2.0], [3.0, 5.0, 0.0]])  # a row a record of the second file
        found = supervised._improved("x", "y", table, links)
        assert told["views"] == ("x", "y")
        bonus = 1e4 + 10.0 * 8.0 * share
        left = {(int(a), int(b)) for a, b in links}
        fast = np.zeros((3, 3))
        for i in range(3):
            for j in range(3):
                if (i, j) in left:
                    fast[i, j] = bonus
                elif any(i == a or j == b for a, b in left):
                    fast[i, j] = -bonus
        assert told["fit"] == pytest.approx(share * evidence + fast)
        assert found == pytest.approx((share * evidence + 0.5).T)
        # Two of three are known, so that every start is the same match.
        assert len(told["starts"]) == 2
        rest = ({0, 1, 2} - set(links[:, 0].tolist()), {0, 1, 2} - set(links[:, 1].tolist()))
        for rows, columns in told["starts"]:
            pairs = set(zip(rows.tolist(), columns.tolist(), strict=True))
            assert pairs == left | {(min(rest[0]), min(rest[1]))}


def test_a_start_keeps_its_pairs_beside_known_links():
    fast = np.array([[5.0, -5.0], [-5.0, 0.0]])
    table = supervised._with_pairs((np.array([0, 1]), np.array([1, 1])), fast)
    assert table.tolist() == [[5.0, -4.0], [-5.0, 1.0]]
    assert fast.tolist() == [[5.0, -5.0], [-5.0, 0.0]]


def test_links_between_blocks_teach_neither():
    rng = np.random.default_rng(0)
    towns = np.repeat(["u", "v"], 10)
    schema = Schema(
        [Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key"), Attribute("town", Nominal("uv"), "key")]
    )
    a = pl.DataFrame({"x": rng.normal(size=20), "town": towns})
    b = pl.DataFrame({"y": rng.normal(size=20), "town": towns[::-1]})
    # The first block of the second file are its last records: of the first and the last of it, links are known.
    known = [[0, 19], [9, 10], [10, 0], [19, 9], [5, 5], [15, 15]]
    links = SupervisedLinkage(known, by=["town"]).link(a, b, schema)
    assert links.best[[19, 10, 0, 9]].tolist() == [0, 9, 10, 19]
    with pytest.raises(DataError, match="1 known links"):
        SupervisedLinkage(known[1:], by=["town"]).link(a, b, schema)
