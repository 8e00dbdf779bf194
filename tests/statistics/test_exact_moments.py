"""Means and standard deviations, the same to the last bit however records are cut."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import CUTS, answer, blocks, concluded, table

from discreet.errors import DataError
from discreet.statistics.exact_moments import ColumnSums, moments


def of(*names):
    return lambda block: block.original.numeric(names)


@pytest.mark.parametrize("cut", CUTS)
def test_mean_and_spread_by_hand(cut):
    means, spreads = concluded(moments(("x", "y"), of("x", "y")), blocks(cut))
    assert means.tolist() == [17 / 5, 1]  # 1 2 3 5 6 and 1 0 2 1 2 0
    assert spreads.tolist() == pytest.approx([np.sqrt(17.2 / 5), np.sqrt(4 / 6)], rel=1e-15)
    nothing = table(z=[np.nan] * 6)
    means, spreads = concluded(moments(("z",), of("z")), blocks(cut, nothing, nothing))
    assert (means.tolist(), spreads.tolist()) == ([0], [0])


def test_every_cut_gives_the_same_bits():
    numbers = table(x=[0.1, 1e16, 0.3, -1e16, 0.7, 1e-9])
    results = {tuple(np.ravel(concluded(moments(("x",), of("x")), blocks(cut, numbers, numbers)))) for cut in CUTS}
    assert len(results) == 1
    assert results.pop()[0] == pytest.approx(1.100000001 / 6, rel=1e-15)  # what is large cancels out


def test_what_has_no_finite_square_is_told_by_count():
    huge = table(x=[1.0, -1.0, 1e-100, 2e-100, None, 3e-100])
    for cut in CUTS:
        with pytest.raises(DataError, match="Column 'x': 2 of 5 values are too large for a standard deviation"):
            concluded(moments(("x",), lambda block: block.original.numeric(("x",)) * 1e155), blocks(cut, huge, huge))


def test_sums_around_a_centre():
    question = ColumnSums(("x",), of("x"), np.array([3.0]))
    assert (question.original, question.released) == (("x",), ())
    totals = answer(question, blocks((2, 4)))
    assert (totals.present, totals.beyond) == ((5,), (0,))
