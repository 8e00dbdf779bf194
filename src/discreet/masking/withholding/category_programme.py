"""Local suppression with missing as a value of its own, as a linear programme over released combinations.

Unknown are x(r, c), how many records of the different record r are released as the combination c, and z(c), whether c
is released at all. All records of r go somewhere, x(r, c) ≤ count(r) z(c), and Σ x(·, c) ≥ k z(c). With z 0 or 1 this
is exactly what a release with at least k records in every combination is; without, the optimum is a lower bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.masking.running.quiet_solver import Programme
from discreet.masking.withholding.hiding_classes import HidingClasses, hiding_classes, patterns_up_to
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["CategoryProgramme", "bounding_programme", "exact_programme", "programme_of"]


class CategoryProgramme(NamedTuple):
    """A programme, what its first unknowns stand for, and whether records may pay for being nowhere.

    Attributes
    ----------
    programme : Programme
    classes : HidingClasses
        The unknowns begin with x, in the order of its pairs.
    loose : int
        The last so many unknowns are records that pay for combinations that were not listed.
    """

    programme: Programme
    classes: HidingClasses
    loose: int = 0


def programme_of(
    classes: HidingClasses,
    counts: IntArray,
    k: int,
    *,
    helpers: tuple[FloatArray, FloatArray] | None = None,
    elsewhere: FloatArray | None = None,
) -> CategoryProgramme:
    """Return the programme of different records and the combinations they can be in.

    Parameters
    ----------
    classes : HidingClasses
    counts : (m,) int64
        Records of every different record that has to go somewhere.
    k : int
    helpers : pair of (c,) float64, optional
        For every combination, how many further records could be there and what each would pay at least.
    elsewhere : (m,) float64, optional
        What a record pays at least for a combination that is not listed; infinite where there is none.
    """
    from scipy.sparse import coo_matrix, vstack

    m, pairs, c = counts.size, classes.members.size, len(classes.released)
    # Combinations that are large enough without anybody who is decided about ask for nothing.
    asked = np.flatnonzero(classes.fixed < k)
    place = np.full(c, -1, dtype=np.int64)
    place[asked] = np.arange(asked.size)
    lacking = (k - classes.fixed[asked]).astype(np.float64)
    linked = np.flatnonzero(place[classes.places] >= 0)
    h = 0 if helpers is None else asked.size
    loose = np.zeros(0, np.int64) if elsewhere is None else np.flatnonzero(np.isfinite(elsewhere))
    n = pairs + asked.size + h + loose.size
    ones = np.ones

    def sparse(height: int, *cells: tuple[IntArray, IntArray, FloatArray]) -> object:
        rows, columns, values = (np.concatenate(part) for part in zip(*cells, strict=True))
        return coo_matrix((values, (rows, columns)), shape=(height, n)).tocsr()

    x, z = np.arange(pairs), pairs + np.arange(asked.size)
    sums = sparse(
        m,
        (classes.members, x, ones(pairs)),
        (loose, n - loose.size + np.arange(loose.size), ones(loose.size)),
    )
    enough = [
        (place[classes.places[linked]], linked, ones(linked.size)),
        (np.arange(asked.size), z, -lacking),
    ]
    cost, upper = [classes.prices, np.zeros(asked.size)], [counts[classes.members].astype(np.float64), ones(asked.size)]
    if helpers is not None:
        enough.append((np.arange(h), pairs + asked.size + np.arange(h), ones(h)))
        cost.append(helpers[1][asked])
        upper.append(np.minimum(helpers[0][asked], k))
    if elsewhere is not None:
        cost.append(elsewhere[loose])
        upper.append(counts[loose].astype(np.float64))
    opened = sparse(
        linked.size,
        (np.arange(linked.size), linked, -ones(linked.size)),
        (np.arange(linked.size), z[place[classes.places[linked]]], counts[classes.members[linked]].astype(np.float64)),
    )
    lower = np.zeros(n)
    lower[z] = classes.fixed[asked] > 0  # who is there already stays
    whole = np.zeros(n, dtype=np.bool_)
    whole[z] = True  # with z decided, the rest is a transport problem, whose corners are whole numbers
    programme = Programme(
        cost=np.concatenate(cost),
        lower=lower,
        upper=np.concatenate(upper),
        whole=whole,
        rows=vstack([sparse(asked.size, *enough), opened]).tocsr(),
        at_least=np.zeros(asked.size + linked.size),
        sums=sums,
        equal=counts.astype(np.float64),
    )
    return CategoryProgramme(programme, classes, loose.size)


def exact_programme(rows: IntArray, counts: IntArray, k: int, costs: FloatArray) -> CategoryProgramme:
    """Return the programme whose optimum is the least cost of any release: every combination, every record."""
    patterns = patterns_up_to(rows == 0, rows.shape[1])
    return programme_of(hiding_classes(rows, counts, k, costs, patterns), counts, k)


def bounding_programme(
    rows: IntArray, counts: IntArray, k: int, costs: FloatArray, size: int
) -> tuple[CategoryProgramme, FloatArray]:
    """Return a smaller programme whose optimum is not above that of the exact one, and the least cost of every record.

    Parameters
    ----------
    rows, counts : (m, d) and (m,) int64
        Different records.
    k : int
    costs : (d,) float64
    size : int
        Up to so many hidden keys of a record are listed.

    Notes
    -----
    Three things are let go, each of which can only lower the optimum. Records that share their keys with k − 1 others
    may help wherever they can be, any number of times, without their own combination becoming too small. Each pays what
    the cheapest of those who can be there would pay. A record may hide more than `size` keys without company, at the
    cost of the `size` + 1 cheapest ones that it has.
    """
    few = counts < k
    absent = rows == 0
    patterns = patterns_up_to(absent[few], size)
    classes = hiding_classes(rows, counts, k, costs, patterns, wanted=few)
    c = len(classes.released)
    helping = ~few[classes.members]
    room = np.bincount(classes.places[helping], counts[classes.members[helping]], c).astype(np.float64)
    least = np.full(c, np.inf)
    np.minimum.at(least, classes.places[helping], classes.prices[helping])
    least[~np.isfinite(least)] = 0.0
    elsewhere = _elsewhere(absent[few], costs, size)
    number = np.cumsum(few) - 1
    own = ~helping
    alone = HidingClasses(
        classes.released, classes.fixed, number[classes.members[own]], classes.places[own], classes.prices[own]
    )
    cheapest = elsewhere.copy()
    np.minimum.at(cheapest, alone.members, alone.prices)
    return programme_of(alone, counts[few], k, helpers=(room, least), elsewhere=elsewhere), cheapest * counts[few]


def _elsewhere(absent: BoolArray, costs: FloatArray, size: int) -> FloatArray:
    """Return for every row the cost of its size + 1 cheapest keys; infinite where it has no more than `size`."""
    prices = np.sort(np.where(absent, np.inf, costs), axis=1)
    if size >= prices.shape[1]:
        return np.full(len(prices), np.inf)
    return np.asarray(prices[:, : size + 1].sum(axis=1))
