"""Rank swapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from discreet.base import Masking, MaskingJob, register
from discreet.errors import ParameterError
from discreet.kernels.swap import swap_partners
from discreet.masking.hiding import present_values
from discreet.masking.strata import StratifiedMasker
from discreet.parameters import Constraint, Integer, Names, Number, Optional, Seed, check_parameters
from discreet.typing import BoolArray, IntArray, RandomState

__all__ = ["FEWEST_SWAPPED", "RankSwapping", "swapped"]

FEWEST_SWAPPED = 5
"""Among fewer values an exchange is guessed."""

_HINT = "p is in percent: for 5 percent write p=5; for a window below 1 percent give window, in ranks."


@register("rank-swapping")
class RankSwapping(StratifiedMasker):
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

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    handles_missing: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "p": Number(1, 100),
        "window": Optional(Integer(1)),
        "strata": Optional(Names()),
        "attributes": Optional(Names()),
        "random_state": Seed(),
    }

    def __init__(
        self,
        p: float = 5,
        *,
        window: int | None = None,
        strata: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.p = p
        self.window = window
        self.strata = strata
        self.attributes = attributes
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(5), cls(window=9)]

    def _check_parameters(self) -> None:
        params = self.get_params(deep=False)
        check_parameters(type(self).__name__, params, self.parameters, hint=lambda n: _HINT if n == "p" else "")

    def _fewest(self) -> int:
        return FEWEST_SWAPPED

    def _check_values(self, job: MaskingJob, parts: list[IntArray]) -> tuple[str, ...]:
        notes = super()._check_values(job, parts)
        certain = []
        for name in job.names:
            sizes = [present_values(job.microdata.encoded(name)[rows]).size for rows in parts]
            narrow = sum(size > 0 and self._window(size) < 2 for size in sizes)
            if narrow and self.strata is not None and self.window is None:
                raise ParameterError(
                    f"RankSwapping: p must reach at least two ranks of every stratum; {self.p:g} percent of the values "
                    f"of {name!r} do not in {narrow} of {len(parts)} strata.",
                    hint="Merge strata, or use a larger p.",
                )
            if narrow:
                certain.append(name)
        if certain:
            told = f"Attributes with a window of one rank ({len(certain)}): {', '.join(certain)}"
            notes = (*notes, f"{told}; neighbours are exchanged for certain, which anybody can undo.")
        return notes

    def _window(self, size: int) -> int:
        """Return the window in ranks among so many values."""
        return int(self.p * size / 100) if self.window is None else min(self.window, size)

    def _mask_part(self, job: MaskingJob) -> Masking:
        values: dict[str, Any] = {}
        transitions, windows = {}, {}
        for name in job.names:
            encoded = job.microdata.encoded(name)
            present = present_values(encoded)
            window = self._window(present.size)
            if window < 1 and present.size > 1:
                raise ParameterError(
                    f"RankSwapping: p must reach at least one rank; {self.p:g} percent of {present.size} values of "
                    f"{name!r} do not.",
                    hint="Use a larger p, or window=1.",
                )
            column, order = encoded[present], np.argsort(encoded[present], kind="stable")
            result = encoded.copy()
            result[present] = swapped(column, order, window, job.rng)
            values[name], windows[name] = result, window
            if encoded.dtype.kind == "i":
                size = len(job.schema[name].scale)  # type: ignore[arg-type]
                transitions[name] = _reachable(column[order], size, window)
        return Masking(values, transitions=transitions, details={"window": windows})


def swapped(values: NDArray[Any], order: IntArray, window: int, rng: np.random.Generator) -> NDArray[Any]:
    """Return the values after swapping; `order` lists the records by rank. Assumes that nothing is missing."""
    partners = np.empty(order.size, dtype=np.int64)
    swap_partners(window, rng.random(order.size), np.empty(order.size + 1, dtype=np.int64), partners)
    result = np.empty_like(values)
    result[order] = values[order[partners]]
    return result


def _reachable(ranked: NDArray[Any], size: int, window: int) -> BoolArray:
    """Say which level can take which other's place: those with ranks no farther apart than the window."""
    first = np.searchsorted(ranked, np.arange(size), side="left")
    last = np.searchsorted(ranked, np.arange(size), side="right") - 1
    gap = np.maximum(first[None, :] - last[:, None], first[:, None] - last[None, :])
    occurs = last >= first
    possible = np.eye(size + 1, dtype=np.bool_)
    possible[:size, :size] |= (gap <= window) & occurs[:, None] & occurs[None, :]
    return possible
