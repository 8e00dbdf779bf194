"""Knowledge that is off, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from tests.statistics.small import CUTS, answer, before, blocks

from discreet.data.keyed_draws import Draws
from discreet.measures.risk.blurred_knowledge import Blur, BlurredSpread, wrong_levels, wrong_numbers


def test_numbers_are_off_by_normal_errors():
    draws = np.array([0.5, 0.9, 0.1, 0.0, 1.0])
    found = wrong_numbers(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 10.0, 0.2, draws)
    edge = norm.ppf(1e-12)
    assert found == pytest.approx([1.0, 2 + 2 * norm.ppf(0.9), 3 - 2 * norm.ppf(0.9), 4 + 2 * edge, 5 - 2 * edge])


def test_levels_are_another_one_each_alike():
    codes = np.array([0, 0, 0, 2, -1, 1])
    draws = np.array([0.1, 0.1, 0.3, 0.2, 0.0, 0.2999])
    other = np.array([0.0, 0.99, 0.0, 0.4, 0.5, 0.5])
    # With three levels one of the two others: the next one, or the one after it.
    assert wrong_levels(codes, 3, 0.3, draws, other).tolist() == [1, 2, 0, 0, -1, 0]
    assert wrong_levels(codes, 3, 0.3, draws, other).dtype == np.int32
    assert wrong_levels(np.array([0, -1]), 1, 1.0, np.zeros(2), np.zeros(2)).tolist() == [0, -1]
    many = wrong_levels(np.zeros(4000, dtype=np.int32), 5, 1.0, np.zeros(4000), (np.arange(4000) + 0.5) / 4000)
    assert np.bincount(many).tolist() == [0, 1000, 1000, 1000, 1000]


NAMES, DEVIATIONS = ("s", "x", "y"), (0.0, 2.0, 5.0)


def test_what_an_intruder_knows_belongs_to_positions():
    blur, rows = Blur(NAMES, DEVIATIONS, 0.4, 7), np.arange(10, 16)
    errors = Draws.of(7, None, "error")
    known = blur.of(before(), rows, ("y", "s"))
    assert known.names == ("y", "s")
    numbers = before().encoded("y") + 0.4 * 5.0 * norm.ppf(errors.uniform(rows, 4))
    assert known.encoded("y").tolist() == pytest.approx(numbers.tolist())
    moved = errors.uniform(rows, 0) < 0.4
    codes = before().encoded("s")
    # Of two levels the other one; who has none is not given one.
    assert known.encoded("s").tolist() == np.where(moved & (codes >= 0), 1 - codes, codes).tolist()
    exact = Blur(NAMES, DEVIATIONS, 0.0, 7).of(before(), rows, ("y", "s"))
    assert exact.encoded("y").tolist() == before().encoded("y").tolist()
    part = blur.of(before().take(np.array([2, 3])), rows[2:4], ("y",))
    assert part.encoded("y").tolist() == known.encoded("y")[2:4].tolist()


@pytest.mark.parametrize("cut", CUTS)
def test_numbers_spread_as_intruders_know_them_and_in_the_release(cut):
    blurs = tuple(Blur(NAMES, DEVIATIONS, noise, 7) for noise in (0.0, 0.5))
    question = BlurredSpread(("y",), blurs)
    assert (question.original, question.released) == (("y",), ("y",))
    spreads = answer(question, blocks(cut)).spreads
    truth, release = np.array([1.0, 0, 2, 1, 2, 0]), np.array([1.0, 1, 2, 1, 2, 0])
    off = truth + 0.5 * 5.0 * norm.ppf(Draws.of(7, None, "error").uniform(np.arange(6), 4))
    for noise, known in ((0.0, truth), (0.5, off)):
        assert spreads[noise].first.mean.tolist() == pytest.approx([known.mean()])
        assert spreads[noise].first.deviation.tolist() == pytest.approx([known.std()])
        assert spreads[noise].second.mean.tolist() == pytest.approx([release.mean()])
