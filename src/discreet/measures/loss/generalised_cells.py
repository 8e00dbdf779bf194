"""Losses of generalised categories: what a released level leaves open, cell by cell and record by record."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.block import Block
from discreet.data.levels import JoinedLevels
from discreet.masking.recoding.hierarchy import Hierarchy, HierarchyByName
from discreet.masking.recoding.key_ladders import hierarchies_of
from discreet.measures.generalised_levels import Coverage, coverage
from discreet.measures.loss.category_moves import CategoricalLoss
from discreet.measures.loss.class_losses import rows_asked
from discreet.measures.number_pairs import most_of, says_change
from discreet.parameters import Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Inquiry, Need, Together
from discreet.statistics.tallies import LevelChanges, LevelTransitions
from discreet.typing import FloatArray, IntArray

__all__ = ["Ambiguity", "GeneralisationIntensity", "GeneralisationLoss", "Granularity", "KeyDivergence"]


class GeneralisationLoss(CategoricalLoss):
    """A loss of levels that stand for several: by a hierarchy, or by what the levels of the original became."""

    need: ClassVar[Need] = Need.RECORD
    default: ClassVar[bool] = False
    hierarchies: Mapping[str, Hierarchy | str | os.PathLike[str]] | None = parameter(
        Optional(HierarchyByName()), default=None
    )

    @classmethod
    def examples(cls) -> list[Self]:
        fuels = Hierarchy([["gas", "fossil", "*"], ["oil", "fossil", "*"], ["wood", "new", "*"], ["sun", "new", "*"]])
        return [cls(), cls(hierarchies={"fuel": fuels})]

    def question(self, scope: PairScope) -> LevelTransitions:
        return self.transitions(scope)

    def _coverages(self, changes: LevelChanges, scope: PairScope) -> dict[str, Coverage]:
        trees = hierarchies_of(type(self).__name__, self.hierarchies, scope.before)
        return {name: coverage(scope, name, cells, trees.get(name)) for name, cells in changes.cells.items()}

    @staticmethod
    def _absent(scope: PairScope) -> int:
        """Return how many records are not released."""
        return max(scope.provenance.n_records - scope.n, 0) if scope.provenance is not None else 0

    def _told(self, per_attribute: dict[str, float], said: str, unchanged: str, absent: int) -> Measurement:
        value = float(np.mean(list(per_attribute.values())))
        sentence = said.format(value, most_of(per_attribute)) if says_change(value) else unchanged
        return self.result(value, sentence, per_attribute, {"records_not_released": absent})


@register("granularity")
class Granularity(GeneralisationLoss):
    """How many of the other levels a released level may be, on average, in percent (granularity, loss metric).

    0: every cell says which level it is; 100: no cell says anything. It sees recoding and suppression; a level that is
    exchanged for another counts as all of them where a hierarchy tells that it is untrue.

    Parameters
    ----------
    attributes : list of str, optional
        What to look at; by default every categorical attribute that is released.
    weighted : bool
        Count records by their survey weight.
    hierarchies : dict of str to Hierarchy or path, optional
        By attribute. Without one, a level stands for the original levels whose records became it.

    Notes
    -----
    ``100 · mean_j mean_i (m − 1)/(L − 1)`` for a cell that may be m of L levels, L being the leaves of the hierarchy
    or, without one, the levels that occur. A missing cell that had a value may be all of them, and a record that is not
    released counts 1; cells that had no value do not count. It is the objective ``"loss"`` of the search for a
    generalisation. O(records × attributes).

    References
    ----------
    Iyengar (2002), Transforming data to satisfy privacy constraints.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.microdata import Microdata
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> one, two = (Schema([Attribute("f", Nominal(v), "key")]) for v in (["gas", "oil", "sun"], ["fossil", "sun"]))
    >>> a = Microdata(pl.DataFrame({"f": ["gas", "oil", "sun", "sun"]}), one)
    >>> b = Microdata(pl.DataFrame({"f": ["fossil", "fossil", "sun", "sun"]}), two)
    >>> Granularity().measure(a, b).value  # ½ ½ 0 0
    25.0
    """

    title: ClassVar[str] = "Granularity lost (loss metric)"
    formula: ClassVar[str] = "100 · mean (covered − 1) / (levels − 1)"
    reference: ClassVar[str] = "Iyengar 2002"

    def conclude(self, statistics: LevelChanges, scope: PairScope) -> Measurement:
        absent = self._absent(scope)
        lost = {n: c.intensity(c.shares, absent) for n, c in self._coverages(statistics, scope).items()}
        said = "A released level may be {:.1f} % of the other levels on average, most in {}."
        return self._told(lost, said, "Every released level stands for one level.", absent)


@register("precision")
class GeneralisationIntensity(GeneralisationLoss):
    """How far up its hierarchy a released level stands, on average, in percent (precision, generalisation intensity).

    0: as it was; 100: at the top, missing, or untrue. It sees recoding and suppression.

    Parameters
    ----------
    attributes : list of str, optional
        What to look at; by default every categorical attribute that is released.
    weighted : bool
        Count records by their survey weight.
    hierarchies : dict of str to Hierarchy or path, optional
        By attribute. Without one, a level that was changed is at the top.

    Notes
    -----
    ``100 · mean_j mean_i step / height``, Sweeney's 1 − Prec. A released level that is not above the cell's own is
    untrue and counts 1, as do missing cells that had a value and records that are not released; cells that had no value
    do not count. It is the objective ``"precision"`` of the search for a generalisation. O(records × attributes).

    References
    ----------
    Sweeney (2002), Achieving k-anonymity privacy protection using generalization and suppression.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.microdata import Microdata
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> one, two = (Schema([Attribute("f", Nominal(v), "key")]) for v in (["gas", "oil", "sun"], ["fossil", "sun"]))
    >>> a = Microdata(pl.DataFrame({"f": ["gas", "oil", "sun", "sun"]}), one)
    >>> b = Microdata(pl.DataFrame({"f": ["fossil", "fossil", "sun", None]}), two)
    >>> broader = Hierarchy([["gas", "fossil", "*"], ["oil", "fossil", "*"], ["sun", "other", "*"]])
    >>> GeneralisationIntensity(hierarchies={"f": broader}).measure(a, b).value  # ½ ½ 0 1
    50.0
    """

    title: ClassVar[str] = "Generalisation intensity (precision lost)"
    formula: ClassVar[str] = "100 · mean step / height"
    reference: ClassVar[str] = "Sweeney 2002"

    def conclude(self, statistics: LevelChanges, scope: PairScope) -> Measurement:
        absent = self._absent(scope)
        lost = {n: c.intensity(c.climbed, absent) for n, c in self._coverages(statistics, scope).items()}
        said = "Released levels stand {:.1f} % of the way up to saying nothing on average, farthest in {}."
        return self._told(lost, said, "No level was generalised.", absent)


@dataclass(frozen=True)
class _Products:
    """Σ over records of how many combinations of levels each may be."""

    total: float

    def merge(self, later: _Products, /) -> _Products:
        return _Products(self.total + later.total)


@dataclass(frozen=True, eq=False)
class _Possibilities:
    """Ask how many combinations of levels the records may be, given what every cell may be."""

    names: tuple[str, ...]
    levels: tuple[JoinedLevels, ...]
    cells: tuple[tuple[IntArray, FloatArray], ...]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released = original

    def summarise(self, block: Block, /) -> _Products:
        product = np.ones(len(block))
        for name, levels, (packed, covered) in zip(self.names, self.levels, self.cells, strict=True):
            before, after = block.levels(name, levels)
            product *= covered[np.searchsorted(packed, before.astype(np.int64) * levels.size + after)]
        return _Products(float(product.sum()))


@register("ambiguity")
class Ambiguity(GeneralisationLoss):
    """How many other combinations of levels a released record may be, on average (ambiguity metric).

    0: every record says what it is. It sees recoding and suppression, and grows with the product over attributes.

    Parameters
    ----------
    attributes : list of str, optional
        What a combination is made of; by default every categorical attribute that is released.
    weighted : bool
        Of no use here: it is records that are ambiguous.
    hierarchies : dict of str to Hierarchy or path, optional
        By attribute. Without one, a level stands for the original levels whose records became it.

    Notes
    -----
    ``mean_i Π_j m_ij − 1`` for cells that may be m levels; a missing cell that had a value may be all of them, one that
    had none counts 1. Of the records that are released. The mean itself, in `details`, is the objective ``"ambiguity"``
    of the search for a generalisation. O(records × attributes), in two passes.

    References
    ----------
    Goldberger and Tassa (2010), Efficient anonymizations with enhanced utility.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.microdata import Microdata
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> one, two = (Schema([Attribute("f", Nominal(v), "key")]) for v in (["gas", "oil", "sun"], ["fossil", "sun"]))
    >>> a = Microdata(pl.DataFrame({"f": ["gas", "oil", "sun", "sun"]}), one)
    >>> b = Microdata(pl.DataFrame({"f": ["fossil", "fossil", "sun", None]}), two)
    >>> Ambiguity().measure(a, b).value  # 1 1 0 2
    1.0
    """

    title: ClassVar[str] = "Other combinations a record may be (ambiguity)"
    high: ClassVar[float] = float("inf")
    unit: ClassVar[str] = "combinations"
    formula: ClassVar[str] = "mean Π_j covered_j − 1"
    reference: ClassVar[str] = "Goldberger and Tassa 2010"

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        changes = yield LevelTransitions(scope.names, tuple(scope.levels(name) for name in scope.names))
        covers = self._coverages(changes, scope)
        cells = tuple((c.rows * scope.levels(name).size + c.columns, c.covered) for name, c in covers.items())
        products = yield _Possibilities(scope.names, tuple(scope.levels(name) for name in scope.names), cells)
        mean = products.total / scope.n
        value = max(mean - 1.0, 0.0)
        sentence = (
            f"A released record may be {value:.3g} other combinations of levels on average."
            if says_change(value)
            else "Every released record says which combination of levels it is."
        )
        return self.result(value, sentence, details={"combinations": mean})


@register("kl-divergence")
class KeyDivergence(GeneralisationLoss):
    """Divergence of the records from what the release says of them, in bits (Kullback–Leibler).

    0: the combinations of levels can be read off the release with their counts. It sees recoding, suppression and the
    relations that they hide: a class is read as spread evenly over the combinations that it may be.

    Parameters
    ----------
    attributes : list of str, optional
        What a combination is made of; by default every categorical attribute that is released.
    weighted : bool
        Of no use here: it is records that are counted.
    hierarchies : dict of str to Hierarchy or path, optional
        By attribute. Without one, a level stands for the original levels whose records became it.

    Notes
    -----
    ``mean_i log₂(f_i / (f′_i / Π_j m_ij))`` with f and f′ the records that have the same combination in the original
    and in the release, and m the levels that a cell may be; 0 at least. The attributes' own divergences stand beside
    it. Of the records that are released. It is the objective ``"kl"`` of the search for a generalisation; of
    histograms, numbers included, see `hellinger` with ``distance="kl"``. O(records log records × attributes).

    References
    ----------
    Kullback and Leibler (1951), On information and sufficiency; Machanavajjhala et al. (2007), l-Diversity.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.microdata import Microdata
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> one, two = (Schema([Attribute("f", Nominal(v), "key")]) for v in (["gas", "oil", "sun"], ["fossil", "sun"]))
    >>> a = Microdata(pl.DataFrame({"f": ["gas", "gas", "gas", "oil", "sun"]}), one)
    >>> b = Microdata(pl.DataFrame({"f": ["fossil"] * 4 + ["sun"]}), two)
    >>> round(KeyDivergence().measure(a, b).value, 4)  # (3 log₂ 3/2 + log₂ 1/2) / 5
    0.151
    """

    title: ClassVar[str] = "Divergence of combinations (Kullback–Leibler)"
    high: ClassVar[float] = float("inf")
    unit: ClassVar[str] = "bits"
    need: ClassVar[Need] = Need.DISTINCT
    formula: ClassVar[str] = "mean log₂ (f Π_j covered_j / f′)"
    reference: ClassVar[str] = "Kullback and Leibler 1951; Machanavajjhala et al. 2007"

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        levels = tuple(scope.levels(name) for name in scope.names)
        answers = yield Together((LevelTransitions(scope.names, levels), rows_asked(scope)))
        changes, rows = answers.statistics
        covers = self._coverages(changes, scope)
        spread = {name: float((c.counts * np.log2(c.covered)).sum()) for name, c in covers.items()}
        own = {}
        for name, c in covers.items():
            before, after = (np.bincount(side, weights=c.counts) for side in (c.rows, c.columns))
            own[name] = _at_least_0(_surprise(before) - _surprise(after) + spread[name], scope.n)
        value = _at_least_0(_surprise(rows.before) - _surprise(rows.after) + sum(spread.values()), scope.n)
        sentence = (
            f"A record's combination of levels is {value:.2f} bits less certain in the release, read as it is, than in "
            "the original."
            if says_change(value)
            else "The release says how often every combination of levels occurs, as the original does."
        )
        return self.result(value, sentence, own)


def _surprise(counts: FloatArray | IntArray) -> float:
    """Return Σ f log₂ f."""
    some = counts[counts > 0].astype(np.float64)
    return float((some * np.log2(some)).sum())


def _at_least_0(total: float, n: int) -> float:
    mean = total / n
    return mean if mean > 1e-12 else 0.0
