from __future__ import annotations

from collections import defaultdict

import numpy as np
import polars as pl
import pytest
from tests.statistics.small import CUTS, answer, blocks

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.measures.loss.suppressed_strata import SuppressionByStratum, _GoneBy
from discreet.statistics import value_counts

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


def two(columns, **gone):
    """A table, and the same with the cells at these places gone."""
    before = pl.DataFrame(columns, schema={"region": pl.String, "x": pl.Float64, "a": pl.String})
    after = {n: [None if i in gone.get(n, ()) else v for i, v in enumerate(c)] for n, c in columns.items()}
    return Microdata(before, SCHEMA), Microdata(pl.DataFrame(after, schema=before.schema), SCHEMA)


COLUMNS = {
    "region": ["n", "n", "n", "s", "s", "w", None],
    "x": [1.0, 2.0, 3.0, 4.0, 5.0, None, 7.0],
    "a": ["p", "q", "p", "q", "p", None, "q"],
}


def test_strata_are_told_by_what_they_lost_and_then_by_their_size():
    result = SuppressionByStratum("region").measure(*two(COLUMNS, x=(0, 3, 5), a=(1, 2)))
    assert result.value == 50
    assert (
        result.sentence == "Of 4 strata of region, the worst lost 50.0 % of its values, and all together lost 33.3 %."
    )
    assert result.details == {
        "strata": [
            {"records": 3, "suppressed": 3, "percent": 50.0},
            {"records": 2, "suppressed": 1, "percent": 25.0},
            {"records": 1, "suppressed": 0, "percent": 0.0},
            {"records": 1, "suppressed": 0, "percent": 0.0},
        ],
        "of_all": pytest.approx(100 * 4 / 12),
    }
    alike = SuppressionByStratum("region").measure(*two(COLUMNS, x=(0, 3, 6), a=(1, 2, 4)))
    assert [(row["records"], row["percent"]) for row in alike.details["strata"]] == [(3, 50), (2, 50), (1, 50), (1, 0)]
    none = SuppressionByStratum("region").measure(*two(COLUMNS, region=(0, 1)))
    assert (none.value, none.sentence) == (0, "No value is suppressed in any of 4 strata of region.")


def test_an_attribute_can_be_its_own_stratum():
    alone = SuppressionByStratum("a", attributes=["a"]).measure(*two(COLUMNS, a=(0,)))
    # Of three p one is gone, of three q none, and who had none loses nothing.
    assert [(row["records"], row["suppressed"]) for row in alone.details["strata"]] == [(3, 1), (3, 0), (1, 0)]
    beside = SuppressionByStratum("a").measure(*two(COLUMNS, a=(0,), x=(1,)))
    assert [(row["records"], row["suppressed"]) for row in beside.details["strata"]] == [(3, 1), (3, 0), (1, 0)]


def test_sizes_of_households_are_said():
    house = Attribute("house", Nominal(("h1", "h2", "h3")), "identifier", household=True)
    schema = Schema([house, Attribute("x", Numeric(), "key")])
    before = pl.DataFrame({"house": ["h1", "h2", "h2", "h3", "h3"], "x": [0.5, 1.5, 2.5, 3.5, 4.5]})
    after = before.with_columns(x=pl.Series([0.5, 1.5, None, None, 4.5]))
    result = SuppressionByStratum("house").measure(Microdata(before, schema), Microdata(after, schema))
    assert result.sentence == (
        "Of 2 sizes of households of house, the worst lost 50.0 % of its values, and all together lost 40.0 %."
    )
    assert SuppressionByStratum("house").measure(Microdata(before, schema), Microdata(before, schema)).sentence == (
        "No value is suppressed in any of 2 sizes of households of house."
    )


@pytest.mark.parametrize("role", ["identifier", "key"])
def test_strata_are_the_same_in_every_block(role):
    schema = Schema([Attribute("home", Nominal(("x", "y", "z")), role), Attribute("x", Numeric(), "key")])
    before = pl.DataFrame({"home": ["x", "y", "x", "z", "y", "x"], "x": [0.5, 1.5, 2.5, 3.5, None, 5.5]})
    after = before.with_columns(x=pl.Series([None, 1.5, None, 3.5, None, 5.5]))
    first, second = Microdata(before, schema), Microdata(after, schema)
    question = _GoneBy(("x",), "home")
    assert (question.original, question.released) == (("x", "home"), ("x",))
    for cut in CUTS:
        found = answer(question, blocks(cut, first, second))
        assert sorted(zip(*found.counts.tolist(), strict=True)) == [(1, 1, 0), (2, 1, 0), (3, 3, 2)]
        assert len(set(found.strata.tolist())) == 3


def test_too_many_strata_are_refused(monkeypatch):
    monkeypatch.setattr(value_counts, "MOST_DIFFERENT", 3)
    with pytest.raises(DataError, match="There are 4 different strata"):
        SuppressionByStratum("region").measure(*two(COLUMNS))
