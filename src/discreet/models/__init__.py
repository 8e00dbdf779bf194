"""Privacy models: what a release must keep, as predicates on its classes of equal keys."""

from __future__ import annotations

from discreet.models.cost_benefit import NoAttack, Profitability
from discreet.models.disclosure import AlphaK, BetaLikeness, DeltaDisclosure, LDiversity, TCloseClasses
from discreet.models.identity import KM, AverageRisk, DeltaPresence, HighestRisk, K, KMap, PopulationUniqueness
from discreet.models.privacy_model import Demand, PrivacyModel

__all__ = [
    "KM",
    "AlphaK",
    "AverageRisk",
    "BetaLikeness",
    "DeltaDisclosure",
    "DeltaPresence",
    "Demand",
    "HighestRisk",
    "K",
    "KMap",
    "LDiversity",
    "NoAttack",
    "PopulationUniqueness",
    "PrivacyModel",
    "Profitability",
    "TCloseClasses",
]
