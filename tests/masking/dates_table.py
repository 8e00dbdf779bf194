"""A table with dates of every kind, for methods on them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from discreet.data.microdata import Microdata
from discreet.data.scales import Date, DateTime, Nominal, Numeric
from discreet.data.schema import Attribute, Schema

SCHEMA = Schema(
    [
        Attribute("person", Nominal(("",)), "identifier"),
        Attribute("born", Date(), "key"),
        Attribute("admitted", Date("%d.%m.%Y"), "key", missing=("?",)),
        Attribute("seen", DateTime(), "key"),
        Attribute("age", Numeric(), "key"),
        Attribute("zip", Nominal(("02139", "03601", "10001", "10002")), "key"),
        Attribute("ward", Nominal(("a", "b")), "stratum"),
        Attribute("discharged", Date(), "confidential"),
    ]
)
COLUMNS = ("born", "admitted", "seen", "discharged")
EPOCH = np.datetime64("1970-01-01")


def dates_table(n: int = 60, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    admitted = np.datetime64("2018-01-01") + rng.integers(0, 1400, n)
    born = admitted - rng.integers(0, 36_000, n)
    texts = [f"{str(d)[8:]}.{str(d)[5:7]}.{str(d)[:4]}" for d in admitted]
    seen = admitted.astype("datetime64[m]") + rng.integers(0, 30 * 1440, n)
    return pa.table(
        {
            "person": [f"p{i}" for i in rng.integers(0, max(n // 3, 1), n)],
            "born": pa.array(born.astype("datetime64[D]")),
            "admitted": texts,
            "seen": pa.array(seen.astype("datetime64[us]")).cast(pa.timestamp("us", "America/New_York")),
            "age": ((admitted - born).astype(int) // 365.25).astype(float),
            "zip": [("02139", "03601", "10001", "10002")[i] for i in rng.integers(0, 4, n)],
            "ward": [("a", "b")[i] for i in rng.integers(0, 2, n)],
            "discharged": pa.array((admitted + rng.integers(1, 60, n)).astype("datetime64[D]")),
        }
    )


def with_gaps(table: pa.Table) -> pa.Table:
    """The same with missing dates: empty, and by a code."""
    for name, rows, code in (("born", {3, 7}, None), ("admitted", {4}, "?"), ("seen", {3}, None)):
        values = [code if i in rows else v for i, v in enumerate(table[name].to_pylist())]
        table = table.set_column(table.column_names.index(name), name, pa.array(values, table[name].type))
    return table


def dates(n: int = 60, seed: int = 0) -> Microdata:
    return Microdata(dates_table(n, seed), SCHEMA)
