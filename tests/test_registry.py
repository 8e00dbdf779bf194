from __future__ import annotations

import pytest

from discreet.errors import ParameterError, SchemaError, UnknownNameError
from discreet.registry import Registry, did_you_mean, unknown_name, unknown_parameter


@pytest.fixture
def fruits() -> Registry[object]:
    registry: Registry[object] = Registry("fruit")

    @registry.register("pear")
    class Pear: ...

    @registry.register("apple")
    class Apple: ...

    return registry


def test_names_and_classes_are_listed_in_order(fruits):
    assert fruits.names() == ("apple", "pear")
    assert list(fruits.classes()) == ["apple", "pear"]
    assert fruits.named("pear").name == "pear"


def test_a_name_is_given_once_and_a_module_may_be_loaded_again(fruits):
    class Impostor: ...

    with pytest.raises(ParameterError, match="^The fruit name 'pear' is already taken by .*Pear"):
        fruits.register("pear")(Impostor)
    again = type("Pear", (), {"__module__": __name__, "__qualname__": fruits.named("pear").__qualname__})
    fruits.register("pear")(again)
    assert fruits.named("pear") is again


def test_an_unknown_name_is_answered_with_the_nearest(fruits):
    with pytest.raises(UnknownNameError) as caught:
        fruits.named("Aple")
    assert caught.value.message == "There is no fruit named 'Aple'. Did you mean 'apple'?"
    assert caught.value.hint == "Known: apple, pear."
    with pytest.raises(UnknownNameError) as caught:
        fruits.named("quince", where="Line 3")
    assert caught.value.message == "Line 3: there is no fruit named 'quince'."


@pytest.mark.parametrize(("typed", "said"), [("Methd", " Did you mean 'METHOD'?"), ("zzz", ""), (3, "")])
def test_did_you_mean(typed, said):
    assert did_you_mean(typed, ["METHOD", "UNIT"]) == said


def test_the_error_is_of_the_kind_that_is_asked_for():
    error = unknown_name("scale", "ratio", ["numeric"], error=SchemaError, hint="")
    assert type(error) is SchemaError
    assert str(error) == "There is no scale named 'ratio'."


def test_a_seed_is_called_random_state():
    assert "Did you mean 'random_state'?" in unknown_parameter("PRAM", "seed", ["theta", "random_state"]).message
    assert unknown_parameter("MDAV", "seed", ["k"]).message == "MDAV: there is no parameter 'seed'."
    assert unknown_parameter("MDAV", "seed", [], where="Line 1").hint == "MDAV has none."
