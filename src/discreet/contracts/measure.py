"""The contract of a measure: original and masked to a number, on a stated range, with a sentence."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

from discreet.contracts.engine import Engine, InProcess, TablePair
from discreet.contracts.estimator import Estimator, one_of
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.measurement import Measurement
from discreet.contracts.pairing import aligned
from discreet.data.levels import JoinedLevels, join_levels
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, GapFlag
from discreet.data.schema import Attribute, Schema
from discreet.errors import DiscreetError, SchemaError, door
from discreet.statistics.question import Everything, Inquiry, Need
from discreet.stopping import stoppable
from discreet.typing import FloatArray, Json

__all__ = ["Measure", "Pair", "PairScope"]


@dataclass(frozen=True, repr=False)
class Pair:
    """An original and its masked version, record by record: what a measure sees that needs all records at once."""

    original: Microdata
    masked: Microdata
    names: tuple[str, ...]
    """The attributes that both have and the measure looks at."""
    provenance: Provenance | None
    engine: Engine

    @property
    def declared(self) -> tuple[str, ...]:
        """`names` as a reader is told them: what somebody declared, without the flags of gaps, which belong to it."""
        return tuple(name for name in self.names if not isinstance(self.original.schema[name].scale, GapFlag))

    @property
    def weights(self) -> FloatArray | None:
        """The survey weights of the original."""
        return self.original.weights()


@dataclass(frozen=True, repr=False)
class PairScope:
    """What a measure knows before it asks: declarations, and how the release came about; no record.

    Attributes
    ----------
    before, after : Schema
        Of the original and of the release.
    names : tuple of str
        The attributes that both have and the measure looks at.
    n : int
        The number of records.
    """

    before: Schema
    after: Schema
    names: tuple[str, ...]
    n: int
    provenance: Provenance | None
    engine: Engine
    _levels: dict[str, JoinedLevels] = field(default_factory=dict, compare=False)

    @property
    def weight(self) -> str | None:
        """The name of the survey weight."""
        return self.before.weight

    @property
    def everything(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The columns of either file that a measure of all records may look at: not what is released untouched."""
        before, after = (
            tuple(a.name for a in schema if a.name in self.names or a.role not in ("other", "identifier"))
            for schema in (self.before, self.after)
        )
        return before, after

    def levels(self, name: str) -> JoinedLevels:
        """Return the levels of both files on one list; joined once for all measures of an assessment."""
        if name not in self._levels:
            first, second = self.before[name].scale, self.after[name].scale
            self._levels[name] = join_levels(cast("Categorical", first), cast("Categorical", second))
        return self._levels[name]


class Measure(Estimator, ABC):
    """Original and masked to a number on a stated range.

    Subclasses set `kind` ("loss" or "risk"), `title`, `low`, `high`, `unit`, `scales`, `formula`, `reference`, and say
    what they ask (``question``) and what they make of the answer (``conclude``); that is all, at any size and on any
    engine. What has no statistics that add up writes ``_measure`` instead, and is handed all records at once. Low is
    good for every measure.
    """

    contract: ClassVar[str] = "measure"
    kind: ClassVar[str]
    title: ClassVar[str]
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 100.0
    unit: ClassVar[str] = "%"
    scales: ClassVar[frozenset[str]]
    formula: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    need: ClassVar[Need] = Need.ALL
    """What must be brought together for it."""
    instead: ClassVar[str] = Everything.instead
    """What to do where all records at once are too many."""
    keys_only: ClassVar[bool] = False
    """Whether the measure looks at keys alone (what an intruder knows) or at everything released."""
    default: ClassVar[bool] = True
    """Whether an assessment runs it unasked; not where it needs a user's model or threshold, or much time."""
    in_score: ClassVar[bool] = False
    """Whether it is one of the few measures that the papers' plain mean score is made of."""
    sees_removed: ClassVar[bool] = False
    """Whether the measure has a rule for a column that is not released."""
    sees_shuffling: ClassVar[bool] = True
    """Whether exchanging values between records changes a loss; it does not where distributions alone are compared."""
    needs_numbers: ClassVar[bool] = False
    """Whether it compares numbers and has no rule for one that is missing."""
    counts_equal_keys: ClassVar[bool] = False
    """Whether it counts records with equal keys, which says little once values are untrue."""
    in_headline: ClassVar[bool] = False
    """Whether it is one of the attacks whose worst is the headline, without being part of the papers' score."""
    knows_masking: ClassVar[bool] = False
    """Whether it reads off the provenance what each value can have become."""
    joins: ClassVar[tuple[str, ...]] = ()
    """The measures that it is put together from (``put_together``), where they were taken of the same tables."""
    first_look: ClassVar[int] = 0
    """Its place among the few risks that a first look at a file shows; 0 where it is not among them."""

    def question(self, scope: PairScope) -> Any:
        """Return what is asked of the tables; by default for all records at once."""
        return Everything(type(self).__name__, *scope.everything, self.instead)

    def conclude(self, statistics: Any, scope: PairScope) -> Measurement:
        """Return the measurement that follows from the answer: arithmetic, and the only sentence."""
        pair = Pair(statistics.original, statistics.release, scope.names, scope.provenance, scope.engine)
        return self._measure(pair)

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        """Ask and conclude; overridden where one answer leads to the next question."""
        return self.conclude((yield self.question(scope)), scope)

    def is_told(self, provenance: Provenance | None) -> bool:
        """Say whether enough is known of how a release came about; of use to a measure that knows the masking."""
        del provenance
        return True

    def put_together(self, measurements: Sequence[Measurement]) -> Measurement | None:
        """Return the measurement that follows from those that it `joins`; None where they do not tell enough."""
        del measurements
        return None

    def _measure(self, pair: Pair) -> Measurement:
        """Measure a checked pair: for what needs all records at once."""
        raise NotImplementedError

    def applies_to(self, schema: Schema, released: Schema | None = None) -> bool:
        """Say whether the schema (and that of the release, where given) has anything the measure can look at."""
        names = self.columns_for(schema)
        if released is None:
            return bool(names)
        fitting = self._comparable(names, schema, released)
        return bool(fitting if self.sees_removed else [name for name in fitting if name in released])

    @door
    @stoppable()
    def measure(
        self, original: Any, masked: Any, schema: Schema | None = None, *, engine: Engine | None = None
    ) -> Measurement:
        """Compare a table with its masked version.

        Parameters
        ----------
        original, masked : Microdata, Masked, frame or StoredTable
            The same records in the same order. Identifiers may be absent from `masked`.
        schema : Schema, optional
            For plain frames.
        engine : Engine, optional
        """
        self.check_parameters()
        tables = TablePair(*aligned(original, masked, schema))
        where = engine or InProcess()
        scope = self.scope(tables, masked.provenance if isinstance(masked, Masked) else None, where)
        answer = where.answer(tables, {self.name: self.measured(scope)})[self.name]
        if isinstance(answer, DiscreetError):
            raise answer
        return answer

    def scope(
        self,
        tables: TablePair,
        provenance: Provenance | None,
        engine: Engine,
        levels: dict[str, JoinedLevels] | None = None,
    ) -> PairScope:
        """Check the parameters, and find what there is to look at in two tables that belong together.

        `levels` are those that other measures joined already.
        """
        self.check_parameters()
        before, after = tables.original.schema, tables.released.schema
        names = self._comparable(self.columns_for(before), before, after)
        if not self.sees_removed:
            names = tuple(n for n in names if n in after)
        if not names:
            raise self._nothing_to_look_at(before, after)
        return PairScope(before, after, names, len(tables), provenance, engine, {} if levels is None else levels)

    def _nothing_to_look_at(self, before: Schema, after: Schema) -> SchemaError:
        """Return why two tables have nothing for the measure; overridden where it needs more than attributes."""
        del before, after
        return SchemaError(
            f"{type(self).__name__}: the schema has no attribute that the measure can look at.",
            hint=f"It looks at {one_of(self.scales)} {'keys' if self.keys_only else 'attributes'}.",
        )

    def measured(self, scope: PairScope) -> Inquiry[Measurement]:
        """Inquire, and say beside the result what could not be compared."""
        measurement = yield from self.inquire(scope)
        if measurement.in_score and not set(scope.names) & set(scope.before.keys):
            # Attributes that nobody masks would water the score down: a measure counts where it looks at a key.
            measurement = replace(measurement, in_score=False)
        left_out = [name for name in self.columns_for(scope.before) if name not in scope.names]
        if not left_out:
            return measurement
        sentence = measurement.sentence
        if self.kind == "risk":
            verb = "is" if len(left_out) == 1 else "are"
            sentence += f" Not compared: {', '.join(left_out)}, which {verb} released on a scale of another kind."
        return replace(measurement, sentence=sentence, details={**measurement.details, "not_compared": left_out})

    def _pair(self, original: Any, masked: Any, schema: Schema | None = None, engine: Engine | None = None) -> Pair:
        """Check the parameters and the tables, and find what there is to look at, for figures by record."""
        provenance = masked.provenance if isinstance(masked, Masked) else None
        before, after = aligned(original, masked, schema)
        scope = self.scope(TablePair(before, after), provenance, engine or InProcess())
        return Pair(before, after, scope.names, provenance, scope.engine)

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:
        """Leave out what is released on a scale of another kind: numbers cannot be compared with categories."""
        return tuple(n for n in names if n not in after or _family(before[n]) == _family(after[n]))

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        attributes = getattr(self, "attributes", None)
        if attributes is not None:
            for name in attributes:
                schema[name]
            return schema.of_scale(*self.scales, among=attributes)
        roles = ("key",) if self.keys_only else ("key", "confidential", "other")
        return schema.of_scale(*self.scales, among=schema.of_role(*roles))

    def result(
        self,
        value: float,
        sentence: str,
        per_attribute: Mapping[str, float] | None = None,
        details: Json | None = None,
    ) -> Measurement:
        """Put a value into the shape that reports read."""
        return Measurement(
            name=self.name,
            title=self.title,
            kind=self.kind,
            value=float(value),
            low=self.low,
            high=self.high,
            unit=self.unit,
            sentence=sentence,
            per_attribute=dict(per_attribute or {}),
            details=dict(details or {}),
            reference=self.reference,
            in_score=self.in_score,
        )


def _family(attribute: Attribute) -> str:
    return "categorical" if attribute.scale.kind in ("ordinal", "nominal") else attribute.scale.kind
