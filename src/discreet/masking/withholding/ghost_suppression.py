"""Ghost variables: what tells a suppressed value goes with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from discreet.contracts.estimator import one_of, register
from discreet.contracts.masker import Masker
from discreet.contracts.plan import Plan, Scope
from discreet.data.block import Block
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.parameters import ByName, Names
from discreet.parameters.declaration import parameter
from discreet.statistics.exact_moments import ColumnSums, ColumnTotals
from discreet.statistics.exact_sum import nearest
from discreet.statistics.question import Inquiry, Need
from discreet.typing import BoolArray, FloatArray

__all__ = ["GhostSuppression"]


@dataclass(frozen=True, kw_only=True)
class _GhostPlan(Plan):
    """By linked attribute, the keys that it goes with."""

    keys: Mapping[str, tuple[str, ...]]


@register("ghost-suppression")
class GhostSuppression(Masker):
    """Values of linked attributes made missing wherever the key is that they tell.

    Keeps every value that is released true; destroys nothing of records whose keys are there. A postcode tells the
    region that local suppression took out, and an age in years the age group.

    Parameters
    ----------
    ghosts : dict of str to list of str
        By key, the attributes that tell it or much of it, and go where it goes: ``{"region": ["postcode"]}``.

    Notes
    -----
    A step after the one that suppresses: it looks at what is missing, whoever took it out, so that a key which nobody
    answered takes its ghosts along too. An attribute may go with several keys. Keys that are listed as ghosts of
    others hand it on. O(n).

    References
    ----------
    Templ, Kowarik and Meindl (2015), Statistical disclosure control for micro-data using the R package sdcMicro
    (ghost variables).

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal, Numeric
    >>> from discreet.data.schema import Attribute, Schema
    >>> region = Attribute("region", Nominal(["n", "s"]), "key")
    >>> schema = Schema([region, Attribute("distance", Numeric(), "other")])
    >>> data = pl.DataFrame({"region": ["n", None, "s"], "distance": [12.5, 80.5, 81.5]})
    >>> GhostSuppression({"region": ["distance"]}).mask(data, schema).to_native()["distance"].to_list()
    [12.5, None, 81.5]
    """

    iso_20889: ClassVar[str] = "suppression: local suppression"
    need: ClassVar[Need] = Need.RECORD
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    ghosts: Mapping[str, Sequence[str]] = parameter(ByName(Names()), kw_only=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls({"fuel": ["income", "size"]})]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        for key, linked in self.ghosts.items():
            for name in (key, *linked):
                kind = schema[name].scale.kind
                if kind not in self.scales:
                    raise ParameterError(f"GhostSuppression: ghosts must be {one_of(self.scales)}; {name!r} is {kind}.")
                if schema[name].role in {"identifier", "weight"}:
                    raise ParameterError(
                        f"GhostSuppression: ghosts must be attributes that can go missing; {name!r} is the "
                        f"{schema[name].role}."
                    )
            if key in linked:
                raise ParameterError(f"GhostSuppression: ghosts must be other attributes than the key {key!r}.")
        return tuple(name for name in schema.names if name in self._keys())

    def _keys(self) -> dict[str, tuple[str, ...]]:
        """Return by linked attribute the keys that it goes with, also through others."""
        result: dict[str, tuple[str, ...]] = {}
        for start in self.ghosts:
            reached, waiting = {start}, [start]
            while waiting:
                for name in self.ghosts.get(waiting.pop(), ()):
                    if name not in reached:
                        reached.add(name)
                        waiting.append(name)
                        result[name] = (*result.get(name, ()), start)
        return result

    def inquire(self, scope: Scope) -> Inquiry[_GhostPlan]:
        keys = self._keys()
        transitions = {}
        for name in scope.schema.of_scale("ordinal", "nominal", among=scope.names):
            possible = np.eye(len(scope.schema[name].scale) + 1, dtype=np.bool_)  # type: ignore[arg-type]
            possible[:, -1] = True
            transitions[name] = possible
        plan = _GhostPlan(keys={name: keys[name] for name in scope.names}, transitions=transitions)
        looked_at = tuple(dict.fromkeys((*scope.names, *self.ghosts)))
        totals: ColumnTotals = yield ColumnSums(looked_at, partial(_going, plan, len(looked_at)))
        going = {name: round(nearest(total)) for name, total in zip(scope.names, totals.sums, strict=False)}
        return replace(plan, details={"suppressed": going})

    def apply(self, plan: _GhostPlan, block: Block) -> dict[str, Any]:
        values = {}
        for name, keys in plan.keys.items():
            encoded = block.original.encoded(name)
            gone = encoded.dtype.type(-1 if encoded.dtype.kind == "i" else np.nan)
            values[name] = np.where(_lacking(block, keys), gone, encoded)
        return values


def _lacking(block: Block, keys: tuple[str, ...]) -> BoolArray:
    """Say of every record whether it lacks one of the keys."""
    return np.logical_or.reduce([_absent(block.original.encoded(key)) for key in keys])  # type: ignore[no-any-return]


def _absent(encoded: Any) -> BoolArray:
    return np.asarray(encoded < 0 if encoded.dtype.kind == "i" else np.isnan(encoded))


def _going(plan: _GhostPlan, width: int, block: Block) -> FloatArray:
    """Say in numbers of every value of the linked attributes, which come first, whether it goes."""
    result = np.zeros((len(block), width))
    for j, (name, keys) in enumerate(plan.keys.items()):
        result[:, j] = _lacking(block, keys) & ~_absent(block.original.encoded(name))
    return result
