"""Linkers that no measure stands for, in the shape of a measurement."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as dc
from discreet import catalogue
from discreet.contracts.intruder import Intruder
from discreet.errors import DataError, ParameterError
from discreet.evaluation.further_linkers import emptied, knows_masking, linked_by

TABLE = dc.datasets.business(40)
KEYS = TABLE.schema.keys


def test_who_knows_how_a_file_was_masked():
    assert knows_masking("probabilistic") == catalogue.linkers()["probabilistic"].knows_masking
    assert any(knows_masking(name) for name in catalogue.linkers())
    assert not knows_masking("distance")
    assert not knows_masking("no-such-linker")


def test_the_success_of_a_linker_is_told_with_its_counts():
    found = linked_by(Intruder("neighbour", KEYS), "distance", (TABLE, TABLE), TABLE)
    assert (found.name, found.title) == ("distance-linkage", "Re-identified by distance linkage")
    assert (found.value, found.low, found.high, found.unit, found.kind) == (100.0, 0.0, 100.0, "%", "risk")
    assert found.in_score
    assert found.sentence == (
        f"An intruder who knows {len(KEYS)} keys of everybody and links by the method distance re-identifies about 40 "
        "of 40 records (100.0 %); guessing finds 1."
    )
    details = found.details
    assert details["known"] == list(KEYS)
    assert (details["expected"], details["n"], details["chance_percent"]) == (40, 40, 2.5)
    low, high = details["interval_percent"]
    assert 80 < low < high <= 100
    one = TABLE.select(KEYS[:1])
    assert "who knows 1 key of" in linked_by(Intruder("x", KEYS[:1]), "distance", (one, one), one).sentence


def test_a_linker_with_nothing_to_link_is_left_out_or_refused():
    sequences = dc.datasets.itineraries(20)
    table = sequences.select(sequences.schema.of_scale("sequence"))
    intruder = Intruder("neighbour", table.names)
    numeric = next(name for name, cls in catalogue.linkers().items() if cls.scales == frozenset({"numeric"}))
    assert linked_by(intruder, numeric, (table, table), table, needed=False) is None
    with pytest.raises(
        ParameterError, match=f"the linker '{numeric}' links numeric attributes, and the intruder knows"
    ):
        linked_by(intruder, numeric, (table, table), table)


def test_columns_without_values_are_found_in_memory_and_in_files(tmp_path):
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in "abc"])
    cells = {"a": [1.0, None], "b": [None, None], "c": [None, None]}
    table = dc.microdata(pl.DataFrame(cells, schema=dict.fromkeys("abc", pl.Float64)), schema)
    dc.write(table, tmp_path / "a.parquet")
    for one in (table, dc.scan(tmp_path / "a.parquet", schema)):
        assert emptied(one, ["c", "a", "b"]) == ["c", "b"]
        assert emptied(one, ["a"]) == []
        assert emptied(one, []) == []


def test_a_linker_that_cannot_link_is_left_out_unless_it_is_needed(monkeypatch):
    cls = catalogue.linkers()["distance"]

    def refused(*_, **__):
        raise DataError("not these.")

    monkeypatch.setattr(cls, "link", refused)
    intruder = Intruder("neighbour", KEYS)
    assert linked_by(intruder, "distance", (TABLE, TABLE), TABLE, needed=False) is None
    with pytest.raises(DataError, match="not these"):
        linked_by(intruder, "distance", (TABLE, TABLE), TABLE)


def test_who_knows_the_masking_is_given_the_values_and_others_the_recoded_ones(monkeypatch):
    seen = []
    plain, recoded = TABLE.select(KEYS[:2]), TABLE.select(KEYS[:1])

    def link(self, table, release, **_):
        seen.append((type(self).name, table.names))
        raise DataError("enough.")

    aware = next(name for name, cls in catalogue.linkers().items() if cls.knows_masking and "numeric" in cls.scales)
    for name in ("distance", aware):
        monkeypatch.setattr(catalogue.linkers()[name], "link", link)
        linked_by(Intruder("x", KEYS[:1]), name, (plain, recoded), TABLE, needed=False)
    assert seen == [("distance", recoded.names), (aware, plain.names)]
