from __future__ import annotations

from discreet.reproduction.subjects.printed_monotonicity import LEVELS, PRINTED, SOURCES


def test_thirteen_tables_of_thirteen_rows_and_columns():
    assert list(PRINTED) == list(range(5, 18))
    for table in PRINTED.values():
        assert len(table.counts) == len(LEVELS) == 13
        assert all(len(row) == len(SOURCES) == 13 for row in table.counts)
        assert all(0 <= count <= 10_000 for row in table.counts for count in row)


def test_figures_the_text_quotes():
    """Section 4.1 of the paper names these cells."""
    row, column = LEVELS.index(10), SOURCES.index
    assert PRINTED[5].counts[LEVELS.index(50)][0] == 2644
    assert PRINTED[5].counts[LEVELS.index(100)][column(75)] == 6934
    assert PRINTED[10].counts[row][column(40)] == 127
    assert PRINTED[10].counts[row][column(50)] == 164
    assert PRINTED[11].counts[row][column(40)] == 140
    assert PRINTED[11].counts[row][column(50)] == 178


def test_no_violation_on_two_or_three_levels():
    assert all(count == 0 for table in PRINTED.values() for row in table.counts[:2] for count in row)


def test_readings_that_differ_from_the_captions_are_noted():
    assert {number for number, table in PRINTED.items() if table.note} == {7, 13}
    assert (PRINTED[13].scenario, PRINTED[13].moves) == (1, 3)
