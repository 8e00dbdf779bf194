from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.battery import microdata
from tests.reference import nearest

from discreet.contracts.engine import InProcess
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, MissingValueError, SchemaError
from discreet.linkage.shared.distance import DistanceLinkage

SIZES = ("s", "m", "l", "xl")
FUELS = ("gas", "oil", "sun")
SCHEMA = Schema(
    [
        Attribute("x", Numeric(), "key"),
        Attribute("size", Ordinal(SIZES), "key"),
        Attribute("fuel", Nominal(FUELS), "key"),
    ]
)
SCALES = ["numeric", ("ordinal", SIZES), ("nominal", FUELS)]


def table(rng, n, *, missing=False):
    sizes = [*SIZES, None] if missing else SIZES
    return pl.DataFrame(
        {
            "x": rng.integers(0, 4, n).astype(float),
            "size": [sizes[i] for i in rng.integers(0, len(sizes), n)],
            "fuel": [FUELS[i] for i in rng.integers(0, 3, n)],
        }
    )


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(("n_a", "n_b"), [(30, 30), (7, 40), (40, 7), (1, 5), (2, 3)])
def test_equals_the_plain_definition(n_a, n_b, missing):
    rng = np.random.default_rng(n_a * 100 + n_b)
    a, b = table(rng, n_a, missing=missing), table(rng, n_b, missing=missing)
    links = DistanceLinkage().link(Microdata(a, SCHEMA), Microdata(b, SCHEMA))
    for j, (order, distances, ties) in enumerate(nearest.link(a.rows(), b.rows(), SCALES)):
        assert links.best[j] == order[0]
        assert links.ties[j] == len(ties)
        assert links.score[j] == pytest.approx(distances[order[0]])
        if n_a > 1:
            assert links.second[j] == order[1]
            assert links.second_score[j] == pytest.approx(distances[order[1]])
        else:
            assert links.second[j] == -1
        tied = set(links.tied[links.tied_offsets[j] : links.tied_offsets[j + 1]])
        assert {i for i in range(n_a) if links.classes[i] in tied} == set(ties)


def test_ties_are_shared():
    a = pl.DataFrame({"x": [1.0, 1.0, 1.0, 5.0]})
    linked = DistanceLinkage().link(a, a).evaluate()
    assert linked.probability == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1])
    assert linked.expected == pytest.approx(2)
    assert (linked.optimistic, linked.pessimistic) == (4, 1)
    assert linked.chance == 1


def test_all_equal_records_link_at_chance_level():
    a = Microdata(pl.DataFrame({"x": [2.0] * 50}), Schema([Attribute("x", Numeric(), "key")]))
    linked = DistanceLinkage().link(a, a).evaluate()
    assert linked.expected == pytest.approx(1)
    assert linked.pessimistic == 0


def test_truth_in_another_order_and_records_without_a_counterpart():
    schema = Schema([Attribute("x", Numeric(), "key")])
    a = Microdata(pl.DataFrame({"x": [1.0, 2.0, 3.0]}), schema)
    b = Microdata(pl.DataFrame({"x": [3.1, 1.1, 9.0, 2.0]}), schema)
    links = DistanceLinkage().link(a, b)
    linked = links.evaluate(np.array([2, 0, -1, 1]))
    assert linked.probability.tolist() == [1, 1, 0, 1]
    assert linked.chance == pytest.approx(1)
    with pytest.raises(DataError, match="files of 3 and 4 records|Files of 3 and 4 records"):
        links.evaluate()


def test_an_offset_of_a_billion_changes_nothing():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = x + rng.normal(size=200) / 10
    plain = DistanceLinkage().link(pl.DataFrame({"x": x}), pl.DataFrame({"x": y}))
    moved = DistanceLinkage().link(pl.DataFrame({"x": x + 1e9}), pl.DataFrame({"x": y + 1e9}))
    assert (plain.best == moved.best).mean() > 0.99


def test_engine_does_not_matter():
    a, b = microdata(3000, seed=1), microdata(3000, seed=2)
    names = ["income", "age", "size", "fuel"]
    first = DistanceLinkage(attributes=names).link(a, b, engine=InProcess())
    second = DistanceLinkage(attributes=names).link(a, b, engine=MemoryEngine(workers=3))
    for field in ("best", "second", "score", "ties", "tied", "tied_offsets"):
        assert np.array_equal(getattr(first, field), getattr(second, field)), field


def test_bad_input():
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("id", Nominal(("a", "b")), "identifier")])
    a = Microdata(pl.DataFrame({"x": [1.0, None], "id": ["a", "b"]}), schema)
    with pytest.raises(MissingValueError, match="column 'x' has 2 missing values in the two files"):
        DistanceLinkage().link(a, a)
    with pytest.raises(SchemaError, match="'id' is an identifier"):
        DistanceLinkage(attributes=["id"]).link(a, a)
    other = Microdata(pl.DataFrame({"y": [1.0]}), Schema([Attribute("y", Numeric(), "key")]))
    with pytest.raises(SchemaError, match="no attribute in common"):
        DistanceLinkage().link(a, other)
    ordinal = Microdata(pl.DataFrame({"x": [1, 2]}), Schema([Attribute("x", Ordinal((1, 2)), "key")]))
    with pytest.raises(SchemaError, match="different scales or levels"):
        DistanceLinkage().link(a, ordinal)
    with pytest.raises(SchemaError, match="'visits' is sequence"):
        DistanceLinkage().link(microdata(), microdata())
