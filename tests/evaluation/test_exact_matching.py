"""What an intruder finds by looking up exactly what he knows, beside a slow count by text."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.evaluation import exact_matching
from discreet.evaluation.exact_matching import exact_groups, exact_match, risk_of_unmasked


def table(columns, levels):
    schema = Schema(
        [Attribute(name, Nominal(levels[name]) if name in levels else Numeric(), "key") for name in columns]
    )
    return dc.microdata(pl.DataFrame(columns), schema)


def found(known, after):
    """A record finds its own among those written as he knows it, each of them alike: the share over all records."""
    rows, released = (list(zip(*columns.values(), strict=True)) for columns in (known, after))
    return 100 * sum((one == other) / rows.count(one) for one, other in zip(rows, released, strict=True)) / len(rows)


@pytest.mark.parametrize("seed", range(6))
def test_who_looks_up_what_he_knows_finds_what_a_slow_count_finds(seed):
    rng = np.random.default_rng(seed)
    n = 40
    known = {"a": rng.choice(list("xyz"), n).tolist(), "b": rng.choice(list("pq"), n).tolist(),
             "c": rng.integers(0, 3, n).astype(float).tolist()}  # fmt: skip
    after = {name: list(column) for name, column in known.items()}
    for i in np.flatnonzero(rng.random(n) < 0.4).tolist():
        after["a"][i] = "other"  # a level of its own, so that the scale is another one
    for i in np.flatnonzero(rng.random(n) < 0.3).tolist():
        after["c"][i] += 1.0
    levels = {"a": ("x", "y", "z"), "b": ("p", "q")}
    before = table(known, levels)
    released = table(after, levels | {"a": ("x", "y", "z", "other")})
    for names in (("a",), ("b", "a"), ("a", "b", "c"), ("b", "c")):
        expected = found({name: known[name] for name in names}, {name: after[name] for name in names})
        assert exact_match(before, released, names) == pytest.approx(expected)
        groups = exact_groups(before, names)
        assert sorted(groups) == sorted(
            np.unique([str([known[name][i] for name in names]) for i in range(n)], return_counts=True)[1]
        )
        assert risk_of_unmasked(before, names) == pytest.approx(100 * len(groups) / n)


@pytest.mark.parametrize("most", [1, 4, 10, 1 << 62])
def test_combinations_are_counted_however_many_a_code_can_tell_apart(monkeypatch, most):
    monkeypatch.setattr(exact_matching, "_MOST_COMBINATIONS", most)
    rng = np.random.default_rng(7)
    columns = {name: rng.choice(list("xyz"), 30).tolist() for name in "abcd"}
    data = table(columns, dict.fromkeys("abcd", ("x", "y", "z")))
    rows = list(zip(*columns.values(), strict=True))
    assert sorted(exact_groups(data, list("abcd")).tolist()) == sorted(rows.count(row) for row in set(rows))


def test_who_knows_nothing_finds_one_of_all():
    data = table({"a": ["x", "y", "y", "y"]}, {"a": ("x", "y")})
    assert exact_groups(data, []).tolist() == [4]
    assert risk_of_unmasked(data, []) == 25.0
    assert risk_of_unmasked(data, ["zz"]) == 25.0
    assert risk_of_unmasked(data, ["a"]) == 50.0
    assert exact_match(data, data, ["a"]) == 50.0


def test_gaps_and_noughts_are_like_their_own():
    before = table({"a": ["x", None, None], "c": [0.0, None, None]}, {"a": ("x", "y")})
    after = table({"a": ["x", None, None], "c": [-0.0, None, 3.0]}, {"a": ("x", "y")})
    assert exact_match(before, after, ["a", "c"]) == pytest.approx(100 * (1 + 0.5) / 3)
    assert exact_groups(after, ["c"]).tolist() == [1, 1, 1]
    trips = dc.datasets.itineraries(30)
    (visits,) = trips.schema.keys
    ways = [str(way) for way in trips.column(visits).to_pylist()]
    assert risk_of_unmasked(trips, [visits]) == pytest.approx(100 * len(set(ways)) / 30)
    copy = dc.microdata(trips.to_native(), trips.schema)
    assert exact_match(trips, copy, [visits]) == pytest.approx(100 * len(set(ways)) / 30)


def test_files_of_any_size_risk_what_tables_in_memory_do(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    columns = {"a": rng.choice(list("xyz"), 40).tolist(), "c": rng.integers(0, 4, 40).astype(float).tolist()}
    data = table(columns, {"a": ("x", "y", "z")})
    dc.write(data, tmp_path / "a.parquet")
    stored = dc.scan(tmp_path / "a.parquet", data.schema)
    risk = risk_of_unmasked(data, ["a", "c"])
    assert risk_of_unmasked(stored, ["c", "a"]) == risk
    for most in (40, 39):
        monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", most)
        assert risk_of_unmasked(stored, ["a", "c"], dc.StreamingEngine(workers=1, batch=7)) == pytest.approx(risk)
