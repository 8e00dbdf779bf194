"""What a parameter may be: the ends, the words, what is read from text, and how a form asks for it."""

from __future__ import annotations

import os

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.parameters.constraints import (
    AnyOf,
    ByName,
    Choice,
    Control,
    Flag,
    Instance,
    Integer,
    ListOf,
    Names,
    Number,
    Optional,
    Seed,
    Text,
    check_parameters,
)  # fmt: skip


@pytest.mark.parametrize(
    ("constraint", "inside", "outside"),
    [
        (Integer(2, 5), [2, 5, np.int32(3)], [1, 6, 2.0, True, np.True_, "3", None]),
        (Integer(high=5), [-9, 5], [6]),
        (Number(0, 1), [0, 1, 0.5, np.float32(1.0)], [-0.1, 1.1, True, "0", None, float("inf"), float("nan")]),
        (Number(0, 1, open_low=True, open_high=True), [0.001, 0.999], [0, 1]),
        (Number(), [-1e300, 7], [float("-inf")]),
        (Choice(("mean", "median")), ["mean"], ["mode", "", 1, None]),
        (Flag(), [True, np.False_], [0, 1, "true", None]),
        (Text(), ["", "10s"], [10, None]),
        (Names(), [["age"], ("age", "sex")], [[], "age", ["age", "age"], ["age", 1], {"age"}, None]),
        (ListOf(Integer(1)), [[1], (1, 1)], [[], "1", [1, 0], 1]),
        (ByName(Integer(1)), [{"age": 1}], [{}, {"age": 0}, {1: 1}, [("age", 1)]]),
        (Seed(), [None, 0, 7, np.random.default_rng(1), np.random.SeedSequence(1)], [-1, 1.0, "1", True]),
        (Instance(dict), [{}], [[], dict]),
        (Optional(Integer(1)), [None, 1], [0, "none"]),
        (AnyOf(Integer(1), Choice(("all",))), [1, "all"], [0, "none", None]),
    ],
)  # fmt: skip
def test_what_belongs_to_a_set_and_what_does_not(constraint, inside, outside):
    assert [constraint.accepts(value) for value in inside] == [True] * len(inside)
    assert [constraint.accepts(value) for value in outside] == [False] * len(outside)


@pytest.mark.parametrize(
    ("constraint", "sentence"),
    [
        (Integer(), "an integer"),
        (Integer(2), "an integer of at least 2"),
        (Integer(high=9), "an integer of at most 9"),
        (Integer(2, 9), "an integer between 2 and 9"),
        (Number(), "a number"),
        (Number(0), "a number of at least 0"),
        (Number(high=1), "a number of at most 1"),
        (Number(0, open_low=True), "a number above 0"),
        (Number(0, 1, open_high=True), "a number at least 0 and below 1"),
        (Choice(("a", "b")), "one of 'a', 'b'"),
        (Flag(), "True or False"),
        (Text("a time"), "a time"),
        (Names(), "a list of different attribute names"),
        (ListOf(Flag()), "a list, each item True or False"),
        (Instance(dict), "a dict"),
        (Instance(dict, "a matrix"), "a matrix"),
        (Optional(Flag()), "None or True or False"),
        (AnyOf(Integer(1), Text("a time")), "an integer of at least 1 or a time"),
        (Seed(), "None, an integer of at least 0, or a numpy.random.Generator"),
    ],
)
def test_sentences(constraint, sentence):
    assert constraint.describe() == sentence


@pytest.mark.parametrize(
    ("constraint", "text", "value"),
    [
        (Integer(), " 7 ", 7),
        (Number(), "1e-2", 0.01),
        (Choice(("a",)), "a", "a"),
        (Flag(), " Yes", True),
        (Flag(), "0", False),
        (Text(), "10s", "10s"),
        (Names(), " age, ,sex,", ["age", "sex"]),
        (ListOf(Integer()), "1; 2;", [1, 2]),
        (ListOf(Integer()), "[1, 2]", [1, 2]),
        (ListOf(ListOf(Integer())), "0,3; 1, 4", [[0, 3], [1, 4]]),
        (ListOf(ListOf(Integer())), "[[0, 3], [1, 4]]", [[0, 3], [1, 4]]),
        (ListOf(Names()), "[old], sex; age", [["[old]", "sex"], ["age"]]),
        (ByName(Number()), "age = 5; pay=1.5", {"age": 5.0, "pay": 1.5}),
        (Seed(), "12", 12),
        (Optional(Integer()), " None ", None),
        (Optional(Integer()), "3", 3),
        (AnyOf(Integer(1), Choice(("all",))), "all", "all"),
        (AnyOf(Integer(10), Number(0)), "3", 3.0),  # the first that can, and allows it
    ],
)
def test_what_is_typed(constraint, text, value):
    parsed = constraint.parse(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (Flag(), "maybe"),
        (ByName(Integer()), "age"),
        (Instance(dict), "{}"),
        (AnyOf(Integer(1), Flag()), "x"),
        (Integer(), "1.5"),
    ],
)
def test_what_cannot_be_read_is_an_error(constraint, text):
    with pytest.raises(ValueError, match=r".*"):
        constraint.parse(text)


def test_what_a_file_holds_is_kept_where_it_fits_and_read_where_it_is_text():
    assert Integer().read(3) == 3
    assert Integer().read("3") == 3
    assert Integer(5).read(3) == 3  # outside, but no text: it is refused where parameters are checked
    assert Text().read("3") == "3"
    assert Optional(Integer()).read("none") is None
    assert Optional(Integer()).read(None) is None
    assert Optional(Integer()).read("4") == 4
    assert Optional(Text()).read("none") == "none"  # a text is what it says


@pytest.mark.parametrize(
    ("constraint", "control"),
    [
        (Integer(2, 9), Control("integer", 2, 9)),
        (Number(0, 1, open_low=True), Control("number", 0, 1, above=True, below=False)),
        (Number(0, 1, open_high=True), Control("number", 0, 1, above=False, below=True)),
        (Choice(("a", "b")), Control("choice", choices=("a", "b"))),
        (Flag(), Control("flag")),
        (Text(), Control("text")),
        (Names(), Control("names")),
        (Seed(), Control("integer", 0, optional=True)),
        (Instance(dict), Control("object")),
        (Optional(Integer(1)), Control("integer", 1, optional=True)),
        (ListOf(Integer()), Control("text")),
        (ByName(Integer()), Control("text")),
        (ListOf(Instance(dict)), Control("object")),
        (ListOf(ListOf(Integer())), Control("text")),
        (ListOf(ListOf(Names())), Control("object")),
        (ByName(ByName(Integer())), Control("object")),
        (AnyOf(Integer(1), Instance(dict)), Control("integer", 1)),
        (AnyOf(Integer(1), Choice(("all",))), Control("text", choices=("all",))),
        (AnyOf(Instance(dict), Instance(list)), Control("object")),
        (AnyOf(Text(), Instance(os.PathLike)), Control("object")),
    ],
)
def test_how_a_form_asks(constraint, control):
    assert constraint.control() == control


def test_a_control_asks_for_nothing_that_was_not_said():
    plain = Control("number")
    assert (plain.low, plain.high, plain.above, plain.below, plain.choices, plain.optional) == (
        None, None, False, False, (), False,
    )  # fmt: skip


def test_the_first_value_outside_is_named_with_its_sentence():
    constraints = {"k": Integer(2), "p": Number(0, 1)}
    check_parameters("MDAV", {"k": 2, "p": 0.5}, constraints)
    with pytest.raises(ParameterError, match=r"MDAV: k must be an integer of at least 2; got 1\.") as error:
        check_parameters("MDAV", {"k": 1, "p": 7}, constraints, hint="Groups of three are common.")
    assert "Hint: Groups of three are common." in str(error.value)
    with pytest.raises(ParameterError, match="Hint: about p"):
        check_parameters("MDAV", {"k": 3, "p": 7}, constraints, hint=lambda name: f"about {name}")
