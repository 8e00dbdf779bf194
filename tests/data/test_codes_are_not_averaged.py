"""Numbers that inference holds for codes, identifiers or weights are not averaged unless somebody says so."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.cli import main
from discreet.errors import ParameterError


@pytest.fixture
def people():
    rng = np.random.default_rng(3)
    n = 200
    return pl.DataFrame(
        {
            "kx": rng.choice(np.arange(200, 900, 7), n),  # whole numbers of one length, of unknown meaning
            "REGION": rng.choice([11, 54, 71, 92], n),
            "age": rng.integers(18, 90, n),
            "w": rng.uniform(1, 9, n),
            "hid": np.repeat(np.arange(n // 2), 2),
            "town": np.repeat(rng.integers(0, 30, n // 2), 2),
        }
    )


def test_a_numeric_method_refuses_what_may_be_codes(people):
    with pytest.raises(ParameterError, match="nobody said that the numbers of 'kx' are quantities"):
        dc.protect(people, "mdav", k=3)


def test_unless_its_scale_is_declared(people):
    declared = dc.survey(people, keys=["kx", "age"], numeric="kx")
    assert set(dc.protect(declared, "mdav", k=3).provenance.changed) == {"kx", "age"}
    region = dc.survey(people, numeric="REGION")
    assert set(dc.protect(region, "mdav", k=3, attributes=["REGION"]).provenance.changed) == {"REGION"}


@pytest.mark.parametrize(
    ("name", "word"),
    [("kx", "quantities"), ("REGION", "--numeric REGION"), ("w", "quantities"), ("hid", "'hid' is an identifier")],
)
def test_naming_a_column_does_not_make_it_a_quantity(people, tmp_path, monkeypatch, capsys, name, word):
    for attempt in (lambda: dc.protect(people, "mdav", k=3, attributes=[name]),
                    lambda: dc.MDAV(k=3, attributes=[name]).mask(people)):  # fmt: skip
        with pytest.raises(ParameterError, match=word):
            attempt()
    monkeypatch.chdir(tmp_path)
    people.write_csv("people.csv")
    typed = ["protect", "people.csv", "-m", "mdav", "--k", "3", "--attributes", name, "-o", "out.csv"]
    assert main._code(typed) == 2
    assert word in capsys.readouterr().err.replace("\n", " ")
    assert not (tmp_path / "out.csv").exists()
    if name in {"kx", "REGION"}:
        assert main._code([*typed, "--numeric", name]) == 0
        released = pl.read_csv("out.csv")[name]
        assert released.value_counts()["count"].min() >= 3


def test_an_identifier_among_attributes_is_called_one():
    people = pl.DataFrame({"i": range(1, 61), "v": np.random.default_rng(1).normal(size=60)})
    with pytest.raises(ParameterError, match="'i' is an identifier"):
        dc.MixedMDAV(k=3, attributes=["i", "v"]).mask(people)


def test_regions_households_and_weights_are_left_alone(people):
    table = dc.survey(people, nominal="kx")
    masked = dc.protect(table, "mdav", k=3)
    assert set(masked.provenance.changed) == {"age"}
    after = masked.microdata.to_polars()
    assert after["REGION"].equals(people["REGION"])
    assert after["w"].equals(people["w"])
    assert "hid" not in after.columns
    assert table.schema.household == "hid"


def test_a_weight_that_is_named_a_key_is_asked_about(people):
    with pytest.raises(ParameterError, match="'w'"):
        dc.protect(dc.survey(people, keys=["w"]), "mdav", k=3)
