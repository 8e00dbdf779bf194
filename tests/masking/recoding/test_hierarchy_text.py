"""Hierarchies in files: what is written is read again, by others too, and what is wrong is named by its line."""

from __future__ import annotations

import csv
import tomllib

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import FileError, ParameterError
from discreet.masking.recoding.hierarchy_text import check_recoding, hierarchy_text, read_rows

NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8).map(str.strip).filter(bool)
AGE = "1: -20\n2: 21-30\n3: 31 - 40, 99\n4: 41-98\n5:100-\n\n<MISSING> 8 9\n<CODELIST>    Age.cdl\n"


@given(st.dictionaries(NAMES, st.sampled_from(["low; mid", 'hi"gh', "any"]), min_size=1, max_size=8))
def test_what_is_written_is_read_again(tmp_path_factory, groups):
    folder = tmp_path_factory.mktemp("trees")
    tree = dc.Hierarchy([(level, group, "*") for level, group in groups.items()])
    for ending in (".csv", ".toml"):
        tree.write(folder / f"tree{ending}")
        assert dc.read_hierarchy(folder / f"tree{ending}").rows == tree.rows
    with (folder / "tree.csv").open(encoding="utf-8", newline="") as file:
        assert [tuple(row) for row in csv.reader(file, delimiter=";")] == list(tree.rows.values())
    assert tomllib.loads((folder / "tree.toml").read_text(encoding="utf-8"))["rows"][0] == list(
        next(iter(tree.rows.values()))
    )


def test_a_file_that_is_there_is_never_written_over(tmp_path):
    tree = dc.Hierarchy([("a", "x")])
    tree.write(tmp_path / "t.csv")
    with pytest.raises(FileError, match="exists already"):
        tree.write(tmp_path / "t.csv")
    with pytest.raises(FileError, match=r"ending '\.xlsx'"):
        tree.write(tmp_path / "t.xlsx")


def test_arx_hierarchies_go_through(data_dir, tmp_path):
    for path in sorted((data_dir / "arx").glob("adult_hierarchy_*.csv")):
        tree = dc.read_hierarchy(path)
        tree.write(tmp_path / path.name)
        assert dc.read_hierarchy(tmp_path / path.name).rows == tree.rows


def test_a_recode_file_of_mu_argus_is_read_for_the_levels_there_are(tmp_path):
    path = tmp_path / "age.grc"
    path.write_text(AGE, encoding="utf-8")
    tree = dc.read_hierarchy(path, levels=[3, 20, 21, 40, 41, 99, 120, "unknown"])
    targets = {level: row[1] for level, row in tree.rows.items()}
    assert targets == {
        "3": "1", "20": "1", "21": "2", "40": "3", "41": "4", "99": "3", "120": "5", "unknown": "unknown"
    }  # fmt: skip
    assert tree.missing == ("8", "9")


def test_open_ranges_overlap_where_they_do():
    with pytest.raises(FileError, match="Lines 1 and 2 of the recode file both recode one code"):
        read_text("1: 1-5\n2: 5-9\n", levels=[5])
    with pytest.raises(FileError, match="Line 2 of the recode file has a range without two whole numbers"):
        read_text("1: 1-5\n2: 6-\n")
    with pytest.raises(FileError, match="Line 1 of the recode file must be NEW: OLD"):
        read_text("nothing\n")
    with pytest.raises(FileError, match="Line 2 of the recode file begins with a word that is not known"):
        read_text("1: 2\n<SECRET> 3\n")
    assert read_text("1: 01-03\n")[0] == [["01", "1"], ["02", "1"], ["03", "1"]]


def read_text(text, levels=None):
    from discreet.masking.recoding.hierarchy_text import read_rows

    return read_rows(text, ".grc", levels)


def test_a_recode_file_is_written_for_one_step(tmp_path):
    tree = dc.Hierarchy([(str(age), f"g{age // 10}", "all") for age in range(8, 23)], missing=("98",))
    tree.write(tmp_path / "age.grc")
    assert (tmp_path / "age.grc").read_text(encoding="utf-8") == "g0: 8-9\ng1: 10-19\ng2: 20-22\n<MISSING> 98\n"
    again = dc.read_hierarchy(tmp_path / "age.grc")
    assert {level: row[1] for level, row in again.rows.items()} == {level: row[1] for level, row in tree.rows.items()}
    assert again.missing == ("98",)
    with pytest.raises(ParameterError, match="step must be between 1 and 2"):
        tree.to_text(".grc", 3)
    with pytest.raises(FileError, match="1 names cannot stand in a recode file"):
        dc.Hierarchy([("a", "x-y")]).to_text(".grc")


def test_numbers_are_recoded_by_a_recode_file(tmp_path):
    (tmp_path / "age.grc").write_text("young: -20\nold: 21-\n", encoding="utf-8")
    schema = dc.Schema([dc.Attribute("age", dc.Numeric(), "key")])
    table = dc.Microdata(pa.table({"age": [3, 20, None, 77]}), schema)
    masked = dc.HierarchyRecoding({"age": tmp_path / "age.grc"}).mask(table)
    assert masked.microdata.column("age").to_pylist() == ["young", "young", None, "old"]
    assert masked.microdata.schema["age"].scale == dc.Ordinal(("young", "old"))


@pytest.mark.parametrize("text", ["rows = 3", "rows = [1, 2]", "x = 1", "rows = [[", "rows = [[{a = 1}]]"])
def test_toml_that_holds_no_rows_is_refused(text, tmp_path):
    (tmp_path / "t.toml").write_text(text, encoding="utf-8")
    with pytest.raises(FileError):
        dc.read_hierarchy(tmp_path / "t.toml")


def test_blanks_of_a_level_are_kept_and_those_around_delimiters_are_not(tmp_path):
    written, typed = tmp_path / "written.csv", tmp_path / "typed.csv"
    rows = [(" Ulm ", "south"), ("Kiel", "north")]
    dc.Hierarchy(rows).write(written)
    assert list(dc.read_hierarchy(written).rows.values()) == rows
    assert list(dc.read_hierarchy(written, [" Ulm ", "Kiel"]).rows.values()) == rows
    typed.write_text("Ulm ; south\nKiel ; north\n")
    assert list(dc.read_hierarchy(typed).rows) == ["Ulm", "Kiel"]
    assert list(dc.read_hierarchy(typed, ["Ulm", "Kiel"]).rows) == ["Ulm", "Kiel"]


# ------------------------------------------------------------------------------------------------------ by hand


@pytest.mark.parametrize(
    ("rule", "codes"),
    [
        ("a", {"a"}),
        ("2", {"2", "02", "2.0"}),
        ("2-10", {"2", "02", "2.0", "10", "7"}),
        ("-7", {"2", "02", "2.0", "7", "1"}),
        ("7-", {"7", "10", "11"}),
        ("b-d", {"b", "c", "d", "bb"}),  # ends that are no numbers: as texts are ordered
        ("c-", {"c", "d", "e", "x1"}),
        ("-b", {"1", "2", "02", "2.0", "7", "10", "11", "a", "b"}),
        ("1-b", {"1", "2", "2.0", "7", "10", "11", "a", "b"}),
        (" 2 - 7 ", {"2", "02", "2.0", "7"}),
    ],
)
def test_which_codes_a_rule_holds(rule, codes):
    every = ["1", "2", "02", "2.0", "7", "10", "11", "a", "b", "bb", "c", "d", "e", "x1"]
    rows, missing = read_text(f"new: {rule}\n", levels=every)
    assert {code for code, target in rows if target == "new"} == codes
    assert all(target in ("new", code) for code, target in rows)
    assert missing == ()


def test_codes_that_rules_say_themselves(monkeypatch):
    monkeypatch.setattr("discreet.masking.recoding.hierarchy_text._MOST_CODES", 100)
    rows, missing = read_text("x: 3,8-10\ny:1\n<missing> 98, 99\n<TREERECODE> t\n")
    assert rows == [["3", "x"], ["8", "x"], ["9", "x"], ["10", "x"], ["1", "y"]]
    assert missing == ("98", "99")
    assert read_text("x: 08-10\n")[0] == [["08", "x"], ["09", "x"], ["10", "x"]]
    assert len(read_text("x: 0-100\n")[0]) == 101
    for text in ("x: 0-101\n", "x: a-c\n", "x: -3\n", "x: 1.5-2\n"):
        with pytest.raises(FileError, match="Line 1 of the recode file has a range without two whole numbers"):
            read_text(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The recode file has no line NEW: OLD"),
        ("<MISSING> 3\n", "The recode file has no line NEW: OLD"),
        ("x: 1\n: 2\n", "Line 2 of the recode file must be NEW: OLD"),
        ("x: 1\n\ny:\n", "Line 3 of the recode file must be NEW: OLD"),
        ("x: 1-2-3\n", "Line 1 of the recode file holds a range that cannot be read"),
        ("x: 1,,2\n", "Line 1 of the recode file holds a range that cannot be read"),
        ("x: -\n", "Line 1 of the recode file holds a range that cannot be read"),
        ("x: 1\ny: 2\nz: 1\n", "Lines 1 and 3 of the recode file both recode one code, to different ones"),
    ],
)
def test_lines_that_cannot_be_read_are_named(text, said):
    with pytest.raises(FileError, match=said):
        read_text(text)


def test_one_code_may_be_recoded_twice_to_the_same():
    assert read_text("x: 1-3\nx: 2\n")[0] == [["1", "x"], ["2", "x"], ["3", "x"]]


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("1: 1-5\n2: 6-9\n", True),
        ("1: 1-5\n2: 5-9\n", False),
        ("1: -5\n2: 3\n", False),
        ("1: 5-\n2: -5\n", False),
        ("1: 5-\n2: -4\n", True),
        ("1: 1-9\n2: 3-4\n", False),
        ("1: 1-9\n1: 3-4\n", True),
    ],
)
def test_recodings_that_contradict_themselves_are_refused_whatever_the_codes(text, good):
    if good:
        check_recoding(text)
        return
    with pytest.raises(FileError, match="Lines 1 and 2 of the recode file both recode one code"):
        check_recoding(text)


@pytest.mark.parametrize(
    ("codes", "text"),
    [
        (["1", "2", "3"], "x: 1-3\n"),
        (["3", "1", "2", "7"], "x: 1-3,7\n"),
        (["0", "1", "9", "5", "6"], "x: 0-1,5-6,9\n"),
        (["01", "02"], "x: 01,02\n"),
        (["1", "b"], "x: 1,b\n"),
        (["8"], "x: 8\n"),
    ],
)
def test_codes_are_written_as_ranges_where_they_follow_on_one_another(codes, text):
    assert hierarchy_text([(code, "x") for code in codes], ".grc", 1, ()) == text


def test_texts_are_written_as_they_are_read():
    rows = [("a;b", 'q"', "*"), ("c", "d", "*")]
    assert hierarchy_text(rows, ".csv", 1, ()) == '"a;b";"q""";*\nc;d;*\n'
    assert hierarchy_text([("a\x7f", "ü")], ".toml", 1, ()) == (
        '# Each row: a level of the data, then its broader names.\nrows = [\n  ["a\\u007f", "ü"],\n]\n'
    )
    with pytest.raises(FileError, match="A hierarchy is not written with the ending 'of no name'"):
        hierarchy_text(rows, "", 1, ())
    with pytest.raises(FileError, match="2 names cannot stand in a recode file of μ-Argus"):
        hierarchy_text([("a:", "b"), ("a:", "b,c")], ".grc", 1, ())
    assert hierarchy_text([("a", "b"), ("c", "d"), ("e", "b")], ".grc", 1, ("8", "9")) == (
        "b: a,e\nd: c\n<MISSING> 8 9\n"
    )


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_the_delimiter_of_the_first_line_is_that_of_all(delimiter):
    text = (
        f"a{delimiter}b{delimiter}c\n\n x {delimiter}y;,{delimiter}z\n"
        if delimiter == "\t"
        else f"a{delimiter}b\nc{delimiter}d\n"
    )
    rows, missing = read_rows(text, ".csv", None)
    assert rows == ([["a", "b", "c"], [" x ", "y;,", "z"]] if delimiter == "\t" else [["a", "b"], ["c", "d"]])
    assert missing == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rows = [[", "The hierarchy is not valid TOML"),
        ("x = 1", "The hierarchy has no list of rows"),
        ("rows = [1]", "The hierarchy has no list of rows"),
        ('rows = [["a"], ["b", []]]', "Row 2 of the hierarchy must hold text and numbers only"),
    ],
)
def test_toml_that_is_refused_says_why(text, said):
    with pytest.raises(FileError, match=said):
        read_rows(text, ".toml", None)
    assert read_rows('rows = [["a", 1, 2.5]]', ".toml", None) == ([["a", "1", "2.5"]], ())


def test_a_range_of_more_than_a_hundred_thousand_codes_is_refused():
    with pytest.raises(FileError, match="Line 2 of the recode file has a range without two whole numbers"):
        read_text("y: 7\nx: 0-100001\n")
