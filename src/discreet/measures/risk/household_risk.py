"""Risk of households: one member found is enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.engine import TablePair
from discreet.contracts.estimator import register
from discreet.contracts.measure import Pair, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.block import Block
from discreet.data.microdata import Microdata
from discreet.data.scales.written import absent_of
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.measures.risk.equal_keys import EqualKeys, keys_in_words
from discreet.parameters import Number, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.counts import Combinations
from discreet.statistics.different_pairs import DifferentPairs, PairRows
from discreet.statistics.key_frequencies import benedetti_franconi
from discreet.statistics.question import Need
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = ["HouseholdRisk"]


@register("household-risk")
class HouseholdRisk(EqualKeys):
    """Expected share of records whose household is re-identified through any of its members, in percent.

    The individual risk takes records for strangers; members of a household give each other away.

    Parameters
    ----------
    household : str, optional
        The attribute of the original that says which records belong together, which may be an identifier; by default
        the one that the schema declares so.
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
    need: ClassVar[Need] = Need.DISTINCT  # members of a household share no key
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean (1 − Π (1 − r))"
    reference: ClassVar[str] = "Templ, Meindl and Kowarik 2013"
    household: str | None = parameter(Optional(Text("the name of an attribute")), default=None, kw_only=False)
    sampling_fraction: float | None = parameter(Optional(Number(0, 1, open_low=True)), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls("region")]

    def question(self, scope: PairScope) -> DifferentPairs:
        household = self._household(scope.before)
        scope.before[household]
        return DifferentPairs((household,), scope.names, scope.weight)

    def _household(self, schema: Schema) -> str:
        household = self.household or schema.household
        if household is None:
            raise ParameterError(
                "HouseholdRisk: household must be the name of an attribute; got None.",
                hint="Name it, or declare it in the schema: household = true (--household).",
            )
        return household

    def conclude(self, statistics: PairRows, scope: PairScope) -> Measurement:
        risks, gaps = self._risks(statistics, scope.names)
        expected, n = float(risks @ statistics.records), scope.n
        sentence = (
            f"An intruder who knows {keys_in_words(len(scope.names))} finds the households of about {expected:.1f} of "
            f"{n} records ({100 * expected / n:.2f} %)."
        )
        details: Json = {"expected_reidentifications": expected, "largest_percent": float(100.0 * risks.max())}
        return self.told(scope, int(gaps), min(100.0 * expected / n, 100.0), sentence, details)

    def _per_record(self, pair: Pair) -> FloatArray:
        question = self.question(self.scope(TablePair(pair.original, pair.masked), pair.provenance, pair.engine))
        rows = question.summarise(Block(np.arange(len(pair.masked)), pair.original, pair.masked))
        return self._risks(rows, pair.names)[0]

    def _risks(self, rows: PairRows, names: Sequence[str]) -> tuple[FloatArray, bool]:
        """Return the risk of the household of every row, and whether a key is missing anywhere."""
        absent = np.stack([absent_of(rows.release.encoded(name)) for name in names], axis=1)
        codes = np.stack([rows.cell_keys(name) for name in names], axis=1)
        _, first, labels = np.unique(codes, axis=0, return_index=True, return_inverse=True)
        labels = labels.ravel()
        records = rows.records
        weights = records.astype(np.float64) if rows.totals is None else rows.totals
        classes = Combinations(
            codes[first],
            absent[first],
            np.bincount(labels, weights=records).astype(np.int64),
            np.bincount(labels, weights=weights).astype(np.float64),
        )
        sizes, totals = classes.agreeing() if self.missing == "any" else (classes.counts, classes.totals)
        if self.sampling_fraction is not None:
            totals = sizes / self.sampling_fraction
        alone = benedetti_franconi(sizes, totals)[labels]
        homes, outside = _homes(rows.original, self._household(rows.original.schema))
        with np.errstate(divide="ignore", invalid="ignore"):  # a risk of 1 is a logarithm of −∞, and so is its home's
            log_safe = np.log1p(-np.minimum(alone, 1.0))
            by_home = np.bincount(homes, weights=log_safe * records)
        return np.where(outside, alone, -np.expm1(by_home)[homes]), bool(absent.any())


def _homes(table: Microdata, name: str) -> tuple[IntArray, BoolArray]:
    """Return the household of every row, and whether it is none: then every record is one by itself."""
    column = table.column(name)
    homes = np.unique(column.to_numpy(zero_copy_only=False).astype(str), return_inverse=True)[1].ravel()
    return homes.astype(np.int64), table.missing(name)
