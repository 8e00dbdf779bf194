"""Where the population comes from."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.models.people_source import PeopleSource, load_people

PEOPLE = Microdata(pl.DataFrame({"age": ["1"]}), Schema([Attribute("age", Nominal(["1"]), "key")]))


def test_a_path_is_one_beside_what_names_it_and_a_table_stays() -> None:
    source = PeopleSource()
    assert source.read("people.csv") == "people.csv"
    assert source.read(Path("people.csv"), "survey") == str(Path("survey") / "people.csv")
    assert source.read("/all/people.csv", "survey") == "/all/people.csv"
    assert source.read(PEOPLE, "survey") is PEOPLE
    assert all(source.accepts(one) for one in (PEOPLE, "people.csv", Path("people.csv")))
    assert not source.accepts(3)


def test_every_cell_of_a_file_is_its_text_and_an_empty_one_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("age,area\n07,x\n,y\n", encoding="utf-8")
    people = load_people(file)
    assert people.column("age").to_pylist() == ["07", None]
    assert people.column("area").to_pylist() == ["x", "y"]
    assert load_people(PEOPLE) is PEOPLE
