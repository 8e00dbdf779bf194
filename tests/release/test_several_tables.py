"""A protocol for several tables as a text and as an object: what it holds, what it refuses, and where it says so."""

from __future__ import annotations

import pytest

import discreet as dc
from discreet.errors import SchemaError
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Step
from discreet.release.several_tables import Tables

HID = dc.Attribute("HID", dc.Nominal([""]), "identifier")
PID = dc.Attribute("PID", dc.Nominal([""]), "identifier")
AGE = dc.Attribute("AGE", dc.Numeric(), "key")


def plan(*attributes, **fields):
    return Protocol(dc.Schema([HID, *(attributes or (AGE,))]), **{"steps": [Step("mdav", {"k": 3})], **fields})


def both(first=None, second=None, **fields):
    return Tables({"homes": first or plan(), "persons": second or plan(PID, AGE)}, **fields)


JOIN = {"homes": "HID", "persons": "HID"}


def test_seeds_of_single_tables_are_not_used_and_joins_are_copied():
    join = dict(JOIN)
    tables = both(plan(seed=7), joins=[join], seed=5, manifest="m.json")
    join["homes"] = "AGE"
    assert [one.seed for one in tables.tables.values()] == [None, None]
    assert (tables.joins, tables.seed, tables.manifest) == ((JOIN,), 5, "m.json")
    assert both() == Tables({"homes": plan(), "persons": plan(PID, AGE)}, (), None, None)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"joins": [{"homes": "HID"}]}, r"\[\[join\]\] number 1 must name two tables"),
        ({"joins": [JOIN, {"homes": "HID", "persons": "PID"}]}, "number 2: 'HID' of 'homes' is in another join"),
        ({"joins": [{"homes": "HID", "person": "HID"}]}, "no table named 'person'. Did you mean 'persons'"),
        ({"joins": [{"homes": "HIT", "persons": "HID"}]}, "'homes' declares no attribute 'HIT'.*HID"),
        ({"joins": [{"homes": "AGE", "persons": "HID"}]}, "'AGE' of 'homes' must have the role identifier"),
        ({"first": plan(steps=[Step("identifiers", {"remove": ["HID"]})]), "joins": [JOIN]}, "or removes 'HID'"),
        ({"first": plan(steps=[Step("identifiers", {"renumber": ["HID"]})]), "joins": [JOIN]}, "or removes 'HID'"),
        ({"first": plan(steps=[Step("pseudonyms", {"exchange": ["HID"]})]), "joins": [JOIN]}, "gives 'HID' pseudonyms"),
        ({"first": plan(release={"json": "persons-masked.csv"})}, "'homes' and 'persons' would both be written"),
        ({"manifest": "homes-masked.csv"}, "The manifest and a file of 'homes' have the same name"),
        ({"seed": -1}, "seed must be"),
    ],
)  # fmt: skip
def test_contradictions_are_refused(fields, message):
    with pytest.raises(SchemaError, match=message):
        both(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"joins": [JOIN, {"homes": "PID", "persons": "PID"}], "first": plan(PID, AGE)},
        {"first": plan(steps=[Step("identifiers", {"renumber": ["HID"]})])},
        {"second": plan(PID, AGE, steps=[Step("identifiers", {"renumber": ["PID"]})]), "joins": [JOIN]},
        {"second": plan(PID, AGE, steps=[Step("pseudonyms", {"exchange": ["PID"]})]), "joins": [JOIN]},
        {"manifest": "all.json", "first": plan(release={"json": "h.json", "masked": "h.csv"})},
    ],
)  # fmt: skip
def test_what_contradicts_nothing_is_written_and_read_again(fields, tmp_path):
    tables = both(**fields)
    assert Tables.from_toml(tables.to_toml()) == tables
    tables.save(tmp_path / "p.toml")
    assert (tmp_path / "p.toml").read_text(encoding="utf-8") == tables.to_toml()
    assert Tables.load(tmp_path / "p.toml") == tables


def test_the_whole_text():
    text = Tables({"homes": plan(steps=[]), "persons": plan(steps=[])}, [JOIN], 5, "m.json").to_toml()
    heads = [
        line for line in text.splitlines() if line.startswith(("[", "seed", "manifest", "name", "homes", "persons"))
    ]
    about = ["[[table.attribute]]", 'name = "HID"', "[[table.attribute]]", 'name = "AGE"']
    assert heads == [
        "seed = 5", "[release]", 'manifest = "m.json"', "[[table]]", 'name = "homes"', *about, "[[table]]",
        'name = "persons"', *about, "[[join]]", 'homes = "HID"', 'persons = "HID"',
    ]  # fmt: skip


TEXT = """seed = 3
[[table]]
name = "a"
[[table.attribute]]
name = "X"
role = "key"
scale = "numeric"
[table.data]
file = "a.csv"
[[table]]
name = "b"
[[table.attribute]]
name = "X"
role = "key"
scale = "numeric"
[table.data]
file = "b.csv"
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # The last line of a table, and the first of the next.
        ('file = "a.csv"', 'fil = "a.csv"', "^Table 'a': Line 9: .*unknown key 'fil'"),
        ('file = "b.csv"', 'fil = "b.csv"', "^Table 'b': Line 17: .*unknown key 'fil'"),
        ('name = "b"', 'nam = "b"', r"^Line 11: \[\[table\]\] number 2 has an unknown key 'nam'"),
        ('name = "a"', "name = 3", r"^Line 2: \[\[table\]\] number 1 must have a name"),
        ('name = "b"', 'name = ""', r"^Line 10: \[\[table\]\] number 2 must have a name"),
        ('name = "b"', 'name = "a"', r"^Line 10: \[\[table\]\] number 2: two tables are called 'a'"),
        ("seed = 3", "sed = 3", "^Line 1: A protocol for several tables has an unknown key 'sed'"),
        ("seed = 3", '[release]\nmasked = "x"', r"^Line 2: \[release\] of several tables has an unknown key 'masked'"),
        ("seed = 3", "join = 3", r"Write \[\[join\]\] with double brackets"),
        ("seed = 3", "[[join]]\na = 3", r"^Line 1: \[\[join\]\] must name a column for each table"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(old, new, message):
    assert list(Tables.from_toml(TEXT).tables) == ["a", "b"]
    with pytest.raises(SchemaError, match=message):
        Tables.from_toml(TEXT.replace(old, new))


def test_it_shows_its_tables_and_what_joins_them():
    shown = both(joins=[JOIN], first=plan(thresholds={"risk_at_most": 5}))._repr_html_()
    assert "Protocol for 2 tables" in shown
    assert "homes.HID = persons.HID" in shown
    assert "mdav" in shown
    assert "homes.HID" not in both()._repr_html_()
