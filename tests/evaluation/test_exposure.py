from __future__ import annotations

from itertools import combinations, pairwise

import hypothesis.strategies as st
import polars as pl
from hypothesis import given, settings

import discreet as dc
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.evaluation.exposure import expose

LEVELS = ("a", "b", "c")


def people(columns):
    schema = Schema([Attribute(name, Nominal(LEVELS), "key") for name in columns])
    return dc.microdata(pl.DataFrame(columns), schema)


def alone(rows, places):
    seen = [tuple(row[j] for j in places) for row in rows]
    return sum(seen.count(one) == 1 for one in seen)


def expected(rows, places):
    seen = [tuple(row[j] for j in places) for row in rows]
    return sum(1 / seen.count(one) for one in seen)


@settings(max_examples=min(25, settings().max_examples))
@given(st.lists(st.tuples(*[st.sampled_from([*LEVELS, None])] * 3), min_size=2, max_size=14))
def test_counts_what_a_slow_count_counts(rows):
    names = ("x", "y", "z")
    data = people({name: [row[j] for row in rows] for j, name in enumerate(names)})
    found = expose(data, data)
    sets = [places for size in (1, 2, 3) for places in combinations(range(3), size)]
    truth = {tuple(names[j] for j in places): alone(rows, places) for places in sets}
    for combination in found.combinations:
        assert combination.before == combination.after == truth[combination.keys]
        assert combination.after > 0
    for j, name in enumerate(names):
        falls = expected(rows, range(3)) - expected(rows, [i for i in range(3) if i != j])
        assert abs(found.by_key[name][1] - falls) < 1e-9
    figures = [after for _, after in found.by_key.values()]
    assert all(first >= second - 1e-6 for first, second in pairwise(figures)), "the riskiest first"
    assert bool(found.combinations) == any(truth.values())


def test_before_and_after_differ_where_masking_helped():
    before = people({"x": ["a", "b", "c", "a"], "y": ["a", "a", "b", "b"]})
    after = people({"x": ["a", "a", "a", "a"], "y": ["a", "a", "b", "b"]})
    assert expose(before, after).combinations == ()
    assert "none singles a record out" in expose(before, after).sentence
    back = expose(after, before)
    assert back.combinations[0].keys == ("x",)
    assert (back.combinations[0].before, back.combinations[0].after) == (0, 2)


def test_amounts_and_sequences_are_keys_like_others():
    data = dc.datasets.business(60)
    raw = expose(data, data)
    assert raw.keys == data.schema.keys
    assert raw.combinations[0].after >= 59
    assert expose(data, dc.MDAV(k=4).mask(data).microdata).combinations == ()
    trips = dc.datasets.itineraries(30)
    assert expose(trips, trips).keys == trips.schema.keys


def test_what_is_left_out_is_said(monkeypatch):
    from discreet.evaluation import exposure

    data = people({name: ["a", "b", "c", "a"] for name in "wxyz"})
    assert "not looked at" not in expose(data, data).sentence
    monkeypatch.setattr(exposure, "_SHOWN", 2)
    assert "Listed are the 2 worst of 4 sets." in expose(data, data).sentence
    monkeypatch.setattr(exposure, "_MOST_KEYS", 3)
    found = expose(data, data)
    assert "1 keys after the first 3 were not looked at." in found.sentence
    assert len(found.keys) == 3
    monkeypatch.setattr(exposure, "_MOST_VISITS", 1)
    assert "Sets of more than 1 keys were not looked at" in expose(data, data).sentence


def test_holds_keys_and_counts_and_no_value():
    schema = Schema([Attribute("town", Nominal(("north", "Hiddenville")), "key"), Attribute("wage", Numeric(), "key")])
    frame = pl.DataFrame({"town": ["north"] * 5 + ["Hiddenville"], "wage": [1.5, 1.5, 2.5, 2.5, 4711.5, 4711.5]})
    data = dc.microdata(frame, schema)
    shown = repr(expose(data, data)) + str(expose(data, data).to_dict())
    assert "Hiddenville" not in shown
    assert "4711" not in shown


def test_a_large_file_is_looked_at_less_deeply(monkeypatch):
    from discreet.evaluation import exposure

    data = people({name: ["a", "b", "c", "a"] for name in "wxyz"})
    assert expose(data, data).deepest == 3
    monkeypatch.setattr(exposure, "_MOST_VISITS", 4 * 10)
    assert expose(data, data).deepest == 2
    monkeypatch.setattr(exposure, "_MOST_VISITS", 1)
    found = expose(data, data)
    assert found.deepest == 1


def test_the_sentence_names_the_worst_set_and_counts_before_and_after(monkeypatch):
    from discreet.evaluation import exposure

    equal = people({"x": ["a", "a", "b", "b"]})
    assert expose(equal, equal).sentence == "Of all keys, one by one, none singles a record out in the release."
    before = people({"x": ["a", "b", "c", "a", "a"], "y": ["a", "a", "b", "b", "b"]})
    after = people({"x": ["a", "b", "b", "a", "a"], "y": ["a", "a", "b", "b", "b"]})
    # (a, a), (b, a), (b, b) are alone on both keys after masking; before it (a, a) is, and c and b by x alone.
    assert expose(before, after).sentence == (
        "Of all sets of at most 2 keys, x and y single out most: 3 of 5 released records are alone on them (3 before "
        "masking)."
    )
    assert expose(after, before).sentence == (
        "Of all sets of at most 2 keys, x singles out most: 2 of 5 released records are alone on it (0 before masking)."
    )
    assert [(c.keys, c.before, c.after) for c in expose(after, before).combinations] == [
        (("x",), 0, 2), (("x", "y"), 3, 3),
    ]  # fmt: skip
    monkeypatch.setattr(exposure, "_MOST_VISITS", 2 * 5)
    assert expose(after, before).sentence == (
        "Of all keys, one by one, x singles out most: 2 of 5 released records are alone on it (0 before masking). Sets "
        "of more than 1 keys were not looked at: there are too many for so many records."
    )


def test_nothing_is_listed_as_left_out_where_everything_just_fits(monkeypatch):
    from discreet.evaluation import exposure

    data = people({name: ["a", "b", "c", "a"] for name in "wxyz"})
    monkeypatch.setattr(exposure, "_SHOWN", 4)
    monkeypatch.setattr(exposure, "_MOST_KEYS", 4)
    # 4 keys, 6 pairs and 4 sets of three, times 4 records
    monkeypatch.setattr(exposure, "_MOST_VISITS", 4 * 14)
    found = expose(data, data)
    assert found.sentence == (
        "Of all sets of at most 3 keys, w singles out most: 2 of 4 released records are alone on it (2 before masking)."
    )
    assert [(c.keys, c.before, c.after) for c in found.combinations] == [((name,), 2, 2) for name in "wxyz"]
    assert (found.keys, found.deepest, found.n_records) == (tuple("wxyz"), 3, 4)
    for visits, deepest in ((4 * 14 - 1, 2), (4 * 10, 2), (4 * 10 - 1, 1), (4 * 4 - 1, 1)):
        monkeypatch.setattr(exposure, "_MOST_VISITS", visits)
        assert expose(data, data).deepest == deepest


def test_a_release_without_keys_has_nothing_to_look_at():
    data = people({"x": ["a", "b"]})
    other = dc.microdata(pl.DataFrame({"z": ["a", "b"]}), Schema([Attribute("z", Nominal(LEVELS), "key")]))
    found = expose(data, other)
    assert (found.keys, found.deepest, found.n_records, found.combinations, found.by_key) == ((), 0, 2, (), {})
    assert found.sentence == "No key could be looked at: the release has none."
    assert expose(data, data, ["q", "x"]).keys == ("x",)
    wider = people({"x": ["a", "b"], "y": ["a", "b"]})
    plain = dc.microdata(wider.to_native(), wider.schema.with_roles(x="other"))
    assert expose(plain, wider).keys == ("y",), "the keys of the original"


def test_weights_are_those_of_the_original_unless_others_are_given():
    schema = Schema([Attribute("x", Nominal(LEVELS), "key"), Attribute("w", Numeric(), "weight")])
    data = dc.microdata(pl.DataFrame({"x": ["a", "b", "b"], "w": [1.0, 50.0, 50.0]}), schema)
    heavy = dc.microdata(pl.DataFrame({"x": ["a", "a", "b"], "w": [90.0, 90.0, 90.0]}), schema)
    own = expose(data, heavy).by_key["x"]
    given = expose(data, heavy, weights=data.weights()).by_key["x"]
    assert own == given
    assert own != expose(data, heavy, weights=heavy.weights()).by_key["x"]
