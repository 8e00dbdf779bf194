"""`protect` and `assess` of files larger than memory: what --engine says, and what the size decides."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as dc
from discreet import workflow
from discreet.cli.main import _code, app
from discreet.data.microdata import table_of_numbers
from discreet.io import stored_parquet

N = 900


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(1)
    columns = {name: np.exp(rng.normal(size=N)) for name in ("x", "y")}
    pl.DataFrame(columns).write_parquet(tmp_path / "big.parquet")
    (tmp_path / "s.toml").write_text(table_of_numbers(columns).schema.to_toml())
    return tmp_path / "big.parquet"


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_a_streamed_file_is_protected_and_assesses(file):
    schema, out = file.with_name("s.toml"), file.with_name("out.parquet")
    told = run(
        "protect", file, "-s", schema, "--k", 5, "--engine", "streaming", "--block-size", 100, "--seed", 1, "-o", out
    )
    assert told.exit_code == 0, told.output
    assert "900 records, streaming" in told.output
    assert pl.read_parquet(out).group_by("x", "y").len()["len"].min() >= 5
    told = run("assess", file, out, "-s", schema, "--engine", "streaming", "--json")
    assert told.exit_code == 0, told.output
    found = json.loads(told.output)
    figures = {m["name"]: m["value"] for m in (*found["risks"], *found["losses"])}
    assert figures["k-anonymity"] == 0.0
    assert 0 < figures["sse"] < 20


def test_a_large_file_is_streamed_and_that_is_said(file, monkeypatch):
    monkeypatch.setattr(stored_parquet, "_SHARE", 0.0)
    schema, out = file.with_name("s.toml"), file.with_name("out.parquet")
    told = run("protect", file, "-s", schema, "--k", 5, "-o", out)
    assert told.exit_code == 0, told.output
    assert "it is streamed, in blocks" in " ".join(told.stderr.split())
    assert out.exists()


def test_a_small_file_stays_in_memory(file):
    told = run("protect", file, "-s", file.with_name("s.toml"), "--k", 5, "-o", file.with_name("out.parquet"), "--json")
    assert told.exit_code == 0
    assert "block_size" not in json.loads(told.output)["details"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "dask"], "--engine must be memory, streaming or spark"),
        (["--master", "local[2]"], "--master belongs to --engine spark"),
        (["--engine", "spark", "--master", "nowhere"], "master must be local"),
        (["--engine", "spark", "--master", "spark://127.0.0.1:9"], "no Spark master answers"),
        (["--engine", "streaming", "--delimiter", ";"], "--delimiter cannot be used"),
        (["--engine", "streaming", "--report", "r.docx"], "A report is written as .html, .pdf or .json"),
    ],
)
def test_bad_options_are_told(file, capsys, options, message):
    pytest.importorskip("pyspark")
    line = ["protect", str(file), "-s", str(file.with_name("s.toml")), "-o", str(file.with_name("out")), *options]
    assert _code(line) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_only_parquet_and_text_are_streamed(tmp_path, capsys):
    path = tmp_path / "x.ndjson"
    path.write_text('{"x": 1}\n{"x": 2}\n')
    assert _code(["protect", str(path), "--engine", "streaming", "-o", str(tmp_path / "o.parquet")]) == 2
    assert "Only Parquet and CSV files" in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_text_is_streamed_as_it_is_masked_in_memory(tmp_path, ending):
    survey = dc.datasets.business(300)
    source, schema = tmp_path / f"a{ending}", tmp_path / "s.toml"
    dc.write(survey, source)
    schema.write_text(survey.schema.to_toml())
    options = ("-s", schema, "--k", 5, "--seed", 1, "--block-size", 100)
    memory, streamed = tmp_path / f"m{ending}", tmp_path / f"s{ending}"
    for engine, out in (("memory", memory), ("streaming", streamed)):
        told = run("protect", source, *options, "--engine", engine, "--delimiter", ",", "-o", out)
        assert told.exit_code == 0, told.output
    assert memory.read_bytes() == streamed.read_bytes()
    figures = []
    for engine in ("memory", "streaming"):
        told = run("assess", source, streamed, "-s", schema, "--engine", engine, "--json")
        assert told.exit_code == 0, told.output
        found = json.loads(told.stdout)
        figures.append({m["name"]: m["value"] for m in (*found["risks"], *found["losses"])})
    assert figures[1] == pytest.approx(figures[0])
    told = run("risk", source, "-s", schema, "--engine", "streaming", "--json")
    assert told.exit_code == 0, told.output


def test_a_large_text_is_streamed_and_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(stored_parquet, "_SHARE", 0.0)
    survey = dc.datasets.business(200)
    dc.write(survey, tmp_path / "a.csv")
    told = run("protect", tmp_path / "a.csv", "--k", 5, "-o", tmp_path / "b.csv")
    assert told.exit_code == 0, told.output
    assert "it is streamed, in blocks" in " ".join(told.stderr.split())
    assert len(dc.read(tmp_path / "b.csv")) == 200


def test_spark_writes_no_text(tmp_path):
    survey = dc.datasets.business(200)
    dc.write(survey, tmp_path / "a.parquet")
    engine = dc.SparkEngine.__new__(dc.SparkEngine)  # no session is needed to say so
    with pytest.raises(ValueError, match="Spark writes a folder"):
        dc.protect(dc.scan(tmp_path / "a.parquet", survey.schema), output=tmp_path / "b.csv", engine=engine)


def test_two_tables_of_different_length_are_refused(file):
    pl.read_parquet(file).head(10).write_parquet(file.with_name("short.parquet"))
    with pytest.raises(ValueError, match="900 records and the masked table 10"):
        dc.assess(*(dc.scan(path, file.with_name("s.toml")) for path in (file, file.with_name("short.parquet"))))


def test_many_records_of_a_csv_are_measured_in_passes(tmp_path, monkeypatch):
    """As for a file of millions, with a lower limit: all measures but linkage are those of the whole table."""
    survey = dc.datasets.business(400)
    survey.to_polars().write_csv(tmp_path / "a.csv")
    (tmp_path / "s.toml").write_text(survey.schema.to_toml())
    assert run("protect", tmp_path / "a.csv", "-s", tmp_path / "s.toml", "-o", tmp_path / "b.csv").exit_code == 0
    whole = run("assess", tmp_path / "a.csv", tmp_path / "b.csv", "-s", tmp_path / "s.toml", "--json")
    monkeypatch.setattr(workflow, "MOST_AT_ONCE", 399)
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 399)
    passes = run("assess", tmp_path / "a.csv", tmp_path / "b.csv", "-s", tmp_path / "s.toml", "--json")
    assert whole.exit_code == passes.exit_code == 0, passes.output
    found = [json.loads(told.stdout) for told in (whole, passes)]
    first, second = ({m["name"]: m["value"] for m in (*one["risks"], *one["losses"])} for one in found)
    assert {"il1s", "means", "distance-linkage"} <= set(second) < set(first)
    for name in second:
        assert second[name] == pytest.approx(first[name], abs=1e-6)
    told = run("assess", tmp_path / "a.csv", tmp_path / "b.csv", "-s", tmp_path / "s.toml")
    assert "linkage is measured on a sample" in " ".join(told.stderr.split())


def test_a_file_is_protected_once_for_each_unit(tmp_path):
    rng = np.random.default_rng(4)
    house = np.sort(rng.integers(0, 60, 200))
    people = pl.DataFrame({"house": house, "rent": rng.normal(900, 200, 60).round()[house]})
    people.write_parquet(tmp_path / "people.parquet")
    schema = dc.Schema([dc.Attribute("house", dc.Numeric(), "identifier"), dc.Attribute("rent", dc.Numeric(), "key")])
    (tmp_path / "s.toml").write_text(schema.to_toml())
    call = ("protect", tmp_path / "people.parquet", "-s", tmp_path / "s.toml", "--k", 4, "--unit", "house", "--seed", 1)
    for engine in ("memory", "streaming"):
        told = run(*call, "--engine", engine, "-o", tmp_path / f"{engine}.parquet")
        assert told.exit_code == 0, told.output
        rents = pl.read_parquet(tmp_path / f"{engine}.parquet")["rent"]
        held = people.with_columns(rent=rents).group_by("rent").agg(pl.col("house").n_unique())
        assert held["house"].min() >= 4
    written = [pl.read_parquet(tmp_path / f"{engine}.parquet") for engine in ("memory", "streaming")]
    assert written[0].equals(written[1])
    script = run(*call, "-o", tmp_path / "o.parquet", "--print-python")
    assert "masked = dc.PerUnit(dc.MDAV(k=4, random_state=1), unit='house').mask(original)" in script.output
    unknown = run(*call[:-4], "--unit", "nowhere", "-o", tmp_path / "n.parquet")
    assert isinstance(unknown.exception, dc.DiscreetError) or unknown.exit_code == 2
    assert not (tmp_path / "n.parquet").exists()


def test_an_assessment_says_the_same_streamed_advice_included(tmp_path):
    rng = np.random.default_rng(5)
    table = pl.DataFrame({"rent": rng.integers(300, 2000, 120), "income": rng.integers(9, 99, 120) * 1000})
    table.write_csv(tmp_path / "t.csv")
    keys = ("--keys", "rent,income")
    assert run("protect", tmp_path / "t.csv", *keys, "--k", 3, "--seed", 1, "-o", tmp_path / "m.csv").exit_code == 0
    told = [
        run("assess", tmp_path / "t.csv", tmp_path / "m.csv", *keys, "--json", "--engine", engine).stdout
        for engine in ("memory", "streaming")
    ]
    assert told[0] == told[1]
    assert "no-confidential" in told[0]
