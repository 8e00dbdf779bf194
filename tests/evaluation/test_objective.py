"""What a search maximises."""

from __future__ import annotations

import pytest

import discreet as dc
from discreet.errors import DiscreetError
from discreet.evaluation.objective import privacy_utility


def test_it_is_minus_the_score_of_the_release_and_leaves_the_masker_alone():
    table = dc.datasets.business(40)
    masker = dc.Rounding(base=100)
    expected = dc.assess(table, dc.Rounding(base=100).mask(table)).score.value
    assert privacy_utility(masker, table) == -expected < 0


def test_what_is_no_masker_is_refused():
    with pytest.raises((DiscreetError, TypeError), match="masker must be a masker"):
        privacy_utility("rounding", dc.datasets.business(40))
