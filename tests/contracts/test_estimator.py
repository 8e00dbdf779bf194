"""Parameters in scikit-learn's manner: read, changed, copied, shown."""

from __future__ import annotations

import pytest

import discreet as dc
from discreet.contracts.estimator import find, one_of, registered
from discreet.errors import DiscreetError


def test_parameters_are_read_changed_and_copied():
    masker = dc.MDAV(k=3)
    assert masker.get_params()["k"] == 3
    assert masker.set_params(k=7) is masker
    copy = masker.clone()
    assert copy is not masker
    assert copy.get_params() == masker.get_params()
    copy.set_params(k=9)
    assert masker.k == 7
    with pytest.raises((DiscreetError, TypeError), match="there is no parameter 'kk'"):
        masker.set_params(kk=1)


def test_what_was_chosen_is_shown():
    assert dc.MDAV(k=3).label() == "mdav(k=3)"
    assert dc.RankSwapping(p=5, random_state=1).label() == "rank-swapping(p=5)"
    assert repr(dc.RankSwapping(p=5, random_state=1)).startswith("RankSwapping(")
    assert "p=5" in repr(dc.RankSwapping(p=5))
    assert "random_state=1" in repr(dc.RankSwapping(p=5, random_state=1))
    assert "random_state" not in repr(dc.RankSwapping(p=5))
    page = dc.MDAV(k=3)._repr_html_()
    assert "<b>MDAV</b>" in page
    assert "<td>k</td><td>3</td>" in page


def test_classes_are_found_by_name():
    assert find("masker", "mdav") is dc.MDAV
    assert list(registered("masker")) == sorted(registered("masker"))
    with pytest.raises(DiscreetError, match="mdavv"):
        find("masker", "mdavv", where="Step 1")
    assert one_of(["b", "a"]) == "a or b"
