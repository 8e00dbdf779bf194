"""A protocol on a file that is streamed: the release and the figures of one in memory, or a refusal by name."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as dc
from discreet.cli.main import _code, app
from discreet.contracts.masked import Provenance
from discreet.contracts.run_masker import Written
from discreet.data.cleaning import released_schema
from discreet.errors import FileError, ParameterError, SchemaError
from discreet.io.stored_parquet import ParquetTarget
from discreet.release import stored_run
from discreet.release.stored_run import MaskedFiles
from discreet.statistics import question

N = 600
SCHEMA = dc.Schema([
    dc.Attribute("id", dc.Numeric(), "identifier"),
    dc.Attribute("house", dc.Numeric(), "identifier"),
    dc.Attribute("region", dc.Nominal(("n", "s", "w", "nowhere")), "key"),
    dc.Attribute("age", dc.Numeric(), "key"),
    dc.Attribute("rent", dc.Numeric(), "key"),
    dc.Attribute("wage", dc.Numeric(), "confidential"),
])  # fmt: skip
STEPS = [
    dc.release.Step("top-coding", {"share": 0.1, "attributes": ["age"]}),
    dc.release.Step("pram", {"theta": 0.9, "attributes": ["region"]}),
    dc.release.Step("mdav", {"k": 5, "attributes": ["age", "rent"]}),
]
UNIT = [dc.release.Step("mdav", {"k": 4, "attributes": ["rent"]}, unit="house"), STEPS[0]]


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(8)
    house = np.sort(rng.integers(0, 250, N))
    frame = pl.DataFrame({
        "id": range(N),
        "house": house,
        "region": rng.choice(["n", "s", "w"], N),
        "age": rng.integers(18, 95, N),
        "rent": (rng.normal(900, 200, 250).round())[house],
        "wage": np.exp(rng.normal(8, 1, N)).round(),
    })  # fmt: skip
    frame.write_parquet(tmp_path / "a.parquet")
    return tmp_path / "a.parquet"


def protocol(data, steps=STEPS, **parts):
    parts = {"thresholds": {"loss_at_most": 60.0}, "release": {}, "scenarios": (), **parts}
    plan = dc.Protocol(SCHEMA, steps, seed=7, source=dc.release.Source(data.name), **parts)
    path = data.with_name("p.toml")
    path.write_text(plan.to_toml())
    return path


@pytest.mark.parametrize("steps", [STEPS, STEPS[2:], UNIT, UNIT[::-1]], ids=["three", "one", "unit", "unit-later"])
def test_a_chain_of_files_is_that_of_memory(data, steps):
    chain = dc.Chain(steps, seed=3)
    held = chain.mask(dc.read(data, SCHEMA), block_size=150)
    target = ParquetTarget(data.with_name("out.parquet"))
    written = chain.mask_into(dc.scan(data, SCHEMA), target, dc.StreamingEngine(), 150)
    assert pl.read_parquet(data.with_name("out.parquet")).equals(held.microdata.to_polars())
    assert written.provenance.changed == held.provenance.changed
    assert written.provenance.guarantees == held.provenance.guarantees
    assert written.provenance.removed == held.provenance.removed
    assert written.provenance.parameters == held.provenance.parameters
    assert written.schema == held.microdata.schema


def test_the_run_is_that_of_memory(data):
    linkers = ("distance", "probabilistic", "masking-aware")
    intruders = [dc.Intruder("neighbour", ("age", "region"), linkers), dc.Intruder("landlord", ("rent",), linkers)]
    path = protocol(data, scenarios=intruders, release={"masked": "m.parquet", "external": "e.html", "json": "i.json"})
    told = []
    for engine in ("memory", "streaming"):
        folder = data.parent / engine
        line = ["run", path, "-o", folder, "--engine", engine, "--block-size", 150, "--json"]
        result = CliRunner().invoke(app, [str(word) for word in line])
        assert result.exit_code == 0, result.output
        told.append(json.loads(result.stdout))
    # Who knows the masking also knows, in memory alone, which records were grouped; the run says that he was not told.
    known = [one["headline"]["ingredients"].pop("masking-aware linkage") for one in told]
    assert 0 < known[1] <= known[0]
    assert told[1]["advice"].pop()["code"] == "groups-not-known"
    for name in ("met", "verdicts", "scenarios", "headline", "advice"):
        assert told[0][name] == told[1][name], name
    first, second = (data.parent / engine for engine in ("memory", "streaming"))
    assert pl.read_parquet(first / "m.parquet").equals(pl.read_parquet(second / "m.parquet"))
    for name in ("m.toml", "e.html"):
        assert (first / name).read_text() == (second / name).read_text()
    assert "nowhere" not in (second / "m.toml").read_text()


def test_beyond_the_limit_every_scenario_is_assessed(data, monkeypatch):
    intruders = [dc.Intruder("neighbour", ("age", "region")), dc.Intruder("landlord", ("rent",))]
    path = protocol(data, scenarios=intruders, thresholds={"smallest_group": 2})
    whole = dc.run(path, engine=dc.StreamingEngine(), block_size=150)
    monkeypatch.setattr(question, "MOST_AT_ONCE", 100)
    some = dc.run(path, engine=dc.StreamingEngine(), block_size=150)
    for name in ("neighbour", "landlord"):
        assert some.after[name].known == whole.after[name].known
        mine, theirs = ({m.name: m.value for m in run.after[name].of_kind("risk")} for run in (some, whole))
        assert mine["k-anonymity"] == theirs["k-anonymity"]
        # As many are asked for as there are records.
        assert mine["distance-linkage"] == pytest.approx(theirs["distance-linkage"])
        assert some.after[name].unmasked.risk == pytest.approx(whole.after[name].unmasked.risk)
    assert [verdict.value for verdict in some.verdicts] == [verdict.value for verdict in whole.verdicts]
    paths = some.write(data.parent / "out")
    assert pl.read_parquet(paths["masked"]).height == N


def test_a_step_that_needs_all_records_is_named(data, monkeypatch, capsys):
    steps = [STEPS[0], dc.release.Step("balanced-kmodes", {"k": 5, "attributes": ["region"]})]
    line = [
        "run",
        str(protocol(data, steps)),
        "--engine",
        "streaming",
        "--block-size",
        "150",
        "-o",
        str(data.parent / "o"),
    ]
    assert _code(line) == 2
    message = " ".join(capsys.readouterr().err.split())
    assert "Step 2 (balanced-kmodes)" in message
    assert "needs all records at once" in message
    assert not (data.parent / "o").exists()
    monkeypatch.setattr(question, "MOST_AT_ONCE", 100)
    assert _code([*line[:1], str(protocol(data, UNIT)), *line[2:]]) == 2
    assert "Step 1 (mdav): Masking once for each 'house' needs all" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"release": {"masked": "m.sav"}}, "is a Parquet or CSV file"),
        ({"source": "a.ndjson"}, "Only Parquet and CSV files"),
        ({"delimiter": ";"}, "delimiter cannot be used"),
    ],
)
def test_what_a_stream_cannot_is_said_before_work(data, parts, message, capsys):
    (data.with_name("a.ndjson")).write_text('{"id": 1}\n')
    path = protocol(data, release=parts.get("release", {}))
    source = dc.release.Source(parts.get("source", data.name), delimiter=parts.get("delimiter"))
    plan = dc.Protocol.load(path)
    path.write_text(dc.Protocol(plan.schema, plan.steps, seed=1, source=source, release=plan.release).to_toml())
    assert _code(["run", str(path), "--engine", "streaming"]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert sorted(one.name for one in data.parent.iterdir()) == ["a.ndjson", "a.parquet", "p.toml"]


def test_a_protocol_on_text_is_that_of_memory(data):
    frame = pl.read_parquet(data).with_columns(pl.col("wage").map_elements(lambda w: f"{w:.2f}", pl.String))
    source = data.with_name("a.csv")
    frame.write_csv(source, separator=";")
    path = protocol(source, release={"masked": "m.csv"})
    for engine in ("memory", "streaming"):
        line = ["run", path, "-o", data.parent / engine, "--engine", engine, "--block-size", 150]
        result = CliRunner().invoke(app, [str(word) for word in line])
        assert result.exit_code == 0, result.output
    memory, streamed = ((data.parent / engine / "m.csv").read_text() for engine in ("memory", "streaming"))
    assert memory == streamed
    assert f";{frame['wage'][0]}\n" in streamed


def test_the_temporary_release_is_gone_with_the_run(data, monkeypatch, tmp_path):
    (tmp_path / "t").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    run = dc.run(protocol(data, STEPS[:1]), engine=dc.StreamingEngine(), before=False)
    assert [one.name for one in (tmp_path / "t").glob("*/masked.parquet")] == ["masked.parquet"]
    run.place.close()
    assert not list((tmp_path / "t").iterdir())


def test_the_released_schema_of_batches_is_that_of_the_table(data):
    table = dc.read(data, SCHEMA)
    masked = dc.protect(table, "rounding", base=10, attributes=["wage"])
    dc.write(masked, data.with_name("m.parquet"))
    stored = dc.scan(data.with_name("m.parquet"), masked.microdata.schema)
    files = MaskedFiles(stored, masked.provenance)
    assert files.schema == released_schema(masked.microdata) == masked.schema


@pytest.mark.parametrize(
    ("source", "release", "error", "message"),
    [
        (None, {}, SchemaError, "The protocol names no data"),
        (dc.release.Source("a.parquet", delimiter=";"), {}, ParameterError, r"\[data\]: delimiter cannot be used"),
        (dc.release.Source("a.parquet", header=False), {}, ParameterError, r"\[data\]: header cannot be used"),
        (dc.release.Source("a.parquet"), {"masked": "m.sav"}, FileError, "is a Parquet or CSV file"),
        (dc.release.Source("a.csv", sequence="x"), {}, ParameterError, "sequence cannot be set for this file"),
    ],
)
def test_what_a_stream_cannot_is_refused_by_name(data, source, release, error, message):
    pl.read_parquet(data).write_csv(data.with_suffix(".csv"))
    plan = dc.Protocol(SCHEMA, STEPS, source=source, release=release)
    with pytest.raises(error, match=message):
        stored_run._scanned(plan, data.parent)


def test_the_file_that_a_protocol_names_is_opened_as_it_says(data):
    pl.read_parquet(data).write_csv(data.with_suffix(".csv"), separator=";")
    for source, masked in (
        (dc.release.Source("a.parquet"), {}), (dc.release.Source("a.parquet"), {"masked": "m.pq"}),
        (dc.release.Source("a.parquet"), {"masked": "m.csv.gz"}), (dc.release.Source("a.csv", delimiter=";"), {}),
    ):  # fmt: skip
        found = stored_run._scanned(dc.Protocol(SCHEMA, STEPS, source=source, release=masked), data.parent)
        assert (len(found), found.schema) == (N, SCHEMA)


def test_groups_are_unknown_where_a_grouping_step_kept_none():
    def step(method, labels=None):
        return Provenance(method, {}, (), 3, labels=labels)

    labels = np.zeros(3, dtype=np.int64)
    cases = [
        ((), False), ((step("mdav"),), True), ((step("mdav", labels),), False), ((step("pram"),), False),
        ((step("mdav", labels), step("mdav")), True), ((step("own method"), step("top-coding")), False),
    ]  # fmt: skip
    for history, unknown in cases:
        assert stored_run._groups_unknown(Provenance("chain", {}, (), 3, history=history)) is unknown


def test_a_release_in_files_is_compared_record_by_record(data, tmp_path):
    source = dc.scan(data, SCHEMA)
    pl.read_parquet(data).drop("id", "house").write_parquet(tmp_path / "m.parquet")
    schema = SCHEMA.select(["region", "age", "rent", "wage"])
    plain = Written(Provenance("mdav", {}, ("age",), N), schema)
    original, release = stored_run.stored_release(source, tmp_path / "m.parquet", plain)
    assert original is source
    assert (len(release), release.schema) == (N, schema)
    files = MaskedFiles(release, plain.provenance)
    assert (len(files), repr(files)) == (N, f"MaskedFiles({N} records by mdav: age)")
    assert sum(map(len, files.batches())) == N
    moved = Written(Provenance("record-order", {}, (), N, rows=np.arange(N)[::-1]), schema)
    original, release = stored_run.stored_release(source, tmp_path / "m.parquet", moved)
    assert isinstance(original, dc.Microdata)
    assert original.names == SCHEMA.names
    assert (len(release), release.provenance) == (N, moved.provenance)
    held = MaskedFiles(release, moved.provenance)
    assert [len(one) for one in held.batches()] == [N]
    assert held.schema == files.schema == released_schema(release.microdata)
    assert held.schema["region"].scale.levels == ("n", "s", "w")
    stored_run.copy_release(files, tmp_path / "copy.csv", [])
    assert pl.read_csv(tmp_path / "copy.csv").equals(
        pl.read_csv(pl.read_parquet(tmp_path / "m.parquet").write_csv().encode())
    )
    with pytest.raises(FileError, match="also an input"):
        stored_run.copy_release(files, tmp_path / "copy.csv", [tmp_path / "copy.csv"])


def test_a_run_in_files_says_how_many_thresholds_are_met():
    provenance = Provenance("mdav", {}, ("age", "rent"), 600)
    masked = MaskedFiles([1] * 600, provenance)
    assert (len(masked), repr(masked)) == (600, "MaskedFiles(600 records by mdav: age, rent)")
    verdicts = tuple(SimpleNamespace(met=met) for met in (True, False, True))
    done = stored_run.StoredRun(None, None, masked, {}, {}, verdicts, None)
    assert (done.met, repr(done)) == (False, f"StoredRun({masked!r}; 2 of 3 thresholds met)")
    assert stored_run.StoredRun(None, None, masked, {}, {}, verdicts[:1], None).met


def test_a_stream_that_kept_no_groups_is_remarked_upon(monkeypatch):
    asked = []
    monkeypatch.setattr(stored_run, "advise", lambda *parts, **named: asked.append((parts, named)) or ("first",))
    monkeypatch.setattr(stored_run, "advise_thresholds", tuple)
    monkeypatch.setattr(stored_run, "met_unmasked", lambda after, thresholds, before: [after, thresholds, before])
    monkeypatch.setattr(stored_run, "worst_of", lambda after: ("worst", f"{after} at its worst"))
    for grouped in (True, False):
        monkeypatch.setattr(stored_run, "_groups_unknown", lambda _, grouped=grouped: grouped)
        masked = MaskedFiles("table", Provenance("mdav", {}, (), 6))
        plan = SimpleNamespace(thresholds="limits")
        done = stored_run.StoredRun(plan, "original", masked, "before", "after", (), None)
        remark = [stored_run._NO_GROUPS] if grouped else []
        assert done.advice == ("first", *remark, "after", "limits", "before")
    told = (("original", "table", "after at its worst"), {"provenance": masked.provenance})
    assert [(parts, list(named)) for parts, named in asked] == [(told[0], ["provenance"])] * 2


def test_a_release_in_files_is_copied_with_its_promises(monkeypatch, tmp_path):
    written = []
    target = SimpleNamespace(write=written.append)
    monkeypatch.setattr(stored_run, "target_of", lambda *parts: written.append(parts) or target)
    table = SimpleNamespace(batches=lambda size: f"batches of {size}")
    masked = MaskedFiles(table, SimpleNamespace(guarantees=("promise",)))
    stored_run.copy_release(masked, tmp_path / "a.csv", ["in.csv"])
    assert written == [(tmp_path / "a.csv", ["in.csv"]), "batches of 131072"]
    assert target.guarantees == ("promise",)
