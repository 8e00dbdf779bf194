from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.linkage.unshared import problems

from discreet.contracts.engine import InProcess
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.linkage.chance import significance
from discreet.linkage.unshared import structural
from discreet.linkage.unshared.canonical import Match, Whitened, gains, improve, solve, whiten
from discreet.linkage.unshared.hub_search import METRICS, distances
from discreet.linkage.unshared.near_representatives import log_nearness, weights_of
from discreet.linkage.unshared.representatives import representatives
from discreet.linkage.unshared.structural import (
    _QUANTILES,
    VIEWS,
    StructuralLinkage,
    _averaged,
    _quantile_costs,
    _side_by_side,
    _variable_tables,
    improve_starts,
    matched_variables,
    representative_evidence,
    sharpness,
    views_of,
    whitened_stages,
)
from discreet.progress import listening


def mean_correct(data_dir, name, runs, seed=0, **parameters):
    halves, rng = problems.load(data_dir, name), np.random.default_rng(seed)
    found = []
    for _ in range(runs):
        a, b, truth = problems.draw(halves, 100, rng)
        found.append(StructuralLinkage(**parameters).link(a, b).evaluate(truth).expected)
    return float(np.mean(found))


# The paper's best are 18.2, about 10, 10.4, 9.9 and 22.2; means over 200 runs are in the benchmark. These few runs
# stray by several links, so the bounds are looser than there.
@pytest.mark.parametrize(
    ("name", "runs", "least"),
    [("wdbc", 3, 97), ("water-treatment", 6, 50), ("census", 10, 20), ("abalone", 10, 11), ("ionosphere", 8, 18)],
)
def test_files_of_p2(data_dir, name, runs, least):
    assert mean_correct(data_dir, name, runs) >= least


def latent(n, rng, noise=0.05):
    hidden = rng.gamma([1.0, 2.0, 4.0, 8.0], size=(n, 4))
    other = np.column_stack([hidden[:, [2, 0, 3, 1]] ** 1.5, hidden.sum(axis=1)])
    return tuple(side * np.exp(noise * rng.normal(size=side.shape)) for side in (hidden, other))


def test_the_order_of_the_files_tells_nothing():
    rng = np.random.default_rng(0)
    x, y = latent(60, rng)
    order = rng.permutation(60)
    tables = problems.table(x, "a"), problems.table(y, "b"), problems.table(y[order], "b")
    plain = StructuralLinkage().link(tables[0], tables[1]).evaluate().expected
    moved = StructuralLinkage().link(tables[0], tables[2]).evaluate(order).expected
    assert plain > 20
    assert abs(plain - moved) <= 20
    # Pure noise gives no more than guessing does.
    found = []
    for seed in range(12):
        noise = np.random.default_rng(seed).normal(size=(40, 6))
        links = StructuralLinkage(random_state=seed).link(
            problems.table(noise[:, :3], "a"), problems.table(noise[:, 3:], "b")
        )
        found.append(links.evaluate().expected)
    assert np.mean(found) < 2.2


def test_equal_records_are_linked_at_chance():
    twice = np.repeat([[0.0, 1.0, 2.0], [1.0, 0.0, 5.0]], 20, axis=0)
    right = [
        StructuralLinkage(random_state=seed)
        .link(problems.table(twice, "a"), problems.table(twice, "b"))
        .evaluate()
        .expected
        for seed in range(15)
    ]
    assert np.mean(right) < 4  # two groups of 20 that nothing tells apart: 2 by guessing


def test_files_without_common_individuals_are_at_chance():
    rng = np.random.default_rng(1)
    x, _ = latent(60, rng)
    _, y = latent(60, rng)
    links = StructuralLinkage().link(problems.table(x, "a"), problems.table(y, "b"))
    report = significance(links)
    assert report.at_chance
    assert "at chance level" in report.sentence
    nobody = significance(links, np.full(60, -1))
    assert (nobody.correct, nobody.p_value) == (0, 1)


def test_seed_reproduces_and_evidence_is_reported():
    rng = np.random.default_rng(2)
    x, y = latent(50, rng)
    a, b = problems.table(x, "a"), problems.table(y, "b")
    linker = StructuralLinkage(random_state=5)
    first, evidence = linker.link(a, b), linker.evidence_
    second = linker.link(a, b)
    assert np.array_equal(first.best, second.best)
    assert len(evidence) == 1
    assert evidence == linker.evidence_
    assert (first.second != first.best).all()
    assert first.higher_is_better
    assert (first.score >= first.second_score).all()
    assert np.unique(first.best).size == 50


@pytest.mark.parametrize(
    "parameters",
    [
        {"one_to_one": False},
        {"start": "variables"},
        {"start": "representatives", "metric": "root"},
        {"normalise": "ranging"},
    ],
)
def test_every_choice_finds_highly_correlated_files(data_dir, parameters):
    assert mean_correct(data_dir, "wdbc", 2, **parameters) > 60


def test_a_few_records_of_many(data_dir):
    halves = problems.load(data_dir, "wdbc")
    few = np.arange(0, 150, 3)
    a, b = problems.table(halves[0][:150], "a"), problems.table(halves[1][few], "b")
    links = StructuralLinkage().link(a, b)
    report = significance(links, few)
    assert report.correct > 5
    assert report.p_value < 1e-6
    back = StructuralLinkage().link(b, a)
    assert (back.best >= 0).sum() == 50
    assert np.isneginf(back.score[back.best < 0]).all()


def test_blocks():
    rng = np.random.default_rng(3)
    x, y = latent(90, rng)
    towns = np.repeat(["u", "v", "w"], 30)
    schema = Schema(
        [Attribute(f"x{j}", Numeric(), "key") for j in range(4)]
        + [Attribute(f"y{j}", Numeric(), "key") for j in range(5)]
        + [Attribute("town", Nominal("uvw"), "key")]
    )
    a = pl.DataFrame(x, schema=[f"x{j}" for j in range(4)]).with_columns(town=pl.Series(towns))
    b = pl.DataFrame(y, schema=[f"y{j}" for j in range(5)]).with_columns(town=pl.Series(towns))
    linker = StructuralLinkage(by=["town"])
    links = linker.link(a, b, schema)
    assert (towns[links.best] == towns).all()
    assert len(linker.evidence_) == 3
    assert np.unique(links.best).size == 90


def test_odd_files():
    rng = np.random.default_rng(4)
    one = rng.normal(size=(30, 1))
    links = StructuralLinkage().link(problems.table(one, "a"), problems.table(np.exp(one), "b"))
    assert links.evaluate().expected == pytest.approx(30)
    wide = rng.normal(size=(12, 40))  # more attributes than records
    links = StructuralLinkage().link(problems.table(wide[:, :20], "a"), problems.table(wide[:, 20:], "b"))
    assert np.unique(links.best).size == 12
    x, y = latent(40, rng)
    x = np.column_stack([x, np.ones(40)])
    x[::5, 0] = np.nan
    y[3, 1:] = np.nan
    links = StructuralLinkage().link(problems.table(x, "a"), problems.table(y, "b"))
    assert (links.best >= 0).all()
    tiny = StructuralLinkage().link(problems.table(x[:2], "a"), problems.table(y[:2], "b"))
    assert sorted(tiny.best) == [0, 1]


def test_bad_input():
    rng = np.random.default_rng(0)
    a, b = problems.table(rng.normal(size=(30, 2)), "a"), problems.table(rng.normal(size=(30, 3)), "b")
    with pytest.raises(ParameterError, match="StructuralLinkage: normalise must be one of 'auto'"):
        StructuralLinkage(normalise="rank").link(a, b)
    with pytest.raises(DataError, match="none of the 2 attributes of the first file varies"):
        StructuralLinkage().link(problems.table(np.zeros((5, 2)), "a"), b)


def test_sharpness_rises_with_true_pairs():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(100, 3))

    def table(noise):
        other = points + noise * rng.normal(size=points.shape)
        return np.sqrt(((points[:, None] - other[None]) ** 2).sum(axis=2))

    values = [sharpness(table(noise)) for noise in (0.01, 0.2, 3.0)]
    assert values == sorted(values, reverse=True)
    assert sharpness(np.zeros((5, 5))) == 0
    assert sharpness(np.eye(2)) == 1


def test_improvement_never_ends_below_where_it_began():
    rng = np.random.default_rng(0)
    x, y = latent(50, rng, noise=0.5)
    files = [Whitened(whiten(x, 0.01), whiten(y, 0.01))]
    everybody = np.arange(50)
    truth, chance = gains(files, everybody, everybody)[1], gains(files, everybody, rng.permutation(50))[1]
    assert truth > 2 * chance
    start = solve(rng.normal(size=(50, 50)))
    end = improve(files, *start, np.zeros((50, 50)))
    assert end.objective >= gains(files, *start)[1]
    assert improve(files, everybody, everybody, np.zeros((50, 50))).objective >= truth - 1e-9


def test_whitening():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3))
    white = whiten(values, 0.0)
    assert white.T @ white / 200 == pytest.approx(np.eye(3), abs=1e-9)
    assert whiten(np.column_stack([values, values[:, 0]]), 0.0).shape == (200, 3)
    assert whiten(rng.normal(size=(12, 40)), 0.1).shape == (12, 3)


def test_links_of_a_table_of_sums_by_hand():
    from discreet.linkage.unshared.structural import _best_links

    # Rows are records of A, columns those of B; both come in an order of their own.
    table = np.array([[5.0, 1.0, 4.0], [3.0, 2.0, 6.0]])
    order_x, order_y = np.array([1, 0]), np.array([2, 0, 1])
    nearest = _best_links(table, order_x, order_y, False)
    assert nearest.best.tolist() == [0, 0, 1]
    assert nearest.second.tolist() == [1, 1, 0]
    assert nearest.score.tolist() == [2, 6, 5]
    assert nearest.second_score.tolist() == [1, 4, 3]
    one = _best_links(table, order_x, order_y, True)  # 5 and 6 are the most that two pairs have; one is left over
    assert one.best.tolist() == [-1, 0, 1]
    assert one.score.tolist() == [-np.inf, 6, 5]
    assert one.second.tolist() == [-1, 1, 0]
    alone = _best_links(table[:1], np.array([0]), order_y, False)
    assert alone.best.tolist() == [0, 0, 0]
    assert alone.second.tolist() == [-1, -1, -1]


SMALL = latent(24, np.random.default_rng(3))


def test_views_are_standard_normal_scores_and_ranges():
    x, y = SMALL
    views = views_of(x, y)
    assert list(views) == ["standard", "rank_gauss", "ranging"]
    for side, raw in ((0, x), (1, y)):
        assert views["standard"][side] == pytest.approx((raw - raw.mean(axis=0)) / raw.std(axis=0))
        assert views["ranging"][side] == pytest.approx((raw - raw.min(axis=0)) / np.ptp(raw, axis=0))
        scores = views["rank_gauss"][side]
        assert np.argsort(scores, axis=0).tolist() == np.argsort(raw, axis=0).tolist()
        assert scores.std(axis=0) == pytest.approx(np.ones(raw.shape[1]))


@pytest.mark.parametrize(("normalisation", "metric"), [("auto", "auto"), ("standard", "auto"), ("auto", "root")])
def test_evidence_is_nearness_weighed_by_sharpness(normalisation, metric):
    views = views_of(*SMALL)
    names = VIEWS if normalisation == "auto" else (normalisation,)
    metrics = tuple(METRICS) if metric == "auto" else (metric,)
    tables = {}
    for name in names:
        first, second = (representatives(side, _QUANTILES) for side in views[name])
        for one in metrics:
            tables[name, one] = distances(second, first, one)
    shares, totals = weights_of({way: sharpness(table) for way, table in tables.items()})
    by_name = {name: sum(shares[name, one] * log_nearness(tables[name, one]) for one in metrics) for name in names}
    total = sum(totals[name] * own for name, own in by_name.items())
    evidence, starts = representative_evidence(views, normalisation, metric)
    assert evidence == pytest.approx(total)
    # The match of all of it comes first, then that of every normalisation.
    assert len(starts) == 1 + len(names)
    for (rows, columns), table in zip(starts, [total, *by_name.values()], strict=True):
        assert table[rows, columns].sum() == pytest.approx(table[solve(table)].sum())


def test_quantiles_are_compared_as_they_are_and_turned():
    x, y = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 9.0]]), np.array([[0.0], [-1.0], [-2.0]])
    same, turned = _quantile_costs(x, y)
    assert (same.shape, turned.shape) == ((2, 1), (2, 1))
    # Column 0 is minus the only one of the second file: turned, they are one.
    assert turned[0, 0] == pytest.approx(0)
    assert same[0, 0] == pytest.approx(4)
    grid = (np.arange(100) + 0.5) / 100
    first, second = np.quantile(x[:, 1], grid), np.quantile(y[:, 0], grid)
    assert same[1, 0] == pytest.approx(np.mean((first - second) ** 2))
    assert turned[1, 0] == pytest.approx(np.mean((first + second[::-1]) ** 2))


def turned_files():
    """Return two files of the same columns, of which the second has two exchanged and one turned."""
    rng = np.random.default_rng(5)
    x = rng.gamma([1.0, 3.0, 9.0], size=(40, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]])
    return x, np.column_stack([x[:, 1], -x[:, 0], x[:, 2]])


def test_attributes_are_matched_with_their_sign_each_match_once():
    x, y = turned_files()
    matches = matched_variables(views_of(x, y), np.random.default_rng(0))
    found = [(image.tolist(), signs.tolist()) for image, signs in matches]
    assert ([1, 0, 2], [-1, 1, 1]) in found
    assert len({(*image, *signs) for image, signs in found}) == len(found)


def test_matched_attributes_stand_side_by_side():
    x, y = turned_files()
    views = views_of(x, y)
    first, second = _side_by_side(views, np.array([1, 0, -1]), np.array([-1, 1, 1]))
    assert first.shape == second.shape == (40, 4)
    gauss, standard = views["rank_gauss"], views["standard"]
    assert first == pytest.approx(np.column_stack([-gauss.x[:, 0], gauss.x[:, 1], -standard.x[:, 0], standard.x[:, 1]]))
    assert second == pytest.approx(np.column_stack([gauss.y[:, 1], gauss.y[:, 0], standard.y[:, 1], standard.y[:, 0]]))
    assert first == pytest.approx(second)


def test_matched_attributes_rate_pairs_by_a_density_of_differences():
    x, y = turned_files()
    y = y + 0.05 * np.random.default_rng(6).normal(size=y.shape)
    views = views_of(x, y)
    tables = _variable_tables(views, np.random.default_rng(0))
    matches = matched_variables(views, np.random.default_rng(0))
    assert len(tables) == len(matches)
    for table, (image, signs) in zip(tables, matches, strict=True):
        first, second = _side_by_side(views, image, signs)
        gaps = ((first[:, None, :] - second[None, :, :]) ** 2).sum(axis=2)
        usual = gaps[solve(-gaps)].mean()
        assert table == pytest.approx(-0.5 * int((image >= 0).sum()) * gaps / usual)


def test_stages_damp_weak_components_less_and_less():
    views = views_of(*SMALL)
    stages = whitened_stages(views)
    assert [len(files) for files in stages] == [2, 2, 2]
    for files, ridge in zip(stages, (0.3, 0.05, 0.001), strict=True):
        for found, name in zip(files, ("standard", "rank_gauss"), strict=True):
            for side in (0, 1):
                assert found[side] == pytest.approx(whiten(views[name][side], ridge))


def test_every_start_is_improved_stage_by_stage_and_the_best_comes_first():
    views = views_of(*SMALL)
    evidence = np.zeros((24, 24))
    rng = np.random.default_rng(1)
    starts = [
        (np.arange(24), rng.permutation(24)),
        (np.arange(24), np.arange(24)),
        (np.arange(24), rng.permutation(24)),
    ]
    expected = []
    for start in starts:
        found = Match(*start, 0.0, evidence)
        for files in whitened_stages(views):
            found = improve(files, found.rows, found.columns, evidence)
        expected.append(found.objective)
    told = []
    with listening(lambda *report: told.append(report)):
        matches = improve_starts(views, starts, evidence)
    assert [match.objective for match in matches] == pytest.approx(sorted(expected, reverse=True))
    assert told[-1] == ("improving matches", 3, 3)


def test_tables_are_averaged_by_what_their_matches_are_worth():
    rows = np.arange(10)
    best, other = (Match(rows, rows, worth, np.full((2, 2), value)) for worth, value in ((5.0, 1.0), (3.0, 4.0)))
    # A fifth of a nat a record less, of ten records: e times as little.
    share = 1 / (1 + np.e)
    assert _averaged([best, other]) == pytest.approx(np.full((2, 2), (1 - share) + 4 * share))
    assert _averaged([best]) == pytest.approx(best.table)


def test_shorter_files_are_linked_by_evidence_alone():
    x, y = latent(40, np.random.default_rng(8), noise=0.01)
    for n, improved in ((30, True), (29, False)):
        calls = []
        linker = StructuralLinkage(random_state=0)
        with pytest.MonkeyPatch.context() as patch:
            usual = structural.improve_starts
            patch.setattr(
                structural, "improve_starts", lambda *given, usual=usual, calls=calls: calls.append(1) or usual(*given)
            )
            linker.link(problems.table(x, "a"), problems.table(y[:n], "b"))
        assert bool(calls) == improved
        assert len(linker.evidence_) == 1


def groups_asked_for(linker, x, y):
    """What a large file would be matched by: the arguments of the search in groups, and of the links."""
    told = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structural, "MOST_PAIRS", len(x) * len(y) - 1)
        patch.setattr(structural, "near_representatives", lambda *given: ("near", *given))
        patch.setattr(
            structural,
            "groups_first",
            lambda *given: told.update(search=given, near=given[3]("groups")) or ("fit", 0.25),
        )
        patch.setattr(structural, "candidate_links", lambda *given: told.update(links=given) or "links")
        linker.evidence_ = []
        assert linker._match(x, y, np.random.default_rng(4), InProcess()) == "links"
        patch.setattr(structural, "MOST_PAIRS", len(x) * len(y))
        assert linker._match(x, y, np.random.default_rng(4), InProcess()) != "links"
    assert linker.evidence_[0] == 0.25
    return told


@pytest.mark.parametrize("start", ["auto", "representatives", "variables"])
@pytest.mark.parametrize("one_to_one", [True, False])
def test_large_files_are_matched_in_groups_from_the_starts_that_are_asked_for(start, one_to_one):
    x, y = SMALL
    told = groups_asked_for(StructuralLinkage(start=start, one_to_one=one_to_one), x, y)
    starts, stages = told["search"][:2]
    fit, order_x, order_y, is_one_to_one, _ = told["links"]
    assert (fit, is_one_to_one) == ("fit", one_to_one)
    assert sorted(order_x.tolist()) == sorted(order_y.tolist()) == list(range(24))
    assert order_x.tolist() != order_y.tolist() != list(range(24))
    assert len(stages) == 3
    views = views_of(x[order_x], y[order_y])
    represented = [[representatives(side, _QUANTILES) for side in views[name]] for name in VIEWS]
    word, candidates, metrics, groups = told["near"]
    assert (word, list(candidates), metrics, groups) == ("near", list(VIEWS), tuple(METRICS), "groups")
    by_variables = [one for one in starts if one.x.shape[1] % 2 == 0 and one.x.shape[1] <= 2 * 4]
    if start != "variables":
        for found, expected in zip(starts[-3:], represented, strict=True):
            assert found.x == pytest.approx(expected[0])
            assert found.y == pytest.approx(expected[1])
    assert len(starts) == (3 if start == "representatives" else len(by_variables) + 3 * (start == "auto"))
    if start == "variables":
        assert starts
        expected = matched_variables(views, np.random.default_rng(0))
        assert starts[0].x.shape == (24, 2 * int((expected[0][0] >= 0).sum()))


def test_large_files_of_unlike_lengths_are_not_improved_and_one_view_is_enough():
    x, y = SMALL
    linker = StructuralLinkage(normalise="standard", metric="root", start="representatives")
    for n, stages in ((18, 3), (17, 0)):
        told = groups_asked_for(linker, x, y[:n])
        assert (len(told["search"][0]), len(told["search"][1])) == (1, stages)
        assert told["near"][2:] == (("root",), "groups")
        assert list(told["near"][1]) == ["standard"]
        assert (told["links"][1].size, told["links"][2].size) == (24, n)
