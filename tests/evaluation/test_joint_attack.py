"""Several linkers against one release."""

from __future__ import annotations

import pytest

import discreet as dc
from discreet.datasets import housing
from discreet.errors import ParameterError
from discreet.evaluation.joint_attack import attack_together
from discreet.linkage.combined import combine


@pytest.fixture(scope="module")
def pair():
    original = housing(250)
    return original, dc.RankSwapping(p=15, random_state=3).mask(original)


def test_together_they_find_whom_one_of_them_finds(pair):
    original, release = pair
    joint = attack_together(original, release)
    assert list(joint.each) == ["distance", "probabilistic", "masking-aware"]
    singly = [dc.attack(original, release, name) for name in joint.each]
    assert joint.expected == pytest.approx(combine(singly).expected)
    assert max(joint.each.values()) <= joint.expected <= sum(joint.each.values())
    assert joint.both <= min(joint.each.values())
    assert 0 < joint.chance < len(joint.each)


def test_of_a_plain_table_nothing_is_known_of_the_masking(pair):
    original, release = pair
    assert list(attack_together(original, release.microdata).each) == ["distance", "probabilistic"]
    part = attack_together(original, release.microdata, ["distance"], attributes=["BUILT", "DEGREE"])
    alone = dc.attack(original, release.microdata, "distance", attributes=["BUILT", "DEGREE"]).evaluate()
    assert part.expected == pytest.approx(alone.expected)
    assert part.chance == pytest.approx(alone.chance)


@pytest.mark.parametrize("linkers", [[], ["distance", "distance"], ["distance", "structural"]])
def test_what_cannot_be_joined_is_refused(pair, linkers):
    with pytest.raises(ParameterError, match="^attack_together: "):
        attack_together(*pair, linkers)
