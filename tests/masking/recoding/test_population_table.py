"""How many people live where: codes of any length, and files as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.errors import FileError, ParameterError
from discreet.masking.recoding.population_table import PopulationSource, population_by_prefix


def test_codes_are_added_up_by_their_beginning():
    people = {"10001": 21_000, 10002: 81_000, " 36 ": 14_000, "03699": 1, "A1B2": 5, "A": 2}
    assert population_by_prefix(people, 3) == {"100": 102_000.0, "036": 14_001.0, "A1B": 5.0, "A": 2.0}
    assert population_by_prefix(people, 1) == {"1": 102_000.0, "3": 14_000.0, "0": 1.0, "A": 7.0}


@pytest.mark.parametrize(
    "text",
    [
        "100,102000\n036,14000.5\n",
        "code;people\n100;102000\n\n036; 14000.5 \n",
        "\ufeffzip\tpeople\n100\t102000\n 036 \t14000.5\n",
        "100,102000.\n036,14000.5",
    ],
)
def test_files_are_read_with_and_without_a_first_line(tmp_path, text):
    path = tmp_path / "people.csv"
    path.write_text(text, encoding="utf-8")
    for source in (path, str(path)):
        assert population_by_prefix(source, 3) == {"100": 102_000.0, "036": 14_000.5}


@pytest.mark.parametrize(
    ("text", "unfit", "lines"),
    [
        ("", 0, 0),
        ("code,people\n", 0, 0),
        ("100,5\n036\n", 1, 2),
        ("100,5\n,7\n", 1, 2),
        ("100,5\n036,-7\n200,many\n", 2, 3),
        ("100,5,6\n", 1, 1),
    ],
)
def test_lines_that_do_not_fit_are_counted(tmp_path, text, unfit, lines):
    path = tmp_path / "people.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match=f"has {unfit} of {lines} lines without a code and a number"):
        population_by_prefix(path, 3)


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(FileError, match=r"The population file '.*none\.csv' does not exist"):
        population_by_prefix(tmp_path / "none.csv", 3)
    (tmp_path / "odd.csv").write_bytes(b"\xff\xfe1")
    with pytest.raises(FileError, match=r"The population file '.*odd\.csv' cannot be read as UTF-8 text"):
        population_by_prefix(tmp_path / "odd.csv", 3)
    with pytest.raises(FileError, match="cannot be read as UTF-8 text"):
        population_by_prefix(tmp_path, 3)


def test_paths_are_those_of_the_folder_of_the_protocol():
    source = PopulationSource()
    assert source.read("people.csv", "survey") == str(Path("survey") / "people.csv")
    assert source.read(Path("people.csv")) == "people.csv"
    assert source.read({"100": 5}, "survey") == {"100": 5}
    assert source.accepts({"100": 5})
    assert source.accepts("people.csv")
    assert not source.accepts({"100": -5})
    assert not source.accepts(7)
