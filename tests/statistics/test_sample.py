"""A sample is the same however the records are cut, and holds as many as were asked for."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import answer, blocks

from discreet.data.keyed_draws import Draws
from discreet.data.microdata import table_of_numbers
from discreet.statistics.sample import Sample

N = 400
TABLE = table_of_numbers({"x": np.arange(N) * 1.0, "y": -np.arange(N) * 1.0})


@pytest.mark.parametrize("size", [1, 20, N - 1, N, 2 * N])
@pytest.mark.parametrize("cut", [(N,), (1, 199, 200), (100,) * 4])
def test_those_with_the_smallest_draws_in_their_order(size, cut):
    question = Sample(("x", "y"), size, N, seed=3)
    assert (question.original, question.released) == (("x", "y"), ())
    records = answer(question, blocks(cut, TABLE, TABLE)).records()
    draws = Draws.of(3, None, "sample").uniform(np.arange(N))
    expected = np.sort(np.argsort(draws, kind="stable")[:size])
    assert records["x"].tolist() == expected.tolist()
    assert records["y"].tolist() == (-expected).tolist()


def test_few_more_than_asked_for_are_kept():
    kept = answer(Sample(("x",), 25, N, seed=3), blocks((N,), TABLE, TABLE))
    share = (25 + 4 * 5 + 8) / N
    draws = Draws.of(3, None, "sample").uniform(np.arange(N))
    assert kept.rows.tolist() == np.flatnonzero(draws < share).tolist()
    assert kept.draws.tolist() == draws[draws < share].tolist()
    assert answer(Sample(("x",), 25, N, seed=4), blocks((N,), TABLE, TABLE)).rows.tolist() != kept.rows.tolist()
