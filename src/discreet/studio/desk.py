"""The work behind a page, one piece at a time, each answer small enough to show.

A :class:`Desk` holds tables; whoever asks holds declarations, steps and answers. Every piece of work names all it
needs, so that a desk that was cleared away in the middle of its work (a cancelled job) is replaced by an empty one, and
nothing is lost but time.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from discreet import catalogue, io
from discreet.contracts.assessment import Assessment
from discreet.contracts.intruder import Intruder
from discreet.contracts.links import Links
from discreet.contracts.masked import Masked
from discreet.contracts.masker import Masker
from discreet.contracts.measurement import Measurement
from discreet.data.inference import Proposal, propose_schema
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, DiscreetError, MissingValueError, SchemaError, door
from discreet.evaluation.assessing import assess
from discreet.evaluation.attacking import ALL_KEYS
from discreet.evaluation.headline import worst_of
from discreet.evaluation.intruders import assess_intruders
from discreet.evaluation.pictures import profile
from discreet.evaluation.study import compare, scoring_of, unmasked_files
from discreet.io.reading import read, read_with_proposal, write
from discreet.masking.recoding.generalisation import Generalisation
from discreet.masking.recoding.hierarchy_of_column import build_hierarchy, hierarchy_of_text
from discreet.progress import also_listening, report, stage
from discreet.registry import unknown_name
from discreet.release.chain import Chain
from discreet.release.manifest import write_manifest
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Source, Step
from discreet.release.running import run_protocol
from discreet.studio.declaring import declared as declared_as
from discreet.studio.map_points import study_map
from discreet.studio.session_values import (
    Answer,
    Attacked,
    Contribution,
    Declared,
    Given,
    Opened,
    Protected,
    Released,
    ReleasedFile,
    RiskNow,
    StudyMap,
)
from discreet.typing import Json

__all__ = ["Desk", "file_identity", "stored_study"]

_ROWS = 20


_CHARTS = 6


_FILES = {
    "masked": ("The masked file", "data users"),
    "schema": ("Its schema: roles, scales, levels and labels after masking", "data users"),
    "external": ("Report for data users: what was done and what it cost, nothing that helps an intruder", "data users"),
    "public-manifest": ("Fingerprints (SHA-256) of the files for data users", "data users"),
    "internal": ("Internal report: parameters, seeds, risks and where they sit", "the house"),
    "json": ("The internal report for machines", "the house"),
    "protocol": ("The protocol: the same release again, from the studio, the command line or Python", "the house"),
    "script": ("The same as a Python script", "the house"),
    "original": ("The sample itself, which the protocol and the script read", "the house"),
    "manifest": ("Fingerprints (SHA-256) of all files, and versions of everything that made them", "the house"),
}
"""What each file of a release is, and whom it is for, in the order in which they are listed."""


class Desk:
    """Where the work of one session is done; keeps the tables of the last few pieces of work."""

    def __init__(self) -> None:
        self.tell: Callable[[Any], None] = lambda _: None
        """Called with an answer that is not complete yet."""
        self._tables: dict[Given, tuple[Microdata, Proposal]] = {}
        self._masked: dict[tuple[Any, ...], Masked] = {}
        self._now: dict[tuple[Any, ...], Assessment] = {}

    # ---------------------------------------------------------------------------------------------- read → declare

    def open(self, given: Given, schema: Schema | None = None) -> Opened:
        """Read a table and propose a schema; a sample, or a protocol's `schema`, brings its declaration with it."""
        report("reading", 0, 2)
        self._tables, self._masked, self._now = {}, {}, {}  # a file at the same place may have changed
        table, proposal = self._read(given, schema)
        report("reading", 1, 2)
        reasons: Mapping[str, str] = proposal.reasons
        if schema is not None:
            Microdata(table.to_native(), schema).validate()
            reasons = dict.fromkeys(table.names, "declared by the protocol")
        elif given.kind == "sample":
            schema, reasons = table.schema, dict.fromkeys(table.names, "declared by the sample")
        else:
            schema = proposal.schema
        head = table.take(range(min(_ROWS, len(table))))
        columns = [[_cell_text(value) for value in head.column(name).to_pylist()] for name in table.names]
        types = {name: str(table.column(name).type) for name in table.names}
        report("reading", 2, 2)
        rows = tuple(zip(*columns, strict=True))
        identity = file_identity(given.where) if given.kind == "file" else {}
        return Opened(len(table), schema, types, proposal.missing, reasons, rows, identity)

    def declare(self, given: Given, schema: Schema, answers: Mapping[str, Answer]) -> Declared:
        """Turn answers into a schema and check every column against it."""
        table = self._table(given, schema)
        with stage("checking"):
            declared = Schema(declared_as(a, answers.get(a.name), table) for a in schema)
            checked = Microdata(table.to_native(), declared).validate()
            missing = {a.name: int(checked.missing(a.name).sum()) for a in declared}
        return Declared(declared, missing)

    # -------------------------------------------------------------------------------------- mask → attack → measure

    def risk(self, given: Given, schema: Schema, scenarios: Sequence[Intruder] = ()) -> RiskNow:
        """Measure what releasing the table would risk if nothing were done but to remove identifiers."""
        from discreet.evaluation.ranking import rank_keys  # compiled code, which only this page needs

        original, released = self._unprotected(given, schema)
        assessment = self._assess_now(given, schema)
        by_name = {m.name: m for m in assessment.measurements}
        shares = self._contributions(original, released)
        contributions = []
        percent = 100.0 / len(original)
        for key in rank_keys(released.microdata, schema.keys, original.weights()):
            alone = _violations(original, released, [key.name], 2)
            others = [other for other in schema.keys if other != key.name]
            without = _violations(original, released, others, 3) if others else 0.0
            expected = (percent * key.now, percent * key.without)
            contributions.append(Contribution(key.name, alone, without, shares.get(key.name), *expected))
        return RiskNow(
            len(original),
            tuple(by_name[name] for name in _first_look() if name in by_name),
            tuple(contributions),
            _by_scenario(original, released, scenarios),
            assessment,
        )

    def protect(
        self, given: Given, schema: Schema, steps: Sequence[Step], seed: int, scenarios: Sequence[Intruder] = ()
    ) -> Protected:
        """Take the steps, and measure what they risk and what they lost against the original."""
        from discreet.report.charts import distribution_chart, loss_chart, risk_chart

        original, masked = self._original(given, schema), self._released(given, schema, steps, seed)
        # The very figures that the release and its reports show: by scenario, judged by the worst.
        assessments = assess_intruders(original, masked, scenarios)
        assessment = worst_of(assessments)[1]
        with stage("drawing"):
            charts = [("Risk", risk_chart(assessment)), ("Loss", loss_chart(assessment))]
            same_rows = masked.provenance.rows is None
            pictures = [d for d in profile(original, masked.microdata) if d.edges] if same_rows else []
            charts += [(f"{d.name}, before and after", distribution_chart(d)) for d in pictures[:_CHARTS]]
        return Protected(
            masked.provenance.to_dict(internal=True),
            assessment,
            tuple((title, svg) for title, svg in charts if svg),
            _of_now(assessments) if scenarios else {},
        )

    def build_tree(self, given: Given, schema: Schema, column: str, by: str, steps: str) -> list[list[str]]:
        """Build a hierarchy for a column, and return its rows."""
        way: Any = by or None
        tree = build_hierarchy(self._original(given, schema), column, way, steps)
        return [list(row) for row in tree.rows.values()]

    def read_tree(self, given: Given, schema: Schema, column: str, text: str, ending: str) -> list[list[str]]:
        """Read a hierarchy whose ranges only the column's values fill, and return its rows."""
        tree = hierarchy_of_text(self._original(given, schema), column, text, ending)
        return [list(row) for row in tree.rows.values()]

    def explore(self, given: Given, schema: Schema, parameters: Mapping[str, Any], most: int) -> dict[str, Any]:
        """Look at every combination of steps of a generalisation, and return the foremost."""
        masker = catalogue.build("masker", "generalisation", parameters)
        lattice = cast("Generalisation", masker).explore(self._original(given, schema))
        depth = lattice.steps.sum(axis=1)
        levels = [(int((depth == d).sum()), int(lattice.satisfied[depth == d].sum())) for d in range(depth.max() + 1)]
        return lattice.to_dict() | {"rows": lattice.rows(most), "levels": levels}

    def compare(
        self,
        given: Given,
        schema: Schema,
        candidates: Sequence[Masker],
        repetitions: int,
        seed: int,
        store: str,
        scenarios: Sequence[Intruder] = (),
    ) -> StudyMap:
        """Run a study; every finished candidate is told at once. Rows that `store` holds already are not run again."""
        table = self._original(given, schema)
        sets = {ALL_KEYS: schema.keys}
        scoring = scoring_of("compare", "worst-case", scenarios, None)
        unmasked = unmasked_files(table, sets, scoring)[ALL_KEYS] if schema.keys else None
        total = 0

        def follow(label: str, _: int, planned: int) -> None:
            nonlocal total
            if label == "experiments":
                total = planned
                self.tell(study_map(_stored(store), planned, unmasked))

        with also_listening(follow):
            study = compare(
                table, candidates, repetitions=repetitions, random_state=seed, store=store, scenarios=scenarios,
                resume=True,
            )  # fmt: skip
        return study_map(study.rows, total or len(study.rows), unmasked)

    def attack(
        self,
        given: Given,
        schema: Schema,
        steps: Sequence[Step],
        seed: int,
        linker: str,
        parameters: Mapping[str, Any],
        held: Given | None = None,
        truth: str = "",
    ) -> Attacked:
        """Link the release with what an intruder holds.

        Parameters
        ----------
        held : Given, optional
            The intruder's file; without it, the original itself.
        truth : str
            How it is known who is who: ``"order"`` (the same records in the same order), the name of a column that the
            original and the intruder's file share, or nothing.
        """
        original, masked = self._original(given, schema), self._released(given, schema, steps, seed)
        method = catalogue.method("linker", linker)
        if held is None:
            table, truth = original, "order"
        else:
            table = self._intruder_table(held, schema, shared=method.needs_common_attributes)
        with stage("linking"):
            links, left_out = _linked(method, parameters, table, masked)
        rows = masked.provenance.rows
        n = len(original)
        places = np.arange(n, dtype=np.int64) if rows is None else rows
        position = _positions(original, table, truth)
        return replace(_attacked(linker, links, None if position is None else position[places]), left_out=left_out)

    def release(
        self,
        given: Given,
        schema: Schema,
        steps: Sequence[Step],
        seed: int,
        scenarios: Sequence[Intruder],
        thresholds: Mapping[str, float],
        folder: str,
        ending: str = ".csv",
    ) -> Released:
        """Write a release with all that belongs to it, under names of our own, and verify its thresholds."""
        target = Path(folder)
        original = self._original(given, schema)
        file = given.name if given.kind == "file" else f"{given.where}.csv"
        named = {
            "masked": f"masked{ending}",
            "internal": "internal-report.html",
            "external": "external-report.html",
            "json": "internal-report.json",
        }
        source = Source(file, **given.layout)
        written = {**named, "manifest": "manifest.json"}
        protocol = Protocol(schema, tuple(steps), tuple(scenarios), thresholds, seed, source, written)
        text = protocol.to_toml()
        run = run_protocol(replace(protocol, release=named), original=original, folder=folder)
        paths = replace(run, text=text).write(folder)
        with stage("writing"):
            inputs = [Path(given.where)] if given.kind == "file" else []
            if given.kind == "sample":
                paths["original"] = target / file
                write(original, paths["original"])
            for key, name, content in (
                ("protocol", "protocol.toml", text),
                ("script", "release.py", protocol.to_python()),
            ):
                paths[key] = target / name
                io.write_text(paths[key], content)
            public = {key: paths[key] for key in ("masked", "schema", "external")}
            paths["public-manifest"] = target / "manifest-external.json"
            write_manifest(paths["public-manifest"], public, audience="external")
            manifest = target / "manifest.json"
            outcomes = {verdict.name: verdict.met for verdict in run.verdicts}
            write_manifest(manifest, paths, protocol=text, inputs=inputs, thresholds=outcomes)
            listed = {entry["role"]: entry for entry in io.read_json(manifest)["files"]}
            files = [_file(key, path, listed[key]["bytes"], listed[key]["sha256"]) for key, path in paths.items()]
            files.append(_file("manifest", manifest, manifest.stat().st_size, ""))
            _pack(target, [path for _, path in sorted({**paths, "manifest": manifest}.items())])
        return Released(
            folder, tuple(sorted(files, key=lambda f: list(_FILES).index(f.key))), run.verdicts, run.assessment
        )

    # --------------------------------------------------------------------------------------------------- the tables

    def _read(self, source: Given, schema: Schema | None = None) -> tuple[Microdata, Proposal]:
        if source not in self._tables:
            if source.kind == "sample":
                from discreet.datasets import DATASETS

                if source.where not in DATASETS:
                    raise unknown_name("sample", source.where, DATASETS)
                table = DATASETS[source.where](source.n, 0)
                self._tables = {source: (table, propose_schema(table.to_native()))}
            else:
                table_and_proposal = read_with_proposal(source.where, schema, **source.layout)
                self._tables = {source: table_and_proposal}
        return self._tables[source]

    def _table(self, source: Given, schema: Schema | None = None) -> Microdata:
        return self._read(source, schema)[0]

    def _original(self, source: Given, schema: Schema) -> Microdata:
        table = self._table(source, schema)
        # A file with labels of its own is written with them: the writer compares the release with this declaration.
        declared = {"declared": schema} if "labels" in table.origin else {}
        original = Microdata(table.to_native(), schema, origin={**table.origin, **declared})
        original.share_encoding(table)
        return original

    def _unprotected(self, source: Given, schema: Schema) -> tuple[Microdata, Masked]:
        original = self._original(source, schema)
        return original, catalogue.method("masker", "identifiers")().mask(original)

    def _assess_now(self, source: Given, schema: Schema) -> Assessment:
        key = (source, schema)
        if key not in self._now:
            self._now = {key: assess(*self._unprotected(source, schema))}
        return self._now[key]

    def _released(self, source: Given, schema: Schema, steps: Sequence[Step], seed: int) -> Masked:
        key = (source, schema, repr(tuple(steps)), seed)
        if key not in self._masked:
            original = self._original(source, schema)
            masked = Chain(steps, seed).mask(original) if steps else self._unprotected(source, schema)[1]
            self._masked = {key: masked}
        return self._masked[key]

    def _intruder_table(self, file: Given, schema: Schema, *, shared: bool) -> Microdata:
        raw = read(file.where, **file.layout)
        if not shared:
            return raw
        common = [name for name in raw.names if name in schema and schema[name].role != "identifier"]
        if not common:
            raise SchemaError(
                "The two files have no column name in common.",
                hint="Choose a linker that needs no common attributes, such as structural.",
            )
        # What both files have is read by the declaration of the original; the rest keeps its own.
        declared = Schema(schema[name] if name in common else raw.schema[name] for name in raw.names)
        return Microdata(raw.to_native(), declared)

    def _contributions(self, original: Microdata, released: Masked) -> Mapping[str, float]:
        suda = catalogue.method("measure", "suda2")()
        if not suda.applies_to(original.schema):
            return {}
        try:
            result: Mapping[str, float] = suda.measure(original, released, engine=MemoryEngine()).per_attribute
        except DiscreetError:  # more keys than it can look at
            return {}
        return result


@door
def file_identity(path: str | Path) -> dict[str, int | str]:
    """Return what tells whether a file is still the same: size, time of the last change, and SHA-256."""
    file = Path(path)
    status = file.stat()
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return {"size": status.st_size, "changed": status.st_mtime_ns, "sha256": digest}


@door
def stored_study(store: str | Path, total: int) -> StudyMap | None:
    """Return the map of the rows that a study has stored so far, if there are any."""
    rows = _stored(str(store)) if Path(store).exists() else []
    return study_map(rows, total) if rows else None


def _file(key: str, path: Path, size: int, sha256: str) -> ReleasedFile:
    title, audience = _FILES[key]
    return ReleasedFile(key, path.name, title, audience, size, sha256)


def _pack(folder: Path, paths: Sequence[Path]) -> None:
    """Put the files together in one archive that is the same for the same files."""
    with zipfile.ZipFile(folder / "release.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            entry = zipfile.ZipInfo(path.name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())


def _cell_text(value: Any) -> str:
    if isinstance(value, list):
        return " > ".join(str(item) for item in value)
    return "" if value is None else str(value)


def _violations(original: Microdata, released: Masked, names: Sequence[str], k: int) -> float:
    measure = catalogue.method("measure", "k-anonymity")(k, attributes=list(names), missing="category")
    return float(measure.measure(original, released).value)


def _by_scenario(
    original: Microdata, released: Masked, scenarios: Sequence[Intruder]
) -> dict[str, tuple[Measurement, ...]]:
    """Return, for every intruder, the risks of what he knows."""
    return _of_now(assess_intruders(original, released, scenarios)) if scenarios else {}


def _of_now(assessments: Mapping[str, Assessment]) -> dict[str, tuple[Measurement, ...]]:
    names = _first_look()
    return {name: tuple(m for m in one.of_kind("risk") if m.name in names) for name, one in assessments.items()}


def _first_look() -> tuple[str, ...]:
    """Return the risks that are shown of a file as it is, in their order."""
    risks = catalogue.measures("risk")
    return tuple(sorted((name for name, cls in risks.items() if cls.first_look), key=lambda n: risks[n].first_look))


def _linked(
    method: Any, parameters: Mapping[str, Any], intruder_table: Microdata, masked: Masked
) -> tuple[Links, tuple[str, ...]]:
    """Link, leaving out what the linker has no rule for: an intruder passes over what the release does not say."""
    try:
        links = method(**parameters).link(intruder_table, masked, engine=MemoryEngine())
        shared = [name for name in intruder_table.schema.keys if name in masked.microdata.schema]
        unused = shared if links.attributes and not parameters.get("attributes") else []
        return links, tuple(name for name in unused if name not in links.attributes)
    except MissingValueError as error:
        release = masked.microdata
        names = parameters.get("attributes") or [name for name in intruder_table.schema.keys if name in release.schema]
        for most in (1.0, 0.0):  # first what has no value at all, then numbers and sequences with any gap
            usable = [
                name for name in names if not any(_lacks(table, name, most) for table in (intruder_table, release))
            ]
            if not usable or len(usable) == len(names):
                continue
            try:
                links = method(**{**parameters, "attributes": usable}).link(
                    intruder_table, masked, engine=MemoryEngine()
                )
            except MissingValueError:
                continue
            return links, tuple(name for name in names if name not in usable)
        raise MissingValueError(
            error.message, hint="Choose probabilistic linkage, for which a missing value says nothing."
        ) from None


def _lacks(table: Microdata, name: str, most: float) -> bool:
    """Whether more than a share of the values are missing, or all, of an attribute that must have them."""
    share = float(np.mean(table.missing(name)))
    categorical = table.schema[name].scale.kind in {"ordinal", "nominal"}
    return share >= 1.0 or (share > most and not categorical)


def _stored(store: str) -> list[Json]:
    rows = []
    for line in Path(store).read_bytes().split(b"\n")[1:]:
        try:
            rows.append(io.parse_json(line))
        except ValueError:
            continue
    return rows


def _positions(original: Microdata, intruder_table: Microdata, truth: str) -> Any:
    """Return for every record of the original where it is in the intruder's file, −1 where it is not; None: unknown."""
    if not truth:
        return None
    if truth == "order":
        if len(original) != len(intruder_table):
            raise DataError(
                f"The files have {len(original)} and {len(intruder_table)} records, "
                "so their order cannot say who is who.",
                hint="Choose a column that both have, or leave open who is who.",
            )
        return np.arange(len(original), dtype=np.int64)
    for table, which in ((original, "original"), (intruder_table, "intruder's file")):
        if truth not in table.names:
            raise SchemaError(f"The {which} has no column {truth!r} that says who is who.")
    place: dict[str, int] = {}
    for i, value in enumerate(intruder_table.column(truth).to_pylist()):
        place.setdefault(str(value), i)
    return np.array([place.get(str(value), -1) for value in original.column(truth).to_pylist()], dtype=np.int64)


def _attacked(linker: str, links: Links, truth: Any) -> Attacked:
    counts = Attacked(
        linker,
        links.attributes,
        links.n_a,
        links.n_b,
        int((links.best >= 0).sum()),
        int((links.ties > 1).sum()),
        links.n_b / links.n_a,
    )
    if truth is None:
        return counts
    result = links.evaluate(truth)
    low, high = result.interval()
    return replace(
        counts,
        chance=result.chance,
        expected=result.expected,
        optimistic=result.optimistic,
        pessimistic=result.pessimistic,
        rate=100.0 * result.rate,
        low=100.0 * low,
        high=100.0 * high,
    )
