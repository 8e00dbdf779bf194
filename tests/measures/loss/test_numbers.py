from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from tests.reference import measures as reference

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import MissingValueError, SchemaError
from discreet.measures.loss.distributions import DistributionDistance, HistogramDistance, QuantileDistance
from discreet.measures.loss.improbability import ProbabilisticLoss
from discreet.measures.loss.numbers import IL1s, MeanDifference, SquaredError, VarianceDifference
from discreet.measures.loss.relations import CorrelationDifference, CovarianceDifference, EigenvalueDifference, RankLoss
from discreet.measures.loss.suppressed import SuppressionShare

ALL = [
    CorrelationDifference(),
    CovarianceDifference(),
    DistributionDistance(),
    EigenvalueDifference(),
    EigenvalueDifference(robust=True),
    HistogramDistance(),
    IL1s(),
    MeanDifference(),
    ProbabilisticLoss(),
    QuantileDistance(),
    RankLoss(),
    SquaredError(),
    VarianceDifference(),
]


def draw(seed, n=60, p=3, *, tied=True):
    rng = np.random.default_rng(seed)
    before = rng.normal(size=(n, 1)) + rng.normal(size=(n, p)) * [1, 2, 5][:p]
    if tied:
        before = np.round(before, 1)
    after = before + rng.normal(size=(n, p)) * 0.7
    return before, np.round(after, 1) if tied else after, rng.uniform(1, 9, n)


def table(numbers, weights=None):
    names = [f"c{j}" for j in range(numbers.shape[1])]
    columns = dict(zip(names, numbers.T, strict=True))
    attributes = [Attribute(name, Numeric(), "key") for name in names]
    if weights is not None:
        columns["w"] = weights
        attributes.append(Attribute("w", Numeric(), "weight"))
    return Microdata(pl.DataFrame(columns), Schema(attributes))


TWINS = {
    "il1s": reference.il1s,
    "sse": reference.sse,
    "wasserstein": reference.wasserstein,
    "kolmogorov-smirnov": reference.kolmogorov_smirnov,
    "means": lambda x, y, w: 100 * abs(reference.mean(x, w) - reference.mean(y, w)) / reference.deviation(x, w),
    "variances": lambda x, y, w: (
        100 * abs(reference.covariance(x, x, w) - reference.covariance(y, y, w)) / reference.covariance(x, x, w)
    ),
    "rank-correlation": lambda x, y, w: 100 * (1 - reference.correlation(reference.ranks(x), reference.ranks(y), w)),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("measure", [m for m in ALL if m.name in TWINS], ids=lambda m: m.name)
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_definition_attribute_by_attribute(measure, seed, weighted):
    before, after, weights = draw(seed)
    result = measure.clone().set_params(weighted=weighted).measure(table(before, weights), table(after, weights))
    given = weights.tolist() if weighted else None
    expected = [TWINS[measure.name](x.tolist(), y.tolist(), given) for x, y in zip(before.T, after.T, strict=True)]
    assert list(result.per_attribute.values()) == pytest.approx(expected)
    assert result.value == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_covariances_and_correlations_equal_the_definition(seed, weighted):
    before, after, weights = draw(seed)
    given = weights.tolist() if weighted else None
    tables = table(before, weights), table(after, weights)
    pairs = list(combinations(range(3), 2))
    covariances, correlations = [], []
    for i, j in pairs:
        x, y, u, v = (column.tolist() for column in (before[:, i], before[:, j], after[:, i], after[:, j]))
        unit = reference.deviation(x, given) * reference.deviation(y, given)
        moved = abs(reference.covariance(x, y, given) - reference.covariance(u, v, given))
        covariances.append(100 * moved / unit)
        correlations.append(100 * abs(reference.correlation(x, y, given) - reference.correlation(u, v, given)))
    assert CovarianceDifference(weighted=weighted).measure(*tables).value == pytest.approx(np.mean(covariances))
    assert CorrelationDifference(weighted=weighted).measure(*tables).value == pytest.approx(np.mean(correlations))


def test_relations_with_missing_values_are_those_of_the_records_that_have_both():
    before, after, _ = draw(1)
    before[3, 0] = before[5, 1] = after[8, 2] = np.nan
    expected = []
    for i, j in combinations(range(3), 2):
        kept, still = (~np.isnan(block[:, [i, j]]).any(axis=1) for block in (before, after))
        expected.append(
            100
            * abs(
                reference.correlation(before[kept, i].tolist(), before[kept, j].tolist())
                - reference.correlation(after[still, i].tolist(), after[still, j].tolist())
            )
        )
    assert CorrelationDifference().measure(table(before), table(after)).value == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("seed", range(3))
def test_eigenvalues_equal_those_of_the_standardised_tables(seed):
    before, after, _ = draw(seed)
    z, y = ((block - before.mean(0)) / before.std(0) for block in (before, after))
    first, second = (np.sort(np.linalg.eigvals(np.cov(block.T, bias=True)).real) for block in (z, y))
    expected = 100 * np.abs(first - second).sum() / first.sum()
    assert EigenvalueDifference().measure(table(before), table(after)).value == pytest.approx(expected)
    by_rank = []
    for block in (before, after):
        order = np.array([reference.ranks(column.tolist()) for column in block.T])
        by_rank.append(np.sort(np.linalg.eigvals(np.corrcoef(order)).real))
    expected = 100 * np.abs(by_rank[0] - by_rank[1]).sum() / 3
    assert EigenvalueDifference(robust=True).measure(table(before), table(after)).value == pytest.approx(expected)


def test_robust_eigenvalues_hardly_notice_an_outlier():
    before, _, _ = draw(0)
    after = before.copy()
    after[0] = 1e6
    plain, robust = (EigenvalueDifference(robust=r).measure(table(before), table(after)).value for r in (False, True))
    assert plain > 1000 * robust


@pytest.mark.parametrize("seed", range(3))
def test_histograms_equal_the_definition(seed):
    before, after, _ = draw(seed, tied=False)
    expected = []
    for x, y in zip(before.T, after.T, strict=True):
        low, high = min(x.min(), y.min()), max(x.max(), y.max())
        expected.append(reference.hellinger(reference.bins(x, low, high, 20), reference.bins(y, low, high, 20)))
    assert HistogramDistance().measure(table(before), table(after)).value == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("seed", range(3))
def test_pil_equals_the_definition(seed):
    before, after, _ = draw(seed, tied=False)
    details = ProbabilisticLoss().measure(table(before), table(after)).details
    twin = reference.pil_parts(before.T.tolist(), after.T.tolist())
    for kind, expected in twin.items():
        assert details[kind] == pytest.approx(expected), kind
    assert 0 < details["quantiles"] < 100


def test_pil_of_quantiles_uses_the_density_at_the_quantile():
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    # Where the density is φ(q), moving everything by √(q(1−q)/n)/φ(q) is one standard error: 68.27 %.
    shift = np.sqrt(0.25 / 4000) / 0.39894
    found = ProbabilisticLoss().measure(table(x[:, None]), table(x[:, None] + shift)).details["quantiles"]
    assert 50 < found < 75


def test_quantiles_never_move_more_than_numbers():
    for seed in range(5):
        before, after, _ = draw(seed)
        tables = table(before), table(after)
        assert QuantileDistance().measure(*tables).value <= IL1s().measure(*tables).value + 1e-9


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_grows_with_the_mask(measure):
    values = []
    for strength in (0.1, 0.5, 2.0, 8.0):
        found = []
        for seed in range(5):
            rng = np.random.default_rng(seed)
            before, _, _ = draw(seed, n=300, tied=False)
            push = rng.exponential(size=(300, 1)) + rng.exponential(size=(300, 3))
            found.append(measure.measure(table(before), table(before + strength * push)).value)
        values.append(np.median(found))
    assert values == sorted(values)
    assert values[-1] > values[0] > 0


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_an_offset_of_all_numbers_costs_no_digits(measure):
    before, after, _ = draw(0)
    before, after = np.round(before * 4) / 4, np.round(after * 4) / 4  # exact at any offset
    near, far = (measure.measure(table(before + o), table(after + o)).value for o in (0.0, 2.0**30))
    assert far == pytest.approx(near, rel=1e-6)


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_constants_and_single_attributes(measure):
    constant, moved = np.full((20, 2), 2.5), np.full((20, 2), 3.5)
    assert measure.measure(table(constant), table(constant)).value == 0
    result = measure.measure(table(constant), table(moved))
    assert np.isfinite(result.value)
    if measure.name in ("il1s", "sse", "means", "wasserstein"):
        assert result.value == 100
    one = table(np.arange(5.0)[:, None])
    if getattr(measure, "at_least", 1) > 1:
        assert not measure.applies_to(one.schema)
        with pytest.raises(SchemaError, match="no attribute that the measure can look at"):
            measure.measure(one, one)
    else:
        assert measure.measure(one, one).value == 0


@pytest.mark.parametrize("measure", [m for m in ALL if getattr(m, "at_least", 1) == 1], ids=repr)
def test_an_empty_column_is_refused_by_name(measure):
    full, empty = table(np.arange(5.0)[:, None]), table(np.full((5, 1), np.nan))
    with pytest.raises(MissingValueError, match="column 'c0' has no "):
        measure.measure(full, empty)


def test_weighted_needs_a_weight():
    before = table(np.arange(5.0)[:, None])
    with pytest.raises(SchemaError, match="IL1s: weighted is True, and the schema names no weight"):
        IL1s(weighted=True).measure(before, before)


def test_what_became_categorical_is_left_out_and_listed():
    before = table(np.arange(10.0).reshape(5, 2))
    schema = Schema([Attribute("c0", Numeric(), "key"), Attribute("c1", Nominal(["low", "high"]), "key")])
    release = Microdata(pl.DataFrame({"c0": [0.0, 2, 4, 6, 8], "c1": ["low", "low", "low", "high", "high"]}), schema)
    result = IL1s().measure(before, release)
    assert result.value == 0
    assert result.details["not_compared"] == ["c1"]
    assert not CorrelationDifference().applies_to(before.schema, release.schema)
    with pytest.raises(SchemaError):
        CorrelationDifference().measure(before, release)


def test_suppression_counts_only_what_went_missing():
    before, after, weights = draw(0)
    before[0, 0] = np.nan
    after = before.copy()
    after[1:4, 0] = after[0:6, 2] = np.nan
    result = SuppressionShare().measure(table(before, weights), table(after, weights))
    assert list(result.per_attribute.values()) == pytest.approx([100 * 3 / 59, 0, 10])
    assert result.details["suppressed"] == 9
    weighted = SuppressionShare(weighted=True).measure(table(before, weights), table(after, weights))
    assert weighted.per_attribute["c2"] == pytest.approx(100 * weights[:6].sum() / weights.sum())


@pytest.mark.parametrize("seed", range(3))
def test_divergences_of_histograms_equal_their_definitions(seed):
    rng = np.random.default_rng(seed)
    levels = ("p", "q", "r", "s")
    schema = Schema([Attribute("a", Nominal(levels), "key")])
    columns = [[levels[i] for i in rng.integers(0, top, 50)] for top in (4, 3)]
    tables = [Microdata(pl.DataFrame({"a": column}), schema) for column in columns]
    counts = [[column.count(level) for level in levels] for column in columns]
    p, q = ([(c + 0.5) / 52 for c in side] for side in counts)
    bits = sum(x * np.log2(x / y) for x, y in zip(p, q, strict=True))
    result = HistogramDistance(distance="kl").measure(*tables)
    assert result.details["mean_divergence"] == pytest.approx(bits)
    assert result.value == pytest.approx(100 * (1 - 2**-bits))
    p, q = (np.array(side) / 50 for side in counts)
    halves = [sum(x * np.log2(2 * x / (x + y)) for x, y in zip(*two, strict=True) if x > 0) for two in ((p, q), (q, p))]
    expected = 100 * np.sqrt(sum(halves) / 2)
    assert HistogramDistance(distance="jensen-shannon").measure(*tables).value == pytest.approx(expected)


def columns(**numbers):
    schema = Schema([Attribute(name, Numeric(), "key") for name in numbers])
    return Microdata(pl.DataFrame({n: pl.Series(c, dtype=pl.Float64) for n, c in numbers.items()}), schema)


FIRST = {"x": [0.0, 2.0, 0.0, 2.0], "y": [1.0, 1.0, 5.0, 5.0]}
SECOND = {"x": [1.0, 3.0, 1.0, 3.0], "y": [1.0, 5.0, 5.0, 1.0]}


@pytest.mark.parametrize(
    ("measure", "per_attribute", "sentence", "unchanged"),
    [
        (MeanDifference(), {"x": 100, "y": 0},
         "Means moved by 50.0 % of a standard deviation on average, most in x.", "No mean moved."),
        (VarianceDifference(), {"x": 0, "y": 0}, "No variance changed.", "No variance changed."),
        (IL1s(), {"x": 100 / 2**0.5, "y": 100 * 2 / (2 * 2**0.5)},
         "Numbers moved by 70.7 % of √2 standard deviations on average, most in x.", "No number moved."),
        (SquaredError(), {"x": 100, "y": 200},
         "Masking moved values by 150.0 % of their own variance, most in y.", "No number moved."),
        (CovarianceDifference(), {"x": 0, "y": 0}, "No covariance changed.", "No covariance changed."),
        (RankLoss(), {"x": 0, "y": 100},
         "The rank correlation of original and released numbers is 0.500 on average, lowest in y.",
         "Numbers kept their order."),
        (DistributionDistance(), {"x": 50, "y": 0},
         "At most 50.0 % of records changed sides of any threshold (net), in x; 25.0 % on average over attributes.",
         "No distribution changed."),
        (QuantileDistance(), {"x": 100 / 2**0.5, "y": 0},
         "Quantiles moved by 35.4 % of √2 standard deviations on average, most in x.", "No quantile moved."),
    ],
    ids=lambda value: getattr(value, "name", None),
)  # fmt: skip
def test_four_records_are_told_whole(measure, per_attribute, sentence, unchanged):
    result = measure.measure(columns(**FIRST), columns(**SECOND))
    assert result.per_attribute == pytest.approx(per_attribute)
    assert result.value == pytest.approx(np.mean(list(per_attribute.values())))
    assert result.sentence == sentence
    assert measure.measure(columns(**FIRST), columns(**FIRST)).sentence == unchanged


def test_relations_of_three_attributes_are_told_whole():
    # x and y rise together, z by itself; in the release y falls as x rises, and is twice as wide.
    first = {"x": [0.0, 2.0, 0.0, 2.0], "y": [0.0, 2.0, 0.0, 2.0], "z": [0.0, 0.0, 2.0, 2.0]}
    second = first | {"y": [4.0, 0.0, 4.0, 0.0]}
    result = CovarianceDifference().measure(columns(**first), columns(**second))
    # 1 became −2; spreads are 1.
    assert result.per_attribute == pytest.approx({"x": 150, "y": 150, "z": 0})
    assert (result.value, result.sentence) == (
        pytest.approx(100), "Covariances changed by 100.0 % of what full dependence would be, most those of x.",
    )  # fmt: skip
    result = CorrelationDifference().measure(columns(**first), columns(**second))
    assert result.per_attribute == pytest.approx({"x": 100, "y": 100, "z": 0})
    assert result.details == {"largest": pytest.approx(2)}
    assert result.sentence == "Correlations changed by 0.667 on average, most those of x."
    assert CorrelationDifference().measure(columns(**first), columns(**first)).sentence == "No correlation changed."
    result = EigenvalueDifference().measure(columns(**first), columns(**second))
    # Variances 1 1 1 with one full relation: 2 1 0; then 1 4 1 with another: 5 1 0.
    assert result.details == {"before": pytest.approx([2, 1, 0]), "after": pytest.approx([5, 1, 0]), "robust": False}
    assert (result.value, result.sentence) == (
        pytest.approx(100), "The eigenvalues of the covariances changed by 100.0 % of their sum.",
    )  # fmt: skip
    robust = EigenvalueDifference(robust=True).measure(columns(**first), columns(**second))
    assert robust.sentence == "The eigenvalues of the rank correlations did not change."
    assert (robust.value, robust.details["robust"]) == (pytest.approx(0, abs=1e-9), True)


def test_histograms_are_told_whole_and_nothing_in_common_is_100():
    result = HistogramDistance(bins=2).measure(columns(x=[0.0, 1.0], y=[0.0, 4.0]), columns(x=[3.0, 4.0], y=[4.0, 0.0]))
    assert result.per_attribute == pytest.approx({"x": 100, "y": 0})
    assert result.sentence == (
        "Histograms before and after are 50.0 % apart on average (0 the same, 100 nothing in common), most in x."
    )
    same = HistogramDistance().measure(columns(x=[1.0, 1.0]), columns(x=[1.0, 1.0]))
    assert (same.value, same.sentence, same.details) == (0, "No histogram changed.", {})
    apart = HistogramDistance(bins=2, distance="jensen-shannon").measure(columns(x=[0.0, 1.0]), columns(x=[3.0, 4.0]))
    assert apart.value == pytest.approx(100)
    # Two and a half of three against a half of three: 4/6 · log₂ 5 bits.
    divergence = HistogramDistance(bins=2, distance="kl").measure(columns(x=[0.0, 1.0]), columns(x=[3.0, 4.0]))
    bits = (2.5 / 3) * np.log2(5) + (0.5 / 3) * np.log2(1 / 5)
    assert divergence.details == {"mean_divergence": pytest.approx(bits)}
