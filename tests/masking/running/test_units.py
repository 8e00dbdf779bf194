"""Masking once for each unit, by itself and as a step of a chain."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.io.stored_parquet import ParquetTarget
from discreet.masking.running.units import check_constant, is_constant, unit_labels
from discreet.statistics import question

SCHEMA = dc.Schema([
    dc.Attribute("house", dc.Numeric(), "identifier"),
    dc.Attribute("rent", dc.Numeric(), "key"),
    dc.Attribute("age", dc.Numeric(), "key"),
])  # fmt: skip


@pytest.fixture
def people():
    rng = np.random.default_rng(4)
    house = np.sort(rng.integers(0, 60, 200))
    return pl.DataFrame({
        "house": house,
        "rent": rng.normal(900, 200, 60).round()[house],
        "age": rng.integers(0, 95, 200).astype(float),
    })  # fmt: skip


def per_house(k=4):
    return dc.PerUnit(dc.MDAV(k=k, attributes=["rent"]), unit="house")


def test_members_stay_together_and_k_houses_share_a_value(people):
    masked = per_house().mask(people, SCHEMA)
    released = people.select("house").with_columns(rent=masked.to_native()["rent"])
    assert released.group_by("house").agg(pl.col("rent").n_unique())["rent"].max() == 1
    assert released.group_by("rent").agg(pl.col("house").n_unique())["house"].min() >= 4
    assert "house" not in masked.to_native().columns
    assert masked.provenance.details["unit"] == "house"
    assert masked.provenance.guarantees[0].unit == "house"


def test_it_is_the_step_with_a_unit(people):
    table = dc.microdata(people, SCHEMA)
    steps = [
        dc.release.Step("mdav", {"k": 4, "attributes": ["rent"]}, unit="house"),
        dc.Rounding(base=5, attributes=["age"]),
    ]
    chains = [dc.Chain(steps, seed=1).mask(table), dc.Chain([per_house(), steps[1]], seed=1).mask(table)]
    assert chains[0].to_native().equals(chains[1].to_native())
    assert chains[0].provenance.to_dict() == chains[1].provenance.to_dict()
    alone = dc.Chain([per_house()]).mask(table)
    assert alone.to_native().equals(per_house().mask(table).to_native())


def test_a_later_step_does_not_tear_units_apart(people):
    chain = dc.Chain([per_house(), dc.Rounding(base=5)])
    with pytest.raises(dc.DiscreetError, match="once for each 'house'"):
        chain.mask(people, SCHEMA)


def test_a_table_in_files_is_brought_together(people, tmp_path, monkeypatch):
    people.write_parquet(tmp_path / "a.parquet")
    source = dc.scan(tmp_path / "a.parquet", SCHEMA)
    per_house().mask_into(source, ParquetTarget(tmp_path / "b.parquet"))
    assert pl.read_parquet(tmp_path / "b.parquet").equals(per_house().mask(people, SCHEMA).to_native())
    monkeypatch.setattr(question, "MOST_AT_ONCE", 100)
    with pytest.raises(dc.DiscreetError, match="Masking once for each 'house' needs all records at once"):
        per_house().mask_into(source, ParquetTarget(tmp_path / "c.parquet"))
    assert not (tmp_path / "c.parquet").exists()


def test_wrong_kinds_and_an_absent_unit_are_answered(people):
    with pytest.raises(dc.DiscreetError, match="masker must be a masker"):
        dc.PerUnit("mdav", "house")
    with pytest.raises(dc.DiscreetError, match="unit must be the name of an attribute"):
        dc.PerUnit(dc.MDAV(k=3), 3)
    with pytest.raises(dc.DiscreetError, match="unit 'home' is not in the table"):
        dc.PerUnit(dc.MDAV(k=3), "home").mask(people, SCHEMA)
    with pytest.raises(dc.DiscreetError, match="differs within"):
        dc.PerUnit(dc.MDAV(k=3, attributes=["age"]), "house").mask(people, SCHEMA)


def test_protect_takes_a_masker_for_each_unit_and_a_chain(people, tmp_path):
    table = dc.microdata(people, SCHEMA)
    people.write_parquet(tmp_path / "people.parquet")
    stored = dc.scan(tmp_path / "people.parquet", SCHEMA)
    chain = dc.Chain([per_house(), dc.Rounding(base=5, attributes=["age"])], seed=1)
    for name, method in (("unit", per_house()), ("chain", chain)):
        here = dc.protect(table, method)
        assert here.to_native().equals(method.mask(table).to_native())
        written = dc.protect(stored, method, output=tmp_path / f"{name}.parquet")
        assert pl.read_parquet(tmp_path / f"{name}.parquet").equals(here.to_native())
        assert written.provenance.changed == here.provenance.changed
        assert written.provenance.guarantees == here.provenance.guarantees
    with pytest.raises(ParameterError, match="PerUnit has its parameters already; k cannot be given"):
        dc.protect(table, per_house(), k=5)
    with pytest.raises(dc.DiscreetError):
        dc.protect(table, dc.PerUnit)


def test_files_that_a_chain_names_are_inputs(people, tmp_path):
    people.write_parquet(tmp_path / "people.parquet")
    hierarchy = tmp_path / "ages.csv"
    hierarchy.write_text("value,level1\n" + "".join(f"{age},all\n" for age in range(95)), encoding="utf-8")
    chain = dc.Chain([dc.Generalisation(k=2, attributes=["age"], hierarchies={"age": str(hierarchy)})], seed=1)
    assert str(hierarchy) in str(chain.get_params())
    with pytest.raises(dc.DiscreetError):
        dc.protect(dc.scan(tmp_path / "people.parquet", SCHEMA), chain, output=hierarchy)
    assert hierarchy.read_text(encoding="utf-8").startswith("value")


def test_a_sample_of_households_whose_members_have_weights_of_their_own(people):
    rng = np.random.default_rng(6)
    weighted = people.with_columns(w=rng.uniform(1, 9, 200), region=pl.Series(np.where(people["house"] < 20, "n", "s")))
    schema = dc.Schema([
        *SCHEMA, dc.Attribute("w", dc.Numeric(), "weight"), dc.Attribute("region", dc.Nominal(["n", "s"]), "stratum")
    ])  # fmt: skip
    houses = {region: weighted.filter(region=region)["house"].n_unique() for region in "ns"}
    sample = dc.Sampling(size=5, strata=["region"], random_state=3)
    masked = dc.PerUnit(sample, unit="house").mask(weighted, schema)
    before = weighted[masked.provenance.rows.tolist()]
    assert before["house"].n_unique() == 10
    for house in before["house"].unique():
        assert before.filter(house=house).height == weighted.filter(house=house).height, "whole households"
    factors = before["region"].replace_strict({region: count / 5 for region, count in houses.items()})
    assert masked.to_native()["w"].to_numpy() == pytest.approx((before["w"] * factors).to_numpy(), rel=1e-12)
    assert masked.provenance.changed["w"] == before.height
    totals = [
        dc.PerUnit(dc.Sampling(0.5, random_state=seed), unit="house").mask(weighted, schema).to_native()["w"].sum()
        for seed in range(60)
    ]
    assert np.mean(totals) == pytest.approx(weighted["w"].sum(), rel=0.05)


def test_a_masked_weight_must_still_be_one_a_household(people):
    schema = dc.Schema([*SCHEMA, dc.Attribute("w", dc.Numeric(), "weight")])
    weighted = people.with_columns(w=np.random.default_rng(6).uniform(1, 9, 200))
    with pytest.raises(DataError, match="'w' differs within"):
        dc.PerUnit(dc.MDAV(k=4, attributes=["w"]), unit="house").mask(weighted, schema)


def test_the_folder_of_a_chain_is_no_input(people, tmp_path):
    people.write_parquet(tmp_path / "people.parquet")
    (tmp_path / "old.csv").write_text("nothing\n", encoding="utf-8")
    chain = dc.Chain([dc.TopCoding(share=0.1, attributes=["age"])], seed=1, folder=tmp_path)
    dc.protect(dc.scan(tmp_path / "people.parquet", SCHEMA), chain, output=tmp_path / "old.csv")
    assert len(pl.read_csv(tmp_path / "old.csv")) == len(people)


# ------------------------------------------------------------------------------------------------------ by hand


def test_units_are_numbered_by_first_appearance_and_gaps_are_alone():
    schema = dc.Schema([dc.Attribute("home", dc.Nominal(("x", "y", "z")), "other", missing=("?",))])
    homes = dc.Microdata(pl.DataFrame({"home": ["y", None, "x", "y", "?", None, "x"]}), schema)
    assert unit_labels(homes, "home").tolist() == [0, 1, 2, 0, 3, 4, 2]


def test_what_differs_within_a_unit_is_counted():
    schema = dc.Schema(
        [
            dc.Attribute("number", dc.Numeric(), "key"),
            dc.Attribute("level", dc.Nominal(("a", "b")), "key"),
            dc.Attribute("path", dc.Sequence(("a", "b"))),
        ]
    )
    frame = pl.DataFrame(
        {
            "number": [1.0, 1.0, None, None, 2.0, None],
            "level": ["a", "a", "b", "a", None, None],
            "path": [["a", "b"], ["a", "b"], ["a"], ["b"], [], ["a", "b"]],
        }
    )
    table = dc.Microdata(frame, schema)
    labels = np.array([0, 0, 1, 1, 2, 2])
    told = {name: is_constant(table, labels, name) for name in schema.names}
    assert told == {"number": False, "level": False, "path": False}
    assert all(is_constant(table.take(np.array([0, 1])), np.array([0, 0]), name) for name in schema.names)
    for name, number in (("number", 1), ("level", 1), ("path", 2)):
        with pytest.raises(DataError) as caught:
            check_constant(table, labels, (name,), "home")
        assert str(caught.value).startswith(
            f"Column {name!r} differs within {number} of 3 units of 'home'; masking it once a unit needs one value"
        )
    check_constant(table, np.arange(6), tuple(schema.names), "home")


def test_it_says_what_it_is(people):
    masker = per_house()
    assert repr(masker) == f"PerUnit({masker.masker!r}, unit='house')"
    assert masker.name == "mdav"
    assert masker.get_params(deep=False) == {"masker": masker.masker, "unit": "house"}
    assert masker.get_params()["masker__k"] == 4
    masked = masker.mask(people, SCHEMA)
    houses = people["house"].n_unique()
    assert masked.provenance.details["n_units"] == houses
    assert f"Masked once for each of {houses} units of house." in masked.provenance.notes
    assert masked.provenance.n_records == 200
    assert masked.labels.size == 200
    assert masked.provenance.changed == {"rent": int((masked.to_native()["rent"] != people["rent"]).sum())}


def test_members_weigh_their_mean_in_the_method():
    schema = dc.Schema([*SCHEMA, dc.Attribute("w", dc.Numeric(), "weight")])
    frame = pl.DataFrame(
        {"house": [1, 1, 2, 3], "rent": [10.0, 10.0, 20.0, 40.0], "age": [1.0, 2, 3, 4], "w": [1.0, 3.0, 4.0, 2.0]}
    )
    masker = dc.MDAV(k=3, attributes=["rent"], weighted=True, decimals="exact")
    masked = dc.PerUnit(masker, unit="house").mask(frame, schema).to_native()
    assert masked["rent"].to_list() == pytest.approx([(10 * 2 + 20 * 4 + 40 * 2) / 8] * 4)
    assert masked["w"].to_list() == [1.0, 3.0, 4.0, 2.0]
