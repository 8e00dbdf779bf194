"""Aggregation operators: many values of one scale become one."""

from __future__ import annotations

# The contract and the numeric operators.
from discreet.operators.base import Operator, operator_named, operator_names, register_operator
from discreet.operators.choquet_learning import ChoquetModel
from discreet.operators.fuzzy_measures import MAX_SOURCES, FuzzyMeasure, check_measure, mobius_transform, zeta_transform
from discreet.operators.generators import Generator, as_generator, exponential_generator, log_generator, power_generator
from discreet.operators.integrals import ChoquetIntegral, SugenoIntegral, SymmetricSugeno
from discreet.operators.learning import OperatorModel, OWAModel, QuasiWeightedMeanModel, WeightedMeanModel
from discreet.operators.means import (
    ArithmeticMean,
    NumericMedian,
    NumericOrderStatistic,
    QuasiArithmeticMean,
    QuasiWeightedMean,
    TrimmedMean,
    WeightedMean,
)
from discreet.operators.owa import OWA, WOWA
from discreet.operators.quantifier_reading import (
    NAMED_QUANTIFIERS,
    FunctionQuantifier,
    as_quantifier,
    check_quantifier,
    parse_quantifier,
    quantifier_with_orness,
)
from discreet.operators.quantifiers import Interpolated, Linear, PiecewiseLinear, Power, Quantifier, Sigmoid, Threshold
from discreet.operators.wowa_learning import WOWAModel

# isort: split
# Operators on ordered and unordered scales, and defuzzification.
from discreet.operators.aggregation_transformations import (
    AggregationTransformation,
    ChoquetTransformation,
    MeasureTransformation,
)
from discreet.operators.defuzzify import Defuzzifier, choquet_median, convex_rage, cwow_median, cwow_rage
from discreet.operators.element_selection import (
    RAGE,
    MeanSelection,
    MedianSelection,
    PluralitySelection,
    RandomSelection,
    Selection,
)
from discreet.operators.fuzzy_transformations import (
    AlphaCut,
    ConvexHull,
    MostPossible,
    Normalisation,
    Transformation,
    WOWTransformation,
)
from discreet.operators.linguistic import LinguisticOWA, SemanticsMean
from discreet.operators.ordinal_integrals import OrdinalSugeno, WeightedMax, WeightedMin
from discreet.operators.ordinal_logic import OrdinalLogic
from discreet.operators.ordinal_means import OrdinalChoquet, OrdinalWeightedMean
from discreet.operators.ordinal_measures import possibility_levels
from discreet.operators.ordinal_medians import (
    OrdinalMedian,
    OrdinalOrderStatistic,
    Plurality,
    WeightedMedian,
    WeightedOrderStatistic,
)
from discreet.operators.wow import WOW, ConvexWeightedMedian, CWOWMedian, CWOWPlurality, wow_weights

__all__ = [
    "MAX_SOURCES",
    "NAMED_QUANTIFIERS",
    "OWA",
    "WOWA",
    "ArithmeticMean",
    "ChoquetIntegral",
    "ChoquetModel",
    "FunctionQuantifier",
    "FuzzyMeasure",
    "Generator",
    "Interpolated",
    "Linear",
    "NumericMedian",
    "NumericOrderStatistic",
    "OWAModel",
    "Operator",
    "OperatorModel",
    "PiecewiseLinear",
    "Power",
    "Quantifier",
    "QuasiArithmeticMean",
    "QuasiWeightedMean",
    "QuasiWeightedMeanModel",
    "Sigmoid",
    "SugenoIntegral",
    "SymmetricSugeno",
    "Threshold",
    "TrimmedMean",
    "WOWAModel",
    "WeightedMean",
    "WeightedMeanModel",
    "as_generator",
    "as_quantifier",
    "check_measure",
    "check_quantifier",
    "exponential_generator",
    "log_generator",
    "mobius_transform",
    "operator_named",
    "operator_names",
    "parse_quantifier",
    "power_generator",
    "quantifier_with_orness",
    "register_operator",
    "zeta_transform",
]
__all__ += [
    "RAGE",
    "WOW",
    "AggregationTransformation",
    "AlphaCut",
    "CWOWMedian",
    "CWOWPlurality",
    "ChoquetTransformation",
    "ConvexHull",
    "ConvexWeightedMedian",
    "Defuzzifier",
    "LinguisticOWA",
    "MeanSelection",
    "MeasureTransformation",
    "MedianSelection",
    "MostPossible",
    "Normalisation",
    "OrdinalChoquet",
    "OrdinalLogic",
    "OrdinalMedian",
    "OrdinalOrderStatistic",
    "OrdinalSugeno",
    "OrdinalWeightedMean",
    "Plurality",
    "PluralitySelection",
    "RandomSelection",
    "Selection",
    "SemanticsMean",
    "Transformation",
    "WOWTransformation",
    "WeightedMax",
    "WeightedMedian",
    "WeightedMin",
    "WeightedOrderStatistic",
    "choquet_median",
    "convex_rage",
    "cwow_median",
    "cwow_rage",
    "possibility_levels",
    "wow_weights",
]
