from __future__ import annotations

import json
from importlib import import_module
from types import SimpleNamespace

import polars as pl
import pytest
from tests.battery import SCHEMA, sample

import discreet as dc
from discreet import workflow
from discreet.datasets import business
from discreet.engines.memory import MemoryEngine
from discreet.engines.streaming import StreamingEngine
from discreet.errors import DataError, ParameterError, SchemaError, SignatureError, UnknownNameError
from discreet.progress import listening


def test_the_whole_sentence(tmp_path):
    workflow.write_dataset("housing", tmp_path / "h.csv", n=300)
    data = dc.read(tmp_path / "h.csv", tmp_path / "h.toml")
    assert data.schema == dc.datasets.housing(300).schema
    masked = dc.protect(data, "mdav", k=4)
    dc.write(masked, tmp_path / "m.csv")
    release = workflow.read_release(tmp_path / "m.csv", data)
    from_file, from_memory = dc.assess(data, release), dc.assess(data, masked)
    assert from_file.score.value == pytest.approx(from_memory.score.value)
    dc.write_report(data, masked, from_memory, html=tmp_path / "r.html", json=tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["assessment"]["n_records"] == 300
    assert "HOUSEHOLD" not in (tmp_path / "m.csv").read_text().splitlines()[0]


def test_the_same_run_twice_is_byte_identical(tmp_path, monkeypatch):
    monkeypatch.setattr("discreet.data.keyed_draws.drawn_seed", lambda: 7)  # no seed is given, so every run has its own
    for name in ("a", "b"):
        workflow.demo(tmp_path / name, n=200)
    for file in ("housing.csv", "housing.toml", "housing-masked.csv", "assessment.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


def test_an_unmasked_file_has_all_the_risk_and_no_loss():
    data = dc.datasets.business(200)
    verdict = dc.assess(data, data, measures=["il1s", "distance-linkage"])
    assert (verdict.score.loss, verdict.score.risk, verdict.score.value) == (0, 100, 50)
    assert verdict["il1s"].value == 0
    with pytest.raises(KeyError):
        verdict["nothing"]
    assert verdict.to_frame().shape == (2, 6)
    assert json.loads(verdict.to_json())["score"]["value"] == 50


def test_the_release_cannot_overwrite_what_it_was_read_from(tmp_path):
    workflow.write_dataset("business", tmp_path / "b.csv", n=50)
    data = dc.read(tmp_path / "b.csv", tmp_path / "b.toml")
    before = (tmp_path / "b.csv").read_bytes()
    with pytest.raises(OSError, match="also an input"):
        dc.write(dc.protect(data, "mdav"), tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_bytes() == before


def test_assess_refuses_what_cannot_be_compared():
    a = dc.microdata(pl.DataFrame({"x": [1.5, 2.5, 3.5]}))
    with pytest.raises(DataError, match="3 records and the masked table 2"):
        dc.assess(a, pl.DataFrame({"x": [1.5, 2.5]}))
    with pytest.raises(SchemaError, match="names no key"):
        dc.assess(dc.microdata(a.to_native(), a.schema.with_roles(x="other")), a)
    # The headline needs no list of measures; the papers' mean has no loss to be made of.
    alone = dc.assess(a, a, measures=["distance-linkage"])
    assert alone.score.loss == 0.0
    assert alone.papers is None
    with pytest.raises(UnknownNameError, match="no measure named 'beauty'"):
        dc.assess(a, a, measures=["beauty"])


def test_parameters_are_read_from_text_by_their_constraints():
    assert workflow.parse_parameters("masker", "mdav", {"k": "5", "attributes": "a, b", "standardise": "range"}) == {
        "k": 5,
        "attributes": ["a", "b"],
        "standardise": "range",
    }
    with pytest.raises(ParameterError, match="MDAV: k must be an integer of at least 2; got 'five'"):
        workflow.parse_parameters("masker", "mdav", {"k": "five"})
    with pytest.raises(ParameterError, match=r"^MDAV: there is no parameter 'blocs'\. Did you mean 'blocks'\?"):
        workflow.parse_parameters("masker", "mdav", {"blocs": "1"})
    with pytest.raises(UnknownNameError, match="no masker named 'magic'"):
        workflow.parse_parameters("masker", "magic", {})


def test_long_work_reports_and_a_listener_can_stop_it():
    data = dc.datasets.business(300)
    labels = set()
    with listening(lambda label, _done, _total: labels.add(label)):
        dc.assess(data, data, measures=["il1s", "distance-linkage"])
    assert {"measuring", "linking"} <= labels

    class StopError(Exception):
        pass

    def stop(*_):
        raise StopError

    with listening(stop), pytest.raises(StopError):
        dc.assess(data, data)


def test_keys_that_were_not_masked_are_named():
    masked = dc.MDAV(k=3).mask(dc.Microdata(sample(), SCHEMA))
    notes = " ".join(masked.provenance.notes)
    assert "size, grade, fuel, owner, visits" in notes
    assert "person" in notes


def test_methods_describe_themselves():
    described = workflow.describe_methods()
    assert described["maskers"]["mdav"]["parameters"]["k"] == "an integer of at least 2"
    assert set(described) == {"maskers", "linkers", "measures"}


def test_a_release_is_read_with_the_schema_of_its_original(tmp_path):
    schema = workflow.write_dataset("housing", tmp_path / "survey.csv", n=50)
    masked = workflow.protect(workflow.read(tmp_path / "survey.csv", schema), "mdav", k=5)
    workflow.write(masked, tmp_path / "release.csv")
    again = workflow.read(tmp_path / "release.csv", schema)
    assert "HOUSEHOLD" not in again.schema
    assert again.schema.keys == masked.microdata.schema.keys


class Recorded:
    """Functions that only note what they were asked."""

    def __init__(self, monkeypatch, *places):
        self.asked = []
        for place in places:
            module, name = place.rsplit(".", 1)
            monkeypatch.setattr(import_module(module), name, self.told(name))

    def told(self, name):
        def call(*values, **options):
            self.asked.append((name, values, options))
            return name

        return call


RUNNING = "discreet.release.running"


@pytest.mark.parametrize("several", [False, True])
def test_a_run_goes_to_whoever_runs_such_tables(monkeypatch, several):
    told = Recorded(monkeypatch, f"{RUNNING}.run_protocol", f"{RUNNING}_tables.run_tables",
                    "discreet.release.stored_run.run_stored")  # fmt: skip
    monkeypatch.setattr(import_module(f"{RUNNING}_tables"), "is_for_tables", lambda _: several)
    streaming = StreamingEngine()
    same = {"folder": "f", "before": False}
    if several:
        assert workflow.run("p.toml", **same) == "run_tables"
        assert told.asked == [("run_tables", ("p.toml",), same)]
        with pytest.raises(ParameterError, match="original is for one table, and the protocol is for several"):
            workflow.run("p.toml", original=business(20))
        for options in ({"block_size": 5}, {"engine": streaming}):
            with pytest.raises(ParameterError, match="several tables are protected in memory, all records together"):
                workflow.run("p.toml", **options)
        assert workflow.run("p.toml", engine=MemoryEngine()) == "run_tables"
        return
    assert workflow.run("p.toml", **same, block_size=7) == "run_protocol"
    assert workflow.run("p.toml", engine=streaming, **same, block_size=7) == "run_stored"
    table = business(20)
    assert workflow.run("p.toml", original=table, engine=MemoryEngine()) == "run_protocol"
    assert told.asked == [
        ("run_protocol", ("p.toml",), {**same, "original": None, "block_size": 7}),
        ("run_stored", ("p.toml", streaming), {**same, "block_size": 7}),
        ("run_protocol", ("p.toml",), {"original": table, "folder": None, "before": True, "block_size": None}),
    ]
    with pytest.raises(ParameterError, match="original is for a table in memory, and the engine for one in files"):
        workflow.run("p.toml", original=table, engine=streaming)
    with pytest.raises(SignatureError, match="run: protocol must be a Protocol or the path of its file; got int"):
        workflow.run(3)


@pytest.mark.parametrize("several", [False, True])
def test_a_check_goes_to_whoever_checks_such_tables(monkeypatch, several):
    told = Recorded(monkeypatch, f"{RUNNING}_tables.check_tables", "discreet.release.checking.check_release")
    monkeypatch.setattr(import_module(f"{RUNNING}_tables"), "is_for_tables", lambda _: several)
    name = "check_tables" if several else "check_release"
    assert workflow.check("p.toml", "masked", folder="f", delimiter=None) == name
    options = {"source": "f"} if several else {"folder": "f", "delimiter": None}
    assert told.asked == [(name, ("p.toml", "masked"), options)]
    if several:
        with pytest.raises(ParameterError, match="check: encoding is for one table, and the protocol is for several"):
            workflow.check("p.toml", "masked", delimiter=None, encoding="latin1")
    with pytest.raises(SignatureError, match="check: masked must be the path of the released file; got int"):
        workflow.check("p.toml", 3)
    with pytest.raises(SignatureError, match="check: protocol must be a Protocol or the path of its file; got int"):
        workflow.check(3, "masked")


def test_the_file_of_a_protocol_is_named_or_it_itself(monkeypatch, tmp_path):
    tables = import_module(f"{RUNNING}_tables")
    path = tmp_path / "p.toml"
    for several, source, expected in (
        (True, None, path),
        (False, None, path),
        (False, SimpleNamespace(file="data.csv"), tmp_path / "data.csv"),
    ):
        monkeypatch.setattr(tables, "is_for_tables", lambda _, several=several: several)
        monkeypatch.setattr(
            import_module(RUNNING), "load_protocol", lambda _, source=source: SimpleNamespace(source=source)
        )
        assert workflow.data_of(str(path)) == expected


def test_an_engine_is_named_and_stopped(monkeypatch):
    with workflow.engine_named("memory", workers=3) as memory, workflow.engine_named("streaming") as streaming:
        assert type(memory) is MemoryEngine
        assert type(streaming) is StreamingEngine
        assert memory.workers == 3
    done = []

    class Spark:
        def __init__(self, master):
            done.append(master)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            done.append("stopped")

        def check_master(self):
            done.append("checked")

    monkeypatch.setattr(import_module("discreet.engines.spark"), "SparkEngine", Spark)
    for master, address in ((None, "local[*]"), ("spark://host:7077", "spark://host:7077")):
        with workflow.engine_named("spark", master) as spark:
            assert type(spark) is Spark
            assert done == [address, "checked"]
        assert done == [address, "checked", "stopped"]
        done.clear()
    with (
        pytest.raises(ParameterError, match="The engine streaming has no master"),
        workflow.engine_named("streaming", "m"),
    ):
        pass
    with pytest.raises(ParameterError, match="must be 'memory', 'streaming' or 'spark'; got 'flink'"):
        workflow.engine_named("flink").__enter__()


def test_what_is_slow_to_load_is_asked_only_when_it_is_called(monkeypatch, tmp_path):
    told = Recorded(monkeypatch, "discreet.evaluation.certifying.certify", "discreet.evaluation.risk_of_file.risk",
                    "discreet.reproduction.sections.compare_papers")  # fmt: skip
    assert workflow.certify("original", "masked", k=3) == "certify"
    assert workflow.risk("data", "schema", k=3) == "risk"
    assert workflow.compare_papers(["p0"], full=True, data="d", store="s", resume=True) == "compare_papers"
    assert told.asked == [
        ("certify", ("original", "masked"), {"k": 3}),
        ("risk", ("data", "schema"), {"k": 3}),
        ("compare_papers", (["p0"],), {"full": True, "data": "d", "store": "s", "resume": True}),
    ]
    monkeypatch.setattr(
        import_module("discreet.reproduction.papers_page"), "render_papers", lambda one: f"page of {one}"
    )
    workflow.write_papers("comparison", tmp_path / "papers.html")
    assert (tmp_path / "papers.html").read_text() == "page of comparison"
    files = import_module("discreet.reproduction.public_files")
    monkeypatch.setattr(files, "PUBLIC", {"iris": 1, "absent": 2, "wdbc": 3})
    monkeypatch.setattr(
        files,
        "DataFolder",
        lambda data: SimpleNamespace(find=lambda name: None if name == "absent" else f"{data}/{name}"),
    )
    assert workflow.paper_files("d") == ["d/iris", "d/wdbc"]
