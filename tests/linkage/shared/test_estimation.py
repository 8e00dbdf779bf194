from __future__ import annotations

import numpy as np
import pytest
from tests.reference import linkage as twin

from discreet.contracts.engine import InProcess
from discreet.linkage.shared.agreement import equality, nested
from discreet.linkage.shared.decision import Diagnosis, thresholds
from discreet.linkage.shared.estimation import ESTIMATORS, Model, estimate, known_shares, overall_shares
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.linkage.shared.pattern_counts import count_patterns


def survey(n=1500, seed=0, rates=(0.1, 0.2, 0.05, 0.3, 0.15, 0.1), *, skew=1.0):
    """Correlated, skewed categories and a version in which a share of each is drawn anew."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=n)
    agreements = []
    for j, rate in enumerate(rates):
        size = 6 + 2 * j
        score = 0.5 * hidden + rng.normal(size=n)
        cuts = np.quantile(score, np.linspace(0, 1, size + 1)[1:-1] ** skew)
        a = np.searchsorted(cuts, score).astype(np.int64)
        b = np.where(rng.random(n) < rate, rng.integers(0, size, n), a).astype(np.int64)
        agreements.append(equality(f"v{j}", a, b))
    return agreements


def test_overall_and_known_shares():
    a, b = np.array([0, 0, 1, 2]), np.array([0, 1, 1, -1])
    agreement = equality("x", a, b, "disagree")
    counts = count_patterns(PackedFiles.of([agreement]), InProcess())
    assert overall_shares(counts)[0] == pytest.approx([1 - 4 / 16, 4 / 16])
    assert known_shares([agreement])[0] == pytest.approx([0.5, 0.5])


def test_em_with_fixed_u_is_that_of_plain_loops():
    agreements = survey(300, rates=(0.1, 0.2, 0.3, 0.1))
    counts = count_patterns(PackedFiles.of(agreements), InProcess())
    model = estimate(counts, agreements, "em")
    u = np.array([share[1] for share in model.u])
    plain = twin.em_fixed_u(counts.between.astype(float), u, model.prior)
    assert [m[1] for m in model.m] == pytest.approx(plain, abs=1e-5)
    assert all(m[1] >= x for m, x in zip(model.m, u, strict=True))


@pytest.mark.parametrize("skew", [1.0, 2.5])
def test_anchored_comes_close_to_the_truth_where_em_drifts(skew):
    agreements = survey(3000, skew=skew)
    counts = count_patterns(PackedFiles.of(agreements), InProcess())
    truth = np.array([m[1] for m in known_shares(agreements)])
    anchored = np.array([m[1] for m in estimate(counts, agreements, "anchored").m])
    assert np.abs(anchored - truth).max() < 0.08


def test_anchored_with_two_files_of_different_size_and_missing_values():
    agreements = []
    rng = np.random.default_rng(1)
    for agreement in survey(3000):
        b = np.where(rng.random(3000) < 0.1, -1, agreement.b)
        agreements.append(equality(agreement.name, agreement.a, b[:2000]))
    counts = count_patterns(PackedFiles.of(agreements), InProcess())
    for how in ESTIMATORS[:3]:
        model = estimate(counts, agreements, how)
        for m, u in zip(model.m, model.u, strict=True):
            assert m.sum() == pytest.approx(1)
            assert u.sum() == pytest.approx(1)
            assert (m >= 0).all()
    anchored = estimate(counts, agreements, "anchored")
    assert all(weight[0] == 0 for weight in anchored.attribute_weights())
    for agreement, m in zip(agreements, anchored.m, strict=True):
        both = agreement.b < agreement.size - 1
        truth = (agreement.a[:2000] == agreement.b)[both].mean()
        assert m[2] / (1 - m[0]) == pytest.approx(truth, abs=0.08)


def test_coarser_levels_get_their_share():
    rng = np.random.default_rng(0)
    agreements = []
    for j in range(5):
        a = rng.integers(0, 30, 2000)
        b = np.clip(a + np.where(rng.random(2000) < 0.4, rng.integers(-1, 2, 2000), 0), 0, 29)
        agreements.append(nested(f"v{j}", a, b, [np.arange(30) // 5]))
    counts = count_patterns(PackedFiles.of(agreements), InProcess())
    for m, truth in zip(estimate(counts, agreements, "anchored").m, known_shares(agreements), strict=True):
        assert m == pytest.approx(truth, abs=0.08)


def test_weights_probabilities_and_the_log_linear_model():
    agreements = survey(500)
    counts = count_patterns(PackedFiles.of(agreements), InProcess())
    plain, dependent = estimate(counts, agreements, "known"), estimate(counts, agreements, "known", dependent=True)
    full = (1,) * 6
    expected = sum(np.log2(m[1] / u[1]) for m, u in zip(plain.m, plain.u, strict=True))
    assert plain.weights()[full] == pytest.approx(expected)
    assert plain.probabilities()[full] == pytest.approx(1 / (1 + (1 / plain.prior - 1) / 2**expected))
    assert dependent.unmatched.sum() == pytest.approx(1)
    # Correlated attributes agree together more often than independence has it, so full agreement says less.
    assert dependent.weights()[full] < plain.weights()[full]
    pairs = counts.between / counts.between.sum()
    two = dependent.unmatched.sum(axis=(2, 3, 4, 5))
    assert two == pytest.approx(pairs.sum(axis=(2, 3, 4, 5)), abs=3e-3)


def test_thresholds_keep_both_error_rates():
    m, u = (np.array([0.1, 0.9]),) * 2, (np.array([0.9, 0.1]), np.array([0.8, 0.2]))
    model = Model(("x", "y"), m, u, 0.01, (False, False))
    # By falling weight: both (u .02, m .81), x alone (.08, .09), y alone (.18, .09), neither (.72, .01).
    weights = model.weights()
    assert thresholds(model, 0.02, 0.01) == pytest.approx((weights[1, 1], weights[0, 0]))
    assert thresholds(model, 0.1, 0.1) == pytest.approx((weights[1, 0], weights[0, 1]))
    upper, lower = thresholds(model, 0.5, 0.5)  # they would overlap
    assert lower < upper == weights[0, 1]
    assert thresholds(model, 0.0, 0.0) == (np.inf, -np.inf)


def test_diagnosis_shows_no_values():
    agreements = survey(200)
    counts = count_patterns(PackedFiles.of(agreements), InProcess())
    diagnosis = Diagnosis(estimate(counts, agreements, "anchored"), counts)
    assert len(diagnosis.table()) == 12
    edges, heights = diagnosis.histogram(10)
    assert edges.size == 11
    assert heights.sum() == 200 * 200
    steps = diagnosis.waterfall([1] * 6)
    assert steps[0][0] == "prior"
    assert steps[-1] == ("total", pytest.approx(sum(value for _, value in steps[:-1])))
