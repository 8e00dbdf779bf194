"""Values change places with those of other ranks, what is missing stays, and every part is swapped by itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.reference.masking_classic import swap_into

import discreet as dc
from discreet.data.encoded_rows import ROW
from discreet.masking.perturbing.free_swapping import FreeSwapping, _everywhere, _FreePlan
from discreet.masking.perturbing.swapping import FEWEST_SWAPPED


class Mirrored(FreeSwapping):
    """The lowest rank goes to the highest, as far as ranks are free."""

    name = "mirrored"

    def _goals(self, size: int, rng: np.random.Generator) -> tuple[Any, Any]:  # noqa: ARG002
        goals = np.arange(size)[::-1].astype(np.int64)
        return goals, goals


class Anywhere(FreeSwapping):
    """Every rank goes to any."""

    name = "anywhere"

    def _goals(self, size: int, rng: np.random.Generator) -> tuple[Any, Any]:  # noqa: ARG002
        assert size >= 2, "nobody is asked where one alone is to go"
        return np.zeros(size, dtype=np.int64), np.full(size, size - 1)


def test_ranks_are_exchanged_and_what_is_missing_stays() -> None:
    rng = np.random.default_rng(0)
    column = np.array([5.0, np.nan, 1.0, 9.0, 7.0])
    found = Mirrored().swapped(column, rng)
    assert np.isnan(found[1])
    assert found[[0, 2, 3, 4]].tolist() == [7.0, 9.0, 1.0, 5.0]
    codes = np.array([2, -1, 0, 1], dtype=np.int32)
    assert Mirrored().swapped(codes, rng).tolist() == [0, -1, 2, 1]
    assert codes.tolist() == [2, -1, 0, 1]


@pytest.mark.parametrize("column", [[], [np.nan], [3.0], [np.nan, 3.0, np.nan]])
def test_nobody_alone_is_swapped(column: list[float]) -> None:
    found = Anywhere().swapped(np.array(column, dtype=float), np.random.default_rng(1))
    np.testing.assert_array_equal(found, column)


def test_two_are_swapped() -> None:
    assert Anywhere().swapped(np.array([3.0, 4.0]), np.random.default_rng(1)).tolist() == [4.0, 3.0]


@pytest.mark.parametrize("n", [5, 40])
def test_partners_are_drawn_by_rank_and_ties_stand_as_they_came(n: int) -> None:
    values = np.random.default_rng(n).integers(0, 5, n).astype(float)
    draws = np.random.default_rng(9).random(n)
    order = sorted(range(n), key=lambda i: values[i])
    partners = swap_into([0] * n, [n - 1] * n, draws)
    expected = np.empty(n)
    for rank, row in enumerate(order):
        expected[row] = values[order[partners[rank]]]
    assert Anywhere().swapped(values, np.random.default_rng(9)).tolist() == expected.tolist()


def test_every_level_that_occurs_may_take_every_others_place() -> None:
    possible = _everywhere(np.array([0, 2, 2, -1]), 4)
    expected = np.eye(5, dtype=bool)
    expected[0, 2] = expected[2, 0] = True
    assert possible.tolist() == expected.tolist()


def test_a_release_keeps_its_values_and_says_which_levels_may_have_moved() -> None:
    frame = pl.DataFrame({"x": [4.0, 1.0, None, 3.0, 5.0, 2.0], "s": ["b", "a", "a", None, "b", "b"]})
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key"), dc.Attribute("s", dc.Nominal(["a", "b", "c"]), "key")])
    masked = Mirrored(random_state=1).mask(frame, schema)
    assert masked.microdata.column("x").to_pylist() == [2.0, 5.0, None, 3.0, 1.0, 4.0]
    assert masked.microdata.column("s").to_pylist() == ["b", "b", "b", None, "a", "a"]
    table = masked.provenance.transitions["s"]
    assert np.asarray(table).tolist() == _everywhere(np.array([1, 0]), 3).tolist()
    assert "x" not in masked.provenance.transitions


class Shares:
    """Draws that are the number of the record, in hundredths."""

    def child(self, name: str) -> Shares:
        assert name in ("deal", "swap")
        return self

    def uniform(self, rows: Any) -> Any:
        return np.asarray(rows) / 100.0

    def generator(self, row: int) -> np.random.Generator:
        return np.random.default_rng(row)


def test_records_are_dealt_by_their_draws_and_swapped_as_a_table_of_their_own() -> None:
    scope: Any = SimpleNamespace(draws=Shares(), parts=4, names=("x",))
    plan = _FreePlan(scope=scope, masker=Anywhere(), details={})
    rows = np.array([0, 24, 25, 74, 75, 99, 100])
    assert plan.dealt({ROW: rows}).tolist() == [0, 0, 1, 2, 3, 3, 3]
    values = np.array([4.0, 1.0, 2.0, 8.0])
    found = plan.swapped({ROW: np.array([7, 3, 5, 9]), "x": values})
    assert found[ROW].tolist() == [7, 3, 5, 9]
    assert found["x"].tolist() == Anywhere().swapped(values, np.random.default_rng(7)).tolist()


def test_stages_bring_the_columns_and_their_rows() -> None:
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key"), dc.Attribute("s", dc.Nominal(["a"]), "key")])
    scope: Any = SimpleNamespace(draws=Shares(), parts=3, names=("x", "s"), schema=schema)
    masker = Anywhere()
    inquiry = masker.inquire(scope)
    with pytest.raises(StopIteration) as end:
        next(inquiry)
    plan = end.value.value
    assert plan.details == {"blocks": 3}
    (stage,) = masker.stages(plan)
    assert (stage.part, stage.parts, stage.work) == (plan.dealt, 3, plan.swapped)
    assert stage.columns == {ROW: "int", "x": "float", "s": "code"}
    assert masker._fewest() == FEWEST_SWAPPED
