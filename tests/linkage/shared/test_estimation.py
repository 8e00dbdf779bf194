from __future__ import annotations

import numpy as np
import pytest
from tests.reference import linkage as twin

from discreet.contracts.engine import InProcess
from discreet.linkage.shared.agreement import equality, nested
from discreet.linkage.shared.decision import Diagnosis, thresholds
from discreet.linkage.shared.estimation import (
    ESTIMATORS,
    Model,
    _em,
    _free_em,
    at_least,
    estimate,
    known_shares,
    overall_shares,
    starting_shares,
)
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


def small(missing="disagree", n_b=3):
    """Return two files of four and three records of two attributes, the second with coarse classes."""
    a = [np.array([0, 0, 1, 2]), np.array([0, 1, 2, 3])]
    b = [np.array([0, 1, -1])[:n_b], np.array([0, 0, 3])[:n_b]]
    return [equality("x", a[0], b[0], missing), nested("y", a[1], b[1], [np.array([0, 0, 1, 1])], missing)]


def counted(agreements):
    return count_patterns(PackedFiles.of(agreements), InProcess())


@pytest.mark.parametrize(
    ("m", "u", "expected"),
    [
        ([0.2, 0.8], [0.5, 0.5], [0.2, 0.8]),
        ([0.8, 0.2], [0.5, 0.5], [0.5, 0.5]),
        # At least as often so far or finer, level by level.
        ([0.1, 0.6, 0.3], [0.2, 0.3, 0.5], [0.1, 0.4, 0.5]),
        ([0.5, 0.1, 0.4], [0.2, 0.5, 0.3], [0.2, 0.4, 0.4]),
        # Shares that sum to more than one are cut.
        ([0.0, 0.7, 0.6], [0.5, 0.3, 0.2], [0.0, 0.4, 0.6]),
    ],
)
def test_matches_agree_at_least_as_often_as_any_pair(m, u, expected):
    assert at_least(np.array(m), np.array(u)) == pytest.approx(expected)


def test_estimation_starts_from_nine_of_ten():
    assert starting_shares(2) == pytest.approx([0.1, 0.9])
    assert starting_shares(4) == pytest.approx([0.1 / 3, 0.1 / 3, 0.1 / 3, 0.9])


def test_the_prior_is_the_share_of_matches_and_at_most_a_half():
    model = estimate(counted(small()), small(), "em")
    assert model.prior == pytest.approx(1 / 4)
    assert (model.names, model.ignored) == (("x", "y"), (False, False))
    alone = [equality("x", np.array([0]), np.array([0]))]
    assert estimate(counted(alone), alone, "em").prior == 0.5
    assert estimate(counted(small("ignore")), small("ignore"), "em").ignored == (True, False)


def test_overall_shares_by_hand():
    # x: of twelve pairs, record 0 agrees with two, record 1 with one, the missing one with nobody.
    # y: 0 and 0 agree with one each on the value and one more in the class, 3 with one and one.
    x, y = overall_shares(counted(small()))
    assert x == pytest.approx([9 / 12, 3 / 12])
    assert y == pytest.approx([6 / 12, 3 / 12, 3 / 12])


def test_known_shares_count_rows_as_often_as_they_stand_for():
    agreements = [equality("x", np.array([0, 1, 2]), np.array([0, 1, 1]))]
    assert known_shares(agreements)[0] == pytest.approx([1 / 3, 2 / 3])
    assert known_shares(agreements, np.array([1, 2, 5]))[0] == pytest.approx([5 / 8, 3 / 8])


def plain_em(agreements, free, steps):
    """Return m and u after some steps, one pair after the other."""
    n_a, n_b = agreements[0].a.size, agreements[0].b.size
    states = [[[int(one.state(one.a[i], one.b[j])) for one in agreements] for i in range(n_a)] for j in range(n_b)]
    pairs = [states[j][i] for j in range(n_b) for i in range(n_a)]
    sizes = [one.states for one in agreements]

    def shares(weights):
        total = sum(weights)
        return [
            np.array([sum(w for w, pair in zip(weights, pairs, strict=True) if pair[k] == s) for s in range(size)])
            / total
            for k, size in enumerate(sizes)
        ]

    u = shares([1.0] * len(pairs))
    prior = min(n_a, n_b) / (n_a * n_b)
    m = [np.append(np.full(size - 1, 0.1 / (size - 1)), 0.9) for size in sizes]
    if not free:
        m = [at_least(one, other) for one, other in zip(m, u, strict=True)]
    for _ in range(steps):
        posterior = []
        for pair in pairs:
            match = prior * np.prod([one[s] for one, s in zip(m, pair, strict=True)])
            other = (1 - prior) * np.prod([one[s] for one, s in zip(u, pair, strict=True)])
            posterior.append(float(match / max(match + other, 1e-300)))
        m = shares(posterior)
        if free:
            u = shares([1 - one for one in posterior])
            prior = min(sum(posterior) / len(pairs), 0.5)
        else:
            m = [at_least(one, other) for one, other in zip(m, u, strict=True)]
    return m, u


@pytest.mark.parametrize("steps", [1, 2, 7])
@pytest.mark.parametrize("free", [False, True])
def test_steps_of_estimation_are_those_of_plain_loops(free, steps):
    agreements = survey(20, rates=(0.1, 0.2))
    agreements.append(nested("z", agreements[0].a, agreements[0].b[::-1].copy(), [np.arange(6) // 2]))
    counts = counted(agreements)
    u = overall_shares(counts)
    found = _free_em(counts, u, 1 / 20, steps) if free else (_em(counts, u, 1 / 20, steps), u)
    for ours, theirs in zip(found, plain_em(agreements, free, steps), strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert one == pytest.approx(other, abs=1e-10)


def test_weights_are_logarithms_and_a_missing_value_says_nothing():
    m, u = (np.array([0.25, 0.25, 0.5]), np.array([0.2, 0.8])), (np.array([0.5, 0.25, 0.25]), np.array([0.8, 0.2]))
    model = Model(("x", "y"), m, u, 0.25, (True, False))
    assert [weight.tolist() for weight in model.attribute_weights()] == [
        pytest.approx([0.0, 0.0, 1.0]),
        pytest.approx([-2.0, 2.0]),
    ]
    assert Model(("x", "y"), m, u, 0.25, (False, False)).attribute_weights()[0] == pytest.approx([-1.0, 0.0, 1.0])
    assert model.weights() == pytest.approx(np.array([[-2.0, 2.0], [-2.0, 2.0], [-1.0, 3.0]]))
    assert model.matched_patterns() == pytest.approx(np.outer(m[0], m[1]))
    assert model.unmatched_patterns() == pytest.approx(np.outer(u[0], u[1]))
    odds = 2.0 ** model.weights() / 3
    assert model.probabilities() == pytest.approx(odds / (1 + odds))
    # No share counts for less than a millionth.
    never = Model(("x",), (np.array([1.0, 0.0]),), (np.array([0.0, 1.0]),), 0.5, (False,))
    assert never.attribute_weights()[0] == pytest.approx([np.log2(1e6), -np.log2(1e6)])


def test_dependent_attributes_have_their_own_distribution_of_other_pairs():
    m = (np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    unmatched = np.array([[0.5, 0.125], [0.125, 0.25]])
    model = Model(("x", "y"), m, (np.array([0.5, 0.5]),) * 2, 0.25, (False, False), unmatched)
    assert model.unmatched_patterns() is unmatched
    assert model.weights() == pytest.approx(np.log2(np.outer(*m) / unmatched))


def test_two_attributes_are_fitted_as_they_are_counted():
    agreements = survey(80, rates=(0.1, 0.2))
    counts = counted(agreements)
    model = estimate(counts, agreements, "known", dependent=True)
    left = np.maximum(counts.between - 80 * model.matched_patterns(), 0.0)
    assert model.unmatched == pytest.approx(left / left.sum(), abs=1e-9)
    single = survey(80, rates=(0.1,))
    alone = estimate(counted(single), single, "known", dependent=True)
    rest = np.maximum(counted(single).between - 80 * alone.matched_patterns(), 0.0)
    assert alone.unmatched == pytest.approx(rest / rest.sum(), abs=1e-9)
    assert estimate(counts, agreements, "known").unmatched is None


def test_finer_states_get_what_pairs_that_agree_on_all_else_show():
    x, y = np.arange(50) % 7, np.arange(50) % 10
    # A fifth of y keeps its class of two and loses its value, where it is odd.
    released = np.where(np.arange(50) < 10, y // 2 * 2, y)
    agreements = [equality("x", x, x), nested("y", y, released, [np.arange(10) // 2])]
    model = estimate(counted(agreements), agreements, "anchored")
    for share, truth in zip(model.m, known_shares(agreements), strict=True):
        assert share.sum() == pytest.approx(1)
        assert share == pytest.approx(truth, abs=0.1)
    assert model.m[1][2] > model.m[1][1] > 0
