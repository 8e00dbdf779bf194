"""Parameters in scikit-learn's manner: read, changed, copied, shown."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

import discreet as dc
from discreet.contracts.estimator import Estimator, find, one_of, registered
from discreet.errors import DiscreetError
from discreet.parameters import Flag, Instance, Integer, Seed
from discreet.parameters.declaration import parameter


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


class Inner(Estimator):
    """The inner one."""

    contract: ClassVar[str] = "toy"
    name: ClassVar[str] = "inner"
    p: int = parameter(Integer(1), default=1)


class Outer(Estimator):
    """The outer one, <with> an inner.

    More of it.
    """

    contract: ClassVar[str] = "toy"
    name: ClassVar[str] = "outer"
    k: int = parameter(Integer(2), default=3)
    inner: Any = parameter(Instance(Estimator), default=None)
    flag: bool = parameter(Flag(), default=False)
    random_state: Any = parameter(Seed(), default=None)


def test_parameters_of_parameters_are_read_and_changed_through_two_underscores():
    one = Outer(inner=Inner(p=4))
    assert one.get_params() == {
        "k": 3, "inner": one.inner, "flag": False, "random_state": None, "inner__p": 4,
    }  # fmt: skip
    assert "inner__p" not in one.get_params(deep=False)
    assert one.set_params(inner__p=5, k=4) is one
    assert (one.inner.p, one.k) == (5, 4)
    copy = one.clone()
    assert copy.inner is not one.inner
    copy.set_params(inner__p=9)
    assert one.inner.p == 5


def test_a_method_shows_what_differs_from_its_defaults():
    inner = Inner(p=4)
    assert Outer().label() == "outer(k=3)"
    assert Outer(inner=inner).as_call() == "Outer(inner=Inner(p=4))"
    assert Outer(k=5, flag=True, random_state=7).label() == "outer(k=5, flag=True)"
    assert Outer(k=5, flag=True, random_state=7).as_call() == "Outer(k=5, flag=True, random_state=7)"
    assert Outer().as_call() == "Outer()"
    assert repr(Outer()) == "Outer(k=3)"
    assert repr(Outer(flag=True, inner=inner)) == "Outer(k=3, inner=Inner(p=4), flag=True)"
    # One is no True, and 3.0 no 3.
    assert Outer(k=3.0).as_call() == "Outer(k=3.0)"
    page = Outer(k=5)._repr_html_()
    assert page.startswith("<p><b>Outer</b> The outer one, &lt;with&gt; an inner.</p>")
    assert "<tr><td>k</td><td>5</td><td>an integer of at least 2</td></tr>" in page
    assert "<tr><td>flag</td><td>False</td><td>True or False</td></tr>" in page
