"""One guess a record of an intruder who links in several ways: whichever he has more reason to believe."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.contracts.links import Links
from discreet.typing import FloatArray, IntArray

__all__ = ["one_guess", "sureness"]

_AT_LEAST = 0.2
"""What a link keeps of its sureness that is not the best one in the other direction too."""


def one_guess(linkers: Sequence[tuple[Links, Links]], direction: int) -> FloatArray:
    """Say of every record which linker is believed: a share each, which add up to 1.

    The truth is not looked at, so that an intruder can do the same.

    Parameters
    ----------
    linkers : sequence of (Links, Links)
        Of every linker, its links in both directions, as :meth:`~discreet.contracts.linker.Linker.link_both` gives
        them.
    direction : {0, 1}
        Which of both is asked.

    Returns
    -------
    (len(linkers), n) float64
        1 for the linker that is surer of a record, equal shares where several are.

    Notes
    -----
    O(n log n) a linker beyond the linking. A guess follows from the values of a record alone: of k released records
    that are equal at most one is found in expectation, as by any other attack that guesses once.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.linkage.shared.distance import DistanceLinkage
    >>> a = pl.DataFrame({"x": [1.0, 2.0, 9.0, 4.5], "y": [5.0, 5.0, 5.0, 8.0]})
    >>> one_guess([DistanceLinkage(attributes=[name]).link_both(a, a) for name in "xy"], 0)
    array([[1., 1., 1., 1.],
           [0., 0., 0., 0.]])
    """
    surest = np.stack([sureness(both[direction], both[1 - direction]) for both in linkers])
    is_surest = surest == surest.max(axis=0)
    return np.asarray(is_surest / is_surest.sum(axis=0))


def sureness(links: Links, reverse: Links) -> FloatArray:
    """Say how far every link is to be believed, without knowing the truth.

    Links are believed that go both ways: the best candidate of a record has the record as its best too. A linker is
    believed as far as its links do, a link more where it does so itself, and it is shared among candidates that tie.

    Parameters
    ----------
    links, reverse : Links
        Of one linker, in one direction and in the other.

    Returns
    -------
    (n_b,) float64
        Comparable among linkers on the same two files.
    """
    everybody = np.arange(links.n_b, dtype=np.int64)
    mutual = reverse.holds(everybody, links.best) / _tied(reverse)[np.maximum(links.best, 0)]
    # Several different candidates that tie would be told apart by their position only: from those nothing is learned.
    settled = links.tied_classes == 1
    usual = float(mutual[settled].mean()) if settled.any() else 1.0
    linked = np.where(links.best >= 0, usual, 0.0)
    return np.asarray(linked * (_AT_LEAST + np.where(settled, mutual, usual)) / _tied(links))


def _tied(links: Links) -> IntArray:
    return np.maximum(links.ties, 1)
