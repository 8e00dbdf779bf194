"""Figures of the original, coarse enough to be published beside the release.

Whoever has the release knows every value of it. A statistic of the original with enough digits is then an equation in
the hidden values alone, and a few such equations give them back. So of the original nothing is published but classes,
and shares in steps that stand for ten records or more.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from discreet.contracts.before_after import Distribution, Flow, Shares
from discreet.report.contents import Contents

__all__ = ["UNTOLD", "class_of", "few_changed", "publishable", "step_of_shares"]

UNTOLD = "too few cells to tell"

_CLASSES = ((1.0, "below 1 %"), (5.0, "1 to 5 %"), (10.0, "5 to 10 %"))
_STEPS = (1, 2, 5, 10, 20, 50)
_SMALLEST = 10
_ROUNDING = 1e-9

_Picture = TypeVar("_Picture", Distribution, Shares, Flow)


def class_of(percent: float, *, open_ended: bool = False) -> str:
    """Return the class of a loss in percent: its digits would be an equation in the values that were hidden.

    One value can move an open-ended loss as far as it likes (a variance, a mean); every bound between classes then is
    a bound on that value, and measure upon measure they close in on it. So there is one bound alone.

    Examples
    --------
    >>> class_of(0.0), class_of(0.12), class_of(8.17), class_of(59.3)
    ('none', 'below 1 %', '5 to 10 %', 'above 10 %')
    >>> class_of(0.12, open_ended=True), class_of(59.3, open_ended=True)
    ('below 10 %', 'above 10 %')
    """
    if percent < _ROUNDING:
        return "none"
    if open_ended:
        return "below 10 %" if percent < _CLASSES[-1][0] else "above 10 %"
    return next((words for limit, words in _CLASSES if percent < limit), "above 10 %")


def few_changed(contents: Contents) -> frozenset[str]:
    """Return the attributes in which some cells were changed or suppressed, but too few to say anything of them."""
    return frozenset(one.name for one in contents.changes if one.few)


def step_of_shares(n_records: int) -> int | None:
    """Return the whole percentage that shares are rounded to: ten records at least; None where there is none.

    Examples
    --------
    >>> step_of_shares(5000), step_of_shares(800), step_of_shares(60), step_of_shares(12)
    (1, 2, 20, None)
    """
    return next((step for step in _STEPS if step * n_records >= 100 * _SMALLEST), None)


def publishable(contents: Contents) -> Contents:
    """Return the contents with no picture of the original that is finer than ten records, and no moment of it.

    Pictures of attributes in which few cells were changed go: the two outlines would differ by those cells alone.
    Correlations go whole: each is an equation in the hidden values, and there are as many as other attributes.
    """
    step, silent = step_of_shares(contents.assessment.n_records), few_changed(contents)
    if step is None:
        return replace(contents, distributions=(), shares=(), flows=(), correlations=None)
    return replace(
        contents,
        distributions=tuple(_distribution(d, step) for d in _loud(contents.distributions, silent) if d.edges),
        shares=tuple(_shares(s, step) for s in _loud(contents.shares, silent)),
        flows=tuple(_flow(f, step) for f in _loud(contents.flows, silent)),
        correlations=None,
    )


def _loud(pictures: tuple[_Picture, ...], silent: Collection[str]) -> tuple[_Picture, ...]:
    return tuple(one for one in pictures if one.name not in silent)


def _distribution(one: Distribution, step: int) -> Distribution:
    edges, whole = one.edges, one.edges[-1] - one.edges[0]
    widths = [(high - low) / whole for low, high in pairwise(edges)]

    def rounded(heights: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(_to(100.0 * h * w, step) / 100.0 / w for h, w in zip(heights, widths, strict=True))

    # The mean of the original is in no published picture: the release's stands in its place, for the type's sake.
    return replace(one, before=rounded(one.before), after=rounded(one.after), mean_before=one.mean_after)


def _shares(one: Shares, step: int) -> Shares:
    return replace(one, before=tuple(_to(p, step) for p in one.before), after=tuple(_to(p, step) for p in one.after))


def _flow(one: Flow, step: int) -> Flow:
    first, second = (tuple(tuple(_to(p, step) for p in row) for row in matrix) for matrix in (one.before, one.after))
    return replace(one, before=first, after=second)


def _to(percent: float, step: int) -> float:
    return float(step * round(percent / step))
