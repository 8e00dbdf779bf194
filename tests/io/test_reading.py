"""What the one room that opens files says of tables in files, of those that are none, and of what names files."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pyarrow as pa
import pytest
from tests.stand_ins import instead

import discreet as dc
from discreet.data.labels import Labels
from discreet.errors import DiscreetError, FileError, ParameterError, SchemaError
from discreet.io import reading, stored_csv

TEXT = "ID;AGE;TOWN\na;31,5;X\nb;42;Y\nc;27,5;X\nd;55;Z\n"
SCHEMA = dc.Schema([
    dc.Attribute("ID", dc.Nominal([""]), "identifier"), dc.Attribute("AGE", dc.Numeric(), "key"),
    dc.Attribute("TOWN", dc.Nominal(["X", "Y", "Z"]), "key"),
])  # fmt: skip


@pytest.fixture
def path(tmp_path):
    (tmp_path / "people.csv").write_text(TEXT)
    return tmp_path / "people.csv"


@pytest.fixture
def stored(path):
    pl.DataFrame({"AGE": [31.5, 42.0], "TOWN": ["X", "Y"]}).write_parquet(path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def test_a_frame_is_looked_at_as_its_file_is_where_something_is_declared(tmp_path):
    frame = pl.DataFrame({"code": [3, 1, 2, 3, 1, 2] * 8, "pay": [10.5 * i for i in range(48)]})
    frame.write_csv(tmp_path / "pay.csv")
    declared = dc.Declaration(confidential=["pay"], keys=["code"])
    of_frame, of_file = dc.inspect(frame, declared), dc.inspect(tmp_path / "pay.csv", declared)
    assert of_frame.schema.keys == of_file.schema.keys == ("code",)
    assert of_frame.schema["pay"].role == of_file.schema["pay"].role == "confidential"
    assert (of_frame.n_records, of_frame.missing) == (of_file.n_records, of_file.missing) == (48, {"code": 0, "pay": 0})


def test_endings():
    assert {".csv", ".csv.gz", ".parquet", ".sav", ".sas7bdat", ".asc"} <= set(reading.readable_endings())
    assert set(reading.readable_endings()) - set(reading.writable_endings()) == {".sas7bdat"}


def test_a_schema_is_one_its_file_or_none(tmp_path):
    (tmp_path / "s.toml").write_text(SCHEMA.to_toml())
    assert reading.load_schema(None) is None
    assert reading.load_schema(SCHEMA) is SCHEMA
    assert reading.load_schema(tmp_path / "s.toml") == SCHEMA
    reading.save_schema(SCHEMA, tmp_path / "t.toml")
    assert reading.load_schema(str(tmp_path / "t.toml")) == SCHEMA
    with pytest.raises(FileError, match="also an input"):
        reading.save_schema(SCHEMA, tmp_path / "t.toml", [tmp_path / "t.toml"])


@pytest.mark.parametrize("call", [dc.read, dc.scan])
def test_what_is_no_path_or_no_schema_is_named(path, call):
    name = call.__name__
    with pytest.raises(DiscreetError, match=f"{name}: path must be the path of a file"):
        call(pl.DataFrame({"x": [1]}))
    with pytest.raises(DiscreetError, match=f"{name}: schema must be a Schema or the path"):
        call(path, 5)
    with pytest.raises(DiscreetError, match="write: masked must be what a masker gave"):
        dc.write(pl.DataFrame({"x": [1]}), path)


def test_identifiers_may_be_absent_and_others_may_not(tmp_path):
    (tmp_path / "a.csv").write_text("AGE;TOWN\n31,5;X\n42;Y\n")
    for table in (dc.read(tmp_path / "a.csv", SCHEMA), dc.scan(tmp_path / "a.csv", SCHEMA)):
        assert table.schema == SCHEMA.select(["AGE", "TOWN"])
    (tmp_path / "b.csv").write_text("ID;AGE\na;31,5\nb;42\n")
    with pytest.raises(DiscreetError, match="TOWN"):
        dc.read(tmp_path / "b.csv", SCHEMA)
    with pytest.raises(DiscreetError, match="TOWN"):
        dc.scan(tmp_path / "b.csv", SCHEMA)


def test_what_is_declared_in_part_is_completed(path):
    partial = dc.Declaration(confidential=["AGE"], nominal=["TOWN"])
    for table in (dc.read(path, partial), dc.scan(path, partial)):
        assert (table.schema["AGE"].role, table.schema["TOWN"].scale.kind) == ("confidential", "nominal")
    assert dc.read(path, SCHEMA).schema == SCHEMA
    assert dc.scan(path, SCHEMA).schema == SCHEMA


def test_a_column_can_be_called_a_sequence(tmp_path):
    (tmp_path / "a.csv").write_text("WAY;N\na b;1\nb;2\na b b;3\n")
    found = dc.read(tmp_path / "a.csv", sequence="WAY")
    assert (found.schema["WAY"].scale.kind, found.schema["WAY"].role) == ("sequence", "key")
    assert dc.read(tmp_path / "a.csv", found.schema, sequence="WAY").schema == found.schema
    plain = dc.Schema([dc.Attribute("WAY", dc.Nominal(["a b", "b", "a b b"]), "key"), dc.Attribute("N", dc.Numeric())])
    assert dc.read(tmp_path / "a.csv", plain).schema["WAY"].scale.kind == "nominal"
    assert dc.read(tmp_path / "a.csv", plain, sequence="WAY").schema["WAY"].scale.kind == "sequence"


def test_what_cannot_be_streamed_is_said(path, stored):
    workbook = path.with_suffix(".xlsx")
    workbook.write_bytes(b"")
    with pytest.raises(ParameterError, match="Only Parquet and CSV files can be larger than memory"):
        dc.scan(workbook)
    with pytest.raises(ParameterError, match="gathered in memory"):
        dc.scan(path, dc.Declaration(states=["AGE..TOWN"]))
    with pytest.raises(ParameterError, match="A series that is gathered from several columns"):
        dc.scan(path, dc.Declaration(series=["AGE..TOWN"]))
    with pytest.raises(ParameterError, match="A series that is gathered from several columns"):
        dc.scan(path, dc.Declaration(series=["x=AGE,TOWN"]))
    with pytest.raises(ParameterError, match="delimiter cannot be set for a Parquet file"):
        dc.scan(stored, delimiter=";")
    with pytest.raises(ParameterError, match="sheet cannot be set for this file"):
        dc.scan(path, sheet="a")
    assert len(dc.scan(stored, delimiter=None)) == 2
    assert len(dc.scan(path, delimiter=";", sheet=None, header=True)) == 4
    path.write_bytes(TEXT.replace("X", "é").encode("latin-1"))
    with pytest.raises(FileError, match="is not utf-8 text"):
        dc.scan(path)
    with pytest.raises(FileError, match="not ascii text"):
        dc.scan(path, encoding="ascii")
    assert len(dc.scan(path, encoding="latin-1")) == 4


def test_a_release_in_files_is_read_with_the_decimals_of_its_original(path, stored, monkeypatch):
    original = dc.scan(path, SCHEMA)
    release = path.with_name("release.csv")
    release.write_text("AGE;TOWN\n31,5;X\n42;Y\n27,5;X\n55;Z\n")
    asked = []
    kept = reading.read_stored_text

    def noted(where, **options):
        asked.append({name: value for name, value in options.items() if name != "names"})
        return kept(where, **options)

    monkeypatch.setattr(reading, "read_stored_text", noted)
    assert reading.scan_release(release, original).in_memory(["AGE"]).column("AGE").to_pylist() == [31.5, 42, 27.5, 55]
    reading.scan_release(release, original, leave_out="none", delimiter=";")
    reading.scan_release(release, original, decimal=".", leave_out=[1])
    assert asked == [
        {"decimal": ","},
        {"leave_out": "none", "delimiter": ";", "decimal": ","},
        {"leave_out": "none", "decimal": "."},
    ]
    in_parquet = dc.scan(stored, SCHEMA)
    release.write_text("AGE,TOWN\n31.5,X\n42,Y\n")
    reading.scan_release(release, in_parquet)
    assert asked[3:] == [{}]
    found = reading.scan_release(stored, original, decimal=",")
    assert (found.schema, len(found)) == (SCHEMA.select(["AGE", "TOWN"]), 2)


def test_a_release_is_read_as_its_original_was(path, tmp_path):
    original = dc.read(path, SCHEMA)
    release = tmp_path / "release.csv"
    release.write_text("TOWN;AGE\nX;31,5\nY;42\nother;27,5\nZ;55\n")
    found = reading.read_release(release, original, leave_out=[9])
    assert found.column("AGE").to_pylist() == [31.5, 42, 27.5, 55]
    assert found.schema["TOWN"].scale == dc.Nominal(["X", "Y", "Z", "other"])
    assert "ID" not in found.schema
    own = dc.Schema([SCHEMA["AGE"], dc.Attribute("TOWN", dc.Ordinal(["Z", "other", "Y", "X"]), "key")])
    assert reading.read_release(release, original, own).schema["TOWN"].scale == own["TOWN"].scale
    with pytest.raises(SchemaError, match="The schema of the release lacks 1 of its columns, the first 'TOWN'"):
        reading.read_release(release, original, own.select(["AGE"]))
    release.write_text("TOWN;AGE;N;M\nX;31,5;1;2\nY;42;1;3\n")
    with pytest.raises(SchemaError, match="The release has 2 columns that the original lacks, the first 'N'"):
        reading.read_release(release, original)
    release.write_text("P;Q\nX;31,5\nY;42\n")
    with pytest.raises(SchemaError, match="no attribute in common"):
        reading.read_release(release, original)


def test_a_survey_is_declared_alike_from_a_file_a_frame_and_itself(path):
    frame = pl.DataFrame({"ID": list("abcd"), "AGE": [31.5, 42.0, 27.5, 55.0], "TOWN": list("XYXZ")})
    told = {"keys": "TOWN", "confidential": ["AGE"], "identifiers": "ID", "numeric": "AGE"}
    tables = [reading.survey(data, **told) for data in (path, str(path), frame, dc.microdata(frame), frame.to_arrow())]
    for table in tables:
        assert {a.name: (a.role, a.scale.kind) for a in table.schema} == {
            "ID": ("identifier", "nominal"), "AGE": ("confidential", "numeric"), "TOWN": ("key", "nominal"),
        }  # fmt: skip
    with pytest.raises(ParameterError, match="survey: delimiter is for files"):
        reading.survey(frame, delimiter=";")
    assert reading.survey(path, delimiter=";", **told).schema == tables[0].schema


def test_a_proposal_comes_with_its_table(path):
    table, proposal = reading.read_with_proposal(path, delimiter=";")
    assert (table.schema, proposal.n_records, len(table)) == (proposal.schema, 4, 4)
    assert set(proposal.reasons) == {"ID", "AGE", "TOWN"}
    assert dc.inspect(path).schema == proposal.schema
    assert dc.inspect(table).schema.names == table.names


def test_labels_are_remembered_with_what_was_declared():
    labelled = dc.Microdata(
        pa.table({"x": [1]}), dc.Schema([dc.Attribute("x", dc.Numeric())]), origin={"labels": Labels()}
    )
    assert reading._remembering(labelled).origin["declared"] == labelled.schema
    plain = dc.microdata({"x": [1, 2, 3]})
    assert "declared" not in reading._remembering(plain).origin


def test_the_files_that_parameters_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b.csv", "a.csv", "c.txt", "folder/z.csv", "folder/y.csv", "folder/x.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    one, two, three = Path("a.csv"), Path("b.csv"), Path("c.txt")
    cases = [
        (None, []), (3, []), ("no.csv", []), ("a.csv", [one]), (one, [one]), (["a.csv", ("c.txt", 3)], [one, three]),
        ({"x": "b.csv", "y": {"z": "a.csv"}}, [two, one]), ("folder", [Path("folder/y.csv"), Path("folder/z.csv")]),
        ("x=a.csv; y=b.csv,c.txt", [one, two, three]), ("k=3", []), ("a\0b", []), ("x" * 5000, []),
        (SimpleNamespace(population="a.csv"), [one]), (SimpleNamespace(population=None), []), ({}, []), ([], []),
    ]  # fmt: skip
    for value, files in cases:
        assert reading.files_named(value) == files, value


def test_folders_are_made_or_it_is_said_why_not(tmp_path):
    reading.make_folder(tmp_path / "a" / "b")
    reading.make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="is a file, not a folder"):
        reading.make_folder(tmp_path / "file")
    with pytest.raises(FileError, match="cannot be made"):
        reading.make_folder(tmp_path / "file" / "below")


def test_what_was_read_is_never_written_over(path, tmp_path):
    table = dc.read(path, SCHEMA)
    with pytest.raises(FileError, match="also an input"):
        dc.write(table, path)
    with pytest.raises(FileError, match="also an input"):
        dc.write(table, tmp_path / "other.csv", [tmp_path / "other.csv"])
    with pytest.raises(FileError, match="also an input"):
        reading.write_hierarchy(path, "a;b\n", [path])
    reading.write_hierarchy(tmp_path / "h.csv", "a;b\n")
    assert (tmp_path / "h.csv").read_text() == "a;b\n"
    assert path.read_text() == TEXT
    assert isinstance(stored_csv.target_of(tmp_path / "o.csv.gz"), stored_csv.CsvTarget)
    assert not isinstance(stored_csv.target_of(tmp_path / "o.parquet"), stored_csv.CsvTarget)


def test_a_first_line_of_declared_names_is_no_record_whoever_reads_it(tmp_path):
    path = tmp_path / "years.csv"
    path.write_text("2019;2020\n" + "".join(f"{i};{i * 7 % 30}\n" for i in range(1, 30)))
    declared = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in ("2019", "2020")])
    for call in (dc.inspect, dc.read, dc.scan):
        with pytest.raises(DiscreetError):
            call(path)
        assert call(path, declared).schema.names == ("2019", "2020")
    original = dc.read(path, declared)
    assert reading.read_release(path, original).names == original.names
    assert dc.inspect(path, header=False).schema.names == ("column_1", "column_2")


def test_how_a_file_is_read_is_handed_on(path, monkeypatch):
    asked = []
    kept = reading.io.read_table

    def noted(where, **options):
        asked.append({name: value for name, value in options.items() if value is not None and name != "names"})
        return kept(where, **options)

    monkeypatch.setattr(reading, "io", instead(reading.io, read_table=noted))
    told = {"delimiter": ";", "encoding": "utf-8", "header": True, "decimal": ",", "leave_out": "none"}
    dc.read(path, SCHEMA, **told)
    dc.inspect(path, SCHEMA, **told)
    reading.read_with_proposal(path, **told)
    reading.survey(path, keys="TOWN", **told)
    assert asked == [told] * 4
    dc.read(path, SCHEMA, thousands=".")
    assert asked[4:] == [{"thousands": "."}]


def test_a_release_of_text_is_read_with_the_marks_of_its_original_alone(path, tmp_path, monkeypatch):
    original = dc.read(path, SCHEMA)
    asked = []
    kept = reading.io.read_table

    def noted(where, **options):
        asked.append((options.get("decimal"), options.get("leave_out"), options["names"]))
        return kept(where, **options)

    monkeypatch.setattr(reading, "io", instead(reading.io, read_table=noted))
    release = tmp_path / "release.csv"
    release.write_text("AGE;TOWN\n31,5;X\n42;Y\n27,5;X\n55;Z\n")
    pl.DataFrame({"AGE": [31.5, 42.0, 27.5, 55.0], "TOWN": list("XYXZ")}).write_parquet(tmp_path / "release.parquet")
    reading.read_release(release, original)
    reading.read_release(release, original, decimal=",", leave_out=[3])
    reading.read_release(tmp_path / "release.parquet", original)
    names = ("ID", "AGE", "TOWN")
    assert asked == [(",", None, names), (",", "none", names), (None, None, names)]
