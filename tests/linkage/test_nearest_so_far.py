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
from discreet.linkage.nearest_so_far import NearestSoFar, TiedLevels, Tolerance
from discreet.linkage.record_classes import NOBODY
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


def levels(*rows):
    """Return distances as (owner, sum, count, first, second position)."""
    columns = list(zip(*rows, strict=True)) or [()] * 5
    kinds = (np.int64, np.float64, np.int64, np.int64, np.int64)
    return TiedLevels(*(np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)))


def plain(some):
    return list(
        zip(*(getattr(some, name).tolist() for name in ("owner", "sums", "counts", "lowest", "following")), strict=True)
    )


def test_equal_distances_of_one_owner_become_one():
    one = levels((0, 1.0, 1, 7, NOBODY), (2, 3.0, 2, 4, 9))
    other = levels((0, 1.0, 3, 2, 8), (0, 2.0, 1, 1, NOBODY), (2, 3.0, 1, 3, NOBODY))
    expected = [(0, 1.0, 4, 2, 7), (0, 2.0, 1, 1, NOBODY), (2, 3.0, 3, 3, 4)]
    assert plain(one.and_of(other)) == expected
    assert plain(other.and_of(one)) == expected
    assert one.and_of(levels()).owner.tolist() == [0, 2]
    assert levels().and_of(levels()).owner.size == 0
    # The same distance of two owners stays two.
    assert plain(levels((0, 1.0, 1, 5, NOBODY)).and_of(levels((1, 1.0, 1, 6, NOBODY)))) == [
        (0, 1.0, 1, 5, NOBODY),
        (1, 1.0, 1, 6, NOBODY),
    ]


def test_distances_of_classes_are_those_of_their_records():
    one = levels((0, 1.0, 1, 7, NOBODY), (2, 3.0, 2, 4, 9), (2, 4.0, 1, 1, NOBODY))
    assert plain(one.of(np.array([2, 1, 0, 2]), 3)) == [
        (0, 3.0, 2, 4, 9),
        (0, 4.0, 1, 1, NOBODY),
        (2, 1.0, 1, 7, NOBODY),
        (3, 3.0, 2, 4, 9),
        (3, 4.0, 1, 1, NOBODY),
    ]
    assert plain(one.where(np.array([False, True, False]))) == [(2, 3.0, 2, 4, 9)]


def test_the_nearest_of_two_blocks_by_hand():
    # Asked: one with a nearer one later, one that ties with a later one, one whom nobody can be.
    first = NearestSoFar(
        4,
        Tolerance(),
        levels((0, 4.0, 1, 3, NOBODY), (1, 1.0, 2, 0, 2)),
        np.array([1, -1, -1]),
        np.array([9.0, np.inf, np.inf]),
    )
    later = NearestSoFar(
        3,
        Tolerance(),
        levels((0, 1.0, 1, 5, NOBODY), (1, 1.0, 1, 4, NOBODY)),
        np.array([6, 6, -1]),
        np.array([4.0, 2.0, np.inf]),
    )
    for both in (first.merge(later), later.merge(first)):
        assert both.records == 7
        assert both.best.tolist() == [5, 0, -1]
        assert both.ties.tolist() == [1, 3, 0]
        # Of 3 and 6, which are as far from the first, the lower position.
        assert both.second.tolist() == [3, 2, -1]
        assert (both.score.tolist(), both.second_score.tolist()) == ([1.0, 1.0, np.inf], [4.0, 1.0, np.inf])
        linked = both.evaluate(np.array([1.0, 1.0, np.inf]))
        assert linked.probability.tolist() == pytest.approx([1.0, 1 / 3, 0.0])
        assert (linked.expected, linked.optimistic, linked.pessimistic) == (pytest.approx(4 / 3), 2, 1)
        assert (linked.n, linked.chance) == (3, pytest.approx(3 / 7))
        assert both.evaluate(np.array([1.5, 1.0, np.inf])).optimistic == 1
    again = first.of(np.array([1, 0]))
    assert (again.best.tolist(), again.second.tolist()) == ([0, 3], [2, 1])


def test_what_rounding_explains_ties_and_squares_are_taken_back():
    tolerance = Tolerance(np.array([0.5, 0.0]), True)
    near = NearestSoFar(
        2, tolerance, levels((0, 4.0, 1, 0, NOBODY), (1, 4.0, 1, 0, NOBODY)), np.full(2, -1), np.full(2, np.inf)
    )
    far = NearestSoFar(
        1, tolerance, levels((0, 6.25, 1, 2, NOBODY), (1, 6.25, 1, 2, NOBODY)), np.full(2, -1), np.full(2, np.inf)
    )
    both = near.merge(far)
    # A distance of 2.5 is within half of one of 2; without slack it is not.
    assert (both.ties.tolist(), both.best.tolist(), both.second.tolist()) == ([2, 1], [0, 0], [2, 2])
    assert both.score.tolist() == [2.0, 2.0]
    assert both.second_score.tolist() == [2.0, 2.5]
    assert both.evaluate(np.array([6.25, 6.25])).probability.tolist() == [0.5, 0.0]
    assert tolerance.of(np.array([1, 0, 0])).slack.tolist() == [0.0, 0.5, 0.5]
    assert Tolerance().of(np.array([0])).slack is None
    assert Tolerance().tied_up_to(np.array([3.0])).tolist() == [3.0]
