"""Linkage by an intruder who knows how the file was masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Self

from discreet.contracts.estimator import register
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.measure import Measure, Pair
from discreet.contracts.measurement import Measurement
from discreet.errors import DataError
from discreet.linkage.shared.masking_aware import MaskingAwareLinkage
from discreet.parameters import Names, Number, Optional
from discreet.parameters.declaration import parameter

__all__ = ["MaskingAwareLinkageRisk"]


@register("masking-aware-linkage")
class MaskingAwareLinkageRisk(Measure):
    """Share of records that an intruder links correctly who knows the method and its parameters, in percent.

    A method must be safe though everybody knows it. He leaves out what it cannot have made: levels that do not become
    each other, ranks beyond the window of a swapping, records nearer to the centre of another group, and columns that
    were left alone.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key.
    p : float, optional
        The window of a rank swapping in percent, where the release does not bring its provenance.

    Notes
    -----
    The cost of :class:`~discreet.linkage.shared.masking_aware.MaskingAwareLinkage`; every released record is asked
    whose it is, ties shared. A release in memory brings how it was masked; that of a file is told by ``--method``,
    ``--protocol`` or the manifest beside it. Of a method that rules nothing out there is nothing to know, and distance
    and combined linkage stand. It needs all records at once: windows and centres are those of the whole file.

    References
    ----------
    Domingo-Ferrer and Torra (2002), section 3.4; Nin, Herranz and Torra (2008), rethinking rank swapping.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}), pl.DataFrame({"x": [2.0, 1.0, 4.0, 3.0]})
    >>> MaskingAwareLinkageRisk(p=25).measure(a, b).value  # every value is taken for its own
    0.0
    """

    kind: ClassVar[str] = "risk"
    keys_only: ClassVar[bool] = True
    title: ClassVar[str] = "Re-identified by masking-aware linkage"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    formula: ClassVar[str] = "100 · correct links among what the method can have made / n"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2002; Nin, Herranz and Torra 2008"
    in_headline: ClassVar[bool] = True
    knows_masking: ClassVar[bool] = True
    needs_numbers: ClassVar[bool] = True
    instead: ClassVar[str] = "Windows and centres are those of the whole file. Take it of a sample of the records."
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    p: float | None = parameter(Optional(Number(0, 100, open_low=True)), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(p=100)]

    def is_told(self, provenance: Provenance | None) -> bool:
        return self.p is not None or (provenance is not None and bool(provenance.attributes))

    def _measure(self, pair: Pair) -> Measurement:
        provenance = pair.provenance
        if provenance is None and self.p is None:
            raise DataError(
                "How the file was masked is not known here, so nobody was played who knows it; a release in memory, "
                "--method, --protocol or a manifest beside the file tells it.",
            )
        if self.p is None and provenance is not None and not _rules_out(provenance, pair.declared):
            raise DataError(f"Knowing {provenance.method} rules nothing out, so it finds what the distance finds.")
        release = pair.masked if provenance is None else Masked(pair.masked, replace(provenance, rows=None))
        linker = MaskingAwareLinkage(attributes=pair.names, p=self.p)
        links = linker.link(pair.original, release, engine=pair.engine, second=False)
        result = links.evaluate()
        value = 100.0 * result.rate
        low, high = result.interval()
        keys = "1 true key" if len(pair.declared) == 1 else f"{len(pair.declared)} true keys"
        sentence = (
            f"An intruder who knows {keys} of everybody and how the file was masked re-identifies about "
            f"{result.expected:.0f} of {result.n} records ({value:.1f} %); guessing finds {result.chance:.0f}."
        )
        emptied = [name for name in pair.declared if name not in links.attributes]
        if emptied:
            sentence += f" He leaves out what is missing in every released record: {', '.join(emptied)}."
        details = {
            "known": list(pair.declared),
            **({"emptied": emptied} if emptied else {}),
            "percent": value,
            "expected": result.expected,
            "optimistic": result.optimistic,
            "pessimistic": result.pessimistic,
            "n": result.n,
            "chance_percent": 100.0 * result.chance / result.n,
            "interval_percent": [100.0 * low, 100.0 * high],
        }
        return self.result(value, sentence, details=details)


def _rules_out(provenance: Provenance, names: Sequence[str]) -> bool:
    """Say whether the linker can use something of what is known."""
    if not provenance.attributes:
        return False  # nothing is said of what was masked
    windows = provenance.details.get("window", {})
    return (
        provenance.labels is not None
        or provenance.grouped is not None
        or any(name in provenance.transitions or name in windows or name not in provenance.attributes for name in names)
    )
