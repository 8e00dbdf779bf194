"""What every rule makes of one class, worked by hand from the definitions, and what passes at its threshold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.kernels.generalising.class_rules import (
    ALPHA,
    AVERAGE,
    BETA,
    BETA_ENHANCED,
    CLOSE_EQUAL,
    CLOSE_ORDERED,
    CLOSE_TREE,
    DELTA,
    DISTINCT,
    ENTROPY,
    ITEMS,
    POPULATION,
    PRESENCE,
    PROFIT,
    PROFIT_OF_PEOPLE,
    RECURSIVE,
    SIZE,
    UNIQUES,
    class_figure,
    class_passes,
    expected_payout,
)

SHARE = (0.4, 0.3, 0.2, 0.1)
# The values themselves, two pairs of them, and all.
TREE = np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]])


def figure(
    kind: int, counts: tuple[int, ...], *, share: tuple[float, ...] = SHARE, first: float = 0.0, people: int = 0
) -> float:
    work = np.full(len(counts), 9.0)  # a buffer in which something else was
    return float(
        class_figure(
            kind, first, sum(counts), people, np.array(counts), np.array(share), TREE[:, : len(counts)].copy(), work
        )
    )


@pytest.mark.parametrize(
    ("kind", "counts", "options", "expected"),
    [
        (SIZE, (1, 2, 0, 3), {}, 6),
        (ITEMS, (1, 2, 0, 3), {}, 6),
        (POPULATION, (1, 2, 0, 3), {"people": 41}, 41),
        (PRESENCE, (1, 2, 0, 3), {"people": 24}, 0.25),
        (PRESENCE, (1, 2, 0, 3), {"people": 1}, 6),
        (PRESENCE, (1, 2, 0, 3), {"people": 0}, np.inf),
        (DISTINCT, (1, 2, 0, 3), {}, 3),
        (DISTINCT, (0, 0, 0, 1), {}, 1),
        (ENTROPY, (2, 2, 0, 0), {}, 2),
        (ENTROPY, (2, 2, 2, 2), {}, 4),
        (ENTROPY, (3, 1, 0, 0), {}, 2 ** (0.75 * math.log2(4 / 3) + 0.25 * 2)),
        (ENTROPY, (5, 0, 0, 0), {}, 1),
        # The most frequent over all from the second on, and from the third on; l between two counts as the larger.
        (RECURSIVE, (1, 4, 3, 2), {"first": 2.0}, 4 / 6),
        (RECURSIVE, (1, 4, 3, 2), {"first": 3.0}, 4 / 3),
        (RECURSIVE, (1, 4, 3, 2), {"first": 2.5}, 4 / 3),
        (RECURSIVE, (1, 4, 3, 2), {"first": 1.0}, 4 / 10),
        (RECURSIVE, (0, 4, 0, 0), {"first": 2.0}, np.inf),
        (CLOSE_EQUAL, (4, 3, 2, 1), {}, 0),
        (CLOSE_EQUAL, (1, 0, 0, 1), {}, 0.5),
        (CLOSE_EQUAL, (0, 0, 0, 1), {}, 0.9),
        # What crosses each border: 0.1, −0.2, −0.4.
        (CLOSE_ORDERED, (1, 0, 0, 1), {}, (0.1 + 0.2 + 0.4) / 3),
        (CLOSE_ORDERED, (0, 0, 0, 1), {}, (0.4 + 0.7 + 0.9) / 3),
        (CLOSE_ORDERED, (5,), {"share": (1.0,)}, 0),
        # What is too much at the values, then in the pairs: 0.1 0.3 0.2 0.4, and 0.2 0.2; over twice three steps.
        (CLOSE_TREE, (1, 0, 0, 1), {}, (1.0 + 0.4) / 6),
        (CLOSE_TREE, (4, 3, 2, 1), {}, 0),
        (BETA, (1, 0, 0, 1), {}, 4),
        (BETA, (1, 1, 0, 0), {}, 2 / 3),
        (BETA, (4, 3, 2, 1), {}, 0),
        (BETA_ENHANCED, (1, 0, 0, 1), {"first": 10.0}, 4 / -math.log(0.1)),
        (BETA_ENHANCED, (1, 0, 0, 1), {"first": 0.5}, 8),
        (BETA_ENHANCED, (1, 1, 0, 0), {"first": 10.0}, max(0.25 / -math.log(0.4), 2 / 3 / -math.log(0.3))),
        (BETA_ENHANCED, (3,), {"share": (1.0,), "first": 1.0}, 0),
        (DELTA, (1, 1, 1, 1), {}, math.log(2.5)),
        (DELTA, (4, 3, 2, 1), {}, 0),
        (DELTA, (1, 1, 1, 0), {}, np.inf),
        (DELTA, (3, 3, 0), {"share": (0.6, 0.4, 0.0)}, math.log(1.25)),
        (ALPHA, (1, 4, 3, 2), {}, 0.4),
        (ALPHA, (0, 0, 3, 0), {}, 1),
    ],
)
def test_figures_by_hand(kind: int, counts: tuple[int, ...], options: dict[str, float], expected: float) -> None:
    assert figure(kind, counts, **options) == pytest.approx(expected, abs=1e-12)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "low", "high", "passing", "failing"),
    [
        (SIZE, 3.0, np.inf, (3.0, 4.0, 3.0 - 1e-13), (2.0, 2.999)),
        (PRESENCE, 0.1, 0.5, (0.1, 0.3, 0.5), (0.09, 0.51)),
        (ALPHA, -np.inf, 0.4, (0.4, 0.1 + 0.3, 0.0), (0.4001, 1.0)),
        (AVERAGE, 0.0, 0.2, (0.2, 0.1), (0.21,)),
        (UNIQUES, 0.0, 0.0, (0.0,), (0.001,)),
        # Strictly below, and strictly above what they cost.
        (RECURSIVE, -np.inf, 2.0, (1.999,), (2.0, 2.0 - 1e-13, 3.0, np.inf)),
        (DELTA, -np.inf, 0.5, (0.4999,), (0.5, np.inf)),
        (PROFIT, 0.0, np.inf, (0.001, 1.0), (0.0, 1e-13, -0.5)),
        (PROFIT_OF_PEOPLE, 0.0, np.inf, (0.001,), (0.0, -0.5)),
    ],
)
def test_thresholds_are_met_and_rounding_breaks_none(
    kind: int, low: float, high: float, passing: tuple[float, ...], failing: tuple[float, ...]
) -> None:
    assert [class_passes(kind, one, low, high) for one in passing] == [True] * len(passing)
    assert [class_passes(kind, one, low, high) for one in failing] == [False] * len(failing)


def test_a_record_pays_what_it_tells_less_what_an_attack_costs() -> None:
    assert expected_payout(0.25, 4, 0.8, 5.0) == pytest.approx(1 - 0.25 - 0.2)
    assert expected_payout(0.25, 5, 0.8, 5.0) == pytest.approx(0.75)  # whoever needs five guesses does not attack
    assert expected_payout(0.25, 6, 0.8, 5.0) == pytest.approx(0.75)
    assert expected_payout(0.0, 0, 0.8, 5.0) == pytest.approx(0.2)  # nobody of the population: as if alone
    assert expected_payout(1.0, 1, 2.0, 1.5) == pytest.approx(-2.0)
