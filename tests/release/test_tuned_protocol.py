"""From nothing to a protocol: what is proposed for every kind of keys, and that running it gives its very figures."""

from __future__ import annotations

from types import SimpleNamespace

import polars as pl
import pytest

import discreet as dc
from discreet.errors import DiscreetError, SchemaError
from discreet.release import tuned_protocol
from discreet.release.ceilings import release_type
from discreet.release.proposed_chains import propose_chains, rounding_bases
from discreet.release.protocol_parts import Source, Step
from discreet.release.tuned_protocol import steps_of, tune_protocol

QUICK = {"budget": 6, "random_state": 3, "workers": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("files")
    numbers = dc.datasets.business(90).to_polars().select("EMPLOYEES", "TURNOVER", "WAGES")
    numbers.write_csv(path / "numbers.csv")
    people = pl.DataFrame({
        "region": ["north", "south", "east", "west"] * 30,
        "sex": ["f", "m", "f"] * 40,
        "status": ["single", "married", "widowed", "single", "married"] * 24,
        "age": [20.5 + (i * 37 % 61) for i in range(120)],
    })  # fmt: skip
    people.write_csv(path / "people.csv")
    people.drop("age").write_csv(path / "codes.csv")
    return path


@pytest.mark.parametrize("name", ["numbers", "codes", "people"])
def test_running_the_protocol_gives_the_very_figures(folder, name):
    keys = {"people": "region,sex,status,age", "codes": "region,sex,status"}.get(name, "EMPLOYEES,TURNOVER,WAGES")
    declared = dc.Declaration(keys=keys.split(","))
    signed = tune_protocol(folder / f"{name}.csv", schema=declared, **QUICK)
    path = folder / f"{name}.toml"
    signed.protocol.save(path)
    ran = dc.run(path)
    best = signed.tuned.best["draw"]
    assert (ran.assessment.score.risk, ran.assessment.score.loss) == (best["risk"], best["loss"])
    assert ran.met == signed.tuned.met
    text = path.read_text()
    assert f"risk {best['risk']:.2f} %, loss {best['loss']:.2f} %" in text
    assert all(one["candidate"] in text for one in signed.tuned.tried)
    assert len(signed.tuned.tried) == 6


def test_a_protocol_with_alternatives_brings_its_intruders_and_thresholds(folder):
    text = signed_text = (
        dc.Protocol(
            dc.read(folder / "numbers.csv").schema.with_roles(EMPLOYEES="key", TURNOVER="key", WAGES="key"),
            scenarios=[dc.Intruder("rival", ("TURNOVER",))],
            thresholds={"risk_at_most": 60, "smallest_group": 4},
        ).to_toml()
        + '[[step]]\nany_of = [{method = "mdav", k = [2, 4, 9]}, {method = "rank-swapping", p = 5}]\n'
    )
    path = folder / "open.toml"
    path.write_text(signed_text)
    signed = tune_protocol(folder / "numbers.csv", protocol=path, folder=folder, random_state=1, budget=10)
    assert signed.tuned.space == 4
    assert signed.tuned.best["label"] == "mdav(k=4)"
    assert signed.protocol.scenarios == dc.OpenProtocol.from_toml(text).protocol.scenarios
    assert signed.protocol.release == {"masked": "numbers-masked.csv"}, "where nothing is said of the files"
    ran = dc.run(signed.protocol, folder=folder)
    assert ran.met
    assert ran.assessment.score.risk == signed.tuned.best["draw"]["risk"]
    nearest = tune_protocol(
        folder / "numbers.csv",
        protocol=path,
        folder=folder,
        random_state=1,
        budget=10,
        thresholds={"smallest_group": 30},
    )
    assert not nearest.tuned.met
    files = {"masked": "mine.csv", "internal": "mine.html"}
    path.write_text(
        text.replace("[[step]]", "[release]\n" + "".join(f'{k} = "{v}"\n' for k, v in files.items()) + "\n[[step]]", 1)
    )
    assert tune_protocol(folder / "numbers.csv", protocol=path, folder=folder, **QUICK).protocol.release == files
    assert "NO CANDIDATE OF 4 MEETS EVERY THRESHOLD" in nearest.protocol.to_toml()


def test_alternatives_that_name_files_are_chosen_from_beside_them(folder, tmp_path):
    (tmp_path / "region.csv").write_text("north;*\nsouth;*\neast;*\nwest;*\n")
    schema = dc.read(folder / "codes.csv", dc.Declaration(keys=["region", "sex", "status"])).schema
    step = '[[step]]\nmethod = "hierarchy-recoding"\nstep = [1, 0]\n[step.hierarchies]\nregion = "region.csv"\n'
    (tmp_path / "open.toml").write_text(dc.Protocol(schema).to_toml() + step)
    with pytest.raises(DiscreetError, match="must stand beside them"):
        tune_protocol(folder / "codes.csv", protocol=tmp_path / "open.toml", folder=folder, **QUICK)


def test_public_use_asks_for_larger_groups_and_every_kind_of_key_has_candidates():
    for table in (dc.datasets.business(30), dc.datasets.itineraries(30)):
        small, large = (
            {chain.label() for chain in propose_chains(table.schema, 30, release_type(kind))}
            for kind in ("research", "public")
        )
        assert small != large
        assert any("k=20" in label for label in large)
        assert not any("k=20" in label for label in small)
        for chain in propose_chains(table.schema, 30, release_type("research")):
            assert chain.maskers  # every one can be built


def test_rounding_follows_the_numbers_and_a_constant_has_none():
    table = dc.microdata(pl.DataFrame({"x": [float(i) + 0.5 for i in range(200)], "one": [3.5] * 200}))
    bases = rounding_bases(table)
    assert bases["x"] == 10
    assert "one" not in bases


def test_what_is_no_release_type_and_a_file_without_keys(folder, tmp_path):
    with pytest.raises(DiscreetError, match="one of research, public"):
        tune_protocol(folder / "codes.csv", release="friends", **QUICK)
    with pytest.raises(SchemaError, match="No column looks like a key"):
        propose_chains(dc.datasets.business(5).schema.with_roles(
            **dict.fromkeys(dc.datasets.business(5).schema.keys, "other")), 5, release_type("research"))  # fmt: skip


def test_steps_of_chains_of_maskers_can_be_written():
    chain = dc.Chain([dc.TopCoding(share=0.1), dc.PerUnit(dc.MDAV(k=4), "house")], seed=3)
    steps = steps_of(chain)
    assert [(step.method, step.unit) for step in steps] == [("top-coding", None), ("mdav", "house")]
    assert steps[1].parameters == {"k": 4}


def tried(candidate, records=40, **figures):
    return {"candidate": candidate, "records": records, "risk": None, "loss": None, "risk_at_least": None,
            "outcome": "kept", **figures}  # fmt: skip


def test_what_was_tried_is_told_the_chosen_one_first_and_then_by_how_much_was_looked_at():
    found = SimpleNamespace(
        best={"label": "b"},
        rungs=(SimpleNamespace(candidates=9, records=1000), SimpleNamespace(candidates=3, records=4000)),
        tried=[
            tried("a", 1000, risk=1.234, loss=5.678), tried("b", 1000, risk_at_least=7.0, outcome="stopped"),
            tried("c", 4000, risk=2.0, risk_at_least=1.0), tried("b", 4000),
        ],
    )  # fmt: skip
    assert tuned_protocol._told(found, 4000).splitlines() == [
        "Tried, 9 on 1,000 records, 3 on all 4,000 records; figures of a sample only chose who went on:",
        "  b: risk –, loss –, 4,000 records, kept",
        "  b: risk at least 7.00, loss –, 1,000 records, stopped",
        "  c: risk 2.00, loss –, 4,000 records, kept",
        "  a: risk 1.23, loss 5.68, 1,000 records, kept",
    ]
    for count, last in ((14, "  n13: risk"), (15, "  and 1 more"), (17, "  and 3 more")):
        found.tried = [tried(f"n{i}") for i in range(count)]
        lines = tuned_protocol._told(found, 40).splitlines()
        assert len(lines) == min(count, 15) + 1
        assert lines[-1].startswith(last)


def test_the_head_says_what_was_chosen_or_what_is_missed():
    best = {"draw": {"risk": 12.25, "loss": 6.0}}
    found = SimpleNamespace(best=best, records=1234, space=45, met=True, misses=("a", "b"))
    figures = "risk 12.25 %, loss 6.00 % on 1,234 records"
    chosen = f"Chosen among 45 candidates: {figures}. `discreet run` gives these very figures."
    assert tuned_protocol._head(found, "") == chosen
    assert tuned_protocol._head(found, "Before.").endswith("these very figures.\nBefore.")
    found.met = False
    assert tuned_protocol._head(found, "").splitlines() == [
        f"NO CANDIDATE OF 45 MEETS EVERY THRESHOLD. This one comes nearest: {figures}.",
        "It misses: a; b.",
    ]


def test_the_seed_of_a_search_is_its_own_unless_it_goes_on_with_what_is_stored(tmp_path, monkeypatch):
    monkeypatch.setattr(tuned_protocol, "drawn_seed", lambda: 77)
    assert tuned_protocol._seed(0, None, resume=False) == 0
    assert tuned_protocol._seed(5, tmp_path, resume=True) == 5
    assert tuned_protocol._seed(None, tmp_path, resume=True) is None
    assert tuned_protocol._seed(None, tmp_path, resume=False) == 77
    assert tuned_protocol._seed(None, None, resume=True) == 77


def test_a_protocol_with_alternatives_is_planned_for_the_file_at_hand(folder, tmp_path):
    schema = dc.read(folder / "codes.csv").schema

    def planned(path, source, home=None, **layout):
        opened = dc.OpenProtocol(dc.Protocol(schema, source=source), ())
        return tuned_protocol._planned(path, opened, None, "research", home, layout)

    plan = planned(folder / "codes.csv", None)
    assert (plan.source, plan.release) == (Source("codes.csv"), {"masked": "codes-masked.csv"})
    plan = planned(
        folder / "codes.csv", Source("old.csv", delimiter=";", encoding="latin-1"), delimiter=",", header=None
    )
    assert plan.source == Source("codes.csv", delimiter=",", encoding="latin-1")
    assert planned(folder / "codes.csv", None, folder.parent).source.file == f"{folder.name}/codes.csv"
    assert planned(folder / "codes.csv", None, tmp_path).source.file == str((folder / "codes.csv").resolve())


def test_what_cannot_be_searched_for_is_said(folder):
    with pytest.raises(DiscreetError, match="tune_protocol: path must be the path of a file"):
        tune_protocol(3)
    with pytest.raises(DiscreetError, match="protocol must be an OpenProtocol or the path of its file"):
        tune_protocol(folder / "codes.csv", protocol=3)
    with pytest.raises(DiscreetError, match="Only maskers and chains can be written"):
        steps_of("mdav")


def test_a_masker_is_one_step_with_k_and_what_is_not_as_usual():
    (step,) = steps_of(dc.MDAV())
    assert (step.method, step.parameters, step.unit) == ("mdav", {"k": 3}, None)
    (step,) = steps_of(dc.RankSwapping(p=7, random_state=12))
    assert (step.method, step.parameters) == ("rank-swapping", {"p": 7, "random_state": 12})
    own = Step("mdav", {"k": 3, "standardise": "range"})
    assert steps_of(dc.Chain([own], seed=1)) == (own,)


def test_a_tuned_protocol_shows_its_search():
    assert repr(tuned_protocol.TunedProtocol(None, "found", None)) == "TunedProtocol('found')"
