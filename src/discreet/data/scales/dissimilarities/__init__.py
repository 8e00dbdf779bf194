"""Dissimilarities of event sequences: one a file, behind one registry.

>>> from discreet.data.scales.dissimilarities import dissimilarity_names
>>> dissimilarity_names()
('hamming', 'jaccard', 'lcs', 'levenshtein', 'optimal-matching', 'oss', 'oss-owa', 'sorensen')
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
from discreet.data.scales.dissimilarities.hamming import Hamming
from discreet.data.scales.dissimilarities.jaccard import Jaccard
from discreet.data.scales.dissimilarities.lcs import LongestCommonSubsequence
from discreet.data.scales.dissimilarities.levenshtein import Levenshtein
from discreet.data.scales.dissimilarities.optimal_matching import OptimalMatching, transition_costs
from discreet.data.scales.dissimilarities.oss import OSS
from discreet.data.scales.dissimilarities.oss_owa import OSSOWA
from discreet.data.scales.dissimilarities.sorensen import Sorensen

__all__ = [
    "OSS",
    "OSSOWA",
    "Comparison",
    "Dissimilarity",
    "Hamming",
    "Jaccard",
    "Levenshtein",
    "LongestCommonSubsequence",
    "MeanComparison",
    "OptimalMatching",
    "Sorensen",
    "compare_all",
    "dissimilarity_named",
    "dissimilarity_names",
    "register_dissimilarity",
    "transition_costs",
]
