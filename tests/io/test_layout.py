"""Files as people have them: without names, with titles, units and totals, with the numbers of half the world."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.guarantees import Guarantee
from discreet.errors import DiscreetError, FileError, ParameterError, SchemaError
from discreet.io import layout, read_table
from discreet.io.layout import Ending, title_lines
from discreet.io.number_text import Style, canonical, looks_like_number, read_style
from discreet.io.recount import count_written

N = 40
RNG = np.random.default_rng(2)
A, B = RNG.normal(size=N).round(3), RNG.integers(100, 99_999, N)
C = RNG.choice(["xcanary", "ycanary", "zcanary"], N)
ROWS = [f"{a},{b},{c}" for a, b, c in zip(A, B, C, strict=True)]


def save(folder, text, name="data.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def lines(*head, rows=ROWS, end=()):
    return "\n".join([*head, *rows, *end]) + "\n"


# ------------------------------------------------------------------------------------------------------ the first line


@pytest.mark.parametrize(
    "text",
    [
        lines(),
        "\n".join(str(b) for b in B) + "\n",
        "\n".join(C) + "\n",
        "\n".join(f"{c};{d}" for c, d in zip(C, C[::-1], strict=True)) + "\n",
        "\n".join(f"canary{i};{c}" for i, c in enumerate(C)) + "\n",
        "\n".join(f"2020-01-{i % 28 + 1:02d}\tcanary{i}" for i in range(N)) + "\n",
        "\n".join(f"K-{i:04d}|word{i}" for i in range(N)) + "\n",
        "\n".join(f"{b},56;{c}" for b, c in zip(B, C, strict=True)) + "\n",
        lines("canaryword,34,xcanary"),
        "31,canary\n45,canary\n",
        "2019,2020\n1,2\n3,4\n5,6\n",
    ],
    ids=range(11),
)
def test_a_first_line_that_is_a_record_is_asked_about_and_not_quoted(tmp_path, text):
    path = save(tmp_path, text)
    for call in (dc.read, dc.inspect):
        with pytest.raises(FileError, match="looks like a record") as caught:
            call(path)
        assert "canary" not in str(caught.value)
        assert text.split("\n")[0] not in str(caught.value)
        assert "--no-header" in caught.value.hint
    data = dc.read(path, header=False, leave_out="none")
    assert data.names == tuple(f"column_{i}" for i in range(1, len(data.names) + 1))
    assert len(data) == text.count("\n")
    assert len(dc.read(path, header=True)) == text.count("\n") - 1


@pytest.mark.parametrize(
    "text",
    [
        lines("a,b,c"),
        lines("income,age,xcanary"),  # a word that occurs below, and two words above numbers
        "age\n" + "\n".join(str(b) for b in B) + "\n",
        "place\n" + "\n".join(C) + "\n",
        "country,2019,2020,2021\n1,5,6,7\n2,6,7,8\n3,1,2,3\n",
        "id,1,2,3\n1,5,6,7\n2,6,7,8\n3,1,2,3\n",
        "day,code\n2020-01-02,K-1\n2020-01-03,K-2\n",
        "q1,q2\n1,2\n3,4\n",
        "column_1,column_2\n1,2\n3,4\n",
    ],
    ids=range(9),
)
def test_a_line_of_names_is_one(tmp_path, text):
    path = save(tmp_path, text)
    assert list(dc.read(path).names) == text.split("\n")[0].split(",")


def test_names_that_are_declared_are_names(tmp_path):
    path = save(tmp_path, "2019,2020\n1,2\n3,4\n5,6\n")
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in ("2019", "2020")])
    assert dc.read(path, schema).names == ("2019", "2020")


def test_a_file_without_names_is_released_with_names_of_our_own_and_read_back(tmp_path):
    path = save(tmp_path, lines())
    original = dc.read(path, header=False)
    masked = dc.protect(original, "mdav", k=3, random_state=1)
    dc.write(masked, tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_text().split("\n")[0] == "column_1,column_2,column_3"
    for header in (None, False):
        assert len(dc.read(tmp_path / "m.csv", header=header)) == N


def test_the_same_names_are_counted_and_not_quoted(tmp_path):
    with pytest.raises(SchemaError, match="Columns 1 and 3") as caught:
        dc.read(save(tmp_path, "canary,b,canary\n1,2,3\n4,5,6\n"))
    assert "canary" not in str(caught.value)


def test_a_workbook_without_names_is_asked_about(tmp_path):
    import xlsxwriter

    path = tmp_path / "b.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        for row, (a, c) in enumerate(zip(A, C, strict=True)):
            sheet.write_row(row, 0, [float(a), str(c)])
    with pytest.raises(FileError, match="looks like a record") as caught:
        dc.read(path)
    assert "canary" not in str(caught.value)
    data = dc.read(path, header=False)
    assert data.names == ("column_1", "column_2")
    assert len(data) == N


WORDS = ["Anna", "Berta", "Carl", "Doris", "Emil", "Fritz", "Gerda", "Hans"]


@pytest.mark.parametrize(
    ("first", "rows"),
    [
        ("unbekannt,20", [f"100{i},2{i}" for i in range(1, 8)]),
        ("Dbgbdch,onlyhere", [f"{word},{'fm'[i % 2]}" for i, word in enumerate(WORDS)]),
        ("zoe@canary.at,Zoe", [f"{word.lower()}@canary.at,{word}" for word in WORDS]),
        ("Zoe,Wien", [f"{word},{word}stadt" for word in WORDS]),
        ("Zoe", WORDS),
        ("Hauptplatz,20", [f"Ekcigma {i},2{i}" for i in range(1, 8)]),
        ("Hauptplatz,Zoe", [f"Ekcigma {i},{word}" for i, word in enumerate(WORDS)]),
    ],
)
def test_a_record_of_words_is_asked_about(tmp_path, first, rows):
    path = save(tmp_path, lines(first, rows=rows))
    with pytest.raises(FileError, match="looks like a record") as caught:
        dc.read(path)
    assert first.split(",")[0] not in str(caught.value)
    assert len(dc.read(path, header=False, leave_out="none")) == len(rows) + 1
    assert list(dc.read(path, header=True).names) == first.split(",")


@pytest.mark.parametrize(
    ("first", "rows"),
    [
        ("name,sex", [f"{word},{'fm'[i % 2]}" for i, word in enumerate(WORDS)]),
        ("Name,Sex,Age", [f"{word},{'fm'[i % 2]},{i}" for i, word in enumerate(WORDS)]),
        ("Name,Mail", [f"{word},{word.lower()}@canary.at" for word in WORDS]),
        ("Region,Party", [f"{'NS'[i % 2]}ord,{'AB'[i % 2]}lau" for i in range(8)]),
    ],
)
def test_names_above_words_are_names(tmp_path, first, rows):
    assert list(dc.read(save(tmp_path, lines(first, rows=rows))).names) == first.split(",")


# ----------------------------------------------------------------------------------------------- lines, marks, columns


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("note", ["", "sep=;", '"sep=;"'])
def test_line_ends_and_a_note_to_a_spreadsheet(tmp_path, end, note):
    text = end.join([*([note] if note else []), "a;b", "1;x", "2;y", "3;x", ""])
    data = dc.read(save(tmp_path, text))
    assert data.column("a").to_pylist() == [1, 2, 3]
    assert data.column("b").to_pylist() == ["x", "y", "x"]
    dc.write(data, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes().decode() == end.join(["a;b", "1;x", "2;y", "3;x", ""])


@pytest.mark.parametrize("title", ["Survey of canaries", "Survey of canaries,,", "Survey\nof canaries"])
def test_a_title_is_asked_about_and_left_out(tmp_path, title):
    path = save(tmp_path, lines(title, "a,b,c"))
    with pytest.raises(FileError, match="title") as caught:
        dc.read(path)
    assert "canar" not in str(caught.value).replace(str(tmp_path), "")
    out = [1, 2] if "\n" in title else [1]
    data = dc.read(path, leave_out=out)
    assert data.names == ("a", "b", "c")
    assert len(data) == N


def test_units_and_totals_are_asked_about_and_left_out(tmp_path):
    totals = f"{A.sum():.3f},{B.sum()},"
    path = save(tmp_path, lines("a,b,c", "metres,canaries,", end=[totals]))
    with pytest.raises(FileError, match="Line 2 .* units") as caught:
        dc.read(path)
    assert "canar" not in str(caught.value).replace(str(tmp_path), "")
    with pytest.raises(ParameterError, match="leave_out"):
        dc.read(path, leave_out="two")
    with pytest.raises(ParameterError, match="has not"):
        dc.read(path, leave_out=[99])
    data = dc.read(path, leave_out="2,-1")
    assert len(data) == N
    assert data.column("b").to_pylist() == B.tolist()
    alone = save(tmp_path, lines("a,b,c", end=[totals]))
    with pytest.raises(FileError, match="totals"):
        dc.read(alone)
    assert len(dc.read(alone, leave_out="none")) == N + 1
    with pytest.raises(FileError, match="totals"):
        dc.read(save(tmp_path, lines("a,b,c", end=["1.5,7,Total"])))


@pytest.mark.parametrize("end", [[",,", "Gesamtsumme,780,"], [",,", ",287,", ",,"]])
def test_totals_after_a_blank_line_go_with_it(tmp_path, end):
    path = save(tmp_path, lines("id,v,w", rows=[f"x{i},{i}1,a" for i in range(1, 8)], end=end))
    with pytest.raises(FileError, match="totals") as caught:
        dc.read(path)
    places = [-place for place in range(1, len(end) + 1)]
    assert f"--leave-out {','.join(map(str, places))} " in caught.value.hint
    assert len(dc.read(path, leave_out=places)) == 7


def test_a_note_that_names_another_delimiter_is_asked_about(tmp_path):
    path = save(tmp_path, "sep=;\na,b\n1,2\n3,4\n")
    with pytest.raises(FileError, match="another delimiter"):
        dc.read(path)
    assert dc.read(path, delimiter=",").names == ("a", "b")


@pytest.mark.parametrize("text", [",p\n0,5\n1,6\n2,7\n", ",p,q\n0,5,1\n1,6,2\n2,7,4\n"])
def test_an_index_without_a_name_is_no_title(tmp_path, text):
    with pytest.raises(SchemaError, match="index"):
        dc.read(save(tmp_path, text))


def test_carriage_returns_are_read_back_before_a_release(tmp_path):
    path = save(tmp_path, "\r".join(["age,inc", *(f"{20 + i},{1000 + 7 * i}" for i in range(12)), ""]))
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in ("age", "inc")])
    masked = dc.protect(dc.read(path, schema), "mdav", k=3, random_state=1)
    dc.write(masked, tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_bytes().count(b"\r") == 13
    result = dc.read(tmp_path / "m.csv", schema)
    assert len(result) == 12
    promise = [Guarantee("k-anonymity", ("age", "inc"), 3)]
    count_written(tmp_path / "m.csv", ".csv", promise, records=12, columns=("age", "inc"), dialect={"newline": "\r"})


def test_quoted_line_ends_and_long_fields_are_kept(tmp_path):
    path = save(tmp_path, f'a,b\n1,"x\r\ny"\n2,{"z" * 200_000}\n3,u\n')
    dc.write(dc.read(path), tmp_path / "same.csv")
    assert (tmp_path / "same.csv").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "UTF8", "utf_8_sig"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_is_written_as_often_as_read(tmp_path, encoding, mark):
    path = save(tmp_path, f"{mark}a,b\n1,2\n3,4\n")
    dc.write(dc.read(path, encoding=encoding), tmp_path / "same.csv")
    assert (tmp_path / "same.csv").read_bytes() == path.read_bytes()


def test_a_footer_is_left_out(tmp_path):
    path = save(tmp_path, lines("a,b,c", end=["Source: a canary"]))
    with pytest.raises(FileError, match="1 row") as caught:
        dc.read(path)
    assert "a canary" not in str(caught.value)
    assert len(dc.read(path, leave_out=[-1])) == N


def test_one_column_with_another_mark_in_every_line(tmp_path):
    path = save(tmp_path, "a:b\n1:x\n2:y\n3:x\n")
    with pytest.raises(FileError, match="one column"):
        dc.read(path)
    assert dc.read(path, delimiter=":").names == ("a", "b")
    assert dc.read(path, delimiter=",").names == ("a:b",)
    assert len(dc.read(save(tmp_path, "time\n12:30\n13:40\n"))) == 2


# ------------------------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["1234,56", "7,5", "12,25"], [1234.56, 7.5, 12.25]),
        (["1.234,56", "7,5", "12,25"], [1234.56, 7.5, 12.25]),
        (["1 234", "950", "12 345"], [1234, 950, 12345]),
        (["1\u202f234", "950", "12\u00a0345"], [1234, 950, 12345]),
        (["1'234", "950", "12’345.5"], [1234, 950, 12345.5]),
        (["1.234.567", "950", "12.345"], [1234567, 950, 12345]),
        (["1,234.5", "950", "12,345"], [1234.5, 950, 12345]),
        (["€ 12,50", "€ 7,25", "€ -3,00"], [12.5, 7.25, -3]),
        (["$12.50", "$7.25", "$1,300.00"], [12.5, 7.25, 1300]),
        (["12 %", "7.5 %", "3 %"], [12, 7.5, 3]),
        (["12%", "7%", "3%"], [12, 7, 3]),
        (["12 EUR", "7,5 EUR", "3 EUR"], [12, 7.5, 3]),
        (["1.234", "12.5", "3"], [1.234, 12.5, 3]),
        (["1.234", "0.125", "3"], [1.234, 0.125, 3]),
        (["1.234", "1234", "3"], [1.234, 1234, 3]),
        (["−5,5", "3", "2"], [-5.5, 3, 2]),
    ],
    ids=range(16),
)
@pytest.mark.parametrize("delimiter", [";", ","])
def test_numbers_of_half_the_world_are_read_and_written_back(tmp_path, values, numbers, delimiter):
    rows = [f'"{v}"{delimiter}{i}' for i, v in enumerate(values * 4)]
    path = save(tmp_path, "\n".join([f"x{delimiter}n", *rows]) + "\n")
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key"), dc.Attribute("n", dc.Numeric())])
    data = dc.read(path, schema)
    assert data.encoded("x").tolist() == numbers * 4
    dc.write(data, tmp_path / "same.csv")
    back, _ = read_table(tmp_path / "same.csv")
    assert (tmp_path / "same.csv").read_text().replace('"', "") == path.read_text().replace('"', "")
    assert back.column("x").cast(pa.float64()).to_pylist() == numbers * 4
    masked = data.replacing({"x": np.full(12, 1234.5)})
    dc.write(masked, tmp_path / "m.csv")
    text = (tmp_path / "m.csv").read_text()
    style = read_style(pa.chunked_array([pa.array(values)])).styles[0]
    assert f"{style.prefix}1234{style.decimal}5{style.suffix}" in text
    assert dc.read(tmp_path / "m.csv", schema).encoded("x").tolist() == [1234.5] * 12


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ([" 31", " 45 ", "27"], [31, 45, 27]),
        (["−42", "7", "8"], [-42, 7, 8]),
        (["+1.5", "-2", "3"], [1.5, -2, 3]),
        (["1,10,100", "12,34,56,789", "900"], [110_100, 123_456_789, 900]),
        (["(4)", "12", "(1,250.5)"], [-4, 12, -1250.5]),
        (["4-", "12", "5-"], [-4, 12, -5]),
    ],
)
def test_signs_and_spaces_around_numbers(tmp_path, values, numbers):
    rows = [f'x{i},"{value}"' for i, value in enumerate(values * 3)]
    path = save(tmp_path, lines("id, v", rows=rows))
    data = dc.read(path)
    assert data.names == ("id", "v")
    assert data.column("v").to_pylist() == numbers * 3
    dc.write(data, tmp_path / "same.csv")
    written = (tmp_path / "same.csv").read_text().replace('"', "").split("\n")[1:]
    assert written == path.read_text().replace('"', "").split("\n")[1:]


@pytest.mark.parametrize("start", [9 * 10**18, 9 * 10**19, 2**53])
def test_no_digit_of_a_large_number_is_lost(tmp_path, start):
    path = save(tmp_path, lines("id,v", rows=[f"x{i},{start + i}" for i in range(12)]))
    data = dc.read(path)
    assert [int(value) for value in data.column("v").to_pylist()] == [start + i for i in range(12)]
    dc.write(data, tmp_path / "same.csv")
    assert (tmp_path / "same.csv").read_text() == path.read_text()
    if start > 2**63:
        assert isinstance(data.schema["v"].scale, dc.Nominal)


def test_what_no_float_holds_is_text(tmp_path):
    for rows in ([f"x{i},1e40{i}" for i in range(8)], [f"x{i},+4917012345{i}" for i in range(8)]):
        assert pa.types.is_string(dc.read(save(tmp_path, lines("id,v", rows=rows))).column("v").type)


@pytest.mark.parametrize(
    ("values", "options"),
    [
        (["1.234", "5.678"], {"thousands": ".", "decimal": "."}),
        (["1.234", "950"], {"thousands": ".", "decimal": "."}),
        (["1,234", "5,678"], {"thousands": ",", "decimal": ","}),
        (["101 234", "555 678"], {"thousands": "space"}),
    ],
)
def test_what_can_be_read_in_two_ways_is_asked(tmp_path, values, options):
    path = save(tmp_path, "x;n\n" + "".join(f"{v};{i}\n" for i, v in enumerate(values * 3)))
    with pytest.raises(FileError, match="two ways") as caught:
        dc.inspect(path)
    assert not any(value in str(caught.value) for value in values)
    whole = [int("".join(c for c in v if c.isdigit())) for v in values]
    assert dc.read(path, thousands=options["thousands"]).column("x").to_pylist() == whole * 3
    if "decimal" in options:
        decimals = [float(v.replace(",", ".")) for v in values]
        assert dc.read(path, decimal=options["decimal"]).column("x").to_pylist() == decimals * 3
    else:
        assert dc.read(path, thousands="none").column("x").to_pylist() == values * 3


def test_a_file_with_a_decimal_comma_has_points_between_thousands(tmp_path):
    path = save(tmp_path, "x;n\n1.234;1,5\n5.678;2,25\n")
    assert dc.read(path).column("x").to_pylist() == [1234, 5678]


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("row", ["{i};{i},25", "{i},5;{i},25", "{i},5\t{i},25\t{i},75", "{i}|{i},5"])
def test_a_decimal_comma_does_not_separate_fields(tmp_path, row, header):
    width = len(row.replace("\t", ";").replace("|", ";").split(";"))
    mark = next(mark for mark in ";\t|" if mark in row)
    names = [mark.join(f"n{i}" for i in range(width))] if header else []
    path = save(tmp_path, "\n".join([*names, *(row.format(i=i) for i in range(1, 30))]) + "\n")
    data = dc.read(path, header=None if header else False)
    assert len(data.names) == width
    assert pa.types.is_floating(data.column(data.names[-1]).type)


def test_masked_whole_numbers_get_the_decimal_comma_of_their_file(tmp_path):
    path = save(tmp_path, "x;n\n" + "".join(f"{i},5;{i}\n" for i in range(12)))
    data = dc.read(path)
    dc.write(data.replacing({"n": np.full(12, 2.5)}), tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_text().split("\n")[1] == "0,5;2,5"


def test_what_we_write_reads_in_one_way(tmp_path):
    path = save(tmp_path, "x;n\n" + "".join(f"{i}.5;{i}\n" for i in range(12)))
    data = dc.read(path)
    dc.write(data.replacing({"x": np.repeat([674.825, 12.375], 6)}), tmp_path / "m.csv")
    assert dc.read(tmp_path / "m.csv").column("x").to_pylist() == [674.825] * 6 + [12.375] * 6


@pytest.mark.parametrize("word", ["#N/A", "n/a", "-", "NA", "?", "--", "n.a."])
@pytest.mark.parametrize("decimal", [".", ","])
def test_words_that_stand_for_no_number(tmp_path, word, decimal):
    values = [f"{i}{decimal}{i}5" for i in range(1, 30)] + [word] * 5
    path = save(tmp_path, "x;n\n" + "".join(f"{v};{i % 5}\n" for i, v in enumerate(values)))
    data = dc.read(path)
    assert data.schema["x"].scale == dc.Numeric()
    assert data.schema["x"].missing == (word,)
    assert int(data.missing("x").sum()) == 5
    dc.write(data, tmp_path / "same.csv")
    assert (tmp_path / "same.csv").read_text() == path.read_text()
    masked = dc.protect(data, "additive-noise", random_state=1, attributes=["x"])
    dc.write(masked, tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_text().count(f"\n{word};") == 5
    assert dc.read(tmp_path / "m.csv").schema["x"].scale == dc.Numeric()


@pytest.mark.parametrize("values", [["1,5", "2.5"], ["€ 5", "$ 6"], ["12 %", "5"]])
def test_numbers_in_two_ways_are_refused(tmp_path, values):
    path = save(tmp_path, "x;n\n" + "".join(f"{v};{i}\n" for i, v in enumerate(values * 3)))
    with pytest.raises(FileError, match="more than one way") as caught:
        dc.read(path)
    assert not any(value in str(caught.value) for value in values)


def test_codes_dates_and_signs_of_blood_groups_stay_words(tmp_path):
    text = "zip;day;rhesus;version\n" + "".join(f"0{i}1;1.{i}.2020;{'+-'[i % 2]};1.{i}.3\n" for i in range(1, 9))
    data = dc.read(save(tmp_path, text))
    assert all(pa.types.is_string(data.column(name).type) for name in data.names)
    assert data.schema["rhesus"].missing == ()


def test_marks_are_checked(tmp_path):
    path = save(tmp_path, "a;b\n1;2\n")
    for options in ({"decimal": ";"}, {"thousands": "x"}, {"decimal": ",", "thousands": ","}):
        with pytest.raises(ParameterError):
            dc.read(path, **options)
    dc.write(dc.datasets.business(20), tmp_path / "a.parquet")
    with pytest.raises(ParameterError, match="cannot be set"):
        dc.read(tmp_path / "a.parquet", decimal=",")


def test_what_looks_like_a_number():
    assert all(map(looks_like_number, ["1", "-1.5", "1,5", "1 234", "€ 5", "12%", "1e-5", "+3"]))
    assert not any(map(looks_like_number, ["", "-", "a1", "1.1.2020", "12:30", "1-2", "x", "€"]))
    assert canonical(pa.chunked_array([["€ 1.234,5"]]), Style(",", ".", "€ ")).to_pylist() == ["1234.5"]


def test_titles_are_told_by_their_fields():
    assert title_lines([["t", ""], ["a", "b"], ["1", "2"]]) == 1
    assert title_lines([["a", "b"], ["1", ""], ["", "2"]]) == 0
    assert title_lines([["a"], ["1"], ["2"]]) == 0


# --------------------------------------------------------------------------------------------------- protocols, errors


def test_a_protocol_remembers_how_its_file_is_laid_out(tmp_path):
    path = save(tmp_path, "\n".join(f"{b},5;{c}" for b, c in zip(B, C, strict=True)) + "\n")
    protocol = dc.propose(path, header=False, decimal=",", leave_out=[-1])
    again = dc.Protocol.from_toml(protocol.to_toml())
    assert again.source == protocol.source
    assert (again.source.header, again.source.decimal, again.source.leave_out) == (False, ",", "-1")
    protocol.save(tmp_path / "p.toml")
    assert len(dc.run(tmp_path / "p.toml", before=False).original) == N - 1
    assert "header=False" in protocol.to_python()
    with pytest.raises(SchemaError, match="true or false"):
        dc.Protocol.from_toml(protocol.to_toml().replace("header = false", 'header = "no"'))


@pytest.mark.parametrize("seed", range(60))
def test_hostile_files_say_nothing_of_their_records(tmp_path, seed):
    """Cells, marks and line ends thrown together: read or refused in our own words, no cell quoted."""
    rng = np.random.default_rng(seed)
    cells = ["canary1", "canary2", "1,5", "1.5", "1.234", "€ 5", "", "#N/A", "-", '"', "'", "=1+1", "007", "1 234", "%"]
    delimiter, end = rng.choice([",", ";", "\t", "|"]), rng.choice(["\n", "\r\n", "\r"])
    width = int(rng.integers(1, 5))
    rows = [delimiter.join(rng.choice(cells, width)) for _ in range(int(rng.integers(1, 30)))]
    path = save(tmp_path, end.join(rows) + end)
    try:
        dc.write(dc.read(path), tmp_path / "out.csv")
    except DiscreetError as error:
        assert "canary1" not in str(error)
        assert "1.234" not in str(error)


def test_how_a_table_ends_is_known_from_its_parts():
    ending = Ending()
    ending.add({"a": pa.chunked_array([["x", None, "y"]]), "b": pa.chunked_array([["1", None, None]])})
    assert (ending.last, ending.places) == ({"a": "y", "b": None}, (0, 2))
    ending.add({"a": pa.chunked_array([[None, None]]), "b": pa.chunked_array([[None, None]])})
    assert (ending.last, ending.places, ending.lines, ending.records) == ({"a": "y", "b": None}, (0, 2), 5, 2)
    ending.add({"a": pa.chunked_array([["z"]]), "b": pa.chunked_array([["2"]])})
    assert (ending.last, ending.places, ending.nulls) == ({"a": "z", "b": "2"}, (2, 5), {"a": 0, "b": 1})


# ------------------------------------------------------------------------------------------------------- part by part


def column(*values):
    return pa.chunked_array([pa.array(values, pa.string())])


@pytest.mark.parametrize(
    ("name", "values", "found"),
    [
        ("", ["1"], ""), (" NA ", ["a"], ""), ("ann@x.org", ["a"], "number"), ("5", ["1", "2"], "number"),
        ("age", ["1", "2"], "name"), ("age", [None], ""), ("a", ["a", "b"], "data"), ("age", ["NA", "-"], ""),
        ("mail", ["a@x", "b@y"], "name"), ("street", ["Elm 5", "Oak 6"], "unlike"), ("code", ["K-1", "K-2"], "name"),
        ("K-9", ["K-1", "K-2"], "data"), ("K9", ["K-1", "K-2"], ""), ("K9", ["K9a", "K-2", "K1"], "data"),
        ("K9", ["K9a", "K-2", "K/2", "K1"], ""), ("1.2.99", ["31.12.1999", "1.1.2000"], "data"),
        ("Zoe", ["Ann", "Eva", "Ida"], "like"), ("zoe", ["Ann", "Eva", "Ida"], "unlike"),
        ("Zoe", ["Ann", "Eva", "Ann", "Eva"], "unlike"), ("Zoebelia", ["Ann", "Eva", "Ida"], "unlike"),
    ],
)  # fmt: skip
def test_what_a_field_of_the_first_line_is(name, values, found):
    cells = column(*values)
    assert layout._evidence(name, cells, read_style(cells)) == found


@pytest.mark.parametrize(
    ("name", "values", "records", "found"),
    [
        ("abcdef", ["abcd", "wxyz"], 3, "like"), ("abcdefg", ["abcd", "wxyz"], 3, "unlike"),
        ("abcd", ["abcdef", "uvwxyz"], 3, "like"), ("abc", ["abcdef", "uvwxyz"], 3, "unlike"),
        ("abcd", ["abce", "wxyz"], 4, "unlike"), ("ABCD", ["abce", "wxyz"], 3, "unlike"),
        (" abcd ", ["abce "], 1, "like"),
    ],
)  # fmt: skip
def test_a_word_may_be_one_more_of_those_below(name, values, records, found):
    assert layout._likeness(name, pa.array(values), records) == found


def test_how_words_are_written():
    words = {"12-3": "none", "abc": "small", "ABC": "capitals", "Abc": "first", "aBC": "first", "a1": "small"}
    assert {word: layout._letters(word) for word in words} == words
    assert layout._shapes(pa.array(["31.12.1999", "Ab 5", "éa-7x"])).to_pylist() == ["9.9.9", "a 9", "a-9a"]


@pytest.mark.parametrize(
    ("words", "series"),
    [
        (["1", "2"], True), (["2019", "2020", "2021"], True), (["1"], False), (["2", "1"], False), (["1", "1"], False),
        (["1", "x"], False), (["01", "2"], False), (["1", "10000"], False), ([], False),
    ],
)  # fmt: skip
def test_years_and_numbers_in_order_are_a_series(words, series):
    assert layout._is_series(words) is series


def asked(names, *columns):
    cells = [column(*values) for values in columns]
    try:
        layout.refuse_records_as_names("f", names, cells, [read_style(one) for one in cells])
    except FileError as error:
        return str(error).split(": ")[1].split(" fields")[0]
    return None


def test_what_there_is_more_of_decides():
    numbers, words = ["1", "2"], ["Ann", "Eva", "Ida"]
    assert asked(["5"], numbers) == "1 of its 1"
    assert asked(["age"], numbers) is None
    assert asked(["age", "5"], numbers, numbers) == "1 of its 2"
    assert asked(["age", "1", "2"], numbers, numbers, numbers) is None, "a series"
    assert asked(["age", "sex", "5"], numbers, numbers, numbers) is None
    assert asked(["age", "Ann"], numbers, words) is None, "as many of each"
    assert asked(["age", "Ann", "Eva"], numbers, words, words) == "2 of its 3"
    assert asked(["Zoe"], words) == "1 of its 1"
    assert asked(["Zoe", "name"], words, words) == "1 of its 2"
    assert asked(["name", "first"], words, words) is None
    assert asked(["Zoe", "name", "first"], words, words, words) is None


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ([["T"], ["a", "b"], ["1", "2"]], 1), ([["a", "b"], ["1", "2"], ["3", "4"]], 0), ([["T"], ["a", "b"]], 0),
        ([["T"], [], ["a", "b"], ["1", "2"]], 2), ([["T", ""], ["a", "b"], ["1", "2"]], 1), ([["T"], ["a"], ["1"]], 0),
        ([["", "x"], ["a", "b"], ["1", "2"]], 0), ([["T"], ["a", ""], ["1", "2"]], 0), ([["T"], ["a", "b"], ["1"]], 0),
        ([*[["T"]] * 5, ["a", "b"], ["1", "2"]], 5), ([*[["T"]] * 6, ["a", "b"], ["1", "2"]], 0),
        ([["T", "U"], ["a", "b", "c"], ["1", "2", "3"]], 1), ([["", "x", ""], ["a", "b", "c"], ["1", "2", "3"]], 1),
    ],
)  # fmt: skip
def test_lines_with_fewer_fields_than_all_that_follow(rows, lines):
    assert title_lines(rows) == lines


@pytest.mark.parametrize(
    ("told", "lines"),
    [(None, None), ("none", ()), ("1", (1,)), (" 1 , -2", (1, -2)), ([1, -1], (1, -1)), ((), ()), ([], ())],
)
def test_lines_to_leave_out(told, lines):
    assert layout.read_lines(told) == lines


@pytest.mark.parametrize("told", ["", "0", "1,", "x", "-0", "1.5", "1234567890", [0], [True], ["1"], [1.5]])
def test_what_names_no_lines_is_refused(told):
    with pytest.raises(ParameterError, match="leave_out must be numbers of lines, or none"):
        layout.read_lines(told)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["", "a"], "Column 1 of 'f' has no name, as where an index"), ([" "], "Column 1 of 'f' has no name.$"),
        (["", ""], "Column 1 of 'f' has no name.$"), (["a", " ", ""], "Column 2 of 'f' has no name.$"),
        (["a", "b", "a", "a"], "Columns 1 and 3 of 'f' have the same name, which appears 3 times"),
        (["x", "a", "b", "a"], "Columns 2 and 4 of 'f' have the same name, which appears 2 times"),
    ],
)  # fmt: skip
def test_names_that_are_empty_or_the_same_are_refused_by_their_places(names, message):
    with pytest.raises(SchemaError) as caught:
        layout.check_names("f", names)
    assert re.search(message, caught.value.message)
    layout.check_names("f", ["a", "b"])


def units(*columns, line=2):
    cells = {str(place): column(*values) for place, values in enumerate(columns)}
    try:
        layout.check_units("f", cells, {name: read_style(one) for name, one in cells.items()}, line)
    except FileError as error:
        return error.message, error.hint.split(" (")[0]
    return None


def test_a_first_line_of_units_is_asked_about():
    assert units(["kg", "1", "2"]) == (
        "Line 2 of 'f' has words in 1 column of numbers in every other line: they look like units.",
        "Leave it out with --leave-out 2",
    )
    assert units(["kg", "1", "2"], ["cm", "1", "NA"], ["a", "b", "c"], line=7) == (
        "Line 7 of 'f' has words in 2 columns of numbers in every other line: they look like units.",
        "Leave it out with --leave-out 7",
    )
    for values in (["kg", "1"], ["kg", "a", "2"], ["NA", "1", "2"], [None, "1", "2"], ["3", "1", "2"],
                   ["kg", None, "-"], ["kg", *["1"] * 150, "a"]):  # fmt: skip
        assert units(values) is None


def totals(*columns):
    cells = {str(place): column(*values) for place, values in enumerate(columns)}
    try:
        layout.check_records("f", cells, {name: read_style(one) for name, one in cells.items()}, 2)
    except FileError as error:
        assert error.message == "The last line of 'f' looks like totals, not like a record."
        return error.hint.split("leave-out ")[1].split(" ")[0]
    return None


def test_a_last_line_of_totals_is_asked_about():
    town, five = ["A", "B", "C", "D", "E"], ["1", "2", "3", "4", "5"]
    assert totals([*town, "Total"]) == "-1"
    assert totals([*town, " Grand total: "]) == "-1"
    assert totals([*town, "Zwischensumme"]) == "-1"
    assert totals([*town, "totally"]) is None
    assert totals([*town, "Total", "Total"]) is None, "it is there twice"
    assert totals([*town[:4], "Total"]) is None, "so few are no table with totals"
    assert totals([*town, None, "Total"], [*five, None, "7"]) == "-1,-2"
    assert totals([*town, "Total", None, None], [*five, "7", None, None]) == "-1,-2,-3"
    # Two columns that add up, or one beside a field that is empty there alone.
    assert totals([*five, "15"], ["2", "2", "3", "4", "5", "16"]) == "-1"
    assert totals([*five, "15"], [*town, None]) == "-1"
    assert totals([*five, "15"], [*town, "F"]) is None
    assert totals([*five, "15"], ["A", None, "C", "D", "E", None]) is None
    assert totals([*five, "15"], ["2", "2", "3", "4", "5", "17"]) is None
    assert totals(["1,5", "2", "3", "4", "5", "15,5"], [*town, None]) == "-1"
    assert totals(["0"] * 6, [*town, None]) is None
    assert totals(["1", "1", "1", "1", "1", "5"], [*town, None]) is None, "of two different numbers nothing is told"
    assert totals(["1", "1", "1", "1", None, "4"], [*town, None]) == "-1"
    assert totals(["(4)", "5", "6", "7", "8", "22"], [*town, None]) == "-1"


def test_the_end_of_a_table_that_comes_in_parts():
    whole = {"a": ["1", None, "2", None, None, "3", None], "b": ["x", None, None, None, None, "y", None]}
    for cuts in ([7], [1, 6], [2, 2, 3], [3, 2, 2], [5, 1, 1], [1] * 7):
        ending, start = Ending(), 0
        for size in cuts:
            ending.add({name: column(*values[start : start + size]) for name, values in whole.items()})
            start += size
        assert (ending.lines, ending.records, ending.places) == (7, 3, (2, 5))
        assert (ending.last, ending.nulls) == ({"a": "3", "b": "y"}, {"a": 0, "b": 1})


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ([["", "b"], ["1", "x"], ["2", ""]], 0),  # an index without a name, whatever the last line holds
        ([["", ""], ["a", "b"], ["1", "x"]], 1),
        ([["", "t", ""], ["a", "b", "c"], ["1", "x", "y"]], 1),
        ([["t"], ["", "b"], ["1", "x"], ["2", "y"]], 2),
        ([["t"]] * 5 + [["a", "b"], ["1", "2"]], 5),
        ([["t"]] * 6 + [["a", "b"], ["1", "2"]], 0),
        ([["t"], ["a", "b"]], 0),
    ],
)
def test_an_index_is_told_from_a_title_by_the_first_line(rows, lines):
    assert title_lines(rows) == lines
