"""Categories without an order: the same or not, and a declaration that comes back."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.data.scales import Nominal, scale_from_dict
from discreet.errors import SchemaError

FUEL = Nominal(["gas", "oil", "wood"])


def test_two_values_are_the_same_or_not():
    codes = np.arange(3)
    assert FUEL.distance(codes[:, None], codes[None, :]).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert FUEL.distance([0], [2]).dtype == np.float64


def test_a_missing_value_is_as_far_as_can_be_from_any_but_itself():
    assert FUEL.distance([-1, 0, -1], [0, -1, -1]).tolist() == [1, 1, 0]


def test_the_declaration_comes_back():
    assert FUEL.to_dict() == {"levels": ["gas", "oil", "wood"]}
    assert Nominal.from_dict(FUEL.to_dict()) == FUEL
    assert Nominal.from_dict({"levels": ["wood", "gas"]}).levels == ("wood", "gas")
    assert scale_from_dict("nominal", {"levels": [1, 2]}) == Nominal([1, 2])


def test_what_it_says_of_itself():
    assert (Nominal.kind, Nominal.ordered, len(FUEL)) == ("nominal", False, 3)
    with pytest.raises(SchemaError):
        Nominal(["gas", "gas"])
