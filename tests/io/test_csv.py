from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.microdata import Microdata
from discreet.errors import FileError, ParameterError, SchemaError
from discreet.io import read_table, write_table


def save(folder, text, name="data.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def round_trip(path):
    target = path.with_name("out" + path.suffix)
    write_table(dc.read(path), target, [path])
    return target


@pytest.mark.parametrize(
    "text",
    [
        "id,zip,amount,day\n1,007,1.50,2020-01-02\n2,012,2.25,2020-01-03\n",
        "a;b\n1;x\n2;\n",
        "a\tb\n1\tx\n2\ty\n",
        "a|b\n1|x\n2|y\n",
        'a,b\n1,"x, y"\n2,"say ""hi"""\n',
        'a,b\n1,"two\nlines"\n2,z\n',
        '"a","b"\n"1","x"\n"2","y"\n',
        "a,b\r\n1,x\r\n2,y\r\n",
        "\ufeffa,b\n1,x\n2,y\n",
        "a,b\n1e5,0.10\n-0.0,.5\n",
        "naïve,größe\n1,ü\n2,☃\n",
        "only\n1\n2\n",
        "a,b\n1,\n,2\n",
    ],
)
def test_an_unmasked_file_comes_out_as_it_went_in(tmp_path, text):
    path = save(tmp_path, text)
    assert round_trip(path).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252"])
def test_other_encodings_come_out_as_they_went_in(tmp_path, encoding):
    path = save(tmp_path, "a,b\n1,é\n2,ü\n", encoding=encoding)
    data = dc.read(path, encoding=encoding)
    assert data.column("b").to_pylist() == ["é", "ü"]
    write_table(data, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes().decode(encoding) == "a,b\n1,é\n2,ü\n"


def test_types(tmp_path):
    path = save(tmp_path, "i,f,code,day,word,gap\n1,1.5,007,2020-01-02,x,\n-2,2,012,2020-01-03,NaN,\n")
    table, _ = read_table(path)
    assert [str(t) for t in table.schema.types] == ["int64", "double", "string", "string", "string", "string"]


def test_empty_fields_are_missing_in_numbers_and_words(tmp_path):
    table, _ = read_table(save(tmp_path, 'a,b\n1,x\n,""\n3,y\n'))
    assert table.to_pydict() == {"a": [1, None, 3], "b": ["x", None, "y"]}


def test_a_masked_column_is_written_anew_and_the_others_verbatim(tmp_path):
    path = save(tmp_path, "x,y\n1.10,1.10\n2.20,2.20\n")
    data = dc.read(path, dc.Schema([dc.Attribute("x", dc.Numeric(), "key"), dc.Attribute("y", dc.Numeric())]))
    write_table(data.replacing({"x": [1.65, 1.65]}), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "x,y\n1.65,1.10\n1.65,2.20\n"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", FileError, "is empty"),
        ("a,b\n", FileError, "a header and no records"),
        ("a,a\n1,2\n", SchemaError, "Columns 1 and 2 of .* have the same name"),
        ("a,,c\n1,2,3\n", SchemaError, "Column 2 .* has no name"),
        ("a,b\n1,2\nSECRET\n4,5\n", FileError, "^1 row of .* does not have 2 fields: row 3\\."),
        ("a,b\n1,2\n3,4,SECRET\n", FileError, "^1 row of .* does not have 2 fields: row 3\\."),
        ("a,b\n1,2\nx\ny\n", FileError, "2 rows of .* do not have 2 fields, the first in row 3"),
        ("\n\n", FileError, "first line"),
        ("a,b\n1,\0\n", FileError, "not a text file"),
    ],
)
def test_bad_files_are_refused_without_showing_a_value(tmp_path, text, error, message):
    with pytest.raises(error, match=message) as caught:
        read_table(save(tmp_path, text))
    assert "SECRET" not in str(caught.value)


def test_wrong_encoding_is_named_also_far_into_the_file(tmp_path):
    early = save(tmp_path, "a,b\n1,é\n", encoding="latin-1")
    with pytest.raises(FileError, match="not utf-8 text"):
        read_table(early)
    late = tmp_path / "late.csv"
    late.write_bytes(b"a,b\n" + b"1,xxxxxxxxxxxxxxx\n" * 40_000 + "2,é\n".encode("latin-1"))
    with pytest.raises(FileError, match="not utf-8 text"):
        read_table(late)
    with pytest.raises(ParameterError, match="no encoding named 'klingon'"):
        read_table(early, encoding="klingon")


def test_missing_folder_and_unknown_endings(tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(FileError, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(FileError, match="unknown ending"):
        read_table(save(tmp_path, "x", name="data.docx"))


def test_sequences_are_written_as_text(tmp_path):
    table = pa.table({"s": [["a", "b"], ["b"]]})
    data = dc.Microdata(table, dc.Schema([dc.Attribute("s", dc.Sequence(("a", "b"), delimiter=">"), "key")]))
    write_table(data, tmp_path / "s.csv")
    assert (tmp_path / "s.csv").read_text() == "s\na>b\nb\n"


def test_a_remembered_text_that_is_not_the_column_any_more_is_not_written(tmp_path):
    """Whatever went wrong before: the text of an original number never comes out in place of a masked one."""
    (tmp_path / "a.csv").write_text("x,y\n1.50,2.50\n3.50,4.50\n", encoding="utf-8")
    table = dc.read(tmp_path / "a.csv")
    masked = table.replacing({"x": np.array([2.5, 2.5])})
    forgetful = Microdata(masked.to_native(), masked.schema, origin=table.origin)
    dc.write(forgetful, tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text(encoding="utf-8").splitlines() == ["x,y", "2.5,2.50", "2.5,4.50"]


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("x;y;z,w\n1,2\n3,4\n5,6\n", ","),  # the first line alone says nothing
        ("a;b;c\n1;2;3\n4;5", ";"),  # the last line may be cut
        ("a;b\n1,5;2,5\n3,5;4\n", ";"),
        ("a;b;c,d\n", ";"),
        ("a\n1\n2\n", ","),
        ("\n\na\tb\n1\t2\n", "\t"),
    ],
)
def test_the_delimiter_is_the_one_that_all_whole_lines_agree_on(text, delimiter):
    from discreet.io.csv import _guess_delimiter

    assert _guess_delimiter(text) == delimiter
