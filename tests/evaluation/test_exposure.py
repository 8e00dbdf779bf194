from __future__ import annotations

from itertools import combinations

import hypothesis.strategies as st
import polars as pl
from hypothesis import given, settings

import discreet as dc
from discreet.evaluation.exposure import expose
from discreet.scales import Nominal, Numeric
from discreet.schema import Attribute, Schema

LEVELS = ("a", "b", "c")


def people(columns):
    schema = Schema([Attribute(name, Nominal(LEVELS), "key") for name in columns])
    return dc.microdata(pl.DataFrame(columns), schema)


def alone(rows, places):
    seen = [tuple(row[j] for j in places) for row in rows]
    return sum(seen.count(one) == 1 and None not in one for one in seen)


@settings(max_examples=25)
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
        pairs = [truth[tuple(sorted((name, other)))] for i, other in enumerate(names) if i != j]
        assert abs(found.by_key[name][1] - sum(pairs) / 2) < 1e-9
    assert bool(found.combinations) == any(truth.values())


def test_before_and_after_differ_where_masking_helped():
    before = people({"x": ["a", "b", "c", "a"], "y": ["a", "a", "b", "b"]})
    after = people({"x": ["a", "a", "a", "a"], "y": ["a", "a", "b", "b"]})
    assert expose(before, after).combinations == ()
    assert "none singles a record out" in expose(before, after).sentence
    back = expose(after, before)
    assert back.combinations[0].keys == ("x",)
    assert (back.combinations[0].before, back.combinations[0].after) == (0, 2)


def test_raw_amounts_and_sequences_are_left_out_and_grouped_amounts_are_not():
    data = dc.datasets.business(60)
    assert expose(data, data).keys == ()
    assert expose(data, dc.MDAV(k=4).mask(data).microdata).keys == data.schema.keys
    trips = dc.datasets.itineraries(30)
    assert expose(trips, trips).combinations == ()


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
    assert found.by_key["w"] == (2.0, 2.0)
