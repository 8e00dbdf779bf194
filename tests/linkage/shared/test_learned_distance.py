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
from discreet.linkage.shared.learned_distance import LearnedDistanceLinkage, differences
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
