"""Several attacks together: what at least one of them, each and all of them find."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.contracts.links import Links
from discreet.errors import DiscreetError
from discreet.linkage.combined import CombinedAttack, combine


def links(tied, method="", attributes=("x",), n_a=4):
    """Return links to the records of A that tie for each record of B."""
    best = np.array([min(some, default=-1) for some in tied], dtype=np.int64)
    n = len(tied)
    return Links(
        n_a=n_a,
        n_b=n,
        best=best,
        second=np.full(n, -1),
        score=np.zeros(n),
        second_score=np.full(n, np.inf),
        ties=np.array([len(some) for some in tied]),
        tied_offsets=np.cumsum([0, *(len(some) for some in tied)]),
        tied=np.array([one for some in tied for one in sorted(some)], dtype=np.int64),
        classes=np.arange(n_a),
        attributes=attributes,
        method=method,
    )


SURE = links([[0], [1], [0], []], "distance", ("x", "y"))
TIED = links([[0, 1], [2], [1, 2, 3], [0, 1, 2, 3]], "probabilistic")


def test_figures_of_two_attacks_worked_out_by_hand() -> None:
    both = combine([SURE, TIED])
    # By record, the chances are 1 and 1/2; 1 and 0; 0 and 1/3; 0 and 1/4.
    assert both.n == 4
    assert both.probability.tolist() == pytest.approx([1, 1, 1 / 3, 1 / 4])
    assert both.frequency.tolist() == pytest.approx([3 / 4, 1 / 2, 1 / 6, 1 / 8])
    assert both.expected == pytest.approx(31 / 12)
    assert both.rate == pytest.approx(31 / 48)
    assert both.both == pytest.approx(1 / 2)
    assert both.each == {"distance": 2.0, "probabilistic": pytest.approx(13 / 12)}
    # Each of two guesses finds a record with a chance of one in four: 4 · (1 − (3/4)²).
    assert both.chance == pytest.approx(1.75)
    assert both.attributes == {"distance": ("x", "y"), "probabilistic": ("x",)}
    assert repr(both) == "CombinedAttack(2.6 of 4; distance 2.0, probabilistic 1.1)"


def test_one_attack_is_itself() -> None:
    alone = combine((TIED,))
    assert [alone.expected, alone.both] == pytest.approx([13 / 12, 13 / 12])
    assert alone.chance == pytest.approx(1.0)
    for chances in (alone.probability, alone.frequency):
        assert chances.tolist() == pytest.approx([1 / 2, 0, 1 / 3, 1 / 4])


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_the_truth_says_who_is_who(kind) -> None:
    turned = combine([SURE, TIED], kind([1, 0, 3, -1]))
    assert turned.probability.tolist() == pytest.approx([1 / 2, 0, 1 / 3, 0])
    assert turned.each == {"distance": 0.0, "probabilistic": pytest.approx(5 / 6)}
    # A record without a counterpart cannot be guessed either: 3/4 of a record in one go.
    assert turned.chance == pytest.approx(4 * (1 - (1 - 0.75 / 4) ** 2))


def test_namesakes_are_counted() -> None:
    nameless = links([[0], [1], [2], [3]])
    names = combine([SURE, nameless, SURE, TIED, nameless, SURE]).each
    assert list(names) == ["distance", "attack", "distance 2", "probabilistic", "attack 2", "distance 3"]


def test_a_combined_attack_of_no_guesses_is_one_by_default() -> None:
    bare = CombinedAttack(2, 1.0, {}, 0.0, np.zeros(2), np.zeros(2))
    assert (bare.chance, bare.attributes, bare.rate) == (0.0, {}, 0.5)


@pytest.mark.parametrize(
    ("attacks", "truth", "words"),
    [
        ([], None, "needs the links of at least one attack"),
        ([SURE, links([[0], [1]])], None, "links between the same two files; their sizes differ"),
        ([SURE, links([[0], [1], [2], [3]], n_a=5)], None, "links between the same two files; their sizes differ"),
        (SURE, None, "links must be a list"),
        ([SURE, "distance"], None, "links must be a list"),
        ([SURE], "0123", "truth must be an array of positions"),
        ([SURE], [0, 1], "one entry for each of the 4 records"),
    ],
)
def test_what_cannot_be_joined_is_refused(attacks, truth, words) -> None:
    with pytest.raises(DiscreetError, match=words):
        combine(attacks, truth)
