"""What single cells lost, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.data.scales import EncodedSequences, Nominal, Numeric, Ordinal, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.measures.loss.cell_loss import CellLoss
from discreet.measures.loss.cells_lost import (
    ColumnLoss,
    band_sums,
    bands_lost,
    clipping,
    counted_columns,
    levels_lost,
    number_unit,
    numbers_lost,
    sequences_lost,
)

NAN = float("nan")


def test_percentages_of_cells():
    assert ColumnLoss(1.0, 4.0).percent == 25
    assert ColumnLoss(5.0, 4.0).percent == 100
    assert ColumnLoss(0.0, 0.0).percent == 0
    assert ColumnLoss(0.25, 0.5).percent == 50


@pytest.mark.parametrize(
    ("n", "share"), [(0, 0.0), (1, 0.5), (2, 0.5), (3, 0.5), (4, 0.375), (100, 0.015), (150, 0.01), (1000, 0.01)]
)
def test_one_record_at_least_is_clipped_at_either_end(n, share):
    assert clipping(n) == (pytest.approx(share), pytest.approx(1 - share))


def test_the_unit_is_that_of_clipped_numbers_where_they_vary():
    assert number_unit(2.0, 5.0) == pytest.approx(2 * 2**0.5)
    assert number_unit(0.0, 5.0) == pytest.approx(5 * 2**0.5)


@pytest.mark.parametrize(("unit", "lost"), [(4.0, 0.25 + 1 + 2), (0.0, 1 + 1 + 2), (100.0, 0.01 + 0.08 + 2)])
def test_numbers_lose_their_change(unit, lost):
    before = np.array([1.0, 2.0, 3.0, NAN, 5.0, NAN])
    after = np.array([2.0, 10.0, 3.0, 4.0, NAN, NAN])
    assert numbers_lost(before, after, unit) == pytest.approx((lost, 5))


def test_numbers_in_bands_lose_their_spread():
    before, after = np.array([1.0, 3.0, 10.0, NAN, 7.0, NAN]), np.array([0, 0, 2, 0, -1, -1])
    sums = band_sums(before, after, 3, 2.0)
    # From 2: −1 and 1 in the first band, 8 in the third, 5 in none; and a number that was not there.
    assert sums.tolist() == [[2, 0, 2], [0, 0, 0], [1, 8, 64], [1, 5, 25], [1, 0, 0]]
    # The first two spread by 1, or √2 in the unit; the third by nothing; two cells are in one file alone.
    assert bands_lost(sums, 4.0) == pytest.approx((2 * 2**0.5 / 4 + 2, 5))
    assert bands_lost(sums, 1.0) == pytest.approx((2 + 2, 5))
    assert bands_lost(sums, 0.0) == pytest.approx((2, 5))


def attribute(levels, *, ordered=False):
    return Attribute("x", (Ordinal if ordered else Nominal)(levels), "key")


def lost(before, after, *rows):
    first, second, counts = (np.array(column) for column in zip(*rows, strict=True))
    return levels_lost(before, after, first, second, counts.astype(np.float64))


def test_levels_lose_their_difference_of_places():
    ordered, plain = attribute("abcd", ordered=True), attribute("abcd")
    rows = ((0, 0, 2), (0, 3, 1), (1, 3, 3), (2, -1, 1), (-1, 1, 1), (-1, -1, 5))
    assert lost(ordered, ordered, *rows) == pytest.approx((0 + 1 + 3 * 2 / 3 + 1 + 1, 8))
    assert lost(plain, plain, *rows) == pytest.approx((0 + 1 + 3 + 1 + 1, 8))
    # The release declares its levels in another order, and it is names that count.
    turned = attribute("dcba", ordered=True)
    assert lost(ordered, turned, (0, 3, 2), (0, 0, 1)) == pytest.approx((1, 3))
    one = attribute("a", ordered=True)
    assert lost(one, one, (0, 0, 2)) == (0, 2)


def test_levels_of_the_release_alone_stand_for_those_that_mostly_became_them():
    before, after = attribute("abcd"), attribute(("ab", "c", "d"))
    # a and b became ab, of four levels that occur: a third of the others. c stayed, d stayed but once.
    rows = ((0, 0, 2), (1, 0, 3), (2, 1, 1), (3, 2, 4), (3, 0, 1))
    assert lost(before, after, *rows) == pytest.approx((5 / 3 + 1, 11))
    # A level that was renamed loses nothing.
    assert lost(before, attribute(("A", "b", "c", "d")), (0, 0, 2), (1, 1, 2)) == pytest.approx((0, 4))
    # Ties are broken by what levels are called, wherever they are declared; what kept its name comes first.
    for names in (("p", "q"), ("q", "p")):
        p, q = names.index("p"), names.index("q")
        assert lost(before, attribute(names), (0, p, 2), (0, q, 2), (1, p, 1)) == pytest.approx((2 + 2 + 1, 5))
    assert lost(before, attribute(("B", "a")), (0, 0, 2), (0, 1, 2), (1, 0, 1)) == pytest.approx((2 * 1.0, 5))


def test_sequences_lose_what_they_do_not_have_in_common():
    scale = Sequence(["a", "b"])
    before = EncodedSequences.of([[0], [0, 1], [], [1], []])
    after = EncodedSequences.of([[0], [1, 0], [0], [], []])
    assert sequences_lost(before, before, scale) == (0, 5)
    found = sequences_lost(before, after, scale)
    assert found.cells == 5
    assert 2 < found.lost <= 3
    gone = EncodedSequences(before.codes, before.offsets, np.array([False, False, True, False, True]))
    assert sequences_lost(gone, before, scale) == (2, 5)
    assert sequences_lost(gone, gone, scale) == (0, 3)


def test_keys_count_and_whatever_else_was_changed():
    percent = {"x": 0.0, "y": 3.0, "z": 0.0}
    assert counted_columns(percent, ("x",)) == {"x": 0.0, "y": 3.0}
    assert counted_columns(percent, ()) == {"y": 3.0}
    assert counted_columns({"x": 0.0, "z": 0.0}, ()) == {"x": 0.0, "z": 0.0}


SCHEMA = Schema(
    [Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "other"), Attribute("z", Numeric(), "other")]
)


@pytest.mark.parametrize(
    ("losses", "absent", "sentence"),
    [
        ((0, 0, 0), 0, "No cell lost anything."),
        ((1, 2, 0), 0, "Cells of 2 columns lost 15.0 % of what they told on average, most in y (20.0 %)."),
        ((1, 0, 0), 1,
         ("Cells of 1 column lost 10.0 % of what they told on average, most in x (10.0 %). 1 record is not released, "
          "and counts as lost.")),
        ((1, 0, 0), 3,
         ("Cells of 1 column lost 10.0 % of what they told on average, most in x (10.0 %). 3 records are not released, "
          "and count as lost.")),
        ((0.004, 0, 0), 0, "Cells of 1 column lost less than 0.1 % of what they told on average, most in x (0.0 %)."),
        ((0.005, 0, 0), 0, "Cells of 1 column lost 0.1 % of what they told on average, most in x (0.1 %)."),
    ],
)  # fmt: skip
def test_losses_of_columns_are_told_whole(losses, absent, sentence):
    columns = {name: ColumnLoss(loss, 10) for name, loss in zip("xyz", losses, strict=True)}
    result = CellLoss().concluded(columns, SCHEMA, absent)
    assert result.sentence == sentence
    percent = {name: pytest.approx(10 * loss) for name, loss in zip("xyz", losses, strict=True)}
    assert result.per_attribute == percent
    changed = [name for name, loss in zip("xyz", losses, strict=True) if loss]
    others = [name for name in changed if name != "x"]
    assert result.details == {
        "worst": "y" if losses[1] else "x", "counted": ["x", *others], "beside_the_keys": others, "changed": changed,
        "records_not_released": absent,
    }  # fmt: skip


def test_named_columns_count_whether_they_changed_or_not():
    columns = {"x": ColumnLoss(1, 10), "z": ColumnLoss(0, 10)}
    result = CellLoss(attributes=["x", "z"]).concluded(columns, SCHEMA)
    assert (result.value, result.details["counted"]) == (5, ["x", "z"])
