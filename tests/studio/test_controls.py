"""Controls come from the constraints of every method, and what they give is accepted by the method."""

from __future__ import annotations

import pytest

from discreet import catalogue
from discreet.datasets import business, housing, itineraries
from discreet.errors import ParameterError
from discreet.parameters import AnyOf, ByName, Choice, Flag, Integer, ListOf, Names, Number, Optional, Seed, Text
from discreet.studio.controls import (
    offer_linkers,
    offer_maskers,
    read_candidates,
    read_fields,
    refuse_paths,
    suggest_study,
)

KINDS = {"integer", "number", "choice", "flag", "names", "text"}


@pytest.mark.parametrize(
    ("constraint", "kind"),
    [(Integer(2), "integer"), (Number(0, 1), "number"), (Choice(("a", "b")), "choice"), (Flag(), "flag"),
     (Names(), "names"), (Text(), "text"), (Seed(), "integer"), (ListOf(Names()), "text"), (ByName(Number()), "text"),
     (Optional(Number(0)), "number"), (AnyOf(Integer(1), Names()), "text")],
)  # fmt: skip
def test_every_constraint_has_a_control(constraint, kind):
    assert constraint.control().kind == kind


def test_bounds_and_choices_are_those_of_the_constraint():
    control = Optional(Number(0, 1, open_low=True)).control()
    assert (control.low, control.high, control.above, control.below, control.optional) == (0, 1, True, False, True)
    assert Choice(("a", "b")).control().choices == ("a", "b")


@pytest.mark.parametrize("contract", ["masker", "linker"])
@pytest.mark.parametrize("data", [housing, business, itineraries])
def test_the_defaults_of_every_offer_are_accepted(contract, data):
    schema = data(60).schema
    offers = (offer_maskers if contract == "masker" else offer_linkers)(schema)
    assert set(offers) == set(catalogue.maskers() if contract == "masker" else catalogue.linkers())
    for name, offer in offers.items():
        assert {field.control.kind for field in offer.fields} <= KINDS
        if offer.obstacle or name in {
            "hierarchy-recoding",
            "level-map",
            "ghost-suppression",
            "record-swapping",
        }:  # what only the user can say
            continue
        texts = {field.name: [field.default] for field in offer.fields if field.control.kind != "names"}
        cls = catalogue.method(contract, name)
        cls(**read_fields(contract, name, texts)).check_parameters()
        assert all(schema[a].scale.kind in cls.scales for a in offer.attributes)
        assert all(schema[a].role != "identifier" for a in offer.attributes)


def test_what_was_left_as_it_stood_is_left_out():
    offer = offer_maskers(housing(20).schema)["mdav"]
    texts = {field.name: [field.default] for field in offer.fields if field.control.kind != "names"}
    assert read_fields("masker", "mdav", texts) == {"k": 3}


@pytest.mark.parametrize(
    ("method", "given", "message"),
    [("mdav", {"k": ["1"]}, "k must be an integer of at least 2; got 1"),
     ("mdav", {"k": ["three"]}, "k must be an integer of at least 2; got 'three'"),
     ("mdav", {"operator": ["meen"]}, "operator must be .* Did you mean 'mean'"),
     ("pram", {"matrix": ["x"]}, "cannot be set in a form"),
     ("mdav", {"nothing": ["1"]}, "cannot be set in a form"),
     ("hierarchy-recoding", {"hierarchies": ["town=/etc/passwd"]}, "cannot be set in a form")],
)  # fmt: skip
def test_what_a_form_may_not_say_is_refused(method, given, message):
    with pytest.raises(ParameterError, match=message):
        read_fields("masker", method, given)


def test_an_operator_is_typed_and_its_name_offered():
    field = offer_maskers(housing(20).schema)["mixed-mdav"].field("operators")
    assert field.control.kind == "text"
    assert {"owa", "median", "cwow-median"} <= set(field.control.choices)
    answers = {"k": ["3"], "operators": ["owa:most; cwow-median:2"]}
    assert read_fields("masker", "mixed-mdav", answers)["operators"] == "owa:most; cwow-median:2"
    assert "cwow-median" not in offer_maskers(housing(20).schema)["mdav"].field("operator").control.choices


def test_names_may_hold_commas():
    assert read_fields("masker", "mdav", {"attributes": ["a, b", "c"]})["attributes"] == ["a, b", "c"]


def test_a_protocol_from_elsewhere_may_not_name_files():
    with pytest.raises(ParameterError, match="cannot be taken from an uploaded protocol"):
        refuse_paths("hierarchy-recoding", {"hierarchies": {"town": "/etc/passwd"}})
    refuse_paths("mdav", {"k": 3, "attributes": ["a"]})


def test_ranges_become_candidates():
    found = read_candidates("mdav", {"k": ["3, 5"], "search": ["exact"]})
    assert [candidate.k for candidate in found] == [3, 5]


@pytest.mark.parametrize("data", [housing, business, itineraries])
def test_the_first_study_fits_the_file(data):
    schema = data(30).schema
    plan = suggest_study(schema)
    assert plan
    for method, ranges in plan:
        assert not offer_maskers(schema)[method].obstacle
        assert len(read_candidates(method, {name: [text] for name, text in ranges.items()})) > 1
