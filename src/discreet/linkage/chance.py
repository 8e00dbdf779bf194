"""How many links come out right by chance.

Linking two files of the same n individuals at random is drawing a permutation; a correct link is a fixed point. The
chance of exactly r of them is ``P(r) = (1/r!) · Σ_{v=0}^{n−r} (−1)^v / v!``. A linkage that finds more correct links
than chance would is one that found something.

Files of different lengths: n individuals are in both, the longer file has N records, every record of the shorter one is
linked to another record of the longer one. Any k given pairs come out right together with probability (N − k)!/N!,
and inclusion and exclusion give
``P(r) = C(n, r) · (N − r)!/N! · Σ_{v=0}^{n−r} (−1)^v C(n − r, v) · (N − r − v)!/(N − r)!``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from discreet.contracts.links import Linked, Links
from discreet.errors import DataError, ParameterError
from discreet.typing import IntArray

__all__ = [
    "Significance",
    "log_probability_at_least",
    "log_probability_of",
    "probability_at_least",
    "probability_of",
    "significance",
]

# Beyond this many terms the alternating sum equals 1/e in double precision: the next term is below 1e−26.
_TERMS = 25
# The tail beyond r falls at least as fast as 1/(r+1), 1/((r+1)(r+2)), …; this many terms leave less than 1e−80.
_TAIL = 60


def probability_of(r: int, n: int, among: int | None = None) -> float:
    """Return the chance that exactly `r` of `n` random links are correct.

    Parameters
    ----------
    r : int
        The number of correct links, 0 … n.
    n : int
        The number of individuals in both files.
    among : int, optional
        The records of the longer file; by default `n`, files of the same individuals.

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
    >>> [round(6 * probability_of(r, 2, among=3)) for r in range(3)]
    [3, 2, 1]
    """
    longer = _check(r, n, among)
    # Python divides integers of any size with one rounding.
    share = _none_right(n - r, longer - r)
    if r >= 400:
        return 0.0
    falling = math.prod(range(longer - r + 1, longer + 1))
    return share.numerator * math.comb(n, r) / (share.denominator * falling)


def log_probability_of(r: int, n: int, among: int | None = None) -> float:
    """Return the natural logarithm of `probability_of`, for any n; −∞ where it cannot happen, as r = n − 1 of n.

    Examples
    --------
    >>> round(log_probability_of(4, 4), 6) == round(-math.log(24), 6)
    True
    """
    longer = _check(r, n, among)
    share = float(_none_right(n - r, longer - r))
    if share <= 0:
        return -math.inf
    if longer == n:
        return math.log(share) - math.lgamma(r + 1)
    return (
        math.log(share)
        + (math.lgamma(n + 1) - math.lgamma(r + 1) - math.lgamma(n - r + 1))
        + (math.lgamma(longer - r + 1) - math.lgamma(longer + 1))
    )


def probability_at_least(r: int, n: int, among: int | None = None) -> float:
    """Return the chance that `r` or more of `n` random links are correct; `among` as in `probability_of`.

    Examples
    --------
    >>> f"{probability_at_least(10, 33):.7e}"
    '1.1142548e-07'
    """
    _check(r, n, among)
    # From the small terms up, so that nothing is lost; at r = 0 the sum is 1 by definition.
    return math.fsum(probability_of(s, n, among) for s in range(min(n, r + _TAIL), r - 1, -1)) if r else 1.0


def log_probability_at_least(r: int, n: int, among: int | None = None) -> float:
    """Return the natural logarithm of `probability_at_least`, for any n.

    Examples
    --------
    >>> round(log_probability_at_least(1000, 10000), 1)
    -5913.1
    """
    _check(r, n, among)
    if r == 0:
        return 0.0
    logs = np.array([log_probability_of(s, n, among) for s in range(r, min(n, r + _TAIL) + 1)])
    return float(np.logaddexp.reduce(logs))


@dataclass(frozen=True)
class Significance:
    """What a linkage found, beside what guessing finds.

    Attributes
    ----------
    correct : float
        Expected number of correct links, ties shared.
    rate : float
        Share of the records that were looked for.
    interval : tuple of float
        Wilson's 95 % interval of the rate.
    chance : float
        Expected number of correct links of an intruder who guesses.
    p_value, log_p_value : float
        Probability that guessing finds as many, and its natural logarithm, which never underflows.
    """

    correct: float
    n: int
    rate: float
    interval: tuple[float, float]
    chance: float
    p_value: float
    log_p_value: float

    @property
    def at_chance(self) -> bool:
        """Whether the links are no better than guesses (at the level of 5 %)."""
        return self.p_value > 0.05

    @property
    def sentence(self) -> str:
        """The finding in words."""
        low, high = (100 * end for end in self.interval)
        share = f"{100 * self.rate:.1f} %, interval {low:.1f}–{high:.1f} %"
        outcome = f"{self.correct:.1f} of {self.n} links are correct ({share})"
        if self.at_chance:
            return f"{outcome}: no more than guessing finds ({self.chance:.1f}); the linkage is at chance level."
        return (
            f"{outcome}; guessing finds {self.chance:.1f}, and as many with probability {_written(self.log_p_value)}."
        )


def significance(links: Links, truth: IntArray | None = None, *, one_to_one: bool | None = None) -> Significance:
    """Compare links with the truth and with guessing.

    Parameters
    ----------
    links : Links
    truth : (n_b,) int64, optional
        Position in A of every record of B, −1 for none; by default the same position.
    one_to_one : bool, optional
        Whether the guesser takes every record of A at most once, too; by default what the links do.

    Notes
    -----
    A guesser who takes each record at most once has the distribution of `probability_of`; one who does not, a binomial
    one. Ties are shared, so the number of correct links may be a fraction; it is rounded down for the p-value.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.linkage.shared.distance import DistanceLinkage
    >>> a = pl.DataFrame({"size": [1.0, 2.0, 9.0, 4.0]})
    >>> round(24 * significance(DistanceLinkage().link(a, a)).p_value, 6)
    1.0
    """
    linked: Linked = links.evaluate(truth)
    common = round(linked.chance * links.n_a)
    if common > min(links.n_a, links.n_b):
        raise DataError(f"truth names {common} records of B, more than the {links.n_a} records of A.")
    if one_to_one is None:
        partners = links.best[links.best >= 0]
        one_to_one = bool((links.ties <= 1).all()) and np.unique(partners).size == partners.size
    r = math.floor(linked.expected + 1e-9)
    if one_to_one:
        log_p = log_probability_at_least(min(r, common), common, among=max(links.n_a, links.n_b))
    else:
        log_p = _log_binomial_tail(r, common, 1.0 / links.n_a)
    return Significance(
        correct=linked.expected,
        n=linked.n,
        rate=linked.rate,
        interval=linked.interval(),
        chance=common / (max(links.n_a, links.n_b) if one_to_one else links.n_a),
        p_value=math.exp(log_p),
        log_p_value=log_p,
    )


def _log_binomial_tail(r: int, n: int, p: float) -> float:
    if r <= 0 or n == 0 or p >= 1.0:
        return 0.0
    logs = [
        math.lgamma(n + 1) - math.lgamma(s + 1) - math.lgamma(n - s + 1) + s * math.log(p) + (n - s) * math.log1p(-p)
        for s in range(r, min(n, r + 4 * _TAIL + math.ceil(4 * n * p)) + 1)
    ]
    return min(float(np.logaddexp.reduce(np.array(logs))), 0.0)


def _written(log_p: float) -> str:
    """Write a probability however small it is."""
    exponent = math.floor(log_p / math.log(10))
    return f"{math.exp(log_p - exponent * math.log(10)):.2f}e{exponent:+03d}"


@cache
def _none_right(k: int, longer: int) -> Fraction:
    """Return the chance that none of `k` individuals is linked to itself among `longer` records."""
    total, term = Fraction(0), Fraction(1)
    for v in range(min(k, _TERMS) + 1):
        total += term
        # The next term: one more individual right, with the other sign.
        term *= Fraction(-(k - v), (v + 1) * (longer - v)) if v < k else 0
    return total


def _check(r: int, n: int, among: int | None) -> int:
    for name, value in (("r", r), ("n", n), ("among", n if among is None else among)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
            raise ParameterError(f"chance of links: {name} must be an integer of at least 0; got {value!r}.")
    if r > n:
        raise ParameterError(f"chance of links: r must be at most n; got {r} of {n}.")
    longer = n if among is None else int(among)
    if longer < n:
        raise ParameterError(f"chance of links: among must be at least n; got {longer} for {n}.")
    return longer
