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


@pytest.mark.parametrize(
    ("masker", "figures"),
    [
        (dc.RankSwapping(p=5, random_state=4), {"distance": 1307.9, "probabilistic": 925.4, "masking-aware": 1692.5}),
        (dc.GlobalRecoding(p=3), {"distance": 3111.3, "masking-aware": 4614.0}),
        (dc.PRAM(theta=0.8, random_state=4), {"distance": 2703.8, "masking-aware": 4380.4}),
    ],
    ids=["rank-swapping", "global-recoding", "pram"],
)
def test_half_of_adult_by_four_attacks(data_dir, tmp_path, masker, figures):
    # The figures of docs/how-to/four-attacks.md: every second record, its eight categories.
    lines = (data_dir / "uci" / "adult_train.csv").read_text().splitlines(keepends=True)
    (tmp_path / "half.csv").write_text(lines[0] + "".join(lines[1::2]))
    keys = ["workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"]
    survey = dc.survey(tmp_path / "half.csv", keys=keys)
    assert len(survey) == 16_281
    release = masker.mask(survey)
    found = {name: dc.attack(survey, release, name).evaluate().expected for name in figures}
    assert {name: round(value, 1) for name, value in found.items()} == figures
    if "probabilistic" in figures:
        both = attack_together(survey, release, ["distance", "probabilistic"])
        assert round(both.expected, 1) == 1648.4
