"""What holds for the registry as a whole."""

from __future__ import annotations

import re

import pytest

import discreet as dc
from discreet import catalogue
from discreet.errors import ParameterError
from discreet.operators import operator_names

CONTRACTS = {"masker": catalogue.maskers(), "linker": catalogue.linkers(), "measure": catalogue.measures()}


@pytest.mark.parametrize("contract", CONTRACTS)
def test_names_are_lower_case_words_joined_by_hyphens(contract):
    assert CONTRACTS[contract]
    for name in CONTRACTS[contract]:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name), name


def test_operators_are_named_likewise():
    for name in operator_names():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name), name


def test_every_method_is_reached_by_its_class_name():
    for methods in CONTRACTS.values():
        for cls in methods.values():
            assert getattr(dc, cls.__name__) is cls


def test_an_unknown_method_is_answered_with_the_known_ones():
    with pytest.raises(LookupError, match="There is no masker named 'magic'. Hint: Known: .*mdav"):
        catalogue.method("masker", "magic")


def test_methods_say_of_themselves_what_others_must_know_of_them():
    maskers, linkers, risks = catalogue.maskers(), catalogue.linkers(), catalogue.measures("risk")
    assert {name for name, cls in maskers.items() if cls.reorders} == {"sampling", "record-order", "record-suppression"}
    assert {name for name, cls in maskers.items() if cls.renumbers} == {"identifiers", "pseudonyms"}
    assert {name for name, cls in linkers.items() if cls.knows_masking} == {"masking-aware"}
    linkages = {"distance-linkage", "combined-linkage", "masking-aware-linkage", "permutation-linkage"}
    assert {name for name, cls in risks.items() if cls.needs_numbers} == {*linkages, "attribute-disclosure"}
    assert {name for name, cls in risks.items() if cls.in_headline} == {"combined-linkage", "masking-aware-linkage"}
    assert {name for name, cls in risks.items() if cls.knows_masking} == {"masking-aware-linkage"}
    assert {"k-anonymity", "uniques", "suda2"} <= {name for name, cls in risks.items() if cls.counts_equal_keys}
    places = sorted(cls.first_look for cls in risks.values() if cls.first_look)
    assert places == list(range(1, len(places) + 1)), "no two risks have the same place at a first look"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"blocs": 2}, "MDAV: there is no parameter 'blocs'. Did you mean 'blocks'?"),
        ({"k": "three"}, "MDAV: k must be an integer of at least 2; got 'three'."),
        ({"k": 1}, "MDAV: k must be an integer of at least 2; got 1."),
    ],
)
def test_a_method_is_built_from_text_or_refused_in_one_wording(given, said):
    assert catalogue.build("masker", "mdav", {"k": "4"}).k == 4
    with pytest.raises(ParameterError) as caught:
        catalogue.build("masker", "mdav", given)
    assert caught.value.message == said


def test_where_it_stands_is_told():
    with pytest.raises(ParameterError) as caught:
        catalogue.build("masker", "mdav", {"k": 1}, "Line 3")
    assert caught.value.message == "Line 3: MDAV: k must be an integer of at least 2; got 1."
    with pytest.raises(ParameterError, match="^Line 3: maps must be given"):
        catalogue.build("masker", "level-map", {}, "Line 3")
    with pytest.raises(LookupError, match="^Line 3: there is no linker named 'distanse'. Did you mean 'distance'"):
        catalogue.build("linker", "distanse", {}, "Line 3")


def test_text_that_was_typed_is_a_number_wherever_it_can_be_one():
    assert catalogue.build("masker", "refine", {"budget": "50"}, typed=True).budget == 50
    assert catalogue.build("masker", "refine", {"budget": "50"}).budget == "50"
