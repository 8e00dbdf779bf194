"""Generators: what they and their inverses give, where they are defined, and what is no generator."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import ParameterError, UnknownNameError
from discreet.operators.numbers.generators import (
    Generator,
    as_generator,
    exponential_generator,
    log_generator,
    power_generator,
)

SMALLEST = float(np.nextafter(0.0, 1.0))


@pytest.mark.parametrize(
    ("generator", "x", "y", "low", "label"),
    [
        (log_generator(), 1.0, 0.0, SMALLEST, "log"),
        (power_generator(2), 3.0, 9.0, 0.0, "power:2"),
        (power_generator(-1), 4.0, 0.25, SMALLEST, "power:-1"),
        (power_generator(0), 1.0, 0.0, SMALLEST, "log"),
        (exponential_generator(2), 0.5, np.e, -np.inf, "exponential:2"),
        (exponential_generator(-1), 1.0, 1 / np.e, -np.inf, "exponential:-1"),
    ],
)
def test_values_by_hand(generator: Generator, x: float, y: float, low: float, label: str) -> None:
    assert generator.forward(np.array([x]))[0] == pytest.approx(y)
    assert generator.inverse(np.array([y]))[0] == pytest.approx(x)
    assert (generator.low, generator.high, generator.label) == (low, np.inf, label)
    assert generator.proven


def test_text_stands_for_a_generator_and_others_are_told() -> None:
    assert [as_generator(text).label for text in ("log", "power:0.5", " exponential:-1 ")] == [
        "log", "power:0.5", "exponential:-1",
    ]  # fmt: skip
    for text in ("root", "powers:2", 3):
        with pytest.raises(UnknownNameError, match="generator"):
            as_generator(text)
    for text in ("power:many", "power", "log:2", "exponential:"):
        with pytest.raises(ParameterError, match="cannot be read"):
            as_generator(text)
    with pytest.raises(ParameterError, match="rate must not be 0"):
        as_generator("exponential:0")


def test_own_generators_are_checked_where_they_are_defined() -> None:
    falling = Generator(lambda x: -x, lambda y: -y)
    assert as_generator(falling) is falling
    shifted = Generator(lambda x: np.log(x + 30), lambda y: np.exp(y) - 30, low=-30.0)
    assert as_generator(shifted) is shifted
    below = Generator(lambda x: -np.log(-x), lambda y: -np.exp(-y), high=0.0)
    assert as_generator(below) is below
    far = Generator(lambda x: np.log(x - 100), lambda y: np.exp(y) + 100, low=100.0)
    assert as_generator(far) is far
    for forward, inverse, words in (
        (np.abs, np.abs, "strictly monotone"),
        (np.sqrt, np.square, "finite"),  # not a number below 0
        (lambda x: np.minimum(x, 5.0), lambda y: y, "strictly monotone"),
        (lambda x: x + 1, lambda y: y, "does not undo it"),
    ):
        with pytest.raises(ParameterError, match=words):
            as_generator(Generator(forward, inverse))
    trusted = Generator(np.abs, np.abs, proven=True)
    assert as_generator(trusted) is trusted
