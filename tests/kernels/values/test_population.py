"""The expected inverse of a population frequency, where it has a closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.kernels.values import population
from discreet.kernels.values.population import expected_inverse


def risks(sizes: list[int], shares: list[float]) -> np.ndarray:
    out = np.full(len(sizes), np.nan)
    expected_inverse(np.array(sizes, dtype=np.int64), np.array(shares), out)
    return out


@pytest.fixture(params=["ordered", "all"])
def both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every different class once, and one class after the other."""
    monkeypatch.setattr(population, "_MOST", 100_000 if request.param == "ordered" else 0)


@pytest.mark.usefixtures("both_ways")
def test_closed_forms_of_small_classes() -> None:
    # ₂F₁(1, 1; f + 1; 1 − p) of f = 1, 2 and 3, as handbooks write the individual risk.
    for p in (0.001, 0.1, 0.3, 0.499, 0.5, 0.501, 0.7, 0.9):
        q, log = 1.0 - p, math.log(1.0 / p)
        one, two = p / q * log, p / q**2 * (p * math.log(p) + q)
        three = p / (2 * q**3) * (q * (3 * q - 2) - 2 * p**2 * math.log(p))
        assert risks([1, 2, 3], [p, p, p]) == pytest.approx([one, two, three], rel=1e-10)


@pytest.mark.usefixtures("both_ways")
def test_a_whole_population_is_known_by_its_size() -> None:
    assert risks([1, 2, 7, 29, 30, 31, 1000], [1.0] * 7).tolist() == pytest.approx(
        [1, 1 / 2, 1 / 7, 1 / 29, 1 / 30, 1 / 31, 1 / 1000], rel=1e-15
    )


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("f", [4, 28, 29, 30, 31, 60])
@pytest.mark.parametrize("p", [0.05, 0.4, 0.49999, 0.5, 0.8])
def test_the_series_and_the_recursion_meet_at_their_borders(f: int, p: float) -> None:
    # A negative binomial number of people shares a key that f of them were drawn with: the mean of its inverse.
    mean, chance, people = 0.0, p**f, f
    while people < f + 60 / p * (1 + f**0.5):
        mean += chance / people
        people += 1
        chance *= (people - 1) / (people - f) * (1 - p)
    assert risks([f], [p])[0] == pytest.approx(mean, rel=1e-11)


@pytest.mark.usefixtures("both_ways")
def test_classes_keep_their_places_whatever_is_alike() -> None:
    sizes, shares = [2, 1, 2, 1, 2, 1, 2], [0.5, 0.5, 0.25, 0.5, 0.5, 0.25, 1.0]
    found = risks(sizes, shares)
    alone = [risks([size], [share])[0] for size, share in zip(sizes, shares, strict=True)]
    assert found.tolist() == alone
    assert len(set(alone)) == 5
    assert risks([], []).tolist() == []
