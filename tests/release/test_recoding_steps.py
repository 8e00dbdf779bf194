"""Typed recodings as steps of a protocol: written, read again, and run to the same file."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as dc
from discreet.datasets import business
from discreet.errors import ParameterError
from discreet.release.protocol_parts import Step
from discreet.release.recoding_steps import recode_steps, recoded_masker

TYPED = ["EMPLOYEES=<10,50,250+", "TURNOVER=log:5/median/4"]


def test_steps_of_a_kind_are_one_step():
    steps = recode_steps(
        ["a=nice:3", "b=0,5+", "c=nice:3/mean", "d=rare:5", "e=rare:5", "f=@x.csv:2", "g=@y.grc", "h=year"]
    )
    assert [(s.method, dict(s.parameters)) for s in steps] == [
        ("banding", {"bands": {"a": "nice:3", "b": "0,5+"}}),
        ("banding", {"bands": {"c": "nice:3"}, "release": "mean"}),
        ("rare-levels", {"min_count": 5, "attributes": ["d", "e"]}),
        ("hierarchy-recoding", {"hierarchies": {"f": "x.csv", "g": "y.grc"}, "step": {"f": 2, "g": 1}}),
        ("date-coarsening", {"to": {"h": "year"}}),
    ]


def test_a_protocol_holds_the_same_and_gives_the_same():
    table = business(200)
    tree = dc.Hierarchy.from_intervals(range(20_000), [100, 1000])
    steps = [
        *recode_steps(TYPED),
        Step("hierarchy-recoding", {"hierarchies": {"RESEARCH": [list(r) for r in tree.rows.values()][:9]}}),
    ]
    protocol = dc.Protocol(table.schema, steps)
    again = dc.Protocol.from_toml(protocol.to_toml())
    assert [(s.method, s.parameters) for s in again.steps] == [(s.method, s.parameters) for s in protocol.steps]
    typed = recoded_masker(TYPED).mask(table)
    run = dc.Chain(again.steps[:2], seed=1).mask(table)
    assert typed.microdata.to_arrow().equals(run.microdata.to_arrow())


def test_a_column_may_be_recoded_again_in_another_way_and_later():
    steps = recode_steps(["a=rare:5", "town=prefix:1", "town=rare:5", "b=prefix:2"])
    assert [(s.method, dict(s.parameters)) for s in steps] == [
        ("rare-levels", {"min_count": 5, "attributes": ["a"]}),
        ("code-truncation", {"digits": {"town": 1, "b": 2}}),
        ("rare-levels", {"min_count": 5, "attributes": ["town"]}),
    ]
    towns = pl.DataFrame({"town": [*(["A1", "A2", "A3"] * 2), "B1", "B1", "B1", "B1", "C1"]})
    schema = dc.Schema([dc.Attribute("town", dc.Nominal(sorted(set(towns["town"]))), "key")])
    masked = recoded_masker(["town=prefix:1", "town=rare:5"]).mask(towns, schema).to_native()["town"].to_list()
    assert masked == [*["A"] * 6, *["other"] * 5]


@pytest.mark.parametrize(
    ("twice", "words"),
    [
        (["age=0,30+", "age=nice:5"], "twice for the same kind of recoding"),
        (["age=rare:5", "age=nice:5"], "banding needs the numbers"),
        (["d=x>y", "d=year"], "date-coarsening needs the numbers or dates"),
    ],
)
def test_a_second_recoding_that_cannot_follow_is_refused(twice, words):
    with pytest.raises(ParameterError, match=words):
        recode_steps(twice)


@pytest.mark.parametrize(
    "bad", ["", "=x", "a=", "a=b>c,d", "a=x>", "a=x>1,x>2", "a=>none", "a=rare:5/up", "a=prefix:0"]
)
def test_what_says_no_recoding_is_refused(bad):
    with pytest.raises(ParameterError, match="--recode"):
        recode_steps([bad])


@pytest.mark.parametrize(
    ("typed", "method", "parameters"),
    [
        ("a=nice:3 / mean / 4", "banding", {"bands": {"a": "nice:3"}, "release": "mean", "min_count": 4}),
        ("a=equal:5/midpoint/refuse/2", "banding",
         {"bands": {"a": "equal:5"}, "release": "midpoint", "empty": "refuse", "min_count": 2}),
        ("a=width:10/keep/median", "banding", {"bands": {"a": "width:10"}, "empty": "keep", "release": "median"}),
        (" a = 0,5+/label ", "banding", {"bands": {"a": "0,5+"}, "release": "label"}),
        ("a=@dir:x/tree.csv", "hierarchy-recoding", {"hierarchies": {"a": "dir:x/tree.csv"}, "step": {"a": 1}}),
        ("a=@dir:x/tree.csv:3", "hierarchy-recoding", {"hierarchies": {"a": "dir:x/tree.csv"}, "step": {"a": 3}}),
        ("a=rare:2", "rare-levels", {"min_count": 2, "attributes": ["a"]}),
        ("a=rare:5/nearest", "rare-levels", {"min_count": 5, "attributes": ["a"], "into": "nearest"}),
        ("a=rare:5/other > rest", "rare-levels",
         {"min_count": 5, "attributes": ["a"], "into": "other", "category": "rest"}),
        ("a=prefix: 1", "code-truncation", {"digits": {"a": 1}}),
        ("a=x > y, z>y,", "level-map", {"maps": {"a": {"x": "y", "z": "y"}}}),
        ("a=x>y,>none", "level-map", {"maps": {"a": {"x": "y"}}, "missing": {"a": "none"}}),
        ("a=month", "date-coarsening", {"to": {"a": "month"}}),
        ("a=b=c>d", "level-map", {"maps": {"a": {"b=c": "d"}}}),
    ],
)  # fmt: skip
def test_what_is_typed_is_one_step(typed, method, parameters):
    (step,) = recode_steps([typed])
    assert (step.method, dict(step.parameters)) == (method, parameters)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("a", "--recode must be COLUMN=HOW; got 'a'"),
        ("a=3/up", "--recode a: '3/up' says no recoding"),
        ("a=nice:3/1", "--recode a: '1' must be a whole number of at least 2"),
        ("a=nice:3/up", "--recode a: 'up' must be a whole number of at least 2"),
        ("a=rare:1", "--recode a: '1' must be a whole number of at least 2"),
        ("a=prefix:0", "--recode a: '0' must be a whole number of at least 1"),
        ("a=rare:5/up", "--recode a: rare levels go to 'other' or 'nearest'; got 'up'"),
        ("a=x>", "--recode a: a map must be OLD>NEW,OLD>NEW; got 'x>'"),
        ("a=x>y>z", "--recode a: a new level must not hold '>'"),
        ("a=x>1,y>2,x>2", "--recode a: the map names 'x' twice"),
        ("a=>none", "--recode a: a map must name a level beside the missing values"),
    ],
)
def test_what_is_wrong_in_a_recoding_is_said_with_its_column(bad, words):
    with pytest.raises(ParameterError, match=f"^{words}"):
        recode_steps([bad])


def test_a_second_recoding_names_what_came_before():
    with pytest.raises(ParameterError, match=r"--recode names 'a' twice for the same kind of recoding \(rare-levels\)"):
        recode_steps(["a=rare:5", "a=rare:6"])
    with pytest.raises(ParameterError, match="banding needs the numbers .*, and rare-levels comes before it"):
        recode_steps(["a=prefix:3", "a=rare:5", "a=nice:5"])


def test_rare_levels_that_differ_in_more_than_their_columns_are_two_steps():
    steps = recode_steps(["a=rare:5", "b=rare:6", "c=rare:5>rest", "d=rare:5", "e=nice:3/4", "f=nice:5/4", "g=nice:3"])
    assert [(s.method, dict(s.parameters)) for s in steps] == [
        ("rare-levels", {"min_count": 5, "attributes": ["a", "d"]}),
        ("rare-levels", {"min_count": 6, "attributes": ["b"]}),
        ("rare-levels", {"min_count": 5, "attributes": ["c"], "category": "rest"}),
        ("banding", {"bands": {"e": "nice:3", "f": "nice:5"}, "min_count": 4}),
        ("banding", {"bands": {"g": "nice:3"}}),
    ]


def test_recodings_alone_before_a_method_and_with_its_seed():
    alone = recoded_masker(["a=nice:3"])
    assert alone.name == "banding"
    two = recoded_masker(["a=nice:3", "b=rare:5"])
    assert ([one.name for one in two.steps], two.seed) == (["banding", "rare-levels"], None)
    chain = recoded_masker(["a=nice:3"], "rank-swapping", {"p": 5, "random_state": 9})
    assert ([one.name for one in chain.steps], chain.seed) == (["banding", "rank-swapping"], 9)
    assert chain.steps[1].p == 5
    per_unit = recoded_masker(["a=nice:3"], "mdav", {"k": 4}, "home").steps[1]
    assert (per_unit.unit, per_unit.masker.k) == ("home", 4)
    assert recoded_masker([], "mdav", {"k": 4}).k == 4
    with pytest.raises(ParameterError, match="A unit is for the method that masks"):
        recoded_masker(["a=nice:3"], unit="home")
