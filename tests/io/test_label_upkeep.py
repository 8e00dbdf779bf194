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
