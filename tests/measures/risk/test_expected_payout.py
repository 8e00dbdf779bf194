"""What a release pays its publisher, worked by hand."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as dc

TREE = dc.Hierarchy([["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]])


def table(cells: list[str | None], levels: list[str] | None = None, **others: list[str]) -> dc.Microdata:
    columns = {"x": cells, **others}
    return dc.Microdata(
        pl.DataFrame(columns),
        dc.Schema([dc.Attribute(name, dc.Nominal(levels or list("abcd")), "key") for name in columns]),
    )


def test_generalised_cells_pay_less_and_small_groups_are_attacked() -> None:
    # Four leaves are 2 bits. "ab" leaves 1 of them open, "*" all; five records of which the last is alone.
    original = table(["a", "b", "a", "b", "c"])
    release = table(["ab", "ab", "ab", "ab", "*"], ["ab", "*"])
    game = dc.PayoutMissed(benefit=10, loss=4, gain=3, cost=1, hierarchies={"x": TREE})
    result = game.measure(original, release)
    # 4 × 10 · ½, and 10 · 0 − 4 / 1; 3/4 is less than what an attempt costs, 3/1 is more.
    assert result.details == {
        "payout": pytest.approx(16.0), "records_attacked": 1, "records_unpaid": 1, "records_not_released": 0,
    }  # fmt: skip
    assert result.value == pytest.approx(100 * (1 - 16 / 50))
    assert result.sentence == (
        "The release is expected to pay 16 of at most 50; an attack would pay for 1 of 5 records, and 1 cost more than "
        "they bring."
    )


def test_an_attack_that_pays_exactly_its_cost_is_not_made() -> None:
    pairs = table(["a", "a", "b", "b"])
    assert dc.PayoutMissed(benefit=10, loss=4, gain=4, cost=2).measure(pairs, pairs).value == 0
    attacked = dc.PayoutMissed(benefit=10, loss=4, gain=4.1, cost=2).measure(pairs, pairs)
    assert attacked.value == pytest.approx(20.0)  # each pair pays 10 − 4 / 2 a record
    assert attacked.details["records_attacked"] == 4
    assert attacked.details["records_unpaid"] == 0


def test_a_missing_cell_hides_every_level_and_a_release_may_cost_more_than_it_brings() -> None:
    original = table(["a", "b", "c", "d"], y=["a", "b", "c", "d"])
    release = table([None, "b", "c", "d"], y=["a", "b", "c", "d"])
    quiet = dc.PayoutMissed(benefit=10, loss=0, gain=1, cost=9).measure(original, release)
    assert quiet.value == pytest.approx(100 * 0.5 / 4)  # one of two cells of one of four records
    assert quiet.details["records_unpaid"] == 0
    dear = dc.PayoutMissed(benefit=10, loss=40, gain=9, cost=1).measure(original, release)
    assert dear.value == pytest.approx(100 * (1 - (35 - 160) / 40))
    assert dear.details["records_attacked"] == dear.details["records_unpaid"] == 4


def test_records_that_are_not_released_pay_nothing() -> None:
    original = table(["a"] * 9 + ["b"] * 3)
    masked = dc.RecordSuppression(k=4, limit=0.5).mask(original)  # three leave, and one of the others with them
    result = dc.PayoutMissed(benefit=10, loss=4, gain=3, cost=2).measure(original, masked)
    assert result.details["records_not_released"] == 4
    assert result.value == pytest.approx(100 * 4 / 12)
