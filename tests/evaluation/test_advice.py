from __future__ import annotations

import polars as pl
import pytest

import discreet as dc
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Step
from discreet.workflow import advise, advise_protocol, advise_study, advise_tables


def table(**roles):
    frame = pl.DataFrame(
        {
            "passport": [f"P{i:04}" for i in range(40)],
            "age": [20.5 + i for i in range(40)],
            "town": ["n", "s"] * 20,
            "ill": ["no", "no", "no", "yes"] * 10,
        }
    )
    scales = {"passport": Nominal(tuple(frame["passport"])), "age": Numeric(), "town": Nominal(("n", "s")),
              "ill": Nominal(("no", "yes"))}  # fmt: skip
    given = {"passport": "identifier", "age": "key", "town": "key", "ill": "confidential"} | roles
    return dc.microdata(frame, Schema([Attribute(name, scales[name], given[name]) for name in scales]))


def codes(*args, **kwargs):
    return [advice.code for advice in advise(*args, **kwargs)]


def test_nothing_is_said_of_a_sound_release():
    data = table(town="other")
    assert codes(data, dc.MDAV(k=5).mask(data)) == []


def test_each_weak_choice_is_named():
    data = table()
    assert codes(data, schema_given=False) == ["no-schema"]
    assert codes(table(ill="key")) == ["no-confidential"]
    assert codes(data, dc.MDAV(k=2).mask(data)) == ["small-k", "key-unmasked"]
    assert codes(data, dc.PRAM().mask(data), seed_given=False) == ["key-unmasked", "no-seed"]
    assert "identifiers-present" in codes(table(passport="other"), dc.MDAV(k=5).mask(table(passport="other")))


def test_identifiers_are_found_in_a_release_that_somebody_else_made():
    data = table()
    assert "identifiers-present" in codes(data, data)


def test_risks_are_read_with_the_method_in_mind():
    data = table()
    masked = dc.PRAM(random_state=1).mask(data)
    found = codes(data, masked, dc.assess(data, masked))
    assert "frequency-after-perturbation" in found
    unmasked = dc.assess(table(passport="key"), table(passport="key"))
    assert "uniques-left" in codes(data, None, unmasked)


def test_every_remark_is_a_sentence_with_a_hint_and_no_value():
    data = table(ill="key", passport="other")
    for advice in advise(data, dc.MDAV(k=2).mask(data), schema_given=False):
        assert advice.sentence.endswith(".")
        assert advice.hint.endswith(".")
        assert "P00" not in advice.sentence + advice.hint
        assert set(advice.to_dict()) == {"code", "sentence", "hint"}


@pytest.mark.parametrize("k", [3, 10])
def test_three_is_enough(k):
    data = table(town="other")
    assert "small-k" not in codes(data, dc.MDAV(k=k).mask(data))


def test_a_protocol_is_looked_at_before_it_is_run():
    data = table()

    def said(*steps, schema=data.schema, original=None):
        return [advice.code for advice in advise_protocol(Protocol(schema, steps), original)]

    assert said(Step("mixed-mdav", {"k": 5})) == []
    assert said(Step("mixed-mdav", {"k": 2})) == ["small-k"]
    assert said(Step("mdav", {"k": 5, "attributes": ["age"]})) == ["key-unmasked"]
    assert said(Step("mdav", {"attributes": ["age"]}), Step("pram", {"attributes": ["town"]})) == []
    assert said(Step("mdav", {"attributes": ["age"]}), Step("identifiers")) == ["key-unmasked"]
    assert said(Step("mixed-mdav"), schema=table(ill="other").schema) == ["no-confidential"]
    loose = table(passport="other")
    assert said(Step("mixed-mdav"), schema=loose.schema, original=loose) == ["identifiers-present"]
    assert said(Step("mixed-mdav"), schema=data.schema, original=data) == []
    found = advise_protocol(Protocol(data.schema, [Step("mdav", {"attributes": ["age"]})]))
    assert "would be released as it came: town" in found[0].sentence


def test_a_study_is_looked_at_too_and_a_method_is_named_once():
    data = table()
    maskers = [dc.MDAV(k=2), dc.MDAV(k=2, attributes=["age"]), dc.MDAV(k=5), dc.KModes(k=2)]
    assert [a.code for a in advise_study(data, maskers)] == ["small-k", "small-k"]
    assert [a.code for a in advise_study(data, [dc.MDAV(k=3)], schema_given=False)] == ["no-schema"]
    assert [a.code for a in advise_study(table(passport="other"), [dc.MDAV(k=3)])] == ["identifiers-present"]


def test_copies_with_fresh_numbers_may_hold_other_identifiers():
    data = table()
    assert advise_tables({"a": data}, {"a": "passport"}) == ()
    found = advise_tables({"a": data, "b": data.select(["age", "town"])}, {"a": "town", "b": "town"})
    assert [a.code for a in found] == ["identifiers-present"]
    assert found[0].sentence.startswith("a: ")
    assert "P0001" not in str(found)


def test_aggregates_that_can_be_solved_are_named():
    frame = pl.DataFrame(
        {"age": [20 + i % 50 for i in range(60)], "w": [1.5 + i for i in range(60)], "ill": ["y", "n"] * 30}
    )
    schema = Schema(
        [
            Attribute("age", Numeric(), "key"),
            Attribute("w", Numeric(), "weight"),
            Attribute("ill", Nominal(("n", "y")), "confidential"),
        ]
    )
    data = dc.microdata(frame, schema)
    assert codes(data, dc.MixedMDAV(k=4).mask(data)) == []
    assert codes(data, dc.MixedMDAV(k=4, weighted=True).mask(data)) == ["solvable-aggregates"]
    assert codes(data, dc.MDAV(k=4, decimals="exact").mask(data)) == ["solvable-aggregates"]
    asked = [Step("mondrian", {"k": 4, "weighted": True, "decimals": "exact"}), Step("pram", {"weighted": True})]
    said = [advice for advice in advise_protocol(Protocol(schema, asked)) if advice.code == "solvable-aggregates"]
    assert [advice.sentence.split(":")[0] for advice in said] == [
        "mondrian was asked for aggregates with survey weights and all digits"
    ]
