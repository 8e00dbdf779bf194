from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts.engine import InProcess
from discreet.linkage.shared import term_search
from discreet.linkage.shared.distance import DistanceLinkage

NAMES = ("a", "b", "c", "d", "e", "x", "y")


def mixed(seed, n, *, levels, digits):
    rng = np.random.default_rng(seed)
    texts = [str(level) for level in range(levels)]
    columns = {name: rng.choice([*texts, None], n, p=[0.9 / levels] * levels + [0.1]).tolist() for name in NAMES[:5]}
    numbers = {name: np.round(rng.normal(size=n) * 3, digits) for name in NAMES[5:]}
    scales = {name: dc.Ordinal(texts) if name in "ab" else dc.Nominal(texts) for name in NAMES[:5]}
    scales |= {name: dc.Numeric() for name in NAMES[5:]}
    schema = dc.Schema(dc.Attribute(name, scale, "key") for name, scale in scales.items())
    return dc.microdata(pl.DataFrame(columns | numbers), schema)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis"])
@pytest.mark.parametrize("attributes", [NAMES, NAMES[:5]])
@pytest.mark.parametrize(
    ("n_a", "n_b", "levels", "digits"), [(80, 90, 3, 0), (120, 30, 7, 2), (5, 6, 2, 0), (6, 1, 2, 0)]
)
def test_every_pair_once_finds_what_two_trees_find(monkeypatch, metric, attributes, n_a, n_b, levels, digits):
    a, b = (mixed(seed, n, levels=levels, digits=digits) for seed, n in ((1, n_a), (2, n_b)))
    linker = DistanceLinkage(attributes=attributes, metric=metric)
    once = linker.link_both(a, b, engine=InProcess())
    monkeypatch.setattr(term_search, "trees_save_nothing", lambda *_: False)
    twice = linker.link_both(a, b, engine=InProcess())
    for one, other in zip(once, twice, strict=True):
        for name in ("best", "second", "score", "second_score", "ties", "tied_offsets", "tied", "classes"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_small_files_of_many_categories_are_looked_at_once(monkeypatch):
    calls = []
    search = term_search.search_every_pair
    monkeypatch.setattr(term_search, "search_every_pair", lambda *sides: calls.append(1) or search(*sides))
    a, b = (mixed(seed, 50, levels=3, digits=1) for seed in (3, 4))
    DistanceLinkage().link_both(a, b)
    assert len(calls) == 1
    DistanceLinkage(attributes=["x", "y"]).link_both(a, b)
    assert len(calls) == 1  # a tree of two numbers is quicker
