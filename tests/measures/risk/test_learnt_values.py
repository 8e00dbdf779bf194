"""Values read off the nearest records."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from tests.statistics.small import CUTS, answer, blocks, table

from discreet.data.keyed_draws import Draws
from discreet.measures.risk.learnt_values import (
    GuessedValue,
    HalfSpread,
    LearntSoFar,
    values_within,
    within_release,
)

NAN = float("nan")


@pytest.mark.parametrize(
    ("middle", "reach", "hits"),
    [
        # Group 0 holds 1 2 4, group 1 holds 2 2 and a gap.
        ([2.0, 2.0], 0.0, [1, 2]),
        ([2.0, 2.0], 1.0, [2, 2]),
        ([3.0, 3.0], 1.0, [2, 2]),
        ([3.0, 0.0], 1.5, [2, 0]),
        ([NAN, 2.0], 9.0, [0, 2]),
        ([2.5, NAN], 9.0, [3, 0]),
    ],
)
def test_values_near_a_value_are_counted_group_by_group(middle, reach, hits):
    values, label = np.array([4.0, 2.0, 1.0, NAN, 2.0, 2.0]), np.array([0, 1, 0, 1, 1, 0])
    assert values_within(values, label, np.array([0, 1]), np.array(middle), reach).tolist() == hits
    assert values_within(values, label, np.array([], dtype=np.int64), np.array([]), 1.0).tolist() == []


def test_half_of_the_positions_play_the_release():
    rows = np.arange(4000)
    inside = within_release(3, rows)
    assert inside.dtype == np.bool_
    assert abs(inside.mean() - 0.5) < 0.03
    assert within_release(3, rows[17:30]).tolist() == inside[17:30].tolist()
    assert within_release(4, rows).tolist() != inside.tolist()
    # Who is looked for is drawn apart from who is released.
    sampled = Draws.of(3, None, "sample").uniform(rows)
    assert abs(float(np.corrcoef(sampled, inside)[0, 1])) < 0.05


@pytest.mark.parametrize("cut", CUTS)
def test_numbers_of_the_released_half_spread_gaps_read_as_the_middle(cut):
    release = table(x=[1.0, None, 3.0, 8.0, None, 2.0])
    question = HalfSpread(("x",), (4.0,), 3)
    assert (question.original, question.released) == ((), ("x",))
    inside = within_release(3, np.arange(6))
    numbers = np.array([1.0, 4.0, 3.0, 8.0, 4.0, 2.0])[inside]
    spread = answer(question, blocks(cut, release, release))
    assert spread.mean.tolist() == pytest.approx([numbers.mean()])
    assert spread.deviation.tolist() == pytest.approx([numbers.std()])


def test_published_values_are_numbers_or_places_on_the_joined_list():
    from tests.statistics.small import after, joined

    assert GuessedValue("y", None, np.zeros(1), 0.0).published(after()).tolist() == [1, 1, 2, 1, 2, 0]
    # b c a of the release are a 0, b 1, c 2 of both, and what is missing is 3.
    assert GuessedValue("s", joined("s"), np.zeros(1), 0.0).published(after()).tolist() == [0, 2, 0, 0, 3, 0]


@pytest.mark.parametrize(
    ("slack", "owner", "sums", "hits"),
    [
        (0.0, [0, 1, 2], [1, 5, 2], [[5, 1], [2, 2], [0, 3]]),
        (2.0, [0, 0, 1, 2], [1, 3, 5, 2], [[5, 1], [9, 9], [2, 2], [0, 3]]),  # as near as makes no difference
    ],
)
def test_of_two_parts_the_nearest_are_kept_and_their_hits_added(slack, owner, sums, hits):
    both = SimpleNamespace(
        sums=np.array([1.0, 5.0, 2.0]), tolerance=SimpleNamespace(tied_up_to=lambda sums: sums + slack),
        ties=np.array([2, 0, 3]), runner_up=np.zeros(3),
    )  # fmt: skip
    nearest = SimpleNamespace(merge=lambda later: both if later == "later" else None)
    one = LearntSoFar(nearest, np.array([0, 1]), np.array([1.0, 5.0]), np.array([[1.0, 0.0], [2.0, 2.0]]))
    two = LearntSoFar(
        "later", np.array([0, 0, 2]), np.array([3.0, 1.0, 2.0]), np.array([[9.0, 9.0], [4.0, 1.0], [0.0, 3.0]])
    )
    merged = one.merge(two)
    assert (merged.owner.tolist(), merged.sums.tolist(), merged.hits.tolist()) == (owner, sums, hits)
    if not slack:
        assert merged.shares().tolist() == [[2.5, 0.5], [2, 2], [0, 1]]
