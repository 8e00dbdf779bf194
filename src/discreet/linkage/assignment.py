"""One-to-one links: every record of A is taken at most once."""

from __future__ import annotations

import numpy as np

from discreet.base import Linker
from discreet.errors import DataError
from discreet.linkage.pattern_links import Classes
from discreet.linkage.terms import Terms
from discreet.results import Links
from discreet.typing import FloatArray, IntArray

__all__ = ["MOST_RECORDS", "assigned", "best_assignment", "links_from_assignment"]

MOST_RECORDS = 5_000
"""A full table of pairs is needed; beyond this many records of either file it is refused."""


def check_size(owner: str, n_a: int, n_b: int) -> None:
    """Refuse files whose table of pairs would be too large."""
    if max(n_a, n_b) > MOST_RECORDS:
        raise DataError(
            f"{owner}: one-to-one links need a table of all pairs; files of {n_a} and {n_b} records are too large.",
            hint=f"Up to {MOST_RECORDS} records of each; without one_to_one any size will do.",
        )


def assigned(
    linker: type[Linker],
    terms: Terms,
    classes: Classes,
    names: tuple[str, ...],
    limits: tuple[FloatArray, FloatArray] | None,
) -> Links:
    """Return the one-to-one links with the least sum of distances."""
    n_a, n_b = len(terms.a_codes), len(terms.b_codes)
    check_size(linker.__name__, n_a, n_b)
    table = terms.scores(terms.matrix(slice(None)))
    if limits is not None:
        for p in range(len(terms.numbers)):
            x = terms.a_numbers[:, p][None, :]
            table[(x < limits[0][:, p][:, None]) | (x > limits[1][:, p][:, None])] = np.inf
    chosen = best_assignment(table)
    score = np.where(chosen < 0, np.inf, table[np.arange(n_b), chosen])
    return links_from_assignment(chosen, score, classes, names, linker.name)


def best_assignment(costs: FloatArray) -> IntArray:
    """Return for every row the column it is assigned, −1 for none, with the least sum; impossible pairs are infinite.

    Rows and columns are shuffled first, by a fixed seed: among assignments of equal cost the solver prefers the one
    near the diagonal, which in a comparison of a file with its masked version is the truth.
    """
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(costs.shape[0]), rng.permutation(costs.shape[1])
    shuffled = costs[np.ix_(rows, columns)]
    impossible = ~np.isfinite(shuffled)
    largest = float(np.abs(shuffled[~impossible]).max(initial=1.0))
    shuffled[impossible] = 4.0 * largest * max(costs.shape)
    r, c = linear_sum_assignment(shuffled)
    kept = ~impossible[r, c]
    result = np.full(costs.shape[0], -1, dtype=np.int64)
    result[rows[r[kept]]] = columns[c[kept]]
    return result


def links_from_assignment(
    chosen: IntArray, score: FloatArray, classes: Classes, names: tuple[str, ...], method: str, *, higher: bool = False
) -> Links:
    """Return links without ties; a record's link is right for whoever shares its class with the truth.

    Within a class of equal records nobody can tell who is who: the link counts as a tie of the class.
    """
    n_b = chosen.size
    linked = chosen >= 0
    own = np.where(linked, classes.label[np.maximum(chosen, 0)], 0)
    return Links(
        n_a=classes.label.size,
        n_b=n_b,
        best=chosen,
        second=np.full(n_b, -1, dtype=np.int64),
        score=score,
        second_score=np.full(n_b, -np.inf if higher else np.inf),
        ties=np.where(linked, classes.size[own], 0),
        tied_offsets=np.concatenate([[0], np.cumsum(linked)]).astype(np.int64),
        tied=own[linked],
        classes=classes.label,
        attributes=names,
        method=method,
        higher_is_better=higher,
    )
