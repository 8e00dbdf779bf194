"""A first schema, proposed from the table, with the reason for every choice.

A proposal is a starting point for a person: no rule can know what an intruder knows. Nothing is proposed as a key
that cannot be one, and what looks like a person's name or number is proposed as an identifier, so that forgetting to
look at the proposal errs on the safe side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.frames import arrow_column, as_narwhals
from discreet.data.scales import Categorical, Nominal, Numeric, Ordinal, Scale, Sequence
from discreet.data.scales.scale import hide_missing, is_text, is_whole, level_type, to_level_type
from discreet.data.schema import Attribute, Inferred, Schema
from discreet.errors import door
from discreet.notebook import panel, table
from discreet.typing import Level

__all__ = ["AMONG_NUMBERS", "MISSING_WORDS", "Proposal", "join_proposals", "propose_schema", "with_new_levels"]

_FEW = 20
"""Whole numbers with at most this many different values are proposed as ordered categories."""

_CODES = ("-9", "-99", "-999")
MISSING_WORDS: tuple[str, ...] = (
    "", "?", ".", "NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "null", "NULL", "None", "#NULL!", "#DIV/0!",
    "#VALUE!", "#REF!", "#NUM!",
)  # fmt: skip
"""Words that stand for no value, in any column."""
AMONG_NUMBERS: tuple[str, ...] = ("-", "--", "–", "—", "..", "…", "na", "n.a.", "N.A.", "none", "missing", "unknown")
"""Words that stand for no value where everything else is a number; among words they may be categories."""
_MISSING_WORDS = (*MISSING_WORDS, *_CODES)
_IDENTIFIER = re.compile(
    r"(^|[^a-z])(id|ssn|name|email|phone|address|passport|nin)([^a-z]|$)|household|_id$|^id_", re.IGNORECASE
)
_WEIGHT = re.compile(r"(^|[^a-z])(weight|wgt|wt|sampling_?weight)([^a-z]|$)", re.IGNORECASE)
_STRATUM = re.compile(r"(^|[^a-z])strat(um|a)?([^a-z]|$)", re.IGNORECASE)


@dataclass(frozen=True)
class Proposal:
    """A schema and, for each attribute, why it looks the way it does.

    `value_labels` holds, by attribute, what the file calls its codes, where the file says so.
    """

    schema: Schema
    reasons: dict[str, str]
    n_records: int
    missing: dict[str, int]

    def _repr_html_(self) -> str:
        rows = [(a.name, a.role, a.scale.kind, self.missing[a.name], self.reasons[a.name]) for a in self.schema]
        grid = table(("attribute", "role", "scale", "missing", "why"), rows, numbers=(3,))
        return panel(f"A proposal for {self.n_records} records: look at every role", grid)

    value_labels: Mapping[str, Mapping[Level, str]] = field(default_factory=dict)


@door
def propose_schema(frame: Any) -> Proposal:
    """Propose a schema for a table.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table

    Returns
    -------
    Proposal
        The schema, the reason for every attribute, and counts of missing values. O(rows × columns).

    Examples
    --------
    >>> table = pa.table({"id": ["x1", "x2", "x3"], "size": [1.5, 2.5, 2.25], "fuel": ["gas", "?", "gas"]})
    >>> proposal = propose_schema(table)
    >>> [(a.name, a.role, a.scale.kind, a.missing) for a in proposal.schema]
    [('id', 'identifier', 'nominal', ()), ('size', 'key', 'numeric', ()), ('fuel', 'key', 'nominal', ('?',))]
    """
    table = as_narwhals(frame)
    attributes, reasons, missing = [], {}, {}
    for name in table.columns:
        column = arrow_column(table, name)
        attribute, reason = _propose_one(name, column)
        attributes.append(attribute)
        reasons[name] = reason
        missing[name] = int(hide_missing(column, attribute.missing).null_count)
    attributes = [_marked(a, reasons) for a in _one_weight(attributes, reasons)]
    return Proposal(Schema(attributes), reasons, len(table), missing)


def _marked(attribute: Attribute, reasons: dict[str, str]) -> Attribute:
    return replace(attribute, inferred=Inferred(("role", "scale"), reasons[attribute.name]))


def join_proposals(parts: Iterable[Proposal]) -> Proposal:
    """Return one proposal for a table whose columns were looked at in groups.

    Examples
    --------
    >>> parts = [propose_schema(pa.table({"size": [1.5, 2.5]})), propose_schema(pa.table({"fuel": ["gas", "oil"]}))]
    >>> join_proposals(parts).schema.names
    ('size', 'fuel')
    """
    proposals = list(parts)
    reasons = {name: why for part in proposals for name, why in part.reasons.items()}
    attributes = _one_weight([attribute for part in proposals for attribute in part.schema], reasons)
    return Proposal(
        Schema(attributes),
        reasons,
        proposals[0].n_records,
        {name: count for part in proposals for name, count in part.missing.items()},
        {name: labels for part in proposals for name, labels in part.value_labels.items()},
    )


def _propose_one(name: str, column: pa.Array) -> tuple[Attribute, str]:
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        events = sorted(set(column.flatten().drop_null().to_pylist()))
        return Attribute(name, Sequence(tuple(events) or ("",)), "key"), f"a list of {len(events)} different events"
    codes = _missing_codes(column)
    values = hide_missing(column, codes).drop_null()
    scale, reason = _scale(values)
    if codes:
        reason += f"; {len(codes)} words look like missing codes"
    role, why = _role(name, scale, values)
    if role == "identifier" and isinstance(scale, Nominal):
        scale = Nominal(("",))  # a schema is a file that travels: who is in the table is not written into it
    return Attribute(name, scale, role, codes), f"{reason}; {why}"


def _missing_codes(column: pa.Array) -> tuple[Level, ...]:
    if not is_text(column):
        return ()
    present = set(pc.unique(column.cast(pa.string())).drop_null().to_pylist())
    words = present & set(_MISSING_WORDS)
    codes = tuple(word for word in MISSING_WORDS if word in words)
    rest = hide_missing(column, codes).drop_null()
    loose = tuple(word for word in AMONG_NUMBERS if word in present)
    if loose:
        numbers = hide_missing(rest, loose).drop_null()
        if len(numbers) and not to_level_type(numbers, pa.float64()).null_count:
            return (*codes, *loose)
    # "-9" is a number among numbers, but a missing code among words.
    if len(rest) and to_level_type(rest, pa.float64()).null_count:
        return tuple(word for word in _MISSING_WORDS if word in words)
    return codes


def _scale(values: pa.Array) -> tuple[Scale, str]:
    distinct = pc.unique(values)
    if not len(values):
        return Nominal(("",)), "no value at all"
    if pa.types.is_boolean(values.type):
        return Nominal((False, True)), "true or false"
    # A text of digits is a code where it begins with a zero, or where a float would not give all of it back.
    pattern = r"^0[0-9]|^-?[0-9]{17,}$|[0-9][eE]\+?[0-9]{3,}$"
    code = is_text(values) and bool(pc.any(pc.match_substring_regex(values.cast(pa.string()), pattern)).as_py())
    numbers = None if code else to_level_type(values, pa.float64())
    if numbers is not None and not numbers.null_count and not pa.types.is_temporal(values.type):
        whole = bool(pc.all(is_whole(numbers)).as_py())
        if whole and len(distinct) <= min(_FEW, max(2, len(values) // 5)):
            levels = tuple(sorted(int(v) for v in pc.unique(numbers).to_pylist()))
            return Ordinal(levels), f"{len(levels)} different whole numbers"
        return Numeric(), f"numbers, {len(distinct)} different"
    text = distinct.cast(pa.string()).to_pylist()
    repeated = " " in "".join(text[:1000]) and _looks_like_sequences(values)
    if repeated:
        events = sorted({event for word in text for event in word.split(" ") if event})
        return Sequence(tuple(events)), f"blank-separated words, {len(events)} different, in many orders"
    return Nominal(tuple(sorted(text))), f"{len(text)} different words"


def _looks_like_sequences(values: pa.Array) -> bool:
    text = values.cast(pa.string())
    distinct = pc.unique(text)
    events = pc.unique(pc.split_pattern(distinct, " ").flatten())
    # Words of a small vocabulary in many different orders: an itinerary, not a free text or a category.
    return bool(len(distinct) > max(_FEW, 3 * len(events)))


def _role(name: str, scale: Scale, values: pa.Array) -> tuple[str, str]:
    distinct = len(pc.unique(values)) if not isinstance(scale, Sequence) else 0
    if _WEIGHT.search(name) and isinstance(scale, Numeric):
        return "weight", "its name says weight"
    if _STRATUM.search(name):
        return "stratum", "its name says stratum"
    if _IDENTIFIER.search(name) and distinct > 0.5 * len(values):
        return "identifier", "its name and its many different values say identifier: it will not be released"
    if isinstance(scale, Nominal) and len(values) > _FEW and distinct > 0.9 * len(values):
        return "identifier", "nearly every value is different: it will not be released"
    return "key", "an intruder may know it; change the role if not"


def _one_weight(attributes: list[Attribute], reasons: dict[str, str]) -> list[Attribute]:
    weights = [a.name for a in attributes if a.role == "weight"]
    result = []
    for a in attributes:
        if a.role == "weight" and a.name != weights[0]:
            reasons[a.name] += f"; only one weight can be used, and that is {weights[0]!r}"
            result.append(Attribute(a.name, a.scale, "other", a.missing))
        else:
            result.append(a)
    return result


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
        if isinstance(scale, Sequence):
            continue
        values = hide_missing(arrow_column(table, attribute.name), attribute.missing).drop_null()
        target = level_type(scale.levels) if isinstance(scale, Categorical) else pa.float64()
        read = to_level_type(values, target)
        if isinstance(scale, Categorical):
            all_declared = (
                not read.null_count and pc.all(pc.is_in(read, value_set=pa.array(scale.levels, type=target))).as_py()
            )
        else:
            all_declared = not read.null_count
        if all_declared is False:
            distinct = pc.unique(values)
            levels = distinct.cast(pa.string()) if pa.types.is_temporal(distinct.type) else distinct
            changed.append(replace(attribute, scale=Nominal(tuple(sorted(levels.to_pylist())))))
    return schema.replacing(*changed)
