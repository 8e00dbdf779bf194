"""Tables that the batteries of common checks run every method on."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal, QueryLog, Sequence, TimeSeries, Trajectory
from discreet.data.schema import Attribute, Schema

EVENTS = ("gate", "lake", "tower", "shop")
SIZES = ("xs", "s", "m", "l", "xl")
FUELS = ("gas", "oil", "wood", "sun")

SCHEMA = Schema(
    [
        Attribute("person", Nominal(tuple(f"p{i}" for i in range(1000))), "identifier"),
        Attribute("income", Numeric(), "key"),
        Attribute("age", Numeric(), "key"),
        Attribute("wealth", Numeric(), "key"),
        Attribute("size", Ordinal(SIZES), "key"),
        Attribute("grade", Ordinal(tuple(range(1, 8))), "key"),
        Attribute("fuel", Nominal(FUELS), "key"),
        Attribute("owner", Nominal((False, True)), "key"),
        Attribute("visits", Sequence(EVENTS), "key"),
        Attribute("illness", Nominal(("none", "mild", "severe")), "confidential"),
        Attribute("region", Nominal(("north", "south")), "stratum"),
        Attribute("weight", Numeric(), "weight"),
        Attribute("note", Nominal(("a", "b")), "other"),
    ]
)


WORDS = ("news", "rome", "rain", "flights", "tax", "pain", "arnach", "belberg")

OTHER_SCHEMA = Schema(
    [
        Attribute("person", Nominal(tuple(f"p{i}" for i in range(1000))), "identifier"),
        Attribute("load", TimeSeries(0.1, 8.0, ";"), "key"),
        Attribute("way", Trajectory(0.5, 60, 20, False), "key"),
        Attribute("asked", QueryLog(WORDS), "key"),
        Attribute("pulse", TimeSeries(1, 60, ";"), "confidential"),
        Attribute("region", Nominal(("north", "south")), "stratum"),
        Attribute("weight", Numeric(), "weight"),
    ]
)
"""What is in the order of time: series, trajectories, queries."""


def schema_for(scales: frozenset[str] | None) -> Schema:
    """The schema that has keys on these scales."""
    return SCHEMA if scales is None or SCHEMA.of_scale(*scales, among=SCHEMA.keys) else OTHER_SCHEMA


def other_sample(n: int = 60, seed: int = 0) -> pa.Table:
    """A table of what is in the order of time."""
    rng = np.random.default_rng(seed)
    load = np.round(2 + 2 * np.sin(np.arange(8) + rng.normal(0, 1, (n, 1))) + rng.normal(0, 0.4, (n, 8)), 1)
    ways = rng.integers(-20, 20, (n, 1, 2)) + np.cumsum(rng.integers(-4, 5, (n, 6, 2)), axis=1) / 2
    pulse = 60 + rng.integers(0, 60, (n, 6))
    return pa.table(
        {
            "person": [f"p{i}" for i in range(n)],
            "load": [";".join(map(str, row[: 8 - (i % 9 == 0)])) for i, row in enumerate(load)],
            "way": [
                ";".join(f"{60 * (t + i % 3)},{x:.1f},{y:.1f}" for t, (x, y) in enumerate(path[: 6 - i % 2]))
                for i, path in enumerate(ways)
            ],
            "asked": [
                " | ".join(
                    " ".join(WORDS[w] for w in rng.integers(0, 6 + (i % 7 == 0), size)) for size in (1, 2, 1 + i % 2)
                )
                for i in range(n)
            ],
            "pulse": [";".join(map(str, row)) for row in pulse],
            "region": [("north", "south")[i] for i in rng.integers(0, 2, n)],
            "weight": rng.uniform(1, 9, n),
        }
    )


def sample(n: int = 60, seed: int = 0, scales: frozenset[str] | None = None) -> pa.Table:
    """A table with every scale and every role, or one that has keys on these scales."""
    if schema_for(scales) is OTHER_SCHEMA:
        return other_sample(n, seed)
    rng = np.random.default_rng(seed)
    wealth = rng.lognormal(10, 1, n)
    return pa.table(
        {
            "person": [f"p{i}" for i in range(n)],
            "income": np.round(wealth * rng.uniform(0.1, 0.4, n), 2),
            "age": rng.integers(18, 90, n),
            "wealth": wealth,
            "size": [SIZES[i] for i in rng.binomial(4, 0.4, n)],
            "grade": rng.integers(1, 8, n),
            "fuel": [FUELS[i] for i in rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])],
            "owner": rng.random(n) < 0.6,
            "visits": [" ".join(EVENTS[i] for i in rng.integers(0, 4, rng.integers(1, 6))) for _ in range(n)],
            "illness": [("none", "mild", "severe")[i] for i in rng.choice(3, n, p=[0.7, 0.2, 0.1])],
            "region": [("north", "south")[i] for i in rng.integers(0, 2, n)],
            "weight": rng.uniform(1, 9, n),
            "note": [("a", "b")[i] for i in rng.integers(0, 2, n)],
        }
    )


def microdata(n: int = 60, seed: int = 0, scales: frozenset[str] | None = None) -> Microdata:
    """The same with its schema."""
    return Microdata(sample(n, seed, scales), schema_for(scales))


def names_for(scales: frozenset[str]) -> list[str]:
    """The keys on these scales."""
    schema = schema_for(scales)
    return list(schema.of_scale(*scales, among=schema.keys))


def with_nulls(table: pa.Table, name: str, rows: list[int]) -> pa.Table:
    """The table with some values of a column missing."""
    values = table.column(name).to_pylist()
    for row in rows:
        values[row] = None
    return table.set_column(table.column_names.index(name), name, pa.array(values, table.column(name).type))
