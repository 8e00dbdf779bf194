from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from discreet.contracts.engine import InProcess
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.linkage.shared import prorated
from discreet.linkage.shared.estimation import Model
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage
from discreet.linkage.shared.prorated import prorated_pairs
from discreet.progress import listening

NUMBERS = Schema(Attribute(name, Numeric(), "key") for name in ("x", "y", "z"))
MIXED = Schema(
    [Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key"), Attribute("t", Nominal("abc"), "key")]
)


def noisy(n=40, m=30, seed=0, *, gaps=0.0, noise=0.1):
    """Two files of which the second is a part of the first with noise, and towns of which some are wrong."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 2)).round(3)
    towns = rng.choice(list("abc"), n)
    rows = rng.permutation(n)[:m]
    changed = (values[rows] + noise * rng.normal(size=(m, 2))).round(3)
    wrong = np.where(rng.random(m) < 0.1, rng.choice(list("abc"), m), towns[rows])
    files = []
    for numbers, names in ((values, towns), (changed, wrong)):
        table = {"x": numbers[:, 0], "y": numbers[:, 1], "t": names.astype(object)}
        for name, column in table.items():
            away = rng.random(len(column)) < gaps
            table[name] = [None if gone else value for value, gone in zip(column.tolist(), away, strict=True)]
        files.append(Microdata(pl.DataFrame(table, schema={"x": pl.Float64, "y": pl.Float64, "t": pl.String}), MIXED))
    return files[0], files[1], rows


def shares_of_agreement(a, b, tolerance, missing):
    """By attribute and pair, in plain loops: φ, or None where a missing value says nothing."""
    result = {}
    for name in ("x", "y", "t"):
        first, second = a.column(name).to_pylist(), b.column(name).to_pylist()
        if name != "t":
            present = [v for v in (*first, *second) if v is not None]
            mean = math.fsum(present) / len(present)
            spread = math.sqrt(math.fsum((v - mean) ** 2 for v in present) / len(present))
        table = []
        for w in second:
            row = []
            for v in first:
                if v is None or w is None:
                    row.append({"ignore": None, "disagree": 0.0, "agree": float(v is None and w is None)}[missing])
                elif name == "t":
                    row.append(float(v == w))
                else:
                    row.append(max(0.0, 1.0 - abs(v - w) / (tolerance * spread)))
            table.append(row)
        result[name] = table
    return result


def em_by_loops(shares, prior, steps, ignored):
    """m and u fixed, by attribute (missing, apart, agreeing), one pair after the other."""
    names = list(shares)
    pairs = [(j, i) for j in range(len(shares["x"])) for i in range(len(shares["x"][0]))]

    def states(weights):
        result = {}
        total = math.fsum(weights)
        for name in names:
            gone = agreeing = 0.0
            for weight, (j, i) in zip(weights, pairs, strict=True):
                share = shares[name][j][i]
                gone += weight * (share is None)
                agreeing += weight * (share or 0.0)
            result[name] = [gone / total, 1 - gone / total - agreeing / total, agreeing / total]
        return result

    def raised(m, u, name):
        top = max(m[2], u[2])
        some = max(m[1] + m[2], u[1] + u[2], top) if ignored[name] else 1.0
        return [1 - some, some - top, top]

    u = states([1.0] * len(pairs))
    m = {}
    for name in names:
        start = [0.05, 0.05, 0.9] if ignored[name] else [0.0, 0.1, 0.9]
        m[name] = raised(start, u[name], name)
    for _ in range(steps):
        posterior = []
        for j, i in pairs:
            log_odds = math.log(prior / (1 - prior))
            for name in names:
                share, ours, theirs = shares[name][j][i], m[name], u[name]
                if share is None:
                    log_odds += math.log(max(ours[0], 1e-300) / theirs[0])
                else:
                    log_odds += (1 - share) * math.log(max(ours[1], 1e-300) / max(theirs[1], 1e-300))
                    log_odds += share * math.log(ours[2] / theirs[2])
            posterior.append(1 / (1 + math.exp(-max(log_odds, -700.0))))
        new = states(posterior)
        before = dict(m)
        for name in names:
            m[name] = raised(new[name], u[name], name)
        if max(abs(x - y) for name in names for x, y in zip(m[name], before[name], strict=True)) < 1e-7:
            break
    return m, u


@pytest.mark.parametrize(("missing", "gaps"), [("ignore", 0.0), ("ignore", 0.15), ("disagree", 0.15), ("agree", 0.15)])
def test_em_and_links_are_those_of_plain_loops(missing, gaps):
    a, b, _ = noisy(16, 12, gaps=gaps)
    linker = ProbabilisticLinkage(numbers="prorated", m="em", tolerance=0.7, missing=missing)
    links = linker.link(a, b)
    shares = shares_of_agreement(a, b, 0.7, missing)
    ignored = {name: any(None in row for row in table) for name, table in shares.items()}
    m, u = em_by_loops(shares, 1 / 16, 500, ignored)
    model = linker.model_
    for j, name in enumerate(model.names):
        first = 0 if ignored[name] else 1
        assert model.u[j] == pytest.approx(u[name][first:], abs=1e-9)
        assert model.m[j] == pytest.approx(m[name][first:], abs=1e-4)
    for j in range(12):
        weights = []
        for i in range(16):
            weight = 0.0
            for name, own in zip(model.names, model.attribute_weights(), strict=True):
                share = shares[name][j][i]
                weight += 0.0 if share is None else (1 - share) * own[-2] + share * own[-1]
            weights.append(weight)
        order = sorted(range(16), key=lambda i: (-round(weights[i], 7), i))
        assert links.best[j] == order[0]
        assert links.score[j] == pytest.approx(weights[order[0]], abs=1e-8)
        assert links.second_score[j] == pytest.approx(weights[order[1]], abs=1e-8)


@pytest.mark.parametrize("m", ["em", "free", "known"])
@pytest.mark.parametrize("missing", ["ignore", "disagree", "agree"])
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_where_numbers_agree_fully_or_not_at_all_the_result_is_the_ordinary_one(m, missing, gaps):
    rng = np.random.default_rng(7)
    n = 60
    values = rng.integers(0, 6, size=(n, 3)).astype(float)
    changed = np.where(rng.random((n, 3)) < 0.15, rng.integers(0, 6, size=(n, 3)), values).astype(float)
    values[rng.random((n, 3)) < gaps] = np.nan
    changed[rng.random((n, 3)) < gaps] = np.nan
    a, b = (pl.DataFrame(part, schema=["x", "y", "z"]).fill_nan(None) for part in (values, changed))
    # Whole numbers that differ do so by more than a small tolerance.
    soft = ProbabilisticLinkage(numbers="prorated", m=m, missing=missing, tolerance=1e-3)
    hard = ProbabilisticLinkage(bins=None, m=m, missing=missing)
    links, ordinary = soft.link(a, b, NUMBERS), hard.link(a, b, NUMBERS)
    for ours, theirs in zip((*soft.model_.m, *soft.model_.u), (*hard.model_.m, *hard.model_.u), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-5)
    assert soft.model_.prior == pytest.approx(hard.model_.prior, abs=1e-6)
    assert links.score == pytest.approx(ordinary.score, abs=1e-3)
    assert np.array_equal(links.best, ordinary.best)
    assert np.array_equal(links.ties, ordinary.ties)


def test_small_differences_are_worth_more_than_in_classes():
    a, b, rows = noisy(200, 200, noise=0.05)
    soft = ProbabilisticLinkage(numbers="prorated", m="em").link(a, b).evaluate(rows).expected
    hard = ProbabilisticLinkage(m="em").link(a, b).evaluate(rows).expected
    assert soft > 1.5 * hard > 0


def test_blocks_and_what_is_not_kept_change_nothing(monkeypatch):
    a, b, _ = noisy(gaps=0.1)
    whole = ProbabilisticLinkage(numbers="prorated", m="em")
    links = whole.link(a, b)
    monkeypatch.setattr(prorated, "_BLOCK", 100)
    monkeypatch.setattr(prorated, "_KEPT", 0)
    parts = ProbabilisticLinkage(numbers="prorated", m="em")
    again = parts.link(a, b)
    assert np.array_equal(links.best, again.best)
    assert links.score == pytest.approx(again.score, abs=1e-8)
    assert whole.thresholds_ == pytest.approx(parts.thresholds_, abs=1e-3)


def test_equal_records_count_as_often_as_they_occur():
    a, b, _ = noisy(20, 20)
    doubled = Microdata(pl.concat([a.to_polars(), a.to_polars()]), MIXED)
    pairs = prorated_pairs("test", doubled, b, ("x", "y", "t"), 1.0, "ignore")
    assert (pairs.n_a, pairs.first.first.size, int(pairs.between.sum())) == (40, 20, 800)
    links = ProbabilisticLinkage(numbers="prorated", m="em").link(doubled, b)
    assert set(links.ties.tolist()) == {2}
    assert np.array_equal(links.second, links.best + 20)


def test_thresholds_keep_to_the_shares_that_were_asked_for():
    a, b, _ = noisy(150, 150, noise=0.03)
    linker = ProbabilisticLinkage(numbers="prorated", m="em", false_links=0.001, false_non_links=0.1)
    linker.link(a, b)
    upper, lower = linker.thresholds_
    pairs = linker.diagnosis_.counts
    weights = pairs.total(linker.model_.attribute_weights())
    odds = linker.model_.prior / (1 - linker.model_.prior) * 2**weights
    match = odds / (1 + odds)
    assert 0 < (1 - match)[weights >= upper].sum() <= 0.00101 * (1 - match).sum()
    assert 0 < match[weights <= lower].sum() <= 0.101 * match.sum()
    assert linker.diagnosis_.histogram()[1].sum() == 150 * 150


def test_both_directions_weigh_the_same_pairs():
    a, b, _ = noisy(gaps=0.1)
    linker = ProbabilisticLinkage(numbers="prorated", m="em")
    there, back = linker.link_both(a, b)
    assert there.score == pytest.approx(linker.link(a, b).score)
    assert there.score.max() == pytest.approx(back.score.max())
    assert (back.n_a, back.n_b) == (len(b), len(a))


def test_one_to_one_takes_nobody_twice():
    a, b, rows = noisy(40, 40)
    links = ProbabilisticLinkage(numbers="prorated", m="em", one_to_one=True).link(a, b)
    assert sorted(links.best.tolist()) == list(range(40))
    free = ProbabilisticLinkage(numbers="prorated", m="em").link(a, b)
    assert links.evaluate(rows).expected >= free.evaluate(rows).expected


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({"m": "anchored"}, 'm="anchored"'),
        ({"dependence": "pairs"}, 'dependence="pairs"'),
        ({"similarity": ["t"]}, "similarity"),
        ({"term_frequency": True}, "term_frequency"),
        ({"ordinal_bins": 3}, "ordinal_bins"),
    ],
)
def test_what_counts_agreement_as_yes_or_no_is_refused(parameters, what):
    a, b, _ = noisy()
    linker = ProbabilisticLinkage(**{"numbers": "prorated", "m": "em", **parameters})
    with pytest.raises(ParameterError, match=f"cannot be combined with {what}") as refused:
        linker.link(a, b)
    anchored = linker.m == "anchored"
    assert refused.value.hint == ('Use m="em", "free" or "known".' if anchored else f"Leave {what} out.")


def test_too_many_pairs_are_refused(monkeypatch):
    a, b, _ = noisy()
    monkeypatch.setattr(prorated, "MOST_PAIRS", 1199)
    with pytest.raises(DataError, match="40 and 30 records have more than 1199"):
        ProbabilisticLinkage(numbers="prorated", m="em").link(a, b)
    monkeypatch.setattr(prorated, "MOST_PAIRS", 1200)
    assert ProbabilisticLinkage(numbers="prorated", m="em").link(a, b).n_b == 30


def test_a_constant_column_and_large_numbers():
    rng = np.random.default_rng(1)
    values = 1e9 + rng.normal(size=50)
    frame = pl.DataFrame({"x": values, "y": np.full(50, 3.0), "z": rng.normal(size=50)})
    links = ProbabilisticLinkage(numbers="prorated", m="em").link(frame, frame, NUMBERS)
    assert links.evaluate().expected == 50


def small(missing="ignore"):
    """Two files of four and three records, whose numbers have a spread of 2 together, in tolerances of one spread."""
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("t", Nominal("ab"), "key")])
    a = pl.DataFrame({"x": [0.0, 4.0, 0.0, 1.0], "t": ["a", "b", "a", None]})
    b = pl.DataFrame({"x": [4.0, 0.0, 5.0], "t": ["b", "b", "a"]})
    both = np.array([0.0, 4.0, 0.0, 1.0, 4.0, 0.0, 5.0])
    tolerance = 2.0 / both.std()
    return prorated_pairs("X", Microdata(a, schema), Microdata(b, schema), ("x", "t"), tolerance, missing)


def test_pairs_of_distinct_records_by_hand():
    pairs = small()
    assert (pairs.n_a, pairs.n_b, pairs.names, pairs.ignored) == (4, 3, ("x", "t"), (False, True))
    assert repr(pairs) == "ProratedPairs(2 attributes of 4 × 3 pairs)"
    # The first and the third record of A are one.
    assert pairs.between.tolist() == [2, 1, 1] * 3
    (block,) = pairs.blocks()
    # In units of 2, from 0, 4 and 1 to 4, 0 and 5.
    assert block.agreement[0] == pytest.approx([0, 1, 0, 1, 0, 0.5, 0, 0.5, 0])
    assert block.agreement[1].tolist() == [0, 1, 0, 0, 1, 0, 1, 0, 0]
    assert block.absent.tolist() == [[False] * 9, [False, False, True] * 3]
    assert block.pairs.tolist() == pairs.between.tolist()
    weights = (np.array([-2.0, 4.0]), np.array([0.0, -1.0, 3.0]))
    expected = [-3, 7, -2, 3, 1, 1, 1, 0, -2]
    assert pairs.total(weights) == pytest.approx(expected)
    back = pairs.swapped()
    assert (back.n_a, back.n_b) == (3, 4)
    assert back.total(weights).reshape(3, 3).T.ravel() == pytest.approx(expected)
    assert back.between.tolist() == [2, 2, 2, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(("missing", "alike"), [("disagree", 0.0), ("agree", 1.0)])
def test_missing_values_agree_with_nobody_or_with_each_other(missing, alike):
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("t", Nominal("ab"), "key")])
    files = [Microdata(pl.DataFrame({"x": [1.0, 3.0, None], "t": ["a", "b", None]}), schema) for _ in range(2)]
    pairs = prorated_pairs("X", *files, ("x", "t"), 1.0, missing)
    assert pairs.ignored == (False, False)
    (block,) = pairs.blocks()
    expected = [1, 0, 0, 0, 1, 0, 0, 0, alike]
    assert block.agreement.tolist() == [expected, expected]
    assert not block.absent.any()


def test_blocks_are_runs_of_records_of_the_second_file(monkeypatch):
    pairs = small()
    assert pairs.rows() == [(0, 3)]
    for size, rows in ((2, [(0, 1), (1, 2), (2, 3)]), (6, [(0, 2), (2, 3)]), (9, [(0, 3)])):
        monkeypatch.setattr(prorated, "_BLOCK", size)
        assert pairs.rows() == rows
        assert pairs.total((np.array([0.0, 1.0]), np.array([0.0, 0.0, 0.0]))) == pytest.approx(
            [0, 1, 0, 1, 0, 0.5, 0, 0.5, 0]
        )


def test_the_truth_is_read_off_records_in_one_order():
    a, b, rows = noisy(12, 12, gaps=0.2)
    a = a.take(rows)
    pairs = prorated_pairs("X", a, b, ("x", "y", "t"), 0.7, "ignore")
    shares = shares_of_agreement(a, b, 0.7, "ignore")
    model = prorated.estimate_prorated(pairs, "known", InProcess())
    overall = [[share for row in shares[name] for share in row] for name in ("x", "y", "t")]
    for j, name in enumerate(("x", "y", "t")):
        own = [shares[name][i][i] for i in range(12)]
        for side, known in ((model.u[j], overall[j]), (model.m[j], own)):
            agreeing = sum(share or 0.0 for share in known) / len(known)
            gone = sum(share is None for share in known) / len(known)
            if side is model.u[j]:
                assert side == pytest.approx([gone, 1 - gone - agreeing, agreeing])
            else:
                top = max(agreeing, model.u[j][2])
                some = max(1 - gone, 1 - model.u[j][0])
                assert side == pytest.approx([1 - some, some - top, top])
    assert model.prior == pytest.approx(1 / 12)
    assert (model.names, model.ignored) == (("x", "y", "t"), (True, True, True))


def free_em(shares, steps):
    """Return m and u with both and the prior free, one pair after the other."""
    names = list(shares)
    cells = [(j, i) for j in range(len(shares["x"])) for i in range(len(shares["x"][0]))]
    prior = 1 / max(len(shares["x"]), len(shares["x"][0]))

    def states(weights):
        total = math.fsum(weights)
        agreeing = {n: math.fsum(w * shares[n][j][i] for w, (j, i) in zip(weights, cells, strict=True)) for n in names}
        return {n: [1 - agreeing[n] / total, agreeing[n] / total] for n in names}

    m, u = {n: [0.1, 0.9] for n in names}, states([1.0] * len(cells))
    for _ in range(steps):
        posterior = []
        for j, i in cells:
            odds = math.log(prior / (1 - prior))
            for n in names:
                share = shares[n][j][i]
                odds += (1 - share) * math.log(m[n][0] / u[n][0]) + share * math.log(m[n][1] / u[n][1])
            posterior.append(1 / (1 + math.exp(-odds)))
        m, u = states(posterior), states([1 - one for one in posterior])
        prior = min(sum(posterior) / len(cells), 0.5)
    return m, u


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_free_estimation_is_that_of_plain_loops(steps):
    a, b, _ = noisy(10, 8)
    pairs = prorated_pairs("X", a, b, ("x", "y", "t"), 0.7, "ignore")
    model = prorated.estimate_prorated(pairs, "free", InProcess(), steps)
    m, u = free_em(shares_of_agreement(a, b, 0.7, "ignore"), steps)
    for j, name in enumerate(("x", "y", "t")):
        assert model.m[j] == pytest.approx(m[name], abs=1e-9)
        assert model.u[j] == pytest.approx(u[name], abs=1e-9)
    assert model.prior == pytest.approx(1 / 10)


def test_progress_is_told_step_by_step():
    a, b, _ = noisy(10, 8)
    pairs = prorated_pairs("X", a, b, ("x", "y", "t"), 0.7, "ignore")
    told = []
    with listening(lambda *report: told.append(report)):
        prorated.estimate_prorated(pairs, "em", InProcess(), 3)
    assert told == [("estimating how often matches agree", step, 3) for step in (1, 2, 3)]


def test_weights_are_counted_by_the_probability_of_a_match():
    pairs = small()
    m, u = (np.array([0.25, 0.75]), np.array([0.25, 0.25, 0.5])), (np.array([0.5, 0.5]), np.array([0.25, 0.5, 0.25]))
    model = Model(("x", "t"), m, u, 0.25, (False, True))
    weights = pairs.total(model.attribute_weights())
    odds = 2.0**weights / 3
    match = odds / (1 + odds)
    levels, matched, unmatched, blur = prorated.weight_shares(pairs, model)
    assert blur == 0.0005
    expected = sorted({round(float(one), 3) for one in weights}, reverse=True)
    assert levels == pytest.approx(expected, abs=0.002)
    for found, chance in ((matched, match), (unmatched, 1 - match)):
        share = pairs.between * chance / (pairs.between * chance).sum()
        assert found == pytest.approx([share[np.abs(weights - one) < 0.002].sum() for one in expected])
        assert found.sum() == pytest.approx(1)


def test_best_links_and_assignments_by_hand():
    pairs = small()
    m, u = (np.array([0.25, 0.5]), np.array([0.25, 0.25, 0.5])), (np.array([0.5, 0.25]), np.array([0.25, 0.5, 0.25]))
    model = Model(("x", "t"), m, u, 0.25, (False, True))
    # Agreement is worth 1 on either, disagreement −1, a missing value nothing.
    assert [list(weight) for weight in model.attribute_weights()] == [[-1.0, 1.0], [0.0, -1.0, 1.0]]
    nearest = prorated.best_prorated(pairs, model, InProcess())
    # From 4 b, 0 b and 5 a to 0 a (twice), 4 b, 1 and missing.
    assert nearest.best.tolist() == [1, 0, 0]
    assert nearest.score.tolist() == [-2.0, 0.0, 0.0]
    assert nearest.ties.tolist() == [1, 4, 2]
    assert nearest.second.tolist() == [3, 1, 2]
    assert nearest.second_score.tolist() == [1.0, 0.0, 0.0]
    partner, cost = prorated.assign_prorated("X", pairs, model)
    assert partner[0] == 1
    assert partner[2] in (0, 2)
    assert sorted({0, 1, 2, 3} - set(partner.tolist())) in ([0], [2], [3])
    assert cost.tolist() == [-2.0, 0.0, 0.0]


def test_one_candidate_has_no_second():
    schema = Schema([Attribute("x", Numeric(), "key")])
    a, b = (Microdata(pl.DataFrame({"x": values}), schema) for values in ([1.0], [1.0, 2.0]))
    pairs = prorated_pairs("X", a, b, ("x",), 1.0, "ignore")
    model = Model(("x",), (np.array([0.25, 0.75]),), (np.array([0.5, 0.5]),), 0.5, (False,))
    nearest = prorated.best_prorated(pairs, model, InProcess())
    assert (nearest.best.tolist(), nearest.second.tolist(), nearest.ties.tolist()) == ([0, 0], [-1, -1], [1, 1])


def test_without_second_best_the_links_are_the_same():
    a, b, _ = noisy(10, 8)
    linker = ProbabilisticLinkage(numbers="prorated", m="em")
    assert linker.link(a, b, second=False).best.tolist() == linker.link(a, b).best.tolist()
    for alone, usual in zip(linker.link_both(a, b, second=False), linker.link_both(a, b), strict=True):
        assert alone.best.tolist() == usual.best.tolist()
