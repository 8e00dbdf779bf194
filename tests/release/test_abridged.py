"""A page names the levels of a codebook, and counts those that would name a record."""

from __future__ import annotations

import json

import polars as pl
import pytest

import discreet as dc
from discreet import workflow
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.release.abridged import abridge_protocol, telling_attributes
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Source, Step

N = 60
POSTCODES = [f"SECRET{10000 + 7 * i}" for i in range(N)]
DISTRICTS = [f"D{i % 4}" for i in range(N)]
MAP = {code: code[:9] for code in POSTCODES}


@pytest.fixture
def original():
    frame = pl.DataFrame({"ZIP": POSTCODES, "DISTRICT": DISTRICTS, "AGE": [20.5 + i for i in range(N)]})
    schema = dc.Schema(
        [
            dc.Attribute("ZIP", dc.Nominal(POSTCODES), "key"),
            dc.Attribute("DISTRICT", dc.Nominal(sorted(set(DISTRICTS))), "key"),
            dc.Attribute("AGE", dc.Numeric(), "key"),
        ]
    )
    return dc.microdata(frame, schema)


def test_levels_that_few_records_hold_are_telling(original):
    assert telling_attributes(original) == {"ZIP": frozenset(POSTCODES)}
    many = dc.microdata(pl.concat([original.to_native()] * 5), original.schema)
    assert telling_attributes(many) == {}  # five records each: no level stands for a person


@pytest.mark.parametrize(
    "step",
    [
        Step("level-map", {"maps": {"ZIP": MAP, "DISTRICT": {"D0": "inner", "D1": "inner"}}}),
        Step("hierarchy-recoding", {"hierarchies": {"ZIP": [[a, b] for a, b in MAP.items()]}}),
    ],
    ids=lambda step: step.method,
)
def test_no_report_of_a_run_shows_them(original, tmp_path, step):
    dc.write(original, tmp_path / "data.csv")
    names = {"masked": "m.csv", "internal": "i.html", "json": "i.json", "external": "e.html"}
    steps = [step, Step("mdav", {"k": 5, "attributes": ["AGE"]})]
    plan = Protocol(original.schema, steps, seed=1, source=Source("data.csv"), release=names)
    paths = workflow.run(plan, folder=tmp_path).write(tmp_path / "out")
    for name in ("internal", "json", "external"):
        text = paths[name].read_text(encoding="utf-8")
        assert not [code for code in POSTCODES if code in text], name
    told = json.loads(paths["json"].read_text(encoding="utf-8"))
    assert f"{N} levels" in told["protocol"]
    assert "D0" in told["protocol"]  # a codebook is shown
    shown = Protocol.from_toml(told["protocol"])
    assert [s.method for s in shown.steps] == [s.method for s in steps]


def test_a_single_step_in_python_is_counted_too(original, tmp_path):
    maskers = [dc.LevelMap({"ZIP": MAP}), dc.HierarchyRecoding({"ZIP": Hierarchy([[a, b] for a, b in MAP.items()])})]
    for masker in maskers:
        masked = masker.mask(original)
        found = dc.assess(original, masked)
        dc.write_report(original, masked, found, html=tmp_path / "i.html", json=tmp_path / "i.json")
        for path in (tmp_path / "i.html", tmp_path / "i.json"):
            assert "SECRET10007" not in path.read_text(encoding="utf-8")
        assert f"{N} levels" in (tmp_path / "i.html").read_text(encoding="utf-8")


def test_a_protocol_without_telling_levels_is_shown_as_it_was_written():
    assert abridge_protocol("seed = 1 # mine\n", {}) == "seed = 1 # mine\n"
    telling = {"ZIP": frozenset({"SECRET 1", "4711"})}
    assert abridge_protocol(None, telling) is None
    assert abridge_protocol("seed = 1 # mine\n", telling) == "seed = 1 # mine\n"
    assert abridge_protocol('no toml at all, "SECRET 1"', telling) is None
    assert abridge_protocol("no toml at all, [4711]", telling) is None
