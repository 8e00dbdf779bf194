"""Pseudonyms of a file become identifiers again, for who holds the key, and nothing is written over."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as dc
from discreet import workflow
from discreet.errors import DiscreetError
from discreet.release.pseudonym_files import reveal_file

NAMES = ["anna", "bert", "cleo", None, "anna"]


@pytest.fixture
def folder(tmp_path):
    workflow.new_key(tmp_path / "one.key")
    workflow.new_key(tmp_path / "other.key")
    frame = pl.DataFrame({"patient": NAMES, "age": [30, 40, 50, 60, 70]})
    schema = dc.Schema([dc.Attribute("patient", dc.Nominal(["anna", "bert", "cleo"]), "identifier"),
                        dc.Attribute("age", dc.Numeric(), "key")])  # fmt: skip
    masker = dc.Pseudonyms(["patient"], key=tmp_path / "one.key", domain="clinic", reversible=True)
    masker.mask(frame, schema).microdata.to_polars().write_csv(tmp_path / "out.csv", separator=";")
    return tmp_path


def test_who_holds_the_key_finds_the_way_back(folder):
    count = reveal_file(
        folder / "out.csv", "patient", folder / "who.csv", key=folder / "one.key", domain="clinic", delimiter=";"
    )
    assert count == 5
    found = dc.read(folder / "who.csv").to_polars()
    assert found["patient"].to_list() == NAMES
    assert found["age"].to_list() == [30, 40, 50, 60, 70]
    assert "anna" not in (folder / "out.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(("key", "domain"), [("other.key", "clinic"), ("one.key", None), ("one.key", "ward")])
def test_another_key_or_domain_finds_nobody(folder, key, domain):
    with pytest.raises(DiscreetError) as told:
        reveal_file(folder / "out.csv", "patient", folder / "who.csv", key=folder / key, domain=domain, delimiter=";")
    assert "anna" not in str(told.value)
    assert not (folder / "who.csv").exists()


@pytest.mark.parametrize("output", ["out.csv", "one.key"])
def test_inputs_are_never_written_over(folder, output):
    before = (folder / output).read_bytes()
    with pytest.raises(DiscreetError):
        reveal_file(
            folder / "out.csv", "patient", folder / output, key=folder / "one.key", domain="clinic", delimiter=";"
        )
    assert (folder / output).read_bytes() == before


def test_the_name_of_the_column_is_the_domain_by_default(tmp_path):
    workflow.new_key(tmp_path / "k.key")
    frame = pl.DataFrame({"patient": ["anna", "bert"], "age": [1, 2]})
    schema = dc.Schema([dc.Attribute("patient", dc.Nominal(["anna", "bert"]), "identifier"),
                        dc.Attribute("age", dc.Numeric(), "key")])  # fmt: skip
    masked = dc.Pseudonyms(["patient"], key=tmp_path / "k.key", reversible=True).mask(frame, schema)
    masked.microdata.to_polars().write_csv(tmp_path / "o.csv")
    assert reveal_file(tmp_path / "o.csv", "patient", tmp_path / "w.csv", key=tmp_path / "k.key") == 2
    assert dc.read(tmp_path / "w.csv").to_polars()["patient"].to_list() == ["anna", "bert"]
    with pytest.raises(DiscreetError):
        reveal_file(tmp_path / "o.csv", "nobody", tmp_path / "x.csv", key=tmp_path / "k.key")
