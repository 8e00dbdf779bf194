from __future__ import annotations

import json

import polars as pl
import pytest
from typer.testing import CliRunner

from discreet.cli.main import _code, app

ROWS = {"sex": list("ffmmmm"), "job": list("abaabb"), "hid": [1, 1, 2, 2, 3, 3], "w": [4.0, 5.0, 6.0, 4.5, 5.5, 7.5]}


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    pl.DataFrame(ROWS).write_csv(path)
    return path


def call(*arguments):
    return CliRunner().invoke(app, ["risk", *map(str, arguments)])


def test_one_screen(survey):
    result = call(survey, "--keys", "sex,job", "--weight", "w", "--household", "hid")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Worst case: ")
    assert len([line for line in lines if line]) <= 40
    assert "Alone in the population" in result.stdout
    assert "household, in the population" in result.stdout


def test_json_is_whole_and_alone_on_standard_output(survey):
    result = call(survey, "--keys", "sex,job", "--fraction", "0.1", "--json")
    figures = json.loads(result.stdout)
    assert figures["n_records"] == 6
    assert figures["records_below"] == {"2": 2, "3": 6, "5": 6}
    assert figures["population"] == pytest.approx(60)


def test_a_threshold_that_is_not_met_ends_with_1(survey):
    assert call(survey, "--keys", "sex,job", "--at-most", "50").exit_code == 1
    assert call(survey, "--keys", "sex,job", "--at-most", "70").exit_code == 0  # 4 groups of 6 records


def test_the_page_is_written_and_quiet_shows_the_headline_alone(survey, tmp_path):
    page = tmp_path / "risk.html"
    result = call(survey, "--keys", "sex,job", "--html", page, "--quiet")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 1
    text = page.read_text(encoding="utf-8")
    assert "<svg" in text
    assert "66.67 %" in text


@pytest.mark.parametrize(
    "options",
    [
        ["--keys", "zz"],
        ["--keys", "sex", "--fraction", "7"],
        ["--keys", "sex", "--at-most", "101"],
        ["--keys", "sex", "--html", "survey.txt"],
        ["--keys", "sex", "--population", "2"],
        ["--keys", "sex", "--wanted", "100"],
    ],
)
def test_bad_input_ends_with_2(survey, options, capsys):
    assert _code(["risk", str(survey), *options]) == 2
    assert "Error:" in capsys.readouterr().err


def test_the_data_are_not_written_over(survey, tmp_path):
    page = tmp_path / "data.html"
    page.write_bytes(survey.read_bytes())
    assert _code(["risk", str(page), "--keys", "sex", "--html", str(page)]) == 2
    assert page.read_bytes() == survey.read_bytes()
