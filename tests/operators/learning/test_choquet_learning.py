"""Fuzzy measures learned from examples: what is compared, and what must hold."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.operators import ChoquetIntegral, ChoquetModel, FuzzyMeasure
from discreet.operators.learning.choquet_learning import _monotone_rows, _repaired


def test_subsets_are_those_of_at_most_k_sources() -> None:
    assert ChoquetModel()._subsets(3).tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert ChoquetModel(k=1)._subsets(3).tolist() == [1, 2, 4]
    assert ChoquetModel(k=2)._subsets(3).tolist() == [1, 2, 3, 4, 5, 6]
    assert ChoquetModel(k=9)._subsets(2).tolist() == [1, 2, 3]
    assert ChoquetModel(k=2)._parameters() == {"k": 2}


def test_too_many_subsets_are_refused(monkeypatch) -> None:
    ChoquetModel(k=1)._subsets(17)
    for n in (18, 20, 21):
        with pytest.raises(ParameterError, match=f"k must be smaller for {n} sources; got 3"):
            ChoquetModel(k=3)._subsets(n)
    # Three sources have 12 rows of 7 subsets.
    monkeypatch.setattr("discreet.operators.learning.choquet_learning._LARGEST", 84)
    ChoquetModel()._subsets(3)
    monkeypatch.setattr("discreet.operators.learning.choquet_learning._LARGEST", 83)
    with pytest.raises(ParameterError, match="k must be smaller for 3 sources; got None"):
        ChoquetModel()._subsets(3)


def test_a_column_is_the_least_value_of_its_subset() -> None:
    rows = np.array([[5.0, 2.0, 7.0], [1.0, 4.0, 3.0]])
    assert ChoquetModel()._design(rows).tolist() == [[5, 2, 2, 7, 5, 2, 2], [1, 4, 1, 3, 1, 3, 1]]
    assert ChoquetModel(k=1)._design(rows).tolist() == rows.tolist()


def test_a_source_must_add_to_every_set_without_it() -> None:
    # Of {0}, {1} and {0, 1}: 0 alone, 0 to {1}, 1 alone, 1 to {0}.
    assert _monotone_rows(2, np.array([1, 2, 3])).tolist() == [[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]]
    assert _monotone_rows(2, np.array([1, 2])).tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]


def test_rounding_is_taken_off_a_measure() -> None:
    # In units of the whole, which is 2: below nothing, a fall, and a value beyond the whole.
    assert _repaired(np.array([0.0, -1e-9, 0.8, 0.7, 0.5, 2.1, 0.9, 2.0])).tolist() == [
        0.0, 0.0, 0.4, 0.4, 0.25, 1.0, 0.45, 1.0,
    ]  # fmt: skip


def test_a_measure_is_learned_and_its_importances_are_told() -> None:
    rng = np.random.default_rng(0)
    rows = rng.random((60, 3))
    made = FuzzyMeasure([0, 0.2, 0.3, 0.6, 0.1, 0.5, 0.7, 1.0])
    integral = ChoquetIntegral(made)
    model = ChoquetModel().fit(rows, [integral(row) for row in rows.tolist()])
    assert model.measure_.values == pytest.approx(made.values, abs=1e-5)
    assert model.distance_ == pytest.approx(0, abs=1e-8)
    assert list(model._importance().values()) == pytest.approx(made.shapley(), abs=1e-5)
    # With interactions of two alone the nearest is another, and farther.
    nearest = ChoquetModel(k=1).fit(rows, [integral(row) for row in rows.tolist()])
    assert nearest.distance_ > 0.001
    assert nearest.measure_.additivity(1e-6) == 1


def test_where_rows_say_nothing_the_measure_is_that_of_the_mean() -> None:
    rows = np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])
    model = ChoquetModel().fit(rows, [1.0, 2.0])
    assert model.measure_.values == pytest.approx([0, 1 / 3, 1 / 3, 2 / 3, 1 / 3, 2 / 3, 2 / 3, 1], abs=1e-4)
