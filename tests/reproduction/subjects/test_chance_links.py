"""Torra (2004), Tables V to VII: the misprints beside them, and how the tables are made."""

from __future__ import annotations

import pytest

from discreet.reproduction.subjects import chance_links


def test_two_misprints_are_told_with_what_should_stand_there():
    table = chance_links.tables()[-1]
    assert (table.name, table.title, table.columns) == (
        "Section V-B.1", "Two misprints beside the tables", ("probability",),
    )  # fmt: skip
    quoted, sign = (row.cells[0] for row in table.rows)
    assert (quoted.printed, quoted.ours, quoted.verdict) == ("1.01377715E-7", "1.11425478E-07", "differs")
    assert (sign.printed, sign.ours, sign.verdict) == ("-0.000396825", "0.000000000", "differs")
    for cell in (quoted, sign):
        assert (cell.failed, cell.required) == (False, False), "ours is what should stand there"
    assert quoted.reason.startswith("the text quotes exactly 10")
    assert sign.reason.startswith("the printed sign")


@pytest.mark.parametrize(
    ("r", "n", "value"), [(7, 8, -2 / 5040), (8, 8, 1 / 40320), (6, 8, 2.5 / 720), (0, 1, -2.0), (0, 0, 1.0)]
)
def test_the_formula_as_it_is_printed(r, n, value):
    assert chance_links.printed_formula(r, n) == pytest.approx(value)


def test_tables_say_how_far_they_are_compared():
    fifth, sixth, seventh, _ = chance_links.tables()
    assert [(one.name, one.title, len(one.rows), one.corner) for one in (fifth, sixth, seventh)] == [
        ("Table V", "Chance of r correct links among 33", 34, "r"),
        ("Table VI", "Chance of r correct links among 8", 9, "r"),
        ("Table VII", "Chance of r correct links among 4", 5, "r"),
    ]
    assert fifth.columns == ("exactly r", "r or more")
    assert fifth.note == "Printed in single precision: compared to 7 digits, relative 2.5e-7."
    assert [row.label for row in seventh.rows] == ["0", "1", "2", "3", "4"]
    assert {cell.verdict for one in (fifth, sixth, seventh) for _, _, cell in one.cells} == {"exact"}
    assert chance_links.rows_of("\n1 0.5 1.0\n2 0 1E-3\n") == [(1, "0.5", "1.0"), (2, "0", "1E-3")]


def test_tables_have_their_names_and_sizes():
    """Name, title, corner, columns, rows, and the first and the last row."""
    found = chance_links.tables()
    assert [
        (one.name, one.title, one.corner, len(one.columns), len(one.rows), one.rows[0].label, one.rows[-1].label)
        for one in found
    ] == [
        ("Table V", "Chance of r correct links among 33", "r", 2, 34, "0", "33"),
        ("Table VI", "Chance of r correct links among 8", "r", 2, 9, "0", "8"),
        ("Table VII", "Chance of r correct links among 4", "r", 2, 5, "0", "4"),
        (
            "Section V-B.1",
            "Two misprints beside the tables",
            "",
            1,
            2,
            "10 or more of 33, as the text says",
            "exactly 7 of 8 by the printed formula",
        ),
    ]
