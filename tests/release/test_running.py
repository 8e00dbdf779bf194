"""A protocol from proposal to release: the same bytes every time, and a verdict that can be relied on."""

from __future__ import annotations

import contextlib
import io
import json
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet import workflow
from discreet.contracts.assessment import Assessment, Score
from discreet.contracts.intruder import Intruder
from discreet.contracts.measurement import Measurement
from discreet.errors import FileError, ParameterError, SchemaError, UnknownNameError
from discreet.release import running
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Source, Step


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("protocols")
    workflow.write_dataset("housing", path / "housing.csv", n=120)
    return path


@pytest.fixture(scope="module")
def schema(folder):
    keys = ("BUILT", "DEGREE", "VALUE", "RENT")
    declared = workflow.load_schema(folder / "housing.toml")
    return declared.with_roles(**{name: "other" for name in declared.keys if name not in keys})


def protocol(schema, **changes):
    fields = {
        "schema": schema,
        "steps": [Step("global-recoding", {"p": 2, "attributes": ["DEGREE"]}), Step("mixed-mdav", {"k": 4})],
        "scenarios": [Intruder("all", schema.keys), Intruder("amounts", ("VALUE", "RENT"), ("distance",))],
        "thresholds": {"risk_at_most": 50, "smallest_group": 4},
        "seed": 1,
        "source": Source("housing.csv"),
        "release": {"masked": "m.csv", "internal": "i.html", "external": "e.html", "manifest": "manifest.json"},
    }
    return Protocol(**(fields | changes))


# ---------------------------------------------------------------------------------------------------------- proposing


def test_a_proposal_has_a_reason_for_everything_and_can_be_run_as_it_is(folder):
    plan = workflow.propose(folder / "housing.csv")
    text = plan.to_toml()
    assert Protocol.from_toml(text) == plan
    for attribute in plan.schema:
        assert plan.comments[f"attribute:{attribute.name}"] in text.replace("\n# ", "\n")
    assert {"step:0", "scenario:all keys", "thresholds", "data", "release"} <= set(plan.comments)
    assert plan.source.file == "housing.csv"
    assert plan.release["masked"] == "housing-masked.csv"
    workflow.save_protocol(plan, folder / "proposal.toml")
    done = workflow.run(folder / "proposal.toml", before=False)
    assert len(done.masked) == 120


@pytest.mark.parametrize(
    ("columns", "methods"),
    [
        ({"x": [1.5, 2.5, None, 3.5] * 10, "y": [0.5, 1.5, 2.5, 0.25] * 10}, ["mdav"]),
        ({"a": ["u", "v"] * 20, "b": ["r", "s", "t", "r"] * 10}, ["local-suppression"]),
        ({f"a{i}": ["u", "v"] * 20 for i in range(8)}, ["kmodes"]),
        ({"x": [1.5, 2.5, 7.25, 3.5] * 10, "a": ["u", "v"] * 20}, ["mixed-mdav"]),
        ({"name": [f"n{i}" for i in range(40)]}, ["identifiers"]),
    ],
)
def test_every_scale_gets_a_step_that_suits_it(tmp_path, columns, methods):
    pl.DataFrame(columns).write_csv(tmp_path / "data.csv")
    plan = workflow.propose(tmp_path / "data.csv")
    assert [step.method for step in plan.steps] == methods
    if methods != ["identifiers"]:
        done = workflow.run(plan, folder=tmp_path, before=False)
        assert len(done.after) == len(plan.scenarios)


def test_a_proposal_holds_no_identifier(tmp_path):
    pl.DataFrame({"name": [f"SECRET{i}" for i in range(40)], "x": [float(i) + 0.5 for i in range(40)]}).write_csv(
        tmp_path / "data.csv"
    )
    assert "SECRET" not in workflow.propose(tmp_path / "data.csv").to_toml()


def test_a_household_is_recognised_and_its_steps_can_be_taken_as_they_stand(tmp_path):
    rng = np.random.default_rng(0)
    home = np.repeat(np.arange(40), rng.integers(1, 5, 40))
    frame = pl.DataFrame(
        {
            "hh_id": [f"SECRET{h}" for h in home],
            "rooms": rng.integers(1, 9, 40)[home] + 0.5,
            "region": np.array(["n", "s"])[rng.integers(0, 2, 40)][home],
            "age": rng.integers(0, 90, home.size) + 0.5,
        }
    )
    frame.write_csv(tmp_path / "data.csv")
    plan = workflow.propose(tmp_path / "data.csv")
    assert plan.schema["hh_id"].role == "identifier"
    text = plan.to_toml()
    assert "SECRET" not in text
    proposed = "\n".join(
        line.removeprefix("# ") for line in plan.to_toml().split("put before and after it:")[1].splitlines()
    )
    before, after = (Protocol.from_toml(schema_text(plan) + proposed)).steps
    assert before.unit == "hh_id"
    assert before.parameters["attributes"] == ["rooms", "region"]
    full = Protocol(plan.schema, [before, Step("mdav", {"k": 4, "attributes": ["age"]}), after], source=plan.source)
    done = workflow.run(full, folder=tmp_path, before=False)
    assert done.masked.to_native().column("hh_id").to_pylist()


def schema_text(plan):
    return plan.schema.to_toml() + "\n"


def test_the_path_of_the_data_is_relative_to_the_protocol(folder, tmp_path):
    assert workflow.propose(folder / "housing.csv", folder=folder.parent).source.file == f"{folder.name}/housing.csv"
    assert workflow.propose(folder / "housing.csv", folder=tmp_path).source.file == str(folder / "housing.csv")


# ------------------------------------------------------------------------------------------------------------ running


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".sav", ".dta", ".xpt", ".xlsx", ".arrow"])
def test_running_again_gives_the_same_bytes(folder, schema, tmp_path, ending):
    reports = {"internal": "i.html", "external": "e.html", "json": "i.json"} if ending == ".csv" else {}
    release = {"masked": f"m{ending}", "manifest": "manifest.json", **reports}
    plan = protocol(schema, release=release, scenarios=[Intruder("all", schema.keys)])
    plan = Protocol.from_toml(plan.to_toml())
    for name in ("one", "two"):
        done = workflow.run(plan, folder=folder)
        paths = done.write(tmp_path / name)
        assert set(paths) == {"masked", "schema", *release}
        second = int(time.time())
        while name == "one" and ending in {".sav", ".xpt", ".xlsx"} and int(time.time()) == second:
            time.sleep(0.02)  # formats that keep the second of writing: the two are written in different ones
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "two").iterdir())
    assert len(files) == len(paths)
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_scenarios_differ_in_risk_and_share_their_losses(folder, schema):
    done = workflow.run(protocol(schema), folder=folder)
    every, amounts = done.after["all"], done.after["amounts"]
    assert every.known == schema.keys
    assert amounts.known == ("VALUE", "RENT")
    assert every.of_kind("loss") == amounts.of_kind("loss")
    assert every.score.loss == amounts.score.loss
    assert "probabilistic-linkage" in [m.name for m in every.measurements]
    assert "probabilistic-linkage" not in [m.name for m in amounts.measurements]
    assert done.before["all"].score.risk > every.score.risk
    assert done.met


def test_one_scenario_of_every_key_is_the_plain_assessment(folder, schema):
    original = workflow.read(folder / "housing.csv", schema)
    masked = workflow.protect(original, "mdav", k=3, random_state=0)
    plain = workflow.assess(original, masked)
    found = workflow.assess(original, masked, intruders=())["all keys"]
    assert {m.name: m.value for m in found.measurements} == {m.name: m.value for m in plain.measurements}
    assert found.score.value == plain.score.value


def test_a_linker_that_is_no_measure_counts_in_the_risk(folder, schema):
    original = workflow.read(folder / "housing.csv", schema)
    masked = workflow.protect(original, "rank-swapping", p=5, random_state=0)
    one = [Intruder("aware", ("VALUE", "RENT"), ("masking-aware",))]
    found = workflow.assess(original, masked, intruders=one)["aware"]
    expected = dc.MaskingAwareLinkage(attributes=["VALUE", "RENT"]).link(original, masked).evaluate()
    assert found["masking-aware-linkage"].value == pytest.approx(100 * expected.rate)
    assert found.score.risk == pytest.approx(100 * expected.rate)
    with pytest.raises(UnknownNameError, match="Scenario 'x': there is no linker named 'distanc'. Did you"):
        workflow.assess(original, masked, intruders=[Intruder("x", ("VALUE",), ("distanc",))])
    with pytest.raises(ParameterError, match="the intruder knows none"):
        workflow.assess(original, masked, intruders=[Intruder("x", ("DEGREE",), ("structural",))])


def test_sampled_and_reordered_releases_are_assessed_and_checked(folder, schema, tmp_path):
    steps = [Step("sampling", {"share": 0.6}), Step("mixed-mdav", {"k": 4}), Step("record-order")]
    plan = protocol(schema, steps=steps, release={"masked": "m.csv"})
    plan.save(folder / "sampled.toml")
    done = workflow.run(folder / "sampled.toml")
    assert len(done.masked) == 72
    paths = done.write(tmp_path)
    assert [v.value for v in workflow.check(folder / "sampled.toml", paths["masked"])] == pytest.approx(
        [v.value for v in done.verdicts]
    )


def test_checking_a_release_finds_what_running_found(folder, schema, tmp_path):
    thresholds = {"risk_at_most": 50, "smallest_group": 4, "il1s_at_most": 90, "suda2_at_most": 100}
    plan = protocol(schema, thresholds=thresholds, release={"masked": "m.csv"})
    plan.save(folder / "checked.toml")
    done = workflow.run(folder / "checked.toml", before=False)
    paths = done.write(tmp_path)
    with_schema = workflow.check(folder / "checked.toml", paths["masked"])
    assert with_schema == done.verdicts
    paths["schema"].unlink()
    without = workflow.check(folder / "checked.toml", paths["masked"])
    assert [v.met for v in without] == [v.met for v in done.verdicts]


def test_a_release_with_new_levels_is_checked_without_its_schema(folder, schema, tmp_path):
    steps = [Step("global-recoding", {"p": 3, "category": "rest", "attributes": ["DEGREE"]}), Step("mdav", {"k": 4})]
    plan = protocol(schema, steps=steps, thresholds={"smallest_group": 1}, release={"masked": "m.csv"})
    plan.save(folder / "levels.toml")
    done = workflow.run(folder / "levels.toml", before=False)
    paths = done.write(tmp_path)
    paths["schema"].unlink()
    assert workflow.check(folder / "levels.toml", paths["masked"])[0].met
    original = workflow.read(folder / "housing.csv", schema)
    release = workflow.read_release(paths["masked"], original)
    assert "rest" in release.schema["DEGREE"].scale.levels


def test_the_manifest_lists_every_file_and_the_release_is_never_written_over_the_data(folder, schema, tmp_path):
    done = workflow.run(protocol(schema), folder=folder)
    paths = done.write(tmp_path)
    listed = {entry["name"] for entry in json.loads(paths["manifest"].read_text())["files"]}
    assert listed == {path.name for name, path in paths.items() if name != "manifest"}
    assert set(workflow.check_manifest(paths["manifest"]).values()) == {"unchanged"}
    over = workflow.run(protocol(schema, release={"masked": "housing.csv"}), folder=folder, before=False)
    before = (folder / "housing.csv").read_bytes()
    with pytest.raises(FileError, match="also an input"):
        over.write()
    assert (folder / "housing.csv").read_bytes() == before


def test_a_table_at_hand_needs_no_file(schema, folder):
    original = workflow.read(folder / "housing.csv", schema)
    plan = protocol(schema, source=None)
    done = workflow.run(plan, original=original, before=False)
    assert done.inputs == ()
    assert repr(done).startswith("Run(Masked(120 records by global-recoding + mixed-mdav")
    with pytest.raises(SchemaError, match="names no data"):
        workflow.run(plan)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"steps": []}, SchemaError, r"no \[\[step\]\]"),
        ({"steps": [Step("mdav", {"k": 1})]}, ParameterError, "Step 1"),
        ({"thresholds": {"il7_at_most": 3}}, UnknownNameError, "il7_at_most names no measure"),
        ({"source": Source("absent.csv")}, FileError, "does not exist"),
        ({"thresholds": {"sequence-linkage_at_most": 3}}, ParameterError, "cannot be verified"),
    ],
)
def test_what_cannot_be_run_is_said(folder, schema, changes, error, message):
    with pytest.raises(error, match=message):
        workflow.run(protocol(schema, **changes), folder=folder, before=False)


def test_nothing_to_check_is_said(folder, schema):
    with pytest.raises(SchemaError, match="nothing to check"):
        workflow.check(protocol(schema, thresholds={}), folder / "housing.csv", folder=folder)


# ----------------------------------------------------------------------------------------------------------- verdicts


def assessment(risk, loss, smallest=3):
    measures = (
        Measurement("k-anonymity", "k", "risk", 5.0, 0, 100, "%", "", details={"smallest_group": smallest}),
        Measurement("il1s", "IL1s", "loss", loss, 0, 100, "%", ""),
    )
    return Assessment(10, ("x",), measures, Score("mean", (risk + loss) / 2, loss, risk, ""))


@pytest.mark.parametrize(
    ("threshold", "value", "met"),
    [
        ({"risk_at_most": 12}, 12.0, True),
        ({"risk_at_most": 11.99}, 12.0, False),
        ({"loss_at_most": 30}, 30.0, True),
        ({"smallest_group": 2}, 2.0, True),
        ({"smallest_group": 3}, 2.0, False),
        ({"il1s_at_most": 29}, 30.0, False),
    ],
)
def test_the_worst_scenario_decides(threshold, value, met):
    after = {"a": assessment(12.0, 30.0, 5), "b": assessment(3.0, 30.0, 2)}
    (verdict,) = workflow.verify(after, threshold)
    assert (verdict.value, verdict.met) == (value, met)
    assert ("above" in verdict.sentence or "below" in verdict.sentence) != met


# ------------------------------------------------------------------------------------------------------------- Python


def run_script(script, where):
    with contextlib.chdir(where), contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(script, "script", "exec"), {})  # noqa: S102 - our own script
    return out.getvalue()


def test_the_script_of_a_protocol_writes_the_same_release(folder, schema, tmp_path):
    plan = protocol(schema, release={"masked": "by-script.csv"})
    done = workflow.run(plan, folder=folder, before=False)
    paths = done.write(tmp_path)
    printed = run_script(plan.to_python(), folder)
    assert (folder / "by-script.csv").read_bytes() == paths["masked"].read_bytes()
    assert printed.splitlines() == [verdict.sentence for verdict in done.verdicts]


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("mdav", {"k": 4, "standardise": "range", "random_state": 3}),
        ("rank-swapping", {"p": 7, "random_state": 3, "attributes": ["VALUE"]}),
        ("level-map", {"maps": {"DEGREE": {"cold": "cool"}}}),
    ],
)
def test_the_script_of_protect_writes_the_same_release(folder, method, parameters):
    script = workflow.protect_script("housing.csv", "script.csv", method, parameters, schema="housing.toml")
    run_script(script, folder)
    original = workflow.read(folder / "housing.csv", folder / "housing.toml")
    workflow.write(workflow.protect(original, method, **parameters), folder / "direct.csv")
    assert (folder / "script.csv").read_bytes() == (folder / "direct.csv").read_bytes()


def test_results_do_not_depend_on_what_was_run_before(folder, schema):
    np.random.seed(0)  # noqa: NPY002 - a global state that must not matter
    one = workflow.run(protocol(schema, steps=[Step("pram"), Step("additive-noise")]), folder=folder, before=False)
    np.random.seed(1)  # noqa: NPY002
    two = workflow.run(protocol(schema, steps=[Step("pram"), Step("additive-noise")]), folder=folder, before=False)
    assert one.masked.to_native().equals(two.masked.to_native())


# ------------------------------------------------------------------------------------------------------- part by part


def test_a_seed_is_drawn_where_the_protocol_has_none_and_stands_at_the_beginning(schema, monkeypatch):
    plan = protocol(schema)
    assert running.with_seed(plan, "text") == (plan, "text", 1)
    monkeypatch.setattr(running, "drawn_seed", lambda: 77)
    drawn, text, seed = running.with_seed(protocol(schema, seed=None), "[[step]]\n")
    assert (drawn, seed) == (protocol(schema, seed=77), 77)
    assert text == "# Drawn for this run.\nseed = 77\n\n[[step]]\n"
    zero = protocol(schema, seed=0)
    assert running.with_seed(zero, "text") == (zero, "text", 0)


def test_where_the_files_of_a_protocol_are_looked_for(schema, tmp_path):
    plan = protocol(schema)
    plan.save(tmp_path / "p.toml")
    assert running.opened(plan, None) == (plan, plan.to_toml(), Path())
    assert running.opened(plan, tmp_path)[2] == tmp_path
    assert running.opened(tmp_path / "p.toml", None) == (plan, plan.to_toml(), tmp_path)
    assert running.opened(str(tmp_path / "p.toml"), "elsewhere")[2] == Path("elsewhere")


def test_files_that_steps_name_are_listed_after_the_protocol(schema, tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x;*\n")
    steps = [
        Step("hierarchy-recoding", {"hierarchies": {"DEGREE": "b.csv"}}), Step("mdav"),
        Step("hierarchy-recoding", {"hierarchies": {"DEGREE": "a.csv"}}),
    ]  # fmt: skip
    found = running.files_of_steps(protocol(schema, steps=steps), tmp_path, [Path("p.toml")])
    assert found == [Path("p.toml"), tmp_path / "b.csv", tmp_path / "a.csv"]
    assert running.files_of_steps(protocol(schema), tmp_path) == []


def test_a_run_says_how_many_thresholds_are_met(schema):
    verdicts = [SimpleNamespace(met=met) for met in (True, False, True)]
    done = running.Run(protocol(schema), None, "masked", {}, {}, tuple(verdicts))
    assert (done.met, repr(done)) == (False, "Run('masked'; 2 of 3 thresholds met)")
    assert running.Run(protocol(schema), None, "masked", {}, {}, ()).met
    after = {"a": assessment(3.0, 30.0), "b": assessment(12.0, 30.0), "c": assessment(4.0, 30.0)}
    assert running.Run(protocol(schema), None, "masked", {}, after, ()).assessment is after["b"]


def test_the_file_is_read_as_the_protocol_says(schema, tmp_path, monkeypatch):
    asked = []
    table = SimpleNamespace(origin={})
    monkeypatch.setattr(running, "read", lambda *parts, **named: asked.append((parts, named)) or table)
    plan = protocol(schema, source=Source("a.csv", delimiter=";", header=False))
    assert running.read_source(plan, tmp_path) == (table, (tmp_path / "a.csv",))
    assert asked == [((tmp_path / "a.csv", schema), {"delimiter": ";", "header": False})]
    table.origin["catalogue"] = "formats.sas7bcat"
    assert running.read_source(plan, tmp_path)[1] == (tmp_path / "a.csv", Path("formats.sas7bcat"))
