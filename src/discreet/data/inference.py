"""A first schema, proposed from the table, with the reason for every choice.

A proposal is a starting point for a person: no rule can know what an intruder knows. Nothing is proposed as a key
that cannot be one, and what looks like a person's name or number is proposed as an identifier, so that forgetting to
look at the proposal errs on the safe side. The rules are in `data.inferring`, one idea a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals as nw
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.frames import arrow_column, arrow_of, as_narwhals
from discreet.data.inferring.absent_codes import AMONG_NUMBERS, MISSING_WORDS, find_missing_codes
from discreet.data.inferring.batteries import find_batteries, without_codes
from discreet.data.inferring.between_columns import find_household, find_totals, find_twins
from discreet.data.inferring.date_columns import find_date_codes, is_moment
from discreet.data.inferring.looking import Guess, Look, strays_among_numbers
from discreet.data.inferring.personal_data import identifies
from discreet.data.inferring.sampling_weights import is_weight
from discreet.data.inferring.state_runs import find_state_runs
from discreet.data.inferring.subject_roles import is_clinical, role_of
from discreet.data.inferring.value_scales import scale_of
from discreet.data.scales import Categorical, Moment, Nominal, Numeric, Ordinal, Sequence, Succession, TimeSeries
from discreet.data.scales.scale import as_arrow, hide_missing, level_type, to_level_type
from discreet.data.scales.succession import is_list
from discreet.data.schema import Attribute, Inferred, Schema
from discreet.data.state_columns import StateTable, gather
from discreet.errors import DataError, door
from discreet.notebook import panel, table
from discreet.typing import Json, Level

__all__ = ["AMONG_NUMBERS", "MISSING_WORDS", "Proposal", "join_proposals", "propose_schema", "with_new_levels"]


@dataclass(frozen=True)
class Proposal:
    """A schema and, for each attribute, why it looks the way it does.

    `value_labels` holds, by attribute, what the file calls its codes, where the file says so. `confidence` and
    `questions` are those of :class:`~discreet.data.schema.Inferred`, by attribute.
    """

    schema: Schema
    reasons: dict[str, str]
    n_records: int
    missing: dict[str, int]

    def _repr_html_(self) -> str:
        rows = [
            (a.name, a.role, a.scale.name, f"{100 * self.confidence(a.name):.0f} %", self.missing[a.name],
             self.reasons[a.name])
            for a in self.schema
        ]  # fmt: skip
        grid = table(("attribute", "role", "scale", "confidence", "missing", "why"), rows, numbers=(3, 4))
        return panel(f"A proposal for {self.n_records} records: look at every role", grid)

    value_labels: Mapping[str, Mapping[Level, str]] = field(default_factory=dict)
    looks: tuple[Look, ...] = field(default=(), repr=False, compare=False)
    relations: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """By attribute, how its reason ends where other columns tell something of it."""

    def confidence(self, name: str) -> float:
        """Return how sure the role and scale of an attribute are; 1 where they were declared."""
        inferred = self.schema[name].inferred
        return 1.0 if inferred is None or not inferred.parts else inferred.confidence

    def question(self, name: str) -> str:
        """Return what a person should answer about an attribute; empty where nothing is open."""
        inferred = self.schema[name].inferred
        return "" if inferred is None else inferred.question


@door
def propose_schema(
    frame: Any,
    labels: Mapping[str, str] | None = None,
    *,
    origin: Json | None = None,
    apart: Callable[[str], bool] | None = None,
) -> Proposal:
    """Propose a schema for a table.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
    labels : mapping of str to str, optional
        By column, what the file calls it, where it is one that also lists its missing numbers.
    origin : dict, optional
        What the reader of a file remembers: the text of cells, and columns that were gathered already.
    apart : callable, optional
        Says of a column that it is not to be taken for a position of a sequence of states.

    Returns
    -------
    Proposal
        The schema, the reason for every attribute, and counts of missing values. O(rows × columns); columns are
        compared with each other on the first 20,000 records. Columns named after times in a row that hold the same few
        states are one attribute, a sequence.

    Examples
    --------
    >>> table = pa.table({"id": ["x1", "x2", "x3"], "size": [1.5, 2.5, 2.25], "fuel": ["gas", "?", "gas"]})
    >>> proposal = propose_schema(table)
    >>> [(a.name, a.role, a.scale.kind, a.missing) for a in proposal.schema]
    [('id', 'identifier', 'nominal', ()), ('size', 'key', 'numeric', ()), ('fuel', 'key', 'nominal', ('?',))]
    """
    wrapped = as_narwhals(frame)
    known = origin or {}
    looks = [_look(wrapped, name, labels) for name in wrapped.columns]
    looks = [replace(look, positions=tuple(known.get("states", {}).get(look.name, ()))) for look in looks]
    runs = find_state_runs(looks, apart)
    if runs:
        tables = [StateTable(f"{run[0].name}..{run[-1].name}", tuple(look.name for look in run)) for run in runs]
        wrapped = as_narwhals(gather(frame, known, tables)[0])
        alone = {look.name: look for look in looks}
        places = {one.name: one.columns for one in tables}
        looks = [alone.get(name) or _look(wrapped, name, None) for name in wrapped.columns]
        looks = [replace(look, positions=places.get(look.name, look.positions)) for look in looks]
    return _proposal(looks, len(wrapped))


def join_proposals(parts: Iterable[Proposal]) -> Proposal:
    """Return one proposal for a table whose columns were looked at in groups.

    Examples
    --------
    >>> parts = [propose_schema(pa.table({"size": [1.5, 2.5]})), propose_schema(pa.table({"fuel": ["gas", "oil"]}))]
    >>> join_proposals(parts).schema.names
    ('size', 'fuel')
    """
    proposals = list(parts)
    if len(proposals) == 1:
        return proposals[0]
    joined = _proposal([look for part in proposals for look in part.looks], proposals[0].n_records)
    batteries = find_batteries(list(joined.looks))
    attributes, reasons, missing = [], dict(joined.reasons), dict(joined.missing)
    for part in proposals:
        for attribute in part.schema:
            together = joined.schema[attribute.name]
            missing[attribute.name] = part.missing[attribute.name]
            if together.role == "identifier" != attribute.role or together.household:
                attributes.append(replace(together, missing=attribute.missing, label=attribute.label))
                continue
            if attribute.name in batteries and not attribute.label:  # its part may have a few of the columns only
                missing[attribute.name] = joined.missing[attribute.name]
                attributes.append(replace(together, label=attribute.label))
                continue
            # What a file says of a column is known to its part alone; what columns tell of each other, to all together.
            own = part.reasons[attribute.name].removesuffix(part.relations.get(attribute.name, ""))
            why = reasons[attribute.name] = own + joined.relations.get(attribute.name, "")
            sure, noted = together.inferred, attribute.inferred
            if noted is not None and sure is not None:
                noted = replace(noted, reason=why, confidence=min(noted.confidence, sure.confidence))
            attributes.append(replace(attribute, role=together.role, inferred=noted))
    labels = {name: texts for part in proposals for name, texts in part.value_labels.items()}
    return replace(joined, schema=Schema(attributes), reasons=reasons, missing=missing, value_labels=labels)


def _look(frame: nw.DataFrame[Any], name: str, labels: Mapping[str, str] | None) -> Look:
    whole = arrow_of(frame, name)
    column = as_arrow(whole)
    codes: tuple[Level, ...] = ()
    if not pa.types.is_nested(column.type):
        codes = find_missing_codes(column, numbers=labels is None)
        codes += find_date_codes(hide_missing(column, codes).drop_null())
    order = _order(frame.schema[name], whole)
    return Look(name, column, hide_missing(column, codes).drop_null(), (labels or {}).get(name, ""), order, codes)


def _order(kind: Any, column: Any) -> tuple[str, ...]:
    """Return the levels in order where the type of a column says it."""
    if isinstance(kind, nw.Enum):
        return tuple(kind.categories)
    if not pa.types.is_dictionary(column.type) or not column.type.ordered or not len(column):
        return ()
    listed = column.unify_dictionaries().chunk(0) if isinstance(column, pa.ChunkedArray) else column
    return tuple(str(level) for level in listed.dictionary.to_pylist())


def _proposal(looks: list[Look], n_records: int) -> Proposal:
    batteries = find_batteries(looks)
    looks = without_codes(looks, batteries)
    clinical = is_clinical(looks)
    names = [look.name for look in looks]
    guesses = {look.name: _guess(look, names, clinical=clinical) for look in looks}
    for look in looks:
        if look.name in batteries:
            guesses[look.name] = _answer(look, guesses[look.name], batteries[look.name])
    alone = {name: guess.reason for name, guess in guesses.items()}
    _relate(looks, guesses, clinical=clinical)
    attributes = [_attribute(look, guesses[look.name]) for look in looks]
    missing = {look.name: len(look.column) - len(look.values) for look in looks}
    reasons = {name: guess.reason for name, guess in guesses.items()}
    relations = {name: why.removeprefix(alone[name]) for name, why in reasons.items() if why.startswith(alone[name])}
    return Proposal(Schema(attributes), reasons, n_records, missing, looks=tuple(looks), relations=relations)


def _guess(look: Look, names: list[str], *, clinical: bool) -> Guess:
    """Return what one column is, by itself."""
    if look.positions:
        states = sorted(set(look.column.flatten().to_pylist())) or [""]
        return Guess(
            f"{len(look.positions)} columns, a position each, with the same {len(states)} states; what somebody did "
            "may be known", 0.85, "key", Sequence(tuple(states), columns=look.positions),
        )  # fmt: skip
    if is_list(look.column) and pa.types.is_floating(look.column.type.value_type):
        scale = TimeSeries.guessed(look.column)
        if scale.step is None or scale.step < 1:
            return Guess("a list of numbers with decimals; readings of a person may be known", 0.85, "key", scale)
    if pa.types.is_nested(look.column.type):
        events = sorted(set(look.column.flatten().drop_null().to_pylist()))
        return Guess(f"a list of {len(events)} different events", 0.9, "key", Sequence(tuple(events) or ("",)))
    moment = is_moment(look)
    value = moment or scale_of(look)
    codes = f"; {len(look.codes)} values look like missing codes" if look.codes else ""
    role = (
        is_weight(look, names)
        or _stratum(look)
        or (identifies(look) if moment is None and value.scale.kind != "sequence" else None)
        or role_of(look, value.scale, clinical=clinical)
    )
    return Guess(
        f"{value.reason}{codes}; {role.reason}", min(value.confidence, role.confidence), role.role, value.scale,
        value.question if role.role not in {"identifier", "weight"} or strays_among_numbers(look.texts) else "",
        role.holds_for or value.holds_for,
    )  # fmt: skip


def _answer(look: Look, guess: Guess, questions: int) -> Guess:
    """Return what a column is that is one of many questions with the same answers."""
    if guess.role not in {"key", "confidential"}:
        return guess
    why = f"one of {questions} columns with the same {len(look.distinct)} answers: what somebody thinks"
    reason = f"{guess.reason.rpartition('; ')[0]}; {why}"
    numbered = look.whole and look.numbers is not None
    scale = Ordinal(look.levels) if numbered and not isinstance(guess.scale, Ordinal) else guess.scale
    return replace(
        guess,
        role="confidential",
        scale=scale,
        reason=reason,
        confidence=0.8,
        question="" if numbered else guess.question,
    )


def _stratum(look: Look) -> Guess | None:
    if not look.speaks_of("stratum") or look.speaks_of("amount") or look.share_distinct > 0.5:
        return None
    return Guess("its name says stratum", 0.9, "stratum")


def _relate(looks: list[Look], guesses: dict[str, Guess], *, clinical: bool) -> None:
    """Correct what columns are by what they tell of each other."""
    household = find_household(looks)
    if household is not None:
        name, why = household
        guesses[name] = Guess(
            f"it says who lives together, {why}: it will not be released", 0.9, "identifier",
            holds_for="identifier", household=True,
        )  # fmt: skip
    weights = [name for name, guess in guesses.items() if guess.role == "weight"]
    for name in weights[1:]:
        reason = f"{guesses[name].reason}; only one weight can be used, and that is {weights[0]!r}"
        guesses[name] = replace(guesses[name], role="other", reason=reason)
    for name, twin in find_twins(looks).items():
        guesses[name] = replace(guesses[name], reason=f"{guesses[name].reason}; it tells the same as {twin!r}")
    for name, parts in find_totals(looks).items():
        total = f"it is the sum of {', '.join(map(repr, parts))}"
        guesses[name] = replace(guesses[name], reason=f"{guesses[name].reason}; {total}")
    if not clinical and not any(guess.role == "key" for guess in guesses.values()):
        for name, guess in guesses.items():
            if guess.role == "confidential":
                reason = f"{guess.reason}; nothing else could be known, so an intruder may know it"
                guesses[name] = replace(guess, role="key", reason=reason, confidence=min(guess.confidence, 0.6))


def _attribute(look: Look, guess: Guess) -> Attribute:
    scale = guess.scale
    if guess.role == "identifier" and not isinstance(scale, Succession):
        scale = Nominal(("",))  # a schema is a file that travels: who is in the table is not written into it
    if guess.role == "weight":
        scale = Numeric()
    # The one level of a column that has none, or whose values are not told, is the empty word.
    codes = tuple(c for c in look.codes if not (isinstance(scale, Categorical) and c in scale.levels))
    inferred = Inferred(("role", "scale"), guess.reason, guess.confidence, guess.question, guess.holds_for)
    return Attribute(look.name, scale, guess.role or "other", codes, look.label, guess.household, inferred)


def _unreadable(scale: Moment, values: pa.Array) -> bool:
    """Say whether something in a column of dates is none."""
    try:
        scale.encode(values)
    except DataError:
        return True
    return False


@door
def with_new_levels(frame: Any, schema: Schema) -> Schema:
    """Return the schema of a release: levels that the original does not declare are read off the table.

    A column that has such levels, or words where numbers were declared, becomes unordered, because nothing says where
    in the order they belong.

    Examples
    --------
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "sun"]), "key")])
    >>> with_new_levels(pa.table({"fuel": ["fossil", "sun"]}), schema)["fuel"].scale.levels
    ('fossil', 'sun')
    """
    table = as_narwhals(frame)
    changed = []
    for attribute in schema:
        scale = attribute.scale
        if isinstance(scale, Succession):
            continue
        values = hide_missing(arrow_column(table, attribute.name), attribute.missing).drop_null()
        target = level_type(scale.levels) if isinstance(scale, Categorical) else pa.float64()
        read = to_level_type(values, target)
        if isinstance(scale, Categorical):
            all_declared = (
                not read.null_count and pc.all(pc.is_in(read, value_set=pa.array(scale.levels, type=target))).as_py()
            )
        else:
            all_declared = not (_unreadable(scale, values) if isinstance(scale, Moment) else read.null_count)
        if all_declared is False:
            distinct = pc.unique(values)
            levels = distinct.cast(pa.string()) if pa.types.is_temporal(distinct.type) else distinct
            changed.append(replace(attribute, scale=Nominal(tuple(sorted(levels.to_pylist())))))
    return schema.replacing(*changed)
