"""Local suppression with missing matching everything, as a linear programme over the states of records.

Read literally, "every record matches k − 1 others, and a missing value matches everything" is met by k − 1 records that
show nothing: they match everybody, and protect nobody. So a release is asked for more here, as `LocalSuppression` keeps
it: no record loses more than it needs for itself. What a record r **needs** is the least cost of keys without which it
matches k records of the original; a record that matches k as it is needs nothing, and loses nothing.

Hiding never ends a match. So a state, what r shows with some keys hidden at no more than its need, matches the records
that it matched in the original, and those that hide enough to meet it. Unknown are x(s), how many records of the
different record r are in its state s, and z(s), whether any is. All records of r are in some state; x(s) ≤ count(r)
z(s); and a state that matches too few by itself gets enough others: Σ x(t) ≥ (k − matches(s)) z(s) over the states t of
other records that meet s only as they are. With whole numbers this is exactly the set of such releases.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from discreet.masking.running.quiet_solver import Programme
from discreet.masking.withholding.hiding_classes import count_matches
from discreet.masking.withholding.key_classes import KeyCoder, classes_of
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["MOST_KEYS", "RecordStates", "WildcardProgramme", "record_states", "wildcard_programme"]

MOST_KEYS = 12
"""All sets of so many keys are gone through; of more, they would be too many."""
_MOST_MEETINGS = 5_000_000
_EQUAL = 1e-9


class RecordStates(NamedTuple):
    """What the records that match too few can show.

    Attributes
    ----------
    needs : (m,) float64
        What every different record needs for itself; 0 where it matches enough.
    owners : (s,) int64
        Whose state it is.
    rows : (s, d) int64
    prices : (s,) float64
    """

    needs: FloatArray
    owners: IntArray
    rows: IntArray
    prices: FloatArray


class WildcardProgramme(NamedTuple):
    """A programme whose first unknowns are the states."""

    programme: Programme
    states: RecordStates


def record_states(rows: IntArray, counts: IntArray, k: int, costs: FloatArray) -> RecordStates:
    """Return the states of all different records that match fewer than k records, at no more than their need.

    Notes
    -----
    O(2^d m) without missing values.
    """
    m, d = rows.shape
    absent = rows == 0
    sets = sorted((float(costs[list(keys)].sum()), keys) for s in range(d + 1) for keys in combinations(range(d), s))
    needs = np.full(m, np.inf)
    owners, shown, prices = [], [], []
    for price, keys in sets:
        mask = np.isin(np.arange(d), keys)
        # Sets that cost the same come one after the other, so a need is known once the next price is dearer.
        able = np.flatnonzero((needs >= price - _EQUAL) & ~absent[:, mask].any(axis=1))
        if not (needs >= price - _EQUAL).any():
            break
        if not able.size:
            continue
        probes = np.where(mask, 0, rows[able])
        matches = _matches(probes, mask, able, rows, counts)
        needs[able] = np.where(matches >= k, np.minimum(needs[able], price), needs[able])
        owners.append(able)
        shown.append(probes)
        prices.append(np.full(able.size, price))
    owner, row, cost = np.concatenate(owners), np.concatenate(shown), np.concatenate(prices)
    inside = (needs[owner] > 0) & (cost <= needs[owner] + _EQUAL)
    return RecordStates(needs, owner[inside], row[inside], cost[inside])


def _matches(probes: IntArray, mask: BoolArray, able: IntArray, rows: IntArray, counts: IntArray) -> IntArray:
    if (rows == 0).any():
        return count_matches(probes, rows, counts)
    labels, sizes = classes_of(KeyCoder(rows).numbers(slice(None), mask))
    return np.asarray(np.bincount(labels, counts, sizes.size).astype(np.int64)[labels[able]])


def wildcard_programme(
    rows: IntArray,
    counts: IntArray,
    k: int,
    states: RecordStates,
    *,
    fixed: tuple[IntArray, IntArray] | None = None,
    lenient: bool = False,
) -> WildcardProgramme | None:
    """Return the programme of some records' states; None where too many states meet.

    Parameters
    ----------
    rows, counts : (m, d) and (m,) int64
        Different records.
    k : int
    states : RecordStates
        Those of the records that are decided about; `owners` count within `rows`.
    fixed : pair of (f, d) and (f,) int64, optional
        What all other records show, and how many; by default the different records that have no state, as they are.
    lenient : bool
        Whether a record that hides anything is taken for protected, which makes the programme smaller and its optimum
        no higher.
    """
    from scipy.sparse import coo_matrix, vstack

    free = np.unique(states.owners)
    if fixed is None:
        others = np.setdiff1d(np.arange(len(rows)), free)
        fixed = rows[others], counts[others]
    there, numbers = np.concatenate([rows[free], fixed[0]]), np.concatenate([counts[free], fixed[1]])
    s = states.owners.size
    lacking = k - count_matches(states.rows, there, numbers)
    poor = np.flatnonzero((lacking > 0) & ((states.prices == 0) | (not lenient)))
    # Of the others, those who rely on records that are decided about.
    short = k - count_matches(fixed[0], there, numbers) if len(fixed[0]) else np.zeros(0, np.int64)
    relying = np.flatnonzero(short > 0)
    hiding = np.flatnonzero(states.prices > 0)
    probes = np.concatenate([states.rows[poor], fixed[0][relying]])
    asked, met = [], []
    total = 0
    for probe, place in _meetings(probes, states.rows[hiding]):
        before = rows[states.owners[hiding[place]]]
        now = probes[probe]
        new = ~((before == now) | (before == 0) | (now == 0)).all(axis=1)
        asked.append(probe[new])
        met.append(hiding[place[new]])
        total += int(new.sum())
        if total > _MOST_MEETINGS:
            return None
    probe, place = (np.concatenate(part) if part else np.zeros(0, np.int64) for part in (asked, met))
    z, r, n = poor.size, relying.size, s + poor.size
    number = np.searchsorted(free, states.owners)
    sums = coo_matrix((np.ones(s), (number, np.arange(s))), shape=(free.size, n)).tocsr()
    needs = np.concatenate([lacking[poor].astype(np.float64), np.zeros(r)])
    help_rows = coo_matrix(
        (
            np.concatenate([np.ones(probe.size), -needs[:z]]),
            (np.concatenate([probe, np.arange(z)]), np.concatenate([place, s + np.arange(z)])),
        ),
        shape=(z + r, n),
    )
    opened = coo_matrix(
        (
            np.concatenate([-np.ones(z), counts[states.owners[poor]].astype(np.float64)]),
            (np.concatenate([np.arange(z)] * 2), np.concatenate([poor, s + np.arange(z)])),
        ),
        shape=(z, n),
    )
    programme = Programme(
        cost=np.concatenate([states.prices, np.zeros(z)]),
        lower=np.zeros(n),
        upper=np.concatenate([counts[states.owners].astype(np.float64), np.ones(z)]),
        whole=np.ones(n, dtype=np.bool_),
        rows=vstack([help_rows, opened]).tocsr(),
        at_least=np.concatenate([np.zeros(z), short[relying].astype(np.float64), np.zeros(z)]),
        sums=sums,
        equal=counts[free].astype(np.float64),
    )
    return WildcardProgramme(programme, states)


def _meetings(probes: IntArray, rows: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield pairs of a probe and a row that match, those of one pair of patterns at a time."""
    coder, n = KeyCoder(np.concatenate([probes, rows])), len(probes)
    asked, of_probe = np.unique(probes == 0, axis=0, return_inverse=True)
    there, of_row = np.unique(rows == 0, axis=0, return_inverse=True)
    own_rows = [np.flatnonzero(of_row.ravel() == q) for q in range(len(there))]
    for p, first in enumerate(asked):
        own = np.flatnonzero(of_probe.ravel() == p)
        for q, second in enumerate(there):
            others = own_rows[q]
            labels, sizes = classes_of(coder.numbers(np.concatenate([own, n + others]), first | second))
            mine, theirs = labels[: own.size], labels[own.size :]
            order = np.argsort(theirs, kind="stable")
            begin = np.searchsorted(theirs[order], np.arange(sizes.size))
            length = np.bincount(theirs, minlength=sizes.size)[mine]
            at = np.repeat(begin[mine] - np.concatenate([[0], np.cumsum(length)[:-1]]), length)
            if at.size:
                yield np.repeat(own, length), others[order[at + np.arange(at.size)]]
