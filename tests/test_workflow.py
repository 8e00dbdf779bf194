from __future__ import annotations

import json

import polars as pl
import pytest
from tests.battery import SCHEMA, sample

import discreet as dc
from discreet import workflow
from discreet.errors import DataError, ParameterError, SchemaError, UnknownNameError
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
