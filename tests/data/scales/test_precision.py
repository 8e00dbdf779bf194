from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.scales import precision
from discreet.data.scales.precision import Fineness, clock_fineness, fineness, joined_fineness, rounded


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1), st.integers(0, 6))
def test_decimals_are_those_that_write_every_number(steps, d):
    values = np.array(steps) / 10.0**d
    digits = max(len(f"{step / 10**d:.6f}".rstrip("0").split(".")[1]) for step in steps)
    assert fineness(values).decimals == digits


@pytest.mark.parametrize(
    ("values", "decimals"),
    [([], 0), ([np.nan], 0), ([1e300, 5.0], 0), ([2.0**60], 0), ([1e-15], 15), ([0.1 + 0.2], None), ([np.pi], None)],
)
def test_edges(values, decimals):
    assert fineness(np.array(values, dtype=float)).decimals == decimals


def decimals_by_trying(value):
    """The least number of decimals that gives a number back, tried one after the other; 16 where none does."""
    if abs(value) >= 2.0**52:
        return 0
    for d in range(16):
        if abs(value * 10.0**d) < 1e15 and round(value * 10.0**d) / 10.0**d == value:
            return d
    return 16


@given(
    st.lists(
        st.one_of(
            st.floats(-1e17, 1e17, allow_nan=False, allow_subnormal=True),
            st.builds(lambda r, d: r / 10.0**d, st.integers(-(10**15), 10**15), st.integers(0, 15)),
            st.builds(lambda e, up: float(np.nextafter(10.0**e, up)), st.integers(-20, 16), st.sampled_from([0, 1e18])),
            st.integers(10**14, 10**16).map(float),
        ),
        min_size=1,
    )
)
def test_counts_are_those_of_trying_every_decimal(values):
    column = np.array(values)
    expected = np.bincount([decimals_by_trying(value) for value in values if value != 0], minlength=17)
    assert fineness(column).counts[:17] == tuple(expected.tolist())
    doubles, multiples = precision._counted(column[column != 0])
    assert doubles == tuple(expected.tolist())
    assert multiples == precision._multiples(column[column != 0])


def test_multiples_are_counted_among_numbers_that_are_none_and_long_columns_in_runs():
    rng = np.random.default_rng(3)
    steps = (0.05, 0.25, 0.5, 2.0, 5.0, 2500.0, 500000.0)
    column = np.concatenate([rng.lognormal(size=70_000), *(step * rng.integers(1, 999, 500) for step in steps)])
    rng.shuffle(column)
    counts = fineness(column).counts
    by_step = {0.05: 20, 0.25: 4, 0.5: 2}
    tried = [int((np.rint(column * parts) / parts == column).sum()) for parts in by_step.values()]
    assert counts[34:37] == tuple(tried)
    twos, five_hundred_thousands = counts[37], counts[-1]
    assert twos == int((np.rint(column / 2) * 2 == column).sum()) > 1000
    assert five_hundred_thousands == int((np.rint(column / 5e5) * 5e5 == column).sum()) >= 500
    assert list(counts[34:]) == precision._counted(column)[1]
    runs = [rounded(column[low : low + 9000], fineness(column)) for low in range(0, column.size, 9000)]
    assert np.array_equal(rounded(column, fineness(column)), np.concatenate(runs))


def test_single_precision_has_the_decimals_that_were_written():
    prices = np.round(np.random.default_rng(0).uniform(0, 900, 500), 2)
    stored = prices.astype(np.float32).astype(np.float64)
    assert fineness(prices).decimals == fineness(stored).decimals == 2
    assert fineness(np.append(stored, np.pi)).decimals is None
    many = np.tile(stored, 250)  # numbers that a compiled loop counts
    assert fineness(many).counts == tuple(250 * count for count in fineness(stored).counts)


@given(st.lists(st.sampled_from([1.0, 0.5, 12.35, 1 / 3, float(np.float32(12.35)), np.nan]), min_size=2, max_size=12))
def test_parts_of_a_column_say_what_the_column_says(values):
    column = np.array(values)
    for cut in range(1, column.size):
        assert joined_fineness([fineness(column[:cut]), fineness(column[cut:])]) == fineness(column)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1), st.integers(0, 5))
def test_rounding_gives_numbers_of_the_column_and_no_negative_zero(values, d):
    column = Fineness(d, -1e9, 1e9)
    result = rounded(np.array(values), column)
    assert fineness(result).decimals <= d
    assert np.array_equal(rounded(result, column), result)
    assert not np.signbit(result[result == 0]).any()
    assert np.abs(result - values).max() <= 0.5 * 10.0**-d + 1e-6


def test_numbers_with_all_digits_keep_six_of_their_own_or_of_the_range():
    column = Fineness(None, 0.0, 5e6)
    assert rounded(np.array([np.pi, np.pi * 1e6, -np.pi / 1e9, 0.0, np.nan]), column).tolist()[:4] == [
        3.14159, 3141590.0, -3.14159e-9, 0.0,
    ]  # fmt: skip
    far = Fineness(None, 1e9, 1e9 + 2)
    assert rounded(np.array([1e9 + np.pi / 4]), far).tolist() == [1e9 + 0.7854]


def test_coarser_when_asked_and_never_finer():
    column = Fineness(1, 0.0, 9000.0)
    assert rounded(np.array([1234.56]), column, 5).tolist() == [1234.6]
    assert rounded(np.array([1234.56]), column, 0).tolist() == [1235.0]
    assert rounded(np.array([1234.56]), column, -3).tolist() == [1000.0]
    assert rounded(np.array([1234.56789]), Fineness(None, 0.0, 9000.0), 1).tolist() == [1234.6]


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([*range(1, 91), 0.5], 1.0),
        ([*range(1, 91), np.pi], 1.0),
        ([*range(1, 91), *(0.5 + i for i in range(9))], 0.5),  # a tenth of all is no odd one
        ([500 * i for i in range(1, 60)], 500.0),
        ([500 * i for i in range(1, 60)] + [777], 500.0),
        ([25 * i for i in range(1, 60)], 25.0),
        ([0.25 * i for i in range(1, 90)], 0.25),
        ([round(0.05 * i, 2) for i in range(1, 90)], 0.05),
        ([3.0 * i for i in range(1, 90)], 1.0),
        ([0] * 900 + [12.35, 7.99], 0.01),  # zero is a multiple of everything
        ([40] * 96 + [10, 37, 41, 58], 2.0),  # one number that most have: 20 steps stay
        ([100, 200, 300], 1.0),  # too few
        (list(np.random.default_rng(0).normal(size=50)), None),
    ],
)
def test_the_step_is_what_nearly_all_numbers_share(values, step):
    column = fineness(np.array(values, dtype=float))
    assert column.unit == step
    cut = len(values) // 3
    parts = [fineness(np.array(part, dtype=float)) for part in (values[:cut], values[cut:])]
    assert joined_fineness(parts) == column


def test_rounding_goes_in_steps_and_no_finer_than_asked_for():
    quarters, hundreds = (fineness(np.arange(1, 90) * step) for step in (0.25, 500.0))
    assert rounded(np.array([1.4, -0.1, np.nan]), quarters).tolist()[:2] == [1.5, 0.0]
    assert rounded(np.array([1.3]), quarters, 1).tolist() == [1.2]
    assert rounded(np.array([1.4]), quarters, 0).tolist() == [1.0]
    assert rounded(np.array([1260.0, -1240.0]), hundreds).tolist() == [1500.0, -1000.0]
    assert rounded(np.array([1260.0]), hundreds, -2).tolist() == [1500.0]
    assert rounded(np.array([1260.0]), hundreds, -3).tolist() == [1000.0]
    assert rounded(np.array([1260.0]), hundreds, 2).tolist() == [1500.0]


def test_huge_and_tiny_numbers_pass():
    values = np.array([1e300, -1e-300, 5e-324])
    assert np.isfinite(rounded(values, fineness(values))).all()


@pytest.mark.parametrize("decimals", [None, 4, 0, -3])
@pytest.mark.parametrize(("low", "high"), [(0.0, 5e3), (-1e-4, 1e-4), (1e9, 1e9 + 3), (-1e300, 1e300), (1.0, 1.0)])
def test_many_numbers_are_rounded_as_few_are(monkeypatch, decimals, low, high):
    rng = np.random.default_rng(3)
    around = 10.0 ** np.arange(-40, 41)
    near = np.concatenate([around * (1 + step * 2.0**-52) for step in (-500, -5, -2, -1, 0, 1, 2, 500)])
    ends = [0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, -2e-308, 1e308, 0.5, 2.5]
    sizes = np.concatenate([near, 2.0 ** rng.uniform(-1074, 1023, 400), rng.lognormal(size=2000), ends])
    values = np.concatenate([sizes, -sizes])
    column = Fineness(None, low, high)
    few = rounded(values, column, decimals)
    monkeypatch.setattr(precision, "_MANY", 1000)
    many = precision._rounded_by_size(values, column, decimals)
    assert many.tobytes() == few.tobytes()
    assert rounded(values, column, decimals).tobytes() == few.tobytes()


def seconds(*counts):
    """So many times in whole seconds, minutes, hours and days, none of which is anything coarser."""
    return np.array([start + i * step for (start, step), n in zip(TIMES, counts, strict=True) for i in range(n)])


TIMES = ((1.0, 0.0), (60.0, 0.0), (3600.0, 0.0), (86400.0, 86400.0))


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        (seconds(0, 0, 0, 20), 86400.0),
        (seconds(0, 0, 1, 19), 86400.0),
        (seconds(0, 0, 2, 19), 3600.0),  # nineteen of twenty are nearly all, nineteen of twenty-one are not
        (seconds(0, 2, 0, 19), 60.0),
        (seconds(2, 0, 0, 19), 1.0),
        (np.array([0.5, 60.0]), 0.1),
        (np.array([1 / 3, 60.0]), 1e-6),
        (np.array([1e-9, 60.0]), 1e-6),
        (np.array([0.0, 0.0]), 1.0),  # no time tells
        (np.array([np.nan]), 1.0),
        (np.array([0.0, 60.0, np.nan, np.inf]), 60.0),
    ],
)
def test_times_go_in_days_hours_minutes_or_seconds(values, unit):
    column = clock_fineness(values)
    assert column.unit == unit
    for cut in (0, 1, values.size):
        parts = [clock_fineness(values[:cut]), clock_fineness(values[cut:])]
        assert joined_fineness(parts) == column
        assert joined_fineness(parts).unit == unit


def test_moments_are_rounded_in_the_steps_of_the_clock():
    hours, minutes = clock_fineness(3600.0 * np.arange(1, 30)), clock_fineness(60.0 * np.arange(1, 30))
    assert rounded(np.array([5399.0, 5401.0, -1.0]), hours).tolist() == [3600.0, 7200.0, 0.0]
    assert rounded(np.array([89.0, 91.0]), minutes, 3).tolist() == [60.0, 120.0]
    assert rounded(np.array([1249.0]), minutes, -3).tolist() == [1000.0]
    assert not np.signbit(rounded(np.array([-1.0]), hours)).any()


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([5 * i for i in range(1, 22)], 5.0),  # twenty-one numbers, twenty steps
        ([5 * i for i in range(1, 21)], 1.0),  # nineteen steps between the ends
        ([5 * i for i in [*range(1, 19), 21]], 1.0),  # nineteen numbers
        ([5 * i for i in [*range(1, 20), 21]], 5.0),
        ([5 * i for i in range(1, 39)] + [3, 4], 5.0),  # thirty-eight of forty are nearly all
        ([5 * i for i in range(1, 39)] + [3, 4, 6], 1.0),
        ([10 * i for i in range(1, 40)], 10.0),
        ([-5 * i for i in range(22)], 5.0),
    ],
)
def test_a_step_is_believed_of_twenty_numbers_over_twenty_steps(values, step):
    assert fineness(np.array(values, dtype=float)).unit == step


def test_a_fineness_without_counts_says_what_its_decimals_say():
    assert Fineness(2, 0.0, 9.0).unit == 0.01
    assert Fineness(None, 0.0, 9.0).unit is None
    assert (Fineness(None, 0.0, 9.0, 3).decimals, Fineness(1, 0.0, 9.0, 3).decimals) == (3, 1)
    assert joined_fineness([]) == Fineness(0, np.inf, -np.inf, 0)
    bare = joined_fineness([Fineness(1, 0.0, 1.0, 2), fineness(np.array([0.25]))])
    assert (bare.double, bare.single, bare.counts, bare.low, bare.high) == (2, 2, (), 0.0, 1.0)
    assert joined_fineness([Fineness(None, 0.0, 1.0), Fineness(1, 0.0, 1.0)]).double is None
