"""The schema: what every attribute is, declared once and read everywhere.

A schema is made in Python, or read from the ``[[attribute]]`` tables of a TOML file beside the data::

    [[attribute]]
    name = "DEGREE"
    role = "key"
    scale = "ordinal"
    levels = ["coldest", "cold", "cool"]
    missing = ["?"]
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, get_args

from discreet.data.scales import Categorical, Moment, Numeric, Scale, Succession, scale_from_dict
from discreet.data.toml_text import comment, load_text, parse, table_text
from discreet.errors import SchemaError, wrong_type
from discreet.notebook import panel, table
from discreet.registry import did_you_mean, unknown_name
from discreet.typing import Json, Level, Role

__all__ = ["ATTRIBUTE_FIELDS", "ROLES", "SCALE_FIELDS", "Attribute", "Inferred", "Schema"]

ROLES: tuple[str, ...] = get_args(Role)

_FIELDS = ("name", "role", "scale", "missing", "label", "household")

SCALE_FIELDS = (
    "levels", "semantics", "alphabet", "delimiter", "columns", "format", "timezone",
    "step", "pace", "span", "geographic",
)  # fmt: skip
"""What of an ``[[attribute]]`` is of its scale."""

ATTRIBUTE_FIELDS = (*_FIELDS, *SCALE_FIELDS)
"""What an ``[[attribute]]`` may hold; all but the first six are of its scale."""


@dataclass(frozen=True)
class Inferred:
    """What of an attribute nobody declared, and why it was taken to be so.

    Attributes
    ----------
    parts : tuple of str
        What was inferred: ``"role"``, ``"scale"``, ``"levels"``, ``"missing"``.
    reason : str
        Columns and counts, never a value.
    confidence : float
        Of the role and scale, between 0 and 1.
    question : str
        What a person should answer before a method relies on it; empty where nothing is open.
    holds_for : str
        ``"code"``, ``"identifier"`` or ``"weight"`` where numbers are held for something that must not be averaged.
    """

    parts: tuple[str, ...]
    reason: str = ""
    confidence: float = 1.0
    question: str = ""
    holds_for: str = ""


@dataclass(frozen=True)
class Attribute:
    """One column of the table.

    Parameters
    ----------
    name : str
        The column's name.
    scale : Scale
        What its values are.
    role : {"key", "confidential", "identifier", "weight", "stratum", "other"}
        What it is for. A key may be known to an intruder; an identifier is never released.
    missing : sequence of str, int or float
        Codes that stand for "no value", such as ``-9`` or ``"?"``. Nulls and NaN are missing without being listed.
    label : str
        A few words for reports.
    household : bool
        Whether it says who lives together. Such a number is an identifier, and a schema has at most one.
    inferred : Inferred, optional
        What of this was inferred and not declared. Two attributes that differ in nothing else are equal.

    Examples
    --------
    >>> Attribute("age", Numeric(), "key", missing=(-9,))
    Attribute(name='age', scale=Numeric(), role='key', missing=(-9,), label='')
    """

    name: str
    scale: Scale
    role: str = "other"
    missing: tuple[Level, ...] = ()
    label: str = ""
    household: bool = field(default=False, repr=False)
    inferred: Inferred | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise SchemaError("An attribute needs a name of at least one character.")
        if not isinstance(self.scale, Scale):
            raise SchemaError(
                f"Attribute {self.name!r}: scale must be a Scale; got {type(self.scale).__name__}.",
                hint="Use Numeric(), Ordinal(levels), Nominal(levels), Sequence(alphabet), ItemSet(items), "
                "TimeSeries(), Trajectory(), QueryLog(terms), Date() or DateTime().",
            )
        if not isinstance(self.role, str) or self.role not in ROLES:
            role = repr(self.role) if isinstance(self.role, str) else type(self.role).__name__
            raise SchemaError(f"Attribute {self.name!r}: role must be one of {', '.join(ROLES)}; got {role}.")
        if self.role == "weight" and (not isinstance(self.scale, Numeric) or isinstance(self.scale, Moment)):
            raise SchemaError(f"Attribute {self.name!r}: a weight must be numeric.")
        if not isinstance(self.household, bool):
            raise SchemaError(f"Attribute {self.name!r}: household must be true or false.")
        if self.household and self.role != "identifier":
            raise SchemaError(
                f"Attribute {self.name!r}: what says who lives together is an identifier.",
                hint='Give it role = "identifier"; the method identifiers can release it as a fresh number.',
            )
        if isinstance(self.missing, (str, int, float)):
            object.__setattr__(self, "missing", (self.missing,))
        if not all(isinstance(code, (str, int, float)) for code in self.missing):
            raise SchemaError(f"Attribute {self.name!r}: missing must list codes that are text or numbers.")
        if any(isinstance(code, int) and not -(2**63) <= code < 2**63 for code in self.missing):
            raise SchemaError(
                f"Attribute {self.name!r}: a missing code has at most 64 bits.",
                hint="Quote longer ones: they are text.",
            )
        object.__setattr__(self, "missing", tuple(self.missing))
        if isinstance(self.scale, Categorical) and set(self.missing) & set(self.scale.levels):
            raise SchemaError(f"Attribute {self.name!r}: a missing code is also listed as a level.")

    def to_dict(self) -> Json:
        """Return what a TOML file keeps of the attribute."""
        fields: Json = {"name": self.name, "role": self.role, "scale": self.scale.name, **self.scale.to_dict()}
        if self.missing:
            fields["missing"] = list(self.missing)
        if self.label:
            fields["label"] = self.label
        if self.household:
            fields["household"] = True
        return fields

    @classmethod
    def from_dict(cls, fields: Json) -> Attribute:
        """Make an attribute from what :meth:`to_dict` gave."""
        name = fields.get("name")
        if not isinstance(name, str) or "scale" not in fields:
            raise SchemaError("Every [[attribute]] needs a name and a scale.")
        unknown = sorted(set(fields) - set(ATTRIBUTE_FIELDS))
        if unknown:
            raise SchemaError(
                f"Attribute {name!r}: unknown field {unknown[0]!r}.{did_you_mean(unknown[0], ATTRIBUTE_FIELDS)}",
                hint=f"Fields are {_listed(ATTRIBUTE_FIELDS)}.",
            )
        rest = {key: value for key, value in fields.items() if key not in _FIELDS}
        try:
            scale = scale_from_dict(fields["scale"], rest)
        except (SchemaError, TypeError) as error:
            raise SchemaError(f"Attribute {name!r}: {error}") from None
        label = fields.get("label", "")
        if not isinstance(label, str):
            raise SchemaError(f"Attribute {name!r}: label must be text.")
        return cls(
            name, scale, fields.get("role", "other"), fields.get("missing", ()), label, fields.get("household", False)
        )


_EXAMPLE = 'Schema([Attribute("age", Numeric(), "key")])'


@dataclass(frozen=True, repr=False)
class Schema:
    """Attributes in order.

    Parameters
    ----------
    attributes : iterable of Attribute

    Examples
    --------
    >>> schema = Schema([Attribute("age", Numeric(), "key"), Attribute("income", Numeric(), "confidential")])
    >>> schema.keys
    ('age',)
    >>> schema["income"].role
    'confidential'
    """

    attributes: tuple[Attribute, ...]

    def __init__(self, attributes: Iterable[Attribute]) -> None:
        if not isinstance(attributes, Iterable):
            raise wrong_type("Schema", "attributes must be a list of Attribute", attributes, _EXAMPLE)
        every = tuple(attributes)
        for one in every:
            if not isinstance(one, Attribute):
                raise wrong_type("Schema", "attributes must be a list of Attribute", one, _EXAMPLE)
        object.__setattr__(self, "attributes", every)
        names = self.names
        if len(self._by_name) < len(names):
            first = min(name for name in self._by_name if names.count(name) > 1)
            raise SchemaError(f"Attribute {first!r} is declared {names.count(first)} times.")
        if not names:
            raise SchemaError("A schema must declare at least one attribute.")
        weights = self.of_role("weight")
        if len(weights) > 1:
            raise SchemaError(f"A schema can have one weight; {len(weights)} are declared: {_listed(weights)}.")
        households = [attribute.name for attribute in self.attributes if attribute.household]
        if len(households) > 1:
            raise SchemaError(
                f"A schema can have one household; {len(households)} are declared: {_listed(households)}."
            )

    # A schema does not change, and a measure asks it hundreds of times: what it is asked for is looked up once.

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The attributes' names, in order."""
        return tuple(attribute.name for attribute in self.attributes)

    @cached_property
    def _by_name(self) -> Mapping[str, Attribute]:
        return MappingProxyType({attribute.name: attribute for attribute in self.attributes})

    @cached_property
    def _answers(self) -> dict[tuple[str, tuple[str, ...]], tuple[str, ...]]:
        return {}

    def __getstate__(self) -> Json:
        return {"attributes": self.attributes}

    @property
    def keys(self) -> tuple[str, ...]:
        """The attributes that an intruder may know."""
        return self.of_role("key")

    @property
    def weight(self) -> str | None:
        """The name of the survey weight, if there is one."""
        weights = self.of_role("weight")
        return weights[0] if weights else None

    @property
    def household(self) -> str | None:
        """The name of the attribute that says who lives together, if there is one."""
        return next((attribute.name for attribute in self.attributes if attribute.household), None)

    def inferred(self, part: str) -> tuple[str, ...]:
        """Return the names of the attributes of which this part was inferred: ``"role"``, ``"scale"``, ``"levels"``."""
        return tuple(a.name for a in self.attributes if a.inferred is not None and part in a.inferred.parts)

    def of_role(self, *roles: str) -> tuple[str, ...]:
        """Return the names of the attributes with one of the roles, in order."""
        question = ("role", roles)
        if question not in self._answers:
            self._answers[question] = tuple(a.name for a in self.attributes if a.role in roles)
        return self._answers[question]

    def of_scale(self, *kinds: str, among: Iterable[str] | None = None) -> tuple[str, ...]:
        """Return the names of the attributes on one of the scales, in order; `among` narrows the choice.

        Beside the kinds of scales, ``"events"``, ``"items"`` and their like say what sequences are made of.
        """
        question = ("scale", kinds)
        if question not in self._answers:
            self._answers[question] = tuple(a.name for a in self.attributes if a.scale.answers & set(kinds))
        if among is None:
            return self._answers[question]
        allowed = set(among)
        return tuple(name for name in self._answers[question] if name in allowed)

    def __getitem__(self, name: str) -> Attribute:
        attribute = self._by_name.get(name) if isinstance(name, str) else None
        if attribute is None:
            raise unknown_name("attribute", name, self.names, hint=f"The schema declares {_listed(self.names)}.")
        return attribute

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._by_name

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    def with_roles(self, **roles: str) -> Schema:
        """Return a copy in which some attributes have other roles: ``schema.with_roles(age="key")``."""
        for name in roles:
            self[name]
        return Schema(_with_role(a, roles[a.name]) if a.name in roles else a for a in self.attributes)

    def replacing(self, *attributes: Attribute) -> Schema:
        """Return a copy in which the attributes of the same names are exchanged for these."""
        new = {attribute.name: attribute for attribute in attributes}
        for name in new:
            self[name]
        return Schema(new.get(a.name, a) for a in self.attributes)

    def select(self, names: Iterable[str]) -> Schema:
        """Return a copy with these attributes only, in the schema's order."""
        selection = set(names)
        for name in selection:
            self[name]
        return Schema(attribute for attribute in self.attributes if attribute.name in selection)

    def to_dict(self) -> Json:
        """Return what a TOML file keeps of the schema."""
        return {"attribute": [attribute.to_dict() for attribute in self.attributes]}

    @classmethod
    def from_dict(cls, fields: Json) -> Schema:
        """Make a schema from what :meth:`to_dict` gave; other tables of the file are left alone."""
        tables = fields.get("attribute")
        if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
            raise SchemaError("The file declares no [[attribute]].", hint="`discreet inspect data.csv -o schema.toml`.")
        return cls(Attribute.from_dict(table) for table in tables)

    def to_toml(self) -> str:
        """Return the schema as the text of a TOML file, in which comments mark what was inferred.

        Examples
        --------
        >>> print(Schema([Attribute("age", Numeric(), "key")]).to_toml())
        [[attribute]]
        name = "age"
        role = "key"
        scale = "numeric"
        <BLANKLINE>
        """
        return "\n".join(_about(a) + table_text("[[attribute]]", a.to_dict()) for a in self.attributes)

    @classmethod
    def from_toml(cls, text: str) -> Schema:
        """Read a schema from the text of a TOML file."""
        return cls.from_dict(parse(text, "schema"))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Schema:
        """Read a schema from a TOML file."""
        return cls.from_toml(load_text(path, "schema file"))

    def __repr__(self) -> str:
        # Levels are left out: those of an identifier are the records' own values.
        roles = [a.role for a in self.attributes]
        counts = ", ".join(f"{roles.count(role)} {role}" for role in dict.fromkeys(roles))
        return f"Schema({len(self)} attributes: {counts})"

    def _repr_html_(self) -> str:
        rows = [(a.name, a.role, a.scale.name, _size(a.scale), len(a.missing) or "") for a in self.attributes]
        grid = table(("attribute", "role", "scale", "levels", "missing codes"), rows, numbers=(3, 4))
        return panel(f"Schema of {len(self)} attributes", grid)


def _about(attribute: Attribute) -> str:
    """Return a comment on what was inferred of an attribute; nothing where all of it was declared."""
    inferred = attribute.inferred
    if inferred is None or not inferred.parts:
        return ""
    text = f"inferred: {', '.join(inferred.parts)} ({100 * inferred.confidence:.0f} %): {inferred.reason}"
    return comment(text) + (comment(f"QUESTION: {inferred.question}") if inferred.question else "")


def _with_role(attribute: Attribute, role: str) -> Attribute:
    inferred = attribute.inferred
    if inferred is not None:  # what is told now is inferred no longer
        inferred = replace(inferred, parts=tuple(part for part in inferred.parts if part != "role"))
    return replace(attribute, role=role, household=attribute.household and role == "identifier", inferred=inferred)


def _size(scale: Scale) -> int | str:
    if isinstance(scale, Categorical):
        return len(scale)
    return scale.size if isinstance(scale, Succession) else ""


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(repr(name) for name in names)
