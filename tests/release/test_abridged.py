"""A page names the levels of a codebook, and counts those that would name a record."""

from __future__ import annotations

import json
from types import SimpleNamespace

import polars as pl
import pytest

import discreet as dc
from discreet import workflow
from discreet.contracts.masked import Provenance
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.release.abridged import (
    LevelCounts,
    abridge_protocol,
    abridge_record,
    many_levels,
    telling_attributes,
)
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


@pytest.mark.parametrize(
    ("few", "many", "telling"),
    [(11, 10, True), (10, 11, False), (11, 11, True), (10, 10, False)],
)
def test_more_than_twenty_levels_of_which_half_have_fewer_than_five_records(few, many, telling):
    values = [f"r{i}" for i in range(few) for _ in range(4)] + [f"c{i}" for i in range(many) for _ in range(5)]
    levels = sorted(set(values))
    table = dc.microdata(pl.DataFrame({"a": values}), dc.Schema([dc.Attribute("a", dc.Nominal(levels), "key")]))
    assert telling_attributes(table) == ({"a": frozenset(levels)} if telling else {})
    hidden = dc.Schema([dc.Attribute("a", dc.Nominal(levels), "identifier")])
    assert many_levels(hidden) == ()
    assert many_levels(table.schema) == (("a",) if few + many > 20 else ())


def test_counts_of_two_parts_are_added_and_missing_values_are_none():
    schema = dc.Schema([dc.Attribute("a", dc.Nominal(["x", "y", "z"]), "key")])
    parts = [dc.microdata(pl.DataFrame({"a": values}), schema) for values in (["x", None, "x"], ["z", "x", None])]
    ask = LevelCounts(("a",))
    assert [ask.counted(part)["a"].tolist() for part in parts] == [[2, 0, 0], [1, 0, 1]]
    first, second = (ask.summarise(SimpleNamespace(original=part)) for part in parts)
    assert first.merge(second).counts["a"].tolist() == [3, 0, 1]


def test_what_is_said_of_levels_is_counted_wherever_it_stands():
    telling = {"ZIP": frozenset({"1", "2"})}
    said = {"maps": {"ZIP": {"1": "a", "2": "a"}, "JOB": {"x": "y"}}, "k": 3, "hierarchies": {"ZIP": "tree.csv"}}
    shown = {"maps": {"ZIP": "2 levels", "JOB": {"x": "y"}}, "k": 3, "hierarchies": {"ZIP": "tree.csv"}}
    inner = Provenance("level-map", said, (), 9)
    known = Provenance("chain", {"steps": [said, "mdav"], "maps": 3}, (), 9, history=(inner,))
    found = abridge_record(known, telling)
    assert found.parameters == {"steps": [shown, "mdav"], "maps": 3}
    assert [step.parameters for step in found.history] == [shown]
    assert abridge_record(known, {}) is known


def test_a_protocol_says_what_was_left_out_of_it():
    schema = dc.Schema([dc.Attribute("ZIP", dc.Nominal(["4711", "4712"]), "key"), dc.Attribute("A", dc.Numeric())])
    plan = Protocol(schema, [Step("level-map", {"maps": {"ZIP": {"4711": "x"}}})], seed=4)
    text = abridge_protocol(plan.to_toml(), {"ZIP": frozenset({"4711", "4712"}), "GONE": frozenset({"q"})})
    assert text.startswith("# Levels that would tell records apart are left out here: ZIP, GONE.\n")
    assert "471" not in text
    shown = Protocol.from_toml(text)
    assert (shown.seed, shown.schema["ZIP"].scale.levels, shown.schema["A"]) == (4, ("2 levels",), schema["A"])
    assert [dict(step.parameters) for step in shown.steps] == [{"maps": {"ZIP": "1 levels"}}]
