"""Candidates that compete for the first two places, in every sequence in which they can be met."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from discreet.kernels.linking.nearest_list import SUMMING, enter, lengthened, tied_up_to, tied_up_to_each


@pytest.mark.parametrize("squared", [False, True])
def test_the_limit_of_many_is_that_of_each(squared: bool) -> None:
    nearest = np.array([0.0, 1.0, 4.0, 4.0, 9.0, np.inf, 2.0**-1000])
    slack = np.array([0.5, 0.0, 0.0, 0.5, 1.0, 0.5, 0.25])
    assert SUMMING == 1 / 4_398_046_511_104  # two to the 42nd
    limits = [1.0 * (1.0 + SUMMING), 4.0 * (1.0 + SUMMING)]
    found = tied_up_to_each(nearest, slack, squared)
    assert found.tolist() == [tied_up_to(one, own, squared) for one, own in zip(nearest, slack, strict=True)]
    assert found[:3].tolist() == [0.0, *limits]
    assert found[3:] == pytest.approx([6.25, 16.0, np.inf, 0.0625] if squared else [4.5, 10.0, np.inf, 0.25])


def entered(
    order: tuple[int, ...], sums: list[float], slack: float, squared: bool, second: bool, several: tuple[int, ...]
) -> tuple[dict[int, float], float, int, float, float]:
    near, who = np.full(4, np.inf), np.array([-1, 0])
    mine, kept = np.full(len(sums) + 1, -5), np.full(len(sums) + 1, np.nan)
    for c in order:
        if sums[c] <= near[2]:
            enter(c, sums[c], c in several, slack, squared, second, near, who, mine, kept)
    tied = dict(zip(mine[: who[1]].tolist(), kept[: who[1]].tolist(), strict=True))
    return tied, float(near[0]), int(who[0]), float(near[1]), float(near[2])


@pytest.mark.parametrize(
    ("sums", "slack", "squared", "limit"),
    [
        ([3.0, 1.0, 2.0, 1.0], 0.0, False, 1.0 + SUMMING),
        ([3.0, 1.0, 2.0, 2.0], 0.0, False, 1.0 + SUMMING),
        ([1.0 + SUMMING, 1.0, 2.0, 1.0 + 2 * SUMMING], 0.0, False, 1.0 + SUMMING),
        ([3.0, 2.0, 3.0, 4.0], 1.0, False, 3.0 + 2 * SUMMING),  # three and two are tied
        ([4.0, 1.0, 9.0, 4.5], 1.0, True, (np.sqrt(1.0 + SUMMING) + 1.0) ** 2),
        ([9.0, 4.0, 9.0, 6.5], 0.5, True, (np.sqrt(4.0 * (1.0 + SUMMING)) + 0.5) ** 2),
        ([0.0, 0.0, 0.5, 0.5], 1.0, False, 0.0),  # who is met exactly is tied with its equals alone
        ([0.5, 0.0, 0.5, 1.0], 1.0, True, 0.0),
        ([5.0, 5.0, 5.0, 5.0], 0.0, False, 5.0 * (1.0 + SUMMING)),
    ],
)
def test_places_do_not_depend_on_the_sequence(sums: list[float], slack: float, squared: bool, limit: float) -> None:
    expected = {c: d for c, d in enumerate(sums) if d <= limit}
    others = sorted((d, c) for c, d in enumerate(sums) if d > limit)
    for order in permutations(range(4)):
        tied, nearest, other, runner, bound = entered(order, sums, slack, squared, True, ())
        assert (tied, nearest) == (expected, min(sums))
        if len(expected) > 1:
            assert bound == limit
        else:
            assert (runner, other) == others[0]
            assert bound == runner
        # Where the second place does not count, or the nearest is its own second, nobody needs to be looked at beyond.
        tied, nearest, _, _, bound = entered(order, sums, slack, squared, False, ())
        assert (tied, nearest, bound) == (expected, min(sums), limit)
        tied, nearest, _, _, bound = entered(order, sums, slack, squared, True, (0, 1, 2, 3))
        assert (tied, nearest, bound) == (expected, min(sums), limit)


def test_a_longer_list_begins_with_the_shorter() -> None:
    sums = np.array([3.0, 1.0])
    longer = lengthened(sums, 5)
    assert longer.size == 5
    assert longer[:2].tolist() == [3.0, 1.0]
    longer[0] = 9.0
    assert sums[0] == 3.0
    assert lengthened(sums[:0], 1).size == 1
