"""Candidates as a user types them."""

from __future__ import annotations

import pytest

from discreet.errors import DiscreetError, ParameterError
from discreet.evaluation.candidates import grid, parse_attribute_sets, parse_candidates
from discreet.masking.microaggregation.numbers.mdav import MDAV


def parameters(maskers, *names):
    return [tuple(masker.get_params()[name] for name in names) for masker in maskers]


def test_every_combination_with_the_last_parameter_fastest():
    maskers = grid("mdav", k=range(3, 5), standardise=["range", "zscore"])
    assert parameters(maskers, "k", "standardise") == [(3, "range"), (3, "zscore"), (4, "range"), (4, "zscore")]
    assert [type(masker) for masker in maskers] == [MDAV] * 4


def test_a_tuple_and_a_word_are_one_value():
    assert parameters(grid(MDAV, k=[3, 4], attributes=("a", "b")), "k", "attributes") == [
        (3, ("a", "b")), (4, ("a", "b")),
    ]  # fmt: skip
    assert len(grid(MDAV, standardise="range")) == 1
    assert len(grid(MDAV)) == 1


def test_what_is_no_masker_or_no_parameter_is_refused():
    for wrong in (dict, 5, MDAV()):
        with pytest.raises(TypeError, match="method must be a masker's class or name"):
            grid(wrong)
    with pytest.raises(DiscreetError, match="no parameter 'kk'"):
        grid(MDAV, kk=[3])


def test_typed_candidates_are_read_by_their_constraints():
    some = parse_candidates(["mdav k=3,5 standardise=range,zscore", "top-coding threshold=5"])
    assert parameters(some[:4], "k", "standardise") == [(3, "range"), (3, "zscore"), (5, "range"), (5, "zscore")]
    assert some[4].name == "top-coding"
    assert parse_candidates([]) == []
    for text in ("", "  ", "mdav k", "mdav k=3 5"):
        with pytest.raises(ParameterError, match="A candidate is written"):
            parse_candidates([text])


def test_typed_sets_of_attributes():
    assert parse_attribute_sets([" a = x , y", "z"]) == {"a": ["x", "y"], "z": ["z"]}
    assert parse_attribute_sets(["x,y"]) == {"x, y": ["x", "y"]}
    for text in ("=x", "a=", "a=x,,y", ""):
        with pytest.raises(ParameterError, match="An attribute set is written"):
            parse_attribute_sets([text])
    with pytest.raises(ParameterError, match="There are two attribute sets 'a'"):
        parse_attribute_sets(["a=x", "a=y"])
