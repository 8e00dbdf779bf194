from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import generalisation as slow

from discreet import models
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.masking.recoding.lattice_search import OBJECTIVES, KeyLadder, LatticeSearch, SensitiveColumn

TREES = (
    {0: ("0", "a", "*"), 1: ("1", "a", "*"), 2: ("2", "b", "*"), 3: ("3", "b", "*")},
    {0: ("0", "p"), 1: ("1", "p"), 2: ("2", "q")},
    {
        0: ("0", "low", "some", "*"),
        1: ("1", "low", "some", "*"),
        2: ("2", "mid", "some", "*"),
        3: ("3", "up", "up", "*"),
    },
)
VALUES = 4
VALUE_TREE = {0: ("0", "x", "*"), 1: ("1", "x", "*"), 2: ("2", "y", "*"), 3: ("3", "y", "*")}
NAMES = ("c0", "c1", "c2")


def people(rows):
    schema = Schema([Attribute(name, Nominal(tuple("0123")), "key") for name in NAMES])
    import polars as pl

    table = pl.DataFrame({n: [str(row[a]) for row in rows] for a, n in enumerate(NAMES)})
    return Microdata(table, schema)


FULL = [(0, 1, 2)]
POPULATION = [(a, b, c) for a in range(4) for b in range(3) for c in range(4)]
CROWD = people(POPULATION)
GAME = models.Profitability(10, 8, 5, 2)
TWIN = {"kind": "profit", "benefit": 10, "loss": 8, "gain": 5, "cost": 2, "columns": FULL}
CASES = [
    (models.K(2), {"kind": "k", "k": 2, "columns": FULL}),
    (models.K(3), {"kind": "k", "k": 3, "columns": FULL}),
    (models.K(3, keys=["c0", "c2"]), {"kind": "k", "k": 3, "columns": [(0, 2)]}),
    (models.K({2: 2}), {"kind": "k", "k": 2, "columns": slow.subsets(3, 2)}),
    (models.KM(2, 2), {"kind": "k", "k": 2, "columns": slow.subsets(3, 1) + slow.subsets(3, 2), "items": True}),
    (models.HighestRisk(0.4), {"kind": "highest-risk", "risk": 0.4, "columns": FULL}),
    (models.KMap(3, CROWD), {"kind": "k-map", "k": 3, "columns": FULL}),
    (models.DeltaPresence(0.1, 0.6, CROWD), {"kind": "presence", "low": 0.1, "high": 0.6, "columns": FULL}),
    (models.DeltaPresence(0.0, 0.4, CROWD), {"kind": "presence", "low": 0.0, "high": 0.4, "columns": FULL}),
    (models.LDiversity(2, "s"), {"kind": "distinct", "l": 2, "columns": FULL}),
    (models.LDiversity(2, "s", kind_of="entropy"), {"kind": "entropy", "l": 2, "columns": FULL}),
    (models.LDiversity(2, "s", kind_of="recursive", c=2.0), {"kind": "recursive", "l": 2, "c": 2.0, "columns": FULL}),
    (models.TCloseClasses(0.4, "s"), {"kind": "equal", "t": 0.4, "columns": FULL}),
    (models.TCloseClasses(0.3, "s", distance="ordered"), {"kind": "ordered", "t": 0.3, "columns": FULL}),
    (models.TCloseClasses(0.3, "s", distance="hierarchical"), {"kind": "hierarchical", "t": 0.3, "columns": FULL}),
    (models.TCloseClasses(0.3, "s", keys=["c1"]), {"kind": "equal", "t": 0.3, "columns": [(1,)]}),
    (models.BetaLikeness(1.0, "s"), {"kind": "beta", "beta": 1.0, "columns": FULL}),
    (models.BetaLikeness(2.0, "s", enhanced=True), {"kind": "beta-enhanced", "beta": 2.0, "columns": FULL}),
    (models.DeltaDisclosure(1.0, "s"), {"kind": "delta", "delta": 1.0, "columns": FULL}),
    (models.AlphaK(0.7, 1, "s"), {"kind": "alpha", "alpha": 0.7, "columns": FULL}),
    (models.NoAttack(5, 2), {"kind": "k", "k": 2.5, "columns": FULL}),
    (GAME, TWIN),
    (models.AverageRisk(0.4), {"kind": "average", "risk": 0.4}),
    (models.PopulationUniqueness(0.02, 100), {"kind": "uniques", "risk": 0.02, "population_size": 100}),
]


def groups_of(tree):
    steps = len(next(iter(tree.values())))
    result = []
    for step in range(steps):
        numbers = {}
        result.append([numbers.setdefault(row[step], len(numbers)) for row in tree.values()])
    return np.array(result, dtype=np.int64)


def fast(columns, sensitive, chosen, objective, limit, *, stays=False, population=()):
    keys = [
        KeyLadder(
            name,
            np.array([-1 if cell is None else cell for cell in column], dtype=np.int64),
            groups_of(tree),
            np.array([row[a] for row in population], dtype=np.int64) if population else None,
        )
        for a, (name, column, tree) in enumerate(zip(NAMES, columns, TREES, strict=True))
    ]
    tree = groups_of(VALUE_TREE)[:-1]
    column = SensitiveColumn(np.array(sensitive, dtype=np.int64), VALUES, tree)
    demands = [demand for model in chosen for demand in model.demands(NAMES)]
    needed = {"s": column} if any(demand.sensitive for demand in demands) else {}
    steadfast = all(model.steadfast for model in chosen)
    without = limit == 0 and all(model.monotone for model in chosen)
    return LatticeSearch(
        keys, demands, needed, objective, limit, stays=stays, steadfast=(steadfast and not stays) or without
    )


cell = st.sampled_from([0, 1, 2, None, 0, 1, 2, 3])
tables = st.lists(st.tuples(cell, st.sampled_from([0, 1, 2, 0]), cell, st.integers(0, 3)), min_size=4, max_size=14)


@pytest.mark.parametrize("objective", list(OBJECTIVES))
@settings(max_examples=min(15, settings().max_examples))
@given(
    rows=tables,
    picked=st.lists(st.integers(0, len(CASES) - 1), min_size=1, max_size=3, unique=True),
    share=st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0]),
    stays=st.booleans(),
)
def test_the_search_finds_what_looking_at_every_node_finds(objective, rows, picked, share, stays):
    *columns, sensitive = (list(column) for column in zip(*rows, strict=True))
    chosen = [CASES[place][0] for place in picked]
    crowded = any(model.people is not None for model in chosen)
    stays = stays and not crowded  # nobody in a population is fully generalised
    population = POPULATION if crowded else ()
    limit = int(share * len(rows))
    shares = {value: sensitive.count(value) / len(rows) for value in set(sensitive)}
    order = list(range(VALUES))
    env = ({v: shares.get(v, 0.0) for v in order}, order, VALUE_TREE)
    twins = [CASES[place][1] for place in picked]
    # A value that nobody has has no share that could change.
    expected = slow.search(
        columns,
        TREES,
        twins,
        sensitive,
        objective,
        limit,
        [list(column) for column in zip(*population, strict=True)],
        env,
        stays,
    )
    for bounded in (True, False):
        outcome = fast(columns, sensitive, chosen, objective, limit, stays=stays, population=population).run(
            10**6, bounded=bounded
        )
        if expected is None:
            assert outcome is None
            continue
        assert outcome is not None
        assert outcome.finished
        assert outcome.value == pytest.approx(expected[0], rel=1e-9, abs=1e-12)
        nodes = dict(expected[1])
        levels = tuple(outcome.levels[name] for name in NAMES)
        assert nodes[levels] == outcome.suppressed.sum()
        assert outcome.visited + outcome.bounded + outcome.hopeless == outcome.nodes == 3 * 2 * 4


@pytest.mark.parametrize("place", range(len(CASES)))
@settings(max_examples=min(10, settings().max_examples))
@given(rows=tables, start=st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 3)), up=st.integers(0, 2))
def test_what_a_model_says_of_generalising_is_true(place, rows, start, up):
    *columns, sensitive = (list(column) for column in zip(*rows, strict=True))
    model = CASES[place][0]
    population = POPULATION if model.people is not None else ()
    heights = (2, 1, 3)
    coarser = tuple(min(level + (a == up), heights[a]) for a, level in enumerate(start))
    search = fast(columns, sensitive, [model], "loss", len(rows), population=population)
    fine, coarse = (search.judged(dict(zip(NAMES, node, strict=True))) for node in (start, coarser))
    if model.monotone and fine is not None and not fine[1].any():
        assert coarse is not None
        assert not coarse[1].any()
    if model.steadfast and fine is not None:
        assert coarse is not None
        assert not (coarse[1] & ~fine[1]).any()


def test_an_interrupted_search_says_what_is_left():
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, size, 60).tolist() for size in (4, 3, 4)]
    search = fast(columns, rng.integers(0, 4, 60).tolist(), [models.K(3)], "loss", 6)
    whole = search.run(10**6)
    part = fast(columns, rng.integers(0, 4, 60).tolist(), [models.K(3)], "loss", 6).run(1)
    assert whole.finished
    assert not part.finished
    assert part.bound <= whole.value <= part.value


def test_the_bound_of_an_interrupted_walk_is_the_least_of_the_branches_that_are_open():
    rng = np.random.default_rng(2)
    columns = [rng.integers(0, size, 40).tolist() for size in (4, 3, 4)]
    search = fast(columns, [0] * 40, [models.K(1)], "discernibility", 0)  # a model that suppresses nothing
    told = search.survey(100)
    values = {tuple(node): value for node, value in zip(told.steps.tolist(), told.values.tolist(), strict=True)}
    for levels in values:
        branches = [(*levels[:a], levels[a] + 1, *[0] * (2 - a)) for a in range(3) if levels[a] < told.heights[a]]
        expected = min((values[branch] for branch in branches), default=np.inf)
        assert search._open_bound(np.array(levels)) == pytest.approx(expected)
    part = fast(columns, [0] * 40, [models.AverageRisk(0.4)], "discernibility", 20).run(1)
    whole = fast(columns, [0] * 40, [models.AverageRisk(0.4)], "discernibility", 20).run(10**6)
    assert not part.finished
    assert part.bound <= whole.value == whole.bound


@pytest.mark.parametrize("chosen", [[models.K(2)], [models.K(3, keys=["c0", "c2"]), models.LDiversity(2, "s")]])
@pytest.mark.parametrize("stays", [False, True])
def test_keys_of_several_words_are_the_same_keys(monkeypatch, chosen, stays):
    rng = np.random.default_rng(3)
    columns = [np.where(rng.random(50) < 0.1, None, rng.integers(0, size, 50)).tolist() for size in (4, 3, 4)]
    sensitive = rng.integers(0, 4, 50).tolist()
    one_word = fast(columns, sensitive, chosen, "discernibility", 12, stays=stays)
    expected = one_word.run(10**6)
    assert one_word.words == 1
    monkeypatch.setattr("discreet.masking.recoding.lattice_search._WORD", 5)
    several = fast(columns, sensitive, chosen, "discernibility", 12, stays=stays)
    outcome = several.run(10**6)
    assert several.words == 3
    assert (outcome.levels, outcome.value) == (expected.levels, expected.value)
    assert outcome.suppressed.tolist() == expected.suppressed.tolist()
    assert several.survey(100).suppressed.tolist() == one_word.survey(100).suppressed.tolist()


def adult(data_dir, skip=()):
    folder = data_dir / "arx"
    if not folder.exists():
        pytest.skip("Adult with its hierarchies is not there")
    with (folder / "adult.csv").open(encoding="utf-8") as file:
        names, *rows = csv.reader(file, delimiter=";")
    keys = []
    for a, name in enumerate(names):
        if name not in skip:
            with (folder / f"adult_hierarchy_{name}.csv").open(encoding="utf-8") as file:
                tree = {row[0]: tuple(row) for row in csv.reader(file, delimiter=";")}
            place = {leaf: number for number, leaf in enumerate(tree)}
            keys.append(KeyLadder(name, np.array([place[row[a]] for row in rows]), groups_of(tree)))
    return tuple(key.name for key in keys), keys


def exhaustive(keys, k, limit, objective):
    """Return the least value over all nodes, in plain NumPy, for k alone."""
    from itertools import product

    n = keys[0].codes.size
    best = np.inf
    for levels in product(*(range(key.height + 1) for key in keys)):
        packed = np.zeros(n, dtype=np.int64)
        cost = np.zeros(n)
        for key, step in zip(keys, levels, strict=True):
            groups = key.groups[step]
            packed = packed * (groups.max() + 1) + groups[key.codes]
            cost += (np.bincount(groups)[groups[key.codes]] - 1) / max(key.leaves - 1, 1) / len(keys)
        _, place, sizes = np.unique(packed, return_inverse=True, return_counts=True)
        short = sizes[place] < k
        if short.sum() <= limit:
            value = np.where(short, 1.0, cost).mean()
            if objective == "discernibility":
                value = (sizes[sizes >= k] ** 2).sum() + short.sum() * n
            best = min(best, value)
    return best


def test_adult_gives_the_figures_of_exhaustive_search(data_dir):
    names, keys = adult(data_dir)
    search = LatticeSearch(keys, models.K(5).demands(names), {}, "loss", int(0.05 * 30162), steadfast=True)
    best = search.run(10**6)
    assert best.finished
    assert best.nodes == 12960
    assert best.value == pytest.approx(0.269635, abs=5e-7)
    assert best.suppressed.sum() == 1346
    assert [best.levels[name] for name in names] == [0, 3, 0, 0, 2, 1, 1, 2, 0]
    search = LatticeSearch(keys, models.K(5).demands(names), {}, "discernibility", int(0.05 * 30162), steadfast=True)
    assert search.run(10**6).value == 7_220_555


@pytest.mark.parametrize(
    ("k", "share", "objective"), [(2, 0.0, "loss"), (10, 0.02, "discernibility"), (3, 0.1, "loss")]
)
def test_adult_with_fewer_keys_agrees_with_plain_numpy(data_dir, k, share, objective):
    names, keys = adult(data_dir, skip=("age", "education", "native-country", "workclass"))
    limit = int(share * 30162)
    search = LatticeSearch(keys, models.K(k).demands(names), {}, objective, limit, steadfast=True)
    assert search.run(10**6).value == pytest.approx(exhaustive(keys, k, limit, objective), rel=1e-9)
