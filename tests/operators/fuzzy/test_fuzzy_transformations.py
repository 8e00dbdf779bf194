from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from discreet.errors import DataError, ParameterError
from discreet.operators import (
    AlphaCut,
    ChoquetTransformation,
    ConvexHull,
    MostPossible,
    Normalisation,
    WOWTransformation,
)

sets = arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 7)), elements=st.floats(0, 1, width=16)).filter(
    lambda rows: (rows.sum(axis=1) > 0).all()
)
ALL = [
    Normalisation(),
    MostPossible(),
    AlphaCut(0.0),
    ConvexHull(),
    WOWTransformation(2),
    ChoquetTransformation(),
    ChoquetTransformation("common"),
]


@pytest.mark.parametrize("step", ALL, ids=repr)
@given(rows=sets)
def test_one_set_and_many_sets_agree(step, rows):
    before = rows.copy()
    together = step(rows)
    assert together.shape == rows.shape
    assert (rows == before).all()
    for row, result in zip(rows, together, strict=True):
        assert (step(row) == result).all()


@given(sets)
def test_normalised_sets_sum_to_one(rows):
    assert Normalisation()(rows).sum(axis=1) == pytest.approx(1)
    assert WOWTransformation(0.3)(rows).sum(axis=1) == pytest.approx(1)


@given(sets)
def test_the_convex_hull_is_the_smallest_set_without_valleys(rows):
    hull = ConvexHull()(rows)
    assert (hull >= rows).all()
    assert (ConvexHull()(hull) == hull).all()
    for row, filled in zip(rows, hull, strict=True):
        for level in range(row.size):
            assert filled[level] == min(row[: level + 1].max(), row[level:].max())


@given(sets)
def test_wow_with_the_identity_is_normalisation(rows):
    assert WOWTransformation(1)(rows) == pytest.approx(Normalisation()(rows), abs=1e-12)


def test_chains_run_from_left_to_right():
    chain = AlphaCut(0.5) | Normalisation()
    assert chain([0.25, 0.5, 1.5]).tolist() == [0.0, 0.25, 0.75]
    longer = chain | MostPossible()
    assert [type(step).__name__ for step in longer.steps] == ["AlphaCut", "Normalisation", "MostPossible"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Normalisation()([0.0, 0.0]), "1 of 1 fuzzy sets have no membership above 0"),
        (lambda: Normalisation()([0.5, -0.1]), "finite and not negative; 1 are not"),
        (lambda: Normalisation()([0.5, float("nan")]), "finite and not negative; 1 are not"),
        (lambda: Normalisation()([]), "row of memberships"),
        (lambda: (AlphaCut(0.9) | Normalisation())([0.5, 0.1]), "Normalisation: 1 of 1 fuzzy sets"),
        (lambda: AlphaCut(-1)([0.5]), "AlphaCut: alpha must be a number of at least 0; got -1"),
        (lambda: WOWTransformation(0)([0.5]), "WOWTransformation: alpha must be a number above 0; got 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises((DataError, ParameterError), match=message):
        call()
