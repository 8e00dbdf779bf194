"""What a release tells beside its masked columns: judged on written files, with code that shares nothing."""

from __future__ import annotations

import csv

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.cli import main
from discreet.masking.withholding.pseudonym_key import new_key


def people(n: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    size = rng.integers(1, 5, n)
    home = np.repeat(np.arange(n), size)[:n]
    age = rng.integers(18, 80, n).astype(float)
    pay, rent = rng.normal(2000, 300, n).round(2), rng.normal(800, 90, n).round(2)
    return pl.DataFrame(
        {
            "hid": home,
            "person": [int((home[:i] == h).sum()) + 1 for i, h in enumerate(home)],
            "age": age,
            "born": 2023 - age,
            "pay": pay,
            "rent": rent,
            "total": (pay + rent).round(2),
            "shoe": rng.integers(35, 48, n).astype(float),
        }
    )


def declared(frame: pl.DataFrame, **further: object) -> dc.Microdata:
    numeric = [name for name in frame.columns if name != "hid"]
    given = {"keys": ["age", "pay"], "others": "other", "numeric": numeric, "household": "hid", **further}
    return dc.survey(frame, **given)


def remarks(table: dc.Microdata, masked: dc.Masked) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in dc.advise(table, masked):
        found.setdefault(one.code, []).append(f"{one.sentence} {one.hint}")
    return found


def test_a_function_of_a_masked_key_is_named():
    table = declared(people())
    told = remarks(table, dc.MDAV(k=3).mask(table))["masked-key-told"]
    assert len(told) == 2
    assert "born" in told[0]
    assert " age, which was masked" in told[0]
    assert "rent, total" in told[1]
    assert " pay, which was masked" in told[1]
    assert "shoe" not in "".join(told)


def test_nothing_is_said_where_both_are_masked_or_nothing_tells():
    frame = people().drop("total")
    both = declared(frame, keys=["age", "born", "pay"])
    assert "masked-key-told" not in remarks(both, dc.MDAV(k=3).mask(both))
    without = declared(frame.drop("born"))
    assert "masked-key-told" not in remarks(without, dc.MDAV(k=3).mask(without))


def test_a_near_function_and_a_finer_category_tell():
    frame = people().with_columns(
        born=pl.when(pl.int_range(pl.len()) < 2).then(1900.0).otherwise(pl.col("born")),
        town=pl.col("shoe").cast(int).cast(str), area=(pl.col("shoe") // 5).cast(int).cast(str),
    )  # fmt: skip
    numeric = [name for name in people().columns if name != "hid"]
    table = declared(frame, keys=["age", "area"], numeric=numeric, nominal=["town", "area"])
    told = remarks(table, dc.MDAV(k=3, attributes=["age"]).mask(table))["masked-key-told"]
    assert len(told) == 1
    told = remarks(table, dc.PRAM(attributes=["area"], random_state=1).mask(table))["masked-key-told"]
    assert {"shoe" in one or "town" in one for one in told} == {True}


@pytest.mark.parametrize("numbered", [True, False])
def test_households_that_the_order_tells(tmp_path, monkeypatch, capsys, numbered):
    monkeypatch.chdir(tmp_path)
    frame = people() if numbered else people().drop("person")
    frame.write_csv("data.csv")
    typed = ["protect", "data.csv", "--keys", "age,pay", "--others", "other", "--household", "hid", "--numeric",
             "age,pay", "-m", "mdav", "--k", "3", "--attributes", "age,pay", "-o", "out.csv"]  # fmt: skip
    assert main._code(typed) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "hid is left out, but records of a household stand together" in said
    assert "record-order" in said
    assert ("person begins anew" in said) is numbered
    if numbered:  # and so it is: the intruder numbers the households of the written file
        released = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
        assert "hid" not in released[0]
        rebuilt = np.cumsum([row["person"] == "1" for row in released]) - 1
        assert rebuilt.tolist() == people()["hid"].to_list()


def test_households_in_another_order_are_not_told():
    table = declared(people())
    masked = dc.Chain([dc.MDAV(k=3), dc.RecordOrder(random_state=1)]).mask(table)
    assert "household-rebuilt" not in remarks(table, masked)
    scattered = declared(people().sample(fraction=1.0, shuffle=True, seed=1))
    assert "household-rebuilt" not in remarks(scattered, dc.MDAV(k=3).mask(scattered))


def test_dates_of_one_person_that_move_apart_are_noticed():
    seen = [f"2020-01-{i % 28 + 1:02}" for i in range(60)]
    frame = pl.DataFrame({"mrn": [f"M{i // 2}" for i in range(60)], "seen": seen})
    table = dc.survey(frame, identifiers=["mrn"], keys=["seen"])
    assert "person = 'mrn'" in remarks(table, dc.DateShifting(90).mask(table))["person-shifted-apart"][0]
    assert "person-shifted-apart" not in remarks(table, dc.DateShifting(90, person="mrn").mask(table))


def test_no_step_is_undone_by_advice(tmp_path):
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({
        "mrn": [f"M{i:05}" for i in range(80)], "Lat": rng.uniform(41, 42, 80).round(5),
        "Lon": rng.uniform(-71, -70, 80).round(5), "pain": ["a", "b"] * 40,
    })  # fmt: skip
    table = dc.survey(frame, identifiers=["mrn"], keys=["Lat", "Lon"], numeric=["Lat", "Lon"], confidential=["pain"])
    for masker in (dc.DonutDisplacement("Lat", "Lon"), dc.GridCells("Lat", "Lon")):
        assert "identifiers-present" not in remarks(table, masker.mask(table))
    masked = dc.Pseudonyms(["mrn"], key=new_key(tmp_path / "k.key")).mask(table)
    assert "mrn" in masked.microdata.names
    assert "mrn" not in " ".join(remarks(table, masked).get("identifiers-present", []))
    with pytest.raises(dc.errors.ParameterError, match="--numeric Lat,Lon"):
        dc.DonutDisplacement("Lat", "Lon").mask(frame)


def test_a_column_without_a_value_is_passed_over():
    """Warnings are errors here: a standard deviation of nothing was one."""
    rng = np.random.default_rng(1)
    columns = {"a": rng.normal(size=60), "b": rng.normal(size=60), "empty": pl.Series([None] * 60, dtype=pl.Float64)}
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in columns])
    data = dc.microdata(pl.DataFrame(columns), schema)
    masked = dc.AdditiveNoise(0.1, attributes=["a"], random_state=1).mask(data)
    assert "masked-key-told" not in {remark.code for remark in dc.advise(data, masked)}
