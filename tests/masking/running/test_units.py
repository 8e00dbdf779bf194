"""Masking once for each unit, by itself and as a step of a chain."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.io.stored_parquet import ParquetTarget
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
