from __future__ import annotations

from collections import defaultdict

import numpy as np
import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.measures.loss.suppressed_strata import SuppressionByStratum

SCHEMA = Schema(
    [
        Attribute("region", Nominal(("n", "s", "w")), "stratum"),
        Attribute("x", Numeric(), "key"),
        Attribute("a", Nominal(("p", "q")), "key"),
    ]
)


def tables(seed, n=60):
    rng = np.random.default_rng(seed)
    before = pl.DataFrame(
        {
            "region": [None if rng.random() < 0.1 else "nsw"[i] for i in rng.integers(0, 3, n)],
            "x": pl.Series([None if rng.random() < 0.1 else float(i) for i in range(n)], dtype=pl.Float64),
            "a": ["pq"[i] for i in rng.integers(0, 2, n)],
        }
    )
    drop = pl.Series(rng.random(n) < 0.3)
    after = before.with_columns(x=pl.when(drop).then(None).otherwise(pl.col("x")))
    return before, after


@pytest.mark.parametrize("seed", range(3))
def test_the_worst_stratum_equals_the_definition(seed):
    before, after = tables(seed)
    there, gone = defaultdict(int), defaultdict(int)
    for old, new in zip(before.rows(named=True), after.rows(named=True), strict=True):
        for name in ("x", "a"):
            there[old["region"]] += old[name] is not None
            gone[old["region"]] += old[name] is not None and new[name] is None
    result = SuppressionByStratum("region").measure(Microdata(before, SCHEMA), Microdata(after, SCHEMA))
    shares = sorted((100 * gone[s] / there[s] for s in there), reverse=True)
    assert [row["percent"] for row in result.details["strata"]] == pytest.approx(shares)
    assert result.value == pytest.approx(shares[0])


def test_what_is_no_stratum_is_refused():
    data = Microdata(tables(0)[0], SCHEMA)
    for name in (None, "nobody"):
        with pytest.raises(ParameterError, match="by must name"):
            SuppressionByStratum(name).measure(data, data)


def test_households_count_by_their_size():
    house = Attribute("house", Nominal(("h1", "h2", "h3")), "identifier", household=True)
    schema = Schema([house, Attribute("x", Numeric(), "key")])
    before = pl.DataFrame({"house": ["h1", "h2", "h2", "h3", "h3"], "x": [0.5, 1.5, 2.5, 3.5, 4.5]})
    after = before.with_columns(x=pl.Series([None, 1.5, 2.5, None, 4.5]))
    result = SuppressionByStratum("house").measure(Microdata(before, schema), Microdata(after, schema))
    assert result.details["strata"] == [
        {"records": 1, "suppressed": 1, "percent": 100.0, "size": 1},
        {"records": 4, "suppressed": 1, "percent": 25.0, "size": 2},
    ]
