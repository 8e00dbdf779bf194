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


def six():
    """Six records on two keys, ab bb aa –a bb aa, that weigh 1 2 1 2 1 3."""
    schema = Schema([*(Attribute(n, Nominal("ab"), "key") for n in "st"), Attribute("w", Numeric(), "weight")])
    columns = {"s": ["a", "b", "a", None, "b", "a"], "t": list("bbaaba"), "w": [1.0, 2.0, 1.0, 2.0, 1.0, 3.0]}
    return Microdata(pl.DataFrame(columns), schema)


AS_SHOWN = " A missing cell counts as a value of its own, as the file shows it."
AS_ANY = " A missing cell counts as any value, and agrees with all of them."
READ = {"keys": ["s", "t"], "perturbative": None}


@pytest.mark.parametrize(
    ("missing", "k", "few", "sizes", "median"),
    [("category", 2, 2, (2, 6, 6, 6), 2.0), ("category", 3, 6, (2, 6, 6, 6), 2.0), ("any", 2, 1, (1, 3, 6, 6), 2.5)],
)
def test_small_groups_are_told_whole(missing, k, few, sizes, median):
    # As the file shows it: ab 1, bb 2, aa 2, –a 1; where –a may be aa: ab 1, bb 2, aa 3, –a 3.
    result = KAnonymityViolations(k, missing=missing).measure(six(), six())
    assert result.value == pytest.approx(100 * few / 6)
    assert result.sentence == (
        f"{few} of 6 records share their 2 keys with fewer than {k - 1} others; the smallest group has 1."
        + (AS_SHOWN if missing == "category" else AS_ANY)
    )
    assert result.details == {
        **READ, "missing": missing, "k": k, "smallest_group": 1, "combinations": 4, "median_group": median,
        "records_below": dict(zip(("2", "3", "5", "10"), sizes, strict=True)),
    }  # fmt: skip


def test_groups_that_are_large_enough():
    one = KAnonymityViolations(3, attributes=["t"]).measure(six(), six())
    assert (one.value, one.sentence) == (0, "Every record shares its 1 key with at least 2 others.")
    assert KAnonymityViolations(4, attributes=["t"]).measure(six(), six()).sentence == (
        "6 of 6 records share their 1 key with fewer than 3 others; the smallest group has 3."
    )


def test_lone_records_are_told_whole():
    result = SampleUniques().measure(six(), six())
    assert result.value == pytest.approx(100 / 3)
    # They weigh 1 and 2.
    assert result.sentence == (
        "2 of 6 records are the only ones with their 2 keys; about 2 of them are the only ones in the population."
        + AS_SHOWN
    )
    assert result.details == {
        **READ, "missing": "category", "uniques": 2, "n": 6, "expected_population_uniques": 1.5,
    }  # fmt: skip
    assert SampleUniques().per_record(six(), six()).tolist() == [1, 0, 0, 1, 0, 0]
    either = SampleUniques(missing="any")
    assert either.measure(six(), six()).sentence == (
        "1 of 6 records is the only one with its 2 keys; about 1 of them are the only ones in the population." + AS_ANY
    )
    assert either.per_record(six(), six()).tolist() == [1, 0, 0, 0, 0, 0]
    unweighted = six().select(["s", "t"])
    plain = SampleUniques().measure(unweighted, unweighted)
    assert plain.sentence == "2 of 6 records are the only ones with their 2 keys." + AS_SHOWN
    assert "expected_population_uniques" not in plain.details


def test_individual_risks_are_told_whole():
    def two(p):
        """E[1/F] for two records with equal keys."""
        return p + (p / (1 - p)) ** 2 * (np.log(p) + 1 - p)

    risks = [1.0, two(2 / 3), two(1 / 2), np.log(2), two(2 / 3), two(1 / 2)]
    result = IndividualRisk().measure(six(), six())
    assert IndividualRisk().per_record(six(), six()) == pytest.approx(risks)
    assert result.value == pytest.approx(100 * sum(risks) / 6)
    assert result.sentence == (
        "An intruder who knows 2 keys re-identifies about 3.1 of 6 records in the population (51.05 %); the most "
        "exposed record with a chance of 100.0 %." + AS_SHOWN
    )
    assert result.details == {
        **READ, "missing": "category", "expected_reidentifications": pytest.approx(sum(risks)), "largest_percent": 100,
        "records_above_percent": {"1": 6, "5": 6, "10": 6, "50": 2}, "weighted": True,
        "median_percent": pytest.approx(100 * np.median(risks)),
    }  # fmt: skip
    unweighted = six().select(["s", "t"])
    plain = IndividualRisk().measure(unweighted, unweighted)
    assert plain.value == pytest.approx(100 * 4 / 6)
    assert plain.sentence == (
        "An intruder who knows 2 keys re-identifies about 4.0 of 6 records if the file is the whole population "
        "(66.67 %); the most exposed record with a chance of 100.0 %." + AS_SHOWN
    )
    assert plain.details["weighted"] is False


def test_guesses_are_told_whole():
    people = "An intruder who knows 2 keys and "
    figures = {"highest_percent": 100, "threshold_percent": 40, **READ, "missing": "category"}
    result = ProsecutorRisk(threshold=0.4).measure(six(), six())
    assert result.sentence == (
        people
        + "that the target is in the file is right with a chance of up to 100.0 %; 6 records exceed 40 %."
        + AS_SHOWN
    )
    assert result.details == {**figures, "mean_percent": pytest.approx(100 * 4 / 6), "records_at_risk": 6}
    # Weights of 1, 3, 4 and 2 stand for so many people.
    result = JournalistRisk(threshold=0.4).measure(six(), six())
    assert result.sentence == (
        people
        + "the population is right about a record with a chance of up to 100.0 %; 2 records exceed 40 %."
        + AS_SHOWN
    )
    mean = 100 * (1 + 2 / 3 + 2 / 4 + 1 / 2) / 6
    expected = {
        **figures,
        "mean_percent": pytest.approx(mean),
        "records_at_risk": 2,
        "population_from": "survey weights",
    }
    assert result.details == expected
    result = MarketerRisk(threshold=0.5).measure(six(), six())
    assert result.value == pytest.approx(mean)
    assert result.sentence == (
        f"An intruder who matches the whole file with the population on 2 keys is right about {mean:.2f} % of the "
        "records." + AS_SHOWN
    )
    assert result.details == {**expected, "threshold_percent": 50, "records_at_risk": 1}


def test_a_population_of_numbers_is_compared_by_value():
    schema = Schema([Attribute("x", Numeric(), "key")])
    release, floats = (
        Microdata(pl.DataFrame({"x": x}), schema) for x in ([31, 0, 5, None], [31.0, 31.0, -0.0, 0.0, None])
    )
    result = JournalistRisk(population=floats).measure(release, release)
    # 31 twice, both noughts, nobody with 5 but the record itself, and who lacks it like who lacks it.
    assert JournalistRisk(population=floats).per_record(release, release).tolist() == [0.5, 0.5, 1, 1]
    assert result.sentence.endswith(AS_SHOWN)
    # What is looked for is the release, whatever the original says.
    original = Microdata(pl.DataFrame({"x": [5, 6, 7, 8]}), schema)
    assert MarketerRisk(population=floats).measure(original, release).value == pytest.approx(75)
    whole = Microdata(pl.DataFrame({"x": [31, 0]}), schema)
    assert not JournalistRisk(population=floats).measure(whole, whole).sentence.endswith(AS_SHOWN)


def ill(areas, levels, ordered=False):
    kind = Ordinal if ordered else Nominal
    schema = Schema([Attribute("area", Nominal("nsw"), "key"), Attribute("ill", kind("abcd"), "confidential")])
    return Microdata(pl.DataFrame({"area": list(areas), "ill": levels}), schema)


KNOWN = {"keys": ["area"], "perturbative": None, "missing": "category"}


@pytest.mark.parametrize(
    ("measure", "failing"),
    [
        # n holds a a a b, s holds a b, w holds c.
        (LDiversityViolations(2), 1),
        (LDiversityViolations(1.5), 1),
        (LDiversityViolations(2, kind_of="entropy"), 5),
        (LDiversityViolations(1.76, kind_of="entropy"), 5),  # ¾ and ¼ are as diverse as 1.755 values
        (LDiversityViolations(1.75, kind_of="entropy"), 1),
        (LDiversityViolations(2, kind_of="recursive", c=3.0), 5),  # three are not rarer than three times one
        (LDiversityViolations(2, kind_of="recursive", c=3.1), 1),
        (LDiversityViolations(1.2, kind_of="recursive", c=3.1), 1),
        (LDiversityViolations(2, kind_of="recursive", c=1.0), 7),
        (LDiversityViolations(1, kind_of="recursive", c=1.1), 0),
        (LDiversityViolations(1), 0),
    ],
)
def test_groups_that_are_not_diverse_are_told_whole(measure, failing):
    data = ill("nnnnssw", list("aaababc"))
    result = measure.measure(data, data)
    assert result.value == pytest.approx(100 * failing / 7)
    assert result.per_attribute == pytest.approx({"ill": 100 * failing / 7})
    words = f"{measure.kind_of} {measure.l:g}-diverse"
    assert result.sentence == (
        f"{failing} of 7 records are in groups of equal keys (1 key counted) that are not {words}, most for ill."
        if failing
        else f"Every group of equal keys (1 key counted) is {words} in 1 attributes."
    )
    assert result.details == {**KNOWN, "l": float(measure.l), "kind_of": measure.kind_of, "sensitive": ["ill"]}
    assert measure.per_record(data, data).sum() == failing


@pytest.mark.parametrize(
    ("ordered", "distances"),
    [
        # All: a 4/8, b 3/8, d 1/8; n holds a a a b, s a b b d. Unordered: ¼ either way.
        (False, [0.25] * 4 + [0.25] * 4),
        # In steps of a, b, d: F is ½, 7/8, 1; of n ¾, 1, 1; of s ¼, ¾, 1: over two steps (¼ + ⅛)/2 either way.
        (True, [0.1875] * 8),
    ],
)
def test_distances_of_groups_are_told_whole(ordered, distances):
    data = ill("nnnnssss", list("aaababbd"), ordered)
    measure = TCloseness(0.2)
    result = measure.measure(data, data)
    assert measure.per_record(data, data) == pytest.approx(distances)
    beyond = sum(one > 0.2 for one in distances)
    assert result.value == pytest.approx(100 * max(distances))
    assert result.sentence == (
        f"The confidential values of a group of equal keys (1 key counted) are up to {100 * max(distances):.1f} % away "
        f"from those of the file, most in ill; {beyond} of 8 records are in groups beyond 20 %."
    )
    mean = pytest.approx(100 * np.mean(distances))
    assert result.details == {**KNOWN, "t": 0.2, "records_beyond": beyond, "mean_percent": mean}
    if ordered:
        equal = TCloseness(distance="equal")
        assert equal.per_record(data, data) == pytest.approx([0.25] * 8)


def test_a_missing_value_is_the_last_level_and_one_value_is_no_distance():
    data = ill("nnss", ["a", None, "a", "a"], ordered=True)
    # a in three of four; n has it in half, s always.
    assert TCloseness().per_record(data, data) == pytest.approx([0.25] * 4)
    same = ill("nnss", list("aaaa"), ordered=True)
    assert TCloseness().measure(same, same).value == 0
    with pytest.raises(ParameterError, match="'ill' has no order for the ordered distance"):
        TCloseness(distance="ordered").measure(ill("ns", list("ab")), ill("ns", list("ab")))


def test_households_are_told_whole():
    schema = Schema(
        [
            Attribute("home", Nominal(("h1", "h2", "h3")), "identifier", household=True),
            Attribute("s", Nominal("abc"), "key"),
        ]
    )
    frame = pl.DataFrame({"home": ["h1", "h1", "h2", None, "h3"], "s": ["a", "b", "a", "c", "b"]})
    data = Microdata(frame, schema)
    result = HouseholdRisk().measure(data, data)
    # Two with a, two with b, one with c. The first household is missed where both members are: 1 − ½ · ½.
    risks = [0.75, 0.75, 0.5, 1.0, 0.5]
    assert HouseholdRisk().per_record(data, data) == pytest.approx(risks)
    assert result.value == pytest.approx(100 * sum(risks) / 5)
    assert result.sentence == "An intruder who knows 1 key finds the households of about 3.5 of 5 records (70.00 %)."
    assert result.details == {
        "keys": ["s"], "perturbative": None, "missing": "category",
        "expected_reidentifications": pytest.approx(3.5), "largest_percent": pytest.approx(100),
    }  # fmt: skip
    # A record of a sample stands for two people: one with the same key is found with a chance of ln 2.
    half = HouseholdRisk(sampling_fraction=0.5).per_record(data, data)
    two = 0.5 + np.log(0.5) + 0.5
    assert half == pytest.approx([1 - (1 - two) ** 2] * 2 + [two, np.log(2), two])
    nobody = Microdata(frame, Schema([Attribute("home", Nominal(("h1", "h2", "h3")), "identifier"), schema["s"]]))
    with pytest.raises(ParameterError, match="household must be the name of an attribute; got None"):
        HouseholdRisk().measure(nobody, nobody)
    assert HouseholdRisk("home").measure(nobody, nobody).value == pytest.approx(70)
