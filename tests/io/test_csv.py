from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.microdata import Microdata
from discreet.errors import FileError, ParameterError, SchemaError
from discreet.io import csv, read_table, write_table
from discreet.io.number_text import Style, read_style
from discreet.io.text_parts import Texts


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


# ------------------------------------------------------------------------------------------------------- part by part

PATH = Path("x.csv")


@pytest.mark.parametrize(
    ("raw", "delimiter", "encoding", "dialect", "notes"),
    [
        (b"a,b\n1,2\n", None, "utf-8", {}, 0),
        (b"", None, "utf-8", {}, 0),
        (b"\xef\xbb\xbfa;b\r\n1;2\r\n", None, "utf-8", {"delimiter": ";", "bom": True, "newline": "\r\n"}, 0),
        ("a,b\n1,é\n".encode("utf-16"), None, "utf-8", {"encoding": "utf-16"}, 0),
        (b"a,b\n1,\xe9\n", None, "latin-1", {"encoding": "latin-1"}, 0),
        (b"a,b\n1,2\n", None, "UTF8", {}, 0),
        (b"a,b\n1,2\n", ";", "utf-8", {"delimiter": ";"}, 0),
        (b"a\rb\r", None, "utf-8", {"newline": "\r"}, 0),
        (b'"a\r\nb"\n1\n', None, "utf-8", {}, 0),
        (b"a,b\n1,\xc3", None, "utf-8", {}, 0),  # the sample ends inside a character
        (b"sep=;\na;b\n1;2\n", None, "utf-8", {"delimiter": ";"}, 1),
        (b'"SEP=;"\r\na;b\r\n', None, "utf-8", {"delimiter": ";", "newline": "\r\n"}, 1),
        (b"sep=;\na,b\n1,2\n", ",", "utf-8", {}, 1),
        (b"sep=;\nab\n12\n", None, "utf-8", {"delimiter": ";"}, 1),
        (b'"a","b"\n"1","2"\n', None, "utf-8", {"quote_all": True}, 0),
        (b'\r\n"a";"b"\r\n1;2\r\n', None, "utf-8", {"delimiter": ";", "quote_all": True, "newline": "\r\n"}, 0),
        (b'"a","b"\r1,2\r', None, "utf-8", {"quote_all": True, "newline": "\r"}, 0),
        (b'"a",b\n1,2\n', None, "utf-8", {}, 0),
        (b'a,"b"\n1,2\n', None, "utf-8", {}, 0),
        (b'"a"\n"1"\n', None, "utf-8", {}, 0),
    ],
)
def test_the_dialect_of_a_beginning(raw, delimiter, encoding, dialect, notes):
    found, text, skipped = csv._sniffed(PATH, raw, delimiter, encoding)
    assert (found, skipped) == (csv.Dialect(**dialect), notes)
    whole = raw.decode({"utf-16": "utf-16", "latin-1": "latin-1"}.get(found.encoding, "utf-8-sig"), errors="ignore")
    assert text == (whole if not notes else whole.split("\n", 1)[1])


@pytest.mark.parametrize(
    ("raw", "message", "hint"),
    [
        (b"a,\xe9b", r"is not utf-8 text \(byte 2\)", "latin-1"),
        (b"a,\x93b", r"is not utf-8 text \(byte 2\)", "cp1252"),
        (b"a,\x93\x81", r"is not utf-8 text \(byte 2\)", "latin-1"),
        ("a,b\n1,2\n".encode("utf-16-le"), "looks like UTF-16", "utf-16-le"),
        ("a,b\n1,2\n".encode("utf-16-be"), "looks like UTF-16", "utf-16-be"),
        (b"a,b\n1,\0\n" + b"1,2\n" * 9, "is not a text file", ".parquet"),
        (b"sep=;\na,b\n1,2\n", "names another delimiter than its lines hold", "--delimiter"),
    ],
)
def test_what_is_no_such_text_is_said_with_what_may_help(raw, message, hint):
    with pytest.raises(FileError, match=message) as caught:
        csv._sniffed(PATH, raw, None, "utf-8")
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b;c\n1,2;3\n", ","), ("a|b|c\n1|2|3\n", "|"), ("", ","), ("a\n1\n", ","), ("x,y\n1;2\n", ","),
        ("a;b;c\n1,5;2;3\n", ";"), ("title\n\na;b;c\n1;2;3\n4;5;6\n", ";"), ("Title\na|b|c|d\n1|2|3|4\n1|2|3|4\n", "|"),
        ("a;b\nx,y;2\n", ";"), ("a,b\tc\n1,2\t3\n", ","),
    ],
)  # fmt: skip
def test_the_delimiter_that_cuts_into_the_most_columns(text, delimiter):
    assert csv._guess_delimiter(text) == delimiter


@pytest.mark.parametrize(
    ("fields", "decimal"),
    [
        (["1,5", "a"], True),
        (["1,5", "a,b"], False),
        (["1,"], False),
        ([",5"], False),
        (["1,5,5"], True),
        (["15"], False),
    ],
)
def test_commas_between_digits_are_decimal(fields, decimal):
    assert csv._are_decimal([fields]) is decimal


def test_the_first_rows_and_none_that_may_be_cut():
    rows = [[str(i), "x"] for i in range(60)]
    text = "".join(f"{a},{b}\n" for a, b in rows)
    assert csv._first_rows(text, ",") == rows[:50]
    assert csv._first_rows(text, ",", 59) == rows[:59]
    assert csv._first_rows(text, ",", 60) == rows
    assert csv._first_rows('1,"a\nb"\n2,c', ",") == [["1", "a\nb"], ["2", "c"]]


def test_lines_are_left_out_by_their_numbers():
    text = 'title\na,b\n1,"x\ny"\n2,z\ntotal\n'
    assert csv._without_lines(PATH, text, ",", (1, -1)) == 'a,b\n1,"x\ny"\n2,z\n'
    assert csv._without_lines(PATH, text, ",", (3,)) == "title\na,b\n2,z\ntotal\n"
    assert csv._without_lines(PATH, text, ",", (5, -5)) == 'a,b\n1,"x\ny"\n2,z\n'
    assert csv._without_lines(PATH, "t\ra,b\r1,2", ",", (1,)) == "a,b\n1,2"
    for line in (6, -6):
        with pytest.raises(ParameterError, match="leave_out names a line that 'x.csv' has not: it has 5"):
            csv._without_lines(PATH, text, ",", (line,))


@pytest.mark.parametrize(
    ("lines", "asked"),
    [
        (["a b", "1 2", "3 4"], True), (["a:b", "1:2", "3:4"], True), (["a b", "1 2"], False), (["a", "1", "2"], False),
        (["a b", "1 2", "3"], False), (["a b c", "1 2", "3 4 5"], False),
    ],
)  # fmt: skip
def test_one_column_with_a_mark_in_every_line_is_asked_about(lines, asked):
    rows = [[line] for line in lines]
    if asked:
        with pytest.raises(FileError, match="every line holds the same number of another mark"):
            csv._refuse_hidden_delimiter(PATH, rows)
    else:
        csv._refuse_hidden_delimiter(PATH, rows)
    csv._refuse_hidden_delimiter(PATH, [*rows, ["two", "fields"]])


def texts(*values):
    return pa.chunked_array([pa.array(values, pa.string())])


def numbers(*values, kind=None):
    return pa.chunked_array([pa.array(values, kind)])


@pytest.mark.parametrize(
    ("text", "column", "style", "same"),
    [
        (None, numbers(1), Style(), False),
        (texts("1.50"), numbers(1.5), Style(), True),
        (texts("1.50"), numbers(1.6), Style(), False),
        (texts("1.50", None), numbers(1.5, None), Style(), True),
        (texts("1.50", None), numbers(1.5, float("nan")), Style(), True),
        (texts("1.50", "2"), numbers(1.5), Style(), False),
        (texts("007"), texts("007"), Style(), True),
        (texts("007"), texts("008"), Style(), False),
        (texts("1,5", "n/a"), texts("1.5", "n/a"), Style(","), True),
        (texts("1,5"), pa.chunked_array([pa.array(["1.5"], pa.large_string())]), Style(","), True),
        (texts("1.234,5"), numbers(1234.5), Style(",", "."), True),
        (texts("9007199254740993"), numbers(9007199254740992), Style(), False),
        (texts("9007199254740993"), numbers(9007199254740993), Style(), True),
        (texts("1 000"), numbers(1000), Style(".", " "), True),
        (texts("1"), numbers(1.0), Style(), True),
        (texts("1.0"), numbers(1), Style(), True),
        (texts("x"), numbers(1), Style(), False),
        (texts("true"), numbers(True), Style(), False),
        (texts("a"), numbers(["a"]), Style(), False),
    ],
)
def test_a_remembered_text_stands_for_what_it_says_alone(text, column, style, same):
    assert csv.stands_for(text, column, style) is same


@pytest.mark.parametrize(
    ("came", "path", "delimiter", "written"),
    [
        ("a.csv", "b.csv", ";", ";"), ("a.csv", "b.tsv", ";", "\t"), ("a.csv", "b.tsv.gz", ",", "\t"),
        ("a.tsv", "b.csv", "\t", ","), ("a.tsv.gz", "b.csv.gz", "\t", ","), ("a.tsv", "b.csv", ";", ";"),
        ("a.txt", "b.csv", "\t", "\t"), ("a.tsv", "b.txt", "\t", "\t"), ("", "b.csv", ",", ","),
    ],
)  # fmt: skip
def test_an_ending_that_stands_for_a_delimiter_is_kept(came, path, delimiter, written):
    origin = {"dialect": {"delimiter": delimiter, "newline": "\r\n"}, **({"path": came} if came else {})}
    assert csv.dialect_for(origin, Path(path)) == csv.Dialect(written, newline="\r\n")
    assert csv.dialect_for({}, Path("b.csv")) == csv.Dialect()


def test_names_that_begin_like_formulas_go_behind_an_apostrophe_and_come_back(tmp_path):
    names = ["=a", "+b", "-c", "@d", "e", "'f"]
    assert [csv.released_name(name) for name in names] == ["'=a", "'+b", "'-c", "'@d", "e", "'f"]
    source = csv.opened_text(save(tmp_path, "'=a, '-c ,e,'f,'\n1,2,3,4,5\n"), None, "utf-8", None)
    assert csv.titles_of(source, True, ()) == (["=a", "-c", "e", "'f", "'"], 1, True)


@pytest.mark.parametrize(
    ("first", "header", "names", "told"),
    [
        ("a,b", None, (), (["a", "b"], 1, False)),
        ("a,b", None, ("a", "b", "c"), (["a", "b"], 1, True)),
        ("a,b", None, ("a",), (["a", "b"], 1, False)),
        ("a,b", True, (), (["a", "b"], 1, True)),
        ("a,b", False, (), (["column_1", "column_2"], 0, True)),
        ("column_1,column_2", False, (), (["column_1", "column_2"], 1, True)),
        ("column_1,column_2", None, (), (["column_1", "column_2"], 1, True)),
    ],
)
def test_what_columns_are_called(tmp_path, first, header, names, told):
    source = csv.opened_text(save(tmp_path, f"{first}\n1,2\n3,4\n"), None, "utf-8", None)
    assert csv.titles_of(source, header, names) == told


def styles(columns, decimal=None):
    parts = {name: Texts.of(texts(*values)) for name, values in columns.items()}
    return csv.styles_of(parts, {name: read_style(part) for name, part in parts.items()}, decimal)


def test_columns_are_read_together():
    assert styles({"x": ["1.5"], "w": ["a"]}) == (False, {"x": Style(), "w": None}, {})
    # One decimal comma that is certain, and all that could be read in two ways have commas, too.
    assert styles({"x": ["1,5"], "y": ["1.234"], "n": ["3"]}) == (
        True, {"x": Style(","), "y": Style(",", "."), "n": Style()}, {"y": Style(",", ".")},
    )  # fmt: skip
    assert styles({"n": ["3"]}, ",") == (True, {"n": Style()}, {})
    assert styles({"x": ["1.5"]}, ",") == (True, {"x": Style()}, {"x": Style()})
    assert styles({"x": ["1,5"], "y": ["2.5"]}) == (
        False, {"x": Style(","), "y": Style()}, {"x": Style(",")},
    )  # fmt: skip
    assert styles({"x": ["5 %"], "y": ["1,5"]}).written == {"x": Style(",", "", "", " %")}
    assert styles({"x": ["1 000"], "y": ["1,5"]}).written == {"x": Style(",", " ")}
    for value, mark in (("1.234", r"'\.'"), ("1,234", "','"), ("123 456", "space")):
        with pytest.raises(FileError, match=f"Column 'y' can be read in two ways: its {mark} may stand"):
            styles({"y": [value]})
    assert styles({"y": ["1.234"]}, ",").read == {"y": Style(",", ".")}


@pytest.mark.parametrize(
    ("values", "refused"),
    [
        (["1.5", "1,5"], True), (["€ 5", "6"], True), (["5%", "6"], True), (["1,5", "1.5", "NA"], True),
        (["1.5", "a,5"], False), (["a", "b"], False), (["007", "1.5", "1,5"], False), (["+491234567"], False),
    ],
)  # fmt: skip
def test_numbers_in_more_than_one_way_are_refused(values, refused):
    if refused:
        with pytest.raises(FileError, match="Column 'x' writes its numbers in more than one way"):
            csv._refuse_two_ways("x", Texts.of(texts(*values)))
    else:
        csv._refuse_two_ways("x", Texts.of(texts(*values)))


@pytest.mark.parametrize(
    ("values", "kind", "remembered"),
    [
        (["1", "2"], pa.int64(), False), (["1.5", "2.25"], pa.float64(), False), (["1.50", "2.25"], pa.float64(), True),
        (["+1", "2"], pa.int64(), True), (["1,5", "2"], pa.float64(), True), (["1", "NA"], pa.string(), False),
        (["1,5", "NA"], pa.string(), True), (["a"], pa.string(), False), ([None], pa.string(), False),
        (["1e5"], pa.float64(), True),
    ],
)  # fmt: skip
def test_what_a_column_is_and_whether_its_text_is_kept(values, kind, remembered):
    column = texts(*values)
    reading = read_style(column)
    style = reading.styles[0] if reading.styles else None
    found = csv.type_of(Texts.of(column), style, reading)
    typed = csv.typed(column, style, found, reading)
    assert (found, typed.type, typed.null_count) == (kind, kind, column.null_count)
    assert csv.is_remembered(column, typed, style, reading) is remembered


def test_rows_of_another_width_are_counted():
    assert str(csv._ragged(PATH, 3, 5, 1)).startswith("1 row of 'x.csv' does not have 3 fields: row 5. ")
    assert str(csv._ragged(PATH, 3, 5, 2)).startswith("2 rows of 'x.csv' do not have 3 fields, the first in row 5. ")
    assert str(csv._ragged(PATH, 3, 0, 2)).startswith("2 rows of 'x.csv' do not have 3 fields. ")
    assert str(csv._ragged(PATH, 3, 0, 1)).startswith("1 row of 'x.csv' does not have 3 fields. ")


def test_a_quote_that_is_never_closed_is_refused(tmp_path):
    assert read_table(save(tmp_path, 'a,b\n1,"x\ny"\n'))[0].to_pydict() == {"a": [1], "b": ["x\ny"]}
    assert read_table(save(tmp_path, 'a,b\n1,"x\ny"  \n\n'))[0].num_rows == 1
    for text in ('a,b\n1,"x\n2,y\n3,z\n', 'a,b\n1,"x\n2,y\n3,z'):
        with pytest.raises(FileError, match="not a well-formed CSV file"):
            read_table(save(tmp_path, text))
        with pytest.raises(FileError, match="not a well-formed CSV file"):
            read_table(save(tmp_path, f"t\n{text}"), leave_out=[1])


def test_titles_are_named_with_their_lines(tmp_path):
    rows = "a,b,c\n1,2,3\n4,5,6\n7,8,9\n"
    for title, counted, said in (("T\n", "1", "1 line has"), ("T\n\nU\n", "1,2,3", "3 lines have")):
        with pytest.raises(
            FileError, match=f"^{said} fewer fields .* than the 3 of all that follow: a title"
        ) as caught:
            read_table(save(tmp_path, title + rows))
        assert f"--leave-out {counted} (leave_out=[{counted}])" in caught.value.hint
        lines = [int(line) for line in counted.split(",")]
        assert read_table(save(tmp_path, title + rows), leave_out=lines)[0].num_rows == 3
    table, origin = read_table(save(tmp_path, f"T\n{rows}", encoding="utf-16"), leave_out=[1])
    assert (table.num_rows, origin["dialect"]["encoding"]) == (3, "utf-16")


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [(pa.int64(), True), (pa.float64(), True), (pa.uint8(), True), (pa.string(), False), (pa.bool_(), False)],
)
def test_numbers_are_written_in_the_style_of_their_column(kind, numbers):
    assert csv.writes_numbers(kind, named=False) is numbers
    assert csv.writes_numbers(kind, named=True) is True


def test_masked_numbers_have_the_marks_of_their_file_whole_ones_too(tmp_path):
    path = save(tmp_path, "x;n;w\n1,5;1 000;5 %\n2,5;2 500;6 %\n")
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in "xnw"])
    data = dc.read(path, schema, thousands="space")
    masked = data.replacing({"x": [1.25, 3.5], "n": [1500.0, 1500.0], "w": [7.0, 7.0]})
    write_table(masked, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "x;n;w\n1,25;1500;7 %\n3,5;1500;7 %\n"


def test_values_as_text():
    schema = dc.Schema([dc.Attribute("x", dc.Sequence(("a", "b"), delimiter=">"), "key")])
    for column, found in [
        (numbers(1.5, float("nan"), None), ["1.5", None, None]), (numbers(1, None), ["1", None]),
        (pa.chunked_array([pa.array(["a", "b", "a"]).dictionary_encode()]), ["a", "b", "a"]),
        (numbers(["a", "b"], ["b"]), ["a>b", "b"]), (numbers(True, False), ["true", "false"]),
    ]:  # fmt: skip
        assert csv.column_as_text(column, schema, "x").to_pylist() == found


@pytest.mark.parametrize(
    ("value", "words", "hint"),
    [
        ("1.234", r"its '\.' may stand between thousands or before decimals", "--thousands . or --decimal .;"),
        ("1,234", "its ',' may stand between thousands or before decimals", "--thousands , or --decimal ,;"),
        ("123 456", "its space may stand between thousands or between codes", "--thousands space or --thousands none;"),
    ],
)
def test_two_ways_to_read_a_column_are_told_with_what_to_say(value, words, hint):
    with pytest.raises(FileError, match=words) as caught:
        styles({"y": [value]})
    assert hint in caught.value.hint


def test_marks_that_were_named_read_what_they_can_and_the_rest_is_plain():
    assert csv.reading_of(Texts.of(texts("1,5")), ",", None).styles[0] == Style(",")
    assert csv.reading_of(Texts.of(texts("1.5")), ",", None).styles[0] == Style()
    assert csv.reading_of(Texts.of(texts("1.234")), ",", ".").styles == (Style(",", "."),)
    assert csv.reading_of(Texts.of(texts("a")), ",", None).styles == ()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (pa.ArrowInvalid("CSV parse error: Row #7: Expected 2 columns, got 1: SECRET"), "1 row of 'x.csv' does not"),
        (pa.ArrowInvalid("invalid UTF8 data"), "holds bytes that are not latin-1 text"),
        (UnicodeDecodeError("utf-8", b"a", 0, 1, "SECRET"), "holds bytes that are not latin-1 text"),
        (pa.ArrowInvalid("SECRET"), "is not a well-formed CSV file"),
    ],
)  # fmt: skip
def test_what_arrow_finds_wrong_is_said_without_its_words(error, told):
    source = csv.TextFile(PATH, csv.Dialect(encoding="latin-1"), PATH, 0)
    with pytest.raises(FileError, match=told) as caught, csv.told_plainly(source, 3):
        raise error
    assert "SECRET" not in str(caught.value)
    with pytest.raises(KeyboardInterrupt), csv.told_plainly(source, 3):
        raise pa.ArrowCancelled("stopped")


def test_a_part_of_a_file_has_neither_names_nor_a_mark():
    frame = pl.DataFrame({"a": ["1", "x;y"], "b": [None, "z"]})
    for options, beginning, written in [
        ({}, True, b'a;b\n1;\n"x;y";z\n'),
        ({"bom": True, "newline": "\r\n"}, True, b'\xef\xbb\xbfa;b\r\n1;\r\n"x;y";z\r\n'),
        ({"bom": True}, False, b'1;\n"x;y";z\n'),
        ({"quote_all": True}, True, b'"a";"b"\n"1";""\n"x;y";"z"\n'),
    ]:
        buffer = io.BytesIO()
        csv.write_text_frame(frame, buffer, csv.Dialect(";", **options), beginning=beginning)
        assert buffer.getvalue() == written
