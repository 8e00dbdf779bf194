"""Ends and bins, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import CUTS, answer, blocks, table

from discreet.statistics.histograms import BothEnds, Histograms


@pytest.mark.parametrize("cut", CUTS)
def test_ends_of_both_files(cut):
    question = BothEnds(("x", "y"))
    assert (question.original, question.released) == (("x", "y"), ("x", "y"))
    ends = answer(question, blocks(cut))
    assert ends.low.tolist() == [[1, 0], [1, 0]]
    assert ends.high.tolist() == [[6, 2], [6, 2]]
    small = table(x=[-3.0, None, 2.0, 2.0, 2.0, 2.0])
    ends = answer(BothEnds(("x",)), blocks(cut, small, table(x=[0.5] * 6)))
    assert (ends.low.tolist(), ends.high.tolist()) == ([[-3], [0.5]], [[2], [0.5]])


def test_nothing_lies_between_infinite_ends():
    empty = table(x=[np.nan] * 6)
    ends = answer(BothEnds(("x",)), blocks((6,), empty, empty))
    assert (ends.low.tolist(), ends.high.tolist()) == ([[np.inf]] * 2, [[-np.inf]] * 2)


@pytest.mark.parametrize("cut", CUTS)
def test_bins_hold_weights(cut):
    question = Histograms(("x",), ((1.0, 7.0),), 3)
    counts = answer(question, blocks(cut)).counts["x"]
    assert [side.tolist() for side in counts] == [[2, 1, 2], [2, 2, 1]]  # from 1, 3 and 5 on
    weighed = answer(Histograms(("x", "y"), ((1.0, 7.0), (0.0, 2.0)), 3, "w"), blocks(cut)).counts
    assert [side.tolist() for side in weighed["x"]] == [[3, 1, 4], [3, 3, 3]]
    assert [side.tolist() for side in weighed["y"]] == [[5, 3, 2], [3, 5, 2]]
