"""Rank swapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.contracts.plan import Plan, Scope, Stage, kinds
from discreet.data.encoded_rows import ROW
from discreet.errors import ParameterError
from discreet.kernels.groups.univariate import sorted_values
from discreet.kernels.values.swap import swap_partners
from discreet.masking.running.hiding import present_values, too_few
from discreet.masking.running.rank_grid import RankGrid, rank_grids
from discreet.parameters import Integer, Names, Number, Optional, Seed, check_parameters
from discreet.parameters.declaration import parameter
from discreet.statistics.census import Extent
from discreet.statistics.question import Inquiry, Need
from discreet.typing import BoolArray, IntArray, RandomState

__all__ = ["FEWEST_SWAPPED", "RankSwapping", "swapped"]

# Parts must hold so many windows that a window inside them is a fair share of the whole.
_IN_PART = 0.98
_PER_PART = 20

FEWEST_SWAPPED = 5
"""Among fewer values an exchange is guessed."""

_HINT = "p is in percent: for 5 percent write p=5; for a window below 1 percent give window, in ranks."


@dataclass(frozen=True, kw_only=True)
class _SwapPlan(Plan):
    """Records dealt into parts by their draws, and swapped there; ranks are those of the whole table."""

    scope: Scope
    windows: Mapping[str, int]
    grids: Mapping[str, RankGrid]

    def dealt(self, block: Mapping[str, Any]) -> IntArray:
        """Return the part of every record."""
        shares = self.scope.draws.child("deal").uniform(block[ROW])
        return np.minimum((shares * self.scope.parts).astype(np.int64), self.scope.parts - 1)

    def swapped(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """Swap within a part, and undo what may be farther apart than the window."""
        rng = self.scope.draws.child("swap").generator(int(block[ROW][0]))
        result: dict[str, Any] = {ROW: block[ROW]}
        for name in self.scope.names:
            column, grid = block[name], self.grids[name]
            present = present_values(column)
            result[name] = column.copy()
            if present.size < 2:
                continue
            whole = int(grid.up_to[-1])
            share = 1.0 if present.size == whole else _IN_PART
            window = max(1, int(share * self.windows[name] * present.size / whole))
            order, values = _by_rank(column if present.size == column.size else column[present])
            ranked = order if present.size == column.size else present[order]
            partners = np.empty(ranked.size, dtype=np.int64)
            swap_partners(window, rng.random(ranked.size), partners)
            other = values[partners]
            if present.size < whole:
                places = np.arange(ranked.size)
                lower, upper = np.minimum(places, partners), np.maximum(places, partners)
                far = grid.apart(np.asarray(values, dtype=np.float64), lower, upper)
                # With `far` records between them, the ranks of two values differ by one more.
                other = np.where(far < self.windows[name], other, values)
            result[name][ranked] = other
        return result


@register("rank-swapping")
class RankSwapping(Masker):
    """Values exchanged between records of nearby rank, attribute by attribute.

    Keeps every univariate distribution exactly; weakens the relation between attributes, the more the wider the window.

    Parameters
    ----------
    p : float
        The window in percent of the records, from 1 to 100: the ranks of two swapped values never differ by more.
        Fractions such as 0.05 are refused, because other tools read them as five percent.
    window : int, optional
        The window in ranks, instead of `p`; the way to ask for less than one percent.
    strata : list of str, optional
        Swap within these only; `p` is then a percentage of the stratum.
    attributes : list of str, optional
        What to mask; by default every key that is no sequence.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    From the lowest rank up, every rank that is still free is exchanged with one drawn uniformly from the free ranks of
    its window above it; where none is free the value stays. Equal values are ranked in the order of the records.
    Levels of an unordered attribute are ranked in the order in which they are declared. Missing values stay missing and
    have no rank; the window is a percentage of the values that have one. An attribute with values, but fewer than 5, in
    the table or in a stratum is refused, and so is a `p` that reaches fewer than two ranks of a stratum: neighbours
    that are exchanged for certain hide nothing. O(n log n); memory is linear.

    References
    ----------
    Moore (1996), Controlled data-swapping techniques for masking public use microdata sets; Torra (2004),
    Microaggregation for categorical variables, section 4.1.

    Examples
    --------
    With a window of one rank, neighbours are exchanged:

    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [40.0, 10.0, 30.0, 20.0, 60.0, 50.0]})
    >>> RankSwapping(window=1).fit_transform(wages)["wage"].to_list()
    [30.0, 20.0, 40.0, 10.0, 50.0, 60.0]
    """

    iso_20889: ClassVar[str] = "randomisation: permutation"
    need: ClassVar[Need] = Need.KEY
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    handles_missing: ClassVar[bool] = True
    p: float = parameter(Number(1, 100), default=5, kw_only=False)
    window: int | None = parameter(Optional(Integer(1)), default=None)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    random_state: RandomState = parameter(Seed(), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(5), cls(window=9)]

    def check_parameters(self) -> None:
        params = self.get_params(deep=False)
        check_parameters(type(self).__name__, params, self.parameters, hint=lambda n: _HINT if n == "p" else "")

    def _fewest(self) -> int:
        return FEWEST_SWAPPED

    def _check_values(self, names: tuple[str, ...], extents: Sequence[Extent]) -> tuple[str, ...]:
        notes = super()._check_values(names, extents)
        certain = []
        for name in names:
            sizes = [extent.columns[name].present for extent in extents]
            narrow = sum(size > 0 and self._window(size) < 2 for size in sizes)
            if narrow and self.strata is not None and self.window is None:
                raise ParameterError(
                    f"RankSwapping: p must reach at least two ranks of every stratum; {self.p:g} percent of the values "
                    f"of {name!r} do not in {narrow} of {len(extents)} strata.",
                    hint="Merge strata, or use a larger p.",
                )
            if narrow:
                certain.append(name)
        if certain:
            sentence = f"Attributes with a window of one rank ({len(certain)}): {', '.join(certain)}"
            notes = (*notes, f"{sentence}; neighbours are exchanged for certain, which anybody can undo.")
        return notes

    def _window(self, size: int) -> int:
        """Return the window in ranks among so many values."""
        return int(self.p * size / 100) if self.window is None else min(self.window, size)

    def inquire(self, scope: Scope) -> Inquiry[_SwapPlan]:
        grids = yield from rank_grids(scope.names, scope.n, scope.draws.integer("sample"))
        # Dealt at random, so many values leave practically no part with one alone, which would stay as it is.
        fewest = FEWEST_SWAPPED if scope.parts == 1 else _PER_PART * scope.parts
        windows = {}
        for name in scope.names:
            present = int(grids[name].up_to[-1])
            if 0 < present < fewest:
                raise too_few("RankSwapping", name, present, fewest)
            windows[name] = self._reaching(name, present)
        details = {"window": windows, "blocks": scope.parts}
        return _SwapPlan(scope=scope, windows=windows, grids=grids, details=details)

    def stages(self, plan: _SwapPlan) -> tuple[Stage, ...]:
        scope = plan.scope
        columns = {ROW: "int", **kinds(scope.schema, scope.names)}
        return (Stage(plan.dealt, scope.parts, plan.swapped, columns),)

    def _reaching(self, name: str, size: int) -> int:
        """Return the window among so many values, or refuse one that reaches nobody."""
        window = self._window(size)
        if window < 1 and size > 1:
            raise ParameterError(
                f"RankSwapping: p must reach at least one rank; {self.p:g} percent of {size} values of "
                f"{name!r} do not.",
                hint="Use a larger p, or window=1.",
            )
        return window

    def _mask_part(self, job: MaskingJob) -> Masking:
        values: dict[str, Any] = {}
        transitions, windows = {}, {}
        for name in job.names:
            encoded = job.microdata.encoded(name)
            present = present_values(encoded)
            window = self._reaching(name, present.size)
            column = encoded[present]
            order, _ = _by_rank(column)
            result = encoded.copy()
            result[present] = swapped(column, order, window, job.rng)
            values[name], windows[name] = result, window
            if encoded.dtype.kind == "i":
                size = len(job.schema[name].scale)  # type: ignore[arg-type]
                transitions[name] = _reachable(column[order], size, window)
        return Masking(values, transitions=transitions, details={"window": windows})


def _by_rank(values: NDArray[Any]) -> tuple[IntArray, NDArray[Any]]:
    """Return the records by value, equal ones in their order, and their values."""
    if values.dtype == np.float64:
        return sorted_values(values)
    order = np.argsort(values, kind="stable")
    return order, values[order]


def swapped(values: NDArray[Any], order: IntArray, window: int, rng: np.random.Generator) -> NDArray[Any]:
    """Return the values after swapping; `order` lists the records by rank. Assumes that nothing is missing."""
    partners = np.empty(order.size, dtype=np.int64)
    swap_partners(window, rng.random(order.size), partners)
    result = np.empty_like(values)
    result[order] = values[order[partners]]
    return result


def _reachable(ranked: NDArray[Any], size: int, window: int) -> BoolArray:
    """Say which level can take which other's place: those with ranks no farther apart than the window."""
    first = np.searchsorted(ranked, np.arange(size), side="left")
    last = np.searchsorted(ranked, np.arange(size), side="right") - 1
    occurs = last >= first
    possible = np.eye(size + 1, dtype=np.bool_)
    # A level at a time: how far all are apart takes many times the room of whether they are near.
    for level in np.flatnonzero(occurs):
        gap = np.maximum(first - last[level], first[level] - last)
        possible[level, :size] |= (gap <= window) & occurs
    return possible
