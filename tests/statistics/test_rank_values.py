"""Values at ranks, settled sixteen bits at a time, against a sort."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from discreet.data.block import Block
from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.statistics.rank_values import values_at_ranks

EDGES = [0.0, -0.0, 1.0, -1.0, 1e-300, -1e-300, 5e-324, 1e150, -1e150, 2.0**52 + 0.5, 1.0 + 2.0**-52, 7.0, 7.0, 7.0]


def answered(columns, ranks, cuts):
    """Ask block by block, and merge the answers in order."""
    schema = Schema([Attribute(name, Numeric(), "key") for name in columns])
    table = Microdata(pl.DataFrame(columns), schema)
    n = len(table)
    edges = [0, *cuts, n]
    blocks = [Block(np.arange(a, b), table.take(np.arange(a, b))) for a, b in pairwise(edges)]
    inquiry = values_at_ranks(ranks)
    answer = None
    while True:
        try:
            question = inquiry.send(answer)
        except StopIteration as end:
            return end.value
        assert set(question.original) <= set(columns)
        answer, *others = (question.summarise(block) for block in blocks)
        for other in others:
            answer = answer.merge(other)


@pytest.mark.parametrize("cuts", [[], [5], [1, 6, 9]])
def test_every_rank_is_that_of_a_sort_in_any_blocks(cuts):
    rng = np.random.default_rng(3)
    drawn = [*rng.normal(size=6), *[None] * 3, *rng.normal(size=5).round(1)]
    present = sorted(value for value in drawn if value is not None)
    ranks = {"edges": list(range(1, 15)), "drawn": [1, 4, len(present)]}
    values = answered({"edges": EDGES, "drawn": drawn}, ranks, cuts)
    assert values["edges"] == sorted(EDGES)
    assert values["drawn"] == [present[0], present[3], present[-1]]


def test_nothing_asked_is_nothing_answered():
    assert answered({"x": [1.0, 2.0]}, {}, []) == {}
