"""Objects show themselves: escaped, on any background, and without a record's value."""

from __future__ import annotations

import re

import polars as pl
import pytest

import discreet as dc
from discreet.contracts.intruder import Intruder
from discreet.contracts.proof import Certificate
from discreet.data.schema import Attribute, Schema
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Step

NAME = '<img src=x onerror="alert(1)">\n&'


@pytest.fixture(scope="module")
def objects():
    frame = pl.DataFrame({NAME: [1.5, 2.5, 9.5, 8.5, 3.5, 48151.5], "other": [2.5, 1.5, 4.5, 3.5, 6.5, 5.5]})
    data = dc.microdata(frame, Schema([Attribute(name, dc.Numeric(), "key") for name in frame.columns]))
    masked = dc.MDAV(k=2).mask(data)
    links = dc.attack(data, masked)
    verdict = dc.assess(data, masked)
    study = dc.compare(data, dc.grid(dc.MDAV, k=[2, 3]), measures=["il1s", "distance-linkage"])
    scenario = Intruder("<b>neighbour</b>", (NAME,))
    protocol = Protocol(data.schema, [Step("mdav", {"k": 2, "attributes": [NAME]})], [scenario], {"risk_at_most": 5.0})
    measured = verdict["il1s"]
    certificate = Certificate(12.5, 12.0, 2, 6, (NAME,), "fast")
    things = (
        certificate,
        data,
        data.schema,
        dc.inspect(frame),
        masked,
        links,
        links.evaluate(),
        measured,
        verdict,
        study,
        protocol,
    )
    return {type(thing).__name__: thing for thing in things}


KINDS = (
    "Microdata",
    "Schema",
    "Proposal",
    "Masked",
    "Links",
    "Linked",
    "Measurement",
    "Assessment",
    "Study",
    "Protocol",
    "Certificate",
)


@pytest.mark.parametrize("kind", KINDS)
def test_shows_itself_and_is_harmless(objects, kind):
    shown = objects[kind]._repr_html_()
    assert "<table" in shown
    assert "<img" not in shown
    assert "<b>neighbour" not in shown
    assert "\n&" not in shown
    assert 'scope="col"' in shown
    assert "48151" not in shown
    tags = re.findall(r"<(/?)(div|table|thead|tbody|tr|th|td|ul|li|p|b)\b", shown)
    for name in {tag for _, tag in tags}:
        assert tags.count(("", name)) == tags.count(("/", name))


@pytest.mark.parametrize("kind", KINDS)
def test_leaves_colours_to_the_notebook(objects, kind):
    shown = re.sub(r'<div style="background:#fff[^>]*><svg.*?</svg></div>', "", objects[kind]._repr_html_())  # on paper
    assert not re.search(r"(?<!-)color:(?!inherit)", shown)
    assert not re.search(r"background:(?!none)", shown)
    assert "#" not in re.sub(r"&#\w+;", "", shown)


@pytest.mark.parametrize("kind", KINDS)
def test_the_plain_repr_is_silent_about_values_too(objects, kind):
    assert "48151" not in repr(objects[kind])
