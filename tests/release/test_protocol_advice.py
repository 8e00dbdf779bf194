from __future__ import annotations

from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.release.protocol import Protocol
from discreet.release.protocol_advice import advise_protocol
from discreet.release.protocol_parts import Step

SCHEMA = Schema(
    [
        Attribute("age", Numeric(), "key"),
        Attribute("pay", Numeric(), "key"),
        Attribute("ill", Nominal(["yes", "no"]), "confidential"),
    ]
)


def codes(*steps, schema=SCHEMA):
    return {remark.code: remark for remark in advise_protocol(Protocol(schema, steps))}


def test_keys_that_no_step_names_are_told_of_unless_a_step_takes_all():
    both = Step("mdav", {"k": 5, "attributes": ["age", "pay"]})
    some = Step("mdav", {"k": 5, "attributes": ["age"]})
    assert "key-unmasked" not in codes(both)
    assert "key-unmasked" not in codes(Step("mdav", {"k": 5}))
    assert "key-unmasked" not in codes(some, Step("mdav", {"k": 5, "attributes": ["pay"]}))
    remark = codes(some)["key-unmasked"]
    assert "pay" in remark.sentence
    assert "age" not in remark.sentence
    assert "would be" in remark.sentence


def test_a_step_that_only_renumbers_masks_no_key():
    assert "key-unmasked" in codes(Step("mdav", {"k": 5, "attributes": ["age"]}), Step("identifiers"))
    assert "key-unmasked" in codes(Step("identifiers"))


def test_small_groups_and_schemas_without_confidential_attributes():
    assert "small-k" in codes(Step("mdav", {"k": 2}))
    assert "small-k" not in codes(Step("mdav", {"k": 5}))
    assert "no-confidential" not in codes(Step("mdav", {"k": 5}))
    assert "no-confidential" in codes(Step("mdav", {"k": 5}), schema=SCHEMA.select(["age", "pay"]))
