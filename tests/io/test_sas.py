"""SAS files, written by the test: numbers, text, missing values, labels and dates come in, whole or in pieces."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import polars as pl
import pyreadstat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.reference.sas7bdat import Column, write_sas7bcat, write_sas7bdat
from typer.testing import CliRunner

import discreet as dc
from discreet.cli.main import app
from discreet.errors import FileError
from discreet.io import read_groups, read_table, statistical

COLUMNS = [
    Column("ID", 8, "Number of the person"),
    Column("AGE", 0, "Age in years", "BEST"),
    Column("TOWN", 12, "Where the person lives"),
    Column("INCOME", 0, "Income a year"),
    Column("SEEN", 0, "", "DATE"),
]
TOWNS = ("Zürich", "Ulm", "Évora", "")


def people(n=40):
    return [
        {
            "ID": f"p{i}",
            "AGE": None if i % 7 == 6 else float(20 + i),
            "TOWN": TOWNS[i % 4],
            "INCOME": ("A" if i % 2 else "Z") if i % 10 == 9 else 1000.5 + i,
            "SEEN": float(22000 + i),  # days since 1960
        }
        for i in range(n)
    ]


@pytest.fixture(params=[(wide, mixed) for wide in (True, False) for mixed in (True, False)], ids=str)
def sas(tmp_path, request):
    path = tmp_path / "people.sas7bdat"
    write_sas7bdat(path, COLUMNS, people(), title="Some people", wide=request.param[0], mixed=request.param[1])
    return path


def test_numbers_text_and_missing_values_come_in(sas):
    table, origin = read_table(sas)
    rows = people()
    assert table.column("AGE").to_pylist() == [None if r["AGE"] is None else int(r["AGE"]) for r in rows]
    assert str(table.column("AGE").type) == "int64"
    assert table.column("TOWN").to_pylist() == [r["TOWN"] or None for r in rows]
    assert table.column("INCOME").to_pylist() == [None if isinstance(r["INCOME"], str) else r["INCOME"] for r in rows]
    assert table.column("ID").to_pylist() == [r["ID"] for r in rows]
    assert table.column("SEEN").to_pylist() == [dt.date(1960, 1, 1) + dt.timedelta(days=22000 + i) for i in range(40)]
    letters = origin["verbatim_missing"]["INCOME"].to_pylist()
    assert letters == [r["INCOME"] if isinstance(r["INCOME"], str) else None for r in rows]


def test_what_the_file_says_about_its_columns_is_kept(sas):
    labels = read_table(sas)[1]["labels"]
    assert labels.title == "Some people"
    assert labels.variables == {c.name: c.label for c in COLUMNS if c.label}
    assert labels.formats["AGE"] == "BEST"
    assert dc.read(sas).origin["labels"].variables["AGE"] == "Age in years"


def test_pieces_and_groups_of_columns_give_the_same_table(sas, monkeypatch):
    whole, origin = read_table(sas)
    monkeypatch.setattr(statistical, "_PIECE", 7)
    pieces, again = read_table(sas)
    assert pieces.equals(whole)
    assert again["verbatim_missing"]["INCOME"].to_pylist() == origin["verbatim_missing"]["INCOME"].to_pylist()
    monkeypatch.setattr("discreet.io._CELLS", 80)
    groups = [table for table, _ in read_groups(sas)]
    assert [table.column_names for table in groups] == [["ID", "AGE"], ["TOWN", "INCOME"], ["SEEN"]]
    for table in groups:
        assert table.equals(whole.select(table.column_names))


def test_a_file_of_many_pages_comes_in_whole(tmp_path):
    rows = [{"X": float(i), "T": f"t{i % 9}"} for i in range(5000)]
    path = tmp_path / "many.sas7bdat"
    write_sas7bdat(path, [Column("X"), Column("T", 4)], rows, page_size=4096)
    assert path.stat().st_size > 10 * 4096
    table, _ = read_table(path)
    assert table.column("X").to_pylist() == list(range(5000))
    assert table.column("T").to_pylist() == [row["T"] for row in rows]


def test_an_encoding_is_found_and_can_be_named(tmp_path):
    path = tmp_path / "old.sas7bdat"
    write_sas7bdat(path, [Column("T", 8, "Größe"), Column("X")], [{"T": "Zürich", "X": 1.0}] * 3, encoding="latin-1")
    table, origin = read_table(path)
    assert table.column("T").to_pylist() == ["Zürich"] * 3
    assert origin["labels"].variables["T"] == "Größe"
    assert read_table(path, encoding="LATIN1")[0].column("T").to_pylist() == ["Zürich"] * 3


@settings(
    max_examples=min(25, settings().max_examples),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    rows=st.lists(
        st.tuples(
            st.none() | st.floats(-1e12, 1e12, allow_nan=False) | st.sampled_from("ABYZ"),
            st.text(st.characters(codec="ascii", categories=["L", "N"]), max_size=6),
        ),
        min_size=1,
        max_size=30,
    ),
    wide=st.booleans(),
    mixed=st.booleans(),
)
def test_what_is_written_is_what_is_read(tmp_path, rows, wide, mixed):
    path = tmp_path / "any.sas7bdat"
    write_sas7bdat(
        path, [Column("X"), Column("T", 6)], [{"X": x, "T": t} for x, t in rows], wide=wide, mixed=mixed
    )  # fmt: skip
    table, origin = read_table(path)
    assert table.column("X").to_pylist() == [None if x is None or isinstance(x, str) else x for x, _ in rows]
    assert table.column("T").to_pylist() == [t or None for _, t in rows]
    letters = origin.get("verbatim_missing", {})
    found = letters["X"].to_pylist() if "X" in letters else [None] * len(rows)
    assert found == [x if isinstance(x, str) else None for x, _ in rows]


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
def test_a_file_that_was_cut_short_is_refused(sas, keep):
    raw = sas.read_bytes()
    sas.write_bytes(raw[: int(len(raw) * keep)])
    with pytest.raises(FileError, match="not a SAS file that can be read") as caught:
        read_table(sas)
    assert "Ulm" not in str(caught.value)


def test_a_file_without_records_is_refused(tmp_path):
    write_sas7bdat(tmp_path / "none.sas7bdat", [Column("X")], [])
    with pytest.raises(FileError, match="has no records"):
        read_table(tmp_path / "none.sas7bdat")


def test_the_command_line_protects_a_sas_file(tmp_path):
    data = tmp_path / "people.sas7bdat"
    write_sas7bdat(data, COLUMNS[1:4], people(), wide=False)
    looked = CliRunner().invoke(app, ["inspect", str(data), "--json"])
    assert looked.exit_code == 0, looked.stderr
    assert {a["name"]: a["missing_values"] for a in json.loads(looked.stdout)["attributes"]} == {
        "AGE": 5,
        "TOWN": 10,
        "INCOME": 4,
    }
    out = tmp_path / "masked.xpt"
    made = CliRunner().invoke(
        app,
        ["protect", str(data), "-o", str(out), "--k", "5", "--attributes", "AGE", "--set", "missing=pattern", "-q"],
    )
    assert made.exit_code == 0, made.stderr
    masked, known = pyreadstat.read_xport(str(out), output_format="polars")
    assert masked["AGE"].n_unique() < pl.Series([r["AGE"] for r in people()]).n_unique()
    assert masked["AGE"].null_count() == 5
    assert known.column_names_to_labels["AGE"] == "Age in years"
    unnamed = CliRunner().invoke(
        app, ["protect", str(data), "--attributes", "INCOME", "--set", "missing=pattern", "-q"]
    )
    assert unnamed.exit_code == 0, unnamed.stderr
    assert (tmp_path / "people-masked.csv").is_file()  # there is no writer for its own ending


@pytest.mark.parametrize("name", ["coded.sas7bcat", "formats.sas7bcat"])
def test_value_labels_come_from_the_catalogue_beside_the_file(tmp_path, name):
    columns = [Column("SEX", 0, "Sex", "SEXF8."), Column("FUEL", 4, "", "$FUEL"), Column("AGE", 0, "", "BEST12.")]
    rows = [{"SEX": float(1 + i % 2), "FUEL": "go"[i % 2], "AGE": float(30 + i)} for i in range(20)]
    write_sas7bdat(tmp_path / "coded.sas7bdat", columns, rows)
    assert read_table(tmp_path / "coded.sas7bdat")[1]["labels"].values == {}
    write_sas7bcat(tmp_path / name, {"SEXF": {1.0: "male", 2.0: "female"}, "$FUEL": {"g": "gas", "o": "Öl"}})
    labels = read_table(tmp_path / "coded.sas7bdat")[1]["labels"]
    assert labels.values == {"SEX": {1: "male", 2: "female"}, "FUEL": {"g": "gas", "o": "Öl"}}
    table = dc.read(tmp_path / "coded.sas7bdat")
    assert table.schema["SEX"].scale == dc.Nominal([1, 2])  # values stay codes; they are not replaced by their names
    dc.write(dc.protect(table, "mdav", k=5, attributes=["AGE"]), tmp_path / "masked.sav")
    assert pyreadstat.read_sav(str(tmp_path / "masked.sav"))[1].variable_value_labels["SEX"] == {1: "male", 2: "female"}


def test_a_catalogue_that_cannot_be_read_is_named(tmp_path):
    write_sas7bdat(tmp_path / "a.sas7bdat", [Column("X")], [{"X": 1.0}, {"X": 2.5}])
    (tmp_path / "a.sas7bcat").write_bytes(b"SECRET4711" * 300)
    with pytest.raises(FileError, match=r"a\.sas7bcat' is not a catalogue") as caught:
        read_table(tmp_path / "a.sas7bdat")
    assert "SECRET" not in str(caught.value)


def test_a_protocol_for_a_sas_file_releases_a_csv(tmp_path):
    data = tmp_path / "people.sas7bdat"
    write_sas7bdat(data, COLUMNS[1:3], people())
    assert CliRunner().invoke(app, ["init", str(data), "-o", str(tmp_path / "p.toml"), "-q"]).exit_code == 0
    proposal = dc.Protocol.load(tmp_path / "p.toml")
    assert proposal.release["masked"] == "people-masked.csv"


def test_a_catalogue_of_value_labels_is_among_the_inputs_of_a_manifest(tmp_path):
    rng = np.random.default_rng(0)
    columns = [Column("SEX", 0, "Sex", "SEXF8."), Column("AGE"), Column("INCOME")]
    rows = [
        {"SEX": float(1 + i % 2), "AGE": round(float(a), 1), "INCOME": round(float(x), 1)}
        for i, (a, x) in enumerate(rng.normal((40, 2000), (9, 300), (60, 2)))
    ]
    write_sas7bdat(tmp_path / "coded.sas7bdat", columns, rows)
    write_sas7bcat(tmp_path / "formats.sas7bcat", {"SEXF": {1.0: "male", 2.0: "female"}})
    plan = str(tmp_path / "p.toml")
    made = CliRunner().invoke(app, ["init", str(tmp_path / "coded.sas7bdat"), "-o", plan, "-q"])
    assert made.exit_code == 0, made.stderr
    done = CliRunner().invoke(app, ["run", plan, "-q"])
    assert done.exit_code in (0, 1), done.stderr  # 1: a threshold of the proposal was missed
    manifest = next(tmp_path.rglob("*manifest*.json"))
    named = [one["name"] for one in json.loads(manifest.read_text())["inputs"]]
    assert named == ["coded.sas7bdat", "formats.sas7bcat"]
