"""Measures whose statistics add up: blocks of a table say together what the table says."""

from __future__ import annotations

import numpy as np
import pytest
from tests.battery import OTHER_SCHEMA, SCHEMA, microdata, schema_for
from tests.engines.test_every_measure import assert_alike, permuted, with_gaps
from tests.statistics.small import concluded

from discreet import catalogue
from discreet.contracts.engine import InProcess, TablePair
from discreet.data.block import Block
from discreet.statistics.question import Need

N = 45
CUTS = ((), (7, 30))
ADD_UP = {Need.RECORD, Need.ORDER, Need.DISTINCT}
COUNTED = {"k-anonymity", "loglinear-risk"}
"""What is asked of counted keys, which an engine brings together by itself."""


def blocks(original, release, cuts):
    parts = np.split(np.arange(N), cuts)
    return [Block(rows, original.take(rows), release.take(rows)) for rows in parts]


@pytest.mark.parametrize(
    "measure",
    [pytest.param(m, id=f"{name}-{i}") for name, c in catalogue.measures().items()
     for i, m in enumerate(c.examples()) if m.need in ADD_UP and name not in COUNTED],
)  # fmt: skip
def test_blocks_say_together_what_the_table_says(measure):
    scales = None if schema_for(measure.scales) is SCHEMA else OTHER_SCHEMA["load"].scale.answers - {"sequence"}
    original = microdata(N, seed=2, scales=scales)
    release = permuted(original, 3)
    if not measure.needs_numbers:
        original, release = with_gaps(original, 5), with_gaps(release, 6)
    scope = measure.scope(TablePair(original, release), None, InProcess())
    whole, together = (concluded(measure.inquire(scope), blocks(original, release, cuts)) for cuts in CUTS)
    assert_alike(whole, together)
