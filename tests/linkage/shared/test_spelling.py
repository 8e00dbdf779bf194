"""Names that are spelled alike."""

from __future__ import annotations

import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.spelling import jaro_winkler

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, MissingExtraError
from discreet.linkage.shared.agreement import spelled_agreement
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage
from discreet.linkage.shared.spelling import similarity_levels

WORDS = st.text(alphabet="abcd", min_size=1, max_size=7)


@given(st.lists(WORDS, min_size=1, max_size=6), st.lists(WORDS, min_size=1, max_size=6))
def test_levels_are_those_of_the_definition(first, second):
    levels = similarity_levels(first, second, [0.7, 0.9])
    for j, i in np.ndindex(len(second), len(first)):
        value = jaro_winkler(first[i], second[j])
        assert levels[j, i] == (value + 1e-9 >= 0.7) + (value + 1e-9 >= 0.9)


def people(typos, seed=0, n=200):
    """People with a name and a town; in the second file some names have two letters swapped."""
    rng = np.random.default_rng(seed)
    names = ["".join(rng.choice(list("aeilmnorst"), 8)) for _ in range(n)]
    towns = rng.integers(0, 6, n)
    spelled = list(names)
    for i in np.flatnonzero(rng.random(n) < typos):
        at = int(rng.integers(3, 7))
        spelled[i] = names[i][:at] + names[i][at + 1] + names[i][at] + names[i][at + 2 :]
    levels = tuple(dict.fromkeys([*names, *spelled]))
    schema = Schema([Attribute("name", Nominal(levels), "key"), Attribute("town", Nominal(tuple(range(6))), "key")])

    def table(column):
        return Microdata(pl.DataFrame({"name": column, "town": towns}), schema)

    return table(names), table(spelled)


def test_similar_names_are_found_where_equal_ones_are_not():
    a, b = people(0.5)
    equal = ProbabilisticLinkage().link(a, b).evaluate().rate
    alike = ProbabilisticLinkage(similarity=["name"]).link(a, b).evaluate().rate
    assert equal < 0.75
    assert alike > 0.95


@pytest.mark.parametrize("parameters", [{"one_to_one": True}, {"term_frequency": True}, {"m": "em"}, {"m": "known"}])
def test_similarity_goes_with_the_other_parameters(parameters):
    a, b = people(0.5, n=80)
    assert ProbabilisticLinkage(similarity=["name"], **parameters).link(a, b).evaluate().rate > 0.9


def test_missing_names():
    a, b = people(0.2, n=60)
    gone = b.replacing({"name": np.where(np.arange(60) < 6, -1, b.encoded("name")).astype(np.int32)})
    agreement = spelled_agreement("X", a, gone, "name", [0.9], "ignore")
    assert agreement.states == 4  # missing, different, alike, equal
    assert agreement.state(agreement.a, agreement.b)[:6].tolist() == [0] * 6
    assert agreement.state(agreement.a, agreement.b)[6:].min() >= 1
    assert spelled_agreement("X", a, gone, "name", [0.9], "disagree").states == 3
    assert ProbabilisticLinkage(similarity=["name"]).link(a, gone).evaluate().rate > 0.8


def test_bad_input(monkeypatch):
    a, b = people(0.1, n=20)
    with pytest.raises(DataError, match="similarity speaks of 'street', which is not among the attributes"):
        ProbabilisticLinkage(similarity=["street"]).link(a, b)
    numbers = Microdata(pl.DataFrame({"x": [1.0, 2.0]}), Schema([Attribute("x", Numeric(), "key")]))
    with pytest.raises(DataError, match="has no levels to spell"):
        ProbabilisticLinkage(similarity=["x"]).link(numbers, numbers)
    monkeypatch.setattr("discreet.linkage.shared.agreement.MOST_VALUES", 5)
    with pytest.raises(DataError, match="different values to compare by spelling; at most 5 can be"):
        ProbabilisticLinkage(similarity=["name"]).link(a, b)
    monkeypatch.setitem(sys.modules, "rapidfuzz.process", None)
    with pytest.raises(MissingExtraError, match="needs the rapidfuzz package"):
        similarity_levels(["a"], ["b"], [0.5])
