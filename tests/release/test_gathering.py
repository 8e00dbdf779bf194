"""Reports of a release in files: those of one in memory, and beyond a limit counts of all with pictures of some."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as dc
from discreet.cli.main import app
from discreet.release import gathering
from discreet.statistics import question

N = 700


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(2)
    region = rng.choice([*"nsw", None], N, p=[0.5, 0.3, 0.19, 0.01])
    frame = pl.DataFrame({
        "id": range(N),
        "region": region,
        "age": rng.integers(18, 90, N).astype(float),
        "wage": np.exp(rng.normal(8, 1, N)).round(),
        "town": [f"t{i}" for i in rng.integers(0, 300, N)],
    })  # fmt: skip
    schema = dc.Schema([
        dc.Attribute("id", dc.Numeric(), "identifier"),
        dc.Attribute("region", dc.Nominal(tuple("nsw")), "stratum"),
        dc.Attribute("age", dc.Numeric(), "key"),
        dc.Attribute("wage", dc.Numeric(), "key"),
        dc.Attribute("town", dc.Nominal(tuple(f"t{i}" for i in range(300))), "confidential"),
    ])  # fmt: skip
    frame.write_parquet(tmp_path / "a.parquet")
    (tmp_path / "s.toml").write_text(schema.to_toml())
    return tmp_path


def protect(folder, engine, *options, out="out.parquet"):
    line = ["protect", folder / "a.parquet", "-s", folder / "s.toml", "--k", 5, "--seed", 3, "--block-size", 200]
    line += ["--engine", engine, "-o", folder / out, *options]
    told = CliRunner().invoke(app, [str(word) for word in line])
    assert told.exit_code == 0, told.output
    return told


def both(folder, name, *options):
    texts = []
    for engine in ("memory", "streaming"):
        path = folder / f"{engine}-{name}"
        protect(folder, engine, *options, path, out=f"{engine}.parquet")
        texts.append(path.read_text())
    return texts


@pytest.mark.parametrize("name", ["external.html", "external.json"])
def test_data_users_read_the_same(folder, name):
    in_memory, streamed = both(folder, name, "--domain", "region", "--external")
    assert in_memory == streamed


def test_the_score_is_that_of_memory(folder):
    scores = []
    for engine in ("memory", "streaming"):
        line = ["protect", folder / "a.parquet", "-s", folder / "s.toml", "-m", "rank-swapping", "--set", "p=5"]
        line += ["--attributes", "age,wage", "--seed", 3, "--engine", engine, "-o", folder / f"{engine}.parquet"]
        told = CliRunner().invoke(app, [str(word) for word in (*line, "--report", folder / "r.json", "--json")])
        assert told.exit_code == 0, told.output
        scores.append(json.loads(told.stdout)["score"])
    assert scores[0] == scores[1]


def test_the_house_reads_the_same_but_for_the_groups(folder):
    in_memory, streamed = map(json.loads, both(folder, "internal.json", "--report"))
    assert in_memory["provenance"].pop("groups")["smallest"] >= 5  # of each record, which a file does not keep
    assert in_memory == streamed


def test_beyond_the_limit_counts_are_of_all_and_pictures_of_some(folder, monkeypatch):
    reports = ["--report", folder / "i.json", "--external", folder / "e.html", "--domain", "region"]
    protect(folder, "streaming", *reports)
    whole = json.loads((folder / "i.json").read_text())
    monkeypatch.setattr(question, "MOST_AT_ONCE", 100)
    monkeypatch.setattr(gathering, "_DRAWN", 150)
    told = protect(folder, "streaming", *reports, "--manifest", folder / "m.json", out="again.parquet")
    some = json.loads((folder / "i.json").read_text())
    assert some["changes"] == whole["changes"]
    assert some["exposure"] is None
    assert "a sample of 150 of 700 records" in some["drawn"]
    assert "drawn" not in whole
    assert "a sample of 150 of 700 records" in (folder / "e.html").read_text()
    assert "the internal report" in " ".join(told.output.split())
    roles = {entry["role"] for entry in json.loads((folder / "m.json").read_text())["files"]}
    assert roles == {"masked", "internal", "external"}


def test_levels_that_tell_records_apart_are_found_in_passes(folder, monkeypatch):
    source = dc.scan(folder / "a.parquet", folder / "s.toml")
    before = gathering._looked(source, source, ["region", "town"], None)
    monkeypatch.setattr(question, "MOST_AT_ONCE", 100)
    after = gathering._looked(source, source, ["region", "town"], None)
    assert set(before.telling) == set(after.telling) == {"town"}
    assert set(before.tally.domains) == set(after.tally.domains) == {"region"}
    assert np.array_equal(before.tally.domains["region"], after.tally.domains["region"])
    assert before.tally.domains["region"][-1, 0] > 0
    assert before.tally.columns == after.tally.columns


def test_a_report_of_a_release_in_files_needs_its_provenance(folder):
    source = dc.scan(folder / "a.parquet", folder / "s.toml")
    written = dc.protect(source, "rounding", base=10, attributes=["wage"], output=folder / "r.parquet")
    release = dc.scan(folder / "r.parquet", written.schema)
    assessment = dc.assess(source, release)
    with pytest.raises(dc.DiscreetError, match="masked must be what a masker gave"):
        dc.write_report(source, release, assessment, json=folder / "r.json")
    dc.write_report(source, release, assessment, json=folder / "r.json", provenance=written.provenance)
    assert json.loads((folder / "r.json").read_text())["provenance"]["method"] == "rounding"


@pytest.mark.parametrize("method", [["-m", "record-order"], ["-m", "sampling", "--set", "share=0.5"]])
def test_records_that_stand_elsewhere_are_compared_with_themselves(folder, method):
    figures = []
    for engine in ("memory", "streaming"):
        line = ["protect", folder / "a.parquet", "-s", folder / "s.toml", *method, "--seed", 3, "--engine", engine]
        line += ["-o", folder / f"{engine}.parquet", "--report", folder / f"{engine}.json"]
        told = CliRunner().invoke(app, [str(word) for word in line])
        assert told.exit_code == 0, told.output
        figures.append(json.loads((folder / f"{engine}.json").read_text()))
    assert figures[0] == figures[1]
    assert all(one["changed"] == 0 for one in figures[1]["changes"] if one["attribute"] != "id")


# ------------------------------------------------------------------------------------------------------- part by part


def test_a_certificate_is_one_sentence_with_a_full_stop():
    assert gathering._sentences(None) == ()
    assert gathering._sentences("every group has 5") == ("Every group has 5.",)
    assert gathering._sentences(SimpleNamespace(sentence="it holds...")) == ("It holds.",)


def test_what_any_intruder_knows_and_losses_cell_by_cell():
    told = [SimpleNamespace(known=known) for known in (("b", "a"), (), ("c", "b"))]
    assert gathering._keys(*told) == ("b", "a", "c")
    losses = [SimpleNamespace(name=name, per_attribute={name: 1.0}) for name in ("il1s", "cell-loss")]
    assert gathering._cell_losses(SimpleNamespace(measurements=losses)) == {"cell-loss": 1.0}
    assert gathering._cell_losses(SimpleNamespace(measurements=losses[:1])) == {}


def test_cells_are_counted_by_strata_unless_domains_are_named():
    schema = dc.Schema([
        dc.Attribute("n", dc.Numeric(), "stratum"), dc.Attribute("s", dc.Nominal(["a"]), "stratum"),
        dc.Attribute("o", dc.Ordinal([1, 2]), "stratum"), dc.Attribute("k", dc.Nominal(["a"]), "key"),
    ])  # fmt: skip
    table = SimpleNamespace(schema=schema)
    assert gathering._domains(table, [], {}) == ["s", "o"]
    assert gathering._domains(table, [], {"s": frozenset()}) == ["o"]
    assert gathering._domains(table, ["k", "s"], {"s": frozenset()}) == ["k"]
    assert gathering.SMALLEST == {"internal": 5, "external": 10}
