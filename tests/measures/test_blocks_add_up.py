"""Measures whose statistics are their own: blocks of a table say together what the table says."""

from __future__ import annotations

import numpy as np
import pytest
from tests.battery import microdata
from tests.engines.test_every_measure import permuted, with_gaps

from discreet import catalogue
from discreet.contracts.engine import InProcess, TablePair
from discreet.data.block import Block

N = 45


@pytest.mark.parametrize(
    "measure",
    [pytest.param(m, id=f"{name}-{i}") for name in ("il1", "table-metric", "relations-broken")
     for i, m in enumerate(catalogue.measures()[name].examples())],
)  # fmt: skip
def test_blocks_say_together_what_the_table_says(measure):
    original = microdata(N, seed=2)
    release = permuted(original, 3)
    if not measure.needs_numbers:
        original, release = with_gaps(original, 5), with_gaps(release, 6)
    scope = measure.scope(TablePair(original, release), None, InProcess())
    question = measure.question(scope)
    whole = measure.conclude(question.summarise(Block(np.arange(N), original, release)), scope)
    parts = None
    for rows in np.split(np.arange(N), [7, 30]):
        part = question.summarise(Block(rows, original.take(rows), release.take(rows)))
        parts = part if parts is None else parts.merge(part)
    together = measure.conclude(parts, scope)
    assert together.value == pytest.approx(whole.value)
    assert whole.value > 0
    assert together.sentence == whole.sentence
    assert together.per_attribute == pytest.approx(whole.per_attribute)
