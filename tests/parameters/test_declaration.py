"""Parameters as fields: what every registered class keeps, and what the mechanism refuses."""

from __future__ import annotations

import inspect
import pickle
import types
import typing
from typing import Any, ClassVar, Literal

import pytest
import sklearn.base

import discreet as dc
from discreet import catalogue
from discreet.errors import ParameterError, SignatureError
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.microaggregation.numbers.refinement import Refine
from discreet.masking.perturbing.pram import PRAM
from discreet.operators import OWA, NumericMedian, operator_named, operator_names
from discreet.parameters import AnyOf, Choice, Constraint, Flag, Integer, Optional
from discreet.parameters.declaration import Field, Parameterised, parameter

METHODS = [*catalogue.maskers().values(), *catalogue.linkers().values(), *catalogue.measures().values()]
OPERATORS = [operator_named(name) for name in operator_names()]
EXAMPLES = [example for cls in METHODS for example in cls.examples()]


def named(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else repr(value)[:60]


@pytest.mark.parametrize("cls", METHODS, ids=named)
def test_the_signature_is_written_out_and_every_parameter_has_a_constraint(cls):
    signature = inspect.signature(cls)
    assert signature == inspect.signature(cls.__init__).replace(
        parameters=list(inspect.signature(cls.__init__).parameters.values())[1:]
    ).replace(return_annotation=signature.return_annotation)
    assert tuple(signature.parameters) == cls.parameter_names() == tuple(cls.parameters)
    for one in signature.parameters.values():
        assert one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY), f"{one.name} is not written out"
        assert one.annotation not in (one.empty, "Any"), f"{one.name} has no type"
        if one.default is not one.empty:
            assert cls.parameters[one.name].accepts(one.default), f"the default of {one.name} is not allowed"
            hash(one.default)


@pytest.mark.parametrize("cls", [*METHODS, *OPERATORS], ids=named)
def test_a_wrong_name_is_named(cls):
    with pytest.raises(SignatureError, match=f"^{cls.__name__}: there is no parameter 'no_such_thing'") as caught:
        cls(no_such_thing=1)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, ParameterError)
    for name in inspect.signature(cls).parameters:
        if len(name) > 5:
            misspelt = name[:2] + name[3:]
            with pytest.raises(SignatureError, match=f"there is no parameter '{misspelt}'. Did you mean '"):
                cls(**{misspelt: 1})


@pytest.mark.parametrize("cls", METHODS, ids=named)
def test_too_many_by_position_are_refused(cls):
    by_place = [one for one in inspect.signature(cls).parameters.values() if one.kind == one.POSITIONAL_OR_KEYWORD]
    with pytest.raises(SignatureError, match=f"^{cls.__name__}: .* by position; got {len(by_place) + 1}"):
        cls(*[1] * (len(by_place) + 1))


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_an_instance_survives_copying_pickling_and_its_own_parameters(example):
    params = example.get_params(deep=False)
    assert tuple(params) == example.parameter_names()
    rebuilt = type(example)(**params)
    copies = [example.clone(), sklearn.base.clone(example), rebuilt]
    if isinstance(example, dc.Pseudonyms):
        with pytest.raises(TypeError, match="A key is not written anywhere but into its own file"):
            pickle.dumps(example)
    else:
        copies.append(pickle.loads(pickle.dumps(example)))  # noqa: S301 - our own
    for copy in copies:
        assert type(copy) is type(example)
        assert repr(copy) == repr(example)
        assert tuple(copy.get_params(deep=False)) == tuple(params)
    for name, value in rebuilt.get_params(deep=False).items():
        assert value is params[name], f"{name} is not stored as it was given"


@pytest.mark.parametrize("cls", METHODS, ids=named)
def test_nothing_is_looked_at_before_the_door(cls):
    thing = object()
    made = cls(**dict.fromkeys(cls.parameter_names(), thing))
    assert all(value is thing for value in made.get_params(deep=False).values())


def choices_of(constraint: Constraint) -> tuple[str, ...] | None:
    """Return the words of a choice, alone or beside other values; None where there is no choice."""
    if isinstance(constraint, Choice):
        return constraint.options
    if isinstance(constraint, Optional):
        return choices_of(constraint.inner)
    if isinstance(constraint, AnyOf):
        return next((words for words in map(choices_of, constraint.inner) if words), None)
    return None


def literals_of(hint: Any) -> set[str]:
    if typing.get_origin(hint) is Literal:
        return set(typing.get_args(hint))
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return set().union(*(literals_of(part) for part in typing.get_args(hint)))
    return set()


@pytest.mark.parametrize("cls", [*METHODS, *(o for o in OPERATORS if o.parameters)], ids=named)
def test_a_checker_knows_the_words_of_a_choice(cls):
    hints = typing.get_type_hints(cls)
    for name, constraint in cls.parameters.items():
        words = choices_of(constraint)
        # A registered operator or distance may be named, or handed over; a checker cannot know what is registered.
        if words is not None and str not in typing.get_args(hints[name]):
            assert literals_of(hints[name]) == set(words), name


class TestTheMechanism:
    def test_the_sentence_of_the_issue(self):
        with pytest.raises(TypeError) as caught:
            MDAV(blocs=2)
        assert str(caught.value) == "MDAV: there is no parameter 'blocs'. Did you mean 'blocks'?"

    def test_another_package_s_word_is_understood(self):
        with pytest.raises(SignatureError, match=r"Did you mean 'random_state'\?$"):
            PRAM(seed=1)

    def test_a_name_like_no_other_is_answered_with_all(self):
        with pytest.raises(SignatureError, match="Hint: PRAM has theta, design, "):
            PRAM(k=1)

    def test_set_params_says_the_same(self):
        with pytest.raises(SignatureError, match=r"^MDAV: there is no parameter 'blocs'\. Did you mean 'blocks'\?$"):
            MDAV().set_params(blocs=2)

    def test_twice_and_not_at_all(self):
        with pytest.raises(SignatureError, match="^MDAV: k is given twice, by position and by name"):
            MDAV(3, k=3)
        with pytest.raises(SignatureError, match="^HierarchyRecoding: hierarchies must be given"):
            catalogue.method("masker", "hierarchy-recoding")()

    def test_nested_parameters_are_reached(self):
        outer = Refine(3, start=MDAV(3))
        assert outer.get_params()["start__search"] == "exact"
        assert outer.set_params(start__search="blocks").start.search == "blocks"

    def test_an_operator_with_its_own_init_knows_wrong_names_and_keeps_its_signature(self):
        assert tuple(inspect.signature(OWA).parameters) == ("quantifier", "weights")
        with pytest.raises(SignatureError, match="Did you mean 'weights'"):
            OWA(wieghts=[1.0])

    def test_operators_that_check_when_they_are_made_still_do(self):
        with pytest.raises(ParameterError, match="NumericMedian: middle must be one of 'mean', 'lower', 'upper'"):
            NumericMedian("left")

    def test_an_annotation_that_is_no_parameter_is_refused(self):
        with pytest.raises(TypeError, match=r"Bare\.k must be a parameter"):
            type("Bare", (Parameterised,), {"__annotations__": {"k": "int"}})
        with pytest.raises(TypeError, match=r"Valued\.k must be a parameter"):
            type("Valued", (Parameterised,), {"__annotations__": {"k": int}, "k": 3})
        with pytest.raises(TypeError, match=r"Untyped\.k is a parameter and needs a type"):
            type("Untyped", (Parameterised,), {"k": Field(Integer())})

    def test_a_class_variable_is_no_parameter(self):
        class Counted(Parameterised):
            total: ClassVar[int] = 0
            k: int = parameter(Integer(1), default=2)

        assert Counted.parameter_names() == ("k",)
        evaluated = type("Evaluated", (Parameterised,), {"__annotations__": {"total": ClassVar[int]}, "total": 0})
        assert evaluated.parameter_names() == ()

    def test_a_default_that_could_change_is_refused(self):
        with pytest.raises(TypeError, match="A list cannot be a default"):
            parameter(Integer(), default=[1])

    def test_a_subclass_may_declare_again_and_the_order_by_position_stays(self):
        class Base(Parameterised):
            first: int = parameter(Integer(), default=1, kw_only=False)
            second: int = parameter(Integer(), default=2, kw_only=False)
            flag: bool = parameter(Flag(), default=False)

        class Derived(Base):
            third: int = parameter(Integer(), default=3, kw_only=False)
            own: bool = parameter(Flag(), default=True)
            first: int = parameter(Integer(5), default=7, kw_only=False)

        assert Derived.parameter_names() == ("first", "second", "third", "own", "flag")
        assert vars(Derived()) == {"first": 7, "second": 2, "third": 3, "own": True, "flag": False}
        assert Derived(1, 2, 3).third == 3
        assert Derived.parameters["first"] == Integer(5)
        assert Base.parameters["first"] == Integer()

    def test_a_property_of_a_base_gives_way_to_a_field(self):
        class Base(Parameterised):
            @property
            def missing(self) -> str:
                return "category"

        class Offers(Base):
            missing: str = parameter(Choice(("category", "any")), default="any")

        assert Base().missing == "category"
        assert (Offers().missing, Offers(missing="category").missing) == ("any", "category")
