"""What a released level leaves open, by hand."""

from __future__ import annotations

from math import log2
from types import SimpleNamespace

import numpy as np
import pytest
from tests.statistics.small import table

from discreet.data.levels import join_levels
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.measures.loss.category_uncertainty import (
    EntropyBasedLoss,
    Posterior,
    TransitionLoss,
    _estimated,
    _Matrix,
    posterior,
)
from discreet.statistics.tallies import Cells

LETTERS = ("a", "b", "c", "d")


def scope(released=LETTERS, transitions=None):
    """What is known of one attribute with four levels before a record is seen."""
    before, after = (Schema([Attribute("s", Nominal(levels), "key")]) for levels in (LETTERS, released))
    joined = join_levels(before["s"].scale, after["s"].scale)
    provenance = None if transitions is None else SimpleNamespace(transitions=transitions)
    return SimpleNamespace(before=before, after=after, provenance=provenance, levels=lambda _: joined)


def cells(*rows):
    first, second, counts = zip(*rows, strict=True)
    return Cells(np.array(first), np.array(second), np.array(counts, dtype=np.float64))


# a stays twice and becomes b twice, b stays four times.
MADE = cells((0, 0, 2), (0, 1, 2), (1, 1, 4))


def test_beliefs_by_the_rule_of_bayes():
    found = posterior("Test", scope(), "s", MADE)
    assert (found.rows.tolist(), found.columns.tolist(), found.counts.tolist()) == ([0, 0, 1], [0, 1, 1], [2, 2, 4])
    assert found.probability.tolist() == pytest.approx([1, 1 / 3, 2 / 3])
    assert found.prior_entropy == pytest.approx(1)
    assert found.surprise() == pytest.approx(2 * log2(3) + 4 * log2(1.5))
    assert found.entropy() == pytest.approx(6 * (log2(3) / 3 + log2(1.5) * 2 / 3))


def test_what_is_possible_and_nobody_did():
    given = Posterior(
        np.array([0, 1, 2]), np.array([0, 0, 1]), np.array([3.0, 0.0, 1.0]), np.array([0.5, 0.5, 0.0]), 1.0
    )
    assert given.entropy() == pytest.approx(3.0)
    only = Posterior(np.array([0, 1]), np.array([0, 0]), np.array([3.0, 0.0]), np.array([0.25, 0.75]), 1.0)
    assert only.surprise() == pytest.approx(6.0)


def test_given_matrices_allow_transitions_that_nobody_made():
    matrix = [[0.5, 0.5, 0, 0], [0.25, 0.75, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    found = posterior("Test", scope(), "s", MADE, {"s": matrix})
    # a and b are alike before; whoever is released as a was a twice as likely as b.
    chances = {
        (r, c): p for r, c, p in zip(found.rows.tolist(), found.columns.tolist(), found.probability, strict=True)
    }
    assert chances == pytest.approx(
        {(0, 0): 2 / 3, (1, 0): 1 / 3, (0, 1): 0.4, (1, 1): 0.6, (2, 2): 0, (3, 3): 0, (4, 4): 0}
    )
    assert found.counts.sum() == 8


@pytest.mark.parametrize(
    "matrix",
    [
        np.eye(3),
        np.eye(4)[:, :3],
        np.eye(4) * 0.9,
        [[1.5, -0.5, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    ],
)
def test_what_is_no_matrix_of_probabilities_is_refused(matrix):
    with pytest.raises(ParameterError) as caught:
        posterior("Test", scope(), "s", MADE, {"s": matrix})
    assert caught.value.message == "Test: matrix of 's' must have 4 rows of 4 probabilities that sum to 1."


def test_a_matrix_that_the_files_contradict_is_refused():
    with pytest.raises(DataError) as caught:
        posterior("Test", scope(), "s", MADE, {"s": np.eye(4)})
    assert caught.value.message == "Test: column 's' has 1 kinds of changes that its matrix says cannot be."
    # Levels that only the release has follow those of the original, and a missing value stays one.
    merged = cells((0, 4, 2), (1, 1, 1), (5, 5, 3))
    found = posterior("Test", scope(("b", "x")), "s", merged, {"s": [[0, 1], [1, 0], [0, 1], [0, 1]]})
    chances = dict(zip(zip(found.rows.tolist(), found.columns.tolist(), strict=True), found.probability, strict=True))
    assert chances == pytest.approx({(0, 4): 1, (1, 1): 1, (2, 4): 0, (3, 4): 0, (5, 5): 1})


def test_levels_that_nobody_has_stay_or_go_their_one_way():
    prior = np.array([0.5, 0.25, 0.25, 0.0, 0.0])
    made = cells((0, 0, 2), (1, 1, 1))
    # Nobody has c, which the reference file has; d has no chance at all.
    found, chance = _estimated(scope(), "s", made, scope().levels("s"), prior)
    assert list(zip(found.rows, found.columns, found.counts, chance, strict=True)) == [
        (0, 0, 2, 1), (1, 1, 1, 1), (2, 2, 0, 1),
    ]  # fmt: skip
    one_way = np.zeros((4, 5), dtype=bool)
    one_way[2, 1] = True
    several = one_way.copy()
    several[2, 3] = True
    missing = np.zeros((4, 5), dtype=bool)
    missing[2, [0, 4]] = True
    for possible, goes in ((one_way, 1), (several, 2), (missing, 0), (one_way[:2], 2)):
        found, _ = _estimated(scope(transitions={"s": possible}), "s", made, scope().levels("s"), prior)
        assert found.columns.tolist() == [0, 1, goes]
    # Of a release with levels of its own, rows of what was possible say nothing of the joined list.
    other = scope((*LETTERS, "x"), transitions={"s": one_way})
    found, _ = _estimated(other, "s", made, other.levels("s"), np.append(prior, 0.0))
    assert found.columns.tolist() == [0, 1, 2]
    found, _ = _estimated(scope(transitions={"t": one_way}), "s", made, scope().levels("s"), prior)
    assert found.columns.tolist() == [0, 1, 2]


def test_a_reference_file_tells_how_likely_levels_were():
    reference = table(("b", "a", "c"), s=["a", "b", "b", "b", None, "c"])
    found = posterior("Test", scope(), "s", MADE, reference=reference)
    # a 1, b 3, c 1 and one that is missing; a becomes a or b alike.
    assert found.prior_entropy == pytest.approx(-sum(p * log2(p) for p in (1 / 6, 3 / 6, 1 / 6, 1 / 6)))
    chances = dict(zip(zip(found.rows.tolist(), found.columns.tolist(), strict=True), found.probability, strict=True))
    assert chances == pytest.approx({(0, 0): 1, (0, 1): 0.5 / 3.5, (1, 1): 3 / 3.5, (2, 2): 1, (4, 4): 1})
    few = posterior("Test", scope(), "s", MADE, reference=table(("a", "b"), s=["a", "a", "a"]))
    # Nobody there has b, which the masked file has: it counts as seen once.
    assert few.prior_entropy == pytest.approx(-(0.75 * log2(0.75) + 0.25 * log2(0.25)))
    with pytest.raises(DataError, match="Test: column 's' has no levels in the reference file"):
        posterior("Test", scope(), "s", MADE, reference=table(s=[1.0, 2.0]))


def test_losses_are_told_whole():
    before, after = (
        table(("a", "b"), s=list("aaaabbbb"), t=list("abababab")),
        table(("a", "b"), s=list("aabbbbbb"), t=list("abababab")),
    )
    open_bits = 6 * (log2(3) / 3 + log2(1.5) * 2 / 3)
    sources = {
        "probabilities_of_original": "file that is masked", "transitions_given_for": [],
        "transitions_estimated_for": ["s", "t"],
    }  # fmt: skip
    result = EntropyBasedLoss().measure(before, after)
    assert result.per_attribute == pytest.approx({"s": 100 * open_bits / 8, "t": 0})
    assert result.details == {"bits": pytest.approx(open_bits), **sources}
    assert result.sentence == (
        f"Somebody who sees a released category still lacks {50 * open_bits / 8:.1f} % of the information about the "
        "original one, most in s."
    )
    surprise = TransitionLoss().measure(before, after)
    assert surprise.sentence == (
        f"Knowing the released category, the original one is still {50 * open_bits / 8:.1f} % as surprising as without "
        "it, most in s."
    )
    for measure in (EntropyBasedLoss(), TransitionLoss()):
        same = measure.measure(before, before)
        assert (same.value, same.sentence) == (0, "Every original category follows from the released one.")
    # Where nothing was uncertain, nothing is; and no loss is more than all that was.
    certain = table(("a", "b"), s=["a"] * 3)
    assert EntropyBasedLoss().measure(certain, table(("a", "b"), s=["b", "a", "a"])).value == 0
    rare = TransitionLoss(matrices={"s": [[0.5, 0.5], [0.001, 0.999]]}).measure(
        table(("a", "b"), s=list("aab")), table(("a", "b"), s=list("bba"))
    )
    assert rare.value == 100


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ([[1.0]], True),
        (np.eye(2), True),
        ([1.0, 2.0], False),
        ("eye", False),
        ([[1.0], [1.0, 2.0]], False),
        (None, False),
    ],
)
def test_a_matrix_is_a_table_of_numbers(value, fits):
    assert _Matrix().accepts(value) is fits
    assert _Matrix().describe() == "a matrix"
