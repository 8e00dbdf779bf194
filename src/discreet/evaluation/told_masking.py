"""What is known of a release that was read from a file, once somebody tells how it was masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from discreet import catalogue
from discreet.contracts.masked import Masked
from discreet.contracts.masker import Masker
from discreet.data.microdata import Microdata
from discreet.data.schema import Attribute
from discreet.data.table import StoredTable
from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.evaluation.stored_attack import gathered

__all__ = ["CanMask", "parse_masking", "told"]


class CanMask(Protocol):
    """A masker, or several in a chain."""

    def mask(self, data: Any, /) -> Masked:
        """Return what it makes of a table."""


def told(original: Microdata | StoredTable, release: Microdata | StoredTable, masking: CanMask) -> Masked:
    """Return a release with what follows for every record from the method, its parameters and the original.

    Parameters
    ----------
    original : Microdata or StoredTable
    release : Microdata or StoredTable
        As it was read; it need not be the draw that `masking` gives.
    masking : Masker or Chain
        How the release was made.

    Returns
    -------
    Masked
        The release with the windows, matrices, recodings and blocks of the method. They follow from the original and
        the parameters alone: the method is run once more, with draws of its own, and nothing that it drew is kept.

    Raises
    ------
    DataError
        Where a column holds what the method cannot have made of the original.
    """
    before, after = gathered("A linker that is told the masking", original, release)
    return _told(before, after, masking)


def _told(original: Microdata, release: Microdata, masking: CanMask) -> Masked:
    again = masking.mask(original)
    made = again.microdata.schema
    absent = [name for name in again.provenance.attributes if name in made and name not in release.schema]
    if absent:
        raise _not_made(again, absent[0], "the release lacks it")
    declared: list[Attribute] = []
    for attribute in release.schema:
        name = attribute.name
        if name in made and made[name].scale != attribute.scale:
            declared.append(
                replace(made[name], missing=tuple(dict.fromkeys([*made[name].missing, *attribute.missing])))
            )
    table = Microdata(release.to_native(), release.schema.replacing(*declared), origin=release.origin)
    for attribute in declared:
        try:
            table.encoded(attribute.name)
        except DiscreetError:
            raise _not_made(again, attribute.name, "it holds levels that the method does not release") from None
    labels = again.provenance.labels if len(release) == len(again) else None
    steps = tuple(replace(step, seed=None) for step in again.provenance.history)
    provenance = replace(again.provenance, rows=None, seed=None, labels=labels, n_records=len(release), history=steps)
    return Masked(table, provenance)


def _not_made(masked: Masked, name: str, why: str) -> DataError:
    return DataError(
        f"Column {name!r} is not what {masked.provenance.method} makes of the original with these parameters: {why}.",
        hint="Say how this file was masked.",
    )


def parse_masking(texts: Sequence[str], further: dict[str, str] | None = None) -> list[Masker]:
    """Read how a file was masked as a user types it: ``"rank-swapping p=10"``, one text a step.

    Parameters
    ----------
    texts : sequence of str
        A method's name, and its parameters as name=value, separated by blanks.
    further : dict of str to str, optional
        Parameters that were typed apart; of a single step.

    Examples
    --------
    >>> [one.label() for one in parse_masking(["top-coding share=0.1", "mdav k=5"])]
    ['top-coding(p=1, share=0.1)', 'mdav(k=5)']
    """
    if further and len(texts) > 1:
        raise ParameterError(
            f"Which of the {len(texts)} methods {', '.join(further)} belongs to is not said.",
            hint="Write it behind the method: --method 'mdav k=5'.",
        )
    maskers: list[Masker] = []
    for text in texts:
        name, typed = catalogue.split_typed(text, "A method is written 'rank-swapping p=10'")
        maskers.append(catalogue.build("masker", name, {**(further or {}), **typed}, typed=True))
    return maskers
