"""Some records asked of others that pass in blocks: the same as asking all of them at once."""

from __future__ import annotations

from functools import reduce
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from discreet import datasets
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import MissingValueError
from discreet.evaluation.intruder_view import without_gaps
from discreet.kernels.linking.nearest_list import tied_up_to
from discreet.linkage.nearest_so_far import Tolerance
from discreet.linkage.shared.coordinates import Spread
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.sequence_distance import SequenceLinkage

KINDS = [("numeric", "numeric"), ("nominal", "ordinal", "nominal"), ("numeric", "nominal", "ordinal")]
FIELDS = ("best", "second", "score", "second_score", "ties")


def files(kinds, n, seed, *, gaps=False):
    """A file and a release of it, on a grid, so that many records are equal and many distances tied."""
    rng = np.random.default_rng(seed)
    scales = {"numeric": Numeric(), "nominal": Nominal(tuple("abc")), "ordinal": Ordinal(tuple("abcd"))}
    schema = Schema(Attribute(f"v{j}", scales[kind], "key") for j, kind in enumerate(kinds))
    first, second = {}, {}
    for j, kind in enumerate(kinds):
        moved = rng.random(n) < 0.4
        if kind == "numeric":
            values = rng.integers(0, 6, n) / 3
            released = np.where(moved, rng.integers(0, 12, n) / 6, values)
            absent = rng.random((2, n)) < (0.15 if gaps else 0.0)
        else:
            levels = np.array(scales[kind].levels)
            values = rng.choice(levels, n)
            released = np.where(moved, rng.choice(levels, n), values)
            absent = rng.random((2, n)) < 0.1
        for target, column, without in ((first, values, absent[0]), (second, released, absent[1])):
            target[f"v{j}"] = [None if gone else value for value, gone in zip(column.tolist(), without, strict=True)]
    return Microdata(pl.DataFrame(first), schema), Microdata(pl.DataFrame(second), schema)


def in_blocks(question, a, b, size):
    """Ask every block of both files and merge the answers."""
    rows = [np.arange(low, min(low + size, len(a))) for low in range(0, len(a), size)]
    blocks = [SimpleNamespace(rows=some, original=a.take(some), release=b.take(some)) for some in rows]
    return reduce(lambda earlier, later: earlier.merge(later), [question.summarise(block) for block in blocks])


def planned(linker, a, b, size, **options):
    inquiry = linker.inquire((a.schema, b.schema), **options)
    with pytest.raises(StopIteration) as done:
        inquiry.send(in_blocks(next(inquiry), a, b, size))  # at once where there is no number to ask about
    return done.value.value


def assert_is_link(linker, plan, a, b, size):
    """Everybody asked, in both directions."""
    for links, of_release in zip(linker.link_both(a, b), (True, False), strict=True):
        asked, truth = (b, a) if of_release else (a, b)
        search = linker.search(plan, asked, of_release=of_release)
        nearest = in_blocks(search, a, b, size)
        assert nearest.records == len(a)
        for name in FIELDS:
            assert np.array_equal(getattr(nearest, name), getattr(links, name)), name
        linked, whole = nearest.evaluate(search.own(truth)), links.evaluate()
        assert np.array_equal(linked.probability, whole.probability)
        assert (linked.optimistic, linked.pessimistic) == (whole.optimistic, whole.pessimistic)
        assert (linked.expected, linked.chance, linked.n) == (whole.expected, whole.chance, whole.n)


@pytest.mark.parametrize("size", [1, 7, 64, 200])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "max", "mahalanobis"])
@pytest.mark.parametrize("kinds", KINDS)
def test_blocks_are_the_whole(kinds, metric, size):
    a, b = files(kinds, 200, 3)
    linker = DistanceLinkage(metric=metric)
    assert_is_link(linker, planned(linker, a, b, 200), a, b, size)


@pytest.mark.parametrize("size", [7, 60])
def test_a_spread_from_blocks_changes_no_link(size):
    a, b = files(KINDS[2], 200, 5)
    linker = DistanceLinkage()
    links = linker.link(a, b)
    nearest = in_blocks(linker.search(planned(linker, a, b, size), b), a, b, size)
    for name in ("score", "second_score"):
        assert getattr(nearest, name) == pytest.approx(getattr(links, name), rel=1e-12)
    for name in ("best", "ties"):
        assert np.array_equal(getattr(nearest, name), getattr(links, name)), name


def test_the_order_of_blocks_does_not_matter():
    a, b = files(KINDS[0], 90, 8)
    linker = DistanceLinkage()
    search = linker.search(planned(linker, a, b, 90), b)
    parts = [search.among(a.take(rows), rows) for rows in np.array_split(np.arange(90), 5)]
    forwards, backwards = (reduce(lambda x, y: x.merge(y), some) for some in (parts, parts[::-1]))
    for name in FIELDS:
        assert np.array_equal(getattr(forwards, name), getattr(backwards, name)), name


@pytest.mark.parametrize("size", [11, 150])
@pytest.mark.parametrize("kinds", [KINDS[0], KINDS[2]])
def test_missing_numbers_are_compared_as_an_assessment_does(kinds, size):
    a, b = files(kinds, 150, 4, gaps=True)
    linker = DistanceLinkage()
    with pytest.raises(MissingValueError, match="missing values in the two files"):
        planned(linker, a, b, size)
    links = linker.link_both(*without_gaps(a, b))
    plan = planned(linker, a, b, size, flag_gaps=True)
    assert plan.gaps
    for one, of_release in zip(links, (True, False), strict=True):
        nearest = in_blocks(linker.search(plan, b if of_release else a, of_release=of_release), a, b, size)
        # The mean and the deviation are rounded elsewhere: who is second of two that are as far is not the same.
        for name in ("score", "second_score"):
            assert getattr(nearest, name) == pytest.approx(getattr(one, name), rel=1e-12)
        for name in ("best", "ties"):
            assert np.array_equal(getattr(nearest, name), getattr(one, name)), name


def test_some_are_asked():
    a, b = files(KINDS[2], 200, 6)
    linker = DistanceLinkage()
    some = np.array([3, 40, 41, 199])
    search = linker.search(planned(linker, a, b, 200), b.take(some))
    nearest, links = in_blocks(search, a, b, 33), linker.link(a, b)
    for name in FIELDS:
        assert np.array_equal(getattr(nearest, name), getattr(links, name)[some]), name
    assert nearest.evaluate(search.own(a.take(some))).probability.tolist() == (
        links.evaluate().probability[some].tolist()
    )


@pytest.mark.parametrize("size", [1, 13, 60])
def test_sequences(size):
    trips = datasets.itineraries(60)
    (name,) = trips.schema.of_scale("sequence", among=trips.schema.keys)[:1]
    a = trips.select([name])
    b = a.take(np.random.default_rng(0).integers(0, 60, 60))
    linker = SequenceLinkage()
    for links, of_release in zip(linker.link_both(a, b), (True, False), strict=True):
        asked, truth = (b, a) if of_release else (a, b)
        search = linker.search(asked, of_release=of_release)
        nearest = in_blocks(search, a, b, size)
        for field in FIELDS:
            assert np.array_equal(getattr(nearest, field), getattr(links, field)), field
        assert np.array_equal(nearest.evaluate(search.own(truth)).probability, links.evaluate().probability)


@pytest.mark.parametrize("squared", [False, True])
def test_what_is_tied_is_what_the_search_ties(squared):
    nearest = np.array([0.0, 1e-300, 0.3, 7.0, np.inf])
    slack = np.array([1e-9, 1e-12, 0.0, 1e-6, 1e-6])
    expected = [tied_up_to(one, own, squared) for one, own in zip(nearest, slack, strict=True)]
    assert Tolerance(slack, squared).tied_up_to(nearest).tolist() == expected


def test_spreads_add_up():
    x = np.random.default_rng(0).normal(5, 2, (300, 3))
    whole = Spread.of(x)
    parts = reduce(lambda one, other: one.merge(other), [Spread.of(x[low : low + 70]) for low in range(0, 300, 70)])
    for name in ("mean", "deviation", "together", "low", "high"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), rel=1e-12)
    x[::7, 0], x[:70, 1] = np.nan, np.nan
    parts = reduce(lambda one, other: one.merge(other), [Spread.of(x[low : low + 70]) for low in range(0, 300, 70)])
    filled = np.where(np.isnan(x), np.nanmean(x, axis=0), x)
    assert parts.absent.tolist() == np.isnan(x).sum(axis=0).tolist()
    assert parts.filled().mean == pytest.approx(filled.mean(axis=0))
    assert parts.filled().deviation == pytest.approx(filled.std(axis=0))
