from __future__ import annotations

from collections import Counter
from math import log2, prod

import numpy as np
import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.masking.recoding.generalisation import Generalisation
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.measures.loss.generalised_cells import Ambiguity, GeneralisationIntensity, Granularity, KeyDivergence

TREES = {
    "a": Hierarchy([[v, "low" if v in "pq" else "high", "*"] for v in "pqrs"]),
    "b": Hierarchy([[v, "*"] for v in "xyz"]),
}
LEVELS = {"a": ("p", "q", "r", "s"), "b": ("x", "y", "z")}


def microdata(columns, extra=()):
    schema = Schema([Attribute(n, Nominal((*LEVELS[n], *extra)), "key") for n in LEVELS])
    return Microdata(pl.DataFrame({n: pl.Series(c, dtype=pl.String) for n, c in columns.items()}), schema)


def drawn(seed, n=60):
    rng = np.random.default_rng(seed)
    return {name: [values[i] for i in rng.integers(0, len(values), n)] for name, values in LEVELS.items()}


def generalised(columns, seed):
    """Every cell at a step of its own, a tenth missing."""
    rng = np.random.default_rng(seed)
    after, steps = {}, {}
    for name, values in columns.items():
        height = TREES[name].height
        steps[name] = rng.integers(0, height + 1, len(values))
        after[name] = [TREES[name].rows[v][s] for v, s in zip(values, steps[name], strict=True)]
        for i in np.flatnonzero(rng.random(len(values)) < 0.1):
            after[name][i] = None
    return after


def leaves(name, level):
    rows = TREES[name].rows.values()
    return len(rows) if level is None else sum(level in row for row in rows)


def step(name, before, after):
    return 1.0 if after is None else TREES[name].rows[before].index(after) / TREES[name].height


@pytest.mark.parametrize("seed", range(3))
def test_figures_by_hierarchy_equal_their_definitions(seed):
    before = drawn(seed)
    after = generalised(before, seed)
    tables = microdata(before), microdata(after, ("low", "high", "*"))
    n = 60
    covered = {name: [leaves(name, level) for level in column] for name, column in after.items()}
    loss = np.mean([np.mean([(m - 1) / (len(LEVELS[name]) - 1) for m in ms]) for name, ms in covered.items()])
    assert Granularity(hierarchies=TREES).measure(*tables).value == pytest.approx(100 * loss)
    climbed = np.mean([np.mean([step(n, x, y) for x, y in zip(before[n], after[n], strict=True)]) for n in LEVELS])
    assert GeneralisationIntensity(hierarchies=TREES).measure(*tables).value == pytest.approx(100 * climbed)
    products = [prod(ms) for ms in zip(*covered.values(), strict=True)]
    ambiguity = Ambiguity(hierarchies=TREES).measure(*tables)
    assert ambiguity.value == pytest.approx(np.mean(products) - 1)
    rows = [list(zip(*side.values(), strict=True)) for side in (before, after)]
    counts = [Counter(side) for side in rows]
    expected = sum(log2(counts[0][x] * m / counts[1][y]) for x, y, m in zip(*rows, products, strict=True)) / n
    assert KeyDivergence(hierarchies=TREES).measure(*tables).value == pytest.approx(max(expected, 0))


@pytest.mark.parametrize(
    ("objective", "measure", "figure"),
    [
        ("loss", Granularity, lambda m: m.value / 100),
        ("precision", GeneralisationIntensity, lambda m: m.value / 100),
        ("ambiguity", Ambiguity, lambda m: m.details["combinations"]),
        ("kl", KeyDivergence, lambda m: m.value),
    ],
)
def test_the_figure_is_the_objective_of_the_search(objective, measure, figure):
    original = microdata(drawn(5, 200))
    release = Generalisation(k=20, hierarchies=TREES, objective=objective).mask(original)
    reached = release.provenance.details["value"]
    assert figure(measure(hierarchies=TREES).measure(original, release)) == pytest.approx(reached)
    assert reached > (1 if objective == "ambiguity" else 0)


def test_without_a_hierarchy_levels_stand_for_what_became_them():
    columns = {"a": list("ppqrss"), "b": list("xyzxyz")}
    after = {"a": ["low"] * 3 + list("rss"), "b": ["x", None, "z", "x", "y", "z"]}
    tables = microdata(columns), microdata(after, ("low",))
    result = Granularity().measure(*tables)
    assert result.per_attribute == pytest.approx({"a": 100 * (3 * 1 / 3) / 6, "b": 100 / 6})
    assert Ambiguity().measure(*tables).value == pytest.approx((2 + 6 + 2 + 1 + 1 + 1) / 6 - 1)
    assert GeneralisationIntensity().measure(*tables).per_attribute == pytest.approx({"a": 50, "b": 100 / 6})


def test_an_untrue_level_says_nothing_right():
    tables = microdata({"a": ["p"], "b": ["x"]}), microdata({"a": ["high"], "b": ["x"]}, ("high",))
    for measure in (Granularity, GeneralisationIntensity):
        assert measure(hierarchies=TREES).measure(*tables).per_attribute == {"a": 100, "b": 0}


def test_figures_are_told_in_words():
    before = {"a": list("ppqr"), "b": list("xyzx")}
    after = {"a": ["low", "low", "low", "*"], "b": ["x", "y", None, "x"]}
    tables = microdata(before), microdata(after, ("low", "*"))
    same = microdata(before), microdata(before)
    # a may be 2, 2, 2 and 4 of four levels, b all of three once.
    for measure, sentence, unchanged in (
        (Granularity, "A released level may be 37.5 % of the other levels on average, most in a.",
         "Every released level stands for one level."),
        (GeneralisationIntensity,
         "Released levels stand 43.8 % of the way up to saying nothing on average, farthest in a.",
         "No level was generalised."),
        (Ambiguity, "A released record may be 2.5 other combinations of levels on average.",
         "Every released record says which combination of levels it is."),
    ):  # fmt: skip
        assert measure(hierarchies=TREES).measure(*tables).sentence == sentence
        assert measure(hierarchies=TREES).measure(*same).sentence == unchanged
        assert measure(hierarchies=TREES).measure(*same).value == 0
    assert Ambiguity(hierarchies=TREES).measure(*tables).details == {"combinations": (2 + 2 + 6 + 4) / 4}


def test_divergences_of_combinations_and_of_single_attributes():
    before = {"a": list("pppq"), "b": list("xxyx")}
    after = {"a": ["low"] * 4, "b": list("xxyx")}
    tables = microdata(before), microdata(after, ("low",))
    result = KeyDivergence(hierarchies=TREES).measure(*tables)
    # px twice, py and qx once became low x three times and low y once; a released cell may be two.
    expected = (2 * log2(2) + 0 + 0 - 3 * log2(3) + 4 * log2(2)) / 4
    assert result.value == pytest.approx(expected)
    assert result.per_attribute == pytest.approx({"a": (3 * log2(3) - 4 * log2(4) + 4) / 4, "b": 0})
    assert result.sentence == (
        f"A record's combination of levels is {expected:.2f} bits less certain in the release, read as it is, than in "
        "the original."
    )
    assert KeyDivergence().measure(tables[0], tables[0]).sentence == (
        "The release says how often every combination of levels occurs, as the original does."
    )
