"""From the model of Fellegi and Sunter to decisions: which weights make a link, a non-link or neither, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.linkage.shared.estimation import Counts, Model
from discreet.linkage.shared.pattern_counts import MOST_PATTERNS
from discreet.linkage.shared.prorated import ProratedPairs
from discreet.typing import FloatArray, Json

__all__ = ["Diagnosis", "thresholds", "thresholds_of"]


def thresholds(model: Model, false_links: float, false_non_links: float) -> tuple[float, float]:
    """Return the weight from which a pair is a link, and that up to which it is none.

    Among patterns by falling weight, those together have at most the share `false_links` of other pairs are links;
    by rising weight, those that have at most the share `false_non_links` of matches are not. Where the two would
    overlap, everything that is no link is none.
    """
    return thresholds_of(*_ranked(model), false_links, false_non_links)


def thresholds_of(
    ordered: FloatArray, m: FloatArray, u: FloatArray, blur: float, false_links: float, false_non_links: float
) -> tuple[float, float]:
    """Return the two thresholds from weights, falling, and the shares of matches and of other pairs that have them."""
    slack = 1.0 + 1e-9  # a sum of shares that should be equal to the limit may come out a little above it
    linked = int(np.searchsorted(np.cumsum(u), false_links * slack, side="right"))
    upper = float(ordered[linked - 1]) - blur if linked else np.inf
    from_below = int(np.searchsorted(np.cumsum(m[::-1]), false_non_links * slack, side="right"))
    lower = float(ordered[::-1][from_below - 1]) + blur if from_below else -np.inf
    return (upper, lower) if lower < upper else (upper, float(np.nextafter(upper, -np.inf)))


def _ranked(model: Model) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Return weights, falling, the shares of matches and of other pairs that have them, and how exact they are."""
    if model.unmatched is not None or math.prod(m.size for m in model.m) <= MOST_PATTERNS:
        weights = model.weights().ravel()
        order = np.argsort(-weights, kind="stable")
        m, u = model.matched_patterns().ravel()[order], model.unmatched_patterns().ravel()[order]
        return weights[order], m, u, 0.0
    # Too many patterns to list: weights add up over attributes, so their distribution is built one by one, sums that
    # differ by less than a thousandth of a bit as one.
    sums = np.zeros(1, dtype=np.int64)
    matched: Any = np.ones(1)
    unmatched: Any = np.ones(1)
    for weight, m, u in zip(model.attribute_weights(), model.m, model.u, strict=True):
        steps = np.round(weight * 1000).astype(np.int64)
        sums, place = np.unique((sums[:, None] + steps[None, :]).ravel(), return_inverse=True)
        matched = np.bincount(place, weights=(matched[:, None] * m[None, :]).ravel())
        unmatched = np.bincount(place, weights=(unmatched[:, None] * u[None, :]).ravel())
    return sums[::-1] / 1000.0, matched[::-1], unmatched[::-1], 0.0005 * len(model.m)


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """What the model learned, without any record's value."""

    model: Model
    counts: Counts | ProratedPairs

    def table(self) -> list[Json]:
        """Return m, u and the weight by attribute and state of agreement."""
        rows: list[Json] = []
        weights = self.model.attribute_weights()
        for j, name in enumerate(self.model.names):
            rows += [
                {"attribute": name, "state": s, "m": float(self.model.m[j][s]), "u": float(self.model.u[j][s]),
                 "weight": float(weights[j][s])}
                for s in range(weights[j].size)
            ]  # fmt: skip
        return rows

    def histogram(self, bins: int = 40) -> tuple[FloatArray, FloatArray]:
        """Return the edges of weight classes and the exact number of pairs in each."""
        weights = (
            self.counts.total(self.model.attribute_weights()) if self.model.unmatched is None else self.model.weights()
        )
        weights, pairs = weights.ravel(), self.counts.between.ravel().astype(np.float64)
        occurring = pairs > 0
        heights, edges = np.histogram(weights[occurring], bins=bins, weights=pairs[occurring])
        return edges, heights

    def waterfall(self, states: Sequence[int]) -> list[tuple[str, float]]:
        """Return how the weight of a pair with these states of agreement adds up, from the prior on."""
        prior = float(np.log2(self.model.prior / (1.0 - self.model.prior)))
        steps = [("prior", prior)]
        steps += [
            (name, float(weight[state]))
            for name, weight, state in zip(self.model.names, self.model.attribute_weights(), states, strict=True)
        ]
        return [*steps, ("total", sum(value for _, value in steps))]

    def __repr__(self) -> str:
        return f"Diagnosis({len(self.model.names)} attributes, {self.counts.between.size} patterns)"
