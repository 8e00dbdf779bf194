from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.operators import OrdinalLogic

FAMILIES = [
    OrdinalLogic.lukasiewicz(6),
    OrdinalLogic.minimum(6),
    OrdinalLogic.nilpotent_minimum(6),
    OrdinalLogic.nilpotent_minimum(7),
    OrdinalLogic.ordinal_sum(7, [2, 3]),
    OrdinalLogic.ordinal_sum(9, []),
]


@pytest.mark.parametrize("logic", FAMILIES, ids=repr)
def test_families_fulfil_the_axioms_asked_of_users(logic):
    again = OrdinalLogic(logic.tnorm, logic.tconorm)
    assert again.kind == "given"
    assert (again.tnorm == logic.tnorm).all()


@pytest.mark.parametrize("logic", FAMILIES[:4], ids=repr)
def test_the_conorm_is_dual(logic):
    top = logic.n_levels - 1
    for i in range(top + 1):
        for j in range(top + 1):
            dual = logic.negate(logic.tnorm[logic.negate(i), logic.negate(j)])
            assert logic.tconorm[i, j] == dual


@pytest.mark.parametrize("logic", [FAMILIES[0], FAMILIES[1], FAMILIES[4], FAMILIES[5]], ids=repr)
def test_smooth_pairs_share_the_sum(logic):
    i, j = np.indices(logic.tnorm.shape)
    assert (logic.tnorm + logic.tconorm == i + j).all()


def test_ordinal_sums_reach_from_lukasiewicz_to_the_minimum():
    assert (OrdinalLogic.ordinal_sum(6, []).tnorm == OrdinalLogic.lukasiewicz(6).tnorm).all()
    assert (OrdinalLogic.ordinal_sum(6, range(6)).tnorm == OrdinalLogic.minimum(6).tnorm).all()


def test_negation_turns_the_scale():
    logic = OrdinalLogic.minimum(5)
    assert [logic.negate(code) for code in range(5)] == [4, 3, 2, 1, 0]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[0, 0], [1, 1]], r"tnorm must be commutative; it is not at \(0, 1\)"),
        ([[0, 1], [1, 1]], r"tnorm must be neutral at 1"),
        ([[0, 0, 0], [0, 0, 1]], "square table of integers"),
        ([[0.0, 0.5], [0.5, 1.0]], "square table of integers"),
        ([[0, 0], [0, 2]], "positions between 0 and 1"),
        ([[0, 1, 0], [1, 1, 1], [0, 1, 2]], r"tnorm must be monotone; it is not at \(1, 2\)|monotone"),
        # floor(i·j/R) on five levels: (1 ∘ 3) ∘ 3 is not 1 ∘ (3 ∘ 3)
        ((np.multiply.outer(range(8), range(8)) // 7).tolist(), "tnorm must be associative"),
    ],
)
def test_tables_that_break_an_axiom_are_refused(table, message):
    with pytest.raises(ParameterError, match=message):
        OrdinalLogic(table)


def test_scales_must_agree():
    with pytest.raises(ParameterError, match="on the 3 levels of tnorm; got 2"):
        OrdinalLogic(OrdinalLogic.minimum(3).tnorm, OrdinalLogic.minimum(2).tconorm)
    with pytest.raises(ParameterError, match="n_levels must be an integer of at least 2; got 1"):
        OrdinalLogic.lukasiewicz(1)
    with pytest.raises(ParameterError, match="idempotents must lie between 0 and 4"):
        OrdinalLogic.ordinal_sum(5, [7])
