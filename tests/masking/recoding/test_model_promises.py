"""What is promised of privacy models is what was demanded, in the texts that are released."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.guarantees import Guarantee
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.masking.recoding.key_ladders import NamedLadder
from discreet.masking.recoding.lattice_search import SensitiveColumn
from discreet.masking.recoding.model_promises import ModelPromises
from discreet.models.cost_benefit import Profitability
from discreet.models.disclosure import AlphaK, BetaLikeness, DeltaDisclosure, LDiversity, TCloseClasses
from discreet.models.identity import KM, AverageRisk, DeltaPresence, K, KMap, PopulationUniqueness
from discreet.models.privacy_model import PrivacyModel

AGES = [30, 31, 40, 41, 42]
SICK = ["flu", "none", "flu", None, "cold", "none"]
TABLE = Microdata(
    pa.table({
        "age": pa.array([30, 31, 40, 41, 42, 42]), "sex": pa.array(["f", "m", "f", "m", "?", "f"]),
        "sick": pa.array(SICK), "visits": pa.array([1, 2, 1, -9, 3, 3]),
    }),
    Schema([
        Attribute("age", Numeric(), "key"), Attribute("sex", Nominal(["f", "m"]), "key", missing=("?",)),
        Attribute("sick", Nominal(["flu", "none", "cold"]), "confidential"),
        Attribute("visits", Ordinal([1, 2, 3]), "confidential", missing=(-9,)),
    ]),
)  # fmt: skip
NAMES = ("age", "sex")
LADDERS = {
    "age": NamedLadder.of("age", [(float(age), f"{age // 10}0s", "*") for age in AGES]),
    "sex": NamedLadder.of("sex", [("f", "any"), ("m", "any")]),
}
# As they are coded: by their values in order, the missing one last.
SENSITIVE = {
    "sick": SensitiveColumn(np.array([1, 2, 1, 3, 0, 2]), 4, np.array([[0, 1, 2, 3], [0, 0, 1, 1]])),
    "visits": SensitiveColumn(np.array([0, 1, 0, 3, 2, 2]), 4),
}
PEOPLE = {"age": np.array([0, 0, 1, 2, -1]), "sex": np.array([0, 0, 1, 1, 0])}


def promised(
    model: PrivacyModel, levels: tuple[int, int] = (0, 0), *, out: tuple[int, ...] = (), people: Any = None
) -> list[Guarantee]:
    left_out = np.isin(np.arange(6), out)
    promises = ModelPromises("generalisation", TABLE, NAMES, SENSITIVE, left_out)
    return list(
        promises.of([model], LADDERS, PEOPLE if people is None else people, dict(zip(NAMES, levels, strict=True)))
    )


def _plain(cell: Any) -> str:
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def told(guarantee: Guarantee) -> dict[str, Any]:
    rule = guarantee.rule
    assert rule is not None
    assert (guarantee.method, guarantee.k) == ("generalisation", 1)
    return {name: getattr(rule, name) for name in ("kind", "low", "high", "first", "second", "records")}


@pytest.mark.parametrize(
    ("model", "sensitive", "expected"),
    [
        (LDiversity(2.5, "sick", kind_of="entropy"), "sick", {"kind": "entropy", "low": 2.5}),
        (LDiversity(3, "sick", kind_of="recursive", c=4.0), "sick", {"kind": "recursive", "high": 4.0, "first": 3}),
        (TCloseClasses(0.2, "sick"), "sick", {"kind": "equal", "high": 0.2}),
        (TCloseClasses(0.2, "visits", distance="ordered"), "visits", {"kind": "ordered", "high": 0.2}),
        (TCloseClasses(0.2, "sick", distance="hierarchical"), "sick", {"kind": "hierarchical", "high": 0.2}),
        (BetaLikeness(1.5, "sick"), "sick", {"kind": "beta", "high": 1.5}),
        (BetaLikeness(1.5, "sick", enhanced=True), "sick", {"kind": "beta-enhanced", "high": 1.0, "first": 1.5}),
        (DeltaDisclosure(0.7, "sick"), "sick", {"kind": "delta", "high": 0.7}),
        (AlphaK(0.5, 3, "sick"), "sick", {"kind": "alpha", "high": 0.5}),
        (AverageRisk(0.2), None, {"kind": "average", "high": 0.2}),
        # `first` was one by the population, and is the population again.
        (PopulationUniqueness(0.1, 4000), None, {"kind": "uniques", "high": 0.1, "first": 4000.0}),
    ],
)
def test_a_demand_becomes_its_promise(model: PrivacyModel, sensitive: str | None, expected: dict[str, Any]) -> None:
    (guarantee,) = promised(model)
    plain = {"low": -np.inf, "high": np.inf, "first": 0.0, "second": 0.0, "records": 6}
    assert told(guarantee) == pytest.approx(plain | expected)
    assert guarantee.attributes == NAMES
    assert guarantee.sensitive == sensitive
    assert guarantee.missing == {"sex": ("?",)} | ({"visits": (-9,)} if sensitive == "visits" else {})


def test_sizes_alone_are_promised_elsewhere() -> None:
    assert promised(K(3)) == []
    assert promised(LDiversity(2, "sick")) == []


def test_combinations_and_items() -> None:
    (guarantee,) = promised(K({1: 4, 2: 2}))
    assert guarantee.rule is not None
    assert (guarantee.rule.kind, guarantee.rule.sizes, guarantee.attributes) == ("combinations", {1: 4, 2: 2}, NAMES)
    (guarantee,) = promised(K({1: 4}, keys=["sex"]))
    assert guarantee.attributes == ("sex",)
    for model, columns, most in [
        (KM(3, 5), NAMES, 2), (KM(3, 1), NAMES, 1), (KM(3, 2, items=["sex"]), ("sex",), 1),
        (KM(3, 2, keys=["age"]), ("age",), 1),
    ]:  # fmt: skip
        (guarantee,) = promised(model)
        assert guarantee.attributes == columns
        assert told(guarantee) | {"records": 0} == {
            "kind": "items", "low": 3, "high": np.inf, "first": most, "second": 0.0, "records": 0,
        }  # fmt: skip


def test_confidential_values_are_told_in_order_with_what_is_left_out() -> None:
    (guarantee,) = promised(TCloseClasses(0.2, "sick", distance="hierarchical"), out=(0, 2, 3))
    rule = guarantee.rule
    assert rule is not None
    assert rule.values == ("cold", "flu", "none", "")
    assert rule.left_out == {"flu": 2, "": 1}
    assert rule.tree == {"cold": (0, 0), "flu": (1, 0), "none": (2, 1), "": (3, 1)}
    assert rule.numbers == frozenset()
    (guarantee,) = promised(TCloseClasses(0.2, "visits"), out=(4,))
    rule = guarantee.rule
    assert rule is not None
    assert (rule.values, rule.left_out, rule.tree, rule.numbers) == (("1", "2", "3", ""), {"3": 1}, {}, {"visits"})


@pytest.mark.parametrize("levels", [(0, 0), (1, 0), (2, 1)])
def test_people_are_told_as_they_would_be_released(levels: tuple[int, int]) -> None:
    population = Microdata(pa.table({"age": [30], "sex": ["f"]}), Schema([TABLE.schema["age"], TABLE.schema["sex"]]))
    texts = {
        name: [_plain(row[level]) for row in LADDERS[name].rows] for name, level in zip(NAMES, levels, strict=True)
    }
    expected: dict[tuple[str, ...], int] = {}
    for age, sex in zip(*(PEOPLE[name].tolist() for name in NAMES), strict=True):
        person = (texts["age"][age] if age >= 0 else "", texts["sex"][sex])
        expected[person] = expected.get(person, 0) + 1
    for model, kind, low, high in [
        (KMap(4, population), "k-map", 4, np.inf), (DeltaPresence(0.1, 0.6, population), "presence", 0.1, 0.6),
    ]:  # fmt: skip
        (guarantee,) = promised(model, levels)
        assert guarantee.rule is not None
        assert told(guarantee) == {"kind": kind, "low": low, "high": high, "first": 0.0, "second": 0.0, "records": 6}
        assert guarantee.rule.people == expected
        assert guarantee.rule.numbers == ({"age"} if levels[0] == 0 else set())
    (guarantee,) = promised(KMap(4, population), levels, people={})
    assert guarantee.rule is not None
    assert guarantee.rule.people == {}


@pytest.mark.parametrize("levels", [(0, 0), (1, 0), (1, 1), (2, 1)])
def test_what_a_released_text_loses(levels: tuple[int, int]) -> None:
    model = Profitability(benefit=8.0, loss=6.0, gain=10.0, cost=2.0)
    (guarantee,) = promised(model, levels)
    rule = guarantee.rule
    assert rule is not None
    (demand,) = model.demands(NAMES)
    assert (rule.kind, rule.low, rule.first, rule.second) == ("profit", demand.low, demand.first, demand.second)
    assert (demand.first, demand.second) == (0.75, 5.0)
    information = math.log2(5) + math.log2(2)
    covered = {
        "age": [{"30": 1, "31": 1, "40": 1, "41": 1, "42": 1}, {"30s": 2, "40s": 3}, {"*": 5}][levels[0]] | {"*": 5},
        "sex": [{"f": 1, "m": 1}, {"any": 2}][levels[1]] | {"any": 2},
    }
    expected = {
        name: {text: math.log2(n) / information for text, n in texts.items()} | {"": 0.0}
        for name, texts in covered.items()
    }
    assert rule.lost.keys() == expected.keys()
    for name, texts in expected.items():
        assert rule.lost[name] == pytest.approx(texts)
    assert rule.people == {}
    assert rule.numbers == ({"age"} if levels[0] == 0 else set())


def test_of_people_the_payout_is_told_with_them() -> None:
    population = Microdata(pa.table({"age": [30], "sex": ["f"]}), Schema([TABLE.schema["age"], TABLE.schema["sex"]]))
    (guarantee,) = promised(Profitability(benefit=8.0, loss=6.0, gain=10.0, cost=2.0, population=population), (1, 1))
    assert guarantee.rule is not None
    assert guarantee.rule.people == {("30s", "any"): 3, ("40s", "any"): 1, ("", "any"): 1}
