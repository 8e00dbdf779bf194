"""A release that is masked again: what it says of all that was done to it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.battery import microdata

import discreet as dc
from discreet.errors import ParameterError


@pytest.fixture
def people():
    return microdata(120)


def test_a_release_is_masked_again_as_a_chain_would(people):
    steps = [
        dc.MDAV(k=3, random_state=1),
        dc.PRAM(attributes=["fuel"], random_state=2),
        dc.PRAM(attributes=["fuel"], random_state=3),
    ]
    twice = people
    for step in steps:
        twice = dc.protect(twice, step)
    chain = dc.Chain(steps, seed=0).mask(people)
    assert twice.to_native().equals(chain.to_native())
    mine, theirs = twice.provenance, chain.provenance
    assert [one.method for one in mine.history] == ["mdav", "pram", "pram"]
    assert (mine.method, mine.perturbative) == (theirs.method, theirs.perturbative)
    assert set(mine.attributes) == set(theirs.attributes)
    assert set(mine.removed) == set(theirs.removed)
    assert mine.guarantees == theirs.guarantees
    assert mine.guarantees
    assert set(mine.transitions) == set(theirs.transitions)
    for name, matrix in theirs.transitions.items():
        assert (mine.transitions[name] == matrix).all(), name
    assert any("counted from what" in note and "fuel" in note for note in mine.notes)
    assert dc.assess(people, twice).score == dc.assess(people, chain).score


def test_a_promise_that_the_second_step_breaks_is_not_made(people):
    grouped = dc.protect(people, "mdav", k=3, random_state=1)
    noisy = dc.protect(grouped, "additive-noise", level=0.3, random_state=1)
    assert grouped.provenance.guarantees
    assert noisy.provenance.guarantees == ()
    assert any("Not promised any more" in note for note in noisy.provenance.notes)
    assert noisy.provenance.labels is None


def test_groups_stay_where_the_second_step_left_them_alone(people):
    grouped = dc.protect(people, "mdav", k=3, random_state=1)
    again = dc.protect(grouped, dc.PRAM(attributes=["fuel"], random_state=1))
    assert (again.labels == grouped.labels).all()
    assert again.provenance.grouped == grouped.provenance.attributes


@pytest.mark.parametrize(
    "step", [dc.Sampling(0.5, random_state=1), dc.RecordOrder(random_state=1)], ids=["fewer", "order"]
)
def test_records_that_moved_are_not_masked_again(people, step):
    moved = step.mask(people)
    for masker in (dc.MDAV(k=3), dc.Chain([dc.MDAV(k=3)])):
        with pytest.raises(ParameterError, match="left records out or put them into another order") as caught:
            dc.protect(moved, masker)
        assert "Chain" in caught.value.hint


def test_a_release_is_taken_wherever_a_frame_is(people):
    masked = dc.protect(people, "mdav", k=3, random_state=1)
    again = dc.protect(masked, dc.PRAM(attributes=["fuel"], random_state=1))
    # Compared with the first release, a second one has only done what it did itself.
    assert dc.assess(masked, again).score.risk > dc.assess(people, again).score.risk
    assert dc.risk(masked).to_dict() == dc.risk(masked.microdata).to_dict()
    assert len(dc.microdata(masked)) == len(people)
    assert np.isfinite(dc.measure(masked, again, "distance-linkage")[0].value)
