"""What swappings without a fixed window share: ranks exchanged with free ones, part by part."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.contracts.plan import Plan, Scope, Stage, kinds
from discreet.data.encoded_rows import ROW
from discreet.kernels.values.swap import swap_into
from discreet.masking.perturbing.swapping import FEWEST_SWAPPED
from discreet.masking.running.hiding import present_values
from discreet.parameters import Names, Optional, Seed
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Inquiry, Need
from discreet.typing import BoolArray, IntArray, RandomState

__all__ = ["FreeSwapping"]


@dataclass(frozen=True, kw_only=True)
class _FreePlan(Plan):
    """Records dealt into parts by their draws, and swapped there as a table of their own."""

    scope: Scope
    masker: FreeSwapping

    def dealt(self, block: Mapping[str, Any]) -> IntArray:
        """Return the part of every record."""
        shares = self.scope.draws.child("deal").uniform(block[ROW])
        return np.minimum((shares * self.scope.parts).astype(np.int64), self.scope.parts - 1)

    def swapped(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """Swap within a part."""
        rng = self.scope.draws.child("swap").generator(int(block[ROW][0]))
        columns = {name: self.masker.swapped(block[name], rng) for name in self.scope.names}
        return {ROW: block[ROW], **columns}


class FreeSwapping(Masker):
    """Values exchanged between ranks, attribute by attribute; subclasses say which ranks a rank may go to."""

    iso_20889: ClassVar[str] = "randomisation: permutation"
    need: ClassVar[Need] = Need.KEY
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    handles_missing: ClassVar[bool] = True
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    random_state: RandomState = parameter(Seed(), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @abstractmethod
    def _goals(self, size: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Return, of so many ranks, the lowest and the highest one that each is to be exchanged with."""

    def _fewest(self) -> int:
        return FEWEST_SWAPPED

    def swapped(self, column: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """Return a column after swapping; what is missing stays where it is."""
        present = present_values(column)
        result = column.copy()
        if present.size < 2:
            return result
        ranked = present[np.argsort(column[present], kind="stable")]
        lows, highs = self._goals(ranked.size, rng)
        partners = np.empty(ranked.size, dtype=np.int64)
        swap_into(lows, highs, rng.random(ranked.size), np.empty(ranked.size + 1, dtype=np.int64), partners)
        result[ranked] = column[ranked[partners]]
        return result

    def inquire(self, scope: Scope) -> Inquiry[_FreePlan]:
        return _FreePlan(scope=scope, masker=self, details={"blocks": scope.parts})
        yield  # it has nothing to ask

    def stages(self, plan: _FreePlan) -> tuple[Stage, ...]:
        scope = plan.scope
        columns = {ROW: "int", **kinds(scope.schema, scope.names)}
        return (Stage(plan.dealt, scope.parts, plan.swapped, columns),)

    def _mask_part(self, job: MaskingJob) -> Masking:
        values: dict[str, Any] = {}
        transitions = {}
        for name in job.names:
            encoded = job.microdata.encoded(name)
            values[name] = self.swapped(encoded, job.rng)
            if encoded.dtype.kind == "i":
                transitions[name] = _everywhere(encoded, len(job.schema[name].scale))  # type: ignore[arg-type]
        return Masking(values, transitions=transitions)


def _everywhere(codes: NDArray[Any], size: int) -> BoolArray:
    """Say that every level that occurs can take every other's place."""
    occurs = np.bincount(codes[codes >= 0], minlength=size) > 0
    possible = np.eye(size + 1, dtype=np.bool_)
    possible[:size, :size] |= occurs[:, None] & occurs[None, :]
    return possible
