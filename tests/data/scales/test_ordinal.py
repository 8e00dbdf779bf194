"""Categories in order: distances by position and by the centres of intervals, and a declaration that comes back."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.data.scales import Ordinal
from discreet.data.scales.semantics import IntervalSemantics
from discreet.errors import SchemaError

LEVELS = ["low", "middle", "high", "top"]
MEANING = IntervalSemantics((0.0, 1.0, 3.0, 6.0), (1.0, 3.0, 6.0, 10.0))


def test_a_distance_is_the_difference_of_positions_by_the_number_of_levels():
    codes = np.arange(4, dtype=np.int32)
    expected = [[abs(a - b) / 4 for b in range(4)] for a in range(4)]
    assert Ordinal(LEVELS).distance(codes[:, None], codes[None, :]).tolist() == expected
    assert Ordinal(["one"]).distance([0], [0]).tolist() == [0.0]


def test_with_a_meaning_it_is_the_squared_difference_of_centres():
    centres = [0.5, 2.0, 4.5, 8.0]
    scale = Ordinal(LEVELS, MEANING)
    codes = np.arange(4, dtype=np.int32)
    expected = [[(a - b) ** 2 for b in centres] for a in centres]
    np.testing.assert_allclose(scale.distance(codes[:, None], codes[None, :]), expected)


@pytest.mark.parametrize("count", [3, 5])
def test_a_meaning_is_of_every_level(count):
    meaning = IntervalSemantics(tuple(map(float, range(count))), tuple(float(x + 1) for x in range(count)))
    with pytest.raises(SchemaError, match=f"got {count} intervals for 4 levels"):
        Ordinal(LEVELS, meaning)


def test_the_declaration_comes_back():
    plain, meant = Ordinal(LEVELS), Ordinal(LEVELS, MEANING)
    assert plain.to_dict() == {"levels": LEVELS}
    assert Ordinal.from_dict(plain.to_dict()) == plain
    assert meant.to_dict().keys() == {"levels", "semantics"}
    assert Ordinal.from_dict(meant.to_dict()) == meant
    assert plain != meant
    assert (Ordinal.kind, Ordinal.ordered) == ("ordinal", True)
