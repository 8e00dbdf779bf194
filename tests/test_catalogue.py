"""What holds for the registry as a whole."""

from __future__ import annotations

import re

import pytest

import discreet as dc
from discreet import catalogue
from discreet.errors import ParameterError, SchemaError, UnknownNameError
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


def test_methods_are_those_of_one_contract_or_of_all():
    for contract, classes in CONTRACTS.items():
        assert catalogue.methods(contract) == classes
    assert catalogue.methods() == {**CONTRACTS["masker"], **CONTRACTS["linker"], **CONTRACTS["measure"]}
    with pytest.raises(UnknownNameError, match=r"contract.*'maskers'"):
        catalogue.methods("maskers")
    risks, losses = catalogue.measures("risk"), catalogue.measures("loss")
    assert {cls.kind for cls in risks.values()} == {"risk"}
    assert {cls.kind for cls in losses.values()} == {"loss"}
    assert {**risks, **losses} == CONTRACTS["measure"]
    assert catalogue.known("masker", "mdav") is CONTRACTS["masker"]["mdav"]
    assert catalogue.known("masker", "distance") is None
    assert catalogue.method("linker", "distance") is CONTRACTS["linker"]["distance"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ("", {})),
        ("  clustering ", ("clustering", {})),
        ("clustering clusters=4  attributes=a,b", ("clustering", {"clusters": "4", "attributes": "a,b"})),
        ("x a=b=c d=", ("x", {"a": "b=c", "d": ""})),
    ],
)
def test_what_is_typed_is_a_name_and_parameters(text, parts):
    assert catalogue.split_typed(text, "It is written so") == parts


def test_what_is_no_parameter_is_told_how_it_is_written():
    with pytest.raises(ParameterError, match=r"^It is written so; got 'clustering 4'\.$"):
        catalogue.split_typed("clustering 4", "It is written so")
    measure = catalogue.parse_measure("clustering clusters=4")
    assert (measure.name, measure.clusters) == ("clustering", 4)
    with pytest.raises(ParameterError, match="A measure is written 'clustering clusters=4'; got 'clustering 4'"):
        catalogue.parse_measure("clustering 4")


def test_one_is_described_alone_in_its_place():
    every = catalogue.describe_methods()
    assert list(every) == ["maskers", "linkers", "measures"]
    assert {part: list(entries) for part, entries in every.items()} == {
        f"{contract}s": list(classes) for contract, classes in CONTRACTS.items()
    }
    assert catalogue.describe_methods("mdav") == {"maskers": {"mdav": every["maskers"]["mdav"]}}
    assert catalogue.describe_methods("distance") == {"linkers": {"distance": every["linkers"]["distance"]}}
    assert catalogue.describe_methods("owa") == {"operators": catalogue.describe_operators("owa")}
    operators = catalogue.describe_operators()
    assert list(operators) == list(operator_names())
    assert catalogue.describe_operators("owa") == {"owa": operators["owa"]}
    assert catalogue.describe_operators("mdav") == {}


def test_a_word_leads_to_the_methods_named_after_it_or_else_to_those_that_speak_of_it():
    named = [name for classes in CONTRACTS.values() for name in classes if "coding" in name]
    assert catalogue._speaking_of(" Coding ") == named[:8]
    assert catalogue._speaking_of("coding", 2) == named[:2]
    assert len(named) > 2
    assert catalogue._speaking_of("pram"), "four letters are enough"
    assert catalogue._speaking_of("mda") == [], "three are part of too many words"
    assert catalogue._speaking_of("xyzzy") == []
    told = catalogue._speaking_of("neighbour")
    assert "adjacent-merging" in told
    assert "mdav" not in told
    assert not any("neighbour" in name for name in told)
    with pytest.raises(UnknownNameError) as error:
        catalogue.describe_methods("coding")
    assert error.value.message == "There is no method named 'coding'."
    assert error.value.hint == (f"Those that are about it: {', '.join(named[:8])}. `discreet methods` lists them all.")
    for name in ("xyzzy", 3):
        with pytest.raises(UnknownNameError) as error:
            catalogue.describe_methods(name)
        assert error.value.hint.endswith("`discreet methods` lists them all.")
        assert "about it" not in error.value.hint


@pytest.mark.parametrize(
    ("name", "texts", "parameter"),
    [
        ("mdav", ["owa:alpha=2"], {"operator": "owa:alpha=2"}),
        ("mondrian", ["owa:most"], {"operators": "owa:most"}),
        ("mondrian", ["owa:most", "RENT=median"], {"operators": "owa:most; RENT=median"}),
    ],
)
def test_operators_go_to_the_parameter_that_takes_them(name, texts, parameter):
    assert catalogue.operator_parameter(name, texts) == parameter


@pytest.mark.parametrize(
    ("texts", "got"),
    [
        (["median", "mean"], "2"),
        (["RENT=median"], "one of a column"),
        (["RENT=owa:alpha=2", "mean"], "one of a column"),
    ],
)
def test_one_operator_for_all_is_one(texts, got):
    with pytest.raises(ParameterError) as error:
        catalogue.operator_parameter("mdav", texts)
    assert error.value.message == f"mdav releases all attributes by one operator; got {got}."


def test_who_takes_no_operator_names_those_who_do():
    with pytest.raises(ParameterError, match=r"^pram takes no operator\.") as error:
        catalogue.operator_parameter("pram", ["median"])
    takers = error.value.hint.removeprefix("Those that do: ").removesuffix(".").split(", ")
    assert {"mdav", "mondrian", "mixed-mdav"} <= set(takers)
    assert not {"pram", "rank-swapping", "balanced-kmodes"} & set(takers), "a prototype of categories is no operator"
    assert catalogue.operator_parameter("sequence-mdav", ["median"]) == {"prototype": "median"}
    assert catalogue.operator_parameter("kmodes", ["median"]) == {"operators": "median"}


def test_linkers_say_whether_they_need_common_attributes():
    assert catalogue.shares_attributes("distance") is True
    assert catalogue.shares_attributes("structural") is False
    assert catalogue.refuse_unshared("distance", ["age", "sex"], ["sex"]) is None
    with pytest.raises(SchemaError, match="have no attribute in common"):
        catalogue.refuse_unshared("distance", ["age"], ["sex"])
