"""A protocol for several tables that belong together: one protocol each, and what joins them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from discreet.data.toml_text import Places, check_keys, parse, table_text
from discreet.errors import SchemaError
from discreet.notebook import listing, panel
from discreet.notebook import table as shown_table
from discreet.registry import did_you_mean, unknown_name
from discreet.release.protocol import Protocol
from discreet.release.protocol_text import load_text, read_seed, seed_line
from discreet.typing import Json

__all__ = ["Tables"]

_PARTS = ("seed", "release", "table", "join")
_OF_A_TABLE = ("name", "about", "data", "release", "public", "attribute", "scenario", "step", "thresholds")


@dataclass(frozen=True)
class Tables:
    """All that is needed to protect several tables in the same way again, so that they can still be joined.

    Parameters
    ----------
    tables : mapping of str to Protocol
        By name. A table's own seed is not used: all draws come from `seed` and the place of the table.
    joins : sequence of mapping of str to str
        Each says by table which column holds an identifier that they share. It is released as a fresh number, the same
        in all of them.
    seed : int, optional
    manifest : str, optional
        A file that lists what was written for all tables.

    Examples
    --------
    >>> from discreet.release.protocol_parts import Step
    >>> from discreet.data.scales import Nominal, Numeric
    >>> from discreet.data.schema import Attribute, Schema
    >>> home = Attribute("HID", Nominal([""]), "identifier")
    >>> homes = Protocol(Schema([home, Attribute("RENT", Numeric(), "key")]), [Step("mdav", {"k": 5})])
    >>> people = Protocol(Schema([home, Attribute("AGE", Numeric(), "key")]), [Step("mdav", {"k": 5})])
    >>> both = Tables({"homes": homes, "people": people}, [{"homes": "HID", "people": "HID"}], seed=1)
    >>> Tables.from_toml(both.to_toml()) == both
    True
    """

    tables: Mapping[str, Protocol]
    joins: Sequence[Mapping[str, str]] = ()
    seed: int | None = None
    manifest: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", read_seed(self.seed))
        if not self.tables:
            raise SchemaError("The protocol names no table.", hint="Write [[table]], its name, and [table.data].")
        plain = {name: replace(plan, seed=None) for name, plan in self.tables.items()}
        object.__setattr__(self, "tables", plain)
        object.__setattr__(self, "joins", tuple(dict(join) for join in self.joins))
        joined: set[tuple[str, str]] = set()
        for place, join in enumerate(self.joins, start=1):
            if len(join) < 2:
                raise SchemaError(f"[[join]] number {place} must name two tables.", hint='homes = "HID"')
            for table, column in join.items():
                self._check_column(f"[[join]] number {place}", table, column)
                if (table, column) in joined:
                    raise SchemaError(f"[[join]] number {place}: {column!r} of {table!r} is in another join already.")
                joined.add((table, column))
        self._check_files()

    def _repr_html_(self) -> str:
        rows = [
            (name, len(plan.schema), ", ".join(step.method for step in plan.steps), len(plan.thresholds))
            for name, plan in self.tables.items()
        ]
        joins = [" = ".join(f"{table}.{column}" for table, column in join.items()) for join in self.joins]
        return panel(
            f"Protocol for {len(self.tables)} tables",
            shown_table(("table", "attributes", "steps", "thresholds"), rows, numbers=(1, 3)),
            listing(joins) if joins else "",
        )

    def _check_column(self, where: str, table: str, column: str) -> None:
        if table not in self.tables:
            raise unknown_name("table", table, self.tables, where=where, error=SchemaError)
        plan = self.tables[table]
        if column not in plan.schema:
            raise SchemaError(
                f"{where}: the table {table!r} declares no attribute {column!r}."
                f"{did_you_mean(column, plan.schema.names)}",
                hint="Declare it as an identifier.",
            )
        if plan.schema[column].role != "identifier":
            raise SchemaError(
                f"{where}: {column!r} of {table!r} must have the role identifier.",
                hint="It is exchanged for a fresh number, the same in all tables.",
            )
        for step in plan.steps:
            named = [*(step.parameters.get("renumber") or ()), *(step.parameters.get("remove") or ())]
            if step.method == "pseudonyms" and column in (step.parameters.get("exchange") or ()):
                raise SchemaError(
                    f"{where}: a step of {table!r} gives {column!r} pseudonyms, which are the same in all tables "
                    "with one key and one domain.",
                    hint="Leave the join out: fresh numbers in its place would differ from delivery to delivery.",
                )
            if column in named:
                raise SchemaError(
                    f"{where}: a step of {table!r} renumbers or removes {column!r} by itself.",
                    hint="Leave it to the join, which gives all tables the same numbers.",
                )

    def _check_files(self) -> None:
        """Refuse two tables that would be written to one file."""
        owners: dict[str, str] = {}
        for name, plan in self.tables.items():
            for file in {"masked": f"{name}-masked.csv", **plan.release}.values():
                if owners.setdefault(file, name) != name:
                    raise SchemaError(f"The tables {owners[file]!r} and {name!r} would both be written to {file!r}.")
        if self.manifest is not None and self.manifest in owners:
            raise SchemaError(f"The manifest and a file of {owners[self.manifest]!r} have the same name.")

    # ------------------------------------------------------------------------------------------------------- TOML

    def to_toml(self) -> str:
        """Return the protocol as the text of a TOML file."""
        parts = [seed_line(self.seed)] if self.seed is not None else []
        if self.manifest is not None:
            parts.append(table_text("[release]", {"manifest": self.manifest}))
        for name, plan in self.tables.items():
            own = re.sub(r"^(\[\[?)", r"\1table.", "\n".join(plan.sections()), flags=re.MULTILINE)
            parts.append(table_text("[[table]]", {"name": name}) + "\n" + own)
        parts += [table_text("[[join]]", join) for join in self.joins]
        return "\n".join(parts)

    @classmethod
    def from_toml(cls, text: str) -> Tables:
        """Read a protocol for several tables from the text of a TOML file."""
        fields = parse(text, "protocol")
        where = Places(text)
        check_keys(fields, _PARTS, "A protocol for several tables", where, "")
        release = fields.get("release", {})
        check_keys(release, ("manifest",), "[release] of several tables", where, "release")
        for name in ("table", "join"):
            if not isinstance(fields.get(name, []), list):
                raise SchemaError(f"Write [[{name}]] with double brackets: there may be several.")
        tables: dict[str, Protocol] = {}
        for i, table in enumerate(fields.get("table", [])):
            what = f"{where.at('table', i)}[[table]] number {i + 1}"
            check_keys(table, _OF_A_TABLE, f"[[table]] number {i + 1}", where, "table", i)
            name = table.get("name")
            if not isinstance(name, str) or not name:
                raise SchemaError(f"{what} must have a name.", hint='name = "persons"')
            if name in tables:
                raise SchemaError(f"{what}: two tables are called {name!r}.", hint="Give each its own name.")
            tables[name] = _of_table(table, text, where, i)
        joins = []
        for i, join in enumerate(fields.get("join", [])):
            if not isinstance(join, dict) or not all(isinstance(column, str) for column in join.values()):
                raise SchemaError(f"{where.at('join', i)}[[join]] must name a column for each table it joins.")
            joins.append(join)
        return cls(tables, joins, fields.get("seed"), release.get("manifest"))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Tables:
        """Read a protocol for several tables from a TOML file."""
        return cls.from_toml(load_text(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the protocol as a TOML file, whole or not at all."""
        from discreet.io.atomic import write_text  # it loads the readers of data files

        write_text(path, self.to_toml())


def _of_table(table: Json, text: str, where: Places, index: int) -> Protocol:
    """Return the protocol of one table; what is wrong with it names the table and the line."""
    first = where.line("table", index) or 1
    following = where.lines.get(("table", index + 1, ""))
    inner = Places(text, "table.", first, following - 1 if following else None)
    fields: dict[str, Any] = {name: value for name, value in table.items() if name != "name"}
    try:
        return Protocol.from_fields(fields, inner)
    except SchemaError as error:
        raise SchemaError(f"Table {table['name']!r}: {error.message}", hint=error.hint) from None
