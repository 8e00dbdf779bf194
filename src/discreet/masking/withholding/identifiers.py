"""Identifiers: removed, or exchanged for fresh numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.contracts.plan import Plan, Scope
from discreet.data.block import Block
from discreet.data.keyed_draws import draws_of, fingerprint
from discreet.data.microdata import Microdata
from discreet.data.scales import EncodedSequences, Nominal
from discreet.data.scales.scale import hide_missing
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError
from discreet.parameters import Names, Optional, Seed
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Inquiry, Need
from discreet.typing import CodeArray, RandomState

__all__ = ["Identifiers", "renumber_together"]

_FEW = 34
"""Different values whose orders can be tried: 34! is the first beyond 128 bits."""


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
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("house", Nominal(["Abbey Road 3", "Elm Street 1"]), "identifier")])
    >>> homes = pl.DataFrame({"house": ["Elm Street 1", "Elm Street 1", "Abbey Road 3"]})
    >>> Identifiers(["house"], random_state=1).mask(homes, schema).to_native()["house"].to_list()
    ['2', '2', '1']
    """

    iso_20889: ClassVar[str] = "suppression: masking"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal", "sequence"})
    instead: ClassVar[str] = "remove them, and renumber in a smaller table"
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    renumbers: ClassVar[bool] = True
    replaces: ClassVar[bool] = True
    renumber: Sequence[str] | None = parameter(Optional(Names()), default=None, kw_only=False)
    remove: Sequence[str] | None = parameter(Optional(Names()), default=None)
    random_state: RandomState = parameter(Seed(), default=None)

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        for name in (*(self.renumber or ()), *(self.remove or ())):
            schema[name]
        both = set(self.renumber or ()) & set(self.remove or ())
        if both:
            raise ParameterError(f"Identifiers: {len(both)} attributes are to be renumbered and removed.")
        return schema.keys

    def _secret(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
        secret = {*(self.renumber or ()), *names}
        return tuple(name for name in schema.names if name in secret)

    @property
    def need(self) -> Need:  # type: ignore[override]
        """Fresh numbers are one mapping for all values; leaving columns out looks at no record."""
        return Need.ALL if self.renumber else Need.RECORD

    def inquire(self, scope: Scope) -> Inquiry[Plan]:
        if not any(a.role != "identifier" and a.name not in (self.remove or ()) for a in scope.schema):
            raise DataError("Identifiers: nothing would be left to release.")
        yield from ()
        return Plan(removed=tuple(self.remove or ()))

    def apply(self, plan: Plan, block: Block) -> dict[str, Any]:  # noqa: ARG002 - no value changes
        return {}

    def _mask_part(self, job: MaskingJob) -> Masking:
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
            declared.append(replace(attribute, scale=scale, role=role, missing=missing, household=False))
        few = [a.name for a in declared if len(a.scale) < _FEW]  # type: ignore[arg-type]
        notes = (
            f"Few values got fresh numbers ({', '.join(few)}): whoever has the seed can try every order of them, "
            "so keep the seed secret."
        )
        return Masking(
            values, attributes=tuple(declared), removed=tuple(self.remove or ()), notes=(notes,) if few else ()
        )


def renumber_together(
    tables: Mapping[str, Microdata], columns: Mapping[str, str], random_state: RandomState = None
) -> dict[str, Microdata]:
    """Exchange the same identifier in several tables for fresh numbers, by one mapping for all of them.

    Parameters
    ----------
    tables : mapping of str to Microdata
        By name, the tables that are joined by the identifier.
    columns : mapping of str to str
        By table, the column that holds it.
    random_state : int or numpy.random.Generator, optional

    Returns
    -------
    dict of str to Microdata
        The tables with numbers from 1 on, in random order, in place of the identifier, whose role becomes "other"
        where it was "identifier". Records that could be joined before can be joined after, and no others. A missing
        value stays missing. Values are compared as text, so that 7 and "7" are the same.

    Notes
    -----
    O(records + identifiers). The mapping is kept nowhere.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.schema import Attribute, Schema
    >>> key = Schema([Attribute("home", Nominal(("",)), "identifier")])
    >>> homes, people = pl.DataFrame({"home": ["a", "b"]}), pl.DataFrame({"home": ["b", "b", "a"]})
    >>> tables = {"homes": Microdata(homes, key), "people": Microdata(people, key)}
    >>> renumbered = renumber_together(tables, {"homes": "home", "people": "home"}, random_state=1)
    >>> [table.to_native()["home"].to_list() for table in renumbered.values()]
    [['1', '2'], ['2', '2', '1']]
    """
    encoded = {name: _coded_as_text(tables[name], columns[name]) for name in columns}
    # The order of first appearance must not show: numbers are drawn for all values of all tables at once.
    vocabulary = list(dict.fromkeys(word for _, words in encoded.values() for word in words))
    marks = fingerprint({name: _texts(codes, words) for name, (codes, words) in encoded.items()})
    draws = draws_of(random_state, marks, Identifiers.name)[1]
    fresh = dict(zip(vocabulary, draws.generator().permutation(len(vocabulary)).tolist(), strict=True))
    scale = Nominal(tuple(range(1, max(len(vocabulary), 1) + 1)))
    renumbered = dict(tables)
    for name, (codes, words) in encoded.items():
        column, table = columns[name], tables[name]
        attribute = table.schema[column]
        numbers = np.array([*(fresh[word] for word in words), -1], dtype=np.int32)[codes]
        role = "other" if attribute.role == "identifier" else attribute.role
        missing = tuple(code for code in attribute.missing if code not in scale.levels)
        renumbered[name] = table.replacing(
            {column: numbers}, replace(attribute, scale=scale, role=role, missing=missing, household=False)
        )
    return renumbered


def _coded_as_text(table: Microdata, column: str) -> tuple[CodeArray, list[str]]:
    """Return a code for every record, −1 where it is missing, and the words that the codes stand for."""
    values = hide_missing(table.column(column), table.schema[column].missing).dictionary_encode()
    codes = np.asarray(values.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int32)
    words = [_word(value) for value in values.dictionary.to_pylist()]
    return codes, words


def _texts(codes: CodeArray, words: list[str]) -> Any:
    """Return the identifier of every record as bytes, for the fingerprint of the column."""
    return np.array([*(b"=" + word.encode() for word in words), b""], dtype=object)[codes]


def _word(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
