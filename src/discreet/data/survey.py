"""A declaration in one line: what somebody says of a table, completed by what can be inferred.

Who knows a survey says which columns are keys, which one is the weight and which one the household, and no more. The
rest (scales, levels, missing codes, the roles of columns that were not named) is inferred, and marked as such.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from collections.abc import Sequence as AbstractSequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.inference import Proposal
from discreet.data.scales import (
    SCALES,
    Categorical,
    Nominal,
    Numeric,
    Ordinal,
    Scale,
    Sequence,
    Succession,
    TimeSeries,
    scale_from_dict,
)
from discreet.data.scales.scale import as_arrow, hide_missing
from discreet.data.schema import ATTRIBUTE_FIELDS, SCALE_FIELDS, Attribute, Inferred, Schema
from discreet.data.state_columns import StateTable, declared_tables, parse_states
from discreet.data.toml_text import load_text, parse
from discreet.errors import DataError, ParameterError, SchemaError
from discreet.registry import did_you_mean, unknown_name
from discreet.typing import Json, Level, Role

__all__ = ["Declaration", "complete"]

_ROLES = {
    "keys": "key", "confidential": "confidential", "identifiers": "identifier", "strata": "stratum",
    "weight": "weight", "household": "identifier",
}  # fmt: skip
"""By what is told, the role of the columns that are named."""

_SCALES = ("numeric", "ordinal", "nominal", "items", "series", "trajectory", "queries")
_OTHERS = (*(role for role in get_args(Role) if role not in {"weight", "stratum"}), "drop")


@dataclass(frozen=True)
class Declaration:
    """What is said of the columns of a table, as much or as little as somebody knows.

    Parameters
    ----------
    keys, confidential, identifiers, strata : sequence of str
        Columns by their role. Patterns are allowed: ``region*`` is every column whose name begins so. A list that is
        given is whole: inference adds to none but the identifiers, and a schema that declares further keys is refused.
    weight, household : str, optional
        The survey weight, and the number that says who lives together, which is not released.
    others : {"key", "confidential", "identifier", "other", "drop"}, optional
        The role of all columns that are not named; ``"drop"`` leaves them out of the release, as identifiers. What
        looks like an identifier stays one unless it is named. By default the roles of other columns are inferred.
    numeric, ordinal, nominal, items, trajectory, queries : sequence of str
        Columns by their scale, where that should not be inferred. Patterns are allowed.
    series : sequence of str
        Readings in the order of time: a column whose cells hold them, or a range of columns as in `states`.
    states : sequence of str
        Columns that are the positions of one sequence, such as the months of a life course: ``"Jul.93..Jun.99"``, a
        range from the first column to the last, or ``"m1,m2,m3"``. One text is one sequence, called by its range, or
        as in ``"work=m1..m9"``.
    attributes : sequence of dict
        The ``[[attribute]]`` tables of a file, each of which may leave out its scale, its levels or its role.

    Examples
    --------
    >>> Declaration(keys=["age", "region*"], weight="w").told
    True
    """

    keys: tuple[str, ...] = ()
    confidential: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    weight: str | None = None
    household: str | None = None
    others: str | None = None
    numeric: tuple[str, ...] = ()
    ordinal: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    trajectory: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    attributes: tuple[Json, ...] = ()
    file: str = ""
    """The schema file that the attributes were read from, for a script to name."""

    def __post_init__(self) -> None:
        for name in ("keys", "confidential", "identifiers", "strata", "states", *_SCALES):
            object.__setattr__(self, name, _listing(name, getattr(self, name)))
        for name in ("weight", "household"):
            column = getattr(self, name)
            if column is not None and (not isinstance(column, str) or not column):
                raise ParameterError(f"{name} must be the name of one column.")
        if self.others is not None and self.others not in _OTHERS:
            raise ParameterError(
                f"others must be one of {', '.join(_OTHERS)}.{did_you_mean(str(self.others), _OTHERS)}"
            )
        object.__setattr__(self, "attributes", tuple(dict(table) for table in self.attributes))

    @property
    def told(self) -> bool:
        """Whether anything at all was said."""
        return any(getattr(self, field.name) for field in fields(self))

    @classmethod
    def of(cls, declared: Declaration | Schema | str | os.PathLike[str] | None) -> Declaration:
        """Return a declaration from itself, from a schema, from a TOML file that may be partial, or from nothing."""
        if declared is None or isinstance(declared, Declaration):
            return declared or cls()
        if isinstance(declared, Schema):
            return cls(attributes=tuple(attribute.to_dict() for attribute in declared))
        tables = parse(load_text(declared, "schema file"), "schema").get("attribute")
        if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
            raise SchemaError("The file declares no [[attribute]].", hint="`discreet inspect data.csv -o schema.toml`.")
        return cls(attributes=tuple(tables), file=os.fspath(declared))

    @property
    def only_attributes(self) -> bool:
        """Whether nothing but attributes one by one was described."""
        return not replace(self, attributes=(), file="").told

    def is_whole(self, columns: Iterable[str]) -> bool:
        """Say whether every column is described with its scale and levels."""
        described = {table.get("name") for table in self.attributes if "scale" in table and _has_levels(table)}
        return described >= set(columns) and len(described) == len(self.attributes)

    def and_file(self, declared: Schema | str | os.PathLike[str] | None) -> Declaration:
        """Return what is said here and in a schema or its file together."""
        other = Declaration.of(declared)
        return replace(self, attributes=(*other.attributes, *self.attributes), file=other.file or self.file)

    def as_arguments(self) -> list[str]:
        """Return what was said as arguments of :func:`discreet.survey`, for a script of Python."""
        entries = {field.name: getattr(self, field.name) for field in fields(self)}
        del entries["attributes"]
        said = {"schema" if name == "file" else name: value for name, value in entries.items() if value}
        return [f"{name}={list(value) if isinstance(value, tuple) else value!r}" for name, value in said.items()]

    def names(self) -> tuple[str, ...]:
        """Return the columns that are described one by one, those of a state table as the file has them."""
        described = [table for table in self.attributes if isinstance(table.get("name"), str)]
        return tuple(name for table in described for name in table.get("columns") or [table["name"]])

    def state_tables(self, columns: AbstractSequence[str]) -> list[StateTable]:
        """Return what is said of columns that are positions of one sequence."""
        wide = [text for text in self.series if text not in columns]
        return [
            *(parse_states(text, columns) for text in self.states),
            *(parse_states(text, columns, TimeSeries.name) for text in wide),
            *declared_tables(self.attributes, columns),
        ]

    def speaks_of(self, column: str) -> bool:
        """Say whether a column is named by itself: then it is not taken for a position of a sequence."""
        lists = (
            self.keys,
            self.confidential,
            self.identifiers,
            self.strata,
            *(getattr(self, scale) for scale in _SCALES),
        )
        patterns = [*(name for one in lists for name in one), self.weight or "", self.household or "", *self.names()]
        return any(fnmatchcase(column, pattern) for pattern in patterns)


def _listing(what: str, columns: Any) -> tuple[str, ...]:
    """Return the names of columns that were given as one or several."""
    names = (columns,) if isinstance(columns, str) else tuple(columns or ())
    if not all(isinstance(name, str) and name for name in names):
        raise ParameterError(f"{what} must list names of columns.")
    return names


# ----------------------------------------------------------------------------------------------------- which columns


def _columns_told(told: Mapping[str, Iterable[str]], columns: tuple[str, ...]) -> dict[str, str]:
    """Return by column the list it stands in; a name goes before a pattern, and no column stands in two lists."""
    exact: dict[str, str] = {}
    by_pattern: dict[str, str] = {}
    for what, names in told.items():
        for name in names:
            if name in columns:
                _enter(exact, name, what)
                continue
            matches = [column for column in columns if fnmatchcase(column, name)]
            if not matches:
                raise unknown_name("column", name, columns, error=SchemaError, hint=f"It is listed in {what}.")
            for column in matches:
                _enter(by_pattern, column, what, exact)
    return {column: exact.get(column, by_pattern.get(column, "")) for column in columns
            if column in exact or column in by_pattern}  # fmt: skip


def _enter(told: dict[str, str], column: str, what: str, named: Mapping[str, str] | None = None) -> None:
    before = told.get(column, what)
    if before != what and column not in (named or {}):
        raise SchemaError(
            f"Column {column!r} is listed in {before} and in {what}.", hint="Name it in one of them only."
        )
    told[column] = what


def _in_lists(
    declaration: Declaration, columns: tuple[str, ...], states: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return by column the list of roles and the scale that were told."""
    lists = {what: _listing(what, getattr(declaration, what)) for what in _ROLES}
    for what in ("weight", "household"):
        if len([column for name in lists[what] for column in columns if fnmatchcase(column, name)]) > 1:
            exact = [name for name in lists[what] if name in columns]
            if not exact:
                raise SchemaError(f"{what} must be one column; the pattern fits several.")
    scales = {kind: getattr(declaration, kind) for kind in _SCALES}
    wide = {name: kind for name, kind in states.items() if kind != Sequence.name}
    for kind in set(wide.values()):  # what is a range of columns is spoken of by the name of what they became
        scales[kind] = [name for name in scales[kind] if name in columns]
    return _columns_told(lists, columns), {**_columns_told(scales, columns), **wide}


# --------------------------------------------------------------------------------------------------------- completing


def complete(
    proposal: Proposal, declaration: Declaration, table: Any, states: Mapping[str, str] | None = None
) -> Proposal:
    """Return a proposal in which what was declared goes before what was inferred, and the rest is marked as inferred.

    Parameters
    ----------
    proposal : Proposal
        What can be inferred of the table.
    declaration : Declaration
    table : pyarrow.Table
        Where levels are read off that were not listed; state tables are gathered in it.
    states : mapping of str to str, optional
        Attributes that were gathered because the declaration names their columns, with the scale it gives them: keys,
        unless it says more.
    """
    columns = proposal.schema.names
    described = _described(declaration, columns)
    roles, scales = _in_lists(declaration, columns, states or {})
    attributes, reasons = [], dict(proposal.reasons)
    _refuse_further_keys(declaration, described, roles)
    whole = {role for what, role in _ROLES.items() if getattr(declaration, what) and role != "identifier"}
    whole |= {"weight"} & {table.get("role") for table in described.values()}
    household = bool(declaration.household) or any(table.get("household") for table in described.values())
    for guess in proposal.schema:
        name = guess.name
        told = described.get(name, {})
        if {"name", "scale"} <= set(told) and _has_levels(told) and name not in roles and name not in scales:
            attributes.append(Attribute.from_dict(told))
            reasons[name] = "declared"
            continue
        as_states = name in (states or {})
        role, why = _role(guess, roles.get(name), told, declaration, whole, as_states=as_states)
        at_home = roles.get(name) == "household" or bool(told.get("household")) or (guess.household and not household)
        scale, parts = _scale(guess, scales.get(name), told, table.column(name), role, as_states=as_states)
        inferred_role = not (name in roles or "role" in told or declaration.others or as_states)
        parts = (*(["role"] if inferred_role else []), *parts)
        missing = tuple(_listed(told["missing"])) if "missing" in told else _without(guess.missing, scale)
        label = told.get("label", guess.label)
        base = guess.inferred or Inferred((), proposal.reasons[name])
        reasons[name] = f"{why}; {proposal.reasons[name]}" if why else proposal.reasons[name]
        open_question = base.question if "scale" in parts else ""
        attributes.append(
            Attribute(
                name, scale, role, missing, label, at_home and role == "identifier",
                replace(base, parts=parts, reason=reasons[name], question=open_question,
                        holds_for=base.holds_for if "scale" in parts else "") if parts else None,
            )
        )  # fmt: skip
    for attribute in attributes:
        if attribute.name in roles and attribute.role == "weight":
            _check_weights(attribute, table.column(attribute.name))
    return replace(proposal, schema=Schema(attributes), reasons=reasons, missing=_counts(attributes, table, proposal))


def _refuse_further_keys(declaration: Declaration, described: Mapping[str, Json], roles: Mapping[str, str]) -> None:
    """Refuse a list of keys beside a schema that declares others: nobody could say which of them was meant."""
    if not declaration.keys:
        return
    further = [name for name, told in described.items() if told.get("role") == "key" and roles.get(name) != "keys"]
    if further:
        listed = sum(what == "keys" for what in roles.values())
        raise SchemaError(
            f"{listed} {'column is' if listed == 1 else 'columns are'} listed in keys, and the schema declares "
            f"{len(further)} more, the first {further[0]!r}.",
            hint="A list that is given is whole: leave it out to take the keys of the schema, name all of them, or "
            "give what is no key another role in the schema.",
        )


def _check_weights(attribute: Attribute, column: Any) -> None:
    """Refuse weights that nobody can use, when they are named and not when they are first needed."""
    try:
        weights = attribute.scale.encode(as_arrow(column), attribute.missing)
    except DataError as error:
        raise DataError(f"Column {attribute.name!r}: {error.message}", hint=error.hint) from None
    absent, zero, negative = int(np.isnan(weights).sum()), int((weights == 0).sum()), int((weights < 0).sum())
    if absent or zero or negative:
        raise DataError(
            f"Column {attribute.name!r}: of {len(weights)} weights {absent} are missing, {zero} are zero and "
            f"{negative} are negative.",
            hint="Every record needs a weight above zero; leave out the records that have none.",
        )


def _described(declaration: Declaration, columns: tuple[str, ...]) -> dict[str, Json]:
    """Return by column its [[attribute]] table; identifiers may be absent, as from a release, and nothing else."""
    described: dict[str, Json] = {}
    absent = []
    for told in declaration.attributes:
        name = told.get("name")
        if not isinstance(name, str):
            raise SchemaError("Every [[attribute]] needs a name.")
        unknown = sorted(set(told) - set(ATTRIBUTE_FIELDS))
        if unknown:
            raise SchemaError(
                f"Attribute {name!r}: unknown field {unknown[0]!r}.{did_you_mean(unknown[0], ATTRIBUTE_FIELDS)}"
            )
        if name in described:
            raise SchemaError(f"Attribute {name!r} is declared twice.")
        if name in columns:
            described[name] = told
        elif told.get("role") != "identifier":
            absent.append(name)
    if absent:
        raise SchemaError(
            f"The schema declares {len(absent)} attributes that the table lacks, the first {absent[0]!r}."
            f"{did_you_mean(absent[0], columns)}",
            hint=f"The table has {len(columns)} columns; check the spelling.",
        )
    return described


def _has_levels(told: Json) -> bool:
    scale = SCALES.get(told["scale"])
    if scale is not None and issubclass(scale, Succession) and (scale is not Sequence or "columns" in told):
        return all(name in told for name in scale.own_fields)
    return told["scale"] not in {"nominal", "ordinal"} or "levels" in told


def _role(
    guess: Attribute, what: str | None, told: Json, declaration: Declaration, whole: set[str], *, as_states: bool
) -> tuple[str, str]:
    """Return the role of a column, and a word on why it is not the inferred one where nobody named it."""
    if what is not None:
        role = _ROLES[what]
        if told.get("role", role) != role:
            raise SchemaError(f"Column {guess.name!r} is listed in {what}, and the schema gives it another role.")
        return role, "named"
    if "role" in told or "scale" in told:
        return told.get("role", "other"), "declared"
    if as_states:
        return "key", "named as states"
    if guess.role == "identifier":
        return guess.role, ""
    if declaration.others is not None:
        return ("identifier" if declaration.others == "drop" else declaration.others), "as all others"
    if guess.role in whole:
        return "other", f"it looks like {_article(guess.role)}, but others were named"
    return guess.role, ""


def _article(role: str) -> str:
    return {"key": "a key", "weight": "a weight", "stratum": "a stratum"}.get(role, f"a {role} attribute")


def _scale(
    guess: Attribute, kind: str | None, told: Json, column: Any, role: str, *, as_states: bool
) -> tuple[Scale, tuple[str, ...]]:
    """Return the scale of a column and which parts of it were inferred."""
    if kind is not None and told.get("scale", kind) != kind:
        raise SchemaError(f"Column {guess.name!r} is listed as {kind}, and the schema gives it another scale.")
    kind = kind or told.get("scale")
    if kind is None and role == "weight":
        return Numeric(), ()
    if kind is None and role == "identifier":
        return Nominal(("",)), ()  # a schema travels: who is in the table is not written into it
    scale = guess.scale
    if kind is None and as_states:
        return scale, ()
    told_scale = kind is not None
    if kind is None and (guess.role == "identifier" and isinstance(scale, Nominal)):
        kind = "nominal"  # somebody uses what looks like an identifier: its levels were not kept
    elif kind is None:
        return scale, ("scale",)
    if kind not in {"nominal", "ordinal"}:
        rest: Json = {key: told[key] for key in SCALE_FIELDS if key in told and key not in {"levels", "semantics"}}
        reads_on = isinstance(scale, Succession) and scale.own_fields and "missing" in told
        if kind == scale.name and not rest and not reads_on:
            return scale, ()
        if as_states and isinstance(scale, Succession):
            rest["columns"] = scale.columns
        cls = SCALES.get(kind)
        if isinstance(scale, Sequence) and kind == scale.name and "alphabet" not in rest:
            rest["alphabet"] = scale.alphabet  # what happens in the table
        if cls is not None and issubclass(cls, Succession) and not all(name in rest for name in cls.own_fields):
            codes = tuple(_listed(told["missing"])) if "missing" in told else guess.missing
            try:
                return cls.read_off(as_arrow(column), codes, rest), ("levels",)
            except DataError as error:
                raise DataError(f"Column {guess.name!r}: {error.message}", hint=error.hint) from None
        return scale_from_dict(kind, rest), ()
    levels = told.get("levels")
    if levels is not None:
        return scale_from_dict(kind, {key: told[key] for key in ("levels", "semantics") if key in told}), ()
    codes = tuple(_listed(told["missing"])) if "missing" in told else guess.missing
    levels = _levels(guess, kind, column, codes)
    rest = {"semantics": told["semantics"]} if "semantics" in told else {}
    return scale_from_dict(kind, {"levels": levels, **rest}), ("levels",) if told_scale else ("scale",)


def _levels(guess: Attribute, kind: str, column: Any, missing: tuple[Level, ...]) -> list[Level]:
    """Return the levels that a column has; in order where that is asked for and can be known."""
    if isinstance(guess.scale, Ordinal) and not set(guess.scale.levels) & set(missing):
        return list(guess.scale.levels)
    values = pc.unique(hide_missing(as_arrow(column), missing).drop_null())
    if pa.types.is_temporal(values.type) or pa.types.is_decimal(values.type):
        values = values.cast(pa.string())
    if pa.types.is_floating(values.type) and pc.all(pc.equal(values, pc.floor(values))).as_py():
        values = values.cast(pa.int64())
    levels = sorted(values.to_pylist())
    if kind == "ordinal" and levels and isinstance(levels[0], str):
        raise SchemaError(
            f"Column {guess.name!r}: the order of its {len(levels)} levels is not known.",
            hint='List them, lowest first, in a schema: scale = "ordinal", levels = […]; or declare it nominal.',
        )
    return levels or [""]


def _without(missing: tuple[Level, ...], scale: Scale) -> tuple[Level, ...]:
    """Return the missing codes that are no levels."""
    return tuple(code for code in missing if not (isinstance(scale, Categorical) and code in scale.levels))


def _listed(missing: Any) -> list[Level]:
    return [missing] if isinstance(missing, (str, int, float)) else list(missing)


def _counts(attributes: list[Attribute], table: Any, proposal: Proposal) -> dict[str, int]:
    return {
        a.name: proposal.missing[a.name]
        if a.missing == proposal.schema[a.name].missing
        else int(hide_missing(as_arrow(table.column(a.name)), a.missing).null_count)
        for a in attributes
    }
