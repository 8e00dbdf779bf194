"""Distances of two small files, worked out by hand: by kind of attribute, by metric, by weight."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, MissingValueError
from discreet.linkage.shared.coordinates import BothSpreads, Spread
from discreet.linkage.shared.yardstick import prepare, yardstick

INF = np.inf


def table(name, scale, values):
    kind = pl.Float64 if isinstance(scale, Numeric) else pl.String
    return Microdata(pl.DataFrame({name: values}, schema={name: kind}), Schema([Attribute(name, scale, "key")]))


def levels(scale, other=None):
    """Return a file with every level of a scale and a missing value, and one of another scale."""
    return tuple(table("v", one, [*one.levels, None]) for one in (scale, other or scale))


def distances(a, b, **options):
    """Return the distance of every record of B (rows) to every record of A, in the metric that squares nothing."""
    return prepare("X", a, b, a.names, "manhattan", **options).matrix(slice(None)).tolist()


def test_levels_without_order_are_equal_or_not() -> None:
    assert distances(*levels(Nominal("pq"))) == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    # They are known by name, and one that the first file lacks is unlike everything.
    found = distances(*levels(Nominal("pq"), Nominal("qrp")))
    assert (found[0], found[1][:2], found[2], found[3]) == ([1, 0, 1], [1, 1], [0, 1, 1], [1, 1, 0])


def test_ordered_levels_are_as_far_as_the_steps_between_them() -> None:
    one, two = pytest.approx(1 / 3), pytest.approx(2 / 3)
    # A share of the levels; a missing value is as far from everything as the ends are from each other.
    assert distances(*levels(Ordinal("abc"))) == [
        [0, one, two, two],
        [one, 0, one, two],
        [two, one, 0, two],
        [two] * 3 + [0],
    ]


def test_a_level_of_the_release_alone_stands_for_those_that_it_replaced() -> None:
    # b and c became x, between a and d.
    found = distances(*levels(Ordinal("abcd"), Ordinal("axd")))
    assert found == [
        [0, 0.25, 0.5, 0.75, 0.75],
        [0.375, 0, 0, 0.375, 0.75],
        [0.75, 0.5, 0.25, 0, 0.75],
        [0.75, 0.75, 0.75, 0.75, 0],
    ]
    # Nobody is missing between a and b: x stands for none of them, and is as far as any level can be.
    assert distances(*levels(Ordinal("ab"), Ordinal("axb")))[1][:2] == [1, 1]
    # All below the first that is known, and all above the last.
    ends = distances(*levels(Ordinal("abcd"), Ordinal("xcy")))
    assert ends[0][:2] == [0, 0]
    assert ends[2][3] == 0


def test_numbers_are_as_far_as_deviations_of_the_first_file() -> None:
    a, b = table("x", Numeric(), [0.0, 4.0]), table("x", Numeric(), [1.0, 10.0])
    assert distances(a, b) == [[0.5, 1.5], [5.0, 3.0]]
    assert prepare("X", a, b, ("x",)).matrix(slice(None)).tolist() == [[0.25, 2.25], [25.0, 9.0]]


BOTH = Schema([Attribute("x", Numeric(), "key"), Attribute("v", Nominal("pq"), "key"),
               Attribute("o", Ordinal("abc"), "key"), Attribute("y", Numeric(), "key")])  # fmt: skip
A = Microdata(pl.DataFrame({"x": [0.0, 4.0], "v": ["p", "q"], "o": ["a", "c"], "y": [0.0, 2.0]}), BOTH)
B = Microdata(pl.DataFrame({"x": [2.0], "v": ["q"], "o": ["b"], "y": [6.0]}), BOTH)
WEIGHTS = {"x": 4.0, "v": 9.0, "o": 0.0}


@pytest.mark.parametrize(
    ("metric", "weights", "sums", "scores"),
    [
        # Differences by x, v, o and y: 1, 1, 1/3, 6 from the first, and 1, 0, 1/3, 4 from the second.
        ("euclidean", None, [38 + 1 / 9, 17 + 1 / 9], [(343 / 9) ** 0.5, (154 / 9) ** 0.5]),
        ("manhattan", None, [8 + 1 / 3, 5 + 1 / 3], [25 / 3, 16 / 3]),
        ("max", None, [6.0, 4.0], [6.0, 4.0]),
        ("euclidean", WEIGHTS, [4 + 9 + 36, 4 + 16], [7.0, 20**0.5]),
        ("manhattan", WEIGHTS, [4 + 9 + 6, 4 + 4], [19.0, 8.0]),
        ("max", WEIGHTS, [9.0, 4.0], [9.0, 4.0]),
    ],
)
def test_differences_add_up_by_metric_and_weight(metric, weights, sums, scores) -> None:
    terms = prepare("X", A, B, BOTH.keys, metric, weights)
    assert terms.matrix(slice(None)) == pytest.approx(np.array([sums]))
    assert terms.sums(np.array([0, 0]), np.array([1, 0])) == pytest.approx(sums[::-1])
    assert terms.scores(np.array(sums)) == pytest.approx(scores)
    back = terms.swapped()
    assert back.matrix(slice(None)) == pytest.approx(np.array([sums]).T)
    assert (terms.categories, terms.numbers) == (("v", "o"), ("x", "y"))


def test_rounding_explains_so_much_of_a_distance() -> None:
    unit = 2.0**-52
    # Middles 2 and 1, deviations 2 and 1: grains of 2 · 2/2 and 2 · 1/1 units; coordinates of B are 0 and 5.
    parts = np.array([2 * unit, 2 * unit + 9 * unit * 5])
    for metric, expected in (("euclidean", np.sqrt((parts**2).sum())), ("manhattan", parts.sum()), ("max", parts[1])):
        assert prepare("X", A, B, BOTH.keys, metric).slack(np.array([0])) == pytest.approx([expected])
    only = prepare("X", A, B, ("v", "o"), "max")
    assert only.slack(slice(None)).tolist() == [0.0]


def test_what_the_masking_cannot_do_is_infinitely_far() -> None:
    a, b = levels(Nominal("pq"))
    # By level of A (rows) what it can become: q stays, p may become either; about gaps nothing is said.
    possible = {"v": np.array([[True, True], [False, True]])}
    assert distances(a, b, possible=possible) == [[0, INF, INF], [1, 0, INF], [1, 1, 0]]
    with_gaps = {"v": np.array([[True, False, False], [False, True, True], [False, False, True]])}
    assert distances(a, b, possible=with_gaps) == [[0, INF, INF], [INF, 0, INF], [INF, 1, 0]]
    assert distances(a, b, possible={"w": possible["v"]}) == distances(a, b)


def gappy(metric="euclidean", *, flag_gaps=True):
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])
    a = Microdata(pl.DataFrame({"x": [0.0, None, 6.0], "y": [1.0, 2.0, 3.0]}), schema)
    b = Microdata(pl.DataFrame({"x": [None, 9.0], "y": [1.0, 5.0]}, schema={"x": pl.Float64, "y": pl.Float64}), schema)
    spreads = BothSpreads(*(Spread.of(side.numeric(("x", "y"))) for side in (a, b)))
    return a, b, yardstick("X", (schema, schema), spreads, ("x", "y"), metric, flag_gaps=flag_gaps)


def test_a_gap_is_read_as_the_mean_and_a_category_says_where_it_is() -> None:
    a, b, measured = gappy("manhattan")
    assert (measured.gaps, measured.names) == (("x",), ("x", "y"))
    terms = measured.terms(measured.side(a, 0), measured.side(b, 1))
    assert terms.categories == ("x is missing",)
    assert terms.a_codes.tolist() == [[0], [1], [0]]
    assert terms.b_codes.tolist() == [[1], [0]]
    # The mean of x is 3, its deviation with the gap filled √6; that of y is √(2/3).
    x, y = 6**0.5, (2 / 3) ** 0.5
    expected = [[1 + 3 / x, 1 / y, 1 + 3 / x + 2 / y], [9 / x + 4 / y, 1 + 6 / x + 3 / y, 3 / x + 2 / y]]
    assert terms.matrix(slice(None)) == pytest.approx(np.array(expected))


def test_gaps_are_refused_unless_they_are_asked_for() -> None:
    for metric, flag_gaps in (("euclidean", False), ("mahalanobis", True)):
        with pytest.raises(MissingValueError, match="X: column 'x' has 2 missing values in the two files"):
            gappy(metric, flag_gaps=flag_gaps)


def test_gaps_can_be_read_later() -> None:
    a, b, measured = gappy()
    filled = Microdata(a.to_polars().fill_null(3.0), a.schema)
    whole = yardstick("X", (a.schema, b.schema), BothSpreads(*(Spread.of(filled.numeric(("x", "y"))),) * 2), ("x", "y"))
    assert whole.gaps == ()
    assert whole.reading_gaps((), np.zeros(2)) is whole
    later = whole.reading_gaps(("x",), np.array([3.0, 2.0]))
    assert later.gaps == ("x",)
    ours, theirs = (one.terms(one.side(a, 0), one.side(b, 1)) for one in (later, measured))
    assert ours.matrix(slice(None)) == pytest.approx(theirs.matrix(slice(None)))
    assert ours.categories == theirs.categories


def test_the_first_column_with_gaps_is_named_and_counted_in_both_files() -> None:
    schema = Schema([Attribute(name, Numeric(), "key") for name in "xyz"])
    first, second = np.ones((4, 3)), np.ones((3, 3))
    first[:2, 1], second[0, 1], second[1:, 2] = np.nan, np.nan, np.nan
    spreads = BothSpreads(Spread.of(first), Spread.of(second))
    with pytest.raises(MissingValueError, match="X: column 'y' has 3 missing values in the two files"):
        yardstick("X", (schema, schema), spreads, ("x", "y", "z"))
    assert yardstick("X", (schema, schema), spreads, ("x", "y", "z"), flag_gaps=True).gaps == ("y", "z")


def test_a_category_that_is_a_number_in_the_other_file_is_refused() -> None:
    first, second = Schema([Attribute("v", Nominal("pq"), "key")]), Schema([Attribute("v", Numeric(), "key")])
    nothing = Spread.of(np.empty((2, 0)))
    with pytest.raises(DataError, match="X: attribute 'v' has no levels"):
        yardstick("X", (first, second), BothSpreads(nothing, nothing), ("v",))


@pytest.mark.parametrize(("count", "kind"), [(255, np.uint8), (256, np.int32)])
def test_codes_take_a_byte_where_levels_and_gap_fit_into_one(count, kind) -> None:
    few, many = Nominal("pq"), Nominal([str(i) for i in range(count)])
    schema = Schema([Attribute("f", few, "key"), Attribute("m", many, "key")])
    data = Microdata(pl.DataFrame({"f": ["q", None], "m": [None, str(count - 1)]}), schema)
    terms = prepare("X", data, data, ("f", "m"))
    assert terms.a_codes.dtype == terms.b_codes.dtype == kind
    assert terms.a_codes.tolist() == [[1, count], [2, count - 1]]
    assert terms.a_codes.flags.f_contiguous
