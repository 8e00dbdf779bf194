from __future__ import annotations

import math
import statistics

import numpy as np
import polars as pl
import pytest

from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.datasets import business
from discreet.errors import MissingValueError
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.measures.loss.numbers import IL1s


def reference(before: list[list[float]], after: list[list[float]]) -> float:
    per_column = []
    for x, y in zip(before, after, strict=True):
        spread = math.sqrt(2) * statistics.pstdev(x)
        per_column.append(sum(abs(a - b) / spread for a, b in zip(x, y, strict=True)) / len(x))
    return 100 * sum(per_column) / len(per_column)


def frames(before, after):
    names = [f"c{j}" for j in range(len(before))]
    return pl.DataFrame(dict(zip(names, before, strict=True))), pl.DataFrame(dict(zip(names, after, strict=True)))


@pytest.mark.parametrize("seed", range(5))
def test_equals_the_plain_definition(seed):
    rng = np.random.default_rng(seed)
    before = (rng.normal(size=(3, 40)) * 10).tolist()
    after = (np.array(before) + rng.normal(size=(3, 40))).tolist()
    assert IL1s().measure(*frames(before, after)).value == pytest.approx(reference(before, after))


def test_does_not_grow_with_the_number_of_records():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    once = IL1s().measure(*frames([x.tolist()], [(x + 0.3).tolist()])).value
    many = np.tile(x, 20)
    assert IL1s().measure(*frames([many.tolist()], [(many + 0.3).tolist()])).value == pytest.approx(once)


def test_grows_with_the_masking():
    data = business(400)
    values = [IL1s().measure(data, MDAV(k=k).mask(data)).value for k in (2, 5, 15, 50)]
    assert values == sorted(values)
    assert values[0] > 0


def test_integers_against_floats():
    before, after = pl.DataFrame({"x": list(range(30))}), pl.DataFrame({"x": [i + 0.5 for i in range(30)]})
    schema = Schema([Attribute("x", Numeric(), "key")])
    assert IL1s().measure(before, after, schema).value == pytest.approx(100 * 0.5 / (math.sqrt(2) * np.std(range(30))))


def test_constant_columns():
    before, after, moved = (pl.DataFrame({"x": [v] * 30}) for v in (2.5, 2.5, 3.5))
    assert IL1s().measure(before, after).value == 0
    assert IL1s().measure(before, moved).value == 100


def test_missing_cells_are_left_out_and_an_empty_comparison_is_refused():
    before = pl.DataFrame({"x": [1.5, 2.5, None, 4.5]})
    after = pl.DataFrame({"x": [1.5, None, 3.5, 5.5]})
    expected = 100 * 0.5 / (math.sqrt(2) * np.std([1.5, 2.5, 4.5]))
    assert IL1s().measure(before, after).value == pytest.approx(expected)
    with pytest.raises(MissingValueError, match="column 'x' has no record with a value in both"):
        IL1s().measure(pl.DataFrame({"x": [1.5, None]}), pl.DataFrame({"x": [None, 2.5]}))
