"""Relations that somebody declared: sums, ratios and impossible combinations, and how many records keep them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.block import Block
from discreet.data.formula import Formula, columns_of
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.parameters import ListOf, Number, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need
from discreet.typing import IntArray

__all__ = ["RelationsBroken"]


@dataclass(frozen=True, repr=False)
class _Kept:
    """By relation: records that are judged in both files, that kept it before, that kept it and break it, and new ones.

    The last counts records that broke it before and keep it now.
    """

    counts: IntArray

    def merge(self, later: _Kept, /) -> _Kept:
        return _Kept(self.counts + later.counts)


@dataclass(frozen=True)
class _Relations:
    """Ask how many records keep each relation, before and after."""

    names: tuple[str, ...]
    relations: tuple[Formula, ...]
    slack: float

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released = original

    def summarise(self, block: Block, /) -> _Kept:
        n = len(block)
        sides = [columns_of(table, self.names) for table in (block.original, block.release)]
        counts = np.zeros((len(self.relations), 5), dtype=np.int64)
        for place, formula in enumerate(self.relations):
            complete = [formula.known(columns, n) for columns in sides]
            truths = [np.broadcast_to(formula.value(columns, self.slack), (n,)) for columns in sides]
            if any(one.dtype != np.bool_ for one in truths):
                raise ParameterError(
                    f"RelationsBroken: {formula.text!r} is no relation.", hint='Such as "total = wage + other".'
                )
            judged = complete[0] & complete[1]
            keepers = judged & truths[0]
            broken, mended = keepers & ~truths[1], judged & ~truths[0] & truths[1]
            counts[place] = [one.sum() for one in (judged, keepers, broken, mended, ~judged)]
        return _Kept(counts)


@register("relations-broken")
class RelationsBroken(Measure):
    """Share of records that kept a declared relation and no longer do, in percent: sums, ratios, what cannot be.

    0: whatever added up still does, and nobody is released who cannot exist. It sees what masking one column at a time
    does to columns that belong together.

    Parameters
    ----------
    relations : list of str
        What holds for a record: ``"total = wage + other"``, ``"rent / income <= 1"``, ``"age >= 15 or married ==
        'no'"``, ``"missing(pension) or age >= 50"``. Numbers, texts in quotes, ``+ - * / % **``, comparisons, ``in``,
        ``and or not``, abs, sqrt, log, exp, floor, ceil, round, min, max; names that are no words in backticks.
    tolerance : float
        What two sides may differ by, such as the rounding of the release; rounding of decimals is forgiven anyway.

    Notes
    -----
    ``100 · mean_r (kept before and broken after) / (kept before)``, over the records that have all values of the
    relation in both files; `details` holds by relation how many are judged, kept it, broke it, and keep it only now.
    A relation that nobody kept before counts 0. Relations are read, never run as code. O(records × relations).

    References
    ----------
    Willenborg and de Waal (2001), Elements of Statistical Disclosure Control, section 1.5; Shlomo and De Waal (2008),
    Protection of micro-data subject to edit constraints against statistical disclosure.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"wage": [1.5, 2.5, 3.5], "other": [1.0, 0.0, 2.0], "total": [2.5, 2.5, 9.5]})
    >>> b = a.with_columns(wage=pl.Series([2.5, 2.5, 1.5]))
    >>> RelationsBroken(["total = wage + other"]).measure(a, b).value  # one of the two that added up
    50.0
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Declared relations broken"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    default: ClassVar[bool] = False
    need: ClassVar[Need] = Need.RECORD
    formula: ClassVar[str] = "100 · mean_r broken / kept before"
    reference: ClassVar[str] = "Shlomo and De Waal 2008"
    relations: Sequence[str] | None = parameter(
        Optional(ListOf(Text("a relation of attributes"))), default=None, kw_only=False
    )
    tolerance: float = parameter(Number(0), default=0.0)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(["income <= wealth", "grade >= 2 or fuel in ('gas', 'oil') or owner == False"])]

    def _formulas(self) -> tuple[Formula, ...]:
        return tuple(Formula(text, type(self).__name__) for text in self.relations or ())

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        columns = {name for formula in self._formulas() for name in formula.names}
        for name in columns:
            schema[name]
        return tuple(name for name in super().columns_for(schema) if name in columns or not self.relations)

    def question(self, scope: PairScope) -> _Relations:
        if not self.relations:
            raise ParameterError(
                "RelationsBroken: relations must say what holds for a record.",
                hint='RelationsBroken(["total = wage + other"]).',
            )
        formulas = self._formulas()
        columns = tuple(dict.fromkeys(name for formula in formulas for name in formula.names))
        for name in columns:
            if name not in scope.names:
                raise ParameterError(
                    f"RelationsBroken: {name!r} must be a released attribute with one value, on the scale it had."
                )
        return _Relations(columns, formulas, self.tolerance)

    def conclude(self, statistics: _Kept, scope: PairScope) -> Measurement:
        del scope
        shares = [
            100.0 * broken / keepers if keepers else 0.0 for _, keepers, broken, _, _ in statistics.counts.tolist()
        ]
        value = float(np.mean(shares))
        worst = int(np.argmax(shares))
        of = "The relation" if len(shares) == 1 else f"{len(shares)} relations"
        sentence = (
            f"Of the records that kept a declared relation, {value:.1f} % break it in the release on average; relation "
            f"{worst + 1} is broken most ({shares[worst]:.1f} %)."
            if value > 0
            else f"{of} {'holds' if len(shares) == 1 else 'hold'} wherever {'it' if len(shares) == 1 else 'they'} did."
        )
        fields = ("judged", "kept_before", "broken", "kept_only_now", "not_judged")
        rows = [dict(zip(fields, counts, strict=True)) for counts in statistics.counts.tolist()]
        return self.result(value, sentence, details={"relations": rows})
