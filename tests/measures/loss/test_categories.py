from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from tests.reference import measures as reference
from tests.reproduction.subjects.test_sorted_example import DEGREE, RECORDS

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.datasets import housing
from discreet.errors import DataError, ParameterError, UnknownNameError
from discreet.masking.perturbing.pram import PRAM
from discreet.masking.recoding.global_recoding import GlobalRecoding
from discreet.measures.loss.category_moves import CategoryDistance
from discreet.measures.loss.category_tables import AssociationDifference, AverageTableLoss, TableLoss
from discreet.measures.loss.category_uncertainty import EntropyBasedLoss, TransitionLoss
from discreet.measures.loss.distributions import HistogramDistance

LEVELS = {"size": ("xs", "s", "m", "l", "xl"), "fuel": ("gas", "oil", "sun"), "kind": (1, 2, 3, 4)}
ALL = [
    CategoryDistance(),
    TableLoss(),
    AverageTableLoss(),
    EntropyBasedLoss(),
    TransitionLoss(),
    AssociationDifference(),
]


def attributes(levels=LEVELS):
    scales = {name: (Ordinal if name == "size" else Nominal)(values) for name, values in levels.items()}
    return [Attribute(name, scale, "key") for name, scale in scales.items()]


def draw(seed, n=80, *, missing=True):
    rng = np.random.default_rng(seed)
    before, after = [], []
    for values in LEVELS.values():
        codes = np.minimum(rng.geometric(0.5, n) - 1, len(values) - 1)
        moved = np.where(rng.random(n) < 0.3, rng.integers(0, len(values), n), codes)
        column, release = ([values[c] for c in part] for part in (codes, moved))
        if missing:
            for i in rng.choice(n, 6, replace=False):
                column[i] = None
            for i in rng.choice(n, 6, replace=False):
                release[i] = None
        before.append(column)
        after.append(release)
    return before, after, rng.uniform(1, 9, n).tolist()


def table(columns, weights=None, declared=None):
    frame = {name: pl.Series(column) for name, column in zip(LEVELS, columns, strict=True)}
    schema = declared or attributes()
    if weights is not None:
        frame["w"] = pl.Series(weights)
        schema = [*schema, Attribute("w", Numeric(), "weight")]
    return Microdata(pl.DataFrame(frame), Schema(schema))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_dist_equals_the_definition(seed, weighted):
    before, after, weights = draw(seed)
    result = CategoryDistance(weighted=weighted).measure(table(before, weights), table(after, weights))
    given = weights if weighted else None
    expected = [
        reference.dist(x, y, levels, name == "size", given)
        for x, y, (name, levels) in zip(before, after, LEVELS.items(), strict=True)
    ]
    assert list(result.per_attribute.values()) == pytest.approx(expected)
    assert result.details["mean_sum_over_attributes"] == pytest.approx(sum(expected) / 100)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("ordered", [False, True])
def test_a_merged_level_stands_for_what_it_was_made_of(ordered, missing):
    before, _, weights = draw(4, missing=missing)
    merged = {"xs": "small", "s": "small", "xl": "small"}
    after = [[merged.get(v, v) for v in before[0]], *before[1:]]
    kind = Ordinal if ordered else Nominal
    first = [Attribute("size", kind(LEVELS["size"]), "key"), *attributes()[1:]]
    second = [Attribute("size", kind(("small", "m", "l")), "key"), *attributes()[1:]]
    result = CategoryDistance(weighted=True).measure(table(before, weights, first), table(after, weights, second))
    expected = reference.dist(before[0], after[0], LEVELS["size"], ordered, weights)
    assert result.per_attribute["size"] == pytest.approx(expected)
    assert result.per_attribute["fuel"] == 0


def test_renaming_a_level_loses_nothing_but_shows_in_tables():
    before, _, _ = draw(0)
    after = [[{"xs": "tiny"}.get(v, v) for v in before[0]], *before[1:]]
    release = table(
        after, declared=[Attribute("size", Ordinal(("tiny", *LEVELS["size"][1:])), "key"), *attributes()[1:]]
    )
    original = table(before)
    for measure in (CategoryDistance(), EntropyBasedLoss(), TransitionLoss(), AssociationDifference()):
        assert measure.measure(original, release).value == pytest.approx(0, abs=1e-9)
    assert TableLoss().measure(original, release).value > 0


def test_the_average_loss_of_the_aggregation_paper():
    """P0: 0.144, rank differences over the number of levels, summed over both variables."""
    built = ("00", "09", "08", "07", "06", "05", "04", "03", "02", "01", *(str(y) for y in range(80, 95)))
    degree = ("tropical", "very hot", *DEGREE)
    schema = Schema([Attribute("BUILT", Ordinal(built), "key"), Attribute("DEGREE", Ordinal(degree), "key")])
    files = [
        Microdata(pl.DataFrame({"BUILT": [r[a] for r in RECORDS], "DEGREE": [r[a + 1] for r in RECORDS]}), schema)
        for a in (0, 2)
    ]
    assert (len(built), len(degree)) == (25, 8)
    details = CategoryDistance().measure(*files).details
    assert details["mean_sum_over_attributes"] == pytest.approx(0.144286, abs=5e-7)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("order", [1, 2, 3, 9])
def test_ctbil_and_actbil_equal_the_definition(order, weighted):
    before, after, weights = draw(1)
    tables = table(before, weights), table(after, weights)
    given = weights if weighted else None
    twin = reference.table_differences(before, after, order, given)
    n = sum(given or [1] * 80)
    result = TableLoss(order=order, weighted=weighted).measure(*tables)
    assert result.details["ctbil"] == pytest.approx(sum(twin.values()))
    assert result.value == pytest.approx(100 * sum(twin.values()) / (2 * n * len(twin)))
    sizes = [6, 4, 5]  # the missing value is a level
    cells = sum(np.prod([sizes[j] for j in chosen]) for chosen in twin)
    average = AverageTableLoss(order=order, weighted=weighted).measure(*tables)
    assert average.value == pytest.approx(sum(twin.values()) / cells)


def test_large_sparse_tables_are_counted_like_small_ones():
    rng = np.random.default_rng(0)
    levels = tuple(range(3000))
    before, after = rng.integers(0, 3000, (2, 200)), rng.integers(0, 3000, (2, 200))
    after[:, :100] = before[:, :100]
    schema = Schema([Attribute(name, Nominal(levels), "key") for name in "ab"])
    files = [Microdata(pl.DataFrame({"a": c[0], "b": c[1]}), schema) for c in (before, after)]
    twin = reference.table_differences(before.tolist(), after.tolist(), 2)
    assert TableLoss().measure(*files).details["ctbil"] == pytest.approx(sum(twin.values()))
    expected = abs(reference.cramers_v(*before.tolist()) - reference.cramers_v(*after.tolist()))
    assert AssociationDifference().measure(*files).value == pytest.approx(100 * expected)


@pytest.mark.parametrize("seed", range(3))
def test_association_equals_the_definition(seed):
    before, after, _ = draw(seed)
    expected = [
        abs(reference.cramers_v(before[i], before[j]) - reference.cramers_v(after[i], after[j]))
        for i, j in combinations(range(3), 2)
    ]
    result = AssociationDifference().measure(table(before), table(after))
    assert result.value == pytest.approx(100 * np.mean(expected))
    assert result.details["largest"] == pytest.approx(max(expected))


def test_histograms_of_levels_equal_the_definition():
    before, after, _ = draw(2)
    expected = [reference.hellinger(Counter(x), Counter(y)) for x, y in zip(before, after, strict=True)]
    assert HistogramDistance().measure(table(before), table(after)).value == pytest.approx(np.mean(expected))


def estimated(x, y):
    pairs, rows = Counter(zip(x, y, strict=True)), Counter(x)
    return {(a, b): count / rows[a] for (a, b), count in pairs.items()}


def share(counts):
    return {level: count / sum(counts.values()) for level, count in counts.items()}


@pytest.mark.parametrize("seed", range(3))
def test_entropies_from_the_file_itself_equal_the_definition(seed):
    before, after, _ = draw(seed)
    ebil, il = (m.measure(table(before), table(after)) for m in (EntropyBasedLoss(), TransitionLoss()))
    bits, percents = [], []
    for x, y in zip(before, after, strict=True):
        belief = reference.beliefs(share(Counter(x)), estimated(x, y))
        bits.append(reference.ebil_bits(belief, y))
        assert reference.il_bits(belief, x, y) == pytest.approx(bits[-1])
        free = -sum(p * np.log2(p) for p in share(Counter(x)).values())
        percents.append(100 * bits[-1] / (80 * free))
    assert ebil.details["bits"] == pytest.approx(sum(bits))
    assert il.details["bits"] == pytest.approx(sum(bits))
    assert list(ebil.per_attribute.values()) == pytest.approx(percents)
    assert ebil.details["transitions_estimated_for"] == list(LEVELS)


def test_entropies_with_a_reference_file_and_given_matrices_equal_the_definition():
    before, after, _ = draw(5, missing=False)
    other, _, _ = draw(6, n=300, missing=False)
    rng = np.random.default_rng(1)
    matrix = rng.uniform(0.1, 1, (3, 3))
    matrix /= matrix.sum(axis=1, keepdims=True)
    options = {"matrices": {"fuel": matrix}, "reference_file": table(other)}
    ebil = EntropyBasedLoss(**options).measure(table(before), table(after))
    il = TransitionLoss(**options).measure(table(before), table(after))
    expected_ebil, expected_il = 0.0, 0.0
    for j, (name, levels) in enumerate(LEVELS.items()):
        transition = estimated(before[j], after[j])
        if name == "fuel":
            transition = {(a, b): matrix[i, k] for i, a in enumerate(levels) for k, b in enumerate(levels)}
        for level in set(other[j]) - set(before[j]):
            transition.setdefault((level, level), 1.0)
        prior = Counter(other[j])
        for level in set(before[j]) - set(prior):
            prior[level] = 1
        belief = reference.beliefs(share(prior), transition)
        expected_ebil += reference.ebil_bits(belief, after[j])
        expected_il += reference.il_bits(belief, before[j], after[j])
    assert ebil.details["bits"] == pytest.approx(expected_ebil)
    assert il.details["bits"] == pytest.approx(expected_il)
    assert il.details["bits"] != pytest.approx(ebil.details["bits"])
    assert ebil.details["probabilities_of_original"] == "reference file"
    assert ebil.details["transitions_given_for"] == ["fuel"]


def test_the_matrix_of_pram_is_taken_from_its_provenance():
    data = housing(400)
    keys = ["SCH", "METRO"]
    masked = PRAM(0.5, attributes=keys, random_state=0).mask(data)
    matrices = masked.provenance.details["matrices"]
    given = EntropyBasedLoss(attributes=keys, matrices=matrices).measure(data, masked)
    guessed = EntropyBasedLoss(attributes=keys).measure(data, masked)
    assert given.value == pytest.approx(guessed.value, rel=0.5)
    assert given.details["transitions_given_for"] == ["METRO", "SCH"]
    wrong = {"SCH": np.eye(6).tolist()}
    with pytest.raises(DataError, match=r"column 'SCH' has \d+ kinds of changes that its matrix says cannot be"):
        EntropyBasedLoss(attributes=keys, matrices=wrong).measure(data, masked)
    with pytest.raises(ParameterError, match="matrix of 'SCH' must have 6 rows of 6 probabilities"):
        EntropyBasedLoss(attributes=keys, matrices={"SCH": np.eye(5)}).measure(data, masked)
    with pytest.raises(UnknownNameError, match="matrices has 'SHP'"):
        EntropyBasedLoss(attributes=keys, matrices={"SHP": np.eye(6)}).measure(data, masked)


def test_a_reference_file_must_have_the_columns_and_levels():
    before, after, _ = draw(0)
    stranger = Microdata(pl.DataFrame({"size": ["huge"]}), Schema([Attribute("size", Ordinal(["huge"]), "key")]))
    measure = EntropyBasedLoss(attributes=["size"], reference_file=stranger)
    with pytest.raises(DataError, match="column 'size' has 1 values in the reference file with other levels"):
        measure.measure(table(before), table(after))
    with pytest.raises(DataError, match="the reference file lacks column 'fuel'"):
        measure.set_params(attributes=["fuel"]).measure(table(before), table(after))


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_grows_with_the_mask(measure):
    values = []
    for changed in (0.05, 0.2, 0.5, 0.9):
        found = []
        for seed in range(5):
            rng = np.random.default_rng(seed)
            before, _, _ = draw(seed, n=300, missing=False)
            before[1] = [LEVELS["fuel"][min(LEVELS["size"].index(v), 2)] for v in before[0]]  # related
            after = [
                [levels[-1 - rng.integers(0, 2)] if rng.random() < changed else v for v in column]
                for column, levels in zip(before, LEVELS.values(), strict=True)
            ]
            found.append(measure.measure(table(before), table(after)).value)
        values.append(np.median(found))
    assert values == sorted(values)
    assert values[-1] > values[0] > 0


def test_grows_with_the_papers_recoding():
    data = housing(500)
    keys = [n for n in data.schema.of_scale("ordinal", "nominal") if data.schema[n].role == "key"]
    for measure in (CategoryDistance(), TableLoss(), EntropyBasedLoss()):
        values = [measure.measure(data, GlobalRecoding(p, attributes=keys).mask(data)).value for p in (1, 4, 9)]
        assert values == sorted(values)
        assert values[-1] > values[0]
