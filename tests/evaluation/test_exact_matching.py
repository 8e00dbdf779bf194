"""What an intruder finds by looking up exactly what he knows, beside a slow count by text."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
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
