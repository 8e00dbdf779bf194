"""Distance-based linkage by an intruder who knows how the file was masked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from discreet.base import Engine, Linker, register
from discreet.linkage.distance import link_by_terms
from discreet.linkage.terms import METRICS, Terms, prepare
from discreet.microdata import Microdata
from discreet.parameters import Choice, Constraint, Names, Number, Optional
from discreet.results import Links, Masked, Provenance
from discreet.schema import Schema
from discreet.typing import FloatArray, IntArray

__all__ = ["MaskingAwareLinkage"]

_ELSEWHERE = 1e6
"""The term of a pair outside its group: so large that it is taken only by a record whose group holds nobody."""


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
        As in :class:`~discreet.linkage.distance.DistanceLinkage`.
    p : float, optional
        The window of a rank swapping in percent, where the release does not bring its provenance.

    Notes
    -----
    What is used of a :class:`~discreet.results.Masked` release: the transitions of categorical attributes; the window
    of a rank swapping, so that only records whose rank is near enough on every swapped attribute are searched; the
    groups of a microaggregation of several numbers, so that only records whose nearest released centre is that of the
    group are searched (a record whose group holds nobody is linked by distance). Of a plain file without `p` nothing is
    known, and the links are those of the distance. A record that nobody can have become has no link. Cost, ties and
    missing values as in distance-based linkage.

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
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "attributes": Optional(Names()),
        "metric": Choice(tuple(m for m in METRICS if m != "mahalanobis")),
        "p": Optional(Number(0, 100, open_low=True)),
    }

    def __init__(
        self, *, attributes: Sequence[str] | None = None, metric: str = "euclidean", p: float | None = None
    ) -> None:
        self.attributes = attributes
        self.metric = metric
        self.p = p

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(p=100)]

    def link(self, a: Any, b: Any, schema: Schema | None = None, *, engine: Engine | None = None) -> Links:
        """Find for every record of `b` whom it belongs to in `a`; a `Masked` release brings what is known about it."""
        self._known = b.provenance if isinstance(b, Masked) else None
        try:
            return super().link(a, b, schema, engine=engine)
        finally:
            del self._known

    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        known = self._known
        possible = {} if known is None else known.transitions
        terms = prepare(type(self).__name__, a, b, names, self.metric, possible=possible)
        limits = self._limits(terms, known)
        if known is not None and known.labels is not None:
            terms = _within_groups(terms, known, engine, type(self))
        return link_by_terms(type(self), terms, names, engine, limits=limits)

    def _limits(self, terms: Terms, known: Provenance | None) -> tuple[FloatArray, FloatArray] | None:
        windows: Mapping[str, int] = {} if known is None else known.details.get("window", {})
        swapped = known is not None and known.method == "rank-swapping" and isinstance(windows, Mapping)
        lowest = np.full(terms.b_numbers.shape, -np.inf)
        highest = np.full(terms.b_numbers.shape, np.inf)
        for p, name in enumerate(terms.numbers):
            if self.p is not None:
                width = int(self.p * len(terms.a_numbers) / 100)
            elif swapped and name in windows:
                width = int(windows[name])
            else:
                continue
            ranked = np.sort(terms.a_numbers[:, p])
            first = np.searchsorted(ranked, terms.b_numbers[:, p], side="left")
            last = np.searchsorted(ranked, terms.b_numbers[:, p], side="right") - 1
            lowest[:, p] = ranked[np.clip(first - width, 0, len(ranked) - 1)]
            highest[:, p] = ranked[np.clip(last + width, 0, len(ranked) - 1)]
        bounded = np.isfinite(lowest).any()
        return (lowest, highest) if bounded else None


def _within_groups(terms: Terms, known: Provenance, engine: Engine, linker: type[Linker]) -> Terms:
    """Add an attribute: the released centre, and for a record of A the centre it is nearest to."""
    places = [p for p, name in enumerate(terms.numbers) if name in known.attributes]
    if not places or known.labels is None or known.labels.ndim != 1:
        return terms
    centres, group = np.unique(terms.b_numbers[:, places], axis=0, return_inverse=True)
    group = np.asarray(group, dtype=np.int64).ravel()
    if len(centres) ** 2 > 25_000_000 or len(centres) < 2:
        return terms
    none = np.empty((len(centres), 0), dtype=np.int32)
    question = replace(
        terms,
        categories=(),
        numbers=tuple(terms.numbers[p] for p in places),
        a_codes=none,
        b_codes=np.empty((len(terms.a_numbers), 0), dtype=np.int32),
        a_numbers=np.ascontiguousarray(centres),
        b_numbers=np.ascontiguousarray(terms.a_numbers[:, places]),
        tables=(),
    )
    nearest: IntArray = link_by_terms(linker, question, question.numbers, engine).best
    table = np.where(np.eye(len(centres), dtype=np.bool_), 0.0, _ELSEWHERE)
    return replace(
        terms,
        categories=("", *terms.categories),
        a_codes=np.ascontiguousarray(np.column_stack([nearest, terms.a_codes]), dtype=np.int32),
        b_codes=np.ascontiguousarray(np.column_stack([group, terms.b_codes]), dtype=np.int32),
        tables=(table, *terms.tables),
    )
