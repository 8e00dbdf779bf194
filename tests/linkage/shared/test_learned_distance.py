"""Weights learned from known links, of numbers and levels: beside a search of the plane of weights."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import DataError
from discreet.linkage.learned_weights import drawn_rivals, learn_weights
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.learned_distance import LearnedDistanceLinkage, _learned, differences
from discreet.linkage.shared.yardstick import prepare


def mixed(n=60, seed=0):
    """A table of a number, an ordered and an unordered attribute, and a release in which the first two are noise."""
    rng = np.random.default_rng(seed)
    levels = [f"{i}" for i in range(6)]
    frame = pl.DataFrame(
        {
            "size": rng.normal(size=n),
            "grade": rng.choice(levels, n),
            "town": rng.choice(list("abcdefghij"), n),
            "wage": rng.normal(size=n),
        }
    )
    schema = dc.Schema(
        [
            dc.Attribute("size", dc.Numeric(), "key"),
            dc.Attribute("grade", dc.Ordinal(levels), "key"),
            dc.Attribute("town", dc.Nominal("abcdefghij"), "key"),
            dc.Attribute("wage", dc.Numeric(), "key"),
        ]
    )
    release = frame.with_columns(
        size=pl.Series(rng.normal(size=n)),
        grade=pl.Series(rng.choice(levels, n)),
        wage=frame["wage"] + 0.1 * rng.normal(size=n),
    )
    return dc.microdata(frame, schema), dc.microdata(release, schema)


def test_it_trusts_what_masking_left_and_finds_more_than_equal_weights():
    data, release = mixed()
    linker = LearnedDistanceLinkage([[i, i] for i in range(20)])
    truth = np.where(np.arange(60) < 20, -1, np.arange(60))
    found = linker.link(data, release).evaluate(truth).expected
    assert found > 1.5 * DistanceLinkage().link(data, release).evaluate(truth).expected
    assert min(linker.weights_["town"], linker.weights_["wage"]) > 5 * max(
        linker.weights_["size"], linker.weights_["grade"]
    )
    assert np.mean(list(linker.weights_.values())) == pytest.approx(1)


def test_no_weights_on_a_grid_link_more_of_the_known_records():
    data, release = mixed(25, seed=3)
    names = ("size", "town", "wage")
    known = [[i, i] for i in range(25)]
    links = LearnedDistanceLinkage(known, attributes=list(names)).link(data, release)
    terms = prepare("test", data, release, names)
    every = np.array(list(itertools.product(range(25), range(25))))
    parts = differences(terms, every[:, 0], every[:, 1])
    best = 0
    for weights in itertools.product(np.linspace(0, 1, 13), repeat=3):
        table = (parts @ np.array(weights)).reshape(25, 25)
        best = max(best, int((table.argmin(axis=0) == np.arange(25)).sum()))
    # A convex stand-in for counting wrong links: it may miss one of the best on the grid, and not more.
    assert links.evaluate().expected >= best - 1
    assert links.evaluate().expected > DistanceLinkage(attributes=list(names)).link(data, release).evaluate().expected


def test_the_programme_is_solved():
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(2, 12, 2))
    y[:, 0] = x[:, 0] + 0.2 * y[:, 0]
    links = np.column_stack([np.arange(6), np.arange(6)])
    rivals = drawn_rivals(links, 12, 12, rng)

    def features(a, b):
        return -((x[a] - y[b]) ** 2)

    def objective(weights):
        gaps = np.vstack(
            [features(links[[i], 0], links[[i], 1]) - features(*others) for i, others in enumerate(rivals)]
        )
        spread = np.sqrt((gaps**2).mean(axis=0))
        scaled = weights * spread
        return 0.1 * scaled @ scaled + (np.maximum(1 - gaps @ weights, 0) ** 2).mean()

    learned = learn_weights(features, links, rivals, 0.1, positive=True)
    grid = itertools.product(np.linspace(0, 2 * learned.max(), 120), repeat=2)
    assert objective(learned) <= min(objective(np.array(weights)) for weights in grid) + 1e-9


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ([[0, 0]], "at least 2 pairs"),
        ([[0, 0], [1]], "at least 2 pairs"),
        ([[0, 0], [1, 900]], "positions beyond the 60 and 60 records"),
        ([[0, 0], [0, 1]], "names a record twice"),
    ],
)
def test_bad_known_links(known, said):
    with pytest.raises(DataError, match=said):
        LearnedDistanceLinkage(known).link(*mixed())


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_differences_are_the_parts_of_a_distance(metric):
    data, release = mixed(12)
    terms = prepare("X", data, release, ("size", "grade", "town", "wage"), metric)
    a, b = np.array([0, 3, 11]), np.array([5, 3, 0])
    parts = differences(terms, a, b)
    assert parts.shape == (3, 4)
    assert parts.sum(axis=1) == pytest.approx(terms.sums(b, a))
    # Categories first, then numbers.
    towns = [x != y for x, y in zip(data.column("town").to_pylist(), release.column("town").to_pylist(), strict=True)]
    assert terms.categories + terms.numbers == ("grade", "town", "size", "wage")
    assert differences(terms, np.arange(12), np.arange(12))[:, 1].tolist() == [float(one) for one in towns]


def test_the_nearest_rivals_teach_and_where_nobody_differs_nothing_is_learned():
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in "xy"])
    numbers = pl.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 1.0, 1.0, 1.0]})
    same = dc.microdata(numbers, schema)
    terms = prepare("X", same, same, ("x", "y"))
    learned = _learned(terms, np.array([[0, 0], [2, 2]]), 0.01)
    assert learned[0] > 0
    assert learned[1] == pytest.approx(0, abs=1e-3)
    # A single record of the first file has no rivals.
    alone = prepare("X", same.take([0]), same, ("x", "y"))
    assert _learned(alone, np.array([[0, 0]]), 0.01).tolist() == [1.0, 1.0]


def test_known_links_may_name_the_last_record_and_two_are_enough():
    data, release = mixed(12)
    linker = LearnedDistanceLinkage([[0, 11], [11, 0]])
    assert linker._pairs(12, 12).tolist() == [[0, 11], [11, 0]]
    links = linker.link(data, release)
    assert links.attributes == ("size", "grade", "town", "wage")
    assert set(linker.weights_) == set(links.attributes)
    assert np.mean(list(linker.weights_.values())) == pytest.approx(1)
    for n_a, n_b in ((11, 12), (12, 11)):
        with pytest.raises(DataError, match=f"positions beyond the {n_a} and {n_b} records"):
            linker._pairs(n_a, n_b)
    with pytest.raises(DataError, match="names a record twice"):
        LearnedDistanceLinkage([[0, 1], [2, 1]])._pairs(12, 12)
