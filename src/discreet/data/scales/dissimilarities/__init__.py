"""Dissimilarities of sequences: one a file, behind one registry.

>>> from discreet.data.scales.dissimilarities import dissimilarity_names
>>> dissimilarity_names()  # doctest: +NORMALIZE_WHITESPACE
('dtw', 'edr', 'euclidean', 'frechet', 'hamming', 'hausdorff', 'jaccard', 'lcs', 'levenshtein', 'optimal-matching',
 'oss', 'oss-owa', 'sorensen', 'synchronous', 'weighted-jaccard')
"""

from __future__ import annotations

from discreet.data.scales.dissimilarities.dissimilarity import (
    Comparison,
    Dissimilarity,
    MeanComparison,
    compare_all,
    dissimilarity_named,
    dissimilarity_names,
    register_dissimilarity,
)
from discreet.data.scales.dissimilarities.dtw import DynamicTimeWarping
from discreet.data.scales.dissimilarities.edr import RealEditDistance
from discreet.data.scales.dissimilarities.euclidean import Euclidean
from discreet.data.scales.dissimilarities.frechet import Frechet
from discreet.data.scales.dissimilarities.hamming import Hamming
from discreet.data.scales.dissimilarities.hausdorff import Hausdorff
from discreet.data.scales.dissimilarities.jaccard import Jaccard
from discreet.data.scales.dissimilarities.lcs import LongestCommonSubsequence
from discreet.data.scales.dissimilarities.levenshtein import Levenshtein
from discreet.data.scales.dissimilarities.optimal_matching import OptimalMatching, transition_costs
from discreet.data.scales.dissimilarities.oss import OSS
from discreet.data.scales.dissimilarities.oss_owa import OSSOWA
from discreet.data.scales.dissimilarities.sorensen import Sorensen
from discreet.data.scales.dissimilarities.synchronous import Synchronous
from discreet.data.scales.dissimilarities.weighted_jaccard import WeightedJaccard

__all__ = [
    "OSS",
    "OSSOWA",
    "Comparison",
    "Dissimilarity",
    "DynamicTimeWarping",
    "Euclidean",
    "Frechet",
    "Hamming",
    "Hausdorff",
    "Jaccard",
    "Levenshtein",
    "LongestCommonSubsequence",
    "MeanComparison",
    "OptimalMatching",
    "RealEditDistance",
    "Sorensen",
    "Synchronous",
    "WeightedJaccard",
    "compare_all",
    "dissimilarity_named",
    "dissimilarity_names",
    "register_dissimilarity",
    "transition_costs",
]
