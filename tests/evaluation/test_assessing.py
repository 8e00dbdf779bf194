"""The verbs on ready methods and on tables in files: what is handed to them is used, or refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.evaluation.assessing import _without_all, engine_for

SCHEMA = dc.Schema(
    [
        dc.Attribute("a", dc.Numeric(), "key"),
        dc.Attribute("g", dc.Nominal(["x", "y", "z"]), "key"),
    ]
)


@pytest.fixture
def frame():
    rng = np.random.default_rng(3)
    return pl.DataFrame({"a": np.round(rng.lognormal(3, 1, 200), 2), "g": rng.choice(["x", "y", "z"], 200)})


@pytest.fixture
def stored(frame, tmp_path):
    frame.write_parquet(tmp_path / "in.parquet")
    return dc.scan(tmp_path / "in.parquet", SCHEMA)


def test_parameters_beside_a_ready_method_are_refused(frame):
    with pytest.raises(dc.errors.ParameterError, match="MDAV has its parameters already; k cannot be given beside it"):
        dc.protect(frame, dc.MDAV(k=3), k=50)
    with pytest.raises(dc.errors.ParameterError, match="DistanceLinkage has its parameters already; atributes"):
        dc.attack(frame, frame, dc.DistanceLinkage(), atributes=["a"])


@pytest.mark.parametrize("method", ["sampling", "record-order"])
def test_records_that_stand_elsewhere_are_not_counted_as_changed(frame, stored, tmp_path, method):
    written = dc.protect(stored, method, output=tmp_path / "out.parquet", random_state=1)
    in_memory = dc.protect(dc.microdata(frame, SCHEMA), method, random_state=1)
    assert written.provenance.changed == in_memory.provenance.changed == {}
    assert pl.read_parquet(tmp_path / "out.parquet").equals(in_memory.to_native())


def test_where_the_tables_lie_does_not_matter_to_the_headline(frame, stored, tmp_path):
    masked = dc.protect(dc.microdata(frame, SCHEMA), "pram", random_state=1)
    masked.to_native().write_parquet(tmp_path / "masked.parquet")
    release = dc.scan(tmp_path / "masked.parquet", masked.microdata.schema)
    risks = {dc.assess(original, release).score.risk for original in (dc.microdata(frame, SCHEMA), stored)}
    assert risks == {dc.assess(dc.microdata(frame, SCHEMA), masked.microdata).score.risk}


def test_a_file_that_changed_since_it_was_scanned_is_refused(frame, stored, tmp_path):
    frame.head(100).write_parquet(tmp_path / "in.parquet")
    with pytest.raises(dc.errors.DataError, match="had 200 records and has 100 now"):
        dc.protect(stored, "additive-noise", output=tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_a_damaged_file_is_told_in_our_words(frame, tmp_path):
    frame.write_parquet(tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "damaged.parquet").write_bytes(content[:4] + bytes(400) + content[404:])
    with pytest.raises(dc.errors.FileError, match="is not a Parquet file that can be read"):
        dc.protect(dc.scan(tmp_path / "damaged.parquet", SCHEMA), "additive-noise", output=tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_no_block_is_no_size_of_a_block(stored, tmp_path):
    with pytest.raises(dc.errors.ParameterError, match="block_size must be None or an integer of at least 8; got 0"):
        dc.protect(stored, "mdav", output=tmp_path / "out.parquet", block_size=0)


@pytest.fixture
def table(frame):
    return dc.microdata(frame, SCHEMA)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"output": "out.parquet"}, "output is for a stored table"),
        ({"stored": True}, "a stored table needs a place for its release"),
        ({"stored": True, "output": "out.parquet", "schema": SCHEMA}, "a stored table has its schema already"),
        (
            {"stored": True, "output": "out.parquet", "engine": dc.MemoryEngine()},
            "engine must be one for tables in files",
        ),
    ],
)
def test_what_does_not_fit_a_table_is_refused(table, stored, tmp_path, given, sentence):
    options = {name: value for name, value in given.items() if name != "stored"}
    if "output" in options:
        options["output"] = tmp_path / options["output"]
    with pytest.raises(dc.errors.ParameterError, match=sentence):
        dc.protect(stored if given.get("stored") else table, "mdav", k=3, **options)
    assert not (tmp_path / "out.parquet").exists()


def test_a_release_in_files_has_the_counts_of_one_in_memory(table, stored, tmp_path):
    in_memory = dc.protect(table, "rank-swapping", p=5.0, random_state=1)
    written = dc.protect(stored, "rank-swapping", p=5.0, random_state=1, output=tmp_path / "out.parquet")
    assert written.provenance.changed == in_memory.provenance.changed
    assert set(written.provenance.changed) == set(in_memory.provenance.attributes)
    text = dc.protect(stored, "rank-swapping", p=5.0, random_state=1, output=tmp_path / "out.csv")
    assert text.provenance.changed == in_memory.provenance.changed
    assert text.schema == written.schema


def test_what_was_not_counted_while_it_was_written_is_counted_afterwards(stored, tmp_path, monkeypatch):
    whole = dc.RankSwapping.mask_into

    def uncounted(self, *given):
        written = whole(self, *given)
        return type(written)(replace(written.provenance, changed={}), *written[1:])

    counted = dc.protect(stored, dc.RankSwapping(p=5.0, random_state=1), output=tmp_path / "a.parquet")
    monkeypatch.setattr(dc.RankSwapping, "mask_into", uncounted)
    again = dc.protect(stored, dc.RankSwapping(p=5.0, random_state=1), output=tmp_path / "b.parquet")
    assert again.provenance.changed == counted.provenance.changed
    assert sum(again.provenance.changed.values()) > 0


def test_the_engine_of_a_table_streams_where_it_lies_in_files(table, stored):
    assert isinstance(engine_for(table), dc.MemoryEngine)
    assert isinstance(engine_for(table, stored), dc.StreamingEngine)
    assert isinstance(engine_for(stored, table), dc.StreamingEngine)
    assert isinstance(engine_for(), dc.MemoryEngine)


def test_measures_that_are_asked_for_are_those_that_are_taken(table):
    masked = dc.MDAV(k=3).mask(table)
    found = dc.assess(table, masked, measures="il1s")
    assert [one.name for one in found.measurements] == ["il1s"]
    assert found.not_computed == ()
    assert (found.n_records, found.known) == (200, ("a", "g"))
    assert found.papers is None
    usual = dc.assess(table, masked)
    assert usual.score == found.score
    assert usual.unmasked == found.unmasked
    assert usual.papers is not None
    assert [one.name for one in dc.measure(table, masked, ["uniques", dc.IL1s()])] == ["uniques", "il1s"]
    assert {one.name for one in dc.measure(table, masked)} == {one.name for one in usual.measurements}
    for wrong in (5, [5]):
        with pytest.raises(dc.errors.DiscreetError, match="must be names of measures"):
            dc.measure(table, masked, wrong)
    nobody = dc.microdata(table.to_native(), SCHEMA.with_roles(a="other", g="other"))
    with pytest.raises(dc.errors.SchemaError, match="names no key"):
        dc.measure(nobody, nobody)


def test_what_needs_all_records_is_left_out_by_name_beyond_a_limit(table, monkeypatch):
    alone, linked = dc.methods("measure")["il1s"](), dc.methods("measure")["combined-linkage"]()
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 200)
    assert _without_all([linked, alone], 200) == ([linked, alone], [])
    fitting, (refused,) = _without_all([linked, alone], 201)
    assert fitting == [alone]
    assert (refused.name, refused.title, refused.kind) == ("combined-linkage", linked.title, "risk")
    assert refused.in_score == linked.in_score
    assert type(linked).__name__ in refused.reason
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 199)
    found = dc.assess(table, dc.MDAV(k=3).mask(table))
    assert "combined-linkage" in {one.name for one in found.not_computed}
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 200)
    assert "combined-linkage" in {one.name for one in dc.assess(table, dc.MDAV(k=3).mask(table)).measurements}


def test_intruders_are_assessed_one_by_one(table):
    masked = dc.MDAV(k=3).mask(table)
    found = dc.assess(table, masked, intruders=[dc.Intruder("he", ("g",))], measures=["il1s"])
    assert list(found) == ["he"]
    assert found["he"].known == ("g",)
    assert found["he"].score.risk == pytest.approx(100 * 3 / 200)
    assert {"il1s", "uniques"} <= {one.name for one in found["he"].measurements}
