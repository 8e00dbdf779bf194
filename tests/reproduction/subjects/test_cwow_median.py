"""Domingo-Ferrer and Torra (2003), Tables 3 and 4 and the examples: how they are laid out."""

from __future__ import annotations

from discreet.reproduction.subjects import cwow_median


def test_tables_have_their_names_titles_columns_and_rows():
    found = cwow_median.tables()
    assert [(one.name, one.title, len(one.columns), len(one.rows)) for one in found] == [
        ("Table 3", "The CWOW-median of the values of Table 2", 8, 10),
        ("Table 4", "Example of non-monotonicity for the CWOW-median", 12, 6),
        ("Example 3", "1,006 sources on 1,001 levels", 1, 2),
        ("Section 3", "The plurality rule after a single change", 1, 2),
    ]
    third, fourth, example, plurality = found
    assert third.columns == ("l_0", "l_1", "l_2", "l_3", "l_4", "l_5", "l_6", "CWOW-Med")
    assert [row.label for row in third.rows] == [
        "acc", "acc'", "acc''", *(f"acc''' (α = {alpha})" for alpha in ("1/8", "1/4", "1/2", "1", "2", "4", "8")),
    ]  # fmt: skip
    assert [row.cells[-1].ours for row in third.rows] == [
        "l_1", "l_2", "l_2", "l_0", "l_0", "l_1", "l_2", "l_3", "l_4", "l_5",
    ]  # fmt: skip
    assert [cell.ours for cell in third.rows[2].cells[:7]] == ["2/12", "3/12", "2/12", "2/12", "2/12", "1/12", "0"]
    assert [row.label for row in fourth.rows] == ["acc", "acc'", "acc''"] * 2
    assert [row.cells[-1].ours for row in fourth.rows] == ["l_3", "l_3", "l_3", "l_3", "l_2", "l_2"]
    assert [(row.label, row.cells[0].ours) for row in (*example.rows, *plurality.rows)] == [
        ("as given", "l_498"),
        ("l_0 raised to l_250", "l_373"),
        ("l_0, l_0, l_3, l_4", "l_0"),
        ("l_4, l_0, l_3, l_4", "l_4"),
    ]
    misprint = third.rows[0].cells[-1]
    assert (misprint.printed, misprint.verdict, misprint.failed) == ("l_4", "differs", False)
    others = [cell for one in found for _, _, cell in one.cells if cell is not misprint]
    assert {cell.verdict for cell in others} == {"exact"}


def test_tables_have_their_names_and_sizes():
    """Name, title, corner, columns, rows, and the first and the last row."""
    found = cwow_median.tables()
    assert [
        (one.name, one.title, one.corner, len(one.columns), len(one.rows), one.rows[0].label, one.rows[-1].label)
        for one in found
    ] == [
        ("Table 3", "The CWOW-median of the values of Table 2", "", 8, 10, "acc", "acc''' (α = 8)"),
        ("Table 4", "Example of non-monotonicity for the CWOW-median", "", 12, 6, "acc", "acc''"),
        ("Example 3", "1,006 sources on 1,001 levels", "", 1, 2, "as given", "l_0 raised to l_250"),
        ("Section 3", "The plurality rule after a single change", "", 1, 2, "l_0, l_0, l_3, l_4", "l_4, l_0, l_3, l_4"),
    ]
