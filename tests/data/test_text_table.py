"""Tables from plain text files: every cell as the text that stands there."""

from __future__ import annotations

import pytest

from discreet.data.scales import Nominal
from discreet.data.text_table import read_text_table, table_of_texts
from discreet.errors import DataError, FileError


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_the_first_line_names_the_columns_and_an_empty_cell_is_missing(tmp_path, delimiter):
    path = tmp_path / "people.txt"
    lines = [["fuel", "age"], ["oil", " 31 "], ["", "007"], ["gas", " "]]
    path.write_text("\n".join(delimiter.join(line) for line in lines) + "\n\n", encoding="utf-8-sig")
    table = read_text_table(path, "population")
    assert table.to_arrow().to_pydict() == {"fuel": ["oil", None, "gas"], "age": ["31", "007", None]}
    assert [(a.name, a.scale, a.role) for a in table.schema] == [
        ("fuel", Nominal(["gas", "oil"]), "key"),
        ("age", Nominal(["007", "31"]), "key"),
    ]


def test_quoted_cells_hold_the_delimiter(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('a,b\n"x, y",z\n')
    assert read_text_table(path, "population").to_arrow().to_pydict() == {"a": ["x, y"], "b": ["z"]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n1\n1,2,3\n", "has 2 of 3 lines that do not fit its 2 names"),
        ("a,a\n1,2\n", "has 0 of 1 lines that do not fit its 2 names"),
        ("a,b\n", "has 0 of 0 lines that do not fit its 2 names"),
        ("", "has 0 of 0 lines that do not fit its 0 names"),
    ],
)
def test_lines_that_do_not_fit_are_counted(tmp_path, text, said):
    path = tmp_path / "people.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=f"The population '.*people.csv' {said}"):
        read_text_table(path, "population")


def test_what_cannot_be_read_is_named(tmp_path):
    with pytest.raises(FileError, match="The population '.*none.csv' does not exist"):
        read_text_table(tmp_path / "none.csv", "population")
    (tmp_path / "odd.csv").write_bytes(b"a\n\xff\n")
    with pytest.raises(FileError, match="The population '.*odd.csv' cannot be read as UTF-8 text"):
        read_text_table(tmp_path / "odd.csv", "population")


def test_a_column_of_nothing_has_one_level():
    table = table_of_texts({"x": ["", " "], "y": ["b", "a"]})
    assert table.schema["x"].scale == Nominal(["*"])
    assert table.to_arrow().to_pydict() == {"x": [None, None], "y": ["b", "a"]}
