"""What a type checker must let pass, and what runs: parameters of every kind, given as people give them."""

from __future__ import annotations

import numpy as np

import discreet as dc
from discreet.operators import OWA, ChoquetIntegral, FuzzyMeasure, NumericMedian, OrdinalMedian, TrimmedMean


def right_uses() -> list[object]:
    """Return one of each."""
    masker: dc.MDAV = dc.MDAV(5, missing="fill", standardise="range", blocks=[["a", "b"], ["c"]], decimals={"a": 1})
    k: int = masker.k
    names: tuple[str, ...] = dc.MDAV.parameter_names()
    return [
        masker.set_params(k=k + 1, blocks=2),
        names,
        dc.MDAV(k=3, refine="10s", polish=None, random_state=np.random.default_rng(1)),
        dc.Refine(4, start=dc.WardMicroaggregation(4), budget=3),
        dc.IndividualRanking(k=3, sizes="fixed", operator=NumericMedian("lower")),
        dc.KModes(3, operators={"ordinal": OrdinalMedian(side="upper")}, importance={"a": 2}),
        dc.BalancedKModes(rounds=3, grouping="association"),
        dc.RankSwapping(p=5, strata=("a",)),
        dc.PRAM(theta=0.2, design="uniform", matrix=None),
        dc.TopCoding({"a": 2}, replacement="mean"),
        dc.HierarchyRecoding({"a": "areas.csv"}, step={"a": 1}),
        dc.KSHC(k=2, linkage="single", quantifier="power:2"),
        dc.DistanceLinkage(attributes=["a"], metric="max", weights={"a": 2.0}),
        dc.ProbabilisticLinkage(similarity_levels=(0.8, 0.9), bins=None),
        dc.RepresentativeLinkage(operators=[OWA("power:2"), TrimmedMean(0.2)]),
        dc.SupervisedLinkage([(0, 1), (1, 0)], distance="choquet"),
        dc.KAnonymityViolations(5, missing="any"),
        dc.RegressionLoss("a", ["b", "c"], weighted=True),
        dc.DistanceLinkageRisk(direction="release"),
        ChoquetIntegral(FuzzyMeasure({(0,): 0.25, (1,): 0.5, (0, 1): 1.0})),
        dc.grid(dc.MDAV, k=[3, 5]),
        dc.Schema([dc.Attribute("a", dc.Ordinal(["low", "high"]), "key")]),
    ]
