"""Aggregation operators: many values of one scale become one."""

from __future__ import annotations

from discreet.operators.fuzzy.fuzzy_measures import (
    MAX_SOURCES,
    FuzzyMeasure,
    check_measure,
    mobius_transform,
    zeta_transform,
)
from discreet.operators.learning.choquet_learning import ChoquetModel
from discreet.operators.learning.models import OperatorModel, OWAModel, QuasiWeightedMeanModel, WeightedMeanModel
from discreet.operators.learning.wowa_learning import WOWAModel
from discreet.operators.numbers.expert_weights import PairwiseWeights, entropy_weights, pairwise_weights
from discreet.operators.numbers.generators import (
    Generator,
    as_generator,
    exponential_generator,
    log_generator,
    power_generator,
)
from discreet.operators.numbers.integrals import ChoquetIntegral, SugenoIntegral, SymmetricSugeno
from discreet.operators.numbers.layered_means import MeanHierarchy
from discreet.operators.numbers.means import (
    ArithmeticMean,
    NumericMedian,
    NumericOrderStatistic,
    QuasiArithmeticMean,
    QuasiWeightedMean,
    TrimmedMean,
    WeightedMean,
)
from discreet.operators.numbers.owa import OWA, WOWA
from discreet.operators.numbers.quantifiers import (
    Interpolated,
    Linear,
    PiecewiseLinear,
    Power,
    Quantifier,
    Sigmoid,
    Threshold,
)

# The contract and the numeric operators.
from discreet.operators.operator import Operator, operator_named, operator_names, register_operator
from discreet.operators.operator_text import (
    NAMED_QUANTIFIERS,
    FunctionQuantifier,
    as_quantifier,
    check_quantifier,
    parse_quantifier,
    quantifier_with_orness,
)

# isort: split
# Operators on ordered and unordered scales, and defuzzification.
from discreet.operators.fuzzy.aggregation_transformations import (
    AggregationTransformation,
    ChoquetTransformation,
    MeasureTransformation,
)
from discreet.operators.fuzzy.defuzzify import Defuzzifier, choquet_median, convex_rage, cwow_median, cwow_rage
from discreet.operators.fuzzy.element_selection import (
    RAGE,
    MeanSelection,
    MedianSelection,
    PluralitySelection,
    RandomSelection,
    Selection,
)
from discreet.operators.fuzzy.fuzzy_transformations import (
    AlphaCut,
    ConvexHull,
    MostPossible,
    Normalisation,
    Transformation,
    WOWTransformation,
)
from discreet.operators.levels.least_distance import LeastDistance
from discreet.operators.levels.linguistic import LinguisticOWA, LinguisticWOWA, SemanticsMean
from discreet.operators.levels.ordinal_integrals import OrdinalSugeno, WeightedMax, WeightedMin
from discreet.operators.levels.ordinal_logic import OrdinalLogic
from discreet.operators.levels.ordinal_means import OrdinalChoquet, OrdinalWeightedMean
from discreet.operators.levels.ordinal_measures import possibility_levels
from discreet.operators.levels.ordinal_medians import (
    OrdinalMedian,
    OrdinalOrderStatistic,
    Plurality,
    WeightedMedian,
    WeightedOrderStatistic,
)
from discreet.operators.levels.wow import WOW, ConvexWeightedMedian, CWOWMedian, CWOWPlurality, wow_weights

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
    "MeanHierarchy",
    "NumericMedian",
    "NumericOrderStatistic",
    "OWAModel",
    "Operator",
    "OperatorModel",
    "PairwiseWeights",
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
    "entropy_weights",
    "exponential_generator",
    "log_generator",
    "mobius_transform",
    "operator_named",
    "operator_names",
    "pairwise_weights",
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
    "LeastDistance",
    "LinguisticOWA",
    "LinguisticWOWA",
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
