"""The contract of a masker: original to masked, checked at one door and released in one way."""

from __future__ import annotations

import json
from abc import ABC
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from discreet.contracts.chained_provenance import masked_again, table_to_mask
from discreet.contracts.engine import Engine, TableEngine
from discreet.contracts.estimator import one_of
from discreet.contracts.masked import Masked
from discreet.contracts.transformer import Transformer
from discreet.data.guarantees import Guarantee
from discreet.data.inferring.looking import strays_among_numbers
from discreet.data.keyed_draws import Stream, generator_of
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical
from discreet.data.schema import Attribute, Schema
from discreet.data.table import StoredTable, Target
from discreet.errors import DataError, ParameterError, SchemaError, door
from discreet.plain import plain
from discreet.statistics.question import Inquiry, Need
from discreet.stopping import stoppable
from discreet.typing import BoolArray, FloatArray, IntArray, Json

if TYPE_CHECKING:
    from discreet.contracts.plan import Plan, Scope, Stage
    from discreet.contracts.run_masker import Written
    from discreet.data.block import Block as Table
    from discreet.statistics.census import Extent

__all__ = ["Masker", "Masking", "MaskingJob", "MasksTables", "notes_on_missing", "plain_parameters"]


@dataclass(frozen=True, repr=False)
class MaskingJob:
    """What a masker's own code is given: a checked table, the attributes to mask, draws and an engine."""

    microdata: Microdata
    names: tuple[str, ...]
    stream: Stream
    engine: Engine

    @property
    def rng(self) -> np.random.Generator:
        """Draws of this job, one after the other."""
        return generator_of(self.stream)

    @property
    def schema(self) -> Schema:
        """The table's schema."""
        return self.microdata.schema

    @property
    def numeric(self) -> tuple[str, ...]:
        """The numeric attributes to mask."""
        return self.schema.of_scale("numeric", among=self.names)

    @property
    def weights(self) -> FloatArray | None:
        """The survey weights, or None where the schema has none."""
        return self.microdata.weights()


@dataclass(frozen=True, repr=False)
class Masking:
    """What a masker's own code gives back: new encoded values by attribute, and how they came about.

    Attributes
    ----------
    values : dict of str to array
        New values of every record, encoded on the scale of the released declaration.
    labels : (n,) or (n, blocks) int64, optional
        The group of every record; one column a block where attributes were grouped block by block.
    transitions : dict of str to bool matrix
        See :class:`discreet.contracts.masked.Provenance`.
    attributes : tuple of Attribute
        Declarations that the release needs because levels or roles changed.
    removed : tuple of str
        Attributes that are left out of the release.
    rows : (m,) int64, optional
        The records that are released, in this order; by default all, in their order.
    details, notes
        For the provenance.
    shared : tuple of tuples of str
        Where the method forms groups, the sets of attributes whose combinations at least k records share; by default
        all that are masked together.
    promises : tuple of Guarantee
        What the release promises besides, known only once the records were seen.
    """

    values: Mapping[str, Any]
    labels: IntArray | None = None
    transitions: Mapping[str, BoolArray] = field(default_factory=dict)
    attributes: tuple[Attribute, ...] = ()
    removed: tuple[str, ...] = ()
    rows: IntArray | None = None
    details: Json = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    shared: tuple[tuple[str, ...], ...] = ()
    promises: tuple[Guarantee, ...] = ()


def _is_held_for_a_code(attribute: Attribute) -> bool:
    """Say whether numbers would be averaged that inference holds for something else, and nobody declared."""
    inferred = attribute.inferred
    if inferred is None or "scale" not in inferred.parts or not inferred.holds_for:
        return False
    return attribute.scale.kind == "numeric"


def holds_whole_numbers(attribute: Attribute) -> bool:
    """Say whether numbers were inferred to be categories, which somebody may know to be quantities."""
    inferred, scale = attribute.inferred, attribute.scale
    if inferred is None or "scale" not in inferred.parts or not isinstance(scale, Categorical):
        return False
    return all(type(level) is int for level in scale.levels)


def stray_texts(attribute: Attribute) -> int:
    """Return how many different texts stand in a column that holds numbers but for them; 0 where it is not one.

    Inference takes such a column for text, and a method for numbers would pass it over.

    Examples
    --------
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Inferred
    >>> wages = Nominal([str(wage) for wage in range(900, 990)] + ["n. a. (ill)"])
    >>> stray_texts(Attribute("wage", wages, "key", inferred=Inferred(("scale",))))
    1
    >>> stray_texts(Attribute("wage", wages, "key"))  # somebody said that these are levels
    0
    """
    inferred, scale = attribute.inferred, attribute.scale
    if inferred is None or "scale" not in inferred.parts or not isinstance(scale, Categorical):
        return 0
    return strays_among_numbers([level for level in scale.levels if isinstance(level, str)])


@runtime_checkable
class MasksTables(Protocol):
    """What masks as a masker does: a masker, one for each unit, or several in a chain."""

    def get_params(self, *, deep: bool = True) -> dict[str, Any]:
        """Return what it was made with."""

    def mask(
        self, data: Any, schema: Schema | None = None, *, engine: Engine | None = None, block_size: int | None = None
    ) -> Masked:
        """Protect a table."""

    def mask_into(self, source: Any, target: Any, engine: Any, block_size: int | None = None) -> Written:
        """Protect a table in files."""


class Masker(Transformer, ABC):
    """Original to masked.

    Subclasses set `scales` (the kinds of scale they mask), `perturbative` (whether values may become untrue),
    `handles_missing` and `need`. `attributes`, `strata` and `random_state`, where a subclass has them, mean the same
    everywhere: which attributes to mask (default: every key on a scale the method masks), within whose combinations,
    and where draws come from.

    What a subclass writes follows from its need. A record by itself, or its place in an order: ``inquire``, which asks
    for statistics of the whole table and returns a plan, and ``apply``, which changes any records by the plan; nothing
    more is needed for any size. Records that meet: ``_mask_part``, the method on records all of which meet, and, for
    tables larger than that, ``inquire`` with ``stages``, which bring parts of them together, or with ``apply``. All
    at once: ``_mask_part`` alone.
    """

    contract: ClassVar[str] = "masker"
    need: ClassVar[Need] = Need.ALL
    """What the method must bring together."""
    instead: ClassVar[str] = "mask a sample of the records"
    """What a user is told to do where a table is too large for a method that needs all records."""
    scales: ClassVar[frozenset[str]]
    iso_20889: ClassVar[str] = ""
    """The class of ISO/IEC 20889 that the technique belongs to, and its name there where it has one."""
    perturbative: ClassVar[bool] = True
    handles_missing: ClassVar[bool] = False
    groups: ClassVar[bool] = False
    """Whether the method forms groups of at least ``k`` records, and promises that they are equal in the release."""
    counts_keys: ClassVar[bool] = False
    """Whether the method promises something of records with equal keys, so that missing cells must be written alike."""
    recounts: ClassVar[bool] = False
    """Whether what is promised is counted again on a release in memory, as it always is on a written file."""
    makes_numbers: ClassVar[bool] = False
    """Whether numbers are released that were not in the column, so that they have to be rounded to its digits."""
    touches_all: ClassVar[bool] = True
    """Whether every cell is made anew; where not, cells that stay as they are keep all their digits."""
    reorders: ClassVar[bool] = False
    """Whether a record's place in the release never says anything about its place in the original."""
    replaces: ClassVar[bool] = False
    """Whether identifiers, or places, are replaced by what is none, so that the column need not be left out."""
    renumbers: ClassVar[bool] = False
    """Whether fresh numbers stand for the values of a column, one for one: who is equal to whom stays as it is."""
    later: ClassVar[frozenset[str]] = frozenset()
    """Parameters that the method got later: where one has its default, a seed draws what it always drew."""

    def moves_records(self) -> bool:
        """Say whether, with these parameters, a record's place in the release says nothing about the original."""
        return self.reorders

    # ------------------------------------------------------------------------------------------ what methods write

    def inquire(self, scope: Scope) -> Inquiry[Plan]:
        """Ask questions of the table, or of one of its strata, and return the plan."""
        raise NotImplementedError

    def apply(self, plan: Any, block: Table) -> Mapping[str, Any]:
        """Return new encoded values of the masked attributes for any records, as the plan says."""
        raise NotImplementedError

    def stages(self, plan: Any) -> tuple[Stage, ...]:  # noqa: ARG002 - for methods on records that meet
        """Return in which parts records are brought together, one stage after the other; none: ``apply`` is enough."""
        return ()

    def columns(self, scope: Scope) -> tuple[str, ...]:
        """Return the attributes that the stages need."""
        return (*scope.names, *([scope.weight] if scope.weight else []))

    def chosen_numbers(self, name: str) -> tuple[float, ...]:  # noqa: ARG002 - for methods whose user chooses some
        """Return the numbers that the user chose and that may be released of a column: a threshold, a base."""
        return ()

    def limits(self, name: str) -> tuple[float, float] | None:  # noqa: ARG002 - for methods that keep to bounds
        """Return between what numbers of a column must lie in the release; None where nothing says so."""
        return None

    def _mask_part(self, job: MaskingJob) -> Masking:
        """Mask a checked table, or one of its strata, all of whose records meet."""
        raise NotImplementedError

    # -------------------------------------------------------------------------------------------------------- door

    @door
    @stoppable()
    def mask(
        self, data: Any, schema: Schema | None = None, *, engine: Engine | None = None, block_size: int | None = None
    ) -> Masked:
        """Protect a table.

        Parameters
        ----------
        data : Microdata, Masked or table
            Any that :func:`~discreet.microdata` takes. Never changed. A release that is masked again keeps the record
            of what was done to it before.
        schema : Schema, optional
            For a plain frame; without it the inferred proposal is taken.
        engine : Engine, optional
            Where blocks are run; this process by default. The release does not depend on it.
        block_size : int, optional
            The most records that are brought together; by default all may be. The release of a method on records that
            meet depends on it.

        Returns
        -------
        Masked
            The table to release, of the same kind, with its provenance. Identifiers are left out of it.
        """
        from discreet.contracts.run_masker import run_masker

        self.check_parameters()
        masked = run_masker(self, table_to_mask(type(self).__name__, data, schema), engine, block_size)
        assert isinstance(masked, Masked)  # noqa: S101 - for the type checker: a table in memory
        self.labels_ = masked.labels
        self.details_ = masked.provenance.details
        return masked_again(data, masked)

    @door
    @stoppable()
    def mask_into(
        self, source: StoredTable, target: Target, engine: TableEngine, block_size: int | None = None
    ) -> Written:
        """Protect a table in files, which may be larger than memory, and write the release.

        Parameters
        ----------
        source : StoredTable
            Never changed.
        target : Target
            Written whole or not at all, in the order of the source.
        engine : TableEngine
            The release does not depend on it.
        block_size : int, optional
            The most records that are brought together; by default all may be, and a method that needs them together
            holds the table in memory.

        Returns
        -------
        provenance : Provenance
            Without labels and counts of changed cells, which would need another pass.
        schema : Schema
            Of the release.
        """
        from discreet.contracts.run_masker import Written, run_masker

        written = run_masker(self, source, engine, block_size, target)
        assert isinstance(written, Written)  # noqa: S101 - for the type checker: a table in files
        return written

    def _purpose(self, names: tuple[str, ...]) -> str:
        """Return what the draws are for: the method with its parameters, on these columns in this order.

        Two releases of one table with one seed then share no draw. With the same noise at two levels, say, the original
        would be a sum of the two.
        """
        signature = self.signature()
        unused = {name for name in self.later if getattr(self, name) == signature[name].default}
        apart = {"random_state", "attributes", *unused}
        parameters = {name: plain(value) for name, value in self.get_params(deep=False).items() if name not in apart}
        return json.dumps(
            {"method": self.name, "columns": names, **_as_typed(parameters)}, sort_keys=True, default=repr
        )

    def _secret(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG002 - some look at it
        """Return the attributes whose original values an intruder must not be able to find out by drawing again."""
        return names

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        """Return the attributes to mask, strata left out."""
        owner, strata = type(self).__name__, getattr(self, "strata", None)
        names = self._maskable(schema)
        if strata is None:
            return names
        for name in strata:
            if schema[name].scale.kind not in {"ordinal", "nominal"}:
                raise ParameterError(f"{owner}: strata must be categorical; {name!r} is {schema[name].scale.kind}.")
        masked = tuple(name for name in names if name not in strata)
        named = getattr(self, "attributes", None) is not None
        if not masked or (named and len(masked) < len(names)):
            raise ParameterError(f"{owner}: strata must not be masked; {len(names) - len(masked)} of them would be.")
        return masked

    def _maskable(self, schema: Schema) -> tuple[str, ...]:
        owner, attributes = type(self).__name__, getattr(self, "attributes", None)
        if attributes is not None:
            for name in attributes:
                kind = schema[name].scale.kind
                if schema[name].role == "identifier" and schema[name].inferred is not None and not self.renumbers:
                    raise ParameterError(
                        f"{owner}: attribute {name!r} is an identifier, as inferred from its name and values, and "
                        "identifiers are not released.",
                        hint="Leave it out of attributes, or declare what it is (--keys, --numeric, a schema).",
                    )
                if kind not in self.scales:
                    if "numeric" in self.scales:
                        self._refuse_strays(schema, (name,))
                    raise ParameterError(
                        f"{owner}: attribute {name!r} is {kind}; the method masks {one_of(self.scales)} attributes.",
                        hint="Leave it out of attributes, or use another method for it."
                        if "numeric" not in self.scales or not holds_whole_numbers(schema[name])
                        else f"Its whole numbers are held for codes; where they are quantities, declare it numeric "
                        f"(--numeric {name}, or a schema).",
                    )
            names = tuple(name for name in schema.names if name in attributes)
            self._refuse_codes(schema, names if self.makes_numbers else ())
            return names
        if not schema.keys:
            raise SchemaError(
                f"{owner}: the schema names no key.",
                hint='Give role = "key" to what an intruder may know, or pass attributes.',
            )
        names = schema.of_scale(*self.scales, among=schema.keys)
        if "numeric" in self.scales and "nominal" not in self.scales:
            # A key that somebody named as one is not passed over because of a slip in a cell.
            declared = [a.name for a in schema if a.role == "key" and a.inferred and "role" not in a.inferred.parts]
            self._refuse_strays(schema, declared)
        if not names:
            raise SchemaError(
                f"{owner}: none of the {len(schema.keys)} keys is {one_of(self.scales)}.",
                hint="Use a method for the scales you have, or declare other keys.",
            )
        self._refuse_codes(schema, names)
        return names

    def _refuse_codes(self, schema: Schema, names: Iterable[str]) -> None:
        """Refuse numbers that inference holds for codes: naming them does not make them quantities, a scale does."""
        held = [name for name in names if _is_held_for_a_code(schema[name])]
        if held:
            raise ParameterError(
                f"{type(self).__name__}: nobody said that the numbers of {', '.join(map(repr, held))} are quantities, "
                "and they may be codes, weights or numbers of persons.",
                hint="Declare them numeric or nominal (--numeric, --nominal), or name others to mask in attributes.",
            )

    def _refuse_strays(self, schema: Schema, names: Iterable[str]) -> None:
        """Refuse columns of numbers with a few texts among them, which nobody declared to be anything."""
        for name in names:
            strays = stray_texts(schema[name])
            if strays:
                values = f"{strays} of its {len(getattr(schema[name].scale, 'levels', ()))} different values"
                raise ParameterError(
                    f"{type(self).__name__}: column {name!r} would not be masked: {values} "
                    f"{'is' if strays == 1 else 'are'} no number, so it was taken for text.",
                    hint='Correct what is none, or list it as a missing code (in a schema, scale = "numeric" and '
                    f"missing = […]); where all of them are levels, say so (--nominal {name}).",
                )

    def guarantees(
        self, schema: Schema, names: tuple[str, ...], shared: tuple[tuple[str, ...], ...] = ()
    ) -> tuple[Guarantee, ...]:
        """Return what a release promises in which `names` were masked and the combinations `shared` are shared."""
        if not self.groups:
            return ()
        return tuple(self._guarantee(schema, combination) for combination in shared or (names,))

    def _guarantee(self, schema: Schema, combination: tuple[str, ...]) -> Guarantee:
        return Guarantee(
            method=self.name,
            attributes=tuple(combination),
            k=self.k,  # type: ignore[attr-defined]
            strata=tuple(getattr(self, "strata", None) or ()),
            wildcard=getattr(self, "missing", None) == "wildcard",
            missing={name: schema[name].missing for name in combination if schema[name].missing},
        )

    def unmasked_classes(self) -> tuple[str, ...]:
        """Return the attributes that the method leaves as they are, but within which it promises groups."""
        return tuple(getattr(self, "strata", None) or ()) if self.groups or self.counts_keys else ()

    def _check_table(self, schema: Schema, n: int) -> None:
        """Refuse what the schema and the number of records tell, in memory and in files alike."""
        owner = type(self).__name__
        if n < 2:
            raise DataError(f"{owner}: the table has {n} records; masking needs at least 2.")
        if self.groups and n < self.k:  # type: ignore[attr-defined]
            raise ParameterError(
                f"{owner}: k must be at most the number of records, {n}; got {self.k}.",  # type: ignore[attr-defined]
                hint="Use a smaller k.",
            )
        optional = "weighted" in self.signature() and self.signature()["weighted"].default is False
        if optional and self.weighted and schema.weight is None:  # type: ignore[attr-defined]
            raise ParameterError(f"{owner}: weighted needs a survey weight.", hint='Declare one with role = "weight".')

    def _check_strata(self, sizes: Sequence[int]) -> None:
        """Refuse strata that are too small for the method's groups."""
        if not self.groups:
            return
        k: int = self.k  # type: ignore[attr-defined]
        small = sum(size < k for size in sizes)
        if small:
            raise ParameterError(
                f"{type(self).__name__}: k must be at most the number of records of every stratum; "
                f"{small} of {len(sizes)} strata have fewer than {k}.",
                hint="Merge strata, or use a smaller k.",
            )

    def _fewest(self) -> int:
        """Return among how many values of a column, in every stratum, the method can hide one; 0: needs none."""
        return 0

    def _check_values(self, names: tuple[str, ...], extents: Sequence[Extent]) -> tuple[str, ...]:
        """Refuse columns with too few values in a stratum, and return notes on those that do not vary there.

        `extents` holds one entry a stratum, or one for the table.
        """
        owner, fewest = type(self).__name__, self._fewest()
        stratified = getattr(self, "strata", None) is not None
        for name in names:
            counts = [extent.columns[name].present for extent in extents]
            small = sum(0 < count < fewest for count in counts)
            if small and len(counts) == 1:
                raise DataError(
                    f"{owner}: {name!r} has {counts[0]} values; it takes {fewest} to hide one among the others.",
                    hint="Leave the column out of the release, or protect it in another way.",
                )
            if small:
                raise DataError(
                    f"{owner}: {name!r} has values, but fewer than {fewest}, in {small} of {len(counts)} strata, so "
                    "that none is hidden among the others.",
                    hint="Merge strata, or leave the column out of attributes and protect it in another way.",
                )
        if self.makes_numbers:
            return ()
        where = " in {} of {} strata" if stratified else ""
        still = {name: sum(_is_still(extent, name) for extent in extents) for name in names}
        return tuple(
            f"{name} does not vary{where.format(count, len(extents))}; nothing of it is hidden there."
            for name, count in still.items()
            if count
        )


def _is_still(extent: Extent, name: str) -> bool:
    """Say whether a column has values, and all of them are equal."""
    reach = extent.columns[name]
    return reach.present > 0 and not reach.varies


def plain_parameters(masker: Masker) -> Json:
    """Return the parameters of a masker as JSON values, without the seed."""
    return {n: plain(v) for n, v in masker.get_params(deep=False).items() if n != "random_state"}


def notes_on_missing(masker: Masker, released: Schema, names: Iterable[str]) -> list[str]:
    """Say in which columns a method that forms groups writes every missing value in the same way."""
    coded = [name for name in names if released[name].missing] if masker.groups or masker.counts_keys else []
    if not coded:
        return []
    sentence = f"Columns whose missing codes were made one, so that they tell nobody apart ({len(coded)})"
    return [f"{sentence}: {', '.join(coded)}."]


def _as_typed(value: Any) -> Any:
    """Return parameters so that 10 and 10.0, which a file and a person write for one another, are the same."""
    if isinstance(value, dict):
        return {name: _as_typed(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_as_typed(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
