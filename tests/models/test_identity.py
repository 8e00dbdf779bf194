"""What the models of identity demand, of which keys, and what they say about generalising."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.kernels.generalising.class_rules import AVERAGE, ITEMS, POPULATION, PRESENCE, SIZE, UNIQUES
from discreet.models.identity import (
    KM,
    AverageRisk,
    BySize,
    DeltaPresence,
    HighestRisk,
    K,
    KMap,
    PopulationUniqueness,
)
from discreet.models.privacy_model import Demand

NAMES = ("age", "sex", "area")
PEOPLE = Microdata(pl.DataFrame({"age": ["1"]}), Schema([Attribute("age", Nominal(["1"]), "key")]))


def test_k_demands_a_size_of_all_keys_of_some_or_of_combinations() -> None:
    assert K(4).demands(NAMES) == [Demand(SIZE, NAMES, low=4)]
    assert K(4, keys=["area", "age"]).demands(NAMES) == [Demand(SIZE, ("age", "area"), low=4)]
    by_size = K({1: 20, 3: 5}).demands(NAMES)
    assert by_size == [*(Demand(SIZE, (name,), low=20) for name in NAMES), Demand(SIZE, NAMES, low=5)]
    with pytest.raises(ParameterError, match="combinations of 4 keys; there are 3"):
        K({4: 2}).demands(NAMES)
    assert (K(4).smallest, K(4, keys=["age"]).smallest, K({1: 20}).smallest) == (4, 1, 1)


def test_thresholds_by_size_are_whole_numbers() -> None:
    one = BySize()
    assert one.accepts({1: 20, 2: 10})
    assert not one.accepts({})
    assert not one.accepts({0: 20})
    assert not one.accepts({1: 0})
    assert not one.accepts({1: 2.5})
    assert not one.accepts([1, 2])
    assert one.parse("1:20 2:10+3:5") == {1: 20, 2: 10, 3: 5}


def test_models_of_a_population_ask_who_is_in_it(tmp_path: Path) -> None:
    assert KMap(7, PEOPLE).demands(NAMES) == [Demand(POPULATION, NAMES, low=7)]
    assert DeltaPresence(0.1, 0.5, PEOPLE).demands(NAMES) == [Demand(PRESENCE, NAMES, low=0.1, high=0.5)]
    assert KMap(7, PEOPLE).people is PEOPLE
    file = tmp_path / "people.csv"
    file.write_text("age,sex\n1,m\n2,\n", encoding="utf-8")
    for model in (KMap(7, str(file)), DeltaPresence(0, 1, file)):
        people = model.people
        assert people is not None
        assert (people.names, len(people)) == (("age", "sex"), 2)
    assert KMap.examples() == DeltaPresence.examples() == []
    # A class that grows by people of whom none is released falls below a lower bound.
    assert DeltaPresence(0, 0.5, PEOPLE).monotone
    assert not DeltaPresence(0.1, 0.5, PEOPLE).monotone


def test_km_demands_every_combination_of_up_to_m_items() -> None:
    pairs = [("age", "sex"), ("age", "area"), ("sex", "area")]
    assert KM(5, 2).demands(NAMES) == [Demand(ITEMS, c, low=5) for c in [*((name,) for name in NAMES), *pairs]]
    assert KM(5, 3, items=["sex", "age"]).demands(NAMES) == [
        Demand(ITEMS, c, low=5) for c in [("age",), ("sex",), ("age", "sex")]
    ]
    with pytest.raises(ParameterError, match="items has 1 columns that are not generalised"):
        KM(5, 2, items=["sex", "job"]).demands(NAMES)


def test_risks_are_sizes_and_shares() -> None:
    assert HighestRisk(0.3).demands(NAMES) == [Demand(SIZE, NAMES, low=1 / 0.3)]
    # One in three and a third is met by four; a fifth by five, whatever a division leaves.
    assert [HighestRisk(risk).smallest for risk in (0.3, 0.2, 1 / 3, 0.1, 1.0)] == [4, 5, 3, 10, 1]
    assert HighestRisk(0.3, keys=["age"]).smallest == 1
    assert AverageRisk(0.1).demands(NAMES) == [Demand(AVERAGE, NAMES, high=0.1)]
    assert PopulationUniqueness(0.01, 250).demands(NAMES) == [Demand(UNIQUES, NAMES, high=0.01, first=1 / 250)]
    for model in (AverageRisk(0.1, keys=["age"]), PopulationUniqueness(0.1, 9, keys=["age"])):
        with pytest.raises(ParameterError, match="keys must be None"):
            model.demands(NAMES)


def test_what_is_said_about_generalising() -> None:
    steadfast = {type(m).__name__ for m in (K(2), KMap(2, PEOPLE), KM(2, 1), HighestRisk(0.5)) if m.steadfast}
    assert steadfast == {"K", "KMap", "KM", "HighestRisk"}
    assert not AverageRisk(0.1).steadfast
    assert AverageRisk(0.1).of_file
    assert PopulationUniqueness(0.1, 9).of_file
    assert not K(2).of_file
    assert all(m.monotone for m in (K(2), KM(2, 1), AverageRisk(0.1)))


def test_a_model_is_known_by_its_parameters() -> None:
    one, same, other = KMap(2, PEOPLE), KMap(2, PEOPLE), KMap(3, PEOPLE)
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert K(3) != HighestRisk(1 / 3)
    assert len({K(2), K(2), K(3)}) == 2
    assert K(3, keys=["age"]).to_dict() == {"model": "k", "k": 3, "keys": ["age"]}
    assert one.to_dict() == {"model": "k-map", "k": 2, "population": repr(PEOPLE), "keys": None}
    assert repr(K()) == "K()"
    assert repr(K(3, keys=["age"])) == "K(k=3, keys=['age'])"
    assert AverageRisk(0.1).smallest == 1
    assert (AverageRisk(0.1).people, AverageRisk(0.1).confidential) == (None, None)
    assert Demand(SIZE, NAMES) == Demand(SIZE, NAMES, low=-np.inf, high=np.inf, first=0.0, second=0.0, sensitive=None)
