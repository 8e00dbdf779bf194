"""Files of fixed width with the metadata of μ-Argus."""

from __future__ import annotations

import pytest

import discreet as dc
from discreet.errors import DataError, DiscreetError, FileError, SchemaError
from discreet.io.fixed_width import read_rda

RDA = """REGION 1 2 99 98
  <RECODEABLE>
  <CODELIST> region.cdl
  <IDLEVEL> 1
AGE 3 3 999
  <NUMERIC>
JOB 6 4
  <RECODEABLE>
  <IDLEVEL> 0
  <SUPPRESSWEIGHT> 50
INCOME 11 7
  <NUMERIC>
  <DECIMALS> 2
W 19 5
  <NUMERIC>
  <DECIMALS> 1
  <WEIGHT>
HH 25 4
  <HOUSE_ID>
"""


def line(i):
    region = "99" if i % 20 == 0 else f"{i % 3 + 1:2d}"
    return f"{region}{20 + i % 40:3d}{i % 4:04d} {100 * i + 25:7d} {1.5 + i % 2:5.1f} {i:04d}"


def survey(folder, n=60, rda=RDA, ending=".asc", end="\r\n"):
    (folder / "s.rda").write_text(rda)
    (folder / f"s{ending}").write_bytes("".join(line(i) + end for i in range(n)).encode())
    return folder / f"s{ending}"


@pytest.mark.parametrize("ending", [".asc", ".dat", ".fwf"])
def test_the_metadata_become_the_schema(ending, tmp_path):
    table = dc.read(survey(tmp_path, ending=ending))
    about = {a.name: (a.role, a.scale.kind, a.missing) for a in table.schema}
    assert about["AGE"] == ("confidential", "numeric", (999,))
    assert about["REGION"][0] == "key"
    assert about["REGION"][2] == (99, 98)
    assert about["JOB"][0] == "other"
    assert about["W"] == ("weight", "numeric", ())
    assert about["HH"][0] == "identifier"
    assert table.missing("REGION").sum() == 3
    cells = table.to_arrow().slice(1, 1).to_pylist()[0]
    assert cells == {"REGION": 2, "AGE": 21, "JOB": "0001", "INCOME": 1.25, "W": 2.5, "HH": "0001"}


def test_a_release_stands_where_the_original_did_with_metadata_of_its_own(tmp_path):
    masked = dc.protect(dc.read(survey(tmp_path)), "mdav", k=5, attributes=["AGE"])
    dc.write(masked, tmp_path / "m.asc")
    lines = (tmp_path / "m.asc").read_bytes().decode().split("\r\n")
    ages = [int(text[2:5]) for text in lines[:-1]]
    assert ages == masked.microdata.column("AGE").to_pylist()
    assert min(ages.count(age) for age in ages) >= 5
    assert [text[5:9] for text in lines[:-1]] == [f"{i % 4:04d}" for i in range(60)]
    assert all(not text[24:].strip() for text in lines), "the household's number is an identifier"
    about = {one.name: one for one in read_rda(tmp_path / "m.rda")}
    assert "HH" not in about
    assert (about["AGE"].start, about["AGE"].width) == (3, 3)
    assert about["W"].words == {"NUMERIC": "", "DECIMALS": "1", "WEIGHT": ""}
    back = dc.read(tmp_path / "m.asc").to_arrow()
    assert back.to_pydict() == masked.microdata.to_arrow().to_pydict()


def test_a_frame_gets_a_layout_of_its_own(tmp_path):
    frame = {"age": [31, 45, 27] * 4, "town": ["Oslo", "Bergen", "Vik"] * 4, "wage": [1.5, 20.25, 3.0] * 4}
    dc.write(dc.microdata(frame), tmp_path / "m.fwf")
    text = (tmp_path / "m.fwf").read_text().splitlines()
    assert text[:2] == ["31 Oslo     1.5", "45 Bergen 20.25"]
    assert dc.read(tmp_path / "m.fwf").to_arrow().to_pydict() == frame


@pytest.mark.parametrize(
    ("rda", "error", "said"),
    [
        ("", FileError, "names no variable"),
        ("AGE one 2\n", FileError, "Line 1 .* is neither"),
        ("AGE 0 2\n", FileError, "Line 1 .* is neither"),
        ("A 1 2\nA 3 2\n", SchemaError, "'A' 2 times"),
        ("A 1 3\nB 2 2\n", SchemaError, "'A' and 'B' overlap"),
        ('<SEPARATOR> ";"\nA 1 2\n', FileError, "with a separator"),
        ("A 1 2\nZ 900 4\n", FileError, "60 of 60 lines .* too short"),
        ("A 6 4\n <NUMERIC>\nB 1 5\n <NUMERIC>\n", DataError, "no numbers"),
        ("RDX3\nX\n", FileError, "files of R"),
    ],
)
def test_metadata_that_do_not_fit_are_refused(rda, error, said, tmp_path):
    path = survey(tmp_path, rda=rda)
    if "no numbers" in said:
        path.write_text("12 x secret\n" * 60)
    with pytest.raises(error, match=said) as caught:
        dc.read(path)
    assert "secret" not in str(caught.value)


def test_hostile_files_are_refused_and_nothing_is_left(tmp_path):
    path = survey(tmp_path)
    for content in (b"", b"\n\n", b"\0" * 100, b"short\n"):
        path.write_bytes(content)
        with pytest.raises(DiscreetError):
            dc.read(path)
    (tmp_path / "alone.asc").write_text("12\n")
    with pytest.raises(FileError, match="no 'alone.rda' beside it"):
        dc.read(tmp_path / "alone.asc")


@pytest.mark.parametrize("text", ["two\nlines", " blank", ""])
def test_text_that_would_not_come_back_is_refused(text, tmp_path):
    with pytest.raises(DataError):
        dc.write(dc.microdata({"a": [text, "x", "y"], "b": [1, 2, 3]}), tmp_path / "m.asc")
    assert not list(tmp_path.iterdir())


def test_both_files_are_written_or_none(tmp_path):
    survey(tmp_path)
    table = dc.read(tmp_path / "s.asc")
    before = (tmp_path / "s.rda").read_bytes()
    with pytest.raises(FileError, match="also an input"):
        dc.write(table, tmp_path / "s.dat", [tmp_path / "s.rda"])
    assert (tmp_path / "s.rda").read_bytes() == before
    assert not (tmp_path / "s.dat").exists()


def test_a_variable_of_which_nothing_is_said_stays_as_it_looks(tmp_path):
    plain = RDA.replace("AGE 3 3 999\n  <NUMERIC>", "AGE 3 3 59")
    schema = dc.inspect(survey(tmp_path, rda=plain)).schema
    assert schema["AGE"].missing == (59,)
    assert schema["AGE"].scale == dc.inspect(survey(tmp_path)).schema["AGE"].scale
    assert schema["REGION"].role == "key"
