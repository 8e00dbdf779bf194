"""Every measure and every linker on a release with dates: a figure, or a clear word."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.masking.dates_table import dates

import discreet as dc
from discreet import catalogue
from discreet.errors import DiscreetError


@pytest.fixture(scope="module")
def pair():
    original = dates(80)
    return original, dc.MDAV(k=4).mask(original)


@pytest.mark.parametrize("name", sorted(catalogue.measures()))
def test_every_measure_speaks_of_dates(name, pair) -> None:
    original, masked = pair
    for measure in catalogue.measures()[name].examples():
        try:
            figure = measure.measure(original, masked)
        except DiscreetError as error:
            assert type(measure).__name__ in str(error) or "'" in str(error)
            continue
        assert math.isfinite(figure.value)
        assert figure.sentence


@pytest.mark.parametrize("name", ["distance", "probabilistic", "masking-aware"])
def test_linkers_find_people_by_dates_alone(name) -> None:
    original = dates(80).select(["born", "admitted", "seen"])
    links = dc.attack(original, dc.AdditiveNoise(0.001, random_state=1).mask(original), name)
    assert links.evaluate().rate > 0.9


def test_distances_are_of_days_whatever_the_format() -> None:
    original = dates(80).select(["born", "admitted"])
    linker = catalogue.linkers()["distance"]()
    links = linker.link(original, original)
    assert np.array_equal(np.asarray(links.best), np.arange(80))
