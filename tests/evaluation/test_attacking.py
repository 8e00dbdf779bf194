"""The attacks of one intruder: which ways he tries, on which keys, and how each is told."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts.assessment import NotComputed
from discreet.contracts.intruder import Intruder
from discreet.contracts.measurement import Measurement
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DiscreetError
from discreet.evaluation.attacking import (
    Attack,
    Attacks,
    _attacks,
    _linkages,
    _parts,
    as_recoded,
    attacks_of,
    is_used_by,
    monotone,
    seen_by,
)

SCHEMA = Schema(
    [
        Attribute("a", Nominal(tuple("pqr")), "key"),
        Attribute("x", Numeric(), "key"),
        Attribute("c", Nominal(tuple("uv")), "confidential"),
        Attribute("y", Numeric(), "other"),
    ]
)


def people(n=20, schema=SCHEMA):
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {"a": rng.choice(list("pqr"), n), "x": np.arange(float(n)), "c": rng.choice(list("uv"), n), "y": [1.5] * n}
    )
    return Microdata(frame.select(schema.names), schema)


def measure(name):
    return dc.methods("measure")[name]()


# --------------------------------------------------------------------------------------------------------- what is told


def test_an_attack_is_named_with_the_part_of_the_keys_that_it_uses():
    whole = Attack("he", "distance-based linkage", ("a", "b"), 5.0)
    part = Attack("he", "distance-based linkage", ("a",), 5.0, part="categories", of=3)
    assert (whole.name, whole.remark) == ("distance-based linkage", "")
    assert part.name == "distance-based linkage on categories"
    assert part.remark == "Distance-based linkage on categories used 1 of 3 keys."


def test_the_worst_attack_is_the_first_of_those_that_find_most():
    made = tuple(Attack("he", how, ("a",), percent) for how, percent in (("p", 3.0), ("q", 7.0), ("r", 7.0)))
    assert Attacks("he", ("a",), made).worst is made[1]


def figure(value=30.0, title="Re-identified by distance-based linkage", **details):
    return Measurement("distance-linkage", title, "risk", value, 0.0, 100.0, "%", "", details=details)


@pytest.mark.parametrize(
    ("one", "attacks"),
    [
        (figure(), [Attack("he", "distance-based linkage", ("a", "b"), 30.0, None, "p")]),
        (figure(130.0), [Attack("he", "distance-based linkage", ("a", "b"), 100.0, None, "p")]),
        (figure(title="Other (two guesses)"), [Attack("he", "Other", ("a", "b"), 30.0, None, "p")]),
        (figure(known=["b", "z"]), [Attack("he", "distance-based linkage", ("b",), 30.0, None, "p")]),
        (figure(known=["z"]), [Attack("he", "distance-based linkage", ("a", "b"), 30.0, None, "p")]),
        (figure(interval_percent=[10, 40], exact=False),
         [Attack("he", "distance-based linkage", ("a", "b"), 30.0, (10.0, 40.0), "p")]),
        (figure(interval_percent=[10, 40], exact=True),
         [Attack("he", "distance-based linkage", ("a", "b"), 30.0, None, "p")]),
        (figure(interval_percent=[10, 40]), [Attack("he", "distance-based linkage", ("a", "b"), 30.0, None, "p")]),
        (figure(complete=False, known=["a"]), [Attack("he", "distance-based linkage", ("a",), 30.0, None, "p", 2)]),
        (figure(complete=True), [Attack("he", "distance-based linkage", ("a", "b"), 30.0, None, "p", 0)]),
        (figure(left_out=["b"]), [Attack("he", "distance-based linkage", ("a", "b"), 30.0, None, "p", 2)]),
        (figure(left_out=[]), [Attack("he", "distance-based linkage", ("a", "b"), 30.0, None, "p", 0)]),
        (figure(percent_of_one_guess=12), [Attack("he", "distance-based linkage", ("a", "b"), 12.0, None, "p")]),
        (figure(percent_of_one_guess=0), [Attack("he", "distance-based linkage", ("a", "b"), 0.0, None, "p")]),
        (figure(percent_with_known_m=140, left_out=["b"]),
         [Attack("he", "distance-based linkage", ("a", "b"), 30.0, None, "p", 2),
          Attack("he", "distance-based linkage with known rates of change", ("a", "b"), 100.0, None, "p")]),
        (figure(percent_with_known_m=0.0),
         [Attack("he", "distance-based linkage", ("a", "b"), 30.0, None, "p"),
          Attack("he", "distance-based linkage with known rates of change", ("a", "b"), 0.0, None, "p")]),
    ],
)  # fmt: skip
def test_a_measured_linkage_as_attacks(one, attacks):
    assert _attacks("he", one, ("a", "b"), "p") == attacks


def test_who_knows_more_has_what_others_find_and_lack_once():
    def of(name, known, *made, absent=()):
        return Attacks(name, known, tuple(Attack(name, how, keys, p) for how, keys, p in made), absent)

    found = {
        "less": of("less", ("a",), ("d", ("a",), 4.0), ("e", ("a",), 5.0), absent=("No e.", "No f.")),
        "more": of("more", ("a", "b"), ("d", ("a", "b"), 1.0), ("e", ("a",), 5.0), absent=("No f.", "No g.")),
        "same": of("same", ("b", "a"), ("d", ("b",), 2.0)),
        "other": of("other", ("c",), ("d", ("c",), 9.0)),
    }
    result = monotone(found)
    assert list(result) == list(found)
    assert result["less"] == found["less"]
    assert result["other"] == found["other"]
    assert [(a.intruder, a.linker, a.known) for a in result["more"].made] == [
        ("more", "d", ("a", "b")), ("more", "e", ("a",)), ("less", "d", ("a",)), ("same", "d", ("b",)),
    ]  # fmt: skip
    assert result["more"].absent == ("No f.", "No g.", "No e.")
    assert result["same"].absent == ("No e.", "No f.", "No g.")


# -------------------------------------------------------------------------------------------------------- what is tried


def test_a_table_is_seen_with_what_is_known_as_its_keys(tmp_path):
    data = people()
    view = seen_by(["x", "y"], data)
    assert {name: view.schema[name].role for name in view.names} == {
        "a": "other", "x": "key", "c": "confidential", "y": "key",
    }  # fmt: skip
    assert view.to_native().equals(data.to_native())
    assert data.schema.keys == ("a", "x")
    with pytest.raises(DiscreetError, match="zz"):
        seen_by(["zz"], data)
    dc.write(data, tmp_path / "a.parquet")
    stored = dc.scan(tmp_path / "a.parquet", SCHEMA)
    seen = seen_by(("c",), stored)
    assert (seen.schema.keys, stored.schema.keys, len(seen)) == (("c",), ("a", "x"), 20)


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        (("a", "x"), [("", ("q",)), ("categories", ("a",)), ("numbers", ("x",))]),
        (("x", "c", "a", "y"), [("", ("q",)), ("categories", ("c", "a")), ("numbers", ("x", "y"))]),
        (("a", "c"), [("", ("q",))]),
        (("x",), [("", ("q",))]),
        ((), [("", ("q",))]),
    ],
)
def test_each_kind_of_key_is_tried_by_itself_where_there_are_both(names, parts):
    found = _parts(people(), ("q",), names)
    assert [(part, set(keys)) for part, keys in found] == [(part, set(keys)) for part, keys in parts]


def test_linkages_are_those_that_the_intruder_has():
    both, one = Intruder("he", ("a",)), Intruder("he", ("a",), ("distance",))
    named = Intruder("he", ("a",), ("masking-aware",))
    assert is_used_by(both, measure("distance-linkage"))
    assert is_used_by(both, measure("probabilistic-linkage"))
    assert is_used_by(one, measure("distance-linkage"))
    assert not is_used_by(one, measure("probabilistic-linkage"))
    assert is_used_by(one, measure("uniques")), "what is no attack"
    for name, cls in dc.methods("measure").items():
        if cls.in_headline:
            assert is_used_by(both, cls()), name
            assert not is_used_by(one, cls()), name
            assert is_used_by(Intruder("he", ("a",), (name.removesuffix("-linkage"),)), cls()) == name.endswith(
                "-linkage"
            )
        elif cls().joins:
            assert (is_used_by(both, cls()), is_used_by(one, cls())) == (True, False), name
    order = [(cls.in_headline, cls.name) for cls in _linkages(both)]
    assert [headline for headline, _ in order] == sorted(headline for headline, _ in order)
    assert {"distance-linkage", "probabilistic-linkage"} <= {name for _, name in order if not _}
    assert [cls.name for cls in _linkages(one)] == ["distance-linkage", "sequence-linkage"]
    assert not is_used_by(named, measure("distance-linkage"))


def test_who_knows_nothing_of_the_release_guesses():
    data = people()
    release = data.select(["c", "y"])
    found = attacks_of(Intruder("he", ("a",)), data, release)
    assert found.made == (Attack("he", "guessing", (), 5.0),)
    assert (found.intruder, found.known, found.absent, len(found.remarks)) == ("he", ("a",), (), 1)
    empty = Microdata(data.to_native().with_columns(a=pl.lit(None, pl.String)), SCHEMA)
    assert attacks_of(Intruder("he", ("a",)), data, empty).made == (Attack("he", "guessing", (), 5.0),)


def test_an_intruder_tries_every_way_on_everything_and_on_parts():
    data = people()
    masked = dc.MDAV(k=4).mask(data)
    found = attacks_of(Intruder("he", ("a", "x"), ("distance",)), data, masked)
    assert [(a.linker, a.part, set(a.known)) for a in found.made] == [
        ("exact match", "", {"a", "x"}),
        ("distance-based linkage", "", {"a", "x"}),
        ("distance-based linkage", "categories", {"a"}),
        ("distance-based linkage", "numbers", {"x"}),
    ]
    assert all(a.intruder == "he" for a in found.made)
    assert (found.absent, found.remarks) == ((), ())
    # What was measured on all his keys is taken over; parts of them are measured anyway.
    risk = figure(61.0)
    again = attacks_of(Intruder("he", ("a", "x"), ("distance",)), data, masked, measured=[risk])
    assert again.made[1] == Attack("he", "distance-based linkage", ("a", "x"), 61.0)
    assert again.made[0] == found.made[0]
    assert again.made[2:] == found.made[2:]
    # What is no linkage of his, or a loss, is not.
    loss = Measurement("distance-linkage", "L", "loss", 61.0, 0.0, 100.0, "%", "")
    assert attacks_of(Intruder("he", ("a", "x"), ("distance",)), data, masked, measured=[loss]) == found


def test_what_could_not_be_measured_is_absent_and_told_with_the_reason():
    data = people()
    masked = dc.MDAV(k=4).mask(data)
    no = NotComputed("distance-linkage", "T", "risk", "too many.")
    found = attacks_of(Intruder("he", ("a", "x"), ("distance",)), data, masked, without=[no])
    title = measure("distance-linkage").title
    assert found.absent == (f"{title}: too many.",)
    assert [(a.linker, a.part) for a in found.made] == [
        ("exact match", ""), ("distance-based linkage", "categories"), ("distance-based linkage", "numbers"),
    ]  # fmt: skip


def test_who_was_not_told_how_the_file_was_masked_says_so():
    data = people()
    masked = dc.MDAV(k=4).mask(data)
    he = Intruder("he", ("x",), ("distance",))
    assert attacks_of(he, data, masked).remarks == ()
    (untold,) = attacks_of(he, data, masked.microdata).remarks
    assert untold.startswith("How the file was masked is not known here")
    assert attacks_of(he, data, data).remarks == ()


def test_files_are_attacked_as_tables_in_memory(tmp_path):
    data = people()
    masked = dc.MDAV(k=4).mask(data)
    dc.write(data, tmp_path / "a.parquet")
    dc.write(masked.microdata, tmp_path / "b.parquet")
    stored, released = (dc.scan(tmp_path / name, SCHEMA) for name in ("a.parquet", "b.parquet"))
    he = Intruder("he", ("a", "x"), ("distance",))
    assert attacks_of(he, stored, released) == attacks_of(he, data, masked.microdata)
    assert attacks_of(he, stored, masked).made == attacks_of(he, data, masked).made
    assert attacks_of(he, stored, stored) == attacks_of(he, data, data)
    assert as_recoded(stored, released) is None
    assert as_recoded(data, released) is None
    assert as_recoded(stored, masked) is None
    assert as_recoded(data, masked) is not None


def test_beyond_the_most_that_are_compared_some_are(monkeypatch):
    data = people()
    masked = dc.MDAV(k=4).mask(data)
    he = Intruder("he", ("a", "x"), ("distance", "probabilistic"))
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 20)
    whole = attacks_of(he, data, masked)
    assert whole.made[0].linker == "exact match"
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 19)
    some = attacks_of(he, data, masked)
    assert some.absent[0] == "Only a sample is linked by distance beyond 19 records, and not by agreement."
    assert [(a.linker, a.part) for a in some.made][:1] == [("distance-based linkage", "")]
    assert {a.part for a in some.made} == {"", "categories", "numbers"}
    assert "exact match" not in {a.linker for a in some.made}
    risk = figure(61.0, left_out=["a"])
    taken = attacks_of(he, data, masked, measured=[risk])
    assert taken.made[0] == Attack("he", "distance-based linkage", ("a", "x"), 61.0, None, "", 2)
    assert taken.absent == (some.absent[0], "Not compared: a.")
    blind = attacks_of(Intruder("he", ("a",), ("distance",)), data, data.select(["c", "y"]))
    assert blind.made == (Attack("he", "guessing", (), 5.0),)
    assert blind.absent == ("No key can be compared at this size.",)
