"""The tree searches against comparing all pairs."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import linkage as twin

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.level_terms import level_table
from discreet.linkage.shared.yardstick import prepare

FUEL, SIZE = tuple("abcdefg"), tuple(range(9))
SCALES = {"numeric": Numeric(), "ordinal": Ordinal(SIZE), "nominal": Nominal(FUEL)}


def files(kinds, n_a, n_b, seed, *, near=True, grid=False):
    rng = np.random.default_rng(seed)
    schema = Schema(Attribute(f"v{j}", SCALES[kind], "key") for j, kind in enumerate(kinds))
    numbers = rng.normal(size=(max(n_a, n_b), len(kinds)))
    codes = rng.integers(0, 7, (max(n_a, n_b), len(kinds)))

    def table(n, move):
        columns = {}
        for j, kind in enumerate(kinds):
            if kind == "numeric":
                x = numbers[:n, j] + move * 0.3 * rng.normal(size=n)
                columns[f"v{j}"] = np.round(x) if grid else x
            else:
                c = np.where(rng.random(n) < 0.2 * move, rng.integers(0, 7, n), codes[:n, j])
                columns[f"v{j}"] = [(FUEL if kind == "nominal" else SIZE)[i] for i in c]
        return Microdata(pl.DataFrame(columns), schema)

    return table(n_a, 0), table(n_b, 1 if near else 5)


def assert_exact(a, b, metric="euclidean", weights=None):
    names = a.schema.names
    links = DistanceLinkage(metric=metric, weights=weights).link(a, b, engine=MemoryEngine(workers=2))
    terms = prepare("twin", a, b, names, metric, weights)
    table = terms.matrix(slice(None))
    for j, (order, ties) in enumerate(twin.best(table, terms.slack(slice(None)), squared=terms.metric == 0)):
        assert links.best[j] == order[0]
        assert links.ties[j] == len(ties)
        assert links.score[j] == terms.scores(table[j].min())
        if len(order) > 1:
            assert links.second[j] == order[1]
            assert links.second_score[j] == terms.scores(table[j].min() if order[1] in ties else table[j, order[1]])
        tied = links.tied[links.tied_offsets[j] : links.tied_offsets[j + 1]]
        assert np.flatnonzero(np.isin(links.classes, tied)).tolist() == ties


KINDS = [
    ("numeric",) * 3,
    ("nominal",) * 6,
    ("nominal", "ordinal", "nominal", "ordinal", "nominal"),
    ("numeric", "nominal", "ordinal", "numeric"),
    ("nominal", "nominal", "numeric"),
]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "max", "mahalanobis"])
@pytest.mark.parametrize("kinds", KINDS)
def test_trees_are_exact(kinds, metric):
    assert_exact(*files(kinds, 700, 500, 3), metric)


@given(
    st.lists(st.sampled_from(["numeric", "ordinal", "nominal"]), min_size=1, max_size=5),
    st.integers(1, 60),
    st.integers(1, 30),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_trees_are_exact_with_many_ties(kinds, n_a, n_b, seed, near):
    assert_exact(*files(kinds, n_a, n_b, seed, near=near, grid=True))


def test_records_far_from_everything():
    a, b = files(("numeric", "nominal", "numeric"), 800, 300, 5, near=False)
    assert_exact(a, b)


def coded(levels, ordered, rows):
    """A file of categories given as codes; −1 is missing."""
    schema = Schema(
        Attribute(f"v{j}", (Ordinal if j in ordered else Nominal)(tuple(range(levels))), "key")
        for j in range(rows.shape[1])
    )
    columns = {f"v{j}": [None if c < 0 else int(c) for c in rows[:, j]] for j in range(rows.shape[1])}
    return Microdata(pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Int64)), schema)


@pytest.mark.parametrize("changes", [0, 1, 2, 3, 5])
@pytest.mark.parametrize(("levels", "width", "ordered"), [(5, 6, ()), (9, 6, (1, 4)), (40, 14, ()), (7, 5, range(5))])
def test_cells_at_every_number_of_disagreements(levels, width, ordered, changes):
    # Forty levels on fourteen attributes are more bits than a key has.
    rng = np.random.default_rng(changes)
    first = rng.integers(-1, levels, (400, width))
    second = first[rng.integers(0, 400, 150)].copy()
    for row in second:
        row[rng.choice(width, min(changes, width), replace=False)] = rng.integers(-1, levels, min(changes, width))
    for metric in ("euclidean", "manhattan"):
        assert_exact(coded(levels, ordered, first), coded(levels, ordered, second), metric)


def test_a_level_that_only_the_second_file_has():
    rng = np.random.default_rng(2)
    a = coded(4, (), rng.integers(0, 4, (200, 5)))
    b = coded(6, (), rng.integers(0, 6, (100, 5)))
    assert_exact(a, b)


def test_more_cells_are_as_near_as_wait_to_be_searched_at_a_time():
    # A record whose first level nobody has is one level away from 300 cells; others have one of them, or none.
    first = np.column_stack([np.arange(300), np.zeros(300, dtype=np.int64)])
    second = np.array([[305, 0], [5, 0], [5, 1], [305, 1], [299, 0]])
    assert_exact(coded(310, (), first), coded(310, (), second), "manhattan")


def test_weights_count():
    a, b = files(("numeric", "nominal", "ordinal"), 300, 200, 1)
    weights = {"v0": 0.5, "v1": 3.0}
    assert_exact(a, b, weights=weights)
    assert_exact(a, b, "manhattan", weights)


def test_a_leaf_of_equal_values_and_a_constant_column():
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])
    x = np.repeat([1.0, 2.0], 300)
    a = Microdata(pl.DataFrame({"x": x, "y": np.where(np.arange(600) == 7, 5.0, 0.0)}), schema)
    links = DistanceLinkage().link(a, a)
    assert links.ties[7] == 1
    assert links.ties[8] == 299
    assert links.ties[400] == 300


def test_a_level_that_stands_for_others():
    a = Ordinal(("a", "b", "c", "d", "e"))
    top = level_table(a, Ordinal(("a", "b", "c or more")))
    assert top[2:5, 2].tolist() == [0, 0, 0]
    assert top[0, 2] == pytest.approx(np.mean([2, 3, 4]) / 5)
    assert top[:3, 0] == pytest.approx([0, 0.2, 0.4])
    merged = level_table(Nominal(("p", "q", "r")), Nominal(("q", "p or r")))
    assert merged[:3].tolist() == [[1, 1, 1], [0, 1, 1], [1, 1, 1]]


def test_one_to_one():
    schema = Schema([Attribute("x", Numeric(), "key")])
    a = Microdata(pl.DataFrame({"x": [0.0, 1.0, 2.0]}), schema)
    b = Microdata(pl.DataFrame({"x": [0.9, 1.1, 1.9]}), schema)
    assert DistanceLinkage().link(a, b).best.tolist() == [1, 1, 2]
    assert sorted(DistanceLinkage(one_to_one=True).link(a, b).best.tolist()) == [0, 1, 2]
    large = Microdata(pl.DataFrame({"x": np.arange(50_001.0)}), schema)
    with pytest.raises(DataError, match="files of 50001 and 3 records are too large"):
        DistanceLinkage(one_to_one=True).link(large, b)


@pytest.mark.parametrize("dims", [1, 3, 10])
@pytest.mark.parametrize("spacing", [1e-12, 1e-9, 1e-7, 1e-5, 1e-2])
@pytest.mark.parametrize("far", [0.0, 1e3, 1e12, 1e25])
def test_numbers_that_single_precision_cannot_tell_apart(dims, spacing, far):
    rng = np.random.default_rng(7)
    schema = Schema(Attribute(f"v{j}", Numeric(), "key") for j in range(dims))
    # Records in tight bunches, two records out on the sides that decide on the standard deviations, and questions
    # within a bunch and beyond everything.
    bunches = rng.normal(size=(20, dims))[rng.integers(0, 20, 600)]
    a = bunches + spacing * rng.integers(-3, 4, (600, dims))
    a[0], a[1] = 40.0, -40.0
    b = a[rng.permutation(600)[:200]] + spacing * rng.normal(size=(200, dims))
    b[0], b[1] = far, -far
    first, second = (pl.DataFrame(dict(zip(schema.names, x.T, strict=True))) for x in (a, b))
    assert_exact(Microdata(first, schema), Microdata(second, schema))


def test_numbers_that_do_not_fit_single_precision():
    rng = np.random.default_rng(8)
    schema = Schema(Attribute(name, Numeric(), "key") for name in ("x", "y"))
    x = rng.normal(size=(300, 2))
    a = Microdata(pl.DataFrame({"x": x[:, 0], "y": x[:, 1]}), schema)
    b = Microdata(pl.DataFrame({"x": x[::-1, 0] + 0.1, "y": x[::-1, 1]}), schema)
    assert_exact(a, b, weights={"x": 1e80, "y": 1.0})
    assert_exact(a, b, weights={"x": 1e-80, "y": 1e-60})
