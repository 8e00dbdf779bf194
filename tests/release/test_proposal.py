"""A proposal says beside every step, key and scenario why it is there."""

from __future__ import annotations

import polars as pl
import pytest

from discreet import workflow
from discreet.data.inference import Proposal
from discreet.data.scales import Nominal, Numeric, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.errors import DiscreetError
from discreet.release import proposal
from discreet.release.ceilings import release_type

N = 60
COLUMNS = {
    "height": [1000.0 + 37.5 * (i * 7 % 53) for i in range(N)],
    "sex": ["f", "m"] * (N // 2),
    "area": ["n", "s", "w"] * (N // 3),
}


@pytest.mark.parametrize(
    ("names", "method", "words"),
    [
        (["height", "sex", "area"], "mixed-mdav", "Numbers and categories: groups of at least"),
        (["height"], "mdav", "Numbers: groups of at least"),
        (["sex", "area"], "local-suppression", "Categories: as few values as possible"),
    ],
)
def test_every_step_says_why(tmp_path, names, method, words):
    pl.DataFrame({name: COLUMNS[name] for name in names}).write_csv(tmp_path / "data.csv")
    protocol = workflow.propose(tmp_path / "data.csv")
    assert [step.method for step in protocol.steps] == [method]
    assert protocol.comments["step:0"].startswith(words)
    assert set(protocol.steps[0].parameters["attributes"]) == set(protocol.schema.keys) == set(names)
    assert all(f"attribute:{name}" in protocol.comments for name in names)
    scenarios = {"all keys": set(names)}
    if len(names) == 3:
        scenarios["categories only"] = {"sex", "area"}
    assert {one.name: set(one.known) for one in protocol.scenarios} == scenarios
    assert all(f"scenario:{name}" in protocol.comments for name in scenarios)


def schema_of(numbers=0, categories=0, sequences=0):
    return Schema([
        *(Attribute(f"n{i}", Numeric(), "key") for i in range(numbers)),
        *(Attribute(f"c{i}", Nominal(("a", "b")), "key") for i in range(categories)),
        *(Attribute(f"s{i}", Sequence(("a", "b")), "key") for i in range(sequences)),
        Attribute("other", Numeric(), "other"),
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "records", "missing", "release", "expected"),
    [
        ((1, 2), 100_000, {}, "research", [("mixed-mdav", {"k": 5, "attributes": ["n0", "c0", "c1"]})]),
        ((1, 2), 100_001, {}, "public", [("mondrian", {"k": 10, "attributes": ["n0", "c0", "c1"]})]),
        ((2, 0), 9, {"n0": 0, "other": 4}, "public", [("mdav", {"k": 10, "attributes": ["n0", "n1"]})]),
        ((2, 0), 9, {"n1": 1}, "research", [("mdav", {"k": 5, "missing": "pattern", "attributes": ["n0", "n1"]})]),
        ((0, 6), 9, {}, "public", [("local-suppression", {"k": 5, "attributes": [f"c{i}" for i in range(6)]})]),
        ((0, 7), 9, {}, "research", [("kmodes", {"k": 5, "attributes": [f"c{i}" for i in range(7)]})]),
        ((0, 0, 2), 9, {}, "research", [
            ("sequence-mdav", {"k": 3, "attributes": ["s0"]}), ("sequence-mdav", {"k": 3, "attributes": ["s1"]}),
        ]),
        ((1, 0, 1), 9, {}, "public", [
            ("mdav", {"k": 10, "attributes": ["n0"]}), ("sequence-mdav", {"k": 5, "attributes": ["s0"]}),
        ]),
        ((), 9, {}, "research", [("identifiers", {})]),
    ],
)  # fmt: skip
def test_the_step_follows_from_the_scales_of_the_keys_and_from_who_will_have_the_file(
    shape, records, missing, release, expected
):
    schema = schema_of(*shape)
    steps, why = proposal._proposed_steps(schema, Proposal(schema, {}, records, missing), release_type(release))
    assert [(step.method, step.parameters) for step in steps] == expected
    assert len(why) == len(steps)
    for step, text in zip(steps, why, strict=True):
        assert ("stay without them" in text) == ("missing" in step.parameters)
        if step.method == "local-suppression":
            assert f"shares theirs with {step.parameters['k'] - 1} others" in text
        elif step.method != "identifiers":
            assert f"groups of at least {step.parameters['k']} similar" in text


def test_who_knows_the_categories_alone_is_somebody_else_where_there_are_two_and_numbers_besides():
    def known(*shape):
        scenarios, about = proposal._proposed_scenarios(schema_of(*shape))
        assert list(about) == [f"scenario:{one.name}" for one in scenarios]
        assert all(one.linkers == ("distance", "probabilistic") for one in scenarios)
        return [(one.name, one.known) for one in scenarios]

    assert known() == []
    assert known(1, 1) == [("all keys", ("n0", "c0"))]
    assert known(0, 2) == [("all keys", ("c0", "c1"))]
    assert known(1, 2) == [("all keys", ("n0", "c0", "c1")), ("categories only", ("c0", "c1"))]


def test_a_column_is_told_with_its_reason_its_gaps_its_labels_and_what_to_do():
    schema = schema_of(1)
    ask = '\nIf nobody outside can know it, write role = "confidential" or "other".'
    found = Proposal(schema, {"n0": "numbers"}, 60, {"n0": 2}, {"other": {1: "yes", 2: "no"}})
    assert proposal._about("n0", schema, found) == f"numbers; 2 of 60 are missing.{ask}"
    assert proposal._about("other", schema, found) == "declared already.\n1 = yes; 2 = no."
    for count in (60, 61):
        many = Proposal(schema, {}, 60, {}, {"other": dict.fromkeys(range(count), "x")})
        assert ("0 = x" in proposal._about("other", schema, many)) == (count == 60)


def homes(tmp_path, units, records=100):
    frame = pl.DataFrame({
        "hh_id": [f"h{i % units}" for i in range(records)],
        "region": ["ns"[i % units % 2] for i in range(records)],
        "sex": ["ffm"[i % 3] for i in range(records)],
    })  # fmt: skip
    frame.write_csv(tmp_path / "data.csv")
    return workflow.propose(tmp_path / "data.csv")


def test_a_household_has_neither_nearly_everybody_in_it_nor_hardly_anybody(tmp_path):
    for units in (2, 40, 95):
        plan = homes(tmp_path, units)
        assert plan.schema["hh_id"].role == "identifier", units
        assert plan.comments["attribute:hh_id"].startswith("It looks like the number of a household"), units
        assert 'unit = "hh_id"\nattributes = ["region"]' in plan.comments["end"]
        assert "hh_id looks like the number of a household, whose members share\nregion. To" in plan.comments["end"]
    for units in (1, 96):
        end = homes(tmp_path, units).comments["end"]
        assert "For example, with households:" in end
        assert 'unit = "HOUSEHOLD"\nattributes = ["REGION"]' in end
        assert end.endswith('renumber = ["HOUSEHOLD"]')


def test_what_is_declared_already_is_not_looked_at_for_households(tmp_path):
    homes(tmp_path, 40)
    plan = workflow.propose(tmp_path / "data.csv", schema=workflow.inspect(tmp_path / "data.csv").schema)
    assert "For example, with households:" in plan.comments["end"]
    assert list(plan.schema.names) == ["hh_id", "region", "sex"]


def test_what_is_released_bears_the_name_of_the_file_and_its_ending(tmp_path):
    plan = homes(tmp_path, 40)
    assert plan.release == {
        "masked": "data-masked.csv", "internal": "data-internal.html", "external": "data-external.html",
        "manifest": "data-manifest.json",
    }  # fmt: skip
    assert "a proposal for 100 records" in plan.comments["protocol"]
    assert "`discreet run PROTOCOL`" in plan.comments["protocol"]
    pl.DataFrame(COLUMNS).write_parquet(tmp_path / "data.parquet")
    public = workflow.propose(tmp_path / "data.parquet", release="public")
    assert public.release["masked"] == "data-masked.parquet"
    assert public.thresholds == {"risk_at_most": 10.0, "smallest_group": 5}
    assert "Proposed for anybody (release type 'public')" in public.comments["thresholds"]
    assert public.comments["thresholds"].startswith("A release that misses one of these ends with exit code 1.\n")


def test_how_the_file_is_read_is_remembered(tmp_path):
    pl.DataFrame(COLUMNS).write_csv(tmp_path / "data.csv", separator="|")
    source = workflow.propose(tmp_path / "data.csv", delimiter="|", encoding="latin-1").source
    assert (source.file, source.delimiter, source.encoding) == ("data.csv", "|", "latin-1")
    with pytest.raises(DiscreetError, match="propose: path must be the path of a file"):
        workflow.propose(3)
