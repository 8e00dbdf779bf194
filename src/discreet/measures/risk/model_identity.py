"""Privacy models of identity as measures: highest, average and population-unique records, and combinations of keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masked import Provenance
from discreet.contracts.measure import Pair, PairScope
from discreet.contracts.measurement import Measurement
from discreet.measures.risk.equal_keys import FrequencyRisk, keys_in_words
from discreet.models.identity import BySize
from discreet.parameters import Integer, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.class_sizes import ClassSizes, SizeTable
from discreet.statistics.counts import Counts
from discreet.statistics.question import Need
from discreet.statistics.released_texts import ReleasedTexts, TextRecords
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = [
    "AverageRiskOfRecords",
    "HighestRiskOfRecords",
    "KCombinations",
    "KMItems",
    "RecordsWorthAttack",
    "UniquenessOfRecords",
]


class _SizesRisk(FrequencyRisk):
    """A risk that follows from the sizes of classes alone."""

    need: ClassVar[Need] = Need.KEY
    default: ClassVar[bool] = False

    def question(self, scope: PairScope) -> Counts:
        return Counts(scope.names, None, ClassSizes(self.missing))


@register("highest-risk")
class HighestRiskOfRecords(_SizesRisk):
    """Highest chance with which anybody is found by whoever knows that he is in the file, in percent (prosecutor).

    Parameters
    ----------
    risk : float
        The chance above which records are counted in `details`.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.

    Notes
    -----
    One over the size of the smallest group of equal keys; the model of the same name in ``discreet.models``. O(records
    log records × keys).

    References
    ----------
    El Emam and Dankar (2008), Protecting privacy using k-anonymity.

    Examples
    --------
    >>> import polars as pl
    >>> ages = pl.DataFrame({"age": [31.5, 31.5, 40.5, 40.5, 40.5]})
    >>> HighestRiskOfRecords().measure(ages, ages).value
    50.0
    """

    title: ClassVar[str] = "Highest chance of a correct guess (prosecutor)"
    formula: ClassVar[str] = "100 · max 1 / f_i"
    reference: ClassVar[str] = "El Emam and Dankar 2008"
    risk: float = parameter(Number(0, 1, open_low=True), default=0.2, kw_only=False)

    def conclude(self, statistics: SizeTable, scope: PairScope) -> Measurement:
        smallest = int(statistics.sizes[0])
        above = int(statistics.records[statistics.sizes * self.risk < 1.0 - 1e-12].sum())
        sentence = (
            f"Whoever knows that a record is in the file, and its {keys_in_words(len(scope.names))}, is right with a "
            f"chance of up to {100 / smallest:.1f} %; for {above} of {scope.n} records with more than "
            f"{100 * self.risk:g} %."
        )
        details: Json = {"risk": self.risk, "records_above": above, "smallest_group": smallest}
        return self.told(scope, statistics.gaps, 100.0 / smallest, sentence, details)


@register("average-risk")
class AverageRiskOfRecords(_SizesRisk):
    """Average chance over all records of being found by their keys, in percent (marketer).

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.

    Notes
    -----
    The mean of one over the size of a record's group: groups over records. The model of the same name in
    ``discreet.models``. O(records log records × keys).

    References
    ----------
    El Emam and Dankar (2008), Protecting privacy using k-anonymity.

    Examples
    --------
    >>> import polars as pl
    >>> ages = pl.DataFrame({"age": [31.5, 31.5, 40.5, 40.5, 40.5]})
    >>> AverageRiskOfRecords().measure(ages, ages).value
    40.0
    """

    title: ClassVar[str] = "Average chance of a correct guess (marketer)"
    formula: ClassVar[str] = "100 · groups / n"
    reference: ClassVar[str] = "El Emam and Dankar 2008"

    def conclude(self, statistics: SizeTable, scope: PairScope) -> Measurement:
        groups = int(statistics.combinations.sum())
        value = 100.0 * groups / scope.n
        sentence = (
            f"Whoever looks for all {scope.n} records by their {keys_in_words(len(scope.names))} is right for {groups} "
            f"of them ({value:.2f} %)."
        )
        return self.told(scope, statistics.gaps, value, sentence, {"groups": groups})


@register("no-attack")
class RecordsWorthAttack(_SizesRisk):
    """Share of records that an attack would pay for, in percent.

    Parameters
    ----------
    gain : float
        What an intruder gains by a record that he finds.
    cost : float
        What an attempt costs him.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.

    Notes
    -----
    An attack pays where the gain times the chance, one over the records that share the keys, exceeds the cost. The
    model of the same name in ``discreet.models``. O(records log records × keys).

    References
    ----------
    Wan et al. (2015), A game theoretic framework for analyzing re-identification risk.

    Examples
    --------
    >>> import polars as pl
    >>> ages = pl.DataFrame({"age": [31.5, 31.5, 40.5, 40.5, 40.5]})
    >>> RecordsWorthAttack(gain=5, cost=2).measure(ages, ages).value  # a gain of 5/2 against 2, of 5/3 against 2
    40.0
    """

    title: ClassVar[str] = "Records worth an attack (cost and gain)"
    formula: ClassVar[str] = "100 · #{i : gain / f_i > cost} / n"
    reference: ClassVar[str] = "Wan et al. 2015"
    gain: float = parameter(Number(0, open_low=True), default=300.0)
    cost: float = parameter(Number(0, open_low=True), default=4.0)

    def _per_record(self, pair: Pair) -> FloatArray:
        return np.where(self._worth(self._frequencies(pair).sizes), 1.0, 0.0)

    def _worth(self, sizes: IntArray) -> BoolArray:
        return np.asarray(sizes * self.cost < self.gain * (1 - 1e-12))

    def conclude(self, statistics: SizeTable, scope: PairScope) -> Measurement:
        worth = int(statistics.records[self._worth(statistics.sizes)].sum())
        sentence = (
            f"For {worth} of {scope.n} records a guess by their {keys_in_words(len(scope.names))} is worth more than "
            f"it costs, where finding one brings {self.gain:g} and a guess costs {self.cost:g}."
        )
        return self.told(scope, statistics.gaps, 100.0 * worth / scope.n, sentence, {"records_worth_attack": worth})


@register("population-uniqueness")
class UniquenessOfRecords(_SizesRisk):
    """Share of records expected to be alone in a population of known size, in percent.

    Parameters
    ----------
    population_size : int, optional
        People in the population, of which the table is a random sample; by default the file is the population.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.

    Notes
    -----
    A record that is unique in a sample of the share π is alone in the population with probability π. π is that of the
    table before records were left out. The model of the same name in ``discreet.models``; ``population-uniques`` has
    richer ones. O(records log records × keys).

    References
    ----------
    Benedetti and Franconi (1998); Skinner and Elliot (2002), A measure of disclosure risk for microdata.

    Examples
    --------
    >>> import polars as pl
    >>> ages = pl.DataFrame({"age": [31.5, 31.5, 40.5, 77.5]})
    >>> UniquenessOfRecords(40).measure(ages, ages).value  # two are alone, in a tenth of the population
    5.0
    """

    title: ClassVar[str] = "Records expected to be alone in the population (sampling fraction)"
    formula: ClassVar[str] = "100 · π · #{i : f_i = 1} / n"
    reference: ClassVar[str] = "Benedetti and Franconi 1998"
    population_size: int | None = parameter(Optional(Integer(1)), default=None, kw_only=False)

    def _fraction(self, n: int, provenance: Provenance | None) -> float:
        sampled = n if provenance is None else max(provenance.n_records, n)
        return 1.0 if self.population_size is None else min(sampled / self.population_size, 1.0)

    def _per_record(self, pair: Pair) -> FloatArray:
        fraction = self._fraction(len(pair.masked), pair.provenance)
        return np.where(self._frequencies(pair).sizes == 1, fraction, 0.0)

    def conclude(self, statistics: SizeTable, scope: PairScope) -> Measurement:
        fraction = self._fraction(scope.n, scope.provenance)
        alone = statistics.below(2)
        sentence = (
            f"{alone} of {scope.n} records are the only ones with their {keys_in_words(len(scope.names))}; about "
            f"{alone * fraction:.1f} of them are the only ones in the population."
        )
        details: Json = {"uniques": alone, "sampling_fraction": fraction}
        return self.told(scope, statistics.gaps, 100.0 * alone * fraction / scope.n, sentence, details)


class _CombinedKeys(FrequencyRisk):
    """Share of records some of whose cells too few records share, in percent."""

    need: ClassVar[Need] = Need.DISTINCT
    default: ClassVar[bool] = False
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    exempt: ClassVar[bool] = False
    """Whether a combination with a missing cell is none."""

    def _sizes(self, keys: int) -> dict[int, int]:
        raise NotImplementedError

    def question(self, scope: PairScope) -> ReleasedTexts:
        return ReleasedTexts(scope.names)

    def _per_record(self, pair: Pair) -> FloatArray:
        records = ReleasedTexts(pair.names).records(pair.masked)
        counted, keys = TextRecords(Counter(records)), len(pair.names)
        broken = {one for size, k in self._sizes(keys).items() for one in self._short(counted, keys, size, k)}
        return np.array([float(record in broken) for record in records])

    def conclude(self, statistics: TextRecords, scope: PairScope) -> Measurement:
        broken: set[tuple[str, ...]] = set()
        by_size: dict[str, int] = {}
        for size, k in self._sizes(len(scope.names)).items():
            short = set(self._short(statistics, len(scope.names), size, k))
            by_size[str(size)] = sum(statistics.counts[record] for record in short)
            broken |= short
        records = sum(statistics.counts[record] for record in broken)
        keys = keys_in_words(len(scope.names))
        asked = ", ".join(f"{k} for {size}" for size, k in self._sizes(len(scope.names)).items())
        sentence = (
            f"{records} of {scope.n} records have a combination of some of their {keys} that too few records share "
            f"(asked: {asked})."
            if records
            else f"Every combination of some of the {keys} is shared by enough records (asked: {asked})."
        )
        gaps = sum("" in record for record in statistics.counts)
        return self.told(scope, gaps, 100.0 * records / scope.n, sentence, {"records_by_size": by_size})

    def _short(self, statistics: TextRecords, keys: int, size: int, k: int) -> Iterator[tuple[str, ...]]:
        for chosen in combinations(range(keys), size):
            shared: dict[tuple[str, ...], int] = {}
            for record, count in statistics.counts.items():
                cells = tuple(record[place] for place in chosen)
                shared[cells] = shared.get(cells, 0) + count
            for record in statistics.counts:
                cells = tuple(record[place] for place in chosen)
                if shared[cells] < k and not (self.exempt and "" in cells):
                    yield record


@register("km")
class KMItems(_CombinedKeys):
    """Share of records that have a combination of at most m items which fewer than k records have, in percent.

    Parameters
    ----------
    k, m : int
        Every choice of at most `m` items that somebody has is had by at least `k`.
    attributes : list of str, optional
        The columns that hold the set, one item a cell; a missing cell is no item. By default every key.

    Notes
    -----
    The model of the same name in ``discreet.models`` (k^m-anonymity). O(different records × combinations).

    References
    ----------
    Terrovitis, Mamoulis and Kalnis (2008), Privacy-preserving anonymization of set-valued data.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("bread", Nominal("y"), "key"), Attribute("wine", Nominal("y"), "key")])
    >>> baskets = pl.DataFrame({"bread": ["y", "y", "y", None], "wine": ["y", None, "y", "y"]})
    >>> KMItems(3, 2).measure(baskets, baskets, schema).value  # two bought both
    50.0
    """

    title: ClassVar[str] = "Records with rare sets of items (k^m-anonymity)"
    formula: ClassVar[str] = "100 · #{i : some ≤ m items of i are had by < k} / n"
    reference: ClassVar[str] = "Terrovitis, Mamoulis and Kalnis 2008"
    exempt: ClassVar[bool] = True
    k: int = parameter(Integer(1), default=5, kw_only=False)
    m: int = parameter(Integer(1), default=2, kw_only=False)

    def _sizes(self, keys: int) -> dict[int, int]:
        return dict.fromkeys(range(1, min(self.m, keys) + 1), self.k)


@register("k-combinations")
class KCombinations(_CombinedKeys):
    """Share of records some combination of whose keys is rarer than its size allows, in percent.

    Parameters
    ----------
    k : dict of int to int, optional
        By the number of keys in a combination, how many records must share it; by default 10 every value, 3 every pair.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.

    Notes
    -----
    The model ``K({1: 20, 2: 10})`` of ``discreet.models``, µ-Argus's thresholds by dimension. A missing cell is a value
    of its own. Sizes beyond the number of keys are left out. O(different records × combinations).

    References
    ----------
    Hundepool and Willenborg (1996), μ- and τ-Argus: software for statistical disclosure control.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("sex", Nominal("fm"), "key"), Attribute("area", Nominal("ns"), "key")])
    >>> people = pl.DataFrame({"sex": list("ffmm"), "area": list("nnns")})
    >>> KCombinations({1: 2}).measure(people, people, schema).value  # one lives in s
    25.0
    """

    title: ClassVar[str] = "Records with rare combinations of some keys"
    formula: ClassVar[str] = "100 · #{i : some j keys of i are shared by < k_j} / n"
    reference: ClassVar[str] = "Hundepool and Willenborg 1996"
    k: Mapping[int, int] | None = parameter(Optional(BySize()), default=None, kw_only=False)

    def _sizes(self, keys: int) -> dict[int, int]:
        asked = {1: 10, 2: 3} if self.k is None else self.k
        return {size: k for size, k in asked.items() if size <= keys}
