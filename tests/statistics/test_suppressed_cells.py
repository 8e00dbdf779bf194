"""What is there before and gone after, counted by hand."""

from __future__ import annotations

import pytest
from tests.statistics.small import CUTS, answer, blocks

from discreet.statistics.suppressed_cells import Suppressions


@pytest.mark.parametrize("cut", CUTS)
def test_weights_of_what_is_gone(cut):
    question = Suppressions(("x", "s", "y"), "w")
    assert (question.original, question.released) == (("x", "s", "y", "w"), ("x", "s", "y"))
    cells = answer(question, blocks(cut))
    assert cells.present.tolist() == [8, 8, 10]  # what was missing before, of weight 2, is not there to be lost
    assert cells.gone.tolist() == [1, 1, 0]
    assert cells.cells.tolist() == [1, 1, 0]
    plain = answer(Suppressions(("x",)), blocks(cut))
    assert (plain.present.tolist(), plain.gone.tolist(), plain.cells.tolist()) == ([5], [1], [1])
