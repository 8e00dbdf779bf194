"""Sets of items: read, written, recognised, masked, attacked and measured."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import combinations

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.inferring.item_cells import holds_sets
from discreet.data.scales.dissimilarities import Jaccard
from discreet.data.scales.item_text import items_in, mark_between
from discreet.errors import DiscreetError, ParameterError
from discreet.operators.item_prototypes import FrequentItems

GOODS = ("bread", "milk", "tea", "wine")


@given(st.lists(st.lists(st.sampled_from(GOODS), max_size=6), min_size=1, max_size=6))
def test_a_set_is_what_is_in_it(cells):
    scale = dc.ItemSet(GOODS, ";")
    decoded = scale.decode(scale.encode([";".join(cell) for cell in cells])).to_pylist()
    assert decoded == [sorted(set(cell)) for cell in cells]
    assert decoded == scale.decode(scale.encode([";".join(reversed(cell)) for cell in cells])).to_pylist()


def test_a_missing_set_is_no_empty_one():
    encoded = dc.ItemSet(GOODS).encode(["", None])
    assert (encoded.lengths.tolist(), encoded.missing.tolist()) == ([0, 0], [False, True])


def test_a_schema_travels():
    schema = dc.Schema([dc.Attribute("goods", dc.ItemSet(GOODS, ", "), "key")])
    assert dc.Schema.from_toml(schema.to_toml()) == schema
    assert schema.of_scale("sequence") == schema.of_scale("items") == ("goods",)
    assert schema.of_scale("events") == ()


@pytest.mark.parametrize(
    ("texts", "mark"),
    [(["a, b", "c"], ", "), (["a,b c"], ","), (["a b"], " "), (["a; b, c"], "; "), (["a|b"], "|"), (["a"], " ")],
)
def test_what_stands_between_items(texts, mark):
    assert mark_between(pa.array(texts)) == mark


def test_baskets_are_recognised_and_addresses_are_not():
    sold = dc.datasets.baskets(200).to_polars()["BASKET"]
    texts = pl.DataFrame({"basket": [", ".join(cell) for cell in sold.to_list()]})
    assert dc.microdata(texts).schema["basket"].scale.name == "items"
    assert items_in(pa.array(sold.to_list()))[0] == sorted(set(sold.explode().drop_nulls()))
    places = pa.array([f"Lane {i}, Town {i % 9}" for i in range(60)])
    assert holds_sets(places) == ""
    assert holds_sets(pa.array([f"{a}; {a}" for a in range(60)])) == ""


def test_columns_are_declared_by_name():
    frame = pl.DataFrame({"has": ["flu, asthma", "flu", "asthma"] * 4})
    scale = dc.survey(frame, items="has").schema["has"].scale
    assert scale == dc.ItemSet(["asthma", "flu"], ", ")


@pytest.fixture(scope="module")
def sold():
    return dc.datasets.baskets(150, 1)


@pytest.mark.parametrize("masker", [dc.KSHC(k=5), dc.SequenceMDAV(k=5, distance="sorensen", prototype="medoid")])
def test_every_released_set_is_written_at_least_k_times(sold, masker, tmp_path):
    masked = masker.mask(sold)
    dc.write(masked, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    baskets = [row[header.index("BASKET")] for row in rows]
    assert min(Counter(baskets).values()) >= 5
    links = dc.SequenceLinkage(attributes=["BASKET"]).link(sold, masked.microdata)
    assert links.evaluate().rate <= 1 / 5


def test_an_assessment_speaks_of_items_and_not_of_steps(sold):
    names = {one.name for one in dc.assess(sold, dc.KSHC(k=5).mask(sold)).measurements}
    assert {"sequence-linkage", "sequence-knowledge", "sequence-events", "sequence-patterns"} <= names
    assert "sequence-transitions" not in names


def test_knowing_three_items_singles_out_nobody(sold):
    measure = dc.KnownEvents(attributes=["BASKET"], ordered=False)
    masked = dc.KSHC(k=5).mask(sold)
    assert measure.measure(sold, masked).value == 0
    assert measure.measure(sold, sold).value > 20


def test_the_rest_of_a_group_does_not_tell_the_last_set():
    # Who knows k − 1 members, the release, the method and this source tries every set the last one may have.
    group = [[0, 1], [0, 2, 3], [1, 2]]
    released = FrequentItems()(group)
    every = [list(one) for size in range(6) for one in combinations(range(5), size)]
    possible = [one for one in every if FrequentItems()([*group[:2], one]) == released]
    assert group[2] in possible
    assert len(possible) > 3


@pytest.mark.parametrize("option", [{"distance": "levenshtein"}, {"prototype": "oesp"}])
def test_what_is_made_for_events_is_refused(sold, option):
    with pytest.raises(ParameterError, match="scale 'items' holds"):
        dc.KSHC(k=5, attributes=["BASKET"], **option).mask(sold)


def test_sets_and_events_are_taken_together_each_by_its_own_distance():
    frame = pl.DataFrame({"a": ["x y", "y"] * 4, "b": ["x y", "y"] * 4})
    schema = dc.Schema([dc.Attribute("a", dc.ItemSet("xy"), "key"), dc.Attribute("b", dc.Sequence("xy"), "key")])
    masked = dc.KSHC(k=2).mask(dc.microdata(frame, schema))
    assert min(Counter(masked.microdata.to_native().rows()).values()) >= 2
    assert masked.provenance.details["distance"] == "Jaccard(), OSSOWA(quantifier=None)"
    with pytest.raises(ParameterError, match="'jaccard'|does not compare what the scale 'items' holds"):
        dc.KSHC(k=2, distance="lcs").mask(dc.microdata(frame, schema))


def test_jaccard_by_hand():
    assert Jaccard()([0, 1, 2], [1, 2, 3]) == 0.5


@pytest.mark.parametrize("items", [(), ["tea", "tea"], 3])
def test_an_alphabet_of_items_is_checked_as_one_of_events(items):
    with pytest.raises(DiscreetError, match="Sequence: "):
        dc.ItemSet(items)
