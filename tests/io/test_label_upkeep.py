"""Labels in the metadata of a file, and those that stay true of a release."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.labels import Labels
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.io.label_upkeep import after_masking, from_metadata, occurring, to_metadata

LABELS = Labels(
    title="A survey",
    notes=("Made by hand",),
    variables={"s": "Sex", "x": "Income", "gone": "Name"},
    values={"s": {1: "woman", 2: "man", 9: "no answer"}, "x": {0: "nothing", -9: "refused"}, "gone": {1: "one"}},
    measures={"s": "nominal", "x": "scale", "gone": "nominal"},
    missing={"s": [9], "x": [{"lo": -9, "hi": -5}], "gone": [1]},
    formats={"s": "F1.0", "x": "F8.2", "gone": "A8"},
    source=".sav",
)
SCHEMA = Schema([Attribute("s", Nominal((1, 2)), "key", missing=(9,)), Attribute("x", Numeric(), "key", missing=(-9,))])


def table(s=(1, 2, 9), x=(0, 5, -9), schema=SCHEMA):
    return Microdata(pa.table({"s": list(s), "x": list(x)}), schema)


def test_labels_travel_in_metadata():
    metadata = to_metadata(LABELS)
    assert from_metadata(metadata) == LABELS
    assert from_metadata(None) is None
    assert from_metadata({b"other": b"1"}) is None
    (key,) = metadata
    for broken in (b"{", b"[]", b"{}", b'{"values": 3, "notes": []}', b'{"values": {}, "notes": [], "new": 1}'):
        assert from_metadata({key: broken}) is None


def test_labels_of_what_occurs():
    found = occurring(LABELS, table(s=(1, 1, 1), x=(0, 5, -7)))
    assert (found.title, found.notes) == ("", ())
    assert found.variables == {"s": "Sex", "x": "Income"}
    assert found.values == {"s": {1: "woman"}, "x": {0: "nothing"}}
    assert found.measures == {"s": "nominal", "x": "scale"}
    assert found.missing == {"x": [{"lo": -9, "hi": -5}]}
    assert found.formats == {"s": "F1.0", "x": "F8.2"}
    assert occurring(LABELS, table(x=(1, 2, 3))).missing == {"s": [9]}
    ends = occurring(LABELS, table(x=(-9, -5, 3))).missing["x"]
    assert ends == [{"lo": -9, "hi": -5}]
    assert "x" not in occurring(LABELS, table(x=(-10, -4, 3))).missing


def done(changed, **transitions):
    return SimpleNamespace(changed=changed, transitions=transitions)


def test_a_release_without_changes_keeps_its_labels():
    found = after_masking(LABELS, SCHEMA, table(), None)
    assert found.values == {"s": LABELS.values["s"], "x": LABELS.values["x"]}
    assert found.variables == {"s": "Sex", "x": "Income"}
    assert found.missing == {"s": [9], "x": [{"lo": -9, "hi": -5}]}
    assert found.formats == {"s": "F1.0", "x": "F8.2"}
    assert after_masking(LABELS, SCHEMA, table(), done({"s": 0, "x": 0})).values == found.values


def test_masked_numbers_are_no_codes_and_unused_levels_have_no_label():
    found = after_masking(LABELS, SCHEMA, table(s=(1, 1, 9)), done({"s": 2, "x": 3}))
    assert found.values == {"s": {1: "woman", 9: "no answer"}, "x": {-9: "refused"}}


def test_joined_levels_are_called_by_all_their_labels():
    joined = SCHEMA.replacing(Attribute("s", Nominal((1,)), "key", missing=(9,)))
    both = np.array([[True], [True]])
    found = after_masking(LABELS, SCHEMA, table(s=(1, 1, 9), schema=joined), done({"s": 2}, s=both))
    assert found.values["s"] == {1: "woman / man", 9: "no answer"}
    assert found.formats == {"x": "F8.2"}  # its own is of another declaration
    drawn = np.array([[True, True], [True, True]])  # whatever may have become what tells nothing
    found = after_masking(LABELS, SCHEMA, table(), done({"s": 2}, s=drawn))
    assert found.values["s"] == {1: "woman", 2: "man", 9: "no answer"}
    named = SCHEMA.replacing(Attribute("s", Nominal(("all",)), "key", missing=(9,)))
    found = after_masking(LABELS, SCHEMA, table(s=("all", "all", "all"), schema=named), done({"s": 3}, s=both))
    assert found.values["s"] == {"all": "all", 9: "no answer"}
    long = replace(LABELS, values={"s": {1: "a" * 100, 2: "b" * 100}})
    found = after_masking(long, SCHEMA, table(s=(1, 1, 9), schema=joined), done({"s": 2}, s=both))
    assert found.values["s"] == {1: "a" * 100 + " / " + "b" * 17}


@pytest.mark.parametrize(("scale", "measure"), [(Numeric(), "scale"), (Nominal((0, 5)), "nominal")])
def test_a_measure_follows_the_scale(scale, measure):
    changed = SCHEMA.replacing(Attribute("x", scale, "key", missing=(-9,)))
    assert after_masking(LABELS, SCHEMA, table(schema=changed), None).measures["x"] == measure
    odd = replace(LABELS, measures={"x": "unknown"})
    assert after_masking(odd, SCHEMA, table(schema=changed), None).measures == {"x": "unknown"}


def test_letters_of_missing_numbers_keep_their_labels_where_they_stand():
    labels = Labels(values={"x": {1: "one", "a": "refused", "b": "unknown", "ab": "no letter"}})
    schema = Schema([Attribute("x", Numeric(), "key")])
    letters = pa.chunked_array([["a", None, "b"]])
    origin = {"verbatim_missing": {"x": letters}}
    release = Microdata(pa.table({"x": [None, 1, 7]}), schema, origin=origin)
    # The letter beside a number is none of the release any more.
    assert occurring(labels, release).values == {"x": {1: "one", "a": "refused"}}
    replaced = Microdata(pa.table({"x": [None, 1, 7]}), schema, origin={**origin, "replaced": ("x",)})
    assert occurring(labels, replaced).values == {"x": {"a": "refused"}}
    whole = Microdata(pa.table({"x": [None, 1, 7]}), schema, origin={"verbatim_missing": {"x": letters.chunk(0)}})
    assert occurring(labels, whole).values == {"x": {1: "one", "a": "refused"}}
    masked = after_masking(labels, schema, release, done({"x": 2}))
    assert masked.values == {"x": {"a": "refused", "b": "unknown"}}


def test_masked_numbers_keep_the_labels_of_missing_codes_alone():
    release = Microdata(table().to_native(), SCHEMA, origin={"replaced": ("x", "s")})
    assert occurring(LABELS, release).values == {"s": LABELS.values["s"], "x": {-9: "refused"}}
    assert occurring(LABELS, release).missing == {"s": [9], "x": [{"lo": -9, "hi": -5}]}


def test_codes_that_are_one_value_written_as_a_range_or_as_a_whole_number():
    labels = Labels(missing={"x": [{"lo": 5.0, "hi": 5.0}, 7.0, "q"]}, values={"x": {5.0: "five"}})
    found = occurring(labels, table(x=(5, 1, 2)))
    assert (found.missing, found.values) == ({"x": [{"lo": 5.0, "hi": 5.0}]}, {"x": {5.0: "five"}})
    assert occurring(labels, table(x=(7, 1, 2))).missing == {"x": [7.0]}
    assert occurring(labels, table(x=(1, 1, 2))).missing == {}


def test_a_level_declared_no_more_loses_its_label_without_a_record_of_what_was_done():
    fewer = SCHEMA.replacing(Attribute("s", Nominal((1,)), "key", missing=(9,)))
    found = after_masking(LABELS, SCHEMA, table(s=(1, 1, 9), schema=fewer), None)
    assert found.values["s"] == {1: "woman", 9: "no answer"}


def test_parts_of_a_joined_level_that_had_no_label_are_named_beside_one_that_had():
    three = SCHEMA.replacing(Attribute("s", Nominal((1, 2, 3)), "key"))
    labels = Labels(values={"s": {1: "woman"}})
    joined = SCHEMA.replacing(Attribute("s", Nominal((1, 2)), "key"))
    both = np.array([[True, False], [True, False], [False, True]])
    found = after_masking(labels, three, table(s=(1, 2, 1), schema=joined), done({"s": 2}, s=both))
    assert found.values["s"] == {1: "woman / 2"}
    texts = Labels(values={"s": {"a": "gas", "b": "oil"}})
    words = SCHEMA.replacing(Attribute("s", Nominal(("a", "b")), "key"))
    new = SCHEMA.replacing(Attribute("s", Nominal(("x", "b")), "key"))
    same = np.array([[True, False], [False, True]])
    found = after_masking(texts, words, table(s=("x", "b", "b"), schema=new), done({"s": 1}, s=same))
    assert found.values["s"] == {"x": "gas", "b": "oil"}
    other_shape = np.array([[True]])
    found = after_masking(texts, words, table(s=("x", "b", "b"), schema=new), done({"s": 1}, s=other_shape))
    assert found.values["s"] == {"b": "oil"}


def test_metadata_hold_plain_text():
    (text,) = to_metadata(Labels(values={"s": {1: "größer", "a": "x"}}, source=".sav")).values()
    assert '"values": {"s": [[1, "größer"], ["a", "x"]]}' in text.decode()
