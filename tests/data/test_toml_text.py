from __future__ import annotations

import tomllib

import numpy as np
import pytest

from discreet.data.toml_text import Places, check_keys, comment, load_text, parse, table_text, toml_value, whole_number
from discreet.errors import FileError, SchemaError

TEXT = 'seed = 1\n\n[data]\nfile = "x.csv"\n\n[[step]]\nmethod = "mdav"\n[[step]]\n"k" = 3\n'


def test_tables_in_tables_come_back():
    fields = {"method": "rounding", "base": {"A B": 5, "deep": {"x.y": [1, 2]}}, "names": ["a"]}
    assert tomllib.loads(table_text("[[step]]", fields)) == {"step": [fields]}


@pytest.mark.parametrize(
    ("table", "index", "key", "line"),
    [
        ("", 0, "seed", 1),
        ("data", 0, "", 3),
        ("data", 0, "file", 4),
        ("step", 1, "k", 9),
        ("step", 1, "gone", 8),
        ("step", 2, "", 0),
        ("", 0, "data", 3),
    ],
)
def test_lines_of_tables_and_keys(table, index, key, line):
    assert Places(TEXT).line(table, index, key) == line


def test_a_part_of_the_text_has_its_own_tables():
    text = "[[table]]\n[table.data]\nfile = 1\n[[table]]\n[table.data]\nfile = 2\n"
    assert Places(text, "table.", 4).line("data", 0, "file") == 6
    assert Places(text, "table.", 1, 3).line("data", 1) == 0


def test_a_key_that_does_not_belong_is_refused_with_its_line():
    with pytest.raises(SchemaError) as caught:
        check_keys({"file": "x", "fiel": 1}, ("file",), "[data]", Places(TEXT + "[other]\nfiel = 1"), "other")
    assert caught.value.message == "Line 11: [data] has an unknown key 'fiel'. Did you mean 'file'?"
    assert caught.value.hint == "Known: file."
    with pytest.raises(SchemaError, match="must be a table"):
        check_keys([], ("file",), "[data]", Places(""), "data")


@pytest.mark.parametrize("text", ["a = ", "a = " + "[" * 5000, "a = " + "9" * 5000])
def test_what_is_no_toml_is_refused_in_our_own_words(text):
    with pytest.raises(SchemaError, match="^The schema is n"):
        parse(text, "schema")


def test_a_value_of_the_text_is_not_quoted():
    with pytest.raises(SchemaError) as caught:
        parse("a = 'Smith'\na = 'Smith'", "schema")
    assert "Smith" not in str(caught.value)


@pytest.mark.parametrize("value", [None, [None], float("nan"), {"x": [float("inf")]}, object(), b"x"])
def test_what_toml_cannot_hold_is_refused(value):
    with pytest.raises(SchemaError, match="cannot be written into a protocol"):
        toml_value(value)


def test_values_that_it_can_hold():
    assert toml_value({"a": (np.int64(1), 0.5, True, "x"), 2: np.ones(2)}) == {
        "a": [1, 0.5, True, "x"],
        "2": [1.0, 1.0],
    }


def test_large_numbers_and_comments():
    assert (whole_number(2**63 - 1), whole_number(2**63)) == (str(2**63 - 1), f'"{2**63}"')
    assert comment("") == ""
    assert comment("one\n\ntwo\x00") == "# one\n#\n# two�\n"


def test_a_file_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(FileError, match="The plan .* does not exist. Hint: Make one."):
        load_text(tmp_path / "x.toml", "plan", hint="Make one.")
    (tmp_path / "x.toml").write_bytes(b"\xff")
    with pytest.raises(FileError, match="The plan .* cannot be read as UTF-8 text"):
        load_text(tmp_path / "x.toml", "plan")
