from __future__ import annotations

import json
from pathlib import PurePosixPath

import numpy as np
import pytest

from discreet.operators import ArithmeticMean
from discreet.plain import plain


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (np.bool_(True), True),
        (np.int32(3), 3),
        (np.float64(0.5), 0.5),
        ((1, [2.0, "x"]), [1, [2.0, "x"]]),
        (np.arange(4).reshape(2, 2), [[0, 1], [2, 3]]),
        (frozenset({"b", "a"}), ["a", "b"]),
        ({1: {"x": (np.int64(1),)}}, {"1": {"x": [1]}}),
        (PurePosixPath("a/b.csv"), "a/b.csv"),
        (range(3), [0, 1, 2]),
    ],
)
def test_values_become_what_json_holds(value, expected):
    result = plain(value)
    assert result == expected
    assert json.loads(json.dumps(result)) == expected
    assert type(result) is type(expected)


def test_an_object_is_its_text_and_its_seed_is_not_shown():
    class Drawing:
        def __repr__(self) -> str:
            return "Drawing(random_state=Generator(PCG64), p=2)"

    assert plain([ArithmeticMean(), Drawing()]) == [repr(ArithmeticMean()), "Drawing(random_state=…, p=2)"]


def test_others_may_be_refused():
    def refuse(value):
        raise TypeError(type(value).__name__)

    with pytest.raises(TypeError, match="object"):
        plain({"deep": [object()]}, refuse)
    with pytest.raises(TypeError, match="NoneType"):
        plain({"deep": [None]}, refuse, scalar=lambda value: isinstance(value, int))
