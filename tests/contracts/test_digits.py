"""Released aggregates carry no more digits than their columns, wherever they are made."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.battery import microdata

from discreet import catalogue
from discreet.contracts.digits import (
    ReleaseRounding,
    counts_cells,
    names_to_round,
    notes_on_cells,
    notes_on_release,
    same_cells,
)
from discreet.contracts.masker import Masker
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.scales.precision import Fineness, fineness
from discreet.data.schema import Attribute, Schema
from discreet.engines.streaming import StreamingEngine
from discreet.errors import ParameterError
from discreet.io.stored_parquet import ParquetSource, ParquetTarget
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.microaggregation.numbers.univariate import IndividualRanking
from discreet.masking.microaggregation.records.kmodes import KModes
from discreet.masking.microaggregation.records.kprototypes import KPrototypes
from discreet.masking.microaggregation.records.mixed_mdav import MixedMDAV
from discreet.masking.microaggregation.records.mondrian import Mondrian
from discreet.masking.microaggregation.records.sorted_groups import SortedGroups
from discreet.masking.perturbing.noise import AdditiveNoise
from discreet.masking.recoding.coding import TopCoding
from discreet.operators.numbers.means import ArithmeticMean

SCHEMA = Schema(
    [
        Attribute("years", Numeric(), "key"),
        Attribute("wage", Numeric(), "key"),
        Attribute("real", Numeric(), "key"),
        Attribute("part", Nominal(("n", "s")), "stratum"),
        Attribute("w", Numeric(), "weight"),
    ]
)
AVERAGING = [
    name
    for name, cls in catalogue.maskers().items()
    if cls.groups and "numeric" in cls.scales and "decimals" in cls.parameters
]


def people(n=240, seed=0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "years": rng.integers(16, 90, n),
            "wage": rng.lognormal(7, 1, n).round(2),
            "real": rng.normal(size=n),
            # All whole numbers of one part: its digits must not be decided by itself.
            "part": np.where(np.arange(n) % 2, "n", "s"),
            "w": rng.uniform(50, 900, n).round(1),
        }
    )


def quick(name, **more):
    small = {"budget": 200, "generations": 5, "population": 6, "random_state": 0}
    cls = catalogue.maskers()[name]
    return cls(k=4, **{n: v for n, v in small.items() if n in cls.parameter_names()}, **more)


def test_the_family_is_whole():
    assert {"mdav", "vmdav", "ward", "mhm", "projection", "individual-ranking", "genetic", "refine"} <= set(AVERAGING)
    assert {"mixed-mdav", "kprototypes", "sorted-groups", "mondrian"} <= set(AVERAGING)


@pytest.fixture
def one_draw(monkeypatch):
    """Let methods with other parameters draw alike, so that rounding is all that differs."""
    monkeypatch.setattr(Masker, "_purpose", lambda *_: "one for all")


@pytest.mark.parametrize("name", AVERAGING)
@pytest.mark.parametrize("strata", [None, ["part"]])
def test_no_more_digits_than_the_column_and_k_still_holds(name, strata, one_draw):
    if "strata" not in catalogue.maskers()[name].parameter_names():
        pytest.skip("masks a table as a whole; its own tests look at its digits")
    data = people()
    masked = quick(name, attributes=["years", "wage"], strata=strata).mask(data, SCHEMA)
    released = masked.microdata
    assert fineness(released.encoded("years")).decimals == 0
    assert fineness(released.encoded("wage")).decimals <= 2
    keys = ["years"] if name == "individual-ranking" else ["years", "wage"]
    assert released.to_polars().group_by([*keys, *(strata or [])]).len()["len"].min() >= 4
    exact = quick(name, attributes=["years", "wage"], strata=strata, decimals="exact").mask(data, SCHEMA)
    assert fineness(exact.microdata.encoded("years")).decimals != 0
    assert np.array_equal(exact.labels, masked.labels), "rounding is the last step"
    assert np.abs(exact.microdata.encoded("years") - released.encoded("years")).max() <= 0.5
    assert any("all their digits" in note for note in exact.provenance.notes)
    assert exact.provenance.details.get("sse") == masked.provenance.details.get("sse")


def test_every_masker_with_its_defaults_releases_whole_ages_and_no_fraction_of_a_cent():
    data = microdata(120)
    for name, cls in catalogue.maskers().items():
        if "numeric" not in cls.scales or name == "rounding":  # a base is what the user chose
            continue
        for masker in cls.examples():
            if "random_state" in masker.get_params():
                masker.set_params(random_state=3)
            released = masker.mask(data).microdata
            for column, decimals in (("age", 0), ("income", 2)):
                if column in released.schema and released.schema[column].scale.kind == "numeric":
                    digits = fineness(released.encoded(column)).decimals
                    assert digits is not None, (name, column)
                    assert digits <= decimals, (name, column)


def test_a_stratum_of_whole_numbers_has_the_digits_of_the_column():
    data = pl.DataFrame({"x": [1.0, 2.0, 2.0, 5.25, 6.0, 6.5], "s": ["a", "a", "a", "b", "b", "b"]})
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("s", Nominal(("a", "b")), "stratum")])
    assert MDAV(k=3, strata=["s"]).mask(data, schema).microdata.encoded("x").tolist() == [1.67] * 3 + [5.92] * 3


@pytest.mark.parametrize(
    "masker",
    [MDAV(k=4, random_state=1), MixedMDAV(4, random_state=1), IndividualRanking(4), Mondrian(4, random_state=1)],
    ids=lambda m: m.name,
)
def test_out_of_core_rounds_as_memory_does(tmp_path, masker, one_draw):
    # The only fractions stand in the last records: blocks and batches of whole numbers must wait for them.
    values = np.random.default_rng(0).integers(0, 60, (900, 2)).astype(float)
    values[-60:] += 0.01 * np.arange(1, 61)[:, None]
    values = values.round(2)
    table = pl.DataFrame({"years": values[:, 0], "wage": values[:, 1]})
    schema = SCHEMA.select(["years", "wage"])
    table.write_parquet(tmp_path / "in.parquet", row_group_size=100)
    target = ParquetTarget(tmp_path / "out.parquet")
    source = ParquetSource(tmp_path / "in.parquet", schema)
    masker.mask_into(source, target, StreamingEngine(1, batch=100), block_size=200)
    released = pl.read_parquet(tmp_path / "out.parquet")
    for name in schema.names:
        assert fineness(released[name].to_numpy()).decimals == 2
    exact = masker.clone().set_params(decimals="exact")
    target = ParquetTarget(tmp_path / "exact.parquet")
    provenance, _ = exact.mask_into(source, target, StreamingEngine(1, batch=100), block_size=200)
    full = pl.read_parquet(tmp_path / "exact.parquet")
    for name in schema.names:
        assert np.array_equal(np.round(full[name].to_numpy(), 2), released[name].to_numpy())
    assert any("all their digits" in note for note in provenance.notes)


@pytest.mark.parametrize("odd", [0.5, 1 / 3])
def test_an_odd_number_gives_no_digit_to_the_others_in_memory_and_out_of_it(tmp_path, odd):
    rng = np.random.default_rng(0)
    ages, incomes = rng.integers(1, 95, 400).astype(float), rng.integers(20, 400, 400) * 500.0
    ages[-1] = odd
    incomes[-1] = 20_001.0
    table = pl.DataFrame({"years": ages, "wage": incomes})
    schema = SCHEMA.select(table.columns)
    table.write_parquet(tmp_path / "in.parquet", row_group_size=100)
    source, target = ParquetSource(tmp_path / "in.parquet", schema), ParquetTarget(tmp_path / "out.parquet")
    MDAV(k=4).mask_into(source, target, StreamingEngine(1, batch=100))
    for released in (pl.read_parquet(tmp_path / "out.parquet"), MDAV(k=4).mask(table, schema).to_native()):
        assert (released["years"].to_numpy() % 1 == 0).all()
        assert (released["wage"].to_numpy() % 500 == 0).all()
    inside = MDAV(k=4, bounds=True).mask(table, schema).to_native()
    for name in table.columns:
        assert table[name].min() <= inside[name].min()
        assert inside[name].max() <= table[name].max()


def test_one_block_out_of_core_gives_the_bytes_of_memory(tmp_path):
    table = people(200).select("years", "wage", "real")
    schema = SCHEMA.select(table.columns)
    table.write_parquet(tmp_path / "in.parquet")
    MDAV(k=4).mask_into(
        ParquetSource(tmp_path / "in.parquet", schema), ParquetTarget(tmp_path / "o.parquet"), StreamingEngine(1)
    )
    memory = MDAV(k=4).mask(table, schema).to_native()
    assert pl.read_parquet(tmp_path / "o.parquet").select(pl.all().cast(pl.Float64)).equals(memory)


def test_coarser_by_parameter_and_within_bounds():
    data = people()
    released = MDAV(k=4, decimals={"wage": -2}, bounds=True).mask(data, SCHEMA).microdata
    wage = released.encoded("wage")
    assert (wage % 100 == 0).mean() > 0.9
    assert wage.min() >= data["wage"].min()
    assert wage.max() <= data["wage"].max()
    assert fineness(released.encoded("years")).decimals == 0
    with pytest.raises(ParameterError, match="MDAV: decimals must be None or an integer between -15 and 15"):
        MDAV(k=4, decimals="all").mask(data, SCHEMA)
    with pytest.raises(ParameterError, match="decimals names 'part', which is no numeric attribute that is masked"):
        MixedMDAV(4, decimals={"part": 0}).mask(data, SCHEMA)


def test_integers_round_what_is_whole_even_where_all_digits_are_asked_for():
    released = MDAV(k=4, decimals="exact", integers=True).mask(people(), SCHEMA).microdata
    assert fineness(released.encoded("years")).decimals == 0
    assert fineness(released.encoded("wage")).decimals is None


@pytest.mark.parametrize("cls", [MixedMDAV, Mondrian, KPrototypes, SortedGroups])
def test_weights_count_only_when_asked_and_that_is_said(cls):
    data = people()
    plain, asked = (cls(5, weighted=w, decimals="exact").mask(data, SCHEMA) for w in (False, True))
    default = cls(5, decimals="exact").mask(data, SCHEMA)
    assert default.microdata.to_polars().equals(plain.microdata.to_polars())
    years, w = data["years"].to_numpy(), data["w"].to_numpy()
    members = asked.labels == 0
    assert asked.microdata.encoded("years")[members][0] == pytest.approx(np.average(years[members], weights=w[members]))
    assert any("the weights are released (w)" in note for note in asked.provenance.notes)
    assert not any("weights" in note for note in default.provenance.notes)


def test_weights_of_prototypes_are_said_too():
    asked = KModes(5, weighted=True).mask(microdata())
    assert any("the weights are released (weight)" in note for note in asked.provenance.notes)
    assert not any("weights are released" in note for note in KModes(5).mask(microdata()).provenance.notes)


def test_the_mean_of_one_or_two_coded_numbers_is_not_released():
    ages = pl.DataFrame({"years": [20, 30, 40, 50, 91, 99]})
    schema = Schema([Attribute("years", Numeric(), "key")])
    few = TopCoding(threshold=90, replacement="mean").mask(ages, schema).microdata.encoded("years")
    assert few.tolist() == [20, 30, 40, 50, 90, 90]
    more = TopCoding(threshold=35, replacement="mean").mask(ages, schema).microdata.encoded("years")
    assert more.tolist() == [20, 30, 70, 70, 70, 70]


def test_coding_leaves_other_cells_with_all_their_digits():
    values = np.random.default_rng(0).normal(size=50)
    schema = Schema([Attribute("x", Numeric(), "key")])
    after = TopCoding(share=0.2, replacement="mean").mask(pl.DataFrame({"x": values}), schema).microdata.encoded("x")
    same = after == values
    assert same.sum() == 40
    assert after[~same][0] == pytest.approx(ArithmeticMean()(values[~same]), rel=1e-5)


def test_noise_that_rounding_takes_back_is_said():
    data = pl.DataFrame({"years": [0, 1] * 50})
    schema = Schema([Attribute("years", Numeric(), "key")])
    masked = AdditiveNoise(0.1, random_state=1).mask(data, schema)
    assert any(note.startswith("years: 100 of 100 cells are what they were") for note in masked.provenance.notes)
    loud = AdditiveNoise(3.0, random_state=1).mask(data, schema)
    assert not any("what they were" in note for note in loud.provenance.notes)


# ------------------------------------------------------------------------------------------------------- piece by piece

TENTHS, WHOLE = Fineness(1, 0.0, 10.0), Fineness(0, 3.0, 3.0)


def test_cells_that_stay_and_that_leave_the_range_are_counted_by_hand():
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])
    table = Microdata(pl.DataFrame({"x": [0.0, 10.0, None, 5.0, 7.0], "y": [3.0] * 5}), schema)
    after = {"x": np.array([0.0, 10.1, 11.0, -0.1, 10.0])}
    assert same_cells(table, after, {"x": TENTHS, "y": WHOLE}) == {"x": (1, 4, 2)}


@pytest.mark.parametrize(
    ("counts", "column", "notes"),
    [
        ((5, 5, 0), WHOLE, ["x does not vary; nothing of it is hidden."]),
        ((0, 0, 0), WHOLE, []),
        ((5, 5, 0), TENTHS, ["x: 5 of 5 cells are what they were"]),
        ((3, 5, 0), TENTHS, ["x: 3 of 5 cells are what they were"]),
        ((4, 5, 0), WHOLE, ["x: 4 of 5 cells are what they were"]),
        ((3, 6, 0), TENTHS, []),
        ((0, 6, 1), TENTHS, ["x: 1 of 6 released values lie outside of the range"]),
        ((4, 6, 2), TENTHS, ["x: 4 of 6 cells are what they were", "x: 2 of 6 released values lie outside"]),
    ],
)
def test_what_is_told_of_cells_that_stay_or_leave_the_range(counts, column, notes):
    told = notes_on_cells({"x": counts}, {"x": column})
    assert len(told) == len(notes)
    assert all(one.startswith(note) for one, note in zip(told, notes, strict=True))


def test_who_asks_for_all_digits_or_weights_is_told_what_they_tell():
    assert notes_on_release(MDAV(k=3), SCHEMA, ("years", "wage")) == ()
    (exact,) = notes_on_release(MDAV(k=3, decimals="exact"), SCHEMA, ("years", "wage"))
    assert exact.startswith("Aggregates are released with all their digits (2: years, wage): members of small groups")
    (weighted,) = notes_on_release(MDAV(k=3, weighted=True), SCHEMA, ("years",))
    assert weighted.startswith("Aggregates count survey weights, and the weights are released (w):")
    assert notes_on_release(MDAV(k=3, weighted=True), SCHEMA, ()) == ()
    assert notes_on_release(AdditiveNoise(decimals="exact"), SCHEMA, ("years",)) == ()


def test_cells_are_counted_of_a_perturbation_that_rounds():
    assert counts_cells(AdditiveNoise(), {"x": TENTHS})
    assert not counts_cells(AdditiveNoise(), {})
    assert not counts_cells(MDAV(k=3), {"x": TENTHS})
    assert names_to_round(TopCoding(share=0.1), SCHEMA, ("years",)) == ()
    assert names_to_round(MDAV(k=3), SCHEMA, ("wage", "part", "years")) == ("years", "wage")
    with pytest.raises(ParameterError, match="MDAV: decimals names 'real', which is no numeric attribute that is"):
        names_to_round(MDAV(k=3, decimals={"wage": 1, "real": 2}), SCHEMA, ("wage",))


def test_types_of_whole_numbers_that_are_released_in_parts():
    columns = {"x": WHOLE, "t": Fineness(-1, 0.0, 100.0)}
    assert ReleaseRounding(MDAV(k=3), columns).kinds(["x", "t", "z"]) == {"x": "own", "t": "int64", "z": "own"}
    assert ReleaseRounding(AdditiveNoise(), columns).kinds(["x", "z"]) == {"x": "int64", "z": "own"}
    assert ReleaseRounding(MDAV(k=3, decimals="exact"), columns).kinds(["x"]) == {"x": "float64"}
    assert ReleaseRounding(MDAV(k=3, decimals="exact", integers=True), columns).kinds(["x"]) == {"x": "own"}
    assert ReleaseRounding(MDAV(k=3, decimals="exact", integers=True), {"x": TENTHS}).kinds(["x"]) == {"x": "float64"}


def test_numbers_in_steps_of_two_are_wider_than_their_own_type_may_be():
    twos, ones = fineness(2.0 * np.arange(40)), fineness(1.0 * np.arange(40))
    assert (twos.unit, ones.unit) == (2.0, 1.0)
    assert ReleaseRounding(MDAV(k=3), {"x": twos, "y": ones}).kinds(["x", "y"]) == {"x": "int64", "y": "own"}
