"""What a generalised release promises of privacy models, in terms that can be counted on the written file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet.data.guarantees import Guarantee
from discreet.data.microdata import Microdata
from discreet.data.promised_rules import PromisedRule, RuleKind, plain_text
from discreet.data.scales import Categorical
from discreet.data.schema import Attribute
from discreet.kernels.generalising.class_rules import (
    ALPHA,
    AVERAGE,
    BETA,
    BETA_ENHANCED,
    CLOSE_EQUAL,
    CLOSE_ORDERED,
    CLOSE_TREE,
    DELTA,
    ENTROPY,
    POPULATION,
    PRESENCE,
    PROFIT,
    PROFIT_OF_PEOPLE,
    RECURSIVE,
    UNIQUES,
)
from discreet.masking.recoding.key_ladders import NamedLadder
from discreet.masking.recoding.lattice_search import SensitiveColumn
from discreet.models.identity import KM, K
from discreet.models.privacy_model import Demand, PrivacyModel
from discreet.typing import BoolArray, IntArray

__all__ = ["ModelPromises"]

_KINDS: dict[int, RuleKind] = {
    ENTROPY: "entropy",
    RECURSIVE: "recursive",
    CLOSE_EQUAL: "equal",
    CLOSE_ORDERED: "ordered",
    CLOSE_TREE: "hierarchical",
    BETA: "beta",
    BETA_ENHANCED: "beta-enhanced",
    DELTA: "delta",
    ALPHA: "alpha",
    POPULATION: "k-map",
    PRESENCE: "presence",
    AVERAGE: "average",
    UNIQUES: "uniques",
    PROFIT: "profit",
    PROFIT_OF_PEOPLE: "profit",
}


class ModelPromises:
    """The promises of a release, besides the sizes of its classes and their different values.

    Parameters
    ----------
    method : str
    table : Microdata
        The original.
    names : tuple of str
        The keys.
    sensitive : dict of str to SensitiveColumn
    left_out : (n,) bool
        The records that are not released.
    """

    def __init__(
        self,
        method: str,
        table: Microdata,
        names: tuple[str, ...],
        sensitive: Mapping[str, SensitiveColumn],
        left_out: BoolArray,
    ) -> None:
        self.method, self.table, self.names = method, table, names
        self.sensitive, self.left_out = sensitive, left_out

    def of(
        self,
        models: Sequence[PrivacyModel],
        ladders: Mapping[str, NamedLadder],
        people: Mapping[str, IntArray],
        levels: Mapping[str, int],
    ) -> tuple[Guarantee, ...]:
        """Return the promises of these models, at these steps of the keys."""
        result: list[Guarantee] = []
        for model in models:
            if isinstance(model, KM):
                columns = tuple(n for n in self.names if n in model.items) if model.items else model.columns(self.names)
                most = min(model.m, len(columns))
                result.append(self._promise(columns, None, PromisedRule("items", low=model.k, first=most)))
            elif isinstance(model, K) and isinstance(model.k, Mapping):
                rule = PromisedRule("combinations", sizes=dict(model.k))
                result.append(self._promise(model.columns(self.names), None, rule))
            else:
                result += [
                    self._of_demand(demand, ladders, people, levels)
                    for demand in model.demands(self.names)
                    if demand.kind in _KINDS
                ]
        return tuple(result)

    def _promise(self, columns: tuple[str, ...], sensitive: str | None, rule: PromisedRule) -> Guarantee:
        told = (*columns, *((sensitive,) if sensitive else ()))
        missing = {name: codes for name in told if (codes := self.table.schema[name].missing)}
        return Guarantee(self.method, columns, 1, sensitive=sensitive, missing=missing, rule=rule)

    def _of_demand(
        self,
        demand: Demand,
        ladders: Mapping[str, NamedLadder],
        people: Mapping[str, IntArray],
        levels: Mapping[str, int],
    ) -> Guarantee:
        given: dict[str, Any] = {"low": demand.low, "high": demand.high, "records": len(self.table)}
        given["first"] = 1.0 / demand.first if demand.kind == UNIQUES else demand.first
        name = demand.sensitive
        if name is not None:
            given |= self._values(name)
        if demand.kind in (PROFIT, PROFIT_OF_PEOPLE):
            given |= {"second": demand.second, "lost": self._lost(demand.columns, ladders, levels)}
        if demand.kind in (POPULATION, PRESENCE, PROFIT, PROFIT_OF_PEOPLE):
            numbers = {n for n in demand.columns if levels[n] == 0 and _holds_numbers(self.table.schema[n])}
            given["numbers"] = frozenset(numbers)
            columns = []
            for key in demand.columns if people else ():
                rows, missing = ladders[key].rows, self.table.schema[key].missing
                texts = [plain_text(r[levels[key]], number=key in numbers, missing=missing) for r in rows]
                columns.append([*(texts[leaf] if leaf >= 0 else "" for leaf in people[key].tolist())])
            if demand.kind != PROFIT:
                given["people"] = dict(Counter(zip(*columns, strict=True)))
        return self._promise(demand.columns, name, PromisedRule(_KINDS[demand.kind], **given))

    def _lost(
        self, columns: tuple[str, ...], ladders: Mapping[str, NamedLadder], levels: Mapping[str, int]
    ) -> dict[str, dict[str, float]]:
        """Return the share of a record's information that every released text of a key loses."""
        information = sum(np.log2(len(ladders[name].rows)) for name in columns) or 1.0
        result = {}
        for name in columns:
            ladder, step = ladders[name], levels[name]
            number = step == 0 and _holds_numbers(self.table.schema[name])
            missing = self.table.schema[name].missing
            covered = np.bincount(ladder.groups[step])[ladder.groups[step]]
            bits = np.log2(covered) / information
            texts = [plain_text(row[step], number=number, missing=missing) for row in ladder.rows]
            full = {ladder.top: float(np.log2(len(ladder.rows)) / information)}
            result[name] = full | dict(zip(texts, bits.tolist(), strict=True)) | {"": 0.0}
        return result

    def _values(self, name: str) -> dict[str, Any]:
        """Return a confidential attribute's values in order, their branches, and how many of each are left out."""
        column, attribute = self.sensitive[name], self.table.schema[name]
        number = _holds_numbers(attribute)
        raw = self.table.column(name)
        cells = [raw[row].as_py() for row in np.unique(column.codes, return_index=True)[1].tolist()]
        values = tuple(plain_text(cell, number=number, missing=attribute.missing) for cell in cells)
        counts = np.bincount(column.codes[self.left_out], minlength=column.size).tolist()
        tree = {} if column.tree is None else dict(zip(values, map(tuple, column.tree.T.tolist()), strict=True))
        return {
            "values": values,
            "tree": tree,
            "left_out": {value: count for value, count in zip(values, counts, strict=True) if count},
            "numbers": frozenset({name} if number else ()),
        }


def _holds_numbers(attribute: Attribute) -> bool:
    scale = attribute.scale
    if isinstance(scale, Categorical):
        return all(isinstance(level, (int, float)) for level in scale.levels)
    return bool(scale.kind == "numeric")
