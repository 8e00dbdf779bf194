"""What the models of confidential values demand, and of which keys."""

from __future__ import annotations

import pytest

from discreet.kernels.generalising.class_rules import (
    ALPHA,
    BETA,
    BETA_ENHANCED,
    CLOSE_EQUAL,
    CLOSE_ORDERED,
    CLOSE_TREE,
    DELTA,
    DISTINCT,
    ENTROPY,
    RECURSIVE,
    SIZE,
)
from discreet.models.disclosure import AlphaK, BetaLikeness, DeltaDisclosure, LDiversity, TCloseClasses
from discreet.models.privacy_model import Demand, SensitiveModel

NAMES = ("age", "pay", "sex")
KEYS = ("age", "sex")


@pytest.mark.parametrize(
    ("model", "demand"),
    [
        (LDiversity(2, "pay"), Demand(DISTINCT, KEYS, low=2, sensitive="pay")),
        (LDiversity(2, "pay", kind_of="entropy"), Demand(ENTROPY, KEYS, low=2, sensitive="pay")),
        (LDiversity(2, "pay", kind_of="recursive", c=3), Demand(RECURSIVE, KEYS, high=3, first=2, sensitive="pay")),
        (TCloseClasses(0.2, "pay"), Demand(CLOSE_EQUAL, KEYS, high=0.2, sensitive="pay")),
        (TCloseClasses(0.2, "pay", distance="ordered"), Demand(CLOSE_ORDERED, KEYS, high=0.2, sensitive="pay")),
        (TCloseClasses(0.2, "pay", distance="hierarchical"), Demand(CLOSE_TREE, KEYS, high=0.2, sensitive="pay")),
        (BetaLikeness(1.5, "pay"), Demand(BETA, KEYS, high=1.5, sensitive="pay")),
        (BetaLikeness(1.5, "pay", enhanced=True), Demand(BETA_ENHANCED, KEYS, high=1, first=1.5, sensitive="pay")),
        (DeltaDisclosure(0.7, "pay"), Demand(DELTA, KEYS, high=0.7, sensitive="pay")),
    ],
)
def test_a_model_demands_one_rule_of_the_keys_without_the_value(model: SensitiveModel, demand: Demand) -> None:
    assert model.demands(NAMES) == [demand]
    assert model.confidential == "pay"
    assert model.smallest == 1


def test_alpha_k_is_a_size_and_a_share() -> None:
    model = AlphaK(0.6, 3, "pay")
    assert model.demands(NAMES) == [Demand(SIZE, KEYS, low=3), Demand(ALPHA, KEYS, high=0.6, sensitive="pay")]
    assert model.smallest == 3
    assert AlphaK(0.6, 3, "pay", keys=["age"]).smallest == 1
    assert AlphaK(0.6, 3, "pay", keys=["age"]).demands(NAMES)[0] == Demand(SIZE, ("age",), low=3)


def test_only_different_values_stay_where_a_class_grows() -> None:
    assert LDiversity(2, "pay").steadfast
    assert not LDiversity(2, "pay", kind_of="entropy").steadfast
    assert not LDiversity(2, "pay", kind_of="recursive").steadfast
    assert not TCloseClasses(0.2, "pay").steadfast
