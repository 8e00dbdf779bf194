"""Statistical disclosure control: mask microdata, attack the release, measure what it cost.

>>> import discreet as dc
>>> survey = dc.datasets.business(200)
>>> masked = dc.MDAV(k=5).mask(survey)
>>> verdict = dc.assess(survey, masked)
>>> 0 < verdict.score.value < 50
True

Written by tools/public_names.py, in two halves. Type checkers and editors read the first and know every name; the
interpreter reads the second, which imports the one module a name lives in when it is used, so that importing the
package stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet._version import __version__

if TYPE_CHECKING:
    from discreet import datasets as datasets
    from discreet import errors as errors
    from discreet import models as models
    from discreet import operators as operators
    from discreet import progress as progress
    from discreet import release as release
    from discreet.catalogue import methods as methods
    from discreet.contracts.intruder import Intruder as Intruder
    from discreet.data import scales as scales
    from discreet.data.microdata import Microdata as Microdata
    from discreet.data.microdata import microdata as microdata
    from discreet.data.scales.date import Date as Date
    from discreet.data.scales.date_time import DateTime as DateTime
    from discreet.data.scales.item_set import ItemSet as ItemSet
    from discreet.data.scales.nominal import Nominal as Nominal
    from discreet.data.scales.numeric import Numeric as Numeric
    from discreet.data.scales.ordinal import Ordinal as Ordinal
    from discreet.data.scales.query_log import QueryLog as QueryLog
    from discreet.data.scales.sequence import Sequence as Sequence
    from discreet.data.scales.time_series import TimeSeries as TimeSeries
    from discreet.data.scales.trajectory import Trajectory as Trajectory
    from discreet.data.schema import Attribute as Attribute
    from discreet.data.schema import Schema as Schema
    from discreet.data.survey import Declaration as Declaration
    from discreet.engines.memory import MemoryEngine as MemoryEngine
    from discreet.engines.spark import SparkEngine as SparkEngine
    from discreet.engines.streaming import StreamingEngine as StreamingEngine
    from discreet.errors import DiscreetError as DiscreetError
    from discreet.errors import DiscreetWarning as DiscreetWarning
    from discreet.evaluation.advice import advise as advise
    from discreet.evaluation.assessing import assess as assess
    from discreet.evaluation.assessing import attack as attack
    from discreet.evaluation.assessing import measure as measure
    from discreet.evaluation.assessing import protect as protect
    from discreet.evaluation.candidates import grid as grid
    from discreet.evaluation.certifying import certify as certify
    from discreet.evaluation.joint_attack import attack_together as attack_together
    from discreet.evaluation.loss_intervals import loss_intervals as loss_intervals
    from discreet.evaluation.objective import privacy_utility as privacy_utility
    from discreet.evaluation.risk_of_file import risk as risk
    from discreet.evaluation.study import compare as compare
    from discreet.evaluation.table_correction import correct_table as correct_table
    from discreet.evaluation.tuning import tune as tune
    from discreet.io.reading import inspect as inspect
    from discreet.io.reading import read as read
    from discreet.io.reading import scan as scan
    from discreet.io.reading import write as write
    from discreet.linkage.combined import combine as combine
    from discreet.linkage.shared.blocking import BlockedLinkage as BlockedLinkage
    from discreet.linkage.shared.distance import DistanceLinkage as DistanceLinkage
    from discreet.linkage.shared.learned_distance import LearnedDistanceLinkage as LearnedDistanceLinkage
    from discreet.linkage.shared.masking_aware import MaskingAwareLinkage as MaskingAwareLinkage
    from discreet.linkage.shared.probabilistic import ProbabilisticLinkage as ProbabilisticLinkage
    from discreet.linkage.shared.sequence_distance import SequenceLinkage as SequenceLinkage
    from discreet.linkage.unshared.rank_to_rank import FirstComponentLinkage as FirstComponentLinkage
    from discreet.linkage.unshared.rank_to_rank import SumOfScoresLinkage as SumOfScoresLinkage
    from discreet.linkage.unshared.representatives import RepresentativeLinkage as RepresentativeLinkage
    from discreet.linkage.unshared.structural import StructuralLinkage as StructuralLinkage
    from discreet.linkage.unshared.supervised import SupervisedLinkage as SupervisedLinkage
    from discreet.linkage.unshared.variables import match_variables as match_variables
    from discreet.masking.microaggregation.numbers.c_means import CMeans as CMeans
    from discreet.masking.microaggregation.numbers.genetic import GeneticMicroaggregation as GeneticMicroaggregation
    from discreet.masking.microaggregation.numbers.mdav import MDAV as MDAV
    from discreet.masking.microaggregation.numbers.mhm import MHM as MHM
    from discreet.masking.microaggregation.numbers.projection import (
        ProjectionMicroaggregation as ProjectionMicroaggregation,
    )
    from discreet.masking.microaggregation.numbers.refinement import Refine as Refine
    from discreet.masking.microaggregation.numbers.t_close import TCloseMDAV as TCloseMDAV
    from discreet.masking.microaggregation.numbers.univariate import IndividualRanking as IndividualRanking
    from discreet.masking.microaggregation.numbers.vmdav import VMDAV as VMDAV
    from discreet.masking.microaggregation.numbers.ward import WardMicroaggregation as WardMicroaggregation
    from discreet.masking.microaggregation.records.balanced import BalancedKModes as BalancedKModes
    from discreet.masking.microaggregation.records.kmodes import KModes as KModes
    from discreet.masking.microaggregation.records.kprototypes import KPrototypes as KPrototypes
    from discreet.masking.microaggregation.records.mixed_mdav import MixedMDAV as MixedMDAV
    from discreet.masking.microaggregation.records.mondrian import Mondrian as Mondrian
    from discreet.masking.microaggregation.records.sorted_groups import SortedGroups as SortedGroups
    from discreet.masking.microaggregation.sequences.kshc import KSHC as KSHC
    from discreet.masking.microaggregation.sequences.sequence_mdav import SequenceMDAV as SequenceMDAV
    from discreet.masking.perturbing.date_shifting import DateShifting as DateShifting
    from discreet.masking.perturbing.donut import DonutDisplacement as DonutDisplacement
    from discreet.masking.perturbing.noise import AdditiveNoise as AdditiveNoise
    from discreet.masking.perturbing.noise import CorrelatedNoise as CorrelatedNoise
    from discreet.masking.perturbing.noise import MultiplicativeNoise as MultiplicativeNoise
    from discreet.masking.perturbing.pram import PRAM as PRAM
    from discreet.masking.perturbing.record_swapping import RecordSwapping as RecordSwapping
    from discreet.masking.perturbing.romm import ROMM as ROMM
    from discreet.masking.perturbing.rounding import Rounding as Rounding
    from discreet.masking.perturbing.shuffling import Shuffling as Shuffling
    from discreet.masking.perturbing.swapping import RankSwapping as RankSwapping
    from discreet.masking.perturbing.swapping_buckets import BucketSwapping as BucketSwapping
    from discreet.masking.perturbing.swapping_distribution import DistributionSwapping as DistributionSwapping
    from discreet.masking.recoding.adjacent import AdjacentMerging as AdjacentMerging
    from discreet.masking.recoding.banding import Banding as Banding
    from discreet.masking.recoding.code_truncation import CodeTruncation as CodeTruncation
    from discreet.masking.recoding.coding import BottomCoding as BottomCoding
    from discreet.masking.recoding.coding import TopCoding as TopCoding
    from discreet.masking.recoding.date_coarsening import DateCoarsening as DateCoarsening
    from discreet.masking.recoding.generalisation import Generalisation as Generalisation
    from discreet.masking.recoding.global_recoding import GlobalRecoding as GlobalRecoding
    from discreet.masking.recoding.grid_cells import GridCells as GridCells
    from discreet.masking.recoding.hierarchy import Hierarchy as Hierarchy
    from discreet.masking.recoding.hierarchy import read_hierarchy as read_hierarchy
    from discreet.masking.recoding.hierarchy_of_column import build_hierarchy as build_hierarchy
    from discreet.masking.recoding.hierarchy_recoding import HierarchyRecoding as HierarchyRecoding
    from discreet.masking.recoding.level_map import LevelMap as LevelMap
    from discreet.masking.recoding.multivariate_coding import MultivariateTopCoding as MultivariateTopCoding
    from discreet.masking.recoding.rare_levels import RareLevels as RareLevels
    from discreet.masking.recoding.safe_harbour import SafeHarbour as SafeHarbour
    from discreet.masking.running.units import PerUnit as PerUnit
    from discreet.masking.withholding.ghost_suppression import GhostSuppression as GhostSuppression
    from discreet.masking.withholding.identifiers import Identifiers as Identifiers
    from discreet.masking.withholding.pseudonyms import Pseudonyms as Pseudonyms
    from discreet.masking.withholding.record_order import RecordOrder as RecordOrder
    from discreet.masking.withholding.record_suppression import RecordSuppression as RecordSuppression
    from discreet.masking.withholding.risk_suppression import RiskSuppression as RiskSuppression
    from discreet.masking.withholding.sampling import Sampling as Sampling
    from discreet.masking.withholding.suppression import LocalSuppression as LocalSuppression
    from discreet.measures.loss.category_moves import CategoryDistance as CategoryDistance
    from discreet.measures.loss.category_tables import AssociationDifference as AssociationDifference
    from discreet.measures.loss.category_tables import AverageTableLoss as AverageTableLoss
    from discreet.measures.loss.category_tables import TableLoss as TableLoss
    from discreet.measures.loss.category_uncertainty import EntropyBasedLoss as EntropyBasedLoss
    from discreet.measures.loss.category_uncertainty import TransitionLoss as TransitionLoss
    from discreet.measures.loss.cell_loss import CellLoss as CellLoss
    from discreet.measures.loss.class_losses import AverageClassSize as AverageClassSize
    from discreet.measures.loss.class_losses import Discernibility as Discernibility
    from discreet.measures.loss.declared_relations import RelationsBroken as RelationsBroken
    from discreet.measures.loss.distributions import DistributionDistance as DistributionDistance
    from discreet.measures.loss.distributions import HistogramDistance as HistogramDistance
    from discreet.measures.loss.distributions import QuantileDistance as QuantileDistance
    from discreet.measures.loss.generalised_cells import Ambiguity as Ambiguity
    from discreet.measures.loss.generalised_cells import GeneralisationIntensity as GeneralisationIntensity
    from discreet.measures.loss.generalised_cells import Granularity as Granularity
    from discreet.measures.loss.generalised_cells import KeyDivergence as KeyDivergence
    from discreet.measures.loss.improbability import ProbabilisticLoss as ProbabilisticLoss
    from discreet.measures.loss.invented_rows import InventedRows as InventedRows
    from discreet.measures.loss.learning import ClassificationLoss as ClassificationLoss
    from discreet.measures.loss.learning import ClusteringLoss as ClusteringLoss
    from discreet.measures.loss.numbers import IL1s as IL1s
    from discreet.measures.loss.numbers import MeanDifference as MeanDifference
    from discreet.measures.loss.numbers import SquaredError as SquaredError
    from discreet.measures.loss.numbers import VarianceDifference as VarianceDifference
    from discreet.measures.loss.own_statistics import OwnStatistics as OwnStatistics
    from discreet.measures.loss.path_losses import Displacement as Displacement
    from discreet.measures.loss.path_losses import TravelledLengths as TravelledLengths
    from discreet.measures.loss.path_losses import VisitedCells as VisitedCells
    from discreet.measures.loss.propensity import PropensityLoss as PropensityLoss
    from discreet.measures.loss.query_losses import FrequentQueries as FrequentQueries
    from discreet.measures.loss.query_losses import TermFrequencies as TermFrequencies
    from discreet.measures.loss.regression import RegressionLoss as RegressionLoss
    from discreet.measures.loss.relations import CorrelationDifference as CorrelationDifference
    from discreet.measures.loss.relations import CovarianceDifference as CovarianceDifference
    from discreet.measures.loss.relations import EigenvalueDifference as EigenvalueDifference
    from discreet.measures.loss.relations import RankLoss as RankLoss
    from discreet.measures.loss.relative_movement import IL1 as IL1
    from discreet.measures.loss.sequence_movement import SequenceDissimilarity as SequenceDissimilarity
    from discreet.measures.loss.sequence_patterns import FrequentSubsequences as FrequentSubsequences
    from discreet.measures.loss.sequence_tallies import EventFrequencies as EventFrequencies
    from discreet.measures.loss.sequence_tallies import SequenceLengths as SequenceLengths
    from discreet.measures.loss.sequence_tallies import Transitions as Transitions
    from discreet.measures.loss.series_losses import SeriesAutocorrelation as SeriesAutocorrelation
    from discreet.measures.loss.series_losses import SeriesError as SeriesError
    from discreet.measures.loss.series_losses import SeriesProfile as SeriesProfile
    from discreet.measures.loss.suppressed import SuppressionShare as SuppressionShare
    from discreet.measures.loss.suppressed_strata import SuppressionByStratum as SuppressionByStratum
    from discreet.measures.loss.table_metrics import TableMetric as TableMetric
    from discreet.measures.risk.attribute_disclosure import AttributeDisclosure as AttributeDisclosure
    from discreet.measures.risk.combined_linkage import CombinedLinkageRisk as CombinedLinkageRisk
    from discreet.measures.risk.diversity import LDiversityViolations as LDiversityViolations
    from discreet.measures.risk.diversity import TCloseness as TCloseness
    from discreet.measures.risk.equal_keys import IndividualRisk as IndividualRisk
    from discreet.measures.risk.equal_keys import KAnonymityViolations as KAnonymityViolations
    from discreet.measures.risk.equal_keys import SampleUniques as SampleUniques
    from discreet.measures.risk.expected_payout import PayoutMissed as PayoutMissed
    from discreet.measures.risk.guesses import JournalistRisk as JournalistRisk
    from discreet.measures.risk.guesses import MarketerRisk as MarketerRisk
    from discreet.measures.risk.guesses import ProsecutorRisk as ProsecutorRisk
    from discreet.measures.risk.household_risk import HouseholdRisk as HouseholdRisk
    from discreet.measures.risk.intervals import DeviationIntervalDisclosure as DeviationIntervalDisclosure
    from discreet.measures.risk.intervals import RankIntervalDisclosure as RankIntervalDisclosure
    from discreet.measures.risk.intruder_scenarios import IntruderScenarios as IntruderScenarios
    from discreet.measures.risk.known_moments import KnownMoments as KnownMoments
    from discreet.measures.risk.linked import DistanceLinkageRisk as DistanceLinkageRisk
    from discreet.measures.risk.linked import ProbabilisticLinkageRisk as ProbabilisticLinkageRisk
    from discreet.measures.risk.linked import SequenceLinkageRisk as SequenceLinkageRisk
    from discreet.measures.risk.loglinear_risk import LogLinearRisk as LogLinearRisk
    from discreet.measures.risk.mahalanobis_intervals import (
        MahalanobisIntervalDisclosure as MahalanobisIntervalDisclosure,
    )
    from discreet.measures.risk.masking_aware_linkage import MaskingAwareLinkageRisk as MaskingAwareLinkageRisk
    from discreet.measures.risk.model_identity import AverageRiskOfRecords as AverageRiskOfRecords
    from discreet.measures.risk.model_identity import HighestRiskOfRecords as HighestRiskOfRecords
    from discreet.measures.risk.model_identity import KCombinations as KCombinations
    from discreet.measures.risk.model_identity import KMItems as KMItems
    from discreet.measures.risk.model_identity import RecordsWorthAttack as RecordsWorthAttack
    from discreet.measures.risk.model_identity import UniquenessOfRecords as UniquenessOfRecords
    from discreet.measures.risk.model_population import KMapViolations as KMapViolations
    from discreet.measures.risk.model_population import PresenceViolations as PresenceViolations
    from discreet.measures.risk.model_violations import AlphaKViolations as AlphaKViolations
    from discreet.measures.risk.model_violations import BetaLikenessViolations as BetaLikenessViolations
    from discreet.measures.risk.model_violations import DeltaDisclosureViolations as DeltaDisclosureViolations
    from discreet.measures.risk.permutation_linkage import PermutationLinkageRisk as PermutationLinkageRisk
    from discreet.measures.risk.population_uniques import PopulationUniques as PopulationUniques
    from discreet.measures.risk.query_risks import KnownTerms as KnownTerms
    from discreet.measures.risk.query_risks import RareTerms as RareTerms
    from discreet.measures.risk.reconstruction import Reconstruction as Reconstruction
    from discreet.measures.risk.replicated_uniques import ReplicatedUniques as ReplicatedUniques
    from discreet.measures.risk.sequence_knowledge import KnownEvents as KnownEvents
    from discreet.measures.risk.special_uniques import SpecialUniques as SpecialUniques
    from discreet.release.alternatives import OpenProtocol as OpenProtocol
    from discreet.release.alternatives import chains as chains
    from discreet.release.chain import Chain as Chain
    from discreet.release.guided import ProtectedSurvey as ProtectedSurvey
    from discreet.release.guided import Survey as Survey
    from discreet.release.guided import survey as survey
    from discreet.release.importing import import_protocol as import_protocol
    from discreet.release.proposal import propose as propose
    from discreet.release.protocol import Protocol as Protocol
    from discreet.release.tuned_protocol import tune_protocol as tune_protocol
    from discreet.release.writing import write_report as write_report
    from discreet.workflow import check as check
    from discreet.workflow import run as run
else:
    _HOMES = {
        "AdditiveNoise": "discreet.masking.perturbing.noise",
        "AdjacentMerging": "discreet.masking.recoding.adjacent",
        "AlphaKViolations": "discreet.measures.risk.model_violations",
        "Ambiguity": "discreet.measures.loss.generalised_cells",
        "AssociationDifference": "discreet.measures.loss.category_tables",
        "Attribute": "discreet.data.schema",
        "AttributeDisclosure": "discreet.measures.risk.attribute_disclosure",
        "AverageClassSize": "discreet.measures.loss.class_losses",
        "AverageRiskOfRecords": "discreet.measures.risk.model_identity",
        "AverageTableLoss": "discreet.measures.loss.category_tables",
        "BalancedKModes": "discreet.masking.microaggregation.records.balanced",
        "Banding": "discreet.masking.recoding.banding",
        "BetaLikenessViolations": "discreet.measures.risk.model_violations",
        "BlockedLinkage": "discreet.linkage.shared.blocking",
        "BottomCoding": "discreet.masking.recoding.coding",
        "BucketSwapping": "discreet.masking.perturbing.swapping_buckets",
        "CMeans": "discreet.masking.microaggregation.numbers.c_means",
        "CategoryDistance": "discreet.measures.loss.category_moves",
        "CellLoss": "discreet.measures.loss.cell_loss",
        "Chain": "discreet.release.chain",
        "ClassificationLoss": "discreet.measures.loss.learning",
        "ClusteringLoss": "discreet.measures.loss.learning",
        "CodeTruncation": "discreet.masking.recoding.code_truncation",
        "CombinedLinkageRisk": "discreet.measures.risk.combined_linkage",
        "CorrelatedNoise": "discreet.masking.perturbing.noise",
        "CorrelationDifference": "discreet.measures.loss.relations",
        "CovarianceDifference": "discreet.measures.loss.relations",
        "Date": "discreet.data.scales.date",
        "DateCoarsening": "discreet.masking.recoding.date_coarsening",
        "DateShifting": "discreet.masking.perturbing.date_shifting",
        "DateTime": "discreet.data.scales.date_time",
        "Declaration": "discreet.data.survey",
        "DeltaDisclosureViolations": "discreet.measures.risk.model_violations",
        "DeviationIntervalDisclosure": "discreet.measures.risk.intervals",
        "Discernibility": "discreet.measures.loss.class_losses",
        "DiscreetError": "discreet.errors",
        "DiscreetWarning": "discreet.errors",
        "Displacement": "discreet.measures.loss.path_losses",
        "DistanceLinkage": "discreet.linkage.shared.distance",
        "DistanceLinkageRisk": "discreet.measures.risk.linked",
        "DistributionDistance": "discreet.measures.loss.distributions",
        "DistributionSwapping": "discreet.masking.perturbing.swapping_distribution",
        "DonutDisplacement": "discreet.masking.perturbing.donut",
        "EigenvalueDifference": "discreet.measures.loss.relations",
        "EntropyBasedLoss": "discreet.measures.loss.category_uncertainty",
        "EventFrequencies": "discreet.measures.loss.sequence_tallies",
        "FirstComponentLinkage": "discreet.linkage.unshared.rank_to_rank",
        "FrequentQueries": "discreet.measures.loss.query_losses",
        "FrequentSubsequences": "discreet.measures.loss.sequence_patterns",
        "Generalisation": "discreet.masking.recoding.generalisation",
        "GeneralisationIntensity": "discreet.measures.loss.generalised_cells",
        "GeneticMicroaggregation": "discreet.masking.microaggregation.numbers.genetic",
        "GhostSuppression": "discreet.masking.withholding.ghost_suppression",
        "GlobalRecoding": "discreet.masking.recoding.global_recoding",
        "Granularity": "discreet.measures.loss.generalised_cells",
        "GridCells": "discreet.masking.recoding.grid_cells",
        "Hierarchy": "discreet.masking.recoding.hierarchy",
        "HierarchyRecoding": "discreet.masking.recoding.hierarchy_recoding",
        "HighestRiskOfRecords": "discreet.measures.risk.model_identity",
        "HistogramDistance": "discreet.measures.loss.distributions",
        "HouseholdRisk": "discreet.measures.risk.household_risk",
        "IL1": "discreet.measures.loss.relative_movement",
        "IL1s": "discreet.measures.loss.numbers",
        "Identifiers": "discreet.masking.withholding.identifiers",
        "IndividualRanking": "discreet.masking.microaggregation.numbers.univariate",
        "IndividualRisk": "discreet.measures.risk.equal_keys",
        "Intruder": "discreet.contracts.intruder",
        "IntruderScenarios": "discreet.measures.risk.intruder_scenarios",
        "InventedRows": "discreet.measures.loss.invented_rows",
        "ItemSet": "discreet.data.scales.item_set",
        "JournalistRisk": "discreet.measures.risk.guesses",
        "KAnonymityViolations": "discreet.measures.risk.equal_keys",
        "KCombinations": "discreet.measures.risk.model_identity",
        "KMItems": "discreet.measures.risk.model_identity",
        "KMapViolations": "discreet.measures.risk.model_population",
        "KModes": "discreet.masking.microaggregation.records.kmodes",
        "KPrototypes": "discreet.masking.microaggregation.records.kprototypes",
        "KSHC": "discreet.masking.microaggregation.sequences.kshc",
        "KeyDivergence": "discreet.measures.loss.generalised_cells",
        "KnownEvents": "discreet.measures.risk.sequence_knowledge",
        "KnownMoments": "discreet.measures.risk.known_moments",
        "KnownTerms": "discreet.measures.risk.query_risks",
        "LDiversityViolations": "discreet.measures.risk.diversity",
        "LearnedDistanceLinkage": "discreet.linkage.shared.learned_distance",
        "LevelMap": "discreet.masking.recoding.level_map",
        "LocalSuppression": "discreet.masking.withholding.suppression",
        "LogLinearRisk": "discreet.measures.risk.loglinear_risk",
        "MDAV": "discreet.masking.microaggregation.numbers.mdav",
        "MHM": "discreet.masking.microaggregation.numbers.mhm",
        "MahalanobisIntervalDisclosure": "discreet.measures.risk.mahalanobis_intervals",
        "MarketerRisk": "discreet.measures.risk.guesses",
        "MaskingAwareLinkage": "discreet.linkage.shared.masking_aware",
        "MaskingAwareLinkageRisk": "discreet.measures.risk.masking_aware_linkage",
        "MeanDifference": "discreet.measures.loss.numbers",
        "MemoryEngine": "discreet.engines.memory",
        "Microdata": "discreet.data.microdata",
        "MixedMDAV": "discreet.masking.microaggregation.records.mixed_mdav",
        "Mondrian": "discreet.masking.microaggregation.records.mondrian",
        "MultiplicativeNoise": "discreet.masking.perturbing.noise",
        "MultivariateTopCoding": "discreet.masking.recoding.multivariate_coding",
        "Nominal": "discreet.data.scales.nominal",
        "Numeric": "discreet.data.scales.numeric",
        "OpenProtocol": "discreet.release.alternatives",
        "Ordinal": "discreet.data.scales.ordinal",
        "OwnStatistics": "discreet.measures.loss.own_statistics",
        "PRAM": "discreet.masking.perturbing.pram",
        "PayoutMissed": "discreet.measures.risk.expected_payout",
        "PerUnit": "discreet.masking.running.units",
        "PermutationLinkageRisk": "discreet.measures.risk.permutation_linkage",
        "PopulationUniques": "discreet.measures.risk.population_uniques",
        "PresenceViolations": "discreet.measures.risk.model_population",
        "ProbabilisticLinkage": "discreet.linkage.shared.probabilistic",
        "ProbabilisticLinkageRisk": "discreet.measures.risk.linked",
        "ProbabilisticLoss": "discreet.measures.loss.improbability",
        "ProjectionMicroaggregation": "discreet.masking.microaggregation.numbers.projection",
        "PropensityLoss": "discreet.measures.loss.propensity",
        "ProsecutorRisk": "discreet.measures.risk.guesses",
        "ProtectedSurvey": "discreet.release.guided",
        "Protocol": "discreet.release.protocol",
        "Pseudonyms": "discreet.masking.withholding.pseudonyms",
        "QuantileDistance": "discreet.measures.loss.distributions",
        "QueryLog": "discreet.data.scales.query_log",
        "ROMM": "discreet.masking.perturbing.romm",
        "RankIntervalDisclosure": "discreet.measures.risk.intervals",
        "RankLoss": "discreet.measures.loss.relations",
        "RankSwapping": "discreet.masking.perturbing.swapping",
        "RareLevels": "discreet.masking.recoding.rare_levels",
        "RareTerms": "discreet.measures.risk.query_risks",
        "Reconstruction": "discreet.measures.risk.reconstruction",
        "RecordOrder": "discreet.masking.withholding.record_order",
        "RecordSuppression": "discreet.masking.withholding.record_suppression",
        "RecordSwapping": "discreet.masking.perturbing.record_swapping",
        "RecordsWorthAttack": "discreet.measures.risk.model_identity",
        "Refine": "discreet.masking.microaggregation.numbers.refinement",
        "RegressionLoss": "discreet.measures.loss.regression",
        "RelationsBroken": "discreet.measures.loss.declared_relations",
        "ReplicatedUniques": "discreet.measures.risk.replicated_uniques",
        "RepresentativeLinkage": "discreet.linkage.unshared.representatives",
        "RiskSuppression": "discreet.masking.withholding.risk_suppression",
        "Rounding": "discreet.masking.perturbing.rounding",
        "SafeHarbour": "discreet.masking.recoding.safe_harbour",
        "SampleUniques": "discreet.measures.risk.equal_keys",
        "Sampling": "discreet.masking.withholding.sampling",
        "Schema": "discreet.data.schema",
        "Sequence": "discreet.data.scales.sequence",
        "SequenceDissimilarity": "discreet.measures.loss.sequence_movement",
        "SequenceLengths": "discreet.measures.loss.sequence_tallies",
        "SequenceLinkage": "discreet.linkage.shared.sequence_distance",
        "SequenceLinkageRisk": "discreet.measures.risk.linked",
        "SequenceMDAV": "discreet.masking.microaggregation.sequences.sequence_mdav",
        "SeriesAutocorrelation": "discreet.measures.loss.series_losses",
        "SeriesError": "discreet.measures.loss.series_losses",
        "SeriesProfile": "discreet.measures.loss.series_losses",
        "Shuffling": "discreet.masking.perturbing.shuffling",
        "SortedGroups": "discreet.masking.microaggregation.records.sorted_groups",
        "SparkEngine": "discreet.engines.spark",
        "SpecialUniques": "discreet.measures.risk.special_uniques",
        "SquaredError": "discreet.measures.loss.numbers",
        "StreamingEngine": "discreet.engines.streaming",
        "StructuralLinkage": "discreet.linkage.unshared.structural",
        "SumOfScoresLinkage": "discreet.linkage.unshared.rank_to_rank",
        "SupervisedLinkage": "discreet.linkage.unshared.supervised",
        "SuppressionByStratum": "discreet.measures.loss.suppressed_strata",
        "SuppressionShare": "discreet.measures.loss.suppressed",
        "Survey": "discreet.release.guided",
        "TCloseMDAV": "discreet.masking.microaggregation.numbers.t_close",
        "TCloseness": "discreet.measures.risk.diversity",
        "TableLoss": "discreet.measures.loss.category_tables",
        "TableMetric": "discreet.measures.loss.table_metrics",
        "TermFrequencies": "discreet.measures.loss.query_losses",
        "TimeSeries": "discreet.data.scales.time_series",
        "TopCoding": "discreet.masking.recoding.coding",
        "Trajectory": "discreet.data.scales.trajectory",
        "TransitionLoss": "discreet.measures.loss.category_uncertainty",
        "Transitions": "discreet.measures.loss.sequence_tallies",
        "TravelledLengths": "discreet.measures.loss.path_losses",
        "UniquenessOfRecords": "discreet.measures.risk.model_identity",
        "VMDAV": "discreet.masking.microaggregation.numbers.vmdav",
        "VarianceDifference": "discreet.measures.loss.numbers",
        "VisitedCells": "discreet.measures.loss.path_losses",
        "WardMicroaggregation": "discreet.masking.microaggregation.numbers.ward",
        "advise": "discreet.evaluation.advice",
        "assess": "discreet.evaluation.assessing",
        "attack": "discreet.evaluation.assessing",
        "attack_together": "discreet.evaluation.joint_attack",
        "build_hierarchy": "discreet.masking.recoding.hierarchy_of_column",
        "certify": "discreet.evaluation.certifying",
        "chains": "discreet.release.alternatives",
        "check": "discreet.workflow",
        "combine": "discreet.linkage.combined",
        "compare": "discreet.evaluation.study",
        "correct_table": "discreet.evaluation.table_correction",
        "grid": "discreet.evaluation.candidates",
        "import_protocol": "discreet.release.importing",
        "inspect": "discreet.io.reading",
        "loss_intervals": "discreet.evaluation.loss_intervals",
        "match_variables": "discreet.linkage.unshared.variables",
        "measure": "discreet.evaluation.assessing",
        "methods": "discreet.catalogue",
        "microdata": "discreet.data.microdata",
        "privacy_utility": "discreet.evaluation.objective",
        "propose": "discreet.release.proposal",
        "protect": "discreet.evaluation.assessing",
        "read": "discreet.io.reading",
        "read_hierarchy": "discreet.masking.recoding.hierarchy",
        "risk": "discreet.evaluation.risk_of_file",
        "run": "discreet.workflow",
        "scan": "discreet.io.reading",
        "survey": "discreet.release.guided",
        "tune": "discreet.evaluation.tuning",
        "tune_protocol": "discreet.release.tuned_protocol",
        "write": "discreet.io.reading",
        "write_report": "discreet.release.writing",
    }
    _MODULES = {
        "datasets": "discreet.datasets",
        "errors": "discreet.errors",
        "models": "discreet.models",
        "operators": "discreet.operators",
        "progress": "discreet.progress",
        "release": "discreet.release",
        "scales": "discreet.data.scales",
    }

    def __getattr__(name: str) -> Any:
        import importlib

        if name in _MODULES:
            return importlib.import_module(_MODULES[name])
        if name not in _HOMES:
            raise AttributeError(_unknown(name))
        value = getattr(importlib.import_module(_HOMES[name]), name)
        if _HOMES[name] != f"discreet.{name}":  # a function must not hide the module it is named like
            globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted(__all__)

    def _unknown(name: str) -> str:
        like = ""
        if not name.startswith("_"):  # notebooks and test runners ask for many such names, and want no advice
            import difflib

            names = {one.lower(): one for one in __all__}
            close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.7)
            like = f" Did you mean {names[close[0]]!r}?" if close else ""
        return f"module 'discreet' has no attribute {name!r}.{like}"


__all__ = [
    "IL1",
    "KSHC",
    "MDAV",
    "MHM",
    "PRAM",
    "ROMM",
    "VMDAV",
    "AdditiveNoise",
    "AdjacentMerging",
    "AlphaKViolations",
    "Ambiguity",
    "AssociationDifference",
    "Attribute",
    "AttributeDisclosure",
    "AverageClassSize",
    "AverageRiskOfRecords",
    "AverageTableLoss",
    "BalancedKModes",
    "Banding",
    "BetaLikenessViolations",
    "BlockedLinkage",
    "BottomCoding",
    "BucketSwapping",
    "CMeans",
    "CategoryDistance",
    "CellLoss",
    "Chain",
    "ClassificationLoss",
    "ClusteringLoss",
    "CodeTruncation",
    "CombinedLinkageRisk",
    "CorrelatedNoise",
    "CorrelationDifference",
    "CovarianceDifference",
    "Date",
    "DateCoarsening",
    "DateShifting",
    "DateTime",
    "Declaration",
    "DeltaDisclosureViolations",
    "DeviationIntervalDisclosure",
    "Discernibility",
    "DiscreetError",
    "DiscreetWarning",
    "Displacement",
    "DistanceLinkage",
    "DistanceLinkageRisk",
    "DistributionDistance",
    "DistributionSwapping",
    "DonutDisplacement",
    "EigenvalueDifference",
    "EntropyBasedLoss",
    "EventFrequencies",
    "FirstComponentLinkage",
    "FrequentQueries",
    "FrequentSubsequences",
    "Generalisation",
    "GeneralisationIntensity",
    "GeneticMicroaggregation",
    "GhostSuppression",
    "GlobalRecoding",
    "Granularity",
    "GridCells",
    "Hierarchy",
    "HierarchyRecoding",
    "HighestRiskOfRecords",
    "HistogramDistance",
    "HouseholdRisk",
    "IL1s",
    "Identifiers",
    "IndividualRanking",
    "IndividualRisk",
    "Intruder",
    "IntruderScenarios",
    "InventedRows",
    "ItemSet",
    "JournalistRisk",
    "KAnonymityViolations",
    "KCombinations",
    "KMItems",
    "KMapViolations",
    "KModes",
    "KPrototypes",
    "KeyDivergence",
    "KnownEvents",
    "KnownMoments",
    "KnownTerms",
    "LDiversityViolations",
    "LearnedDistanceLinkage",
    "LevelMap",
    "LocalSuppression",
    "LogLinearRisk",
    "MahalanobisIntervalDisclosure",
    "MarketerRisk",
    "MaskingAwareLinkage",
    "MaskingAwareLinkageRisk",
    "MeanDifference",
    "MemoryEngine",
    "Microdata",
    "MixedMDAV",
    "Mondrian",
    "MultiplicativeNoise",
    "MultivariateTopCoding",
    "Nominal",
    "Numeric",
    "OpenProtocol",
    "Ordinal",
    "OwnStatistics",
    "PayoutMissed",
    "PerUnit",
    "PermutationLinkageRisk",
    "PopulationUniques",
    "PresenceViolations",
    "ProbabilisticLinkage",
    "ProbabilisticLinkageRisk",
    "ProbabilisticLoss",
    "ProjectionMicroaggregation",
    "PropensityLoss",
    "ProsecutorRisk",
    "ProtectedSurvey",
    "Protocol",
    "Pseudonyms",
    "QuantileDistance",
    "QueryLog",
    "RankIntervalDisclosure",
    "RankLoss",
    "RankSwapping",
    "RareLevels",
    "RareTerms",
    "Reconstruction",
    "RecordOrder",
    "RecordSuppression",
    "RecordSwapping",
    "RecordsWorthAttack",
    "Refine",
    "RegressionLoss",
    "RelationsBroken",
    "ReplicatedUniques",
    "RepresentativeLinkage",
    "RiskSuppression",
    "Rounding",
    "SafeHarbour",
    "SampleUniques",
    "Sampling",
    "Schema",
    "Sequence",
    "SequenceDissimilarity",
    "SequenceLengths",
    "SequenceLinkage",
    "SequenceLinkageRisk",
    "SequenceMDAV",
    "SeriesAutocorrelation",
    "SeriesError",
    "SeriesProfile",
    "Shuffling",
    "SortedGroups",
    "SparkEngine",
    "SpecialUniques",
    "SquaredError",
    "StreamingEngine",
    "StructuralLinkage",
    "SumOfScoresLinkage",
    "SupervisedLinkage",
    "SuppressionByStratum",
    "SuppressionShare",
    "Survey",
    "TCloseMDAV",
    "TCloseness",
    "TableLoss",
    "TableMetric",
    "TermFrequencies",
    "TimeSeries",
    "TopCoding",
    "Trajectory",
    "TransitionLoss",
    "Transitions",
    "TravelledLengths",
    "UniquenessOfRecords",
    "VarianceDifference",
    "VisitedCells",
    "WardMicroaggregation",
    "__version__",
    "advise",
    "assess",
    "attack",
    "attack_together",
    "build_hierarchy",
    "certify",
    "chains",
    "check",
    "combine",
    "compare",
    "correct_table",
    "datasets",
    "errors",
    "grid",
    "import_protocol",
    "inspect",
    "loss_intervals",
    "match_variables",
    "measure",
    "methods",
    "microdata",
    "models",
    "operators",
    "privacy_utility",
    "progress",
    "propose",
    "protect",
    "read",
    "read_hierarchy",
    "release",
    "risk",
    "run",
    "scales",
    "scan",
    "survey",
    "tune",
    "tune_protocol",
    "write",
    "write_report",
]
