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
