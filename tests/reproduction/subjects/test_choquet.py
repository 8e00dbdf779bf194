"""Closed form of Domingo-Ferrer and Torra (2002), Extending microaggregation procedures using defuzzification."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.reference.operators_ordinal import choquet_transformation, run_masses

from discreet.operators import ChoquetTransformation, MeasureTransformation
from discreet.reproduction.subjects.choquet import choquet_by_definition, tables, total_by_definition

Z_5 = [2.28333, 3.36667, 3.7, 3.36667, 2.28333]
CONSTANT_5 = [0.617117, 0.909910, 1, 0.909910, 0.617117]


def _masses(n):
    """The paper's Möbius transforms with K = 1 as rows indexed by bits."""
    rows = np.zeros((n, 1 << n))
    for level in range(n):
        for subset in range(1, 1 << n):
            members = tuple(member for member in range(n) if subset >> member & 1)
            rows[level, subset] = float(run_masses(level, members))
    return rows


def test_totals_of_five_levels():
    assert ChoquetTransformation.totals(5) == pytest.approx(Z_5, abs=5e-6)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 9])
def test_totals_are_the_sums_of_the_masses(n):
    exact = [sum((Fraction(1, b - a + 1) for a in range(i + 1) for b in range(i, n)), Fraction(0)) for i in range(n)]
    assert ChoquetTransformation.totals(n) == pytest.approx([float(total) for total in exact], rel=1e-14)


def test_constant_set_under_both_normalisations():
    assert ChoquetTransformation("each")(np.ones(5)) == pytest.approx(np.ones(5), rel=1e-14)
    assert ChoquetTransformation("common")(np.ones(5)) == pytest.approx(CONSTANT_5, abs=5e-7)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("normalisation", ["each", "common"])
def test_closed_form_is_the_choquet_integral(n, normalisation):
    masses = _masses(n)
    totals = masses.sum(axis=1)
    masses /= totals[:, None] if normalisation == "each" else totals.max()
    sets = np.random.default_rng(n).random((20, n))
    expected = MeasureTransformation(masses, mobius=True)(sets)
    assert ChoquetTransformation(normalisation)(sets) == pytest.approx(expected, rel=1e-12)


def test_closed_form_by_the_definition_in_fractions():
    memberships = [Fraction(3, 10), Fraction(1, 10), Fraction(4, 5), Fraction(1, 2)]
    totals = [choquet_transformation([1] * 4, level, run_masses) for level in range(4)]
    exact = [choquet_transformation(memberships, level, run_masses) / totals[level] for level in range(4)]
    found = ChoquetTransformation("each")([float(value) for value in memberships])
    assert found == pytest.approx([float(value) for value in exact], rel=1e-14)


def test_the_definition_in_fractions_by_hand():
    # Runs of two levels that hold the first: itself, and both by halves.
    assert choquet_by_definition([Fraction(1, 2), Fraction(1, 4)], 0) == Fraction(1, 2) + Fraction(1, 8)
    assert choquet_by_definition([Fraction(1, 2), Fraction(1, 4)], 1) == Fraction(1, 4) + Fraction(1, 8)
    assert total_by_definition(3, 1) == 1 + Fraction(1, 2) + Fraction(1, 2) + Fraction(1, 3)


def test_the_tables_of_the_section_hold():
    choquet, staged = tables()
    assert (choquet.name, staged.name) == ("Section V-A.1", "Section VI")
    assert choquet.columns == ("l_0", "l_1", "l_2", "l_3", "l_4")
    assert [row.label for row in choquet.rows] == [
        "Z of every level", "constant 1, first normalisation", "constant 1, second normalisation",
        "uneven set, first normalisation", "uneven set, second normalisation",
    ]  # fmt: skip
    assert [float(cell.printed) for cell in choquet.rows[0].cells] == pytest.approx(Z_5, abs=6e-6)
    assert [float(cell.printed) for cell in choquet.rows[2].cells] == pytest.approx(CONSTANT_5, abs=6e-7)
    assert [row.label for row in staged.rows] == [f"α = {a}" for a in ("0.125", "0.25", "0.5", "1", "2", "4", "8")]
    for table in (choquet, staged):
        assert {cell.verdict for _, _, cell in table.cells} == {"defined"}
        assert not table.failed
