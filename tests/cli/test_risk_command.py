from __future__ import annotations

import contextlib
import json
from pathlib import Path
from types import SimpleNamespace as Namespace

import polars as pl
import pytest
from typer.testing import CliRunner

from discreet import workflow
from discreet.cli import risk_command
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


@pytest.fixture
def asked(monkeypatch):
    """What is asked of the library, without a file."""
    calls = []

    def stand_in(owner, name, answer=None):
        monkeypatch.setattr(owner, name, lambda *values, **how: calls.append((name, *values, how)) or answer)

    @contextlib.contextmanager
    def opened(name, *values, **options):
        calls.append((name, *values, options))
        yield "where"

    result = Namespace(value=12.5, lines=lambda: ["First [line].", "Second."], to_dict=lambda: {"worst": 12.5})
    for name, answer in (("read", Namespace(schema="read")), ("scan", Namespace(schema="scanned")), ("risk", result),
                         ("write_risk", None), ("check_outputs", None)):  # fmt: skip
        stand_in(workflow, name, answer)
    monkeypatch.setattr(workflow, "engine_named", lambda *values: opened("engine", *values))
    monkeypatch.setattr(workflow, "written_together", lambda *values, **how: opened("together", *values, **how))
    monkeypatch.setattr(risk_command, "progress", lambda **options: opened("bars", **options))
    stand_in(risk_command, "tell_inferred")
    return calls, stand_in, result


TYPED = ["--delimiter", ";", "--encoding", "latin1"]


def test_a_risk_is_asked_for_as_typed(asked, capsys):
    calls, _, result = asked
    command = ["risk", "a.csv", "-s", "s.toml", *TYPED, "--fraction", "0.5", "--html", "r.HTM"]
    assert _code(command) == 0
    assert capsys.readouterr() == ("First [line].\nSecond.\n", "")
    html = Path("r.HTM")
    (data,) = {call[1] for call in calls if call[0] == "read"}
    assert data == Path("a.csv")
    assert calls[:5] == [
        ("check_outputs", [html], [data], {}),
        ("bars", {"quiet": False, "verbose": False}),
        ("engine", "memory", None, {}),
        ("read", data, Path("s.toml"), {"delimiter": ";", "encoding": "latin1"}),
        calls[4],
    ]
    name, table, how = calls[4]
    assert (name, table.schema, how["fraction"], how["engine"]) == ("risk", "read", 0.5, "where")
    assert calls[5:] == [
        ("together", [html], [data], {"last": True}),
        ("write_risk", result, html, {"title": "a.csv"}),
        ("tell_inferred", "read", {"quiet": False}),
    ]


def test_a_file_that_is_streamed_is_scanned(asked, capsys):
    calls, stand_in, _ = asked
    stand_in(risk_command, "engine_of", "streaming")
    stand_in(risk_command, "streamed_layout", {"sep": ";"})
    assert _code(["risk", "a.csv", *TYPED, "--engine", "e", "--master", "m", "--quiet"]) == 0
    assert capsys.readouterr() == ("First [line].\n", "")
    assert calls[:5] == [
        ("engine_of", Path("a.csv"), "e", "m", {"quiet": True}),
        ("streamed_layout", Path("a.csv"), {"delimiter": ";", "encoding": "latin1"}),
        ("bars", {"quiet": True, "verbose": False}),
        ("engine", "streaming", "m", {}),
        ("scan", Path("a.csv"), None, {"sep": ";"}),
    ]
    assert calls[-1] == ("tell_inferred", "scanned", {"quiet": True})


@pytest.mark.parametrize(("most", "code"), [("12.5", 0), ("12.4", 1), ("0", 1), ("100", 0), ("-0.1", 2), ("100.1", 2)])
def test_a_risk_may_be_as_large_as_the_most(asked, capsys, most, code):
    assert _code(["risk", "a.csv", "--at-most", most, "--quiet"]) == code
    said = capsys.readouterr().err
    if code == 1:
        assert said == f"The worst case, 12.50 %, is above {most} %.\n"
        assert _code(["risk", "a.csv", "--at-most", most, "--json"]) == 1
        shown = capsys.readouterr()
        assert (json.loads(shown.out), shown.err) == ({"worst": 12.5}, "")
    elif code == 2:
        assert "between 0 and 100" in said
    else:
        assert said == ""
