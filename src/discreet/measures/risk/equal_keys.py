"""Risks counted from equal keys: k-anonymity, uniques, individual risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, Pair, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.schema import Schema
from discreet.parameters import Choice, Integer, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.class_sizes import Chances, ClassSizes, GuessChances, SizeTable, median_of
from discreet.statistics.counts import Counts
from discreet.statistics.key_frequencies import Frequencies, benedetti_franconi, key_frequencies
from discreet.statistics.question import Need
from discreet.typing import FloatArray, Json

__all__ = ["EqualKeys", "FrequencyRisk", "IndividualRisk", "KAnonymityViolations", "SampleUniques", "keys_in_words"]

_FLAG = (
    " The release was masked by a method that makes values untrue: records with equal keys need not be alike, and a "
    "rare combination need not be anybody's, so read this beside the linkage risks."
)


_READINGS = {
    "category": " A missing cell counts as a value of its own, as the file shows it.",
    "any": " A missing cell counts as any value, and agrees with all of them.",
}


def keys_in_words(count: int) -> str:
    """Return how many keys were counted, as a sentence says it."""
    return "1 key" if count == 1 else f"{count} keys"


class FrequencyRisk(Measure):
    """A risk that counts how often combinations of keys occur in the release.

    It counts every declared key as it stands in the release, numbers and sequences included: two records share a key
    exactly if a written file shows the same for both (:meth:`~discreet.data.microdata.Microdata.as_written`). Unrounded
    numbers are unique by nature, and whoever knows them finds the record.
    """

    kind: ClassVar[str] = "risk"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal", "sequence"})
    keys_only: ClassVar[bool] = True
    counts_equal_keys: ClassVar[bool] = True
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @property
    def missing(self) -> Literal["category", "any"]:
        """What a missing cell is; a value of its own where a measure offers no choice."""
        return "category"

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:  # noqa: ARG002
        # What is counted is the release alone: on which scale the original had a key makes no difference.
        return tuple(name for name in names if name in after)

    def _frequencies(self, pair: Pair) -> Frequencies:
        return key_frequencies(pair.masked, pair.names, pair.weights, missing=self.missing)

    def per_record(self, original: Any, masked: Any, schema: Schema | None = None) -> FloatArray:
        """Return the figure behind the measure for every record, in the file's order. For internal work only."""
        return self._per_record(self._pair(original, masked, schema))

    def _per_record(self, pair: Pair) -> FloatArray:
        return 1.0 / self._frequencies(pair).sizes

    def told(self, scope: PairScope, gaps: int, value: float, sentence: str, details: Json) -> Measurement:
        """Return the result of counts; `gaps` are the combinations in which a key is missing."""
        perturbative = None if scope.provenance is None else scope.provenance.perturbative
        return self.stated(scope.names, value, sentence, None, details, perturbative=perturbative, gaps=gaps > 0)

    def stated(
        self,
        names: Sequence[str],
        value: float,
        sentence: str,
        per_attribute: Mapping[str, float] | None = None,
        details: Json | None = None,
        *,
        perturbative: bool | None,
        gaps: bool,
    ) -> Measurement:
        """Return the result with which keys were counted, how missing cells were read, and what it cannot say.

        Parameters
        ----------
        names : sequence of str
            The keys that were counted.
        perturbative : bool, optional
            Whether the masking makes values untrue.
        gaps : bool
            Whether any of the keys has a missing cell in the release.
        """
        sentence += (_READINGS[self.missing] if gaps else "") + (_FLAG if perturbative else "")
        reading = {"keys": list(names), "perturbative": perturbative, "missing": self.missing}
        return self.result(value, sentence, per_attribute, {**reading, **(details or {})})


class EqualKeys(FrequencyRisk):
    """A risk of records with equal keys, where a missing cell may also be read as any value."""

    missing: Literal["category", "any"] = parameter(Choice(("category", "any")), default="category")

    @property
    def need(self) -> Need:  # type: ignore[override]
        """Cells that agree with every value are no key: all different records are compared."""
        return Need.DISTINCT if self.missing == "any" else Need.KEY


_BELOW = (2, 3, 5, 10)


@register("k-anonymity")
class KAnonymityViolations(EqualKeys):
    """Share of released records whose keys fewer than k records share, in percent.

    0 means that the release is k-anonymous on the keys that were looked at. It says nothing about what the records of
    a group have in common (see l-diversity and t-closeness).

    Parameters
    ----------
    k : int
        The smallest group that is safe.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included: equal numbers are equal keys.
    missing : {"category", "any"}
        A missing cell is a value of its own, as the file shows it, or agrees with every value.

    Notes
    -----
    `details` holds the size of the smallest group and the violations for 2, 3, 5 and 10. O(records log records × keys);
    missing values that agree with everything cost one such pass a pattern of missing values.

    References
    ----------
    Samarati and Sweeney (1998), Protecting privacy when disclosing information.

    Examples
    --------
    >>> import polars as pl
    >>> ages = pl.DataFrame({"age": [31.5, 31.5, 40.5, 40.5, 40.5, 77.5]})
    >>> KAnonymityViolations(k=3).measure(ages, ages).value  # two of 31.5, one of 77.5
    50.0
    """

    title: ClassVar[str] = "Records in groups smaller than k (k-anonymity)"
    formula: ClassVar[str] = "100 · #{i : f_i < k} / n"
    reference: ClassVar[str] = "Samarati and Sweeney 1998"
    first_look: ClassVar[int] = 2
    k: int = parameter(Integer(2), default=3, kw_only=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(5, missing="any")]

    def question(self, scope: PairScope) -> Counts:
        return Counts(scope.names, scope.weight, ClassSizes(self.missing))

    def conclude(self, statistics: SizeTable, scope: PairScope) -> Measurement:
        few, smallest = statistics.below(self.k), int(statistics.sizes[0])
        keys = keys_in_words(len(scope.names))
        sentence = (
            f"{few} of {scope.n} records share their {keys} with fewer than {self.k - 1} others; the "
            f"smallest group has {smallest}."
            if few
            else f"Every record shares its {keys} with at least {self.k - 1} others."
        )
        details: Json = {
            "k": self.k,
            "smallest_group": smallest,
            "combinations": int(statistics.combinations.sum()),
            "records_below": {str(k): statistics.below(k) for k in _BELOW},
            "median_group": median_of(statistics.sizes, statistics.records),
        }
        return self.told(scope, statistics.gaps, 100.0 * few / scope.n, sentence, details)


@register("uniques")
class SampleUniques(EqualKeys):
    """Share of released records whose combination of keys nobody else in the file has, in percent.

    A sample unique may have doubles in the population: with survey weights, `details` estimates how many do not.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    missing : {"category", "any"}
        A missing cell is a value of its own, as the file shows it, or agrees with every value.

    Notes
    -----
    Under the negative binomial model of Benedetti and Franconi, a sample unique of weight w is alone in the population
    with probability 1/w; their sum is the expected number of population uniques in the file. O(records log records ×
    keys).

    References
    ----------
    Skinner and Elliot (2002), A measure of disclosure risk for microdata; Benedetti and Franconi (1998).

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "sun"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "gas", "oil", "sun"]})
    >>> SampleUniques().measure(fuels, fuels, schema).value  # oil and sun
    50.0
    """

    title: ClassVar[str] = "Unique records"
    formula: ClassVar[str] = "100 · #{i : f_i = 1} / n"
    reference: ClassVar[str] = "Skinner and Elliot 2002"
    first_look: ClassVar[int] = 1

    def question(self, scope: PairScope) -> Counts:
        return Counts(scope.names, scope.weight, ClassSizes(self.missing))

    def conclude(self, statistics: SizeTable, scope: PairScope) -> Measurement:
        count = statistics.below(2)
        alone = "is the only one with its" if count == 1 else "are the only ones with their"
        sentence = f"{count} of {scope.n} records {alone} {keys_in_words(len(scope.names))}"
        details: Json = {"uniques": count, "n": scope.n}
        if scope.weight is not None:
            sentence += f"; about {statistics.alone:.0f} of them are the only ones in the population"
            details["expected_population_uniques"] = statistics.alone
        return self.told(scope, statistics.gaps, 100.0 * count / scope.n, sentence + ".", details)

    def _per_record(self, pair: Pair) -> FloatArray:
        return np.where(self._frequencies(pair).sizes == 1, 1.0, 0.0)


_PERCENT = (1, 5, 10, 50)


@register("individual-risk")
class IndividualRisk(EqualKeys):
    """Expected share of records that are re-identified in the population, in percent (Benedetti–Franconi).

    The intruder matches a record with everybody in the population who has the same keys and picks one. The value is
    the mean over records (the global risk); the risk of every record comes from ``per_record``.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    missing : {"category", "any"}
        A missing cell is a value of its own, as the file shows it, or agrees with every value.

    Notes
    -----
    ``r = E[1/F | f]``, F negative binomial given f, exact (see :func:`~discreet.statistics.key_frequencies.
    benedetti_franconi`). Without survey weights the file is taken for the population and r = 1/f. `details` holds the
    expected number of re-identifications and how many records exceed 1, 5, 10 and 50 %. O(records log records × keys).

    References
    ----------
    Benedetti and Franconi (1998), Statistical and technological solutions for controlled data dissemination; Franconi
    and Polettini (2004), Individual risk estimation in µ-Argus: a review.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal, Numeric
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key"), Attribute("w", Numeric(), "weight")])
    >>> sample = pl.DataFrame({"fuel": ["gas", "oil"], "w": [17.0, 5.0]})
    >>> IndividualRisk().per_record(sample, sample, schema).round(4)  # log(17)/16 and log(5)/4
    array([0.1771, 0.4024])
    """

    title: ClassVar[str] = "Expected re-identifications (individual risk)"
    formula: ClassVar[str] = "100 · mean E[1/F | f]"
    reference: ClassVar[str] = "Benedetti and Franconi 1998; Franconi and Polettini 2004"
    first_look: ClassVar[int] = 3

    def question(self, scope: PairScope) -> Counts:
        limits = tuple(t / 100.0 for t in _PERCENT)
        return Counts(scope.names, scope.weight, Chances(benedetti_franconi, limits, self.missing))

    def conclude(self, statistics: GuessChances, scope: PairScope) -> Measurement:
        expected, weighted = statistics.total, scope.weight is not None
        value = 100.0 * expected / scope.n
        where = "in the population" if weighted else "if the file is the whole population"
        sentence = (
            f"An intruder who knows {keys_in_words(len(scope.names))} re-identifies about {expected:.1f} of {scope.n} "
            f"records {where} ({value:.2f} %); the most exposed record with a chance of "
            f"{100 * statistics.highest:.1f} %."
        )
        details: Json = {
            "expected_reidentifications": expected,
            "largest_percent": 100.0 * statistics.highest,
            "records_above_percent": dict(zip(map(str, _PERCENT), statistics.above.tolist(), strict=True)),
            "weighted": weighted,
        }
        if statistics.median is not None:
            details["median_percent"] = 100.0 * statistics.median
        return self.told(scope, statistics.gaps, min(value, 100.0), sentence, details)

    def _per_record(self, pair: Pair) -> FloatArray:
        frequencies = self._frequencies(pair)
        return benedetti_franconi(frequencies.sizes, frequencies.totals)
