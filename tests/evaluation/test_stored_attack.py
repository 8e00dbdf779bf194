"""An attack on tables in files: everybody up to a limit, some beyond it, and a refusal by name."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as dc
from discreet.cli.main import _code, app
from discreet.contracts.links import Linked
from discreet.evaluation.stored_attack import SampledLinks
from discreet.measures.risk import linked_sample
from discreet.statistics import question

N = 600


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(5)
    schema = dc.Schema([
        dc.Attribute("x", dc.Numeric(), "key"),
        dc.Attribute("y", dc.Numeric(), "key"),
        dc.Attribute("town", dc.Nominal(("a", "b", "c")), "key"),
    ])  # fmt: skip
    frame = pl.DataFrame({"x": rng.normal(size=N), "y": rng.normal(size=N), "town": rng.choice(["a", "b", "c"], N)})
    moved = frame.with_columns(pl.col("x").round(1), pl.col("y") + rng.normal(scale=0.3, size=N))
    frame.write_parquet(tmp_path / "a.parquet")
    moved.write_parquet(tmp_path / "b.parquet")
    (tmp_path / "s.toml").write_text(schema.to_toml())
    return tmp_path


def tables(files):
    schema = files / "s.toml"
    stored = dc.scan(files / "a.parquet", schema), dc.scan(files / "b.parquet", schema)
    return stored, (dc.read(files / "a.parquet", schema), dc.read(files / "b.parquet", schema))


@pytest.mark.parametrize("linker", ["distance", "probabilistic"])
def test_up_to_the_limit_it_is_the_attack_in_memory(files, linker):
    stored, held = tables(files)
    links, same = dc.attack(*stored, linker), dc.attack(*held, linker)
    assert np.array_equal(links.best, same.best)
    assert links.evaluate().expected == same.evaluate().expected


@pytest.mark.parametrize("parameters", [{}, {"metric": "manhattan"}, {"attributes": ["y", "town"]}])
def test_beyond_it_everybody_who_is_asked_is_found_alike(files, monkeypatch, parameters):
    """As many are asked for as there are: to the last tie the figure of all records."""
    stored, held = tables(files)
    truth = dc.attack(*held, **parameters).evaluate()
    monkeypatch.setattr(question, "MOST_AT_ONCE", 100)
    links = dc.attack(*stored, **parameters)
    assert isinstance(links, SampledLinks)
    assert (links.linked.n, links.evaluate().optimistic) == (N, truth.optimistic)
    assert links.evaluate().expected == pytest.approx(truth.expected)


def test_a_number_that_the_release_has_none_of_is_left_out_alike(files, monkeypatch):
    emptied = pl.read_parquet(files / "b.parquet").with_columns(pl.lit(None, pl.Float64).alias("x"))
    emptied.write_parquet(files / "b.parquet")
    stored, held = tables(files)
    truth = dc.attack(*held, attributes=["y", "town"]).evaluate()
    in_memory, risk = dc.attack(*held), dc.measure(*held, "distance-linkage")[0]
    assert (in_memory.attributes, in_memory.evaluate().expected) == (("y", "town"), truth.expected)
    monkeypatch.setattr(question, "MOST_AT_ONCE", 100)
    links = dc.attack(*stored)
    assert links.attributes == ("y", "town")
    assert links.evaluate().expected == pytest.approx(truth.expected)
    assert dc.measure(*stored, "distance-linkage")[0].value == pytest.approx(risk.value)
    assert risk.value >= 100 * truth.rate - 1e-9


def test_a_sample_is_one_of_the_records_and_its_interval_holds_the_rate(files, monkeypatch):
    stored, held = tables(files)
    truth = dc.attack(*held).evaluate()
    monkeypatch.setattr(question, "MOST_AT_ONCE", 100)
    monkeypatch.setattr(linked_sample, "SAMPLE", 150)
    some = dc.attack(*stored).evaluate()
    assert some.n == 150
    low, high = some.interval()
    assert low <= truth.rate <= high


@pytest.mark.parametrize("linker", ["probabilistic", "masking-aware", "structural"])
def test_who_needs_all_records_says_so_by_name(files, monkeypatch, linker):
    stored, _ = tables(files)
    monkeypatch.setattr(question, "MOST_AT_ONCE", 100)
    method = type(dc.methods("linker")[linker]()).__name__
    with pytest.raises(dc.DiscreetError, match=f"{method} needs all records at once; the files have 600"):
        dc.attack(*stored, linker)


def test_an_assignment_and_several_linkers_need_all_records(files, monkeypatch):
    stored, _ = tables(files)
    monkeypatch.setattr(question, "MOST_AT_ONCE", 100)
    with pytest.raises(dc.DiscreetError, match="needs all records at once"):
        dc.attack(*stored, one_to_one=True)
    with pytest.raises(dc.DiscreetError, match="attack_together needs all records at once"):
        dc.attack_together(*stored)


def command(files, *options):
    paths = [files / "a.parquet", files / "b.parquet", "-s", files / "s.toml"]
    return [str(word) for word in ("attack", *paths, *options)]


def test_the_command_streams_and_says_the_same(files, monkeypatch):
    told = [CliRunner().invoke(app, command(files, "--json", *options)) for options in ((), ("--engine", "streaming"))]
    assert [one.exit_code for one in told] == [0, 0], told[1].output
    assert json.loads(told[0].stdout) == json.loads(told[1].stdout)
    monkeypatch.setattr(question, "MOST_AT_ONCE", 100)
    monkeypatch.setattr(linked_sample, "SAMPLE", 150)
    streamed = CliRunner().invoke(app, command(files, "--engine", "streaming"))
    assert "a sample of 150 of 600 records" in " ".join(streamed.stdout.split())
    both = CliRunner().invoke(app, command(files, "--linker", "combined", "--engine", "streaming"))
    assert both.exit_code != 0


def test_the_command_refuses_what_a_stream_has_not(files, capsys):
    assert _code(command(files, "--engine", "streaming", "--delimiter", ";")) == 2
    assert "--delimiter cannot be used" in capsys.readouterr().err


def test_a_sample_of_links_says_whom_it_speaks_of():
    linked = Linked(3.0, 4, 2, 10, 0.1, np.zeros(10))
    links = SampledLinks(500, 400, ("x",), linked, "distance")
    assert repr(links) == "SampledLinks(10 of 400 records of B to 500 of A by distance)"
    assert links.evaluate() is linked
