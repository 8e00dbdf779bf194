"""A release seen by several intruders: each with his keys, his linkers and what those who know less find."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts.intruder import Intruder
from discreet.contracts.masked import Masked, Provenance
from discreet.data.microdata import Microdata
from discreet.errors import SchemaError
from discreet.evaluation.intruders import _measures_of, assess_intruders, within_memory
from discreet.progress import listening

SCHEMA = dc.Schema(
    [
        dc.Attribute("a", dc.Nominal(tuple("pqr")), "key"),
        dc.Attribute("x", dc.Numeric(), "key"),
        dc.Attribute("c", dc.Nominal(tuple("uv")), "confidential"),
    ]
)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"a": rng.choice(list("pqr"), 24), "x": np.arange(24.0), "c": rng.choice(list("uv"), 24)})
    return Microdata(frame, SCHEMA)


@pytest.fixture(scope="module")
def masked(people):
    return dc.MDAV(k=4).mask(people)


def test_each_intruder_has_what_he_knows_as_his_keys(people, masked):
    both = [Intruder("all", ("x", "a"), ("distance",)), Intruder("few", ("a",), ("distance",))]
    heard = []
    with listening(lambda *report: heard.append(report)):
        found = assess_intruders(people, masked, both)
    assert list(found) == ["all", "few"]
    assert [(one.known, one.n_records) for one in found.values()] == [(("a", "x"), 24), (("a",), 24)]
    assert [one for one in heard if one[0] == "attacking"] == [("attacking", number, 2) for number in range(3)]
    towns = people.to_native()["a"].n_unique()
    assert found["few"].unmasked.risk == pytest.approx(100 * towns / 24)
    assert found["few"]["uniques"].value == 0.0
    assert found["all"].score.risk >= found["few"].score.risk
    # One way to link: the other is not his, nor what is put together from both.
    names = {m.name for m in found["all"].measurements}
    assert "distance-linkage" in names
    assert not names & {"probabilistic-linkage", "combined-linkage", "masking-aware-linkage"}
    # Losses are the same for everybody, after his risks.
    losses = [[m for m in one.measurements if m.kind == "loss"] for one in found.values()]
    assert losses[0] == losses[1] != []
    for one in found.values():
        kinds = [m.kind for m in one.measurements]
        assert kinds == sorted(kinds, reverse=True)
        assert one.papers is not None
        assert one.score.loss == one["cell-loss"].value


def test_without_any_an_intruder_knows_every_key(people, masked):
    (name,) = found = assess_intruders(people, masked)
    assert name == "all keys"
    assert found[name].score == dc.assess(people, masked).score
    nobody = Microdata(people.to_native(), SCHEMA.with_roles(a="other", x="other"))
    with pytest.raises(SchemaError, match="names no key"):
        assess_intruders(nobody, nobody)


def test_linkers_beside_the_measured_ones_are_taken_too(people, masked):
    name = "blocked"
    found = assess_intruders(people, masked, [Intruder("he", ("x",), ("distance", name))])["he"]
    assert f"{name}-linkage" in {m.name for m in found.measurements}
    # Measured once, it counts in the headline as any other attack on all that he knows.
    assert found.score.ingredients[f"{name} linkage"] == found[f"{name}-linkage"].value


def test_measures_are_the_usual_ones_and_those_that_were_added():
    usual = {one.name for one in _measures_of("risk", {})}
    assert all(one.default for one in _measures_of("risk", {}))
    unasked = next(name for name, cls in dc.methods("measure").items() if cls.kind == "risk" and not cls().default)
    assert {one.name for one in _measures_of("risk", {unasked: unasked})} == usual | {unasked}
    mine = dc.methods("measure")["k-anonymity"](k=7)
    taken = {one.name: one for one in _measures_of("risk", {"k-anonymity": mine})}
    assert taken["k-anonymity"] is mine
    assert "il1s" not in taken
    assert "il1s" in {one.name for one in _measures_of("loss", {})}


def test_files_that_fit_are_brought_into_memory(people, masked, tmp_path, monkeypatch):
    dc.write(people, tmp_path / "a.parquet")
    dc.write(masked.microdata, tmp_path / "b.parquet")
    stored, released = (dc.scan(tmp_path / name, SCHEMA) for name in ("a.parquet", "b.parquet"))
    record = Provenance("mdav", {}, ("x",), 24)
    assert within_memory(people, masked, record) == (people, masked)
    first, second = within_memory(stored, released, None)
    assert isinstance(first, Microdata)
    assert isinstance(second, Microdata)
    assert second.column("x").to_pylist() == masked.microdata.column("x").to_pylist()
    assert first.names == people.names
    first, second = within_memory(stored, stored, None)
    assert first is second
    known = within_memory(stored, released, record)[1]
    assert isinstance(known, Masked)
    assert known.provenance is record
    assert within_memory(people, released, None)[0] is people
    assert within_memory(stored, masked, record)[1] is masked
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 24)
    assert isinstance(within_memory(stored, released, None)[0], Microdata)
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 23)
    assert within_memory(stored, released, record) == (stored, released)
