"""What arithmetic gives back: the attacks on the old releases, and on the new ones."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.battery import microdata

from discreet import catalogue
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.microaggregation.numbers.univariate import IndividualRanking
from discreet.masking.microaggregation.records.kprototypes import KPrototypes
from discreet.masking.microaggregation.records.mixed_mdav import MixedMDAV
from discreet.masking.microaggregation.records.mondrian import Mondrian
from discreet.masking.perturbing.noise import AdditiveNoise
from discreet.masking.perturbing.rounding import Rounding
from discreet.masking.perturbing.shuffling import Shuffling
from discreet.masking.perturbing.swapping import RankSwapping
from discreet.masking.recoding.coding import TopCoding
from discreet.masking.withholding.suppression import LocalSuppression
from discreet.measures.risk.reconstruction import Reconstruction

SCHEMA = Schema(
    [
        Attribute("years", Numeric(), "key"),
        Attribute("sex", Nominal(("f", "m")), "key"),
        Attribute("part", Nominal(tuple("nesw")), "key"),
        Attribute("w", Numeric(), "weight"),
    ]
)
MARGIN = 1.0
"""Percent by which arithmetic may beat guessing by luck."""


def people(n=600, seed=2):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "years": rng.integers(16, 90, n),
            "sex": rng.choice(["f", "m"], n),
            "part": rng.choice(list("nesw"), n),
            "w": rng.uniform(50, 900, n).round(1),
        }
    )


def with_column(table, name, values, scale=None, role="other"):
    """The table and its schema with one more column."""
    schema = Schema([*SCHEMA, Attribute(name, scale or Numeric(), role)])
    return table.with_columns(pl.Series(name, values)), schema


def years(measurement):
    cells = measurement.details["by_attribute"]["years"]
    return 100 * cells["recovered"] / cells["masked"], 100 * cells["guessed"] / cells["masked"]


# ------------------------------------------------------------------------------------------- weighted, with all digits


@pytest.mark.parametrize("masker", [MixedMDAV(4), Mondrian(4), KPrototypes(4), MDAV(4)], ids=lambda m: m.name)
def test_weighted_means_with_all_digits_are_solved_and_the_defaults_are_not(masker):
    data = people()
    old = masker.clone().set_params(weighted=True, decimals="exact").mask(data, SCHEMA)
    recovered, guessed = years(Reconstruction().measure(data, old, SCHEMA))
    assert recovered > min(guessed + 25, 99)
    new = Reconstruction().measure(data, masker.mask(data, SCHEMA), SCHEMA)
    assert new.value <= MARGIN
    assert years(new)[0] <= years(new)[1] + MARGIN


def test_the_attacks_of_the_issue_on_adult(data_dir):
    names = ["age", "hours-per-week", "workclass", "marital-status", "race", "sex"]
    table = pl.read_csv(data_dir / "uci" / "adult_train.csv")[:3000].select(*names, pl.col("fnlwgt").cast(pl.Float64))
    levels = {name: Nominal(tuple(sorted(set(table[name].to_list())))) for name in names[2:]}
    schema = Schema(
        [
            *(Attribute(name, Numeric(), "key") for name in names[:2]),
            *(Attribute(name, scale, "key") for name, scale in levels.items()),
            Attribute("fnlwgt", Numeric(), "weight"),
        ]
    )
    for masker, beyond in ((MixedMDAV(4), 40), (Mondrian(5), 15), (KPrototypes(4), 20)):
        old = masker.clone().set_params(weighted=True, decimals="exact").mask(table, schema)
        cells = Reconstruction().measure(table, old, schema).details["by_attribute"]["age"]
        assert 100 * (cells["recovered"] - cells["guessed"]) / cells["masked"] > beyond
        assert 100 * cells["guessed"] / cells["masked"] < 50
        assert Reconstruction().measure(table, masker.mask(table, schema), schema).value <= MARGIN


def test_weights_alone_or_digits_alone_are_no_equation():
    data = people()
    for params in ({"weighted": True}, {"decimals": "exact"}):
        masked = MixedMDAV(4, **params).mask(data, SCHEMA)
        assert Reconstruction().measure(data, masked, SCHEMA).value <= MARGIN


def test_weights_that_are_not_released_solve_nothing():
    data = people()
    masked = MixedMDAV(4, weighted=True, decimals="exact").mask(data, SCHEMA)
    hidden = replace(masked, microdata=masked.microdata.select(["years", "sex", "part"]))
    original = Microdata(data.drop("w"), SCHEMA.select(["years", "sex", "part"]))
    assert Reconstruction().measure(original, hidden).value <= MARGIN


def test_the_sentence_counts_cells_and_names_no_value():
    data = people()
    masked = MixedMDAV(4, weighted=True, decimals="exact").mask(data, SCHEMA)
    found = Reconstruction().measure(data, masked, SCHEMA)
    cells = found.details
    assert f"gives back {cells['recovered_cells']} of {cells['masked_cells']} masked cells" in found.sentence
    assert f"guessing finds {cells['guessed_cells']} (" in found.sentence
    assert found.value == max(found.per_attribute.values()) == found.per_attribute["years"]


# ------------------------------------------------------------------------------------------- what is left unmasked


def functions():
    data = people()
    x = data["years"].to_numpy()
    rng = np.random.default_rng(0)
    yield "affine", *with_column(data, "born", 2024 - x)
    yield "monotone", *with_column(data, "log", np.log(x))
    yield (
        "one-to-one",
        *with_column(data, "code", [f"c{v * 7 % 97}" for v in x], Nominal(tuple(f"c{i}" for i in range(97)))),
    )
    rent = rng.integers(100, 900, x.size)
    table, _ = with_column(data, "rent", rent)
    schema = Schema([*SCHEMA, *(Attribute(name, Numeric(), "other") for name in ("rent", "total"))])
    yield "sum", table.with_columns(total=pl.Series(x + rent)), schema


@pytest.mark.parametrize(("kind", "data", "schema"), list(functions()), ids=lambda x: x if isinstance(x, str) else "")
@pytest.mark.parametrize(
    "masker",
    [MDAV(5, attributes=["years"]), AdditiveNoise(0.5, attributes=["years"], random_state=1),
     RankSwapping(10, attributes=["years"], random_state=1), Rounding(20, attributes=["years"])],
    ids=lambda m: m.name,
)  # fmt: skip
def test_a_column_left_unmasked_that_is_a_function_gives_everything_back(kind, data, schema, masker):
    found = Reconstruction().measure(data, masker.mask(data, schema), schema)
    assert years(found)[0] == 100
    assert found.value == pytest.approx(100 - years(found)[1])
    assert "years" in found.details["functions_of_released_columns"], kind


def test_codes_of_education_give_the_level_back(data_dir):
    table = pl.read_csv(data_dir / "uci" / "adult_train.csv")[:2000].select("education", "education-num")
    levels = Nominal(tuple(sorted(set(table["education"].to_list()))))
    schema = Schema([Attribute("education", levels, "key"), Attribute("education-num", Numeric(), "other")])
    masked = catalogue.maskers()["pram"](random_state=1).mask(table, schema)
    found = Reconstruction().measure(table, masked, schema)
    assert found.details["recovered_cells"] == found.details["masked_cells"]
    assert "education-num" in found.sentence


def test_suppressed_cells_are_complements_of_what_is_left():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 50, 300), rng.integers(0, 50, 300)
    table = pl.DataFrame({"a": a, "b": b, "both": a + b})
    schema = Schema(Attribute(name, Numeric(), "key") for name in table.columns)
    gone = np.arange(300) % 7 == 0
    also = np.arange(300) % 21 == 0  # here a second term is missing, too, and nothing is determined
    release = table.with_columns(
        pl.when(pl.Series(gone)).then(None).otherwise(pl.col("a")).alias("a"),
        pl.when(pl.Series(also)).then(None).otherwise(pl.col("b")).alias("b"),
    )
    found = Reconstruction().measure(table, release, schema)
    cells = found.details["by_attribute"]
    assert cells["a"]["masked"] == gone.sum()
    assert cells["a"]["claimed"] == (gone & ~also).sum()
    assert cells["a"]["recovered"] >= (gone & ~also).sum()
    assert cells["b"]["claimed"] == 0
    assert "method is not known" in found.sentence


def test_totals_of_households_give_single_persons_back():
    rng = np.random.default_rng(3)
    household = np.sort(rng.integers(0, 150, 300))
    wage = rng.integers(500, 5000, 300)
    totals = np.bincount(household, weights=wage)[household]
    table = pl.DataFrame({"wage": wage, "household": household, "total": totals})
    schema = Schema([Attribute("wage", Numeric(), "key"), *(Attribute(n, Numeric()) for n in ("household", "total"))])
    found = Reconstruction().measure(table, MDAV(4).mask(table, schema), schema)
    alone = (np.bincount(household)[household] == 1).sum()
    assert found.details["by_attribute"]["wage"]["claimed"] == alone
    assert found.details["by_attribute"]["wage"]["recovered"] >= alone


def body_and_pay(n=400):
    rng = np.random.default_rng(3)
    height, weight = rng.normal(170, 9, n).round(1), rng.normal(75, 14, n).round(1)
    hours, rate = rng.integers(10, 60, n), rng.uniform(10, 60, n).round(2)
    income = rng.integers(20, 400, n) * 500
    return pl.DataFrame(
        {
            "height": height, "weight": weight, "index": (weight / (height / 100) ** 2).round(2), "hours": hours,
            "rate": rate, "pay": (hours * rate).round(2), "income": income, "tax": np.round(0.173 * income),
            "side": rng.integers(100, 90_000, n), "area": (np.pi * height**2).round(),
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "used", "without"),
    [
        ("weight", ["height", "index"], ()),
        ("weight", ["index", "area"], ("height",)),  # height is a root of the area
        ("rate", ["hours", "pay"], ()),
        ("hours", ["rate", "pay"], ()),
        ("income", ["tax"], ()),
    ],
)
def test_products_ratios_and_rounded_shares_give_everything_back(name, used, without):
    data = body_and_pay().drop(without)
    schema = Schema(Attribute(n, Numeric(), "key" if n == name else "other") for n in data.columns)
    for masker in (MDAV(5), AdditiveNoise(0.5, random_state=1)):
        found = Reconstruction().measure(data, masker.mask(data, schema), schema)
        cells = found.details["by_attribute"][name]
        assert cells["recovered"] >= 0.99 * cells["masked"]
        assert found.details["functions_of_released_columns"][name] == used


def test_columns_that_merely_go_together_are_no_formula():
    rng = np.random.default_rng(4)
    size = rng.lognormal(0, 1, 500)
    data = pl.DataFrame({n: (100 * size * rng.lognormal(0, 0.1, 500)).round() + 1 for n in "abcd"})
    schema = Schema(Attribute(n, Numeric(), "key" if n == "a" else "other") for n in data.columns)
    found = Reconstruction().measure(data, MDAV(5).mask(data, schema), schema)
    assert found.details["functions_of_released_columns"] == {}


def test_chance_is_no_function():
    rng = np.random.default_rng(5)
    table = pl.DataFrame({"x": rng.integers(0, 3, 30), "id": rng.permutation(30), "half": rng.permutation(30) // 2 * 2})
    schema = Schema([Attribute("x", Numeric(), "key"), *(Attribute(n, Numeric()) for n in ("id", "half"))])
    found = Reconstruction().measure(table, MDAV(3).mask(table, schema), schema)
    assert found.details["functions_of_released_columns"] == {}


# ------------------------------------------------------------------------------------- methods that leave no choice


def test_exchanges_of_neighbours_are_undone_and_wider_ones_are_not():
    table = pl.DataFrame({"x": np.random.default_rng(0).permutation(401) * 3})
    schema = Schema([Attribute("x", Numeric(), "key")])
    near = Reconstruction().measure(table, RankSwapping(window=1, random_state=1).mask(table, schema), schema)
    assert near.details["recovered_cells"] == 401
    wide = Reconstruction().measure(table, RankSwapping(5, random_state=1).mask(table, schema), schema)
    assert wide.value <= MARGIN


def test_noise_below_the_digits_of_the_column_is_rounded_away():
    table = pl.DataFrame({"x": np.random.default_rng(0).integers(0, 5, 300)})
    schema = Schema([Attribute("x", Numeric(), "key")])
    for decimals in (None, "exact"):
        masked = AdditiveNoise(0.05, decimals=decimals, random_state=1).mask(table, schema)
        assert Reconstruction().measure(table, masked, schema).value > 50
    masked = AdditiveNoise(0.5, random_state=1).mask(table, schema)
    assert Reconstruction().measure(table, masked, schema).value == 0


def test_an_exact_total_gives_the_last_member_back():
    from discreet.measures.risk.equations import complement

    known = np.array([3.0, np.nan, 5.0, np.nan, np.nan])
    last = complement(np.array([4.0, 4.0, 4.0, 9.0, 9.0]), np.array([0, 0, 0, 1, 1]), None, known)
    assert last[1] == 4.0
    assert np.isnan(last[[0, 2, 3, 4]]).all()


# ------------------------------------------------------------------------------------------- the battery


@pytest.mark.parametrize("name", catalogue.maskers())
def test_no_masker_can_be_undone_by_arithmetic(name):
    data = microdata(240)
    for masker in catalogue.maskers()[name].examples():
        if "random_state" in masker.get_params():
            masker.set_params(random_state=11)
        found = Reconstruction().measure(data, masker.mask(data))
        assert found.value <= MARGIN, found.sentence


def test_an_assessment_has_it():
    from discreet.workflow import assess

    data = people()
    masked = MixedMDAV(4, weighted=True, decimals="exact").mask(data, SCHEMA)
    found = {m.name: m for m in assess(Microdata(data, SCHEMA), masked).measurements}
    assert found["reconstruction"].value > 25


# ------------------------------------------------------------------------------------- hands-on attacks on defaults


def members(released, weights, low, high):
    """Every combination of whole ages that a rounded mean allows."""
    total = sum(weights)
    for ages in itertools.product(range(low, high + 1), repeat=len(weights)):
        if abs(sum(w * a for w, a in zip(weights, ages, strict=True)) / total - released) <= 0.5:
            yield ages


@pytest.mark.parametrize("weighted", [False, True])
def test_rounded_means_leave_every_member_open(weighted):
    data = people(300)
    masked = MixedMDAV(3, weighted=weighted).mask(data, SCHEMA)
    ages, w = data["years"].to_numpy(), data["w"].to_numpy()
    after = masked.microdata.encoded("years")
    certain = 0
    for group in range(0, int(masked.labels.max()) + 1, 6):
        rows = np.flatnonzero(masked.labels == group)
        if rows.size != 3:
            continue
        # He even knows how wide the group is.
        low, high = int(ages[rows].min()), int(ages[rows].max())
        open_ones = np.array(list(members(after[rows[0]], w[rows] if weighted else np.ones(3), low, high)))
        assert len(open_ones)
        certain += int((np.ptp(open_ones, axis=0) == 0).sum()) if high > low + 1 else 0
    assert certain == 0


def test_known_ends_and_sizes_leave_the_coded_open():
    rng = np.random.default_rng(4)
    table = pl.DataFrame({"years": rng.integers(16, 90, 120)})
    schema = Schema([Attribute("years", Numeric(), "key")])
    masked = TopCoding(threshold=80, replacement="mean").mask(table, schema).microdata.encoded("years")
    coded = table["years"].to_numpy() >= 80
    released = masked[coded][0]
    assert released == np.rint(released)
    # Threshold, largest age and number of coded people known: their sum is still one of as many as there are people.
    sums = np.arange(np.ceil((released - 0.5) * coded.sum()), np.floor((released + 0.5) * coded.sum()) + 1)
    assert sums.size >= coded.sum()
    assert (
        Reconstruction().measure(table, TopCoding(threshold=80, replacement="mean").mask(table, schema), schema).value
        == 0
    )


def test_ratios_with_known_denominators_leave_members_open():
    # Wage an hour has all digits, and hours are released: with an exact mean, three wages would be one equation.
    rng = np.random.default_rng(6)
    hours = rng.integers(20, 60, 90)
    wages = rng.integers(400, 700, 90)
    table = pl.DataFrame({"rate": wages / hours, "hours": hours})
    schema = Schema([Attribute("rate", Numeric(), "key"), Attribute("hours", Numeric(), "other")])
    several = {}
    for decimals in (None, "exact"):
        masked = IndividualRanking(3, sizes="fixed", decimals=decimals).mask(table, schema)
        rate = masked.microdata.encoded("rate")
        slack = 1e-12 if decimals else 0.5 * 10.0 ** (np.floor(np.log10(rate.max())) - 5)
        several[decimals] = []
        for group in range(10):
            rows = np.flatnonzero(masked.labels == group)
            first, second, third = hours[rows]
            a, b = np.meshgrid(np.arange(400, 700), np.arange(400, 700))
            rest = (3 * rate[rows[0]] - a / first - b / second) * third
            whole = np.rint(rest)
            fits = (np.abs(rest - whole) <= 3 * slack * third) & (whole >= 400) & (whole < 700)
            several[decimals].append(int(fits.sum()))
    assert np.median(several[None]) > 3 * np.median(several["exact"])
    assert min(several[None]) > 1


def test_rounding_to_a_base_leaves_what_lies_between_its_neighbours():
    data = people()
    found = Reconstruction().measure(data, Rounding(5).mask(data, SCHEMA), SCHEMA)
    assert found.value == 0


def test_shuffled_values_come_back_by_the_rank_of_a_monotone_column():
    data, schema = with_column(people(), "score", np.sqrt(people()["years"].to_numpy()) * 10)
    masked = Shuffling(attributes=["years"], random_state=1).mask(data, schema)
    assert years(Reconstruction().measure(data, masked, schema))[0] == 100


def test_suppression_of_what_nothing_else_tells_is_kept():
    data = people()
    masked = LocalSuppression(k=3, attributes=["sex", "part"]).mask(data, SCHEMA)
    assert Reconstruction().measure(data, masked, SCHEMA).value == 0


# ------------------------------------------------------------------------------------------------------- every role


@pytest.mark.parametrize("role", ["weight", "stratum", "other", "confidential"])
def test_a_masked_column_is_looked_at_whatever_its_role(role):
    scale = Nominal(tuple("abc")) if role == "stratum" else Numeric()
    schema = Schema([Attribute("years", Numeric(), "key"), Attribute("W", scale, role)])
    rng = np.random.default_rng(3)
    values = rng.choice(list("abc"), 60) if role == "stratum" else rng.integers(1, 900, 60)
    data = Microdata(pl.DataFrame({"years": rng.integers(16, 90, 60), "W": values}), schema)
    if role == "stratum":
        masked = data.replacing({"W": np.zeros(60, dtype=np.int32)})
    else:
        masked = Rounding(50, attributes=["W"]).mask(data)
    found = Reconstruction().measure(data, masked)
    assert found.details["by_attribute"]["W"]["masked"] > 30
    assert "No cell is masked" not in found.sentence
