"""What holds for the registry as a whole."""

from __future__ import annotations

import re

import pytest

import discreet as dc
from discreet import catalogue
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
    with pytest.raises(LookupError, match="Known maskers: .*mdav"):
        catalogue.method("masker", "magic")
