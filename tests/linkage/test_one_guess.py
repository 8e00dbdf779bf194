"""One guess a record of who links in two ways: it follows from the files alone, and finds at most 1 of k equals."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.linkage.test_combined import links

import discreet as dc
from discreet.linkage.one_guess import one_guess, sureness
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage


def linked(data, masked):
    linkers = DistanceLinkage(), ProbabilisticLinkage(missing="agree")
    return [linker.link_both(data, masked) for linker in linkers]


def chances(linkers, direction):
    return np.stack([both[direction].evaluate().probability for both in linkers])


def plain_sureness(links, reverse):
    """The definition, record by record, of links without ties."""
    mutual = np.array([float(reverse.best[links.best[i]] == i) for i in range(links.n_b)])
    return mutual.mean() * (0.2 + mutual)


def test_it_is_the_definition_where_nothing_ties():
    rng = np.random.default_rng(5)
    first = pl.DataFrame({"x": rng.normal(size=25), "y": rng.normal(size=25)})
    second = first.with_columns(pl.col("x") + rng.normal(size=25), pl.col("y") + 0.3 * rng.normal(size=25))
    release, original = DistanceLinkage().link_both(first, second)
    assert set(release.ties) == {1}
    assert sureness(release, original) == pytest.approx(plain_sureness(release, original))
    assert sureness(original, release) == pytest.approx(plain_sureness(original, release))


def test_it_finds_more_than_either_way_where_they_find_different_people():
    data = dc.datasets.housing(400)
    linkers = linked(data, dc.RankSwapping(p=8, random_state=4).mask(data).microdata)
    for direction in (0, 1):
        found = chances(linkers, direction)
        shares = one_guess(linkers, direction)
        assert shares.sum(axis=0) == pytest.approx(np.ones(400))
        assert (shares * found).sum() > found.sum(axis=1).max()
        assert (shares * found).sum() <= found.max(axis=0).sum()


def test_of_equal_records_one_is_found_at_most():
    data = dc.datasets.housing(150)
    masked = dc.MixedMDAV(k=5).mask(data)
    linkers = linked(data, masked.microdata)
    written = pl.from_arrow(masked.microdata.to_native()).select(data.schema.keys)
    groups = written.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy()
    for direction in (0, 1):
        found = (one_guess(linkers, direction) * chances(linkers, direction)).sum(axis=0)
        assert np.bincount(groups, found).max() <= 1 + 1e-9


def test_the_order_of_the_records_says_nothing():
    data = dc.datasets.housing(150)
    masked = dc.RankSwapping(p=15, random_state=2).mask(data).microdata
    order = np.random.default_rng(1).permutation(150)
    moved = [table.take(order) for table in (data, masked)]
    for direction in (0, 1):
        here, there = (one_guess(linked(*tables), direction) for tables in ((data, masked), moved))
        assert there == pytest.approx(here[:, order])


def test_the_truth_is_not_looked_at():
    data = dc.datasets.housing(150)
    masked = dc.RankSwapping(p=15, random_state=2).mask(data).microdata
    order = np.random.default_rng(1).permutation(150)
    # The release alone comes in another order: the same guesses of the same released records.
    assert one_guess(linked(data, masked.take(order)), 0) == pytest.approx(one_guess(linked(data, masked), 0)[:, order])


def test_links_that_tie_are_shared_and_teach_nothing():
    # Record 0 is mutual; 1 ties with two candidates; 2 is linked to 0, who prefers another; 3 has no link.
    release = links([[0], [1, 2], [0], []])
    original = links([[0], [1], [1], [3]])
    # Settled are 0 and 2, of which one is mutual: a half is usual.
    assert sureness(release, original) == pytest.approx([0.5 * 1.2, 0.5 * 0.7 / 2, 0.5 * 0.2, 0.0])
    # Where all tie, every link is believed as far as it can be.
    tied = links([[0, 1], [0, 1], [2, 3], [2, 3]])
    assert sureness(tied, tied) == pytest.approx([1.2 / 2] * 4)


def test_the_surest_is_believed_and_equals_share():
    sure, other = links([[0], [1], [2], [3]]), links([[1], [0], [2], [2]])
    both = [(sure, sure), (other, other), (sure, sure)]
    assert one_guess(both, 0).tolist() == [[0.5] * 4, [0.0] * 4, [0.5] * 4]
    # In the other direction the other links of each are asked.
    one_way = [(sure, other), (other, sure)]
    for direction in (0, 1):
        expected = np.stack([sureness(pair[direction], pair[1 - direction]) for pair in one_way])
        winners = one_guess(one_way, direction)
        assert winners.sum(axis=0).tolist() == [1.0] * 4
        assert (winners.argmax(axis=0) == expected.argmax(axis=0)).all()
