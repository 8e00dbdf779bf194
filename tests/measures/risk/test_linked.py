"""How linkage risks are told, which keys are affordable, and what knowing the method rules out."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from tests.statistics.small import table

from discreet.contracts.engine import InProcess
from discreet.contracts.links import Linked
from discreet.contracts.measure import Pair
from discreet.measures.risk import linked as linked_risks
from discreet.measures.risk.directions import worse
from discreet.measures.risk.linked import (
    DistanceLinkageRisk,
    _affordable,
    _keys_in_words,
    _left_out_in_words,
    gaps_in_words,
)
from discreet.measures.risk.masking_aware_linkage import MaskingAwareLinkageRisk, _rules_out


def found(expected, n=10, optimistic=6, pessimistic=2):
    return Linked(expected, optimistic, pessimistic, n, 1.0, np.full(n, expected / n))


def figures(linked):
    low, high = linked.interval()
    return {
        "percent": 100 * linked.rate, "expected": linked.expected, "optimistic": linked.optimistic,
        "pessimistic": linked.pessimistic, "n": linked.n, "chance_percent": 100 / linked.n,
        "interval_percent": [100 * low, 100 * high],
    }  # fmt: skip


def test_both_ways_are_told_whole():
    both = {"release": found(3.0), "original": found(4.5)}
    result = DistanceLinkageRisk().told("Somebody", both, "original", {"known": ["x"]}, " So it is.", ("one", "two"))
    assert result.value == 45
    assert result.sentence == (
        "Somebody re-identifies about 4 of 10 records (45.0 %), asking of every person which released record is "
        "theirs; guessing finds 1. The other way round it is 30.0 %. So it is."
    )
    assert result.details == {
        "known": ["x"], **figures(both["original"]), "direction": "original",
        "directions": {name: figures(one) for name, one in both.items()},
    }  # fmt: skip
    assert result.found == {"release": "one", "original": "two"}
    alone = DistanceLinkageRisk().told("Somebody", {"release": found(3.0)}, "release", {})
    assert alone.sentence == (
        "Somebody re-identifies about 3 of 10 records (30.0 %), asking of every released record whose it is; guessing "
        "finds 1."
    )
    assert alone.found == {}


@pytest.mark.parametrize(
    ("first", "second", "asked", "chosen"),
    [
        (3.0, 4.0, "worse", "original"),
        (4.0, 3.0, "worse", "release"),
        (4.0, 4.0, "worse", "release"),
        (3.0, 4.0, "release", "release"),
        (4.0, 3.0, "original", "original"),
    ],
)
def test_the_worse_of_two_ways_counts_unless_one_is_asked_for(first, second, asked, chosen):
    links = tuple(SimpleNamespace(evaluate=lambda rate=rate: found(rate)) for rate in (first, second))
    direction, both = worse(links, asked)
    assert direction == chosen
    assert {name: one.expected for name, one in both.items()} == {"release": first, "original": second}


def test_keys_and_gaps_in_words():
    assert (_keys_in_words(1), _keys_in_words(2)) == ("1 true key", "2 true keys")
    assert _left_out_in_words([], 3) == ""
    tail = (
        " left out, because all together have too many agreement patterns for so many records: who uses them too may "
        "find more."
    )
    assert _left_out_in_words(["x"], 3) == " Of 3 keys x was" + tail
    assert _left_out_in_words(["x", "y"], 3) == " Of 3 keys x, y were" + tail
    whole, holed = table(x=[1.0, 2.0], y=[1.0, 2.0]), table(x=[1.0, None], y=[1.0, 2.0])
    for first, second, names, said in (
        (whole, whole, ("x", "y"), False),
        (whole, holed, ("x", "y"), True),
        (holed, whole, ("x", "y"), True),
        (holed, holed, ("y",), False),
    ):
        words = gaps_in_words(Pair(first, second, names, None, InProcess()))
        assert words == (" A missing cell counts as a value of its own." if said else "")


def agreements(*states):
    return [SimpleNamespace(name=f"k{place}", states=count) for place, count in enumerate(states)]


def test_keys_that_tell_most_are_afforded_first(monkeypatch):
    monkeypatch.setattr(linked_risks, "chance_of", lambda one, **_: -int(one.name[1:]))
    monkeypatch.setattr(linked_risks, "_FEW_PATTERNS", 6)
    monkeypatch.setattr(linked_risks, "_MOST_WORK", 199)

    def names(n, *states):
        return [one.name for one in _affordable(agreements(*states), n, None)]

    # Ten records are 200 pairs both ways: too many, and 199 // 10 patterns are afforded.
    assert names(10, 2, 3, 2, 3) == ["k1", "k2", "k3"]
    assert names(10, 2, 4, 2, 3) == ["k0", "k2", "k3"]
    assert names(10, 20, 19) == ["k1"]
    assert names(9, 2, 3, 2, 3, 5) == ["k0", "k1", "k2", "k3", "k4"], "162 pairs can be looked at one by one"
    assert names(1000, 2, 3, 2, 3) == ["k2", "k3"], "never fewer patterns than a few"
    monkeypatch.setattr(linked_risks, "MOST_ATTRIBUTES", 2)
    assert names(9, 2, 3, 2) == ["k1", "k2"]


def masked(**known):
    return SimpleNamespace(
        **{"attributes": ("x",), "details": {}, "labels": None, "grouped": None, "transitions": {}, **known}
    )


@pytest.mark.parametrize(
    ("provenance", "names", "helps"),
    [
        (masked(), ("x",), False),
        (masked(), ("x", "y"), True),  # y was not masked at all
        (masked(attributes=()), ("x", "y"), False),
        (masked(labels=[1, 2]), ("x",), True),
        (masked(grouped=[1, 2]), ("x",), True),
        (masked(transitions={"x": 1}), ("x",), True),
        (masked(transitions={"z": 1}), ("x",), False),
        (masked(details={"window": {"x": 3}}), ("x",), True),
        (masked(details={"window": {"z": 3}}), ("x",), False),
    ],
)
def test_what_knowing_the_method_rules_out(provenance, names, helps):
    assert _rules_out(provenance, names) is helps


def test_enough_is_known_where_a_window_or_what_was_masked_is():
    assert MaskingAwareLinkageRisk(p=10).is_told(None) is True
    assert MaskingAwareLinkageRisk().is_told(None) is False
    assert MaskingAwareLinkageRisk().is_told(masked()) is True
    assert MaskingAwareLinkageRisk().is_told(masked(attributes=())) is False
