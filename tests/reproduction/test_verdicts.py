from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.reproduction.printed import PaperComparison, Row, Section, Table
from discreet.reproduction.verdicts import STAND_IN, beside, exact, not_run, otherwise, ours_only, sampled


@pytest.mark.parametrize(
    ("printed", "ours", "verdict"),
    [
        ("0.374", 0.3741, "exact"),
        ("0.351", 0.35157, "exact"),  # cut off
        ("0.352", 0.35157, "exact"),  # rounded
        ("0.353", 0.35157, "differs"),
        ("0.25", 0.25 - 1e-16, "exact"),  # off by its last bit
        ("-0.846", -0.84649, "exact"),
        ("1.1143E-7", 1.114255e-7, "exact"),
        ("1.1143E-7", 1.1144e-7, "differs"),
        ("25", 25.0, "exact"),
        ("25", 26.0, "differs"),
        ("mixed", "mixed", "exact"),
        ("mixed", "mild", "differs"),
    ],
)
def test_exact_is_to_the_printed_digits(printed, ours, verdict):
    cell = exact(printed, ours)
    assert cell.verdict == verdict
    assert cell.failed == (verdict == "differs")
    assert bool(cell.reason) == (verdict == "differs")


@given(value=st.floats(-1e6, 1e6), decimals=st.integers(0, 6))
def test_a_rounded_or_cut_figure_is_exact(value, decimals):
    rounded = f"{value:.{decimals}f}"
    cut = math.trunc(value * 10**decimals) / 10**decimals
    assert exact(rounded, value).verdict == "exact"
    assert exact(f"{cut:.{decimals}f}", value).verdict == "exact"
    further = f"{value + 2.1 * 10.0**-decimals:.{decimals}f}"
    assert exact(further, value).verdict == "differs"


def test_a_known_misprint_is_excused_only_for_its_reading():
    assert not exact("l_4", "l_1", known="nine values", reading="l_1").failed
    assert exact("l_4", "l_2", known="nine values", reading="l_1").failed
    assert exact("l_4", "l_1", known="nine values", reading="l_1").reason == "nine values"
    assert not exact("3.0", 4.0, known="not said").failed


def test_a_tolerance_is_relative():
    assert exact("1.0E-9", 1.0000001e-9, tolerance=2e-7).verdict == "exact"
    assert exact("1.0E-9", 1.000001e-9, tolerance=2e-7).verdict == "differs"
    assert exact("0", 0.0, tolerance=2e-7).verdict == "exact"
    assert exact("0", 1e-30, tolerance=2e-7).verdict == "differs"


def test_samples_are_judged_by_standard_errors_and_never_fail():
    near, far = sampled(5.0, 5.6, 0.3, own=0.1), sampled(5.0, 6.2, 0.3)
    assert (near.verdict, near.ours, near.z) == ("sampling", "5.6 ± 0.1", pytest.approx(2))
    assert (far.verdict, far.z, far.failed) == ("differs", pytest.approx(4), False)
    assert far.reason == "beyond 3 standard errors"
    assert sampled(0, 0, 0).z == 0
    assert sampled(0, 1, 0).verdict == "differs"
    assert sampled(None, 1.25, 0.5).verdict == "ours"


def test_few_runs_make_a_difference_less_surprising():
    # Student's t of 4.3 with 9 degrees of freedom is as rare as a normal deviate of 3.1; 3.9 as one of 2.9.
    assert sampled(0.0, 4.3, 1.0, degrees=9).z == pytest.approx(3.09, abs=0.01)
    assert sampled(0.0, -3.9, 1.0, degrees=9).verdict == "sampling"
    assert sampled(0.0, 2.0, 1.0, degrees=10**6).z == pytest.approx(2, abs=1e-4)


def test_what_is_not_judged():
    assert (beside("-0.846", -0.9, digits=3).ours, beside("502", "43 to 99").verdict) == ("-0.900", "ours")
    assert ours_only(12.34, error=0.51).ours == "12.3 ± 0.5"
    absent = not_run("3.1544", "needs file uci/iris.csv")
    assert (absent.verdict, absent.failed, absent.reason) == ("not run", False, "needs file uci/iris.csv")


def test_gap_has_no_negative_zero():
    assert sampled(5.0, 5.0 - 1e-9, 0.3).gap == "z +0.0"
    assert exact("5", 5.0).gap == ""
    assert exact("5", 6.0).gap == "+1"


def section(cell):
    return Section("p1b", "A paper", "Somebody (2002)", (Table("Table 1", "One", ("x",), (Row("r", (cell,)),)),))


def test_a_broken_figure_is_found_through_every_layer():
    good, bad = section(exact("1", 1.0)), section(exact("1", 2.0))
    assert not PaperComparison((good,), full=False, seconds=0.1).failed
    found = PaperComparison((good, bad), full=False, seconds=0.1)
    assert found.failed
    assert bad.failed
    assert not good.failed
    assert [(s.name, t.name, row, column, cell.ours) for s, t, row, column, cell in found.failures] == [
        ("P1b", "Table 1", "r", "x", "2")
    ]
    assert (found.count("exact"), found.count("differs")) == (1, 1)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["failed"] is True


def test_an_infinite_z_is_no_json():
    assert "z" not in sampled(0, 1, 0).to_dict()


def test_a_ragged_table_is_refused():
    with pytest.raises(ValueError, match="every row must have 2 cells"):
        Table("T", "t", ("x", "y"), (Row("r", (None,)),))


def test_reasons_are_told_once_with_where_they_hold():
    cells = tuple(exact("1", 2.0, known="why") for _ in range(8))
    one = Table("T", "t", tuple("abcdefgh"), (Row("r", cells),))
    assert one.reasons == [("why", "r / a; r / b; r / c; r / d; r / e; r / f; and 2 more")]


def test_what_stands_beside_has_its_difference_error_and_note():
    cell = beside("2.5", 3.25, digits=2, error=0.125, note="of another file")
    assert (cell.printed, cell.ours, cell.verdict, cell.difference, cell.error) == (
        "2.5",
        "3.25 ± 0.12",
        "ours",
        0.75,
        0.125,
    )
    assert (cell.note, cell.failed) == ("of another file", False)
    words = beside("2.5", "many", error=0.5)
    assert (words.ours, words.difference) == ("many ± 0.5", None)
    assert beside("2.5", 3.25).note == STAND_IN
    mine = ours_only("a few", error=0.25, digits=2, note="why")
    assert (mine.printed, mine.ours, mine.verdict, mine.error, mine.note) == ("", "a few ± 0.25", "ours", 0.25, "why")
    assert ours_only(1.26).ours == "1.3"


def test_another_procedure_is_told_with_its_reason():
    cell = otherwise(4, 2.25, "another program", own=0.125, digits=2)
    assert (cell.printed, cell.ours, cell.verdict, cell.difference) == ("4.00", "2.25 ± 0.12", "otherwise", -1.75)
    assert (cell.error, cell.reason, cell.failed) == (0.125, "another program", False)
