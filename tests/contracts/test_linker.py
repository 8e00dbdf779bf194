"""What every linker checks before it links: on which attributes, and which files."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts.engine import InProcess
from discreet.contracts.linker import Linker, _with_values, nothing_in_common
from discreet.data.scales.gap_flag import GapFlag, flagged_by
from discreet.errors import DataError, SchemaError

SCHEMA = dc.Schema(
    [
        dc.Attribute("id", dc.Numeric(), "identifier"),
        dc.Attribute("x", dc.Numeric(), "key"),
        dc.Attribute("c", dc.Nominal(("a", "b")), "key"),
        dc.Attribute("o", dc.Numeric(), "other"),
    ]
)


def people(**cells):
    whole = {"id": [1, 2, 3], "x": [1.0, 2.0, 5.0], "c": ["a", "b", "a"], "o": [1.0, 2.0, 3.0]} | cells
    kinds = {"id": pl.Int64, "x": pl.Float64, "c": pl.String, "o": pl.Float64}
    return dc.microdata(pl.DataFrame(whole, schema=kinds), SCHEMA)


def distance(**given):
    return dc.methods("linker")["distance"](**given)


def test_files_are_linked_on_their_common_keys_or_on_what_is_asked_for():
    data = people()
    assert distance()._names(data.schema, data.schema) == ("x", "c")
    assert distance()._names(data.schema, data.select(["c", "o"]).schema) == ("c",)
    assert distance(attributes=["o", "x"])._names(data.schema, data.schema) == ("o", "x")
    with pytest.raises(SchemaError, match="'id' is an identifier"):
        distance(attributes=["id"])._names(data.schema, data.schema)


def test_files_without_a_common_key_are_told_which_linker_needs_none():
    data = people()
    with pytest.raises(SchemaError, match="no key in common") as shared:
        distance().link(data, data.select(["o"]))
    assert "structural" in shared.value.hint
    assert str(nothing_in_common("X", shared=True)) == str(shared.value).replace(type(distance()).__name__, "X")
    alone = nothing_in_common("X", shared=False)
    assert "X: the two files have no attribute in common." in str(alone)
    assert "representatives" in alone.hint


def test_scales_that_differ_or_that_a_linker_does_not_know_are_refused():
    other = SCHEMA.replacing(dc.Attribute("c", dc.Nominal(("a", "b", "z")), "key"))
    assert distance(attributes=["c"])._names(SCHEMA, other) == ("c",), "levels of both files are joined"
    ways = dc.datasets.itineraries(4).schema
    (visits,) = ways.keys
    sequences = dc.methods("linker")["sequence-distance"](attributes=[visits])
    assert sequences._names(ways, ways) == (visits,)
    fewer = ways.replacing(dc.Attribute(visits, dc.Sequence(("a", "b"), delimiter=" > "), "key"))
    with pytest.raises(SchemaError, match="different scales or levels"):
        sequences._names(ways, fewer)
    with pytest.raises(SchemaError, match=f"'{visits}' is sequence; it links nominal or numeric or ordinal attributes"):
        distance(attributes=[visits])._names(ways, ways)
    number = SCHEMA.replacing(dc.Attribute("c", dc.Numeric(), "key"))
    with pytest.raises(SchemaError, match="different scales or levels"):
        distance(attributes=["c"])._names(SCHEMA, number)


def test_a_file_without_records_is_named():
    data, empty = people(), people().take(np.arange(0))
    with pytest.raises(DataError, match="the first file has no records"):
        distance().link(empty, data)
    with pytest.raises(DataError, match="the second file has no records"):
        distance().link(data, empty)


def test_attributes_without_a_value_are_left_out_unless_none_has_one():
    names = ("x", "c")
    assert _with_values(people(), names) == names
    assert _with_values(people(x=[None, None, None]), names) == ("c",)
    assert _with_values(people(x=[None, 2.0, None]), names) == names
    assert _with_values(people(x=[None] * 3, c=[None] * 3), names) == names


def test_both_directions_are_what_each_gives_by_itself():
    a, b = people(), people(x=[1.1, 2.2, 4.0], c=["a", "a", "b"])
    for second in (True, False):
        release, original = distance().link_both(a, b, second=second)
        assert release.best.tolist() == distance().link(a, b).best.tolist()
        assert original.best.tolist() == distance().link(b, a).best.tolist()
        assert (release.n_a, original.n_a) == (3, 3)
    assert distance().link(a, b).has_second


class Asked:
    """A linker that tells which way it was asked."""

    leaves_out_emptied = False
    link, link_both = Linker.link, Linker.link_both
    _link_best, _link_both, _link_best_both = Linker._link_best, Linker._link_both, Linker._link_best_both

    def _admitted(self, a, b, _schema):
        return a, b, ("x",)

    def _link(self, a, b, names, engine):
        return (a, b, names, type(engine).__name__)


class Quick(Asked):
    """One that leaves the second ones open."""

    def _link_best(self, a, b, names, engine):
        return ("best", *self._link(a, b, names, engine))

    def _link_best_both(self, *given):
        return ("best", *self._link_both(*given))


def test_both_ways_and_the_best_alone_are_asked_of_the_method():
    there, back = ("a", "b", ("x",), "InThreads"), ("b", "a", ("x",), "InThreads")
    assert Asked().link("a", "b") == Asked().link("a", "b", second=False) == there
    assert Asked().link_both("a", "b") == Asked().link_both("a", "b", second=False) == (there, back)
    assert Quick().link("a", "b") == there
    assert Quick().link("a", "b", second=False) == ("best", *there)
    assert Quick().link_both("a", "b") == (there, back)
    assert Quick().link_both("a", "b", second=False) == ("best", there, back)
    assert Quick().link("a", "b", engine=InProcess())[-1] == "InProcess"


def test_a_number_whose_every_cell_is_flagged_as_a_gap_is_left_out_with_its_flag():
    flag = "x is missing"
    schema = dc.Schema([*SCHEMA.select(["x", "c"]), dc.Attribute(flag, GapFlag(), "key")])
    assert flagged_by(flag) == "x"

    def flagged(*flags):
        return dc.Microdata(pl.DataFrame({"x": [1.0, 1.0], "c": ["a", "b"], flag: list(flags)}), schema)

    assert _with_values(flagged("yes", "yes"), schema.names) == ("c",)
    assert _with_values(flagged("yes", "no"), schema.names) == ("x", "c", flag)
    assert _with_values(flagged("no", "no"), schema.names) == ("x", "c", flag)
    assert Linker.looking(Asked(), (schema, schema)) is None


def test_a_linker_that_says_nothing_of_itself():
    flags = ("joins_levels", "needs_common_attributes", "knows_masking", "leaves_out_emptied")
    assert [getattr(Linker, name) for name in flags] == [False, True, False, False]
    assert Linker.contract == "linker"
