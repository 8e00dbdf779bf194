"""From weights to decisions: thresholds by hand, the long way round, and what a diagnosis tells."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from discreet.contracts.engine import InProcess
from discreet.linkage.shared import decision
from discreet.linkage.shared.agreement import equality
from discreet.linkage.shared.decision import Diagnosis, thresholds, thresholds_of
from discreet.linkage.shared.estimation import Model
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.linkage.shared.pattern_counts import count_patterns

# Binary fractions, so that sums are exact. Weights 3, 1, -1, -3.
FALLING = np.array([3.0, 1.0, -1.0, -3.0])
MATCHES = np.array([0.5, 0.25, 0.125, 0.125])
OTHERS = np.array([0.125, 0.125, 0.25, 0.5])


@pytest.mark.parametrize(
    ("false_links", "false_non_links", "limits"),
    [
        (0.0, 0.0, (np.inf, -np.inf)),
        (0.1, 0.1, (np.inf, -np.inf)),
        (0.125, 0.125, (3.0, -3.0)),
        (0.24, 0.24, (3.0, -3.0)),
        (0.25, 0.25, (1.0, -1.0)),
        (0.125, 0.5, (3.0, 1.0)),
        (0.0, 1.0, (np.inf, 3.0)),
        (1.0, 0.0, (-3.0, -np.inf)),
        (0.5, 0.25, (-1.0, math.nextafter(-1.0, -np.inf))),
        (1.0, 1.0, (-3.0, math.nextafter(-3.0, -np.inf))),
    ],
)
def test_as_many_pairs_are_decided_as_both_shares_allow(false_links, false_non_links, limits) -> None:
    assert thresholds_of(FALLING, MATCHES, OTHERS, 0.0, false_links, false_non_links) == limits


def test_weights_that_are_known_to_so_much_are_passed_by_that_much() -> None:
    assert thresholds_of(FALLING, MATCHES, OTHERS, 0.25, 0.25, 0.125) == (0.75, -2.75)
    # A weight of 1 is both: what is no link is none.
    assert thresholds_of(FALLING, MATCHES, OTHERS, 0.25, 0.25, 0.5) == (0.75, math.nextafter(0.75, -np.inf))


M = (np.array([0.1, 0.9]), np.array([0.2, 0.1, 0.7]), np.array([0.25, 0.75]))
U = (np.array([0.9, 0.1]), np.array([0.5, 0.3, 0.2]), np.array([0.5, 0.5]))
MODEL = Model(("x", "y", "z"), M, U, 0.2, (False, False, False))


def patterns():
    """Return every pattern's weight, share of matches and share of other pairs, by falling weight."""
    rows = []
    for states in product(range(2), range(3), range(2)):
        m, u = (math.prod(float(share[s]) for share, s in zip(side, states, strict=True)) for side in (M, U))
        rows.append((math.log2(m / u), m, u))
    return sorted(rows, reverse=True)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(("false_links", "false_non_links"), [(0.011, 0.006), (0.06, 0.03), (0.2, 0.2), (0.0, 0.0)])
def test_thresholds_of_a_model_are_those_of_its_patterns_one_by_one(
    many, false_links, false_non_links, monkeypatch
) -> None:
    if many:
        monkeypatch.setattr(decision, "MOST_PATTERNS", 11)
    rows = patterns()
    upper, lower, wrong, lost = np.inf, -np.inf, 0.0, 0.0
    for weight, _, u in rows:
        wrong += u
        if wrong > false_links + 1e-12:
            break
        upper = weight
    for weight, m, _ in reversed(rows):
        lost += m
        if lost > false_non_links + 1e-12:
            break
        lower = weight
    found = thresholds(MODEL, false_links, false_non_links)
    # To a thousandth of a bit, each of three weights may be off by half of one: a limit gives way by that much.
    blur = 0.0015 if many else 0.0
    lower = min(lower + blur, upper - blur)
    assert found == pytest.approx((upper - blur, lower), abs=blur + 1e-12)
    if many and np.isfinite(upper):
        assert found[0] <= upper


def test_many_patterns_are_ranked_as_they_would_be_one_by_one(monkeypatch) -> None:
    listed = decision._ranked(MODEL)
    assert listed[3] == 0.0
    assert np.column_stack(listed[:3]) == pytest.approx(np.array(patterns()))
    monkeypatch.setattr(decision, "MOST_PATTERNS", 12)
    assert decision._ranked(MODEL)[3] == 0.0
    monkeypatch.setattr(decision, "MOST_PATTERNS", 11)
    weights, m, u, blur = decision._ranked(MODEL)
    assert blur == pytest.approx(0.0015)
    assert weights == pytest.approx(listed[0], abs=0.0015)
    assert (weights * 1000).round(6).tolist() == (weights * 1000).round().tolist()
    assert m == pytest.approx(listed[1])
    assert u == pytest.approx(listed[2])
    # Patterns of one weight are one.
    same = Model(("x", "y"), (M[0], M[0]), (U[0], U[0]), 0.2, (False, False))
    monkeypatch.setattr(decision, "MOST_PATTERNS", 3)
    weights, m, u, _ = decision._ranked(same)
    assert weights == pytest.approx([2 * math.log2(9), 0, -2 * math.log2(9)], abs=0.001)
    assert m == pytest.approx([0.81, 0.18, 0.01])
    assert u == pytest.approx([0.01, 0.18, 0.81])


def diagnosis() -> Diagnosis:
    agreements = [
        equality("x", np.array([0, 0, 1]), np.array([0, 1])),
        equality("y", np.array([0, 1, 2]), np.array([0, 0])),
    ]
    counts = count_patterns(PackedFiles.of(agreements), InProcess())
    model = Model(("x", "y"), (np.array([0.25, 0.75]),) * 2, (np.array([0.5, 0.5]), np.array([0.75, 0.25])), 0.2,
                  (False, False))  # fmt: skip
    return Diagnosis(model, counts)


def test_a_diagnosis_tells_every_share_and_weight() -> None:
    apart, together, rare = -1.0, math.log2(1.5), math.log2(3)
    assert diagnosis().table() == [
        {"attribute": "x", "state": 0, "m": 0.25, "u": 0.5, "weight": pytest.approx(apart)},
        {"attribute": "x", "state": 1, "m": 0.75, "u": 0.5, "weight": pytest.approx(together)},
        {"attribute": "y", "state": 0, "m": 0.25, "u": 0.75, "weight": pytest.approx(-rare)},
        {"attribute": "y", "state": 1, "m": 0.75, "u": 0.25, "weight": pytest.approx(rare)},
    ]
    assert repr(diagnosis()) == "Diagnosis(2 attributes, 4 patterns)"


def test_pairs_are_counted_by_weight() -> None:
    # Of six pairs two differ on both, two on y alone, one on x alone, one agrees: weights -2.58, -1, 0.58 and 2.17.
    edges, heights = diagnosis().histogram(4)
    low, high = -1 - math.log2(3), math.log2(4.5)
    assert edges == pytest.approx(np.linspace(low, high, 5))
    assert heights.tolist() == [2, 2, 1, 1]
    edges, heights = diagnosis().histogram()
    assert (edges.size, heights.sum(), heights[0], heights[-1]) == (41, 6, 2, 1)


def test_a_waterfall_adds_up_from_the_prior_on() -> None:
    assert diagnosis().waterfall([1, 0]) == [
        ("prior", pytest.approx(-2.0)),
        ("x", pytest.approx(math.log2(1.5))),
        ("y", pytest.approx(-math.log2(3))),
        ("total", pytest.approx(-3.0)),
    ]
