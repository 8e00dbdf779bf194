from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.battery import SCHEMA, microdata
from tests.reference import measures as reference

from discreet.contracts.masked import Masked, Provenance
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError, SchemaError
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.perturbing.pram import PRAM
from discreet.measures.risk.diversity import LDiversityViolations, TCloseness
from discreet.measures.risk.equal_keys import IndividualRisk, KAnonymityViolations, SampleUniques
from discreet.measures.risk.guesses import JournalistRisk, MarketerRisk, ProsecutorRisk
from discreet.measures.risk.household_risk import HouseholdRisk
from discreet.measures.risk.special_uniques import SpecialUniques
from discreet.statistics.key_frequencies import benedetti_franconi, key_frequencies

LEVELS = (3, 4, 5)


def draw(seed, n=70, *, missing=0.1):
    rng = np.random.default_rng(seed)
    rows = np.stack([np.minimum(rng.geometric(0.5, n) - 1, size - 1) for size in LEVELS], axis=1)
    rows = [[None if rng.random() < missing else int(v) for v in row] for row in rows]
    return rows, rng.uniform(1, 9, n)


def table(rows, weights=None, **others):
    columns = {f"k{j}": pl.Series([row[j] for row in rows], dtype=pl.Int64) for j in range(len(LEVELS))}
    attributes = [Attribute(f"k{j}", Nominal(range(size)), "key") for j, size in enumerate(LEVELS)]
    if weights is not None:
        columns["w"] = pl.Series(weights)
        attributes.append(Attribute("w", Numeric(), "weight"))
    for name, (attribute, values) in others.items():
        columns[name] = pl.Series(values)
        attributes.append(attribute)
    return Microdata(pl.DataFrame(columns), Schema(attributes))


@pytest.mark.parametrize("missing", ["any", "category"])
@pytest.mark.parametrize("seed", range(4))
def test_frequencies_equal_a_comparison_of_all_pairs(seed, missing):
    rows, weights = draw(seed, missing=0.1 * seed)
    data = table(rows)
    found = key_frequencies(data, data.names, weights, missing=missing)
    counts, totals = reference.agreeing(rows, weights.tolist(), wildcard=missing == "any")
    assert found.sizes.tolist() == counts
    assert found.totals == pytest.approx(totals)


@settings(max_examples=min(40, settings().max_examples), deadline=None)
@given(
    st.lists(st.tuples(*(st.one_of(st.none(), st.integers(0, size - 1)) for size in LEVELS)), min_size=1, max_size=25)
)
def test_missing_values_agree_with_everything(rows):
    data = table(rows)
    found = key_frequencies(data, data.names, missing="any")
    assert found.sizes.tolist() == reference.agreeing(rows, [1.0] * len(rows), wildcard=True)[0]
    apart = key_frequencies(data, data.names)
    assert apart.sizes.tolist() == reference.agreeing(rows, [1.0] * len(rows), wildcard=False)[0]
    assert (found.sizes >= apart.sizes).all()


def test_many_levels_do_not_overflow():
    rng = np.random.default_rng(0)
    columns = {f"c{j}": rng.integers(0, 50_000, 300) for j in range(6)}
    columns["c0"][:2], columns["c5"][:2] = 7, 7
    for j in range(1, 5):
        columns[f"c{j}"][1] = columns[f"c{j}"][0]
    schema = Schema(Attribute(name, Nominal(range(50_000)), "key") for name in columns)
    sizes = key_frequencies(Microdata(pl.DataFrame(columns), schema), list(columns)).sizes
    assert sizes.tolist() == [2, 2] + [1] * 298


@pytest.mark.parametrize("f", [1, 2, 3, 4, 10, 29, 30, 31, 60])
@pytest.mark.parametrize("p", [0.002, 0.1, 0.4999, 0.5, 0.9, 1.0])
def test_individual_risk_is_the_expected_inverse(f, p):
    if f * np.log10(1 / p) > 250:
        pytest.skip("the sum underflows")
    expected = reference.expected_inverse(f, p, terms=60_000)
    assert benedetti_franconi(np.array([f]), np.array([f / p])) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("p", [1e-9, 1e-4, 0.3])
def test_individual_risk_has_closed_forms(p):
    """Franconi and Polettini 2004: f = 1, 2, 3."""
    q, log = 1 - p, np.log(p)
    forms = [-p / q * log, p / q**2 * (p * log + q), p / (2 * q**3) * (q * (3 * q - 2) - 2 * p**2 * log)]
    sizes = np.array([1, 2, 3])
    assert benedetti_franconi(sizes, sizes / p) == pytest.approx(forms, rel=1e-9)


def test_individual_risk_is_bounded_and_falls_with_both_frequencies():
    sizes = np.arange(1, 400)
    census = benedetti_franconi(sizes, sizes.astype(float))
    assert census == pytest.approx(1 / sizes)
    assert benedetti_franconi(sizes, sizes * 0.5) == pytest.approx(1 / sizes), "weights below 1 count as 1"
    risks = benedetti_franconi(sizes, sizes * 20.0)
    assert (np.diff(risks) < 0).all()
    weights = np.geomspace(1, 1e9, 200)
    for f in (1, 5, 29, 30, 200):
        values = benedetti_franconi(np.full(200, f), f * weights)
        assert (np.diff(values) < 0).all()
        assert (values <= 1 / f + 1e-12).all()


def test_the_worked_example_of_the_literature(data_dir):
    """francdat: frequencies, population frequencies and risks as sdcMicro and µ-Argus print them."""
    frame = pl.read_csv(data_dir / "sdc" / "francdat.csv")
    keys = [f"Key{j}" for j in range(1, 5)]
    roles = {**dict.fromkeys(keys, "key"), "w": "weight"}
    schema = Schema(
        Attribute(name, Nominal(range(1, 7)) if name in keys else Numeric(), roles.get(name, "other"))
        for name in frame.columns
    )
    data = Microdata(frame, schema)
    found = key_frequencies(data, keys, data.weights())
    assert found.sizes.tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
    assert found.totals.tolist() == [110, 84.5, 84.5, 17, 541, 8, 5, 110]
    risks = IndividualRisk().per_record(data, data)
    printed = [0.01714426, 0.02204233, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948, 0.01714426]
    assert risks == pytest.approx(printed, abs=6e-9)
    result = IndividualRisk().measure(data, data)
    assert result.details["expected_reidentifications"] == pytest.approx(sum(printed), abs=1e-7)
    assert KAnonymityViolations(2, attributes=keys).measure(data, data).value == 50
    assert SampleUniques().measure(data, data).details["expected_population_uniques"] == pytest.approx(
        1 / 17 + 1 / 541 + 1 / 8 + 1 / 5
    )


@pytest.mark.parametrize("missing", ["any", "category"])
@pytest.mark.parametrize("seed", range(3))
def test_k_anonymity_uniques_and_scenarios_equal_the_definition(seed, missing):
    rows, weights = draw(seed)
    data = table(rows, weights)
    counts, totals = reference.agreeing(rows, weights.tolist(), wildcard=missing == "any")
    n = len(rows)
    for k in (2, 3, 10):
        result = KAnonymityViolations(k, missing=missing).measure(data, data)
        assert result.value == pytest.approx(100 * sum(c < k for c in counts) / n)
        assert result.details["smallest_group"] == min(counts)
    uniques = SampleUniques(missing=missing).measure(data, data)
    assert uniques.value == pytest.approx(100 * counts.count(1) / n)
    alone = sum(1 / max(t, 1) for c, t in zip(counts, totals, strict=True) if c == 1)
    assert uniques.details["expected_population_uniques"] == pytest.approx(alone)
    assert ProsecutorRisk(missing=missing).measure(data, data).value == pytest.approx(100 / min(counts))
    groups = [max(c, t) for c, t in zip(counts, totals, strict=True)]
    assert JournalistRisk(missing=missing).measure(data, data).value == pytest.approx(100 / min(groups))
    marketer = MarketerRisk(threshold=0.1, missing=missing).measure(data, data)
    assert marketer.value == pytest.approx(100 * np.mean([1 / g for g in groups]))
    assert marketer.details["records_at_risk"] == sum(1 / g > 0.1 for g in groups)
    assert marketer.details["population_from"] == "survey weights"


def test_a_population_file_says_how_large_groups_are():
    rows, _ = draw(0, missing=0)
    everybody, _ = draw(1, n=400, missing=0)
    everybody = rows + everybody
    sizes = [everybody.count(row) for row in rows]
    result = JournalistRisk(population=table(everybody)).measure(table(rows), table(rows))
    assert result.value == pytest.approx(100 / min(sizes))
    assert result.details["population_from"] == "population file"
    without = JournalistRisk().measure(table(rows), table(rows))
    assert without.details["population_from"] == "the file itself"
    assert without.value == ProsecutorRisk().measure(table(rows), table(rows)).value


def test_microaggregation_is_seen_to_be_k_anonymous():
    data = microdata(90)
    numbers = ["income", "age", "wealth"]
    masked = MDAV(k=4).mask(data)
    assert KAnonymityViolations(4, attributes=numbers).measure(data, masked).value == 0
    assert KAnonymityViolations(4, attributes=numbers).measure(data, data).value == 100


def test_households_share_their_risk():
    rows, weights = draw(3)
    homes = np.arange(70) // 3
    home = Attribute("home", Numeric(), "identifier")
    data = table(rows, weights, home=(home, homes))
    alone = IndividualRisk().per_record(data, data)
    expected = [1 - np.prod(1 - alone[homes == home]) for home in homes]
    measure = HouseholdRisk("home")
    assert measure.per_record(data, data) == pytest.approx(expected)
    release = Microdata(data.to_native().drop("home"), data.schema.select([n for n in data.names if n != "home"]))
    assert measure.measure(data, release).value == pytest.approx(100 * np.mean(expected))
    lonely = table(rows, weights, home=(home, [None] * 70))
    assert measure.per_record(lonely, lonely) == pytest.approx(alone)
    with pytest.raises(ParameterError, match="household must be the name of an attribute"):
        HouseholdRisk().measure(data, data)


ILL = Attribute("ill", Nominal(range(4)), "confidential")
PAIN = Attribute("pain", Ordinal(range(5)), "confidential")
DEBT = Attribute("debt", Numeric(), "confidential")


def sensitive(seed, n=70):
    rows, _ = draw(seed, n, missing=0)
    rng = np.random.default_rng(seed)
    ill, pain = rng.choice(4, n, p=[0.6, 0.2, 0.1, 0.1]), rng.integers(0, 5, n)
    debt = np.round(rng.lognormal(size=n), 1)
    return rows, ill.tolist(), pain.tolist(), debt.tolist()


@pytest.mark.parametrize(("kind", "length", "c"), [("distinct", 3, 1), ("entropy", 2.5, 1), ("recursive", 2, 1.5)])
@pytest.mark.parametrize("seed", range(3))
def test_l_diversity_equals_the_definition(seed, kind, length, c):
    rows, ill, pain, _ = sensitive(seed)
    data = table(rows, ill=(ILL, ill), pain=(PAIN, pain))
    failing = {"ill": set(), "pain": set()}
    for group in reference.groups_of(rows):
        for name, values in (("ill", ill), ("pain", pain)):
            if not reference.diverse([values[i] for i in group], kind, length, c):
                failing[name] |= set(group)
    measure = LDiversityViolations(length, kind_of=kind, c=c)
    result = measure.measure(data, data)
    assert result.value == pytest.approx(100 * len(failing["ill"] | failing["pain"]) / 70)
    assert result.per_attribute == pytest.approx({name: 100 * len(found) / 70 for name, found in failing.items()})
    assert measure.per_record(data, data).sum() == len(failing["ill"] | failing["pain"])


@pytest.mark.parametrize("seed", range(4))
def test_t_closeness_equals_the_definition(seed):
    rows, ill, pain, debt = sensitive(seed)
    data = table(rows, ill=(ILL, ill), pain=(PAIN, pain), debt=(DEBT, debt))
    orders = {"ill": None, "pain": list(range(5)), "debt": sorted(set(debt))}
    expected = {}
    for name, values in (("ill", ill), ("pain", pain), ("debt", debt)):
        groups = reference.groups_of(rows)
        expected[name] = 100 * max(
            reference.earth_mover([values[i] for i in group], values, orders[name]) for group in groups
        )
    result = TCloseness().measure(data, data)
    assert result.per_attribute == pytest.approx(expected)
    assert result.value == pytest.approx(max(expected.values()))


def test_sensitive_risks_need_something_confidential():
    rows, _ = draw(0)
    for measure in (LDiversityViolations(), TCloseness()):
        assert not measure.applies_to(table(rows).schema)
        with pytest.raises(SchemaError):
            measure.measure(table(rows), table(rows))
        data = microdata()
        assert measure.applies_to(data.schema)
        chosen = measure.clone().set_params(attributes=["size"], sensitive=["fuel", "illness"]).measure(data, data)
        assert set(chosen.per_attribute) == {"fuel", "illness"}
        assert chosen.details["keys"] == ["size"]


FLAGGED = [
    HouseholdRisk("region"),
    IndividualRisk(),
    JournalistRisk(),
    KAnonymityViolations(),
    LDiversityViolations(),
    MarketerRisk(),
    ProsecutorRisk(),
    SampleUniques(),
    SpecialUniques(),
    TCloseness(),
]


@pytest.mark.parametrize("measure", FLAGGED, ids=repr)
def test_perturbation_is_flagged_in_words_and_figures(measure):
    data = microdata()
    masked = PRAM(0.3, random_state=0).mask(data)
    assert masked.provenance.perturbative is True
    flagged = measure.measure(data, masked)
    assert flagged.details["perturbative"] is True
    assert "makes values untrue" in flagged.sentence
    true = Provenance("recoding", {}, (), len(data), perturbative=False)
    plain = measure.measure(data, Masked(data.select([n for n in data.names if n != "person"]), true))
    assert plain.details["perturbative"] is False
    assert "untrue" not in plain.sentence
    unknown = measure.measure(data, data)
    assert unknown.details["perturbative"] is None


def test_every_declared_key_is_counted_whatever_its_scale():
    data = microdata()
    assert SampleUniques().measure(data, data).details["keys"] == list(data.schema.keys)
    assert SampleUniques(attributes=["age"]).measure(data, data).details["keys"] == ["age"]
    young = np.where(data.encoded("age") < 50, "young", "old").tolist()
    attribute = Attribute("age", Ordinal(["young", "old"]), "key")
    frame = data.to_arrow()
    release = Microdata(frame.set_column(2, "age", [young]), SCHEMA.replacing(attribute))
    result = SampleUniques().measure(data, release)
    assert result.details["keys"] == list(data.schema.keys)
    only = Schema([Attribute("age", Numeric(), "key")])
    assert SampleUniques().applies_to(only)
    assert SampleUniques().applies_to(only, Schema([attribute]))


def test_coarser_keys_are_safer():
    rows, weights = draw(2, n=300, missing=0)
    before = table(rows, weights)
    for measure in (KAnonymityViolations(), SampleUniques(), IndividualRisk(), MarketerRisk(), SpecialUniques()):
        values = []
        for keep in (9, 2, 1, 0):
            coarse = [[min(v, keep) for v in row] for row in rows]
            values.append(measure.measure(before, table(coarse, weights)).value)
        assert values == sorted(values, reverse=True)
        assert values[0] > values[-1]
