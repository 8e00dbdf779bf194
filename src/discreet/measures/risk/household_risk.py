"""Risk of households: one member found is enough."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Pair
from discreet.contracts.measurement import Measurement
from discreet.errors import ParameterError
from discreet.measures.risk.equal_keys import EqualKeys, keys_in_words
from discreet.parameters import Number, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.key_frequencies import benedetti_franconi
from discreet.statistics.question import Need
from discreet.typing import FloatArray, IntArray

__all__ = ["HouseholdRisk"]


@register("household-risk")
class HouseholdRisk(EqualKeys):
    """Expected share of records whose household is re-identified through any of its members, in percent.

    The individual risk takes records for strangers; members of a household give each other away.

    Parameters
    ----------
    household : str
        The attribute of the original that says which records belong together; an identifier will do.
    sampling_fraction : float, optional
        Share of the population that is in the file; by default from the survey weights.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    missing : {"category", "any"}
        A missing cell is a value of its own, as the file shows it, or agrees with every value.

    Notes
    -----
    ``1 − Π_members (1 − r_i)`` with the individual risks r; every member has its household's risk. A record without a
    household is one by itself. O(records log records × keys).

    References
    ----------
    Templ, Meindl and Kowarik (2013), Introduction to statistical disclosure control; Benedetti and Franconi (1998).

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> home = Attribute("home", Nominal([1, 2]), "identifier")
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key"), home])
    >>> people = pl.DataFrame({"fuel": ["gas", "gas", "oil", "oil"], "home": [1, 1, 2, 2]})
    >>> HouseholdRisk("home").measure(people, people, schema).value  # members have 1/2: 1 − 1/4
    75.0
    """

    title: ClassVar[str] = "Expected re-identifications of households"
    need: ClassVar[Need] = Need.ALL  # members of a household share no key
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean (1 − Π (1 − r))"
    reference: ClassVar[str] = "Templ, Meindl and Kowarik 2013"
    household: str | None = parameter(Optional(Text("the name of an attribute")), default=None, kw_only=False)
    sampling_fraction: float | None = parameter(Optional(Number(0, 1, open_low=True)), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls("region")]

    def _measure(self, pair: Pair) -> Measurement:
        risks = self._per_record(pair)
        expected, n = float(risks.sum()), risks.size
        sentence = (
            f"An intruder who knows {keys_in_words(len(pair.names))} finds the households of about {expected:.1f} of "
            f"{n} records ({100 * expected / n:.2f} %)."
        )
        details = {"expected_reidentifications": expected, "largest_percent": float(100.0 * risks.max())}
        return self._flagged(pair, min(100.0 * expected / n, 100.0), sentence, details=details)

    def _per_record(self, pair: Pair) -> FloatArray:
        if self.household is None:
            raise ParameterError("HouseholdRisk: household must be the name of an attribute; got None.")
        frequencies = self._frequencies(pair)
        fraction = self.sampling_fraction
        totals = frequencies.totals if fraction is None else frequencies.sizes / fraction
        alone = benedetti_franconi(frequencies.sizes, totals)
        homes = _homes(pair, self.household)
        with np.errstate(divide="ignore"):  # a risk of 1 is a logarithm of −∞, and its household has a risk of 1
            log_safe = np.bincount(homes, weights=np.log1p(-np.minimum(alone, 1.0)))
        return np.asarray(-np.expm1(log_safe)[homes], dtype=np.float64)


def _homes(pair: Pair, name: str) -> IntArray:
    column = pair.original.column(name)
    _, homes = np.unique(column.to_numpy(zero_copy_only=False).astype(str), return_inverse=True)
    absent = pair.original.missing(name)
    homes[absent] = homes.max(initial=0) + 1 + np.arange(int(absent.sum()))
    return np.unique(homes, return_inverse=True)[1].astype(np.int64)
