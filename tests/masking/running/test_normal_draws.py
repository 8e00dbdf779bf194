"""Normal numbers of positions: those of the uniform draws, and finite."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from discreet.masking.running.hiding import present_values, too_few
from discreet.masking.running.normal_draws import normal_draws
from discreet.masking.running.row_products import row_products


class FixedDraws:
    """In place of keyed draws."""

    def uniforms(self, rows: Any, streams: int) -> Any:
        return np.array([[0.5, 0.975], [0.0, 0.25]])[rows][:, :streams]


def test_normal_numbers_are_the_quantiles_of_uniform_ones() -> None:
    found = normal_draws(FixedDraws(), np.array([1, 0]), 2)  # type: ignore[arg-type]
    normal = NormalDist()
    assert found[1].tolist() == pytest.approx([0.0, normal.inv_cdf(0.975)])
    assert found[0].tolist() == pytest.approx([normal.inv_cdf(2.0**-54), normal.inv_cdf(0.25)])


def test_products_are_those_of_the_matrix_in_blocks_of_any_size() -> None:
    rng = np.random.default_rng(1)
    values, matrix = rng.normal(size=(50, 3)), rng.normal(size=(3, 2))
    whole = row_products(values, matrix)
    np.testing.assert_allclose(whole, values @ matrix)
    np.testing.assert_array_equal(
        whole, np.concatenate([row_products(values[:7], matrix), row_products(values[7:], matrix)])
    )


def test_what_is_present() -> None:
    assert present_values(np.array([0, -1, 3], dtype=np.int32)).tolist() == [0, 2]
    assert present_values(np.array([0.0, np.nan, -3.0])).tolist() == [0, 2]
    assert "'pay' has 2 values; it takes 5" in str(too_few("Swap", "pay", 2, 5))
