"""What a released level tells about the original one: P(V = v | V' = v') by Bayes' rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from discreet.base import Pair
from discreet.errors import DataError, ParameterError
from discreet.measures.columns import LevelPair, levels_of_both
from discreet.measures.contingency import Cells, count_cells, count_levels
from discreet.microdata import Microdata
from discreet.scales import Categorical
from discreet.typing import FloatArray, IntArray

__all__ = ["Posterior", "posterior"]


@dataclass(frozen=True, repr=False)
class Posterior:
    """The transitions of one attribute that have a probability, and what is believed after seeing the release.

    Attributes
    ----------
    rows, columns : (c,) int64
        Original and released level of every possible transition.
    counts : (c,) float64
        The (weighted) records that made it; 0 where it was possible and nobody did.
    probability : (c,) float64
        P(V = row | V' = column).
    prior_entropy : float
        Entropy of the original attribute before anything is released, in bits.
    """

    rows: IntArray
    columns: IntArray
    counts: FloatArray
    probability: FloatArray
    prior_entropy: float

    def surprise(self) -> float:
        """Return Σ over records of −log₂ P(V = v | V' = v')."""
        made = self.counts > 0
        return float(-(self.counts[made] * np.log2(self.probability[made])).sum())

    def entropy(self) -> float:
        """Return Σ over records of H(V | V' = v'), in bits."""
        released = np.bincount(self.columns, weights=self.counts)
        possible = self.probability > 0
        terms = np.zeros(self.probability.size)
        terms[possible] = -self.probability[possible] * np.log2(self.probability[possible])
        return float((released[self.columns] * terms).sum())


def posterior(
    owner: str,
    pair: Pair,
    name: str,
    weights: FloatArray,
    matrices: Mapping[str, Any] | None = None,
    reference: Microdata | None = None,
) -> Posterior:
    """Return what the release tells about one attribute.

    Parameters
    ----------
    matrices : dict of str to (levels, released levels) array, optional
        P(V' | V); estimated from the pair where it is not given.
    reference : Microdata, optional
        A file to take P(V) from instead of the file that is masked.
    """
    levels = levels_of_both(pair, name)
    made = count_cells(levels.before, levels.after, levels.size, levels.size, weights)
    prior = count_levels(levels.before, levels.size, weights)
    if reference is not None:
        prior = _prior_of(owner, pair, name, reference, prior)
    prior = prior / prior.sum()
    if matrices is not None and name in matrices:
        cells, chance = _given(owner, pair, name, matrices[name], made, levels)
    else:
        cells, chance = _estimated(pair, name, made, levels, prior)
    joint = prior[cells.rows] * chance
    released = np.bincount(cells.columns, weights=joint, minlength=levels.size)[cells.columns]
    belief = np.where(released > 0, joint / np.where(released > 0, released, 1.0), 0.0)
    some = prior[prior > 0]
    return Posterior(cells.rows, cells.columns, cells.counts, belief, float(-(some * np.log2(some)).sum()))


def _prior_of(owner: str, pair: Pair, name: str, reference: Microdata, seen: FloatArray) -> FloatArray:
    if name not in reference.schema:
        raise DataError(f"{owner}: the reference file lacks column {name!r}.")
    mine = cast("Categorical", pair.original.schema[name].scale)
    theirs = reference.schema[name].scale
    if not isinstance(theirs, Categorical):
        raise DataError(f"{owner}: column {name!r} has no levels in the reference file.")
    places = {str(level): place for place, level in enumerate(mine.levels)}
    translation = np.array([places.get(str(level), -1) for level in theirs.levels], dtype=np.int64)
    codes = reference.encoded(name)
    codes = np.where(codes >= 0, translation[codes], seen.size - 1)
    strangers = int((codes < 0).sum())
    if strangers:
        raise DataError(f"{owner}: column {name!r} has {strangers} values in the reference file with other levels.")
    counts = np.bincount(codes, minlength=seen.size).astype(np.float64)
    # What the reference file never saw but the masked file has is taken as seen once: it cannot be impossible.
    return np.where((counts == 0) & (seen > 0), 1.0, counts)


def _estimated(pair: Pair, name: str, made: Cells, levels: LevelPair, prior: FloatArray) -> tuple[Cells, FloatArray]:
    """Return P(V' | V) as the shares of what each level became; a level that nobody has stays, or goes its one way."""
    had = np.bincount(made.rows, weights=made.counts, minlength=levels.size)
    unseen = np.flatnonzero((had == 0) & (prior > 0))
    goes = unseen.copy()
    possible = None if pair.provenance is None else pair.provenance.transitions.get(name)
    if possible is not None and levels.size == levels.declared + 1:
        for place, level in enumerate(unseen):
            if level < len(possible) and possible[level][: levels.declared].sum() == 1:
                goes[place] = possible[level][: levels.declared].argmax()
    cells = Cells(
        np.concatenate([made.rows, unseen]),
        np.concatenate([made.columns, goes]),
        np.concatenate([made.counts, np.zeros(unseen.size)]),
    )
    return cells, np.concatenate([made.counts / had[made.rows], np.ones(unseen.size)])


def _given(owner: str, pair: Pair, name: str, matrix: Any, made: Cells, levels: LevelPair) -> tuple[Cells, FloatArray]:
    """Return the transitions that a matrix allows; one that happened and is not among them contradicts it."""
    table = np.asarray(matrix, dtype=np.float64)
    first = cast("Categorical", pair.original.schema[name].scale)
    second = cast("Categorical", pair.masked.schema[name].scale)
    if table.shape != (len(first), len(second)) or (table < 0).any() or not np.allclose(table.sum(axis=1), 1.0):
        raise ParameterError(
            f"{owner}: matrix of {name!r} must have {len(first)} rows of {len(second)} probabilities that sum to 1."
        )
    places = {str(level): place for place, level in enumerate(first.levels)}
    for level in second.levels:
        places.setdefault(str(level), len(places))
    chance = np.zeros((levels.size, levels.size))
    chance[: len(first), [places[str(level)] for level in second.levels]] = table
    chance[-1, -1] = 1.0  # a missing value stays one
    impossible = made.counts[chance[made.rows, made.columns] == 0].size
    if impossible:
        raise DataError(f"{owner}: column {name!r} has {impossible} kinds of changes that its matrix says cannot be.")
    rows, columns = np.nonzero(chance)
    counts = np.zeros(chance.shape)
    counts[made.rows, made.columns] = made.counts
    return Cells(rows, columns, counts[rows, columns]), chance[rows, columns]
