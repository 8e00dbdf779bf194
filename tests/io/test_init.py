"""Files by their endings: how each is read and written, and what is said of those that are none of ours."""

from __future__ import annotations

import polars as pl
import pytest

from discreet import io
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import FileError, ParameterError

SCHEMA = Schema([Attribute("AGE", Numeric(), "key"), Attribute("TOWN", Nominal(["X", "Y"]), "key")])


def table():
    return Microdata(pl.DataFrame({"AGE": [31, 42, 27], "TOWN": ["X", "Y", "X"]}), SCHEMA)


@pytest.mark.parametrize(
    "ending", [".csv", ".tsv", ".ndjson", ".jsonl", ".csv.gz", ".parquet", ".pq", ".arrow", ".dat"]
)
def test_what_is_written_by_an_ending_is_read_by_it(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    io.write_table(table(), path)
    found, _ = io.read_table(path)
    assert {name: list(map(str, values)) for name, values in found.to_pydict().items()} == {
        "AGE": ["31", "42", "27"], "TOWN": ["X", "Y", "X"],
    }  # fmt: skip
    assert path.with_suffix(".rda").exists() is (ending == ".dat")


def test_what_cannot_be_read_is_said(tmp_path):
    for name, message in (("none.csv", "none.csv' does not exist"), (".", "is a folder")):
        with pytest.raises(FileError, match=message):
            io.read_table(tmp_path / name)
    for name, old in (("a.xls", True), ("a.docx", False)):
        (tmp_path / name).write_text("x")
        with pytest.raises(FileError, match=f"{name}' has an unknown ending") as caught:
            io.read_table(tmp_path / name)
        assert ("Save an old workbook as .xlsx" in caught.value.hint) is old
        assert "Known endings: .csv, .tsv" in caught.value.hint
        with pytest.raises(FileError, match="unknown ending"):
            io.write_table(table(), tmp_path / name)
    io.write_table(table(), tmp_path / "a.parquet")
    with pytest.raises(ParameterError, match="^delimiter, decimal cannot be set for a .parquet file"):
        io.read_table(tmp_path / "a.parquet", delimiter=";", decimal=",", encoding=None, names=["AGE"])
    assert io.read_table(tmp_path / "a.parquet", delimiter=None, names=["AGE"])[0].num_rows == 3


def test_what_a_reader_stumbles_over_is_said_in_our_words(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("x\n1\n")

    def stumbling(error):
        def read(path, *, encoding="utf-8"):
            raise error

        monkeypatch.setitem(io.FORMATS, ".csv", io.Format(read, None))
        return pytest.raises(FileError)

    with stumbling(PermissionError()) as caught:
        io.read_table(tmp_path / "a.csv")
    assert "a.csv' cannot be read." in str(caught.value)
    with stumbling(UnicodeError()) as caught:
        io.read_table(tmp_path / "a.csv")
    assert "holds bytes that are not utf-8 text" in str(caught.value)
    with stumbling(UnicodeError()) as caught:
        io.read_table(tmp_path / "a.csv", encoding="ascii")
    assert "holds bytes that are not ascii text" in str(caught.value)


@pytest.mark.parametrize(
    ("cells", "records", "options", "groups"),
    [
        (6, 3, {}, [["a", "b"], ["c", "d"], ["e"]]), (15, 3, {}, [None]), (14, 3, {}, [["a", "b", "c", "d"], ["e"]]),
        (1, 3, {}, [["a"], ["b"], ["c"], ["d"], ["e"]]), (6, 0, {}, [None]), (6, 3, {"delimiter": ";"}, [None]),
        (6, 3, {"encoding": "x"}, [["a", "b"], ["c", "d"], ["e"]]),
    ],
)  # fmt: skip
def test_a_look_holds_so_many_cells(tmp_path, monkeypatch, cells, records, options, groups):
    (tmp_path / "a.parquet").write_text("")
    asked = []
    monkeypatch.setattr(io, "_CELLS", cells)
    monkeypatch.setattr(io, "read_table", lambda path, columns=None, **named: asked.append((columns, named)) or path)
    monkeypatch.setitem(io.FORMATS, ".parquet", io.Format(None, None, lambda *_, **__: (list("abcde"), records)))
    assert len(list(io.read_groups(tmp_path / "a.parquet", **options))) == len(groups)
    assert asked == [(group, options) for group in groups]


def test_results_are_written_as_text_or_parquet(tmp_path):
    frame = pl.DataFrame({"a": [1, 2]})
    io.write_frame(frame, tmp_path / "a.csv")
    io.write_frame(frame, tmp_path / "a.PARQUET")
    io.write_frame(frame, tmp_path / "a.pq")
    assert (tmp_path / "a.csv").read_text() == "a\n1\n2\n"
    assert pl.read_parquet(tmp_path / "a.PARQUET").equals(frame)
    assert pl.read_parquet(tmp_path / "a.pq").equals(frame)
    with pytest.raises(FileError, match="also an input"):
        io.write_frame(frame, tmp_path / "a.csv", [tmp_path / "a.csv"])


def test_what_can_be_written():
    assert [io.can_write(f"a{one}") for one in (".csv", ".SAV", ".dta", ".xpt", ".csv.gz")] == [True] * 5
    assert [io.can_write(f"a{one}") for one in (".sas7bdat", ".docx", "")] == [False] * 3


def test_a_folder_is_not_looked_at_in_groups(tmp_path):
    with pytest.raises(FileError, match="is a folder"):
        list(io.read_groups(tmp_path))
