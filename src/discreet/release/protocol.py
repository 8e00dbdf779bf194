"""The protocol: one TOML file that holds the data, the schema, the intruders, the steps, the thresholds and the seed.

::

    seed = 1  # left out, one of 128 bits is drawn

    [about]  # what the report shows first; all of it may be left out
    title = "Household survey 2026"
    release_type = "scientific use file"
    date = "2026-11-30"
    purpose = "Research on living conditions"
    legal_basis = "Statistics Act, section 12"
    recipients = ["Institute A"]
    decided_by = "Head of methods"
    review_date = "2028-11-30"

    [data]
    file = "survey.csv"  # beside the protocol, unless the path is absolute

    [release]
    masked = "survey-masked.csv"
    internal = "internal.html"
    external = "external.html"
    manifest = "manifest.json"

    [[attribute]]  # as in a schema file
    name = "AGE"
    role = "key"
    scale = "numeric"

    [[scenario]]
    name = "neighbour"
    known = ["AGE"]
    linkers = ["distance", "probabilistic"]
    in_words = "Somebody next door, who knows how old people are."

    [[step]]
    method = "mdav"
    k = 5
    attributes = ["AGE"]

    [thresholds]
    risk_at_most = 10
    smallest_group = 3

Python, the command line and the web page read and write this file. It holds names, levels and choices, never a record.
Methods are not looked up here: a step that names an unknown method is refused where it is run.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from pprint import pformat

from discreet.contracts.dossier import Dossier
from discreet.contracts.intruder import Intruder
from discreet.data.schema import ATTRIBUTE_FIELDS, Schema
from discreet.data.toml_text import Places, at_line, check_keys, comment, parse, table_text, toml_value
from discreet.errors import SchemaError
from discreet.notebook import panel
from discreet.notebook import table as shown_table
from discreet.registry import did_you_mean
from discreet.release.protocol_parts import SOURCE, Source, Step, read_scenario, read_step
from discreet.release.protocol_text import load_text, read_seed, seed_line
from discreet.typing import Json

__all__ = ["Protocol"]

_TABLES = ("seed", "about", "data", "release", "public", "attribute", "scenario", "step", "thresholds")


_RELEASE = ("masked", "internal", "external", "manifest", "json", "pdf")


_PUBLIC = ("domains", "tell")


_TELL = ("noise", "pram")


@dataclass(frozen=True)
class Protocol:
    """All that is needed to protect a file in the same way again.

    Parameters
    ----------
    schema : Schema
    steps : sequence of Step
        In this order.
    scenarios : sequence of Intruder
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
    about : Dossier or mapping
        What the release is for and what was decided: title, purpose, recipients, decision. Figures do not depend on it.
    comments : mapping of str to str
        What to write beside a part of the file: by ``"protocol"``, ``"data"``, ``"release"``, ``"thresholds"``,
        ``"attribute:NAME"``, ``"scenario:NAME"``, ``"step:0"``, and ``"end"``.

    Examples
    --------
    >>> from discreet.data.scales import Numeric
    >>> from discreet.data.schema import Attribute
    >>> schema = Schema([Attribute("age", Numeric(), "key")])
    >>> protocol = Protocol(schema, [Step("mdav", {"k": 5})], seed=1)
    >>> Protocol.from_toml(protocol.to_toml()) == protocol
    True
    """

    schema: Schema
    steps: Sequence[Step] = ()
    scenarios: Sequence[Intruder] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    seed: int | None = None
    source: Source | None = None
    release: Mapping[str, str] = field(default_factory=dict)
    public: Mapping[str, Sequence[str]] = field(default_factory=dict, kw_only=True)
    about: Dossier = field(default_factory=Dossier, kw_only=True)
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
        object.__setattr__(self, "about", Dossier.of(self.about))
        self._check_public()
        object.__setattr__(self, "seed", read_seed(self.seed))
        names = [scenario.name for scenario in self.scenarios]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise SchemaError(f"Two scenarios are called {twice[0]!r}.", hint="Give each its own name.")
        for scenario in self.scenarios:
            where = f"{at_line(scenario.line)}Scenario {scenario.name!r}"
            for name in scenario.known:
                self._check_declared(name, f"{where}: known")
                if self.schema[name].role == "identifier":
                    raise SchemaError(
                        f"{where}: {name!r} is an identifier and not released.",
                        hint="Name what an intruder knows and finds in the release.",
                    )
        for place, step in enumerate(self.steps, start=1):
            where = f"{at_line(step.line)}Step {place} ({step.method})"
            attributes = step.parameters.get("attributes", ())
            for name in attributes if isinstance(attributes, Sequence) and not isinstance(attributes, str) else ():
                self._check_declared(str(name), f"{where}: attributes")
            if step.unit is not None:
                self._check_declared(step.unit, f"{where}: unit")
        for name, value in self.thresholds.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise SchemaError(f"[thresholds]: {name} must be a finite number.")
            if name != "smallest_group" and not name.endswith("_at_most"):
                thresholds = ("smallest_group", "risk_at_most", "loss_at_most")
                raise SchemaError(
                    f"[thresholds]: unknown threshold {name!r}.{did_you_mean(name, thresholds)}",
                    hint="Write smallest_group, risk_at_most, loss_at_most or "
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
            self._check_declared(name, "[public]: domains")
            if self.schema[name].role == "identifier" or self.schema[name].scale.kind not in ("ordinal", "nominal"):
                raise SchemaError(f"[public]: {name!r} has no levels by which cells could be counted.")
        strangers = [name for name in self.public.get("tell", ()) if name not in _TELL]
        if strangers:
            raise SchemaError(f"[public]: tell knows {', '.join(_TELL)}; got {strangers[0]!r}.")

    def _check_declared(self, name: str, where: str) -> None:
        if name not in self.schema:
            meant = did_you_mean(name, self.schema.names)
            raise SchemaError(
                f"{where} names {name!r}, which the protocol does not declare.{meant}",
                hint="Declare it as an [[attribute]].",
            )

    # ------------------------------------------------------------------------------------------------------- TOML

    def to_toml(self, comments: Mapping[str, str] | None = None) -> str:
        """Return the protocol as the text of a TOML file; `comments` go beside its parts (default: its own)."""
        notes = self.comments if comments is None else comments
        return "\n".join([comment(notes.get("protocol", "")) + seed_line(self.seed), *self.sections(notes)])

    def sections(self, notes: Mapping[str, str] | None = None) -> list[str]:
        """Return what stands in the file after the seed, table by table."""
        notes = self.comments if notes is None else notes

        def note(key: str) -> str:
            return comment(notes.get(key, ""))

        parts = []
        if self.about:
            parts.append(note("about") + table_text("[about]", self.about.to_dict()))
        if self.source is not None:
            parts.append(note("data") + table_text("[data]", self.source.to_dict()))
        if self.release:
            parts.append(note("release") + table_text("[release]", dict(self.release)))
        if self.public:
            parts.append(note("public") + table_text("[public]", {n: list(v) for n, v in self.public.items()}))
        parts += [note(f"attribute:{a.name}") + Schema([a]).to_toml() for a in self.schema]
        parts += [note(f"scenario:{s.name}") + table_text("[[scenario]]", s.to_dict()) for s in self.scenarios]
        parts += [note(f"step:{i}") + table_text("[[step]]", step.to_dict()) for i, step in enumerate(self.steps)]
        if self.thresholds:
            parts.append(note("thresholds") + table_text("[thresholds]", dict(self.thresholds)))
        if notes.get("end"):
            parts.append(note("end"))
        return parts

    @classmethod
    def from_toml(cls, text: str) -> Protocol:
        """Read a protocol from the text of a TOML file."""
        fields = parse(text, "protocol")
        if "table" in fields:
            raise SchemaError(
                "The protocol is for several tables.", hint="`discreet run` runs it; in Python, dc.run does."
            )
        return cls.from_fields(fields, Places(text))

    @classmethod
    def from_fields(cls, fields: Json, where: Places) -> Protocol:
        """Read a protocol from what a TOML file holds."""
        check_keys(fields, _TABLES, "The protocol", where, "")
        for name in ("attribute", "scenario", "step"):
            if not isinstance(fields.get(name, []), list):
                raise SchemaError(f"Write [[{name}]] with double brackets: there may be several.")
        for name in ("about", "data", "release", "public", "thresholds"):
            if not isinstance(fields.get(name, {}), dict):
                raise SchemaError(f"{name} must be a table: write [{name}] on a line of its own.")
        for i, table in enumerate(fields.get("attribute", [])):
            check_keys(table, ATTRIBUTE_FIELDS, f"[[attribute]] number {i + 1}", where, "attribute", i)
        data, release = fields.get("data", {}), fields.get("release", {})
        check_keys(data, SOURCE, "[data]", where, "data")
        check_keys(
            fields.get("about", {}), tuple(one.name for one in dataclass_fields(Dossier)), "[about]", where, "about"
        )
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
            tuple(read_step(table, i, where) for i, table in enumerate(fields.get("step", []))),
            tuple(read_scenario(table, i, where) for i, table in enumerate(fields.get("scenario", []))),
            fields.get("thresholds", {}),
            fields.get("seed"),
            Source(**data) if data else None,
            release,
            public=fields.get("public", {}),
            about=fields.get("about", {}),
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Protocol:
        """Read a protocol from a TOML file."""
        return cls.from_toml(load_text(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the protocol as a TOML file, whole or not at all."""
        from discreet.io.atomic import write_text  # it loads the readers of data files

        write_text(path, self.to_toml())

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
            f"masked = dc.Chain(steps{_argument(self.seed)}).mask(original)",
            f"dc.write(masked, {self.release.get('masked', 'masked.csv')!r})",
            "",
            "intruders = [",
            *(f"    dc.Intruder({s.name!r}, {s.known!r}, {s.linkers!r})," for s in self.scenarios),
            "]",
            "after = dc.assess(original, masked, intruders=intruders)",
            f"for verdict in dc.release.verify(after, {pformat(dict(self.thresholds))}):",
            "    print(verdict.sentence)",
            "",
        ]
        return "\n".join(lines)


def _argument(seed: int | None) -> str:
    return "" if seed is None else f", seed={seed}"


def _call(step: Step) -> str:
    unit = f", unit={step.unit!r}" if step.unit is not None else ""
    parameters = {name: toml_value(value) for name, value in step.parameters.items() if value is not None}
    return f"dc.release.Step({step.method!r}, {parameters!r}{unit})"
