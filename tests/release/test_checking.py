"""A release verified by a protocol: what running found, and never less where the masking must be known."""

from __future__ import annotations

import json

import polars as pl
import pytest
from typer.testing import CliRunner

from discreet import workflow
from discreet.cli.main import _code, app
from discreet.contracts.intruder import Intruder
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.release import checking
from discreet.release.checking import same_table
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Source, Step

AWARE = ("distance", "masking-aware")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("checking")
    workflow.write_dataset("housing", path / "housing.csv", n=120)
    workflow.write_dataset("itineraries", path / "trips.csv", n=60)
    return path


def saved(folder, name, steps, scenarios, thresholds, data="housing"):
    schema = workflow.load_schema(folder / f"{data}.toml")
    plan = Protocol(
        schema, steps, scenarios, thresholds, 1, Source(f"{data}.csv"), {"masked": f"{name}.csv"}
    )  # fmt: skip
    plan.save(folder / f"{name}-protocol.toml")
    done = workflow.run(plan, folder=folder, before=False)
    return folder / f"{name}-protocol.toml", done, done.write(folder)["masked"]


@pytest.mark.parametrize(
    ("name", "steps", "known"),
    [
        ("swapped", [Step("rank-swapping", {"p": 5, "attributes": ["VALUE", "RENT"]})], ("VALUE", "RENT")),
        ("drawn", [Step("pram", {"theta": 0.4, "attributes": ["BUILT", "DEGREE"]})], ("BUILT", "DEGREE")),
        ("grouped", [Step("mdav", {"k": 4, "attributes": ["VALUE", "RENT"]})], ("VALUE", "RENT")),
        (
            "renamed",
            [Step("global-recoding", {"p": 3, "category": "rest", "attributes": ["DEGREE"]})],
            ("DEGREE", "BUILT"),
        ),
        ("sampled", [Step("sampling", {"share": 0.5}), Step("mdav", {"k": 4})], ("VALUE", "RENT")),
    ],
)
def test_checking_finds_what_running_found_where_the_masking_must_be_known(folder, name, steps, known):
    path, done, masked = saved(folder, name, steps, [Intruder("aware", known, AWARE)], {"risk_at_most": 50})
    assert workflow.check(path, masked) == done.verdicts
    masked.with_suffix(".toml").unlink()  # without its schema, levels are read off the file in another order
    assert workflow.check(path, masked) == done.verdicts


def test_an_attack_that_knows_the_masking_is_not_replaced_by_a_weaker_one(folder):
    """With the file alone, the same attack would find fewer: a release must not pass by that."""
    steps = [Step("rank-swapping", {"p": 4, "attributes": ["VALUE", "RENT", "BUILT", "DEGREE"]})]
    known = ("VALUE", "RENT")
    path, done, masked = saved(folder, "weaker", steps, [Intruder("aware", known, AWARE)], {"risk_at_most": 50})
    found = workflow.check(path, masked)[0].value
    original = workflow.read(folder / "housing.csv", folder / "housing.toml")
    release = workflow.read_release(masked, original)
    with pytest.raises(ParameterError, match="nothing is known of how the release was masked"):
        workflow.assess(original, release, intruders=done.protocol.scenarios)
    alone = workflow.assess(original, release, intruders=[Intruder("plain", known)])
    assert found > alone["plain"].score.risk


@pytest.mark.parametrize("name", ["edited-aware", "edited-order"])
def test_a_file_that_the_steps_do_not_give_is_not_verified(folder, name):
    if name == "edited-aware":
        steps, linkers, said = [Step("mdav", {"k": 4, "attributes": ["VALUE", "RENT"]})], AWARE, "intruder 'aware'"
    else:
        steps, linkers, said = [Step("record-order"), Step("mdav", {"k": 4})], ("distance",), "step record-order"
    path, _, masked = saved(
        folder, name, steps, [Intruder("aware", ("VALUE", "RENT"), linkers)], {"risk_at_most": 99}
    )  # fmt: skip
    frame = pl.read_csv(masked, infer_schema=False)
    other = pl.when(pl.int_range(pl.len()) == 7).then(pl.lit("12345")).otherwise(pl.col("RENT"))
    frame.with_columns(other.alias("RENT")).write_csv(masked)
    with pytest.raises(DataError, match=f"{said}.*not what the steps of the protocol give"):
        workflow.check(path, masked)
    assert _code(["check", str(path), str(masked)]) == 2


def test_a_protocol_without_steps_cannot_know_the_masking(folder):
    path, _, masked = saved(
        folder,
        "stepless",
        [Step("mdav", {"k": 4, "attributes": ["VALUE"]})],
        [Intruder("aware", ("VALUE",), AWARE)],
        {"risk_at_most": 99},
    )
    plan = workflow.load_protocol(path)
    bare = Protocol(plan.schema, (), plan.scenarios, plan.thresholds, 1, plan.source)
    with pytest.raises(DataError, match="risk_at_most cannot be verified"):
        workflow.check(bare, masked, folder=folder)


def test_what_the_file_shows_is_verified_whatever_made_it(folder):
    schema = workflow.load_schema(folder / "housing.toml")
    plan = Protocol(
        schema,
        [Step("mdav", {"k": 4})],
        [Intruder("aware", ("VALUE", "RENT"), AWARE), Intruder("plain", ("VALUE",), ("distance",))],
        {"smallest_group": 1, "il1s_at_most": 50},
        1,
        Source("housing.csv"),
    )
    verdicts = workflow.check(plan, folder / "housing.csv", folder=folder)
    assert [v.met for v in verdicts] == [True, True]


def test_groups_of_sequences_are_those_of_the_masking(folder):
    schema = workflow.load_schema(folder / "trips.toml")
    path, done, masked = saved(
        folder, "trips-masked", [Step("sequence-mdav", {"k": 3})], [], {"smallest_group": 3}, data="trips"
    )  # fmt: skip
    assert schema.of_scale("sequence", among=schema.keys)
    assert workflow.check(path, masked) == done.verdicts
    assert done.verdicts[0].met
    assert CliRunner().invoke(app, ["check", str(path), str(masked)]).exit_code == 0


def test_a_table_is_the_same_whatever_a_format_made_of_it():
    def held(names, values, scale, role="key"):
        return Microdata(pl.DataFrame(dict(zip(names, values, strict=True))),
                         Schema([Attribute(name, scale, role) for name in names]))  # fmt: skip

    jobs = held(["job"], [["a", "b", None]], Nominal(["a", "b"]))
    assert same_table(jobs, held(["job"], [["a", "b", None]], Nominal(["b", "a"])))  # another order of levels
    assert not same_table(jobs, held(["job"], [["b", "a", None]], Nominal(["a", "b"])))
    assert not same_table(jobs, held(["job"], [["a", "b"]], Nominal(["a", "b"])))  # a record is gone
    assert not same_table(jobs, held(["task"], [["a", "b", None]], Nominal(["a", "b"])))
    pay = held(["pay"], [[1.0, 1e9, None]], Numeric())
    assert same_table(pay, held(["pay"], [[1.0 + 1e-15, 1e9, None]], Numeric()))
    assert not same_table(pay, held(["pay"], [[1.001, 1e9, None]], Numeric()))
    assert not same_table(pay, held(["pay"], [[1.0, 1e9, 0.0]], Numeric()))
    names = held(["who"], [["1", None]], Nominal(["1"]), "identifier")
    assert same_table(names, held(["who"], [["1", None]], Nominal(["1"]), "identifier"))
    assert not same_table(names, held(["who"], [["2", None]], Nominal(["2"]), "identifier"))
    two = held(["a", "b"], [[1.0], [2.0]], Numeric())
    assert not same_table(two, held(["a", "b"], [[1.0], [3.0]], Numeric()))


# ------------------------------------------------------------------------------------------------------- part by part

KEYS = Schema([Attribute("x", Numeric(), "key"), Attribute("way", Sequence(("a", "b")), "key")])


def needs(tmp_path, steps=(), scenarios=(), thresholds=None):
    return checking._needs_the_record(Protocol(KEYS, steps, scenarios, thresholds or {}, 1), tmp_path)


def test_when_the_masking_must_be_known(tmp_path):
    plain, aware = Intruder("plain", ("x",)), Intruder("knows", ("x",), AWARE)
    said = "risk_at_most cannot be verified: the intruder 'knows' links by masking-aware, which needs to"
    assert needs(tmp_path, [Step("mdav", {"attributes": ["x"]})], [plain], {"risk_at_most": 5}) == ""
    assert needs(tmp_path, scenarios=[plain, aware], thresholds={"risk_at_most": 5}).startswith(said)
    assert needs(tmp_path, scenarios=[plain, aware], thresholds={"loss_at_most": 5}) == ""
    order = [Step("mdav", {"attributes": ["x"]}), Step("sampling"), Step("record-order")]
    assert needs(tmp_path, order) == "The protocol has a step sampling, after which a record's place says nothing"
    groups = "smallest_group cannot be verified: the groups of sequences are those of the masking"
    assert needs(tmp_path, scenarios=[Intruder("a", ("way",))], thresholds={"smallest_group": 3}) == groups
    assert needs(tmp_path, scenarios=[Intruder("a", ("way", "x"))], thresholds={"smallest_group": 3}) == ""
    assert needs(tmp_path, thresholds={"smallest_group": 3}) == "", "without scenarios, every key is known"
    assert needs(tmp_path, scenarios=[Intruder("a", ("way",))], thresholds={"risk_at_most": 3}) == ""


def test_a_seed_that_was_drawn_is_found_in_the_manifest_beside_the_release(tmp_path):
    plan, masked = Protocol(KEYS), tmp_path / "masked.csv"
    assert checking._seed(Protocol(KEYS, seed=0), masked, "Why") == 0
    texts = {"a-manifest.json": "[]", "b-manifest.json": '{"protocol": {"text": "no toml at all ["}}'}
    texts["c-manifest.json"] = json.dumps({"protocol": {"text": plan.to_toml()}})
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match="^Why, and the protocol has no seed to make it again"):
        checking._seed(plan, masked, "Why")
    for name, seed in (("d-manifest.json", 7), ("manifest.json", 8), ("manifest-e.json", 9)):
        text = Protocol(KEYS, seed=seed).to_toml()
        (tmp_path / name).write_text(json.dumps({"protocol": {"text": text}}))
    assert checking._seed(plan, masked, "Why") == 7


def test_sequences_are_the_same_whatever_the_order_of_their_events():
    def ways(values, events):
        return Microdata(pl.DataFrame({"way": values}), Schema([Attribute("way", Sequence(events), "key")]))

    one = ways([["a", "b"], ["b"]], ("a", "b"))
    assert same_table(one, ways([["a", "b"], ["b"]], ("a", "b")))
    assert same_table(one, ways([["a", "b"], ["b"]], ("b", "a")))
    assert not same_table(one, ways([["a"], ["b", "b"]], ("a", "b")))
    assert not same_table(one, ways([["b", "a"], ["a"]], ("b", "a")))
    words = Microdata(pl.DataFrame({"n": ["1", "2"]}), Schema([Attribute("n", Nominal(["1", "2"]), "key")]))
    whole = Microdata(pl.DataFrame({"n": [1, 2]}), Schema([Attribute("n", Numeric(), "key")]))
    assert same_table(words, whole), "as texts, where the kinds differ"


@pytest.mark.parametrize(
    ("steps", "flag"),
    [
        ([], None),
        ([Step("rank-swapping", {"attributes": ["x"]})], True),
        ([Step("top-coding", {"attributes": ["x"]})], False),
        ([Step("top-coding", {"attributes": ["x"]}), Step("rank-swapping", {"attributes": ["x"]})], True),
    ],
)
def test_a_file_that_the_steps_do_not_make_is_flagged_as_they_would(tmp_path, monkeypatch, steps, flag):
    schema = Schema([Attribute("x", Numeric(), "key")])
    table, seen = Microdata(pl.DataFrame({"x": [1.0, 2.0, 3.0]}), schema), []

    def unlike(*_):
        raise DataError("another file")

    def assessed(original, masked, scenarios, *, measures):
        seen.append((original, masked, scenarios))
        return "after"

    monkeypatch.setattr(checking, "read_source", lambda plan, base: (table, (plan, base)))
    monkeypatch.setattr(checking, "read_release", lambda *parts, **_: parts[1])
    monkeypatch.setattr(checking, "told", unlike)
    monkeypatch.setattr(checking, "assess_intruders", assessed)
    monkeypatch.setattr(checking, "verify", lambda after, limits, masked: (after, dict(limits), masked))
    plan = Protocol(schema, steps, [Intruder("a", ("x",))], {"risk_at_most": 5}, 1)
    after, limits, masked = checking.check_release(plan, tmp_path / "m.csv")
    assert (after, limits) == ("after", {"risk_at_most": 5})
    assert (masked.provenance.perturbative, masked.provenance.n_records) == (flag, 3)
    assert seen == [(table, masked, plan.scenarios)]
