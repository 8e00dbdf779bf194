"""Safe harbour: the rules one by one, and a file of patients, its bytes judged by code that shares nothing."""

from __future__ import annotations

import csv
import datetime as dt
import re

import pyarrow as pa
import pytest

import discreet as dc
from discreet.cli import main
from discreet.datasets.patients import AREAS

PEOPLE = {"100": 1_500_000, "036": 14_000}


def stays(**columns: list[object]) -> dc.Microdata:
    scales = {
        "age": dc.Numeric(),
        "born": dc.Date(),
        "year": dc.Numeric(),
        "seen": dc.Date(),
        "zip": dc.Nominal(tuple(dict.fromkeys(columns.get("zip", ["x"])))),
        "grade": dc.Ordinal(tuple(sorted(set(columns.get("grade", [1]))))),
    }
    schema = dc.Schema([dc.Attribute(name, scales[name], "key") for name in columns])
    return dc.Microdata(pa.table(columns), schema)


def test_ages_from_ninety_on_are_one_class() -> None:
    table = stays(age=[0, 89, 89.9, 90, 104, None])
    masked = dc.SafeHarbour(ages=["age"]).mask(table)
    assert masked.microdata.column("age").to_pylist() == ["0", "89", "89", "90+", "90+", None]
    ordinal = dc.SafeHarbour(ages=["grade"]).mask(stays(grade=[9, 89, 90, 95])).microdata
    assert ordinal.column("grade").to_pylist() == ["9", "89", "90+", "90+"]


def test_years_of_birth_that_tell_such_an_age_are_one_class() -> None:
    born = [dt.date(1900, 5, 1), dt.date(1930, 12, 31), dt.date(1931, 1, 1), dt.date(2000, 2, 2)]
    seen = [dt.date(2020, 12, 31), dt.date(2019, 1, 1), dt.date(2019, 1, 1), dt.date(2018, 7, 7)]
    masked = dc.SafeHarbour(births=["born"]).mask(stays(born=born, seen=seen))
    assert masked.microdata.column("born").to_pylist() == ["1930 or before", "1930 or before", "1931", "2000"]
    assert masked.microdata.column("seen").to_pylist() == ["2020", "2019", "2019", "2018"]
    assert masked.provenance.details["reference"] == 2020
    given = dc.SafeHarbour(births=["born"], reference=2025).mask(stays(born=born)).microdata
    assert given.column("born").to_pylist() == ["1935 or before"] * 3 + ["2000"]
    years = dc.SafeHarbour(births=["year"], reference=2025).mask(stays(year=[1920, 1935, 1936])).microdata
    assert years.column("year").to_pylist() == ["1935 or before", "1935 or before", "1936"]


def test_codes_of_small_and_of_unknown_areas_are_zeros() -> None:
    masked = dc.SafeHarbour(codes=["zip"], population=PEOPLE).mask(
        stays(zip=["10001", "10001-1234", "03601", "99999", "100011234"])
    )
    assert masked.microdata.column("zip").to_pylist() == ["100", "100", "000", "000", "100"]
    numbers = dc.SafeHarbour(codes=["zip"], population={"021": 30_000}).mask(stays(zip=[2139, 3601]))
    assert numbers.microdata.column("zip").to_pylist() == ["021", "000"]


def test_what_is_refused() -> None:
    table = stays(age=[1, 2], born=[dt.date(2000, 1, 1)] * 2, zip=["1", "2"])
    for masker, word in (
        (dc.SafeHarbour(codes=["zip"]), "population"),
        (dc.SafeHarbour(ages=["born"]), "ages names 'born'"),
        (dc.SafeHarbour(births=["zip"]), "births names 'zip'"),
        (dc.SafeHarbour(codes=["age"], population=PEOPLE), "a code is no quantity"),
        (dc.SafeHarbour(births=["born"], population=PEOPLE), "reference is needed"),
        (dc.SafeHarbour(keep=["zip"]), "reference is needed"),
        (dc.SafeHarbour(ages=["age"], births=["age"]), "not two of them"),
    ):
        with pytest.raises(dc.errors.ParameterError, match=word):
            masker.mask(table)
    with pytest.raises(dc.errors.SchemaError, match="no date"):
        dc.SafeHarbour().mask(stays(grade=[1, 2]))


PROTOCOL = """
seed = 1
[data]
file = "patients.csv"
[release]
masked = "released.csv"
manifest = "manifest.json"
"""
STEP = """
[[step]]
method = "safe-harbour"
ages = ["AGE"]
births = ["BORN"]
codes = ["ZIP"]
population = "people.csv"
"""


def test_a_file_of_patients_reaches_the_harbour_by_one_protocol(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main._code(["datasets", "patients", "--n", "500", "--seed", "3", "-o", "patients.csv"]) == 0
    (tmp_path / "people.csv").write_text("".join(f"{area},{n}\n" for area, n in AREAS.items()), encoding="utf-8")
    schema = (tmp_path / "patients.toml").read_text(encoding="utf-8")
    (tmp_path / "harbour.toml").write_text(PROTOCOL + schema + STEP, encoding="utf-8")
    assert main._code(["run", "harbour.toml"]) == 0

    before = list(csv.DictReader((tmp_path / "patients.csv").read_text(encoding="utf-8").splitlines()))
    after = list(csv.DictReader((tmp_path / "released.csv").read_text(encoding="utf-8").splitlines()))
    written = b"".join((tmp_path / name).read_bytes() for name in ("released.csv", "released.toml"))
    assert len(before) == len(after) == 500
    assert list(after[0]) == ["SEX", "BORN", "AGE", "ZIP", "ADMITTED", "DISCHARGED", "DIAGNOSIS", "COST"]
    assert not re.search(rb"[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}", written), "no day is left, nor a format that shows one"
    assert not [row["RECORD"] for row in before if row["RECORD"].encode() in written]
    assert not [row["PHONE"] for row in before if row["PHONE"].encode() in written]
    assert not [row["NAME"] for row in before if row["NAME"].encode() in written]
    for old, new in zip(before, after, strict=True):
        assert new["ADMITTED"] == old["ADMITTED"][-4:]
        assert new["DISCHARGED"] == old["DISCHARGED"][-4:]
        assert new["AGE"] == (old["AGE"] if int(old["AGE"]) < 90 else "90+")
        latest = max(int(row["DISCHARGED"][-4:]) for row in before)
        year = int(old["BORN"][-4:])
        assert new["BORN"] == (str(year) if latest - year < 90 else f"{latest - 90} or before")
        assert new["ZIP"] == (old["ZIP"][:3] if AREAS[old["ZIP"][:3]] > 20_000 else "000")
        assert (new["SEX"], new["DIAGNOSIS"], new["COST"]) == (old["SEX"], old["DIAGNOSIS"], old["COST"])
    assert "90+" in {row["AGE"] for row in after}
    assert "000" in {row["ZIP"] for row in after}
    assert main._code(["verify", "manifest.json"]) == 0


HOSPITAL = """MRN,FirstName,DOB,ZIP,AdmDate,Age,YearBorn,Hb
M1,Anna,05.11.1933,02138,02.02.2024,90,1933,14.5
M2,Bert,01.03.1920,03601,03.02.2024,103,1920,13.5
M3,Cleo,16.06.2012,02139,19.01.2024,11,2012,14.8
"""


def hospital(folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "hosp.csv").write_text(HOSPITAL + "".join(
        f"N{i},{'Anna' if i % 2 else 'Bert'},{1 + i % 28:02d}.06.{1940 + i % 70},02138,{1 + i % 28:02d}.03.2024,"
        f"{84 - i % 70},{1940 + i % 70},1{i % 5}.{i % 9}\n" for i in range(60)
    ))  # fmt: skip
    (folder / "zips.csv").write_text("zip,people\n021,1500000\n036,14000\n")


def protect(*further: str) -> int:
    return main._code(["protect", "hosp.csv", "-m", "safe-harbour", "-o", "x.csv", *further])


def test_without_a_parameter_nothing_is_left_as_it_came(tmp_path, monkeypatch, capsys) -> None:
    hospital(tmp_path, monkeypatch)
    assert protect() == 2
    said = capsys.readouterr().err
    assert "'ZIP'" in said
    assert "02138" not in said
    assert not (tmp_path / "x.csv").exists()
    assert protect("--set", "population=zips.csv", "--keys", "FirstName,Age") == 2, "a first name declared a key"
    assert "'FirstName'" in capsys.readouterr().err
    assert protect("--set", "population=zips.csv") == 0
    rows = list(csv.DictReader((tmp_path / "x.csv").read_text().splitlines()))
    assert set(rows[0]) == {"DOB", "ZIP", "AdmDate", "Age", "YearBorn", "Hb"}
    assert [row["Age"] for row in rows[:3]] == ["90+", "90+", "11"]
    assert [row["ZIP"] for row in rows[:3]] == ["021", "000", "021"]
    assert {row["AdmDate"] for row in rows} == {"2024"}
    for name in ("DOB", "YearBorn"):
        assert [row[name] for row in rows[:3]] == ["1934 or before", "1934 or before", "2012"]


def test_what_may_be_an_age_is_refused_until_somebody_looked(tmp_path, monkeypatch, capsys) -> None:
    hospital(tmp_path, monkeypatch)
    text = (tmp_path / "hosp.csv").read_text()
    (tmp_path / "hosp.csv").write_text(text.replace(",Age,", ",q7,").replace(",YearBorn,", ",q8,"))
    apart = ("--identifiers", "FirstName,ZIP")
    assert protect(*apart) == 2
    said = capsys.readouterr().err
    assert "'q7', 'q8' may hold ages" in said
    assert "103" not in said
    assert not (tmp_path / "x.csv").exists()
    assert protect(*apart, "--set", "ages=q7", "--set", "keep=q8") == 0
    rows = list(csv.DictReader((tmp_path / "x.csv").read_text().splitlines()))
    assert [row["q7"] for row in rows[:3]] == ["90+", "90+", "11"]
    assert rows[0]["q8"] == "1933"


def test_bands_and_small_areas_are_refused() -> None:
    seen = [dt.date(2020, 1, 1)] * 2
    for name, levels, word in (
        ("agegroup", ("80-89", "90-94"), "beyond 90"),
        ("county", ("Kent", "Essex"), "smaller than a state"),
        ("contact", ("a@x.org", "b@x.org", "c@x.org"), "a contact"),
        ("q1", (9, 89, 94), "may hold ages"),
    ):
        schema = dc.Schema([dc.Attribute("seen", dc.Date(), "key"), dc.Attribute(name, dc.Ordinal(levels), "key")])
        table = dc.Microdata(pa.table({"seen": seen, name: list(levels[:2])}), schema)
        with pytest.raises(dc.errors.ParameterError, match=word):
            dc.SafeHarbour().mask(table)
        kept = dc.SafeHarbour(keep=[name]).mask(table).microdata
        assert kept.column(name).to_pylist() == list(levels[:2])


def test_columns_without_a_year_or_without_anybody_so_old() -> None:
    nothing = dc.SafeHarbour(births=["year"], reference=2025).mask(stays(year=pa.array([None, None], pa.float64())))
    assert nothing.microdata.column("year").to_pylist() == [None, None]
    born = pa.array([None, None], pa.date32())
    assert dc.SafeHarbour(births=["born"], reference=2025).mask(stays(born=born)).microdata.column(
        "born"
    ).to_pylist() == [
        None,
        None,
    ]
    young = dc.SafeHarbour(births=["year"], reference=2025).mask(stays(year=[1936, 1938.5, None])).microdata
    assert young.column("year").to_pylist() == ["1936", "1938", None]
    assert young.schema["year"].scale == dc.Ordinal(("1936", "1937", "1938"))
    old = dc.SafeHarbour(births=["year"], reference=2025).mask(stays(year=[1935, 1930])).microdata
    assert old.schema["year"].scale == dc.Ordinal(("1935 or before",))
    assert old.column("year").to_pylist() == ["1935 or before"] * 2


def test_ages_that_are_none_are_refused() -> None:
    with pytest.raises(dc.DiscreetError, match="SafeHarbour: 'age' has ages below 0"):
        dc.SafeHarbour(ages=["age"]).mask(stays(age=[-1, 5]))
    with pytest.raises(dc.DiscreetError, match="1 of 3 levels of 'grade' are no ages in years"):
        dc.SafeHarbour(ages=["grade"]).mask(stays(grade=["7", "8", "nine"]))
    with pytest.raises(dc.DiscreetError, match="reference is needed: without another date nothing tells how old"):
        dc.SafeHarbour(births=["born"]).mask(stays(born=[dt.date(1999, 1, 1)] * 2))


def test_the_reference_is_the_latest_year_of_the_other_dates() -> None:
    born, seen = [dt.date(1900, 1, 1), dt.date(2024, 1, 1)], [dt.date(2011, 1, 1), dt.date(2012, 12, 31)]
    masked = dc.SafeHarbour(births=["born"]).mask(stays(born=born, seen=seen))
    assert masked.provenance.details == {"reference": 2012}
    assert masked.microdata.column("born").to_pylist() == ["1922 or before", "2024"]
    plain = dc.SafeHarbour(ages=["age"]).mask(stays(age=[5, 6]))
    assert plain.provenance.details == {}
