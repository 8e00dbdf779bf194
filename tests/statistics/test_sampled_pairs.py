"""A sample of records before and after, the same however they are cut."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import answer, blocks

from discreet.data.keyed_draws import Draws
from discreet.data.microdata import table_of_numbers
from discreet.statistics.sampled_pairs import PairSample

N = 400
BEFORE = table_of_numbers({"x": np.arange(N) * 1.0, "y": np.zeros(N)})
AFTER = table_of_numbers({"x": np.arange(N) + 0.5, "y": np.ones(N)})


@pytest.mark.parametrize("size", [1, 20, N, 2 * N])
@pytest.mark.parametrize("cut", [(N,), (1, 199, 200)])
@pytest.mark.parametrize("seed", [0, 5])
def test_both_tables_have_the_records_with_the_smallest_draws(size, cut, seed):
    question = PairSample(("x",), size, N, seed)
    assert (question.original, question.released) == (("x",), ("x",))
    drawn = answer(question, blocks(cut, BEFORE, AFTER))
    draws = Draws.of(seed, None, "sample").uniform(np.arange(N))
    expected = np.sort(np.argsort(draws, kind="stable")[:size])
    first, second = drawn.tables()
    assert drawn.positions.tolist() == expected.tolist()
    assert first.encoded("x").tolist() == expected.tolist()
    assert second.encoded("x").tolist() == (expected + 0.5).tolist()
    assert first.names == second.names == ("x",)


def test_the_seed_is_nought_unless_said_and_few_more_are_kept():
    drawn = answer(PairSample(("x",), 25, N), blocks((N,), BEFORE, AFTER))
    draws = Draws.of(0, None, "sample").uniform(np.arange(N))
    assert drawn.rows.tolist() == np.flatnonzero(draws < (25 + 4 * 5 + 8) / N).tolist()
