"""Distance-based linkage by an intruder who knows how the file was masked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from discreet.contracts.engine import Engine
from discreet.contracts.estimator import register
from discreet.contracts.linker import Linker
from discreet.contracts.links import Links
from discreet.contracts.masked import Masked, Provenance
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, GapFlag
from discreet.data.scales.gap_flag import flagged_by
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.linkage.shared.level_terms import as_seen
from discreet.linkage.shared.term_search import link_by_terms
from discreet.linkage.shared.terms import Terms
from discreet.linkage.shared.yardstick import prepare
from discreet.parameters import Choice, Flag, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.typing import FloatArray

__all__ = ["MaskingAwareLinkage"]

_FINE = float(1 << 30)
_ELSEWHERE = 4.0
"""The term of a record of A that is nearer to another centre: about what being there by chance weighs."""
_MOST_CELLS = 25_000_000
_CLOSE = 1e-9
"""How near a number is that only a file format has rounded."""


@register("masking-aware")
class MaskingAwareLinkage(Linker):
    """Link each record to the nearest one that the masking can have turned into it.

    The attack that a published method invites: pairs that the method cannot have produced are infinitely far. It finds
    at least what the masking leaves open, and more than the distance alone wherever a method rules much out.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default the keys that both files have.
    metric : {"euclidean", "manhattan", "max"}
        As in :class:`~discreet.linkage.shared.distance.DistanceLinkage`.
    p : float, optional
        The window of a rank swapping in percent, where the release does not bring its provenance.
    one_to_one : bool
        Whether every record of the first file is taken at most once: what an intruder does who knows that both files
        hold the same people. Up to 50,000 records.

    Notes
    -----
    What is used of a :class:`~discreet.contracts.masked.Masked` release: the transitions of categorical attributes, and
    where the masking is known to the last probability (PRAM's matrices, recodings, attributes left alone) for all of
    them, how likely each original is to have become the released record: then the score is minus the logarithm of that,
    and no distance; the window of a rank swapping, so that only records whose rank is near enough on every swapped
    attribute are searched; the groups of a microaggregation: each block of attributes weighs by how far records are
    from their centres, and records whose nearest released centre is another than the group's lose (up to 5,000 groups
    a block); attributes that were left alone, on which a record is what it was. Of a plain file without `p` nothing is
    known, and the linker refuses: what it gave would be the links of the distance under another name. A record that
    nobody can have become has no link. Cost, ties and missing values as in distance-based linkage; an attribute that is
    missing in every released record is left out, and the links name those that were not.

    References
    ----------
    Domingo-Ferrer and Torra (2002), section 3.4; Nin, Herranz and Torra (2008), rethinking rank swapping; Winkler
    (2004), re-identification methods for microaggregated data.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}), pl.DataFrame({"x": [2.0, 1.0, 4.0, 3.0]})
    >>> links = MaskingAwareLinkage(p=25).link(a, b)  # one rank up or down
    >>> links.best.tolist()
    [1, 0, 3, 2]
    """

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    joins_levels: ClassVar[bool] = True
    leaves_out_emptied: ClassVar[bool] = True
    knows_masking: ClassVar[bool] = True
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    metric: Literal["euclidean", "manhattan", "max"] = parameter(
        Choice(("euclidean", "manhattan", "max")), default="euclidean"
    )
    p: float | None = parameter(Optional(Number(0, 100, open_low=True)), default=None)
    one_to_one: bool = parameter(Flag(), default=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(p=100), cls(p=100, one_to_one=True)]

    def link(
        self, a: Any, b: Any, schema: Schema | None = None, *, engine: Engine | None = None, second: bool = True
    ) -> Links:
        """Find for every record of `b` whom it belongs to in `a`; a `Masked` release brings what is known about it."""
        self._known = b.provenance if isinstance(b, Masked) else None
        try:
            return super().link(a, b, schema, engine=engine, second=second)
        finally:
            del self._known

    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        return self._linked(a, b, names, engine, second=True)

    def _link_best(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        return self._linked(a, b, names, engine, second=False)

    def _linked(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine, *, second: bool) -> Links:
        provenance = self._known
        if provenance is None and self.p is None:
            raise ParameterError(
                f"{type(self).__name__}: nothing is known of how the release was masked, so it would find what the "
                "distance finds.",
                hint="Pass what `mask` returned, or p, the window of a rank swapping in percent; on the command line, "
                "--method 'rank-swapping p=10', --protocol, or a manifest beside the release.",
            )
        possible = {} if provenance is None else provenance.transitions
        same = frozenset() if provenance is None else _left_alone(a, b, names, provenance)
        terms = prepare(type(self).__name__, a, b, names, self.metric, possible=possible, unchanged=same)
        likely = None if provenance is None else _likelihoods(terms, a, b, provenance, same)
        if likely is not None:
            return link_by_terms(type(self), likely, names, engine, one_to_one=self.one_to_one, second=second)
        limits = self._limits(terms, provenance)
        if provenance is not None and (provenance.labels is not None or provenance.grouped is not None):
            terms = _within_groups(terms, provenance, engine, type(self))
        return link_by_terms(type(self), terms, names, engine, limits=limits, one_to_one=self.one_to_one, second=second)

    def _limits(self, terms: Terms, provenance: Provenance | None) -> tuple[FloatArray, FloatArray] | None:
        windows: Mapping[str, int] = {} if provenance is None else provenance.details.get("window", {})
        lowest = np.full(terms.b_numbers.shape, -np.inf)
        highest = np.full(terms.b_numbers.shape, np.inf)
        for p, name in enumerate(terms.numbers):
            if self.p is not None:
                width = int(self.p * len(terms.a_numbers) / 100)
            elif name in windows:
                width = int(windows[name])
            elif provenance is not None and name not in provenance.attributes:
                slack = _CLOSE * np.abs(terms.b_numbers[:, p])
                lowest[:, p], highest[:, p] = terms.b_numbers[:, p] - slack, terms.b_numbers[:, p] + slack
                continue
            else:
                continue
            ranked = np.sort(terms.a_numbers[:, p])
            first = np.searchsorted(ranked, terms.b_numbers[:, p], side="left")
            last = np.searchsorted(ranked, terms.b_numbers[:, p], side="right") - 1
            lowest[:, p] = ranked[np.clip(first - width, 0, len(ranked) - 1)]
            highest[:, p] = ranked[np.clip(last + width, 0, len(ranked) - 1)]
        bounded = np.isfinite(lowest).any()
        return (lowest, highest) if bounded else None


def _left_alone(a: Microdata, b: Microdata, names: tuple[str, ...], provenance: Provenance) -> frozenset[str]:
    """Return the categories that were not masked: every level, and a missing value, stayed what it was."""
    same = set()
    for name in names:
        first, second = a.schema[name].scale, b.schema[name].scale
        # What says where a number is missing changes with the number.
        masked = flagged_by(name) if isinstance(first, GapFlag) else name
        untouched = masked not in provenance.attributes and isinstance(first, Categorical)
        if untouched and first.to_dict() == second.to_dict():
            same.add(name)
    return frozenset(same)


def _likelihoods(
    terms: Terms, a: Microdata, b: Microdata, provenance: Provenance, same: frozenset[str]
) -> Terms | None:
    """Return terms that are minus the logarithm of how likely a level becomes another; None where that is not known."""
    if terms.numbers or len(provenance.history) > 1:
        return None
    tables = []
    for name, table in zip(terms.categories, terms.tables, strict=True):
        if table.ndim == 1:
            # Many levels, and no transitions: they stayed what they were, or nothing is known of them.
            if name not in same:
                return None
            tables.append(table)
            continue
        chances = _chances(a, b, provenance, name, (table.shape[1], table.shape[0]))
        if chances is None:
            return None
        with np.errstate(divide="ignore"):
            costs = -np.log(chances.T)
        # Whole multiples of a billionth add up without rounding: equal chances are ties.
        tables.append(np.ascontiguousarray(np.round(costs * _FINE) / _FINE))
    return replace(terms, tables=tuple(tables), metric=1)


def _chances(
    a: Microdata, b: Microdata, provenance: Provenance, name: str, shape: tuple[int, int]
) -> FloatArray | None:
    """Return by level of A and of B, missing last, the probability that the masking turns one into the other."""
    first, second = a.schema[name].scale, b.schema[name].scale
    if name not in provenance.attributes:
        return np.eye(*shape) if first.to_dict() == second.to_dict() else None
    matrix = provenance.details.get("matrices", {}).get(name) if provenance.parameters.get("strata") is None else None
    if matrix is not None:
        chances = np.eye(*shape)
        chances[:-1, :-1] = matrix
        return chances
    allowed = provenance.transitions.get(name)
    if allowed is None:
        return None
    transitions = as_seen(allowed, shape)
    # Where a level can become several, their chances are not known.
    return transitions.astype(np.float64) if (transitions.sum(axis=1) <= 1).all() else None


def _within_groups(terms: Terms, provenance: Provenance, engine: Engine, linker: type[Linker]) -> Terms:
    """Weigh every block of attributes by how far records are from their centres, and add which centre is nearest.

    A release is its record plus an error that the partition made, of one size for all attributes of a block: the
    distance of a record of A to the nearest released centre tells how large. A record is mostly, not always, in the
    group of its nearest centre.
    """
    grouped = provenance.attributes if provenance.grouped is None else provenance.grouped
    blocks = [_names(block) for block in provenance.details.get("blocks") or [grouped]]
    labels = provenance.labels
    if labels is not None and len(blocks) != (1 if labels.ndim == 1 else labels.shape[1]):
        return terms
    weighed = terms
    for block in blocks:
        numbers = [p for p, name in enumerate(terms.numbers) if name in block]
        categories = [p for p, name in enumerate(terms.categories) if name in block]
        if numbers or categories:
            weighed = _with_centres(weighed, terms, numbers, categories, engine, linker)
    return weighed


def _names(block: Any) -> Sequence[str]:
    """Return the attributes of a block, which some maskers describe by more than their names."""
    return tuple(block["attributes"]) if isinstance(block, Mapping) else tuple(block)


def _with_centres(
    weighed: Terms, terms: Terms, numbers: list[int], categories: list[int], engine: Engine, linker: type[Linker]
) -> Terms:
    """Add the nearest centre of a block as an attribute, and scale the block."""
    rows = np.concatenate([terms.b_codes[:, categories], terms.b_numbers[:, numbers]], axis=1)
    most = math.isqrt(_MOST_CELLS)
    if len(rows) > 4 * most and len(np.unique(rows[: 4 * most], axis=0)) > most:
        return weighed  # some of the records have too many centres already
    _, members, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    if len(members) > most or len(members) < 2:
        return weighed
    question = replace(
        terms,
        categories=tuple(terms.categories[p] for p in categories),
        numbers=tuple(terms.numbers[p] for p in numbers),
        a_codes=np.ascontiguousarray(terms.b_codes[members][:, categories]),
        b_codes=np.ascontiguousarray(terms.a_codes[:, categories]),
        a_numbers=np.ascontiguousarray(terms.b_numbers[members][:, numbers]),
        b_numbers=np.ascontiguousarray(terms.a_numbers[:, numbers]),
        tables=tuple(np.ascontiguousarray(terms.tables[p].T) for p in categories),
        grain=terms.grain[numbers],
    )
    nearest = link_by_terms(linker, question, question.numbers, engine, second=False)
    # The term of an attribute that a normal error of the usual size makes: one half.
    reached = nearest.score[nearest.best >= 0] ** (2 if terms.metric == 0 else 1)
    usual = 2.0 * float(reached.mean()) / rows.shape[1] if reached.size else 0.0
    factor = 1.0 / usual if usual > 0 else 1.0
    scaled = _scaled(weighed, numbers, [p + len(weighed.tables) - len(terms.tables) for p in categories], factor)
    table = np.where(np.eye(len(members), dtype=np.bool_), 0.0, _ELSEWHERE)
    codes = (np.maximum(nearest.best, 0), np.asarray(group).ravel())
    return replace(
        scaled,
        categories=("", *scaled.categories),
        a_codes=np.ascontiguousarray(np.column_stack([codes[0], scaled.a_codes]), dtype=np.int32),
        b_codes=np.ascontiguousarray(np.column_stack([codes[1], scaled.b_codes]), dtype=np.int32),
        tables=(table, *scaled.tables),
    )


def _scaled(terms: Terms, numbers: list[int], categories: list[int], factor: float) -> Terms:
    """Multiply the terms of some attributes."""
    by = np.ones(len(terms.numbers))
    by[numbers] = np.sqrt(factor) if terms.metric == 0 else factor
    return replace(
        terms,
        a_numbers=np.ascontiguousarray(terms.a_numbers * by),
        b_numbers=np.ascontiguousarray(terms.b_numbers * by),
        grain=terms.grain * by,
        tables=tuple(table * factor if p in categories else table for p, table in enumerate(terms.tables)),
    )
