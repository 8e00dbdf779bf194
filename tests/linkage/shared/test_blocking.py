"""Links within blocks: those of each block by itself, told in positions of the whole files."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.linkage.shared.blocking import BlockedLinkage
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage

SCHEMA = Schema([Attribute("t", Nominal("uvw"), "key"), Attribute("s", Nominal("mf"), "key"),
                 Attribute("x", Numeric(), "key")])  # fmt: skip


def table(towns, sexes, numbers):
    frame = pl.DataFrame(
        {"t": towns, "s": list(sexes), "x": numbers}, schema={"t": pl.String, "s": pl.String, "x": pl.Float64}
    )
    return Microdata(frame, SCHEMA)


# Records 1 and 4 of A are equal, and so are 0 and 3 but for the town.
A = table(["u", "v", "u", "v", "v", None], "mmfmmm", [1.0, 2.0, 5.0, 1.0, 2.0, 7.0])
B = table(["v", "u", "w", "v", None, "u"], "mmmmff", [2.0, 3.0, 2.0, 1.25, 0.0, 5.0])


def test_positions_ties_and_classes_are_those_of_the_whole_files() -> None:
    links = BlockedLinkage(by=["t"], attributes=["t", "x"]).link(A, B)
    assert (links.n_a, links.n_b, links.method, links.attributes) == (6, 6, "blocked", ("t", "x"))
    assert links.best.tolist() == [1, 0, -1, 3, 5, 2]
    assert links.second.tolist() == [4, 2, -1, 1, -1, 0]
    assert links.ties.tolist() == [2, 2, 0, 1, 1, 1]
    assert links.tied_offsets.tolist() == [0, 1, 3, 3, 4, 5, 6]
    assert links.tied.tolist() == [1, 0, 2, 3, 5, 2]
    assert links.classes.tolist() == [0, 1, 2, 3, 1, 5]
    assert not links.higher_is_better
    # Blocks u and v have the numbers 1, 5 | 3, 5 and 2, 1, 2 | 2, 1.25: a spread of each by itself.
    of_u, of_v = np.std([1, 5]), np.std([2, 1, 2])
    assert links.score[[0, 1, 2, 3, 5]].tolist() == pytest.approx([0, 2 / of_u, np.inf, 0.25 / of_v, 0])
    assert links.second_score[[0, 1, 2, 3, 5]].tolist() == pytest.approx([0, 2 / of_u, np.inf, 0.75 / of_v, 4 / of_u])
    truth = np.array([4, 2, 0, 3, 5, 0])
    assert links.evaluate(truth).probability.tolist() == [0.5, 0.5, 0.0, 1.0, 1.0, 0.0]
    assert links.evaluate(truth).second == 1


def test_by_default_the_first_attribute_makes_the_blocks_and_the_others_are_compared() -> None:
    first, named = BlockedLinkage(), BlockedLinkage(by=["t"])
    for name in ("best", "second", "score", "ties", "tied"):
        assert getattr(first.link(A, B), name).tolist() == getattr(named.link(A, B), name).tolist()
    # Of the town alone nothing is left but the town itself, on which everybody of a block ties.
    alone = BlockedLinkage(attributes=["t"]).link(A, B)
    assert alone.ties.tolist() == [3, 2, 0, 3, 1, 2]
    assert alone.best.tolist() == [1, 0, -1, 1, 5, 0]


def test_a_pair_agrees_on_every_attribute_that_it_is_blocked_by() -> None:
    links = BlockedLinkage(by=["t", "s"]).link(A, B)
    assert links.best.tolist() == [1, 0, -1, 3, -1, 2]
    assert links.ties.tolist() == [2, 1, 0, 1, 0, 1]


def test_files_without_a_block_in_common_have_no_links() -> None:
    links = BlockedLinkage(by=["t"]).link(table(["u"], "m", [1.0]), table(["v", "w"], "mf", [1.0, 2.0]))
    assert links.best.tolist() == links.second.tolist() == [-1, -1]
    assert links.score.tolist() == links.second_score.tolist() == [np.inf, np.inf]
    assert links.ties.tolist() == [0, 0]
    assert links.tied_offsets.tolist() == [0, 0, 0]
    assert (links.tied.size, links.classes.tolist(), links.higher_is_better) == (0, [0], False)


def test_the_linker_that_is_given_links_each_block_and_stays_as_it_is() -> None:
    inner = DistanceLinkage(attributes=["s"], metric="manhattan")
    links = BlockedLinkage(by=["t"], linker=inner).link(A, B)
    assert inner.attributes == ["s"]
    for town, rows, others in (("u", [0, 2], [1, 5]), ("v", [1, 3, 4], [0, 3])):
        part = DistanceLinkage(attributes=["s", "x"], metric="manhattan").link(A.take(rows), B.take(others))
        assert links.score[others].tolist() == pytest.approx(part.score.tolist()), town
        assert links.best[others].tolist() == np.array(rows)[part.best].tolist()
    weighed = BlockedLinkage(by=["t"], linker=ProbabilisticLinkage(m="em")).link(A, B)
    assert weighed.higher_is_better
    assert (weighed.score[2], weighed.second_score[2]) == (-np.inf, -np.inf)
    assert weighed.best[2] == -1


def test_examples_block_by_one_attribute_and_by_two() -> None:
    assert [(one.by, one.linker, one.attributes) for one in BlockedLinkage.examples()] == [
        (["fuel"], None, None),
        (["owner", "size"], None, None),
    ]
