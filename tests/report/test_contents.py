"""What every report draws on: the steps, the worst intruder, and risks beside what they were."""

from __future__ import annotations

from discreet.contracts.assessment import Assessment, Score
from discreet.contracts.masked import Provenance
from discreet.contracts.measurement import Measurement
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.report.contents import Contents

SCHEMA = Schema([Attribute("age", Numeric(), "key")])


def assessment(risk, **values):
    kinds = {"keys": "risk", "distance": "risk", "il1s": "loss"}
    some = tuple(Measurement(n, n, kinds[n], v, 0.0, 100.0, "%", "") for n, v in values.items())
    return Assessment(10, (), some, Score("worst-case", 0.0, 0.0, risk, ""))


def contents(whole, **more):
    return Contents(more.pop("provenance", Provenance("mdav", {}, ("age",), 10)), whole, SCHEMA, **more)


def test_one_step_is_its_own_history():
    first, second = Provenance("top-coding", {}, ("age",), 10), Provenance("pram", {}, ("job",), 10)
    both = Provenance("chain", {}, ("age", "job"), 10, history=(first, second))
    assert [step.method for step in contents(assessment(1.0)).steps] == ["mdav"]
    assert [step.method for step in contents(assessment(1.0), provenance=both).steps] == ["top-coding", "pram"]


def test_the_worst_intruder_is_who_risks_most_in_the_release():
    whole, mild, worst = assessment(2.0), assessment(1.0), assessment(9.0)
    assert contents(whole).worst == ("all keys", whole)
    # Not who risked most before.
    shown = contents(whole, before={"a": worst, "b": mild}, after={"a": mild, "b": worst})
    assert shown.worst == ("b", worst)


def test_risks_stand_beside_what_they_were_and_losses_beside_none():
    whole = assessment(2.0, keys=2.0, il1s=5.0)
    before, after = assessment(8.0, keys=8.0), assessment(3.0, keys=3.0, distance=1.0, il1s=5.0)
    rows = contents(whole, before={"a": before}, after={"a": after}).scenarios
    assert list(rows) == ["all keys", "a"]
    assert [(earlier, later.value) for earlier, later in rows["all keys"]] == [(None, 2.0)]
    assert [(earlier and earlier.value, later.value) for earlier, later in rows["a"]] == [(8.0, 3.0), (None, 1.0)]


def test_who_knows_all_keys_is_not_told_twice():
    whole = assessment(2.0, keys=2.0)
    assert list(contents(whole, after={"a": whole}).scenarios) == ["a"]
