"""Several tables in one protocol: masked each, joined as before, and attacked as whoever has them would."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet import workflow
from discreet.cli import main
from discreet.contracts.intruder import Intruder
from discreet.contracts.masked import Masked, Provenance
from discreet.errors import DataError, SchemaError
from discreet.release import running_tables
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Source, Step
from discreet.release.running_tables import check_tables
from discreet.release.several_tables import Tables

HID = dc.Attribute("HID", dc.Nominal([""]), "identifier")
HOME = dc.Attribute("HOME", dc.Nominal([""]), "identifier")
PID = dc.Attribute("PID", dc.Nominal([""]), "identifier")
REGION = dc.Attribute("REGION", dc.Nominal(["north", "south", "west"]), "key")
RENT = dc.Attribute("RENT", dc.Numeric(), "key")
AGE = dc.Attribute("AGE", dc.Numeric(), "key")
INCOME = dc.Attribute("INCOME", dc.Numeric(), "confidential")


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    n = 40
    home = rng.permutation(np.repeat(np.arange(n), rng.integers(1, 4, n)))
    pl.DataFrame(
        {
            "HID": [f"h{i}" for i in range(n)],
            "REGION": rng.choice(["north", "south", "west"], n),
            "RENT": np.round(rng.normal(900, 200, n)),
        }
    ).write_csv(tmp_path / "homes.csv")
    pl.DataFrame(
        {
            "PID": [f"SECRET{i}" for i in range(home.size)],
            "HOME": [f"h{h}" for h in home],
            "AGE": rng.integers(0, 95, home.size),
            "INCOME": np.round(rng.lognormal(10, 1, home.size)),
        }
    ).write_csv(tmp_path / "persons.csv")
    return tmp_path


def homes(**changes):
    fields = {"steps": [Step("mixed-mdav", {"k": 4})], "source": Source("homes.csv")}
    return Protocol(dc.Schema([HID, REGION, RENT]), **(fields | changes))


def persons(**changes):
    fields = {
        "steps": [Step("mdav", {"k": 4, "attributes": ["AGE"]})],
        "source": Source("persons.csv"),
        "thresholds": {"risk_at_most": 100},
    }
    return Protocol(dc.Schema([PID, HOME, AGE, INCOME]), **(fields | changes))


def both(first=None, second=None, **changes):
    fields = {"joins": [{"homes": "HID", "persons": "HOME"}], "seed": 3, "manifest": "manifest.json"}
    return Tables({"homes": first or homes(), "persons": second or persons()}, **(fields | changes))


def test_tables_are_joined_after_as_before_and_no_identifier_is_left(folder, tmp_path):
    done = workflow.run(both(), folder=folder)
    paths = done.write(tmp_path / "out")
    before = pl.read_csv(folder / "persons.csv").join(
        pl.read_csv(folder / "homes.csv").with_row_index("home"), left_on="HOME", right_on="HID", maintain_order="left"
    )
    released = pl.read_csv(paths["homes"]["masked"]).with_row_index("home")
    after = pl.read_csv(paths["persons"]["masked"]).join(
        released, left_on="HOME", right_on="HID", maintain_order="left"
    )  # fmt: skip
    assert after["home"].to_list() == before["home"].to_list()
    assert after["INCOME"].to_list() == before["INCOME"].to_list()
    assert released["HID"].sort().to_list() == list(range(1, 41))
    assert released["HID"].to_list() != list(range(1, 41))  # not the order of the file
    assert "PID" not in after.columns
    for path in (tmp_path / "out").iterdir():
        assert "SECRET" not in path.read_text(encoding="utf-8")
    groups = pl.read_csv(paths["homes"]["masked"]).group_by("REGION", "RENT").len()["len"]
    assert groups.min() >= 4  # groups of households, each once
    assert set(workflow.check_manifest(paths[""]["manifest"]).values()) == {"unchanged"}
    assert len(workflow.check_manifest(paths[""]["manifest"])) == 4


def test_the_same_protocol_gives_the_same_bytes_and_another_seed_other_numbers(folder, tmp_path):
    both().save(folder / "p.toml")
    for name in ("a", "b"):
        workflow.run(folder / "p.toml").write(tmp_path / name)
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert all((tmp_path / "a" / n).read_bytes() == (tmp_path / "b" / n).read_bytes() for n in files)
    workflow.run(both(seed=4), folder=folder).write(tmp_path / "c")
    numbers = [pl.read_csv(tmp_path / n / "homes-masked.csv")["HID"].to_list() for n in ("a", "c")]
    assert numbers[0] != numbers[1]


def test_whoever_has_both_tables_joins_them(folder):
    done = workflow.run(both(), folder=folder)
    alone = workflow.run(persons(seed=0), folder=folder)
    after = done.runs["persons"].after
    assert list(after) == ["all keys", "joined with homes"]
    assert after["joined with homes"].known == ("AGE", "REGION", "RENT")
    assert after["joined with homes"].score.risk > alone.after["all keys"].score.risk
    assert "joined with persons" not in done.runs["homes"].after  # a home has several persons
    # The risk of the joined table is that of one table in which persons have the values of their homes.
    frame = pl.read_csv(folder / "persons.csv").join(
        pl.read_csv(folder / "homes.csv"), left_on="HOME", right_on="HID", maintain_order="left"
    )
    schema = dc.Schema([PID, HOME, AGE, INCOME, REGION, RENT])
    released = {name: masked.to_native() for name, masked in done.released.items()}
    table = pl.DataFrame(released["persons"]).join(
        pl.DataFrame(released["homes"]), left_on="HOME", right_on="HID", maintain_order="left"
    )  # fmt: skip
    whole = dc.Microdata(frame, schema)
    masked = dc.Microdata(table.drop("HOME"), schema.select(["AGE", "INCOME", "REGION", "RENT"]))
    assert after["joined with homes"].score.risk == pytest.approx(dc.assess(whole, masked).score.risk)


def test_thresholds_are_held_against_the_joined_tables_too(folder):
    done = workflow.run(both(), folder=folder)
    after = done.runs["persons"].after
    between = (after["all keys"].score.risk + after["joined with homes"].score.risk) / 2
    strict = workflow.run(both(second=persons(thresholds={"risk_at_most": between})), folder=folder)
    assert not strict.met
    assert "joined with homes" in strict.verdicts["persons"][0].sentence
    free = workflow.run(both(second=persons(thresholds={"risk_at_most": between}), joins=[]), folder=folder)
    assert free.met
    assert "HOME" not in free.released["persons"].to_native().columns  # without a join, identifiers are left out


def test_tables_that_are_sampled_and_reordered_stay_joined(folder, tmp_path):
    first = homes(steps=[Step("sampling", {"share": 0.5}), Step("mixed-mdav", {"k": 4}), Step("record-order")])
    second = persons(steps=[Step("record-order"), Step("mdav", {"k": 4, "attributes": ["AGE"]})])
    done = workflow.run(both(first, second), folder=folder)
    paths = done.write(tmp_path / "out")
    released = pl.read_csv(paths["persons"]["masked"])
    original = pl.read_csv(folder / "persons.csv")
    joined = released.join(pl.read_csv(paths["homes"]["masked"]), left_on="HOME", right_on="HID", how="inner")
    kept = set(np.asarray(done.runs["homes"].masked.provenance.rows).tolist())
    expected = original.filter(pl.col("HOME").str.slice(1).cast(pl.Int64).is_in(list(kept)))
    assert sorted(joined["INCOME"]) == sorted(expected["INCOME"])
    assert f"{original.height - joined.height} of {original.height}" in done.notes[0]
    assert check_tables(both(first, second), tmp_path / "out", source=folder) == done.verdicts


def test_the_record_says_which_identifiers_became_numbers(folder, tmp_path):
    second = persons(release={"external": "e.html", "internal": "i.html", "json": "i.json"})
    paths = workflow.run(both(second=second), folder=folder).write(tmp_path / "out")
    page = paths["persons"]["external"].read_text(encoding="utf-8")
    assert "a fresh number in its place" in page
    told = json.loads(paths["persons"]["json"].read_text(encoding="utf-8"))["provenance"]
    assert told["removed"] == ["PID"]
    assert any("Fresh numbers" in note and "HOME" in note for note in told["notes"])
    assert "joined with homes" in paths["persons"]["internal"].read_text(encoding="utf-8")
    schema = workflow.load_schema(paths["persons"]["schema"])
    assert schema["HOME"].role == "identifier"
    assert workflow.read(paths["persons"]["masked"], schema).names == ("HOME", "AGE", "INCOME")


def test_checking_asks_that_the_files_are_what_the_steps_give(folder, tmp_path):
    done = workflow.run(both(), folder=folder)
    paths = done.write(tmp_path / "out")
    assert check_tables(both(), tmp_path / "out", source=folder) == done.verdicts
    frame = pl.read_csv(paths["persons"]["masked"])
    frame.with_columns(pl.col("HOME").reverse()).write_csv(paths["persons"]["masked"])  # other people's homes
    with pytest.raises(DataError, match="Table 'persons': the file 'persons-masked.csv' is not what"):
        check_tables(both(), tmp_path / "out", source=folder)
    with pytest.raises(SchemaError, match="nothing to check"):
        check_tables(both(second=persons(thresholds={})), tmp_path / "out", source=folder)


def test_the_command_line_runs_and_checks_several_tables(folder, capsys):
    both().save(folder / "p.toml")
    strict = both(second=persons(thresholds={"risk_at_most": 1}))
    strict.save(folder / "strict.toml")
    assert main._code(["run", str(folder / "p.toml"), "-o", str(folder / "out")]) == 0
    shown = capsys.readouterr().out
    assert "joined with homes" in shown
    assert "persons: risk_at_most" in shown
    assert main._code(["check", str(folder / "p.toml"), str(folder / "out")]) == 0
    assert main._code(["verify", str(folder / "out"), "-q"]) == 0
    capsys.readouterr()
    assert main._code(["run", str(folder / "strict.toml"), "-o", str(folder / "out2"), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["met"] is False
    assert set(told["tables"]) == {"homes", "persons"}
    assert main._code(["check", str(folder / "strict.toml"), str(folder / "out2"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["tables"]["persons"][0]["met"] is False


# ------------------------------------------------------------------------------------------------------------- the file


def test_the_file_says_the_same_again():
    rich = homes(
        scenarios=[Intruder("neighbour", ("REGION",))],
        steps=[Step("hierarchy-recoding", {"hierarchies": {"REGION": [["north", "all"], ["south", "all"]]}}, "HID")],
        release={"masked": "h.parquet"},
        comments={"step:0": "coarser\nregions", "end": "[[step]]"},
    )
    plan = both(rich)
    assert Tables.from_toml(plan.to_toml()) == plan
    assert "# coarser\n# regions" in plan.to_toml()
    with pytest.raises(SchemaError, match="for several tables"):
        Protocol.from_toml(plan.to_toml())


def test_it_shows_itself():
    shown = both()._repr_html_()
    assert "Protocol for 2 tables" in shown
    assert "seed" not in shown
    assert "homes.HID = persons.HOME" in shown
    assert "mixed-mdav" in shown


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((lambda t: t.replace('homes = "HID"', 'houses = "HID"')), "no table named 'houses'. Did you mean 'homes'"),
        ((lambda t: t.replace('homes = "HID"', 'homes = "HIT"')), "declares no attribute 'HIT'.*HID"),
        ((lambda t: t.replace('homes = "HID"', 'homes = "RENT"')), "must have the role identifier"),
        ((lambda t: t.replace('homes = "HID"\n', "")), "must name two tables"),
        ((lambda t: t.replace('name = "persons"', 'name = "homes"', 1)), "two tables are called 'homes'"),
        ((lambda t: t.replace("[[table.step]]", "[[table.stop]]", 1)), r"Line \d+: .*unknown key 'stop'.*step"),
        ((lambda t: t.replace("risk_at_most", "risk_at_mots")), "Table 'persons': .*unknown threshold"),
        ((lambda t: t.replace('file = "persons.csv"', 'fil = "persons.csv"')), r"Table 'persons': Line \d+.*'fil'"),
        ((lambda t: t.replace("seed = 3", "seed = -3")), "seed must be"),
        ((lambda t: t.replace("seed = 3", "sed = 3")), "unknown key 'sed'"),
        ((lambda t: t + '\n[[join]]\nhomes = "HID"\npersons = "HOME"\n'), "in another join already"),
        ((lambda t: t.replace("[release]\n", '[release]\nmasked = "x.csv"\n', 1)), "unknown key 'masked'"),
        ((lambda t: t[: t.index("[[table]]")] + "[table]\nname = 1\n"), "double brackets"),
    ],
)
def test_what_is_wrong_in_the_file_is_said_with_its_place(change, message):
    text = change(both().to_toml())
    with pytest.raises(SchemaError, match=message):
        Tables.from_toml(text)


def test_a_line_is_that_of_the_file():
    text = both().to_toml().replace('file = "persons.csv"', 'fil = "persons.csv"')
    line = next(i for i, one in enumerate(text.splitlines(), start=1) if one.startswith("fil = "))
    with pytest.raises(SchemaError, match=f"Line {line}: "):
        Tables.from_toml(text)


def test_contradictions_between_tables_are_refused(folder):
    twice = persons(steps=[Step("identifiers", {"renumber": ["HOME"]})])
    with pytest.raises(SchemaError, match="renumbers or removes 'HOME' by itself"):
        both(second=twice)
    with pytest.raises(SchemaError, match="would both be written to 'm.csv'"):
        both(homes(release={"masked": "m.csv"}), persons(release={"masked": "m.csv"}))
    with pytest.raises(SchemaError, match="names no table"):
        Tables({})
    with pytest.raises(SchemaError, match=r"Table 'persons': The protocol has no \[\[step\]\]"):
        workflow.run(both(second=persons(steps=[])), folder=folder)


# ----------------------------------------------------------------------------------------------------------- the parts


def table_of(*attributes, **columns):
    return dc.Microdata(pl.DataFrame(columns), dc.Schema(attributes))


@pytest.mark.parametrize(
    ("child", "parent", "places"),
    [
        (["b", "a", "b"], ["a", "b"], [1, 0, 1]),
        (["b", "x", None], ["a", "b"], [1, -1, -1]),
        (["b"], ["a", "a"], None),
        (["a", "b"], ["c"], [-1, -1]),
        ([], ["a"], []),
        (["a"], [], [-1]),
        (["a", None], ["a", None], [0, -1]),
    ],
)
def test_every_record_has_its_place_in_the_other_table(child, parent, places):
    schema, kinds = dc.Schema([dc.Attribute("H", dc.Nominal([""]), "identifier")]), {"H": pl.String}
    tables = [dc.Microdata(pl.DataFrame({"H": one}, schema=kinds), schema) for one in (child, parent)]
    found = running_tables._partners(tables[0], "H", tables[1], "H")
    assert (found if found is None else found.tolist()) == places


def test_what_another_table_says_stands_beside_under_a_name_of_its_own():
    rent, region = dc.Attribute("homes.RENT", dc.Numeric(), "key"), dc.Attribute("REGION", dc.Nominal(["n"]), "other")
    child = table_of(RENT, rent, RENT=[1.0, 2.0], **{"homes.RENT": [3.0, 4.0]})
    weight = dc.Attribute("W", dc.Numeric(), "weight")
    parent = table_of(HID, RENT, region, weight, HID=["a", "b"], RENT=[5.0, 6.0], REGION=["n", "n"], W=[1.0, 1.0])
    joined = running_tables._beside(child, parent, "homes")
    assert joined.to_arrow().to_pydict() == {
        "RENT": [1, 2], "homes.RENT": [3, 4], "homes.RENT'": [5, 6], "REGION": ["n", "n"],
    }  # fmt: skip
    assert [(a.name, a.role) for a in joined.schema] == [
        ("RENT", "key"), ("homes.RENT", "key"), ("homes.RENT'", "key"), ("REGION", "other"),
    ]  # fmt: skip


def test_the_note_on_numbers_is_true_of_every_step():
    said = "Identifiers that are not released (2): PID, HOME."
    step = Provenance("mdav", {}, (), 2, removed=("PID", "HOME"), notes=("first", said))
    whole = Provenance("chain", {}, (), 2, removed=("PID", "HOME"), notes=(said,), details={"a": 1}, history=(step,))
    masked = Masked(table_of(AGE, AGE=[1.0, 2.0]), whole)
    assert running_tables._with_note_on_numbers(masked, ()) is masked
    found = running_tables._with_note_on_numbers(masked, ("HOME",)).provenance
    left = "Identifiers that are not released (1): PID."
    assert (found.removed, found.notes) == (
        ("PID",), (left, "Fresh numbers, the same in all tables, in place of HOME."),
    )  # fmt: skip
    assert found.details == {"a": 1, "renumbered": ["HOME"]}
    assert [(one.removed, one.notes) for one in found.history] == [(("PID",), ("first", left))]
    none = running_tables._with_note_on_numbers(masked, ("HOME", "PID")).provenance
    assert (none.removed, none.notes) == ((), ("Fresh numbers, the same in all tables, in place of HOME, PID.",))


def test_where_files_are_looked_for(tmp_path):
    plan = both()
    plan.save(tmp_path / "p.toml")
    assert running_tables._opened(plan, None)[1:] == (plan.to_toml(), Path())
    assert running_tables._opened(plan, tmp_path)[2] == tmp_path
    assert running_tables._opened(tmp_path / "p.toml", None) == (plan, plan.to_toml(), tmp_path)
    assert running_tables._opened(str(tmp_path / "p.toml"), "elsewhere")[2] == Path("elsewhere")
    assert running_tables.is_for_tables(tmp_path / "p.toml")
    (tmp_path / "one.toml").write_text(homes().to_toml())
    assert not running_tables.is_for_tables(tmp_path / "one.toml")


def test_numbers_come_first_in_the_order_of_the_released_records():
    rows = np.array([2, 0])
    masked = Masked(table_of(AGE, AGE=[1.0, 2.0]), Provenance("sampling", {}, (), 2, rows=rows))
    numbers = [table_of(HOME, HOME=["1", "2", "3"]), table_of(PID, PID=["7", "8", "9"])]
    found = running_tables._with_numbers(masked, numbers).microdata
    assert found.to_arrow().to_pydict() == {"PID": ["9", "7"], "HOME": ["3", "1"], "AGE": [1, 2]}
    assert {a.name: a.role for a in found.schema} == {"PID": "identifier", "HOME": "identifier", "AGE": "key"}
    plain = Masked(table_of(AGE, AGE=[1.0, 2.0, 3.0]), Provenance("mdav", {}, (), 3))
    found = running_tables._with_numbers(plain, numbers[:1]).microdata
    assert found.to_arrow().to_pydict() == {"HOME": ["1", "2", "3"], "AGE": [1, 2, 3]}


def test_a_run_says_how_many_thresholds_are_met_and_names_its_files(folder, tmp_path):
    done = workflow.run(both(first=homes(thresholds={"risk_at_most": 0}), joins=[], seed=3), folder=folder)
    assert repr(done) == "TablesRun(homes, persons; 1 of 2 thresholds met)"
    assert (done.met, {name: [one.met for one in told] for name, told in done.verdicts.items()}) == (
        False, {"homes": [False], "persons": [True]},
    )  # fmt: skip
    paths = done.write(tmp_path / "out")
    assert list(paths) == ["homes", "persons", ""]
    manifest = json.loads(paths[""]["manifest"].read_text(encoding="utf-8"))
    assert manifest["thresholds"] == {"homes.risk_at_most": "missed", "persons.risk_at_most": "met"}
    beside = workflow.run(both(joins=[], manifest=None), folder=folder).write()
    assert list(beside) == ["homes", "persons"]
    assert beside["homes"]["masked"] == folder / "homes-masked.csv"
