"""Proposed thresholds, from tables whose risk can be counted by hand."""

from __future__ import annotations

import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.release.ceilings import RELEASE_TYPES, propose_ceilings, release_type


def jobs(*sizes, role="key"):
    """Groups of equal records: one is found in a group of n with a chance of 1/n, so groups/records in all."""
    values = [f"job{j}" for j, size in enumerate(sizes) for _ in range(size)]
    return Microdata(
        pl.DataFrame({"job": values}), Schema([Attribute("job", Nominal(sorted(set(values))), role)])
    )  # fmt: skip


def test_what_is_usual_for_whom():
    research, public = RELEASE_TYPES["research"], release_type("public")
    assert (research.k, research.smallest_group, research.risk) == (5, 3, 20.0)
    assert (public.k, public.smallest_group, public.risk) == (10, 5, 10.0)
    with pytest.raises(ParameterError, match="one of research, public; got 'secret'"):
        release_type("secret")


def test_a_file_above_the_usual_ceiling_gets_it():
    few = propose_ceilings(jobs(2, 2, 4), release_type("research"))  # 3 groups of 8 records: 37.5 %
    assert few.thresholds == {"risk_at_most": 20.0, "smallest_group": 3}
    assert "for researchers under a contract (release type 'research')" in few.reason
    assert "a risk of 37.50 %" in few.reason
    assert "what groups of 5 keep, lies below that" in few.reason


def test_a_file_at_or_below_it_is_asked_for_half_of_its_own():
    at = propose_ceilings(jobs(5, 5, 5), release_type("research"))  # 20 %
    assert at.thresholds == {"risk_at_most": 10.0}
    assert "below the usual ceiling of 20 % already" in at.reason
    assert "smallest group of records with the same keys has 5, so no smallest_group is asked for" in at.reason
    odd = propose_ceilings(jobs(30, 7), release_type("research"))  # 2 of 37: 5.405 %, and half of it is 2.7
    assert odd.thresholds == {"risk_at_most": 2.7}


@pytest.mark.parametrize(("smallest", "asked"), [(4, True), (5, False)])
def test_groups_as_small_as_allowed_are_not_asked_for(smallest, asked):
    told = propose_ceilings(jobs(smallest, 90), release_type("public"))
    assert ("smallest_group" in told.thresholds) is asked
    assert ("no smallest_group is asked for" in told.reason) is not asked


def test_without_a_key_nothing_is_proposed():
    told = propose_ceilings(jobs(1, 2, role="confidential"), release_type("public"))
    assert (told.thresholds, told.reason) == ({}, "")
