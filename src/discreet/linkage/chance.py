"""How many links come out right by chance.

Linking two files of the same n individuals at random is drawing a permutation; a correct link is a fixed point. The
chance of exactly r of them is ``P(r) = (1/r!) · Σ_{v=0}^{n−r} (−1)^v / v!``. A linkage that finds more correct links
than chance would is one that found something.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np

from discreet.errors import ParameterError

__all__ = [
    "log_probability_at_least",
    "log_probability_of",
    "probability_at_least",
    "probability_of",
]

# Beyond this many terms the alternating sum equals 1/e in double precision: the next term is below 1e−26.
_TERMS = 25
# The tail beyond r falls at least as fast as 1/(r+1), 1/((r+1)(r+2)), …; this many terms leave less than 1e−80.
_TAIL = 60


def probability_of(r: int, n: int) -> float:
    """Return the chance that exactly `r` of `n` random links are correct.

    Parameters
    ----------
    r : int
        The number of correct links, 0 … n.
    n : int
        The number of individuals in both files.

    Returns
    -------
    float
        Exact to the last digits of a double; 0.0 where it is below the smallest double (see `log_probability_of`).

    References
    ----------
    Torra (P1d), section V.B.1, where (−1)^k is a misprint of (−1)^v; Torra and Nin (P2), proposition 4.

    Examples
    --------
    >>> [round(24 * probability_of(r, 4)) for r in range(5)]
    [9, 8, 6, 0, 1]
    """
    _check(r, n)
    # Python divides integers of any size with one rounding.
    share = _derangements(min(n - r, _TERMS))
    return share.numerator / (share.denominator * math.factorial(r)) if r < 400 else 0.0


def log_probability_of(r: int, n: int) -> float:
    """Return the natural logarithm of `probability_of`, for any n; −∞ for r = n − 1, which cannot happen.

    Examples
    --------
    >>> round(log_probability_of(4, 4), 6) == round(-math.log(24), 6)
    True
    """
    _check(r, n)
    share = float(_derangements(min(n - r, _TERMS)))
    return math.log(share) - math.lgamma(r + 1) if share > 0 else -math.inf


def probability_at_least(r: int, n: int) -> float:
    """Return the chance that `r` or more of `n` random links are correct.

    Examples
    --------
    >>> f"{probability_at_least(10, 33):.7e}"
    '1.1142548e-07'
    """
    _check(r, n)
    # From the small terms up, so that nothing is lost; at r = 0 the sum is 1 by definition.
    return math.fsum(probability_of(s, n) for s in range(min(n, r + _TAIL), r - 1, -1)) if r else 1.0


def log_probability_at_least(r: int, n: int) -> float:
    """Return the natural logarithm of `probability_at_least`, for any n.

    Examples
    --------
    >>> round(log_probability_at_least(1000, 10000), 1)
    -5913.1
    """
    _check(r, n)
    if r == 0:
        return 0.0
    logs = np.array([log_probability_of(s, n) for s in range(r, min(n, r + _TAIL) + 1)])
    return float(np.logaddexp.reduce(logs))


@cache
def _derangements(k: int) -> Fraction:
    """Return the share of permutations of `k` things that leave none in its place."""
    return sum((Fraction((-1) ** v, math.factorial(v)) for v in range(k + 1)), Fraction(0))


def _check(r: int, n: int) -> None:
    for name, value in (("r", r), ("n", n)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
            raise ParameterError(f"chance of links: {name} must be an integer of at least 0; got {value!r}.")
    if r > n:
        raise ParameterError(f"chance of links: r must be at most n; got {r} of {n}.")
