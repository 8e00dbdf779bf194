"""Where quantiles are looked for, and what of a table is kept for it: no more than lies there."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import CUTS, answer, blocks, table

from discreet.statistics import ranks
from discreet.statistics.ranks import Between, SampleOfNumbers, at_ranks

NUMBERS = table(x=[1.0, 5.0, 2.0, None, 5.0, 9.0], y=[0.0, 0.0, 1.0, 1.0, 2.0, 2.0])


@pytest.mark.parametrize("cut", CUTS)
def test_what_lies_in_intervals_is_kept_and_what_lies_below_counted(cut):
    question = Between(("x", "y"), (((2.0, 5.0), (9.0, 9.5)), ((-np.inf, 0.5),)))
    assert (question.original, question.released) == (("x", "y"), ())
    found = answer(question, blocks(cut, NUMBERS, NUMBERS))
    assert [values.tolist() for values in found.values] == [[2, 5, 9], [0]]
    assert [counts.tolist() for counts in found.counts] == [[1, 2, 1], [2]]
    assert [below.tolist() for below in found.below] == [[1, 4], [0]]


@pytest.mark.parametrize("cut", CUTS)
def test_a_sample_of_few_is_all_of_them(cut):
    question = SampleOfNumbers(("x", "y"))
    assert (question.original, question.released) == (("x", "y"), ())
    sample = answer(question, blocks(cut, NUMBERS, NUMBERS))
    assert (sample.n, sample.present.tolist()) == (6, [5, 6])
    assert sample.ordered(0).tolist() == [1, 2, 5, 5, 9]
    assert sample.ordered(1).tolist() == [0, 0, 1, 1, 2, 2]


def test_values_at_ranks():
    ordered = np.array([1.0, 2.0, 3.0, 4.0])
    assert at_ranks(ordered, [-1.0, 0.0, 0.25, 0.26, 0.5, 1.0, 2.0]).tolist() == [1, 1, 1, 2, 2, 4, 4]
    assert np.isnan(at_ranks(np.array([]), [0.5, 0.1])).tolist() == [True, True]


def test_a_quantile_is_looked_for_around_its_rank_in_a_sample():
    ordered = np.arange(1.0, 2305.0)
    # Twelve standard deviations of the middle rank: 6/√2304 of the records, an eighth, to either side.
    ((low, high), (first, second), (third, last)) = ranks._around(ordered, [0.5, 0.0625, 0.9375])
    assert (low, high) == (864, 1440)
    assert (first, second) == (-np.inf, 432)
    assert (third, last) == (1872, np.inf)
    assert ranks._around(np.array([]), [0.5]) == ((-np.inf, np.inf),)
