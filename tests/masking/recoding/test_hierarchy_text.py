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
