"""Losses of categories as uncertainty: what a released category leaves open about the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.levels import JoinedLevels
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical
from discreet.errors import DataError, ParameterError, UnknownNameError
from discreet.measures.loss.category_moves import CategoricalLoss
from discreet.measures.number_pairs import most_of, says_change
from discreet.parameters import ByName, Constraint, Instance, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need
from discreet.statistics.tallies import Cells, LevelChanges, LevelTransitions, count_levels
from discreet.typing import FloatArray, IntArray, Json

__all__ = ["EntropyBasedLoss", "EntropyLoss", "Posterior", "TransitionLoss", "posterior"]


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
        occurring = self.counts > 0
        return float(-(self.counts[occurring] * np.log2(self.probability[occurring])).sum())

    def entropy(self) -> float:
        """Return Σ over records of H(V | V' = v'), in bits."""
        released = np.bincount(self.columns, weights=self.counts)
        possible = self.probability > 0
        terms = np.zeros(self.probability.size)
        terms[possible] = -self.probability[possible] * np.log2(self.probability[possible])
        return float((released[self.columns] * terms).sum())


def posterior(
    owner: str,
    scope: PairScope,
    name: str,
    made: Cells,
    matrices: Mapping[str, Any] | None = None,
    reference: Microdata | None = None,
) -> Posterior:
    """Return what the release tells about one attribute.

    Parameters
    ----------
    made : Cells
        What every level became.
    matrices : dict of str to (levels, released levels) array, optional
        P(V' | V); estimated from the pair where it is not given.
    reference : Microdata, optional
        A file to take P(V) from instead of the file that is masked.
    """
    levels = scope.levels(name)
    prior = count_levels(made.rows, levels.size, made.counts)
    if reference is not None:
        prior = _prior_of(owner, scope, name, reference, prior)
    prior = prior / prior.sum()
    if matrices is not None and name in matrices:
        cells, chance = _given(owner, scope, name, matrices[name], made, levels)
    else:
        cells, chance = _estimated(scope, name, made, levels, prior)
    joint = prior[cells.rows] * chance
    released = np.bincount(cells.columns, weights=joint, minlength=levels.size)[cells.columns]
    belief = np.where(released > 0, joint / np.where(released > 0, released, 1.0), 0.0)
    some = prior[prior > 0]
    return Posterior(cells.rows, cells.columns, cells.counts, belief, float(-(some * np.log2(some)).sum()))


def _prior_of(owner: str, scope: PairScope, name: str, reference: Microdata, frequencies: FloatArray) -> FloatArray:
    if name not in reference.schema:
        raise DataError(f"{owner}: the reference file lacks column {name!r}.")
    mine = cast("Categorical", scope.before[name].scale)
    theirs = reference.schema[name].scale
    if not isinstance(theirs, Categorical):
        raise DataError(f"{owner}: column {name!r} has no levels in the reference file.")
    places = {str(level): place for place, level in enumerate(mine.levels)}
    translation = np.array([places.get(str(level), -1) for level in theirs.levels], dtype=np.int64)
    codes = reference.encoded(name)
    codes = np.where(codes >= 0, translation[codes], frequencies.size - 1)
    strangers = int((codes < 0).sum())
    if strangers:
        raise DataError(f"{owner}: column {name!r} has {strangers} values in the reference file with other levels.")
    counts = np.bincount(codes, minlength=frequencies.size).astype(np.float64)
    # What the reference file never saw but the masked file has is taken as seen once: it cannot be impossible.
    return np.where((counts == 0) & (frequencies > 0), 1.0, counts)


def _estimated(
    scope: PairScope, name: str, changes: Cells, levels: JoinedLevels, prior: FloatArray
) -> tuple[Cells, FloatArray]:
    """Return P(V' | V) as the shares of what each level became; a level that nobody has stays, or goes its one way."""
    had = np.bincount(changes.rows, weights=changes.counts, minlength=levels.size)
    unseen = np.flatnonzero((had == 0) & (prior > 0))
    goes = unseen.copy()
    possible = None if scope.provenance is None else scope.provenance.transitions.get(name)
    if possible is not None and levels.size == levels.declared + 1:
        for place, level in enumerate(unseen):
            if level < len(possible) and possible[level][: levels.declared].sum() == 1:
                goes[place] = possible[level][: levels.declared].argmax()
    cells = Cells(
        np.concatenate([changes.rows, unseen]),
        np.concatenate([changes.columns, goes]),
        np.concatenate([changes.counts, np.zeros(unseen.size)]),
    )
    return cells, np.concatenate([changes.counts / had[changes.rows], np.ones(unseen.size)])


def _given(
    owner: str, scope: PairScope, name: str, matrix: Any, changes: Cells, levels: JoinedLevels
) -> tuple[Cells, FloatArray]:
    """Return the transitions that a matrix allows; one that happened and is not among them contradicts it."""
    table = np.asarray(matrix, dtype=np.float64)
    first = cast("Categorical", scope.before[name].scale)
    second = cast("Categorical", scope.after[name].scale)
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
    impossible = changes.counts[chance[changes.rows, changes.columns] == 0].size
    if impossible:
        raise DataError(f"{owner}: column {name!r} has {impossible} kinds of changes that its matrix says cannot be.")
    rows, columns = np.nonzero(chance)
    counts = np.zeros(chance.shape)
    counts[changes.rows, changes.columns] = changes.counts
    return Cells(rows, columns, counts[rows, columns]), chance[rows, columns]


class _Matrix(Constraint):
    """A table of numbers; whether its rows are probabilities is checked where its size is known."""

    def accepts(self, value: Any) -> bool:
        try:
            return np.asarray(value, dtype=np.float64).ndim == 2
        except (TypeError, ValueError):
            return False

    def describe(self) -> str:
        return "a matrix"


class EntropyLoss(CategoricalLoss):
    """A loss in bits: how uncertain the original value still is once the released one is known."""

    need: ClassVar[Need] = Need.RECORD
    matrices: Mapping[str, Any] | None = parameter(Optional(ByName(_Matrix())), default=None)
    reference_file: Microdata | None = parameter(Optional(Instance(Microdata, "a Microdata")), default=None)

    def question(self, scope: PairScope) -> LevelTransitions:
        return self.transitions(scope)

    def _posteriors(self, changes: LevelChanges, scope: PairScope) -> dict[str, Posterior]:
        owner = type(self).__name__
        for name in self.matrices or {}:
            if name not in scope.names:
                raise UnknownNameError(f"{owner}: matrices has {name!r}, which is not among the compared attributes.")
        return {
            name: posterior(owner, scope, name, cells, self.matrices, self.reference_file)
            for name, cells in changes.cells.items()
        }

    def _shares(self, bits: Mapping[str, float], beliefs: Mapping[str, Posterior]) -> dict[str, float]:
        """Return bits in percent of what was uncertain before the release, 100 at most."""
        result = {}
        for name, belief in beliefs.items():
            before = belief.prior_entropy * belief.counts.sum()
            result[name] = min(100.0 * bits[name] / before, 100.0) if before > 0 else 0.0
        return result

    def _sources(self, bits: Mapping[str, float]) -> Json:
        declared = list(self.matrices or {})
        return {
            "bits": sum(bits.values()),
            "probabilities_of_original": "reference file" if self.reference_file is not None else "file that is masked",
            "transitions_given_for": declared,
            "transitions_estimated_for": [name for name in bits if name not in declared],
        }


@register("ebil")
class EntropyBasedLoss(EntropyLoss):
    """Entropy of the original category given the released one, in percent of its entropy before the release (EBIL).

    Masking is read as a noisy channel. 0: every original value follows from the released one, renamings included;
    100: the release tells nothing about the single value.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every categorical attribute that is released.
    weighted : bool
        Count records by their survey weight.
    matrices : dict of str to (levels, released levels) array, optional
        P(V' | V) where it is known, as for PRAM (``masked.provenance.details["matrices"]``). By default it is
        estimated from the two files, and `details` says so.
    reference_file : Microdata, optional
        A file like the original to take P(V) from (the papers' EBILRF). By default it is the file that is masked
        (EBILMF).

    Notes
    -----
    ``EBIL = Σ_records Σ_attributes H(V | V' = v')``, in bits in `details`, with P(V | V') by Bayes' rule; the value is
    the mean over attributes of ``100 · EBIL / (n · H(V))``, 100 at most. The papers' "same file being masked" is read
    as the original: released frequencies would say that merged levels cannot be. Estimated from few records a level,
    P(V' | V) makes the loss look small. The missing value is a level. O(records × attributes).

    References
    ----------
    Kooiman, Willenborg and Gouweleeuw (1998), PRAM: a method for disclosure limitation of microdata; Domingo-Ferrer and
    Torra (2002), section 3.4.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "sun", "wood"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "oil", "sun", "wood"]})  # 2 bits a record
    >>> EntropyBasedLoss().measure(fuels, pl.DataFrame({"fuel": ["gas", "gas", "sun", "sun"]}), schema).value  # 1 bit
    50.0
    """

    title: ClassVar[str] = "Uncertainty of categories (EBIL)"
    in_score: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · mean_j Σ H(V | V′ = v′) / (n H(V))"
    reference: ClassVar[str] = "Kooiman, Willenborg and Gouweleeuw 1998; Domingo-Ferrer and Torra 2002"

    def conclude(self, statistics: LevelChanges, scope: PairScope) -> Measurement:
        beliefs = self._posteriors(statistics, scope)
        bits = {name: belief.entropy() for name, belief in beliefs.items()}
        per_attribute = self._shares(bits, beliefs)
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Somebody who sees a released category still lacks {value:.1f} % of the information about the original "
            f"one, most in {most_of(per_attribute)}."
            if says_change(value)
            else "Every original category follows from the released one."
        )
        return self.result(value, sentence, per_attribute, self._sources(bits))


@register("il")
class TransitionLoss(EntropyLoss):
    """Surprise at the original category given the released one, in percent of the surprise without it (IL).

    Where EBIL asks how uncertain a released level leaves everybody, this asks about the record's own value: a change
    that hardly ever happens costs more than one that is expected.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every categorical attribute that is released.
    weighted : bool
        Count records by their survey weight.
    matrices : dict of str to (levels, released levels) array, optional
        P(V' | V) where it is known, as for PRAM (``masked.provenance.details["matrices"]``). By default it is
        estimated from the two files, and `details` says so.
    reference_file : Microdata, optional
        A file like the original to take P(V) from (the papers' ILRF). By default it is the file that is masked
        (ILMF).

    Notes
    -----
    ``IL = Σ_records Σ_attributes −log₂ P(V = v | V' = v')``, in bits in `details`; the value is the mean over
    attributes of ``100 · IL / (n · H(V))``, 100 at most. With both probabilities taken from the two files themselves it
    equals EBIL; it differs where P(V' | V) is given or P(V) comes from a reference file. The missing value is a level.
    O(records × attributes).

    References
    ----------
    Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata; (2002), section 3.4.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "sun", "wood"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "oil", "sun", "wood"]})  # 2 bits a record
    >>> TransitionLoss().measure(fuels, pl.DataFrame({"fuel": ["gas", "gas", "sun", "sun"]}), schema).value  # 1 bit
    50.0
    """

    title: ClassVar[str] = "Surprise at categories (IL)"
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean_j Σ −log₂ P(V = v | V′ = v′) / (n H(V))"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001, 2002"

    def conclude(self, statistics: LevelChanges, scope: PairScope) -> Measurement:
        beliefs = self._posteriors(statistics, scope)
        bits = {name: belief.surprise() for name, belief in beliefs.items()}
        per_attribute = self._shares(bits, beliefs)
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Knowing the released category, the original one is still {value:.1f} % as surprising as without it, "
            f"most in {most_of(per_attribute)}."
            if says_change(value)
            else "Every original category follows from the released one."
        )
        return self.result(value, sentence, per_attribute, self._sources(bits))
