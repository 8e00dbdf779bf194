"""Nearest records of two small files without compiled code: all distances, a block of them at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.kernels.linking.nearest_list import tied_up_to_each
from discreet.linkage.nearest import Nearest
from discreet.linkage.record_classes import Classes
from discreet.linkage.shared.answers import SearchAnswers
from discreet.linkage.shared.terms import Terms
from discreet.typing import FloatArray

__all__ = ["search_plainly", "work_of"]

_TOGETHER = 1 << 18  # pairs of a block: what is worked out of them stays in the processor's cache


def work_of(terms: Terms, a: Classes, b: Classes) -> float:
    """Return how many terms all pairs have."""
    return float(a.first.size) * b.first.size * (len(terms.tables) + len(terms.numbers))


def search_plainly(
    terms: Terms, a: Classes, b: Classes, limits: tuple[FloatArray, FloatArray] | None = None
) -> Nearest:
    """Return for every distinct record of B its nearest of A, to the last bit as the searches by kernels.

    O(n_a · n_b) time, memory for a block of pairs and the ties.
    """
    slack = terms.slack(b.first)
    terms = replace(
        terms,
        a_codes=terms.a_codes[a.first],
        b_codes=terms.b_codes[b.first],
        a_numbers=terms.a_numbers[a.first],
        b_numbers=terms.b_numbers[b.first],
    )
    bounds = None if limits is None else [bound[b.first] for bound in limits]
    n_a, n_b = a.first.size, b.first.size
    answers = SearchAnswers(n_b)
    best, score, second, second_score, counts = answers.arrays
    tied = [np.empty(0, dtype=np.int64)]
    step = max(1, _TOGETHER // n_a)
    for low in range(0, n_b, step):
        some = slice(low, min(low + step, n_b))
        sums = terms.matrix(some)
        if bounds is not None:
            for p, column in enumerate(terms.a_numbers.T):
                sums[(column < bounds[0][some, p, None]) | (column > bounds[1][some, p, None])] = np.inf
        nearest = sums.min(axis=1)
        is_tied = (sums <= tied_up_to_each(nearest, slack[some], terms.metric == 0)[:, None]) & (sums < np.inf)
        n_tied = is_tied.sum(axis=1)
        members = np.nonzero(is_tied)[1]
        tied.append(members)
        first = np.argmax(is_tied, axis=1)
        best[some], score[some], counts[some] = np.where(n_tied > 0, first, -1), nearest, n_tied
        sums[is_tied] = np.inf
        other = np.argmin(sums, axis=1)
        least = sums[np.arange(other.size), other]
        second[some], second_score[some] = np.where(least < np.inf, other, -1), least
        several = low + np.flatnonzero(n_tied > 1)
        starts = np.cumsum(n_tied) - n_tied
        second[several], second_score[several] = members[starts[several - low] + 1], score[several]
    return answers.nearest(tied, np.arange(n_b), a, terms)
