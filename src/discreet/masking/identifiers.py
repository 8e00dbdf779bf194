"""Identifiers: removed, or exchanged for fresh numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from discreet.base import Masker, Masking, MaskingJob, register
from discreet.errors import DataError, ParameterError
from discreet.parameters import Constraint, Names, Optional, Seed
from discreet.scales import EncodedSequences, Nominal
from discreet.schema import Schema
from discreet.typing import RandomState

__all__ = ["Identifiers"]


@register("identifiers")
class Identifiers(Masker):
    """The table without its identifiers, or with fresh numbers in their place; nothing else is changed.

    Keeps everything else, keys included: alone it protects from nobody who knows the keys, and is the baseline that
    every other method is measured against.

    Parameters
    ----------
    renumber : list of str, optional
        Identifiers (or other attributes) to exchange for numbers from 1 on, in random order: equal values get the same
        number, so that members of one household stay together. They are released in the role "other".
    remove : list of str, optional
        Further attributes to leave out.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    O(n log n). A missing value stays missing. Every other identifier is left out, as by every masker.

    References
    ----------
    Willenborg and de Waal (2001), Elements of Statistical Disclosure Control.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute("house", Nominal(["Abbey Road 3", "Elm Street 1"]), "identifier")])
    >>> homes = pl.DataFrame({"house": ["Elm Street 1", "Elm Street 1", "Abbey Road 3"]})
    >>> Identifiers(["house"], random_state=0).mask(homes, schema).to_native()["house"].to_list()
    ['2', '2', '1']
    """

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal", "sequence"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "renumber": Optional(Names()),
        "remove": Optional(Names()),
        "random_state": Seed(),
    }

    def __init__(
        self,
        renumber: Sequence[str] | None = None,
        *,
        remove: Sequence[str] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.renumber = renumber
        self.remove = remove
        self.random_state = random_state

    def _names(self, schema: Schema) -> tuple[str, ...]:
        for name in (*(self.renumber or ()), *(self.remove or ())):
            schema[name]
        both = set(self.renumber or ()) & set(self.remove or ())
        if both:
            raise ParameterError(f"Identifiers: {len(both)} attributes are to be renumbered and removed.")
        return schema.keys

    def _mask(self, job: MaskingJob) -> Masking:
        left = [a.name for a in job.schema if a.role != "identifier" and a.name not in (self.remove or ())]
        if not left and not self.renumber:
            raise DataError("Identifiers: nothing would be left to release.")
        values: dict[str, Any] = {}
        declared = []
        for name in self.renumber or ():
            encoded = job.microdata.encoded(name)
            if isinstance(encoded, EncodedSequences):
                raise ParameterError(f"Identifiers: renumber must not name a sequence; {name!r} is one.")
            absent = encoded < 0 if encoded.dtype.kind == "i" else np.isnan(encoded)
            places = np.unique(encoded[~absent], return_inverse=True)[1].ravel()
            size = int(places.max(initial=-1)) + 1
            fresh = np.full(len(encoded), -1, dtype=np.int32)
            fresh[~absent] = job.rng.permutation(size)[places]
            values[name] = fresh
            attribute = job.schema[name]
            role = "other" if attribute.role == "identifier" else attribute.role
            scale = Nominal(tuple(range(1, max(size, 1) + 1)))
            missing = tuple(code for code in attribute.missing if code not in scale.levels)
            declared.append(replace(attribute, scale=scale, role=role, missing=missing))
        return Masking(values, attributes=tuple(declared), removed=tuple(self.remove or ()))
