"""Pseudonyms: identifiers exchanged for what only the holder of a key can compute, the same in every delivery."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal
from discreet.data.scales.scale import hide_missing
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.withholding.pseudonym_key import KeyFile, PseudonymKey
from discreet.parameters import AnyOf, ByName, Flag, Integer, Names, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.typing import CodeArray

__all__ = ["Pseudonyms", "pseudonyms_together", "revealed"]

_RARE = 1e-6
"""The chance of two values with one pseudonym that is put up with, in one table; there are other deliveries too."""


@register("pseudonyms")
class Pseudonyms(Masker):
    """Identifiers exchanged for keyed pseudonyms: the same person has the same one in every delivery and table.

    Keeps who is equal to whom, over deliveries and tables: that is its purpose, and all that it protects is the way
    back from a pseudonym to the identifier. Keys and other attributes are released as they are.

    Parameters
    ----------
    exchange : list of str
        What to exchange: identifiers, which are released in the role "other", or other attributes.
    key : path or PseudonymKey
        The file that ``discreet key new FILE`` made, readable by its owner alone. Nothing of it is released.
    domain : str or dict of str to str, optional
        Of what kind the identifiers are. Columns with one domain and one key have the same pseudonyms, so that tables
        stay joined; those of two domains cannot be joined. By default a column's name is its domain.
    reversible : bool
        Whether whoever holds the key can turn a pseudonym back (AES-SIV; extra ``pseudonyms``).
    length : int
        Characters of a pseudonym that cannot be turned back, five bits each.

    Notes
    -----
    HMAC-SHA-256 under a key of the domain. Values are compared as text: 7 and "7" are one person. Two values with one
    pseudonym are refused, and so is a length at which that is likelier than one in a million. Without the key nobody
    can try identifiers one by one, however few there are; with it everybody can, so who has the key has the
    identifiers. A missing value stays missing. O(n) and a hash for every different value.

    References
    ----------
    Krawczyk, Bellare and Canetti (1997), RFC 2104; Rogaway and Shrimpton (2006), RFC 5297.

    Examples
    --------
    >>> import polars as pl
    >>> patients = pl.DataFrame({"patient": ["ann", "bob", "ann"]})
    >>> schema = Schema([Attribute("patient", Nominal(("",)), "identifier")])
    >>> method = Pseudonyms(["patient"], key=PseudonymKey(bytes(32)), length=12)
    >>> method.fit_transform(patients, schema=schema)["patient"].to_list()
    ['2ssbe0pz48d9', 'ka2x9eyyxyvb', '2ssbe0pz48d9']
    """

    iso_20889: ClassVar[str] = "pseudonymisation"
    scales: ClassVar[frozenset[str]] = frozenset({"nominal"})
    instead: ClassVar[str] = "exchange them in a smaller table"
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    renumbers: ClassVar[bool] = True
    replaces: ClassVar[bool] = True
    exchange: Sequence[str] | None = parameter(Optional(Names()), default=None, kw_only=False)
    key: str | os.PathLike[str] | PseudonymKey | None = parameter(KeyFile(), default=None)
    domain: str | Mapping[str, str] | None = parameter(
        Optional(AnyOf(ByName(Text("a name")), Text("a name"))), default=None
    )
    reversible: bool = parameter(Flag(), default=False)
    length: int = parameter(Integer(8, 51), default=20)

    @classmethod
    def examples(cls) -> list[Self]:
        key = PseudonymKey(bytes(range(32)))
        return [cls(["fuel"], key=key), cls(["fuel"], key=key, domain="battery", reversible=True)]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        if self.exchange is None:
            raise ParameterError("Pseudonyms: exchange must name what is to be exchanged.")
        if self.key is None:
            raise ParameterError("Pseudonyms: key must be the path of a key file.", hint="discreet key new FILE")
        for name in self.exchange:
            if schema[name].scale.kind == "sequence":
                raise ParameterError(f"Pseudonyms: exchange must not name a sequence; {name!r} is one.")
        named = self.domain if isinstance(self.domain, Mapping) else {}
        strangers = [name for name in named if name not in self.exchange]
        if strangers:
            raise ParameterError(f"Pseudonyms: domain names {strangers[0]!r}, which is not exchanged.")
        return tuple(name for name in schema.names if name in self.exchange)

    def _mask_part(self, job: MaskingJob) -> Masking:
        key = self.key if isinstance(self.key, PseudonymKey) else PseudonymKey.load(self.key)  # type: ignore[arg-type]
        values, declared = {}, []
        for name in job.names:
            domain = self._domain(name)
            values[name], attribute = _exchanged(job.microdata, name, key, domain, self.reversible, self.length)
            declared.append(attribute)
        domains = sorted({self._domain(name) for name in job.names})
        equal = "Who is equal to whom shows, in this file, in every other delivery and in every table with the same key"
        notes = (
            f"{equal} and domain ({', '.join(domains)}): records of one person can be linked, which is the purpose.",
            "Who holds the key can turn pseudonyms back into identifiers."
            if self.reversible
            else "Who holds the key can compute the pseudonym of any identifier, and so find a person.",
        )
        return Masking(values, attributes=tuple(declared), notes=notes, details={"domains": domains})

    def _domain(self, name: str) -> str:
        if isinstance(self.domain, Mapping):
            return self.domain.get(name, name)
        return name if self.domain is None else self.domain


def _exchanged(
    table: Microdata, name: str, key: PseudonymKey, domain: str, reversible: bool, length: int
) -> tuple[CodeArray, Attribute]:
    """Return a column's pseudonyms as codes, and how it is declared then."""
    attribute = table.schema[name]
    if attribute.role != "identifier":
        table.encoded(name)  # what is declared with levels holds no others
    column = hide_missing(table.column(name), attribute.missing).dictionary_encode()
    words = [_word(value) for value in column.dictionary.to_pylist()]
    different = len(set(words))
    if not reversible and different * (different - 1) / 2 > _RARE * 2.0 ** (5 * length):
        raise ParameterError(
            f"Pseudonyms: length must be larger for {different} different values of {name!r}; got {length}.",
            hint="Two persons could come to share a pseudonym; 20 characters are enough for a thousand million.",
        )
    sealed = {w: key.seal(domain, w) if reversible else key.pseudonym(domain, w, length) for w in dict.fromkeys(words)}
    levels = sorted(set(sealed.values()))  # in an order that tells nothing
    if len(levels) < different:
        raise DataError(
            f"Pseudonyms: {different - len(levels)} of {different} values of {name!r} share a pseudonym with another.",
            hint="Use a larger length, in all deliveries.",
        )
    place = {level: code for code, level in enumerate(levels)}
    codes = np.array([*(place[sealed[word]] for word in words), -1], dtype=np.int32)
    indices = np.asarray(column.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)
    scale = Nominal(tuple(levels) if levels else ("",))
    missing = tuple(code for code in attribute.missing if code not in scale.levels)
    role = "other" if attribute.role == "identifier" else attribute.role
    return codes[indices], replace(attribute, scale=scale, role=role, missing=missing)


def _word(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def pseudonyms_together(
    tables: Mapping[str, Microdata],
    columns: Mapping[str, str],
    key: PseudonymKey,
    domain: str,
    *,
    reversible: bool = False,
    length: int = 20,
) -> dict[str, Microdata]:
    """Exchange the same identifier in several tables for pseudonyms of one domain, so that they stay joined.

    Parameters
    ----------
    tables : mapping of str to Microdata
    columns : mapping of str to str
        By table, the column that holds the identifier.
    key : PseudonymKey
    domain : str
    reversible, length
        As for :class:`Pseudonyms`.

    Notes
    -----
    O(records + identifiers). Records that could be joined before can be joined after, and no others.
    """
    exchanged = dict(tables)
    for name, column in columns.items():
        codes, attribute = _exchanged(tables[name], column, key, domain, reversible, length)
        exchanged[name] = tables[name].replacing({column: codes}, attribute)
    return exchanged


def revealed(table: Microdata, column: str, key: PseudonymKey, domain: str | None = None) -> Microdata:
    """Turn the pseudonyms of a column back into identifiers: for who holds the key, of reversible ones.

    Raises
    ------
    DataError
        Some are no pseudonyms of this key and domain; how many is said, and none is turned back.
    """
    words = hide_missing(table.column(column), table.schema[column].missing).dictionary_encode()
    pseudonyms = [str(value) for value in words.dictionary.to_pylist()]
    identifiers = [key.reveal(column if domain is None else domain, pseudonym) for pseudonym in pseudonyms]
    strange = identifiers.count(None)
    if strange:
        raise DataError(
            f"{strange} of {len(identifiers)} different values of {column!r} cannot be turned back with this key.",
            hint="Is it the right key and domain, and were they made with reversible?",
        )
    levels = [word for word in identifiers if word is not None]
    codes = np.asarray(words.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int32)
    scale = Nominal(tuple(levels) if levels else ("",))
    return table.replacing({column: codes}, replace(table.schema[column], scale=scale, role="identifier", missing=()))
