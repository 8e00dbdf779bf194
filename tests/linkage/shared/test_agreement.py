"""The levels at which an attribute of two files can agree, code by code."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, MissingValueError
from discreet.linkage.record_classes import classes_of_codes
from discreet.linkage.shared import agreement as module
from discreet.linkage.shared.agreement import (
    agreement_on,
    agreements_on,
    chance_of,
    code_shares,
    equality,
    nested,
    refuse_too_many,
    spelled_agreement,
    state_table,
)


def table(scale, values):
    kind = pl.Float64 if isinstance(scale, Numeric) else None
    return Microdata(pl.DataFrame({"v": pl.Series(values, dtype=kind)}), Schema([Attribute("v", scale, "key")]))


def states(one):
    """Return the state of every pair: a row a record of B, a column a record of A."""
    return one.state(one.a[None, :], one.b[:, None]).tolist()


A, B = np.array([0, 2, -1, 3]), np.array([0, 3, -1])
COARSE = [np.array([0, 0, 1, 1])]


@pytest.mark.parametrize(
    ("coarser", "missing", "expected", "ignores"),
    [
        ([], "ignore", [[2, 1, 0, 1], [1, 1, 0, 2], [0, 0, 0, 0]], True),
        ([], "disagree", [[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]], False),
        ([], "agree", [[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], False),
        (COARSE, "ignore", [[3, 1, 0, 1], [1, 2, 0, 3], [0, 0, 0, 0]], True),
        (COARSE, "disagree", [[2, 0, 0, 0], [0, 1, 0, 2], [0, 0, 0, 0]], False),
        (COARSE, "agree", [[2, 0, 0, 0], [0, 1, 0, 2], [0, 0, 2, 0]], False),
    ],
)
def test_states_of_all_pairs_with_missing_values(coarser, missing, expected, ignores) -> None:
    one = nested("v", A, B, coarser, missing)
    assert states(one) == expected
    assert one.states == 1 + len(coarser) + 1 + ignores
    assert one.ignores_missing == ignores
    assert (one.name, one.size, one.has_classes) == ("v", 5, True)
    back = one.swapped()
    assert np.array(states(back)).T.tolist() == expected
    assert state_table(one)[np.ix_(one.b, one.a)].tolist() == expected


@pytest.mark.parametrize("missing", ["ignore", "disagree", "agree"])
def test_where_nothing_is_missing_nothing_is_said_of_it(missing) -> None:
    one = equality("v", np.array([0, 2]), np.array([2, 1]), missing)
    assert (states(one), one.states, one.size, one.ignores_missing) == ([[0, 1], [0, 0]], 2, 3, False)
    # In either file alone, a gap is one of both.
    for a, b in (([0, -1], [0, 1]), ([0, 1], [-1, 0])):
        gap = equality("v", np.array(a), np.array(b), missing)
        assert (gap.ignores_missing, gap.size) == (missing == "ignore", 3)


@pytest.mark.parametrize(
    ("highest", "kind"),
    [(126, np.int8), (127, np.int16), (32_766, np.int16), (32_767, np.int32)],
)
def test_codes_take_as_few_bytes_as_they_need(highest, kind) -> None:
    one = equality("v", np.array([highest, -1]), np.array([0]))
    assert one.a.dtype == kind
    assert one.a.tolist() == [highest, highest + 1]


def test_levels_agree_by_name_and_unknown_ones_with_nobody_of_the_first_file() -> None:
    a, b = table(Nominal("pqr"), ["p", "q", "r", None]), table(Nominal("rxp"), ["r", "x", "p", None])
    one = agreement_on("X", a, b, "v", missing="disagree")
    assert states(one) == [[0, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    same = agreement_on("X", a, a, "v", missing="disagree")
    assert same.a.tolist() == same.b.tolist()


LEVELS = Ordinal([*"abcdef"])


def test_ordered_levels_agree_a_little_within_classes() -> None:
    a, b = table(LEVELS, [*"abcdef"]), table(LEVELS, ["a", "d"])
    # Six levels in four classes: a and b, c, d and e, f.
    one = agreement_on("X", a, b, "v", ordinal_bins=4)
    assert states(one) == [[2, 1, 0, 0, 0, 0], [0, 0, 0, 2, 1, 0]]
    assert one.classes[0].tolist() == [0, 0, 1, 2, 2, 3]
    # As many classes as levels, or more, are the levels; unordered ones have no classes.
    for bins in (6, 7, None):
        assert agreement_on("X", a, b, "v", ordinal_bins=bins).states == 2
    assert agreement_on("X", a, b, "v", ordinal_bins=5).states == 3
    plain = Nominal([*"abcdef"])
    assert agreement_on("X", table(plain, [*"abc"]), table(plain, ["a"]), "v", ordinal_bins=2).states == 2
    # A level that the first file does not know is of its last class.
    more = table(Ordinal([*"abcdefg"]), ["g", "f"])
    assert states(agreement_on("X", a, more, "v", ordinal_bins=2)) == [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2]]


def test_numbers_agree_a_little_within_quantiles_of_the_first_file() -> None:
    a, b = table(Numeric(), [1.0, 2.0, 3.0, 4.0, None]), table(Numeric(), [2.0, 2.25, 9.0, None])
    one = agreement_on("X", a, b, "v", bins=2)
    # The median of the first file is 2.5.
    assert states(one) == [[2, 3, 1, 1, 0], [2, 2, 1, 1, 0], [1, 1, 2, 2, 0], [0, 0, 0, 0, 0]]
    assert agreement_on("X", a, b, "v", bins=None).states == 3
    # Six different values need no more than six classes.
    assert agreement_on("X", a, b, "v", bins=6).states == 3
    assert agreement_on("X", a, b, "v", bins=5).states == 4
    assert agreement_on("X", a, b, "v").states == 3
    # Rows that stand for several records move the quantile, to 1.5; what lies on an edge is above it.
    often = agreement_on("X", a, b, "v", bins=2, frequencies=np.array([2, 1, 0, 1, 7]))
    assert states(often)[0] == [1, 3, 2, 2, 0]
    on_the_edge = agreement_on("X", a, b, "v", bins=2, frequencies=np.array([1, 3, 1, 0, 7]))
    assert states(on_the_edge)[1] == [1, 2, 2, 2, 0]


def test_every_attribute_is_read_by_its_own_kind() -> None:
    schema = Schema([Attribute("n", Numeric(), "key"), Attribute("o", Ordinal("abc"), "key"),
                     Attribute("t", Nominal(["anna", "hanna", "otto"]), "key")])  # fmt: skip
    frame = pl.DataFrame({"n": [1.0, 2.0, 3.0], "o": ["a", "b", "c"], "t": ["anna", "hanna", "otto"]})
    data = Microdata(frame, schema)
    found = agreements_on("X", data, data, ["t", "n", "o"], bins=2, ordinal_bins=2, spelled=["t"], thresholds=[0.8],
                          frequencies=np.array([1, 1, 1]))  # fmt: skip
    assert [one.name for one in found] == ["t", "n", "o"]
    assert [one.states for one in found] == [3, 3, 3]
    assert [one.has_classes for one in found] == [False, True, True]
    plain = agreements_on("X", data, data, ["t", "n", "o"])
    assert [one.states for one in plain] == [2, 2, 2]


def test_chance_is_the_share_of_pairs_that_agree() -> None:
    one = equality("v", np.array([0, 0, 1, 2]), np.array([0]))
    assert chance_of(one) == pytest.approx((4 + 1 + 1) / 16)
    assert chance_of(one, np.array([1, 2, 3, 4])) == pytest.approx((9 + 9 + 16) / 100)
    # A value that is missing agrees with nobody, unless it is one like any other.
    assert chance_of(equality("v", np.array([0, 0, -1]), np.array([0]), "disagree")) == pytest.approx(4 / 9)
    assert chance_of(equality("v", np.array([0, 0, -1]), np.array([0]), "agree")) == pytest.approx(5 / 9)


def test_shares_of_codes_are_those_of_both_files() -> None:
    a, b = np.array([0, 0, 1, 2]), np.array([2, 2])
    one = equality("v", a, b)
    first, second = classes_of_codes([a]), classes_of_codes([b])
    assert code_shares(one, first, second) == pytest.approx([2 / 6, 1 / 6, 3 / 6])
    often = first.standing_for(np.array([1, 2, 3, 4]))
    assert code_shares(one, often, second) == pytest.approx([3 / 12, 3 / 12, 6 / 12])


NAMES = Nominal(["anna", "hanna", "otto"])


@pytest.mark.parametrize(
    ("missing", "expected", "ignores"),
    [
        ("ignore", [[3, 2, 0, 1], [2, 3, 0, 1], [0, 0, 0, 0]], True),
        ("disagree", [[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 0, 0]], False),
        ("agree", [[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 0]], False),
    ],
)
def test_names_agree_by_their_spelling(missing, expected, ignores) -> None:
    a, b = table(NAMES, ["anna", "hanna", None, "otto"]), table(Nominal(["hanna", "anna"]), ["anna", "hanna", None])
    one = spelled_agreement("X", a, b, "v", [0.8], missing)
    assert states(one) == expected
    assert (one.states, one.ignores_missing, one.has_classes) == (3 + ignores, ignores, False)
    back = one.swapped()
    assert np.array(states(back)).T.tolist() == expected
    assert isinstance(back, module.Graded)


def test_names_without_gaps_say_nothing_of_them() -> None:
    whole = table(NAMES, ["anna", "otto"])
    for missing in ("ignore", "disagree", "agree"):
        one = spelled_agreement("X", whole, whole, "v", [0.9, 0.8], missing)
        assert (states(one), one.states, one.ignores_missing) == ([[3, 0], [0, 3]], 4, False)


def test_what_cannot_be_compared_is_refused(monkeypatch) -> None:
    some, gone = table(NAMES, ["anna"]), table(NAMES, [None, None])
    for read in (agreement_on, lambda *files: spelled_agreement(*files, [0.8], "ignore")):
        with pytest.raises(MissingValueError, match="X: column 'v' has no values in the first file"):
            read("X", gone, some, "v")
        with pytest.raises(MissingValueError, match="X: column 'v' has no values in the second file"):
            read("X", some, gone, "v")
    numbers = table(Numeric(), [1.0])
    with pytest.raises(MissingValueError, match="has no values in the second file"):
        agreement_on("X", numbers, table(Numeric(), [None]), "v")
    with pytest.raises(DataError, match="X: similarity speaks of attribute 'v', which has no levels to spell"):
        spelled_agreement("X", numbers, numbers, "v", [0.8], "ignore")
    monkeypatch.setattr(module, "MOST_VALUES", 2)
    spelled_agreement("X", some, table(NAMES, ["otto"]), "v", [0.8], "ignore")
    with pytest.raises(DataError, match="'v' has 3 different values to compare by spelling; at most 2"):
        spelled_agreement("X", some, table(NAMES, ["otto", "hanna"]), "v", [0.8], "ignore")
    refuse_too_many("X", 20)
    with pytest.raises(DataError, match="X: 21 attributes have too many agreement patterns; at most 20"):
        refuse_too_many("X", 21)
