"""One table's protocol: its parts, read from and written to the text of a TOML file."""

from __future__ import annotations

import difflib
import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from pprint import pformat
from typing import Any

from discreet.errors import FileError, SchemaError, unquoted
from discreet.notebook import panel
from discreet.notebook import table as shown_table
from discreet.schema import Schema
from discreet.typing import Json

__all__ = [
    "Places",
    "Protocol",
    "Scenario",
    "Source",
    "Step",
    "check_keys",
    "load_text",
    "loads",
    "nearest",
    "save_text",
]

_TABLES = ("seed", "data", "release", "public", "attribute", "scenario", "step", "thresholds")
_RELEASE = ("masked", "internal", "external", "manifest", "json", "pdf")
_PUBLIC = ("domains", "tell")
_TELL = ("noise", "pram")
_ATTRIBUTE = ("name", "role", "scale", "missing", "label", "levels", "semantics", "alphabet", "delimiter")
_SOURCE = ("file", "delimiter", "encoding", "sequence", "header", "decimal", "thousands", "leave_out")


@dataclass(frozen=True)
class Step:
    """One masking step.

    Parameters
    ----------
    method : str
        A masker's registered name.
    parameters : mapping
        Its parameters by name, `attributes` and `random_state` among them, as a TOML file can hold them. Without
        `random_state` the draws come from the protocol's seed and the position of the step.
    unit : str, optional
        The attribute that says who belongs together, such as a household's number: the step masks one record for each
        unit, and all its members get the same values.
    line : int
        Where the step stands in its file, for messages; 0 where it has none.

    Examples
    --------
    >>> Step("mdav", {"k": 5})
    Step(method='mdav', parameters={'k': 5}, unit=None)
    """

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    unit: str | None = None
    line: int = field(default=0, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", dict(self.parameters))

    def to_dict(self) -> Json:
        """Return what a TOML file keeps of the step; a parameter that is None is left out."""
        fields: Json = {"method": self.method}
        if self.unit is not None:
            fields["unit"] = self.unit
        return fields | {name: _plain(value) for name, value in self.parameters.items() if value is not None}


@dataclass(frozen=True)
class Scenario:
    """An intruder: what he knows, and how he links.

    Parameters
    ----------
    name : str
    known : tuple of str
        The attributes that he knows of everybody, exactly.
    linkers : tuple of str
        Registered linkers; the risk of the scenario is the mean of their success.
    """

    name: str
    known: tuple[str, ...]
    linkers: tuple[str, ...] = ("distance", "probabilistic")
    line: int = field(default=0, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise SchemaError("A scenario needs a name of at least one character.")
        for what in ("known", "linkers"):
            value = getattr(self, what)
            if not isinstance(value, (list, tuple)) or not value or not all(isinstance(one, str) for one in value):
                raise SchemaError(f"Scenario {self.name!r}: {what} must be a list of at least one name.")
            object.__setattr__(self, what, tuple(value))

    def to_dict(self) -> Json:
        """Return what a TOML file keeps of the scenario."""
        return {"name": self.name, "known": list(self.known), "linkers": list(self.linkers)}


@dataclass(frozen=True)
class Source:
    """The file to protect, relative to the protocol's folder, and how to read it, as ``dc.read`` is told."""

    file: str
    delimiter: str | None = None
    encoding: str | None = None
    sequence: str | None = None
    header: bool | None = None
    decimal: str | None = None
    thousands: str | None = None
    leave_out: str | None = None

    def __post_init__(self) -> None:
        lines: Any = self.leave_out
        if lines is not None and not isinstance(lines, str):
            object.__setattr__(self, "leave_out", ",".join(str(line) for line in lines) or "none")

    def to_dict(self) -> Json:
        """Return what a TOML file keeps of the source."""
        return {name: value for name in _SOURCE if (value := getattr(self, name)) is not None}


@dataclass(frozen=True)
class Protocol:
    """All that is needed to protect a file in the same way again.

    Parameters
    ----------
    schema : Schema
    steps : sequence of Step
        In this order.
    scenarios : sequence of Scenario
        Without any, one intruder who knows every key.
    thresholds : mapping of str to float
        ``risk_at_most``, ``loss_at_most``, ``smallest_group``, or ``<measure>_at_most``.
    seed : int, optional
        Where all draws come from, together with the values that are masked. Without one, every run draws its own and
        writes it into the internal files.
    source : Source, optional
    release : mapping of str to str
        File names: ``masked``, ``internal``, ``external``, ``manifest``, ``json``, ``pdf``.
    public : mapping of str to list of str
        What the report for data users tells beside the usual: ``domains``, attributes by whose levels suppressed cells
        are counted; ``tell``, of ``"noise"`` (the level of noise) and ``"pram"`` (the matrix of PRAM), both by choice.
    comments : mapping of str to str
        What to write beside a part of the file: by ``"protocol"``, ``"data"``, ``"release"``, ``"thresholds"``,
        ``"attribute:NAME"``, ``"scenario:NAME"``, ``"step:0"``, and ``"end"``.

    Examples
    --------
    >>> from discreet.scales import Numeric
    >>> from discreet.schema import Attribute
    >>> schema = Schema([Attribute("age", Numeric(), "key")])
    >>> protocol = Protocol(schema, [Step("mdav", {"k": 5})], seed=1)
    >>> Protocol.from_toml(protocol.to_toml()) == protocol
    True
    """

    schema: Schema
    steps: Sequence[Step] = ()
    scenarios: Sequence[Scenario] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    seed: int | None = None
    source: Source | None = None
    release: Mapping[str, str] = field(default_factory=dict)
    public: Mapping[str, Sequence[str]] = field(default_factory=dict, kw_only=True)
    comments: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def _repr_html_(self) -> str:
        steps = [
            (place, step.method, ", ".join(f"{n} = {v}" for n, v in step.parameters.items() if v is not None))
            for place, step in enumerate(self.steps, start=1)
        ]
        intruders = [(s.name, ", ".join(s.known), ", ".join(s.linkers)) for s in self.scenarios]
        limits = [(name.replace("_", " "), f"{value:g}") for name, value in self.thresholds.items()]
        return panel(
            f"Protocol for {len(self.schema)} attributes",
            shown_table(("step", "method", "parameters"), steps, numbers=(0,)) if steps else "",
            shown_table(("intruder", "knows", "links by"), intruders) if intruders else "",
            shown_table(("threshold", "limit"), limits, numbers=(1,)) if limits else "",
        )

    def __post_init__(self) -> None:
        for name, kind in (("steps", tuple), ("scenarios", tuple), ("thresholds", dict), ("release", dict)):
            object.__setattr__(self, name, kind(getattr(self, name)))
        self._check_public()
        object.__setattr__(self, "seed", read_seed(self.seed))
        names = [scenario.name for scenario in self.scenarios]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise SchemaError(f"Two scenarios are called {twice[0]!r}.", hint="Give each its own name.")
        for scenario in self.scenarios:
            for name in scenario.known:
                self._known(name, f"{_at(scenario.line)}Scenario {scenario.name!r}: known")
                if self.schema[name].role == "identifier":
                    raise SchemaError(
                        f"{_at(scenario.line)}Scenario {scenario.name!r}: {name!r} is an identifier and not released.",
                        hint="Name what an intruder knows and finds in the release.",
                    )
        for place, step in enumerate(self.steps, start=1):
            where = f"{_at(step.line)}Step {place} ({step.method})"
            wanted = step.parameters.get("attributes", ())
            for name in wanted if isinstance(wanted, Sequence) and not isinstance(wanted, str) else ():
                self._known(str(name), f"{where}: attributes")
            if step.unit is not None:
                self._known(step.unit, f"{where}: unit")
        for name, value in self.thresholds.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise SchemaError(f"[thresholds]: {name} must be a finite number.")
            if name != "smallest_group" and not name.endswith("_at_most"):
                known = ("smallest_group", "risk_at_most", "loss_at_most")
                raise SchemaError(
                    f"[thresholds]: unknown threshold {name!r}.",
                    hint=f"{nearest(name, known)}Write smallest_group, risk_at_most, loss_at_most or "
                    "<measure>_at_most; `discreet methods` lists the measures.",
                )

    def _check_public(self) -> None:
        for name, value in self.public.items():
            listed = isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value)
            if name not in _PUBLIC or not listed:
                raise SchemaError(
                    f"[public]: {name} must be a list of names." if name in _PUBLIC else f"[public]: unknown {name!r}.",
                    hint='[public] with domains = ["REGION"] and tell = ["noise", "pram"].',
                )
        object.__setattr__(self, "public", {name: tuple(value) for name, value in self.public.items()})
        for name in self.public.get("domains", ()):
            self._known(name, "[public]: domains")
            if self.schema[name].role == "identifier" or self.schema[name].scale.kind not in ("ordinal", "nominal"):
                raise SchemaError(f"[public]: {name!r} has no levels by which cells could be counted.")
        strangers = [name for name in self.public.get("tell", ()) if name not in _TELL]
        if strangers:
            raise SchemaError(f"[public]: tell knows {', '.join(_TELL)}; got {strangers[0]!r}.")

    def _known(self, name: str, where: str) -> None:
        if name not in self.schema:
            raise SchemaError(
                f"{where} names {name!r}, which the protocol does not declare.",
                hint=nearest(name, self.schema.names) or "Declare it as an [[attribute]].",
            )

    # ------------------------------------------------------------------------------------------------------- TOML

    def to_toml(self, comments: Mapping[str, str] | None = None) -> str:
        """Return the protocol as the text of a TOML file; `comments` go beside its parts (default: its own)."""
        notes = self.comments if comments is None else comments
        return "\n".join([f"{_note(notes, 'protocol')}{seed_line(self.seed)}", *self.sections(notes)])

    def sections(self, notes: Mapping[str, str] | None = None) -> list[str]:
        """Return what stands in the file after the seed, table by table."""
        import tomli_w

        notes = self.comments if notes is None else notes

        def note(key: str) -> str:
            return _note(notes, key)

        def table(header: str, fields: Json) -> str:
            plain = {key: value for key, value in fields.items() if not isinstance(value, dict)}
            name = header.strip("[]")
            nested = [_nested(f"{name}.{_key(key)}", value) for key, value in fields.items() if isinstance(value, dict)]
            return f"{header}\n{tomli_w.dumps(plain)}" + "".join(nested)

        parts = []
        if self.source is not None:
            parts.append(note("data") + table("[data]", self.source.to_dict()))
        if self.release:
            parts.append(note("release") + table("[release]", dict(self.release)))
        if self.public:
            parts.append(note("public") + table("[public]", {n: list(v) for n, v in self.public.items()}))
        parts += [note(f"attribute:{a.name}") + Schema([a]).to_toml() for a in self.schema]
        parts += [note(f"scenario:{s.name}") + table("[[scenario]]", s.to_dict()) for s in self.scenarios]
        parts += [note(f"step:{i}") + table("[[step]]", step.to_dict()) for i, step in enumerate(self.steps)]
        if self.thresholds:
            parts.append(note("thresholds") + table("[thresholds]", dict(self.thresholds)))
        if notes.get("end"):
            parts.append(note("end"))
        return parts

    @classmethod
    def from_toml(cls, text: str) -> Protocol:
        """Read a protocol from the text of a TOML file."""
        fields = loads(text)
        if "table" in fields:
            raise SchemaError(
                "The protocol is for several tables.", hint="`discreet run` runs it; in Python, dc.run_tables does."
            )
        return cls.from_fields(fields, Places(text))

    @classmethod
    def from_fields(cls, fields: Json, where: Places) -> Protocol:
        """Read a protocol from what a TOML file holds."""
        check_keys(fields, _TABLES, "The protocol", where, "")
        for name in ("attribute", "scenario", "step"):
            if not isinstance(fields.get(name, []), list):
                raise SchemaError(f"Write [[{name}]] with double brackets: there may be several.")
        for name in ("data", "release", "public", "thresholds"):
            if not isinstance(fields.get(name, {}), dict):
                raise SchemaError(f"{name} must be a table: write [{name}] on a line of its own.")
        for i, table in enumerate(fields.get("attribute", [])):
            check_keys(table, _ATTRIBUTE, f"[[attribute]] number {i + 1}", where, "attribute", i)
        data, release = fields.get("data", {}), fields.get("release", {})
        check_keys(data, _SOURCE, "[data]", where, "data")
        check_keys(release, _RELEASE, "[release]", where, "release")
        check_keys(fields.get("public", {}), _PUBLIC, "[public]", where, "public")
        for table, values in (("data", data), ("release", release)):
            for name, value in values.items():
                if name == "header" and table == "data":
                    if not isinstance(value, bool):
                        raise SchemaError(f"{where.at(table, 0, name)}[data]: header must be true or false.")
                elif not isinstance(value, str):
                    raise SchemaError(f"{where.at(table, 0, name)}[{table}]: {name} must be text in quotes.")
        if data and "file" not in data:
            raise SchemaError(f"{where.at('data')}[data] must name the file.", hint='file = "survey.csv"')
        try:
            schema = Schema.from_dict(fields)
        except SchemaError as error:
            hint = error.hint if "attribute" in fields else "`discreet init data.csv -o protocol.toml` proposes one."
            raise SchemaError(error.message, hint=hint) from None
        return cls(
            schema,
            tuple(_step(table, i, where) for i, table in enumerate(fields.get("step", []))),
            tuple(_scenario(table, i, where) for i, table in enumerate(fields.get("scenario", []))),
            fields.get("thresholds", {}),
            fields.get("seed"),
            Source(**data) if data else None,
            release,
            public=fields.get("public", {}),
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Protocol:
        """Read a protocol from a TOML file."""
        return cls.from_toml(load_text(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the protocol as a TOML file, whole or not at all."""
        save_text(self.to_toml(), path)

    # ----------------------------------------------------------------------------------------------------- Python

    def to_python(self) -> str:
        """Return a Python script that does what the protocol says; run it in the protocol's folder."""
        options = {} if self.source is None else self.source.to_dict()
        file = options.pop("file", "data.csv")
        read = "".join(f", {name}={value!r}" for name, value in options.items())
        toml = self.schema.to_toml().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        lines = [
            "import discreet as dc",
            "",
            f'schema = dc.Schema.from_toml("""\\\n{toml}""")',
            f"original = dc.read({file!r}, schema{read})",
            "",
            "steps = [",
            *(f"    {_call(step)}," for step in self.steps),
            "]",
            f"masked = dc.apply_steps(original, steps{_argument(self.seed)})",
            f"dc.write(masked, {self.release.get('masked', 'masked.csv')!r})",
            "",
            "scenarios = [",
            *(f"    dc.Scenario({s.name!r}, {s.known!r}, {s.linkers!r})," for s in self.scenarios),
            "]",
            "after = dc.assess_scenarios(original, masked, scenarios)",
            f"for verdict in dc.verify(after, {pformat(dict(self.thresholds))}):",
            "    print(verdict.sentence)",
            "",
        ]
        return "\n".join(lines)


_MOST_TOML = 2**63 - 1
"""The largest whole number that every reader of TOML takes."""


def seed_line(seed: int | None) -> str:
    """Return the line that holds a seed, if there is one; as text where a whole number would be too large."""
    return "" if seed is None else f"seed = {seed}\n" if seed <= _MOST_TOML else f'seed = "{seed}"\n'


def read_seed(given: Any) -> int | None:
    """Return the seed that a file or a person gives: a whole number, or its digits as text."""
    seed = int(given) if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 80 else given
    if seed is None or (isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0):
        return seed
    raise SchemaError("Protocol: seed must be a whole number of at least 0.", hint="Leave it out, and one is drawn.")


def _argument(seed: int | None) -> str:
    return "" if seed is None else f", seed={seed}"


# ------------------------------------------------------------------------------------------------------------ reading


def loads(text: str) -> Json:
    """Return what the text of a TOML file holds."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(f"The protocol is not valid TOML: {unquoted(error)}.") from None
    except (RecursionError, ValueError):  # brackets in brackets without end, or a number of thousands of digits
        raise SchemaError("The protocol is nested too deeply, or holds a number that is too long.") from None


def load_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a protocol."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError(
            f"The protocol {str(path)!r} does not exist.",
            hint="`discreet init data.csv -o protocol.toml` makes one.",
        ) from None
    except (OSError, UnicodeDecodeError):
        raise FileError(f"The protocol {str(path)!r} cannot be read as UTF-8 text.") from None


def save_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write the text of a protocol, whole or not at all."""
    target = Path(path)
    temporary = target.with_name(f".{target.name[:40]}.part")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        temporary.replace(target)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise FileError(f"The protocol {str(target)!r} cannot be written.") from None


class Places:
    """Where tables and keys stand in the text, so that a message can name the line.

    Parameters
    ----------
    text : str
    prefix : str
        What headers begin with, to be left away; headers without it are none.
    first, last : int, optional
        The lines to look at, of a part of the text.
    """

    def __init__(self, text: str, prefix: str = "", first: int = 1, last: int | None = None) -> None:
        self.lines: dict[tuple[str, int, str], int] = {}
        counts: dict[str, int] = {}
        table = ("", 0)
        for number, line in enumerate(text.splitlines()[first - 1 : last], start=first):
            header = re.match(rf"\s*(\[\[?)\s*{re.escape(prefix)}([A-Za-z0-9_-]+)\s*\]", line)
            if header:
                name = header[2]
                counts[name] = counts.get(name, -1) + 1
                table = (name, counts[name])
                self.lines[*table, ""] = number
                continue
            key = re.match(r"""\s*["']?([A-Za-z0-9_.-]+)["']?\s*=""", line)
            if key:
                self.lines.setdefault((*table, key[1]), number)

    def line(self, table: str, index: int = 0, key: str = "") -> int:
        """Return the line of a key, or of its table, or 0."""
        header = (table, index, "") if table else (key, 0, "")
        return self.lines.get((table, index, key), self.lines.get(header, 0))

    def at(self, table: str, index: int = 0, key: str = "") -> str:
        """Return how a message begins that names the line."""
        return _at(self.line(table, index, key))


def _at(line: int) -> str:
    return f"Line {line}: " if line else ""


def check_keys(fields: Any, known: Sequence[str], what: str, where: Places, table: str, index: int = 0) -> None:
    """Refuse a key that is not known, with its line and the nearest one that is."""
    if not isinstance(fields, dict):
        raise SchemaError(f"{what} must be a table.")
    for key in fields:
        if key not in known:
            raise SchemaError(
                f"{where.at(table, index, key)}{what} has an unknown key {key!r}.",
                hint=f"{nearest(key, known)}Known: {', '.join(known)}.",
            )


def _step(table: Any, index: int, where: Places) -> Step:
    line = where.line("step", index)
    what = f"{_at(line)}[[step]] number {index + 1}"
    if not isinstance(table, dict) or not isinstance(table.get("method"), str):
        raise SchemaError(f"{what} must name its method.", hint='method = "mdav"; `discreet methods` lists them.')
    unit = table.get("unit")
    if unit is not None and not isinstance(unit, str):
        raise SchemaError(f"{what}: unit must be the name of an attribute.")
    rest = {name: value for name, value in table.items() if name not in ("method", "unit")}
    for name, value in rest.items():
        try:
            _plain(value)
        except SchemaError:
            raise SchemaError(f"{what}: {name} must be text, numbers, or lists or tables of these.") from None
    return Step(table["method"], rest, unit, line)


def _scenario(table: Any, index: int, where: Places) -> Scenario:
    what = f"[[scenario]] number {index + 1}"
    check_keys(table, ("name", "known", "linkers"), what, where, "scenario", index)
    line = where.line("scenario", index)
    if "known" not in table:
        raise SchemaError(f"{_at(line)}{what} must say what the intruder knows.", hint='known = ["AGE", "SEX"]')
    try:
        linkers = table.get("linkers", Scenario.linkers)
        return Scenario(table.get("name", f"scenario {index + 1}"), table["known"], linkers, line)
    except SchemaError as error:
        raise SchemaError(f"{_at(line)}{error.message}", hint=error.hint) from None


def nearest(name: str, known: Iterable[str]) -> str:
    """Return "Did you mean …? " for the known name that is most like a mistyped one, or nothing.

    Examples
    --------
    >>> nearest("metod", ["method", "unit"])
    "Did you mean 'method'? "
    """
    lower = {one.lower(): one for one in known}
    close = difflib.get_close_matches(name.lower(), list(lower), n=1, cutoff=0.6)
    return f"Did you mean {lower[close[0]]!r}? " if close else ""


# ------------------------------------------------------------------------------------------------------------ writing


def _note(notes: Mapping[str, str], key: str) -> str:
    return "".join(f"# {line}".rstrip() + "\n" for line in _lines(notes[key])) if notes.get(key) else ""


def _lines(comment: str) -> list[str]:
    # A comment ends at its line: whatever a column's name holds must not begin a new one.
    return ["".join(c if c.isprintable() else "�" for c in line) for line in comment.split("\n")]


def _key(key: str) -> str:
    import tomli_w

    return tomli_w.dumps({key: 0}).rsplit(" = ", 1)[0]


def _nested(header: str, fields: Mapping[str, Any]) -> str:
    import tomli_w

    plain = {key: value for key, value in fields.items() if not isinstance(value, dict)}
    inner = [_nested(f"{header}.{_key(key)}", value) for key, value in fields.items() if isinstance(value, dict)]
    return f"\n[{header}]\n{tomli_w.dumps(plain)}" + "".join(inner)


def _plain(value: Any) -> Any:
    """Return a parameter as a TOML file can hold it: a method or an operator as its own text."""
    if isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):
        return value.item()
    raise SchemaError(
        f"A parameter that is a {type(value).__name__} cannot be written into a protocol.",
        hint="Give it as the text that the command line takes.",
    )


def _call(step: Step) -> str:
    unit = f", unit={step.unit!r}" if step.unit is not None else ""
    given = {name: _plain(value) for name, value in step.parameters.items() if value is not None}
    return f"dc.Step({step.method!r}, {given!r}{unit})"
