"""How many stand at every level, or what they weigh, counted by hand."""

from __future__ import annotations

import pytest
from tests.statistics.small import CUTS, answer, before, blocks

from discreet.statistics.level_totals import LevelTotals


@pytest.mark.parametrize("cut", CUTS)
def test_records_and_weights_of_every_level(cut):
    question = LevelTotals.of_schema(before().schema, ("s", "t"), None)
    assert (question.original, question.released, question.sizes) == (("s", "t"), (), (2, 2))
    totals = answer(question, blocks(cut))
    assert totals.of("s").tolist() == [3, 2]
    assert totals.of("t").tolist() == [3, 3]
    assert totals.weighted is False
    question = LevelTotals.of_schema(before().schema, ("s", "t"), "w")
    assert question.original == ("s", "t", "w")
    totals = answer(question, blocks(cut))
    assert totals.of("s").tolist() == [5, 3]
    assert totals.of("t").tolist() == [6, 4]


def test_weights_are_summed_exactly():
    parts = blocks((1,) * 6)
    for part in parts:
        part.original.keep_encoding("w", part.original.encoded("w") * 0.1)
    assert answer(LevelTotals(("t",), (2,), "w"), parts).of("t").tolist() == [0.1 + 0.2 + 0.3000000000000000444, 0.4]
